package middle_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// arg is an argument of a launch: a buffer when data is not nil, else a scalar.
type arg struct {
	elem ir.Type
	data []byte
	bits uint64
}

// launch is a kernel with its grid and arguments.
type launch struct {
	name string
	text string // Triton IR, one kernel
	twin string // what the interpreter runs instead, when not empty
	grid [3]int
	args []arg
	tol  float64     // of floats, relative to the largest magnitude in the buffer; 0 is the type's default
	by   []pass.Pass // what converts it; nil is the conversion as a whole
}

func parse(t testing.TB, name, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m.Op); err != nil {
		t.Fatal(err)
	}
	return m
}

// convert runs the pass, or others, and our verifier before and after each.
func convert(t testing.TB, m *ir.Module, by ...pass.Pass) {
	t.Helper()
	if by == nil {
		by = []pass.Pass{middle.TritonToLinalg}
	}
	ctx := &pass.Context{Options: pass.Options{Verify: true}}
	if err := pass.Run(ctx, m, by); err != nil {
		if e, ok := err.(*pass.InternalError); ok {
			t.Log(e.Stack)
		}
		t.Fatal(err)
	}
}

// kernelOf is the name of the public function of a module.
func kernelOf(m *ir.Module) string {
	for name, op := range m.Symbols() {
		if op.Text("sym_visibility") != "private" && !funclike.IsDeclaration(op) {
			return name
		}
	}
	return ""
}

// interpret runs a launch on the interpreter and returns what is in its buffers then.
func interpret(t testing.TB, l launch) [][]byte {
	t.Helper()
	text := l.text
	if l.twin != "" {
		text = l.twin
	}
	m := parse(t, l.name, text)
	p, err := interp.Compile(m, kernelOf(m))
	if err != nil {
		t.Fatal(err)
	}
	mem := interp.NewMemory()
	var bufs [][]byte
	var args []uint64
	for i, a := range l.args {
		if a.data == nil {
			args = append(args, a.bits)
			continue
		}
		b := append([]byte(nil), a.data...)
		bufs = append(bufs, b)
		args = append(args, mem.Alloc(b, fmt.Sprint("arg", i)).Addr())
	}
	if err := p.Run(context.Background(), mem, l.grid, args, interp.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return bufs
}

// program is many launches as one module that mlir-runner can run: main makes the buffers, calls the
// kernels for each program of their grids, and prints the bits of the buffers.
type program struct {
	m    *ir.Module
	main strings.Builder
	head strings.Builder
	n    int
	dump map[string]bool
}

// add puts the kernel of a converted module into the program.
func (p *program) add(t testing.TB, l launch, m *ir.Module) {
	t.Helper()
	name := fmt.Sprintf("kernel%d", p.n)
	for s, op := range m.Symbols() {
		op.Remove()
		if op.Def == funcd.Func && !funclike.IsDeclaration(op) && op.Text("sym_visibility") != "private" {
			op.SetAttr("sym_name", ir.Str(name))
		} else if p.m.Lookup(s) != nil {
			continue
		}
		p.m.Block().Append(op)
	}
	p.launch(l, name)
	p.n++
}

func (p *program) launch(l launch, name string) {
	w := &p.main
	fmt.Fprintf(w, "func.func private @launch%d() {\n%%c0 = arith.constant 0 : index\n%%c1 = "+
		"arith.constant 1 : index\n", p.n)
	var names, types []string
	for i, a := range l.args {
		if a.data == nil {
			fmt.Fprintf(w, "%%a%d = arith.constant %s\n", i, ir.ScalarFromBits(a.bits, a.elem))
			names, types = append(names, fmt.Sprintf("%%a%d", i)), append(types, a.elem.String())
			continue
		}
		n := len(a.data) * 8 / ir.BitWidth(a.elem)
		mt := fmt.Sprintf("memref<%dx%s>", n, a.elem)
		fmt.Fprintf(&p.head, "memref.global \"private\" constant @data%d_%d : %s = dense<\"0x%s\">\n", p.n, i,
			mt, strings.ToUpper(hex.EncodeToString(a.data)))
		fmt.Fprintf(w, "%%g%d = memref.get_global @data%d_%d : %s\n%%b%d = memref.alloc() {alignment = 64 "+
			": i64} : %s\n", i, p.n, i, mt, i, mt)
		fmt.Fprintf(w,
			"memref.copy %%g%d, %%b%d : %s to %s\n%%a%d = memref.cast %%b%d : %s to memref<*x%s>\n", i, i, mt,
			mt, i, i, mt, a.elem)
		names, types = append(names, fmt.Sprintf("%%a%d", i)),
			append(types, fmt.Sprintf("memref<*x%s>", a.elem))
	}
	for d, n := range l.grid {
		fmt.Fprintf(w, "%%n%d = arith.constant %d : index\n%%m%d = arith.constant %d : i32\n", d, n, d, n)
		names, types = append(names, fmt.Sprintf("%%m%d", d)), append(types, "i32")
	}
	for d := 2; d >= 0; d-- {
		fmt.Fprintf(w, "scf.for %%i%d = %%c0 to %%n%d step %%c1 {\n", d, d)
	}
	for d := range 3 {
		fmt.Fprintf(w, "%%p%d = arith.index_cast %%i%d : index to i32\n", d, d)
		names, types = append(names, fmt.Sprintf("%%p%d", d)), append(types, "i32")
	}
	fmt.Fprintf(w, "func.call @%s(%s) : (%s) -> ()\n}\n}\n}\n", name, strings.Join(names, ", "),
		strings.Join(types, ", "))
	for i, a := range l.args {
		if a.data != nil {
			p.dumper(a.elem)
			fmt.Fprintf(w, "func.call @dump_%s(%%a%d) : (memref<*x%s>) -> ()\n", a.elem, i, a.elem)
		}
	}
	w.WriteString("return\n}\n")
}

// dumper makes a function that prints the bits of a buffer as integers.
func (p *program) dumper(elem ir.Type) {
	if p.dump == nil {
		p.dump = map[string]bool{}
	}
	if p.dump[elem.String()] {
		return
	}
	p.dump[elem.String()] = true
	bits := fmt.Sprintf("i%d", ir.BitWidth(elem))
	fmt.Fprintf(&p.head, "func.func private @dump_%s(%%a: memref<*x%s>) {\n%%c0 = arith.constant 0 : "+
		"index\n%%c1 = arith.constant 1 : index\n", elem, elem)
	fmt.Fprintf(&p.head, "%%r = memref.cast %%a : memref<*x%s> to memref<?x%s>\n%%n = memref.dim %%r, "+
		"%%c0 : memref<?x%s>\n%%w = memref.alloc(%%n) : memref<?xi64>\n", elem, elem, elem)
	fmt.Fprintf(&p.head, "scf.for %%i = %%c0 to %%n step %%c1 {\n%%x = memref.load %%r[%%i] : memref<?x%s>\n",
		elem)
	v := "%x"
	if bits != elem.String() {
		fmt.Fprintf(&p.head, "%%y = arith.bitcast %%x : %s to %s\n", elem, bits)
		v = "%y"
	}
	if bits != "i64" {
		fmt.Fprintf(&p.head, "%%z = arith.extui %s : %s to i64\n", v, bits)
		v = "%z"
	}
	fmt.Fprintf(&p.head, "memref.store %s, %%w[%%i] : memref<?xi64>\n}\n%%u = memref.cast %%w : "+
		"memref<?xi64> to memref<*xi64>\n", v)
	p.head.WriteString("func.call @printMemrefI64(%u) : (memref<*xi64>) -> ()\nmemref.dealloc %w : " +
		"memref<?xi64>\nreturn\n}\n")
}

// pipeline is how MLIR's own passes bring the middle layer to LLVM, as triton-shared's reference back end
// does.
var pipeline = []string{
	"--empty-tensor-to-alloc-tensor",
	"--one-shot-bufferize=allow-return-allocs-from-loops=true",
	"--convert-bufferization-to-memref",
	"--convert-linalg-to-loops",
	"--memref-expand",
	"--expand-strided-metadata",
	"--lower-affine",
	"--convert-scf-to-cf",
	"--math-expand-ops=ops=ctlz",
	"--arith-expand=include-bf16=true",
	"--convert-math-to-llvm",
	"--convert-math-to-libm",
	"--convert-arith-to-llvm",
	"--convert-index-to-llvm",
	"--finalize-memref-to-llvm",
	"--convert-func-to-llvm",
	"--convert-cf-to-llvm",
	"--lower-affine",
	"--convert-arith-to-llvm",
	"--reconcile-unrealized-casts",
}

// text is the whole program.
func (p *program) text() string {
	var b strings.Builder
	s := p.m.String()
	b.WriteString(s[:strings.LastIndex(s, "}")])
	b.WriteString("func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}\n")
	b.WriteString(p.head.String())
	b.WriteString(p.main.String())
	b.WriteString("func.func @main() {\n")
	for i := range p.n {
		fmt.Fprintf(&b, "func.call @launch%d() : () -> ()\n", i)
	}
	b.WriteString("return\n}\n}\n")
	return b.String()
}

// run lowers the program by MLIR's passes, runs it, and returns the bits in the buffers of each launch, in
// order.
func (p *program) run(t testing.TB) [][]uint64 {
	t.Helper()
	opt, runner := txtest.MLIROpt(t), txtest.LLVMTool(t, "mlir-runner")
	dir := t.TempDir()
	in, low := filepath.Join(dir, "in.mlir"), filepath.Join(dir, "llvm.mlir")
	if err := os.WriteFile(in, []byte(p.text()), 0o666); err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("NEREID_KEEP"); keep != "" {
		os.WriteFile(keep, []byte(p.text()), 0o666)
	}
	if out, err := exec.CommandContext(t.Context(), opt,
		append(pipeline, in, "-o", low)...).CombinedOutput(); err != nil {
		t.Fatalf("mlir-opt: %v\n%s", err, clip(out))
	}
	args := []string{low, "-e", "main", "-entry-point-result=void", "-O0"}
	for _, lib := range runnerLibs(t, runner) {
		args = append(args, "-shared-libs="+lib)
	}
	out, err := exec.CommandContext(t.Context(), runner, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("mlir-runner: %v\n%s", err, clip(out))
	}
	return buffers(t, string(out))
}

func clip(out []byte) string { return string(out[:min(len(out), 4000)]) }

// runnerLibs are the libraries of functions that lowered programs call: copies, prints.
func runnerLibs(t testing.TB, runner string) []string {
	t.Helper()
	real, err := filepath.EvalSymlinks(runner)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(filepath.Dir(filepath.Dir(real)), "lib")
	var libs []string
	for _, name := range []string{"libmlir_runner_utils", "libmlir_c_runner_utils"} {
		found, _ := filepath.Glob(filepath.Join(dir, name+".so*"))
		if len(found) == 0 {
			txtest.Need(t, "llvm-tools", fmt.Errorf("%s is not installed", name))
		}
		libs = append(libs, found[0])
	}
	return libs
}

var number = regexp.MustCompile(`-?\d+`)

// buffers reads what printMemrefI64 prints.
func buffers(t testing.TB, out string) [][]uint64 {
	t.Helper()
	var all [][]uint64
	for _, part := range strings.Split(out, "Unranked Memref")[1:] {
		_, data, _ := strings.Cut(part, "data =")
		var buf []uint64
		for _, s := range number.FindAllString(data, -1) {
			v, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			buf = append(buf, uint64(v))
		}
		all = append(all, buf)
	}
	return all
}

// bitsOf reads memory as the bits of elements.
func bitsOf(elem ir.Type, b []byte) []uint64 {
	n := ir.BitWidth(elem) / 8
	out := make([]uint64, len(b)/n)
	for i := range out {
		var buf [8]byte
		copy(buf[:], b[i*n:(i+1)*n])
		out[i] = binary.LittleEndian.Uint64(buf[:])
	}
	return out
}

// tolerances of float types, relative to the largest magnitude in a buffer: sums are taken in another order.
var tolerances = map[ir.Type]float64{ir.F16: 2e-3, ir.BF16: 1.6e-2, ir.F32: 2e-5, ir.F64: 1e-12}

// difference says how two buffers differ, "" when they do not by more than they may.
func difference(elem ir.Type, want, got []uint64, tol float64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d elements instead of %d", len(got), len(want))
	}
	ft, ok := elem.(*ir.FloatType)
	if !ok {
		for i := range want {
			if want[i] != got[i] {
				return fmt.Sprintf("element %d is %d, not %d", i, got[i], want[i])
			}
		}
		return ""
	}
	if tol == 0 {
		tol = tolerances[elem]
	}
	top := 0.0
	for _, b := range want {
		if v := math.Abs(ft.Format.Decode(b)); !math.IsInf(v, 0) && v > top {
			top = v
		}
	}
	for i := range want {
		x, y := ft.Format.Decode(want[i]), ft.Format.Decode(got[i])
		if x == y || x != x && y != y || math.Abs(x-y) <= tol*top {
			continue
		}
		return fmt.Sprintf("element %d is %v, not %v", i, y, x)
	}
	return ""
}

// beyondMLIR finds operations that MLIR 22 has no lowering to LLVM for, or, of clampf, gives another
// meaning when bounds cross.
var beyondMLIR = regexp.MustCompile(`math\.(isnormal|isinf|ipowi|clampf)|f8E\w+`)

// check runs launches through MLIR, and compares with the interpreter. Each launch is a subtest. It returns
// the names of those that agree.
func check(t *testing.T, ls []launch) map[string]bool {
	t.Helper()
	good := map[string]bool{}
	p := &program{m: ir.NewModule(ir.Unknown)}
	var runnable []launch
	for _, l := range ls {
		t.Run(l.name+"/convert", func(t *testing.T) {
			m := parse(t, l.name, l.text)
			convert(t, m, l.by...)
			if op := beyondMLIR.FindString(m.String()); op != "" {
				txtest.LeftOut(t, "MLIR does not lower %s", op)
			}
			p.add(t, l, m)
			runnable = append(runnable, l)
		})
	}
	all := p.run(t)
	for _, l := range runnable {
		var elems []ir.Type
		for _, a := range l.args {
			if a.data != nil {
				elems = append(elems, a.elem)
			}
		}
		if len(all) < len(elems) {
			t.Fatal("the program printed too few buffers")
		}
		got := all[:len(elems)]
		all = all[len(elems):]
		good[l.name] = t.Run(l.name, func(t *testing.T) {
			for i, want := range interpret(t, l) {
				if d := difference(elems[i], bitsOf(elems[i], want), got[i], l.tol); d != "" {
					t.Errorf("buffer %d: %s", i, d)
				}
			}
		})
	}
	maps.DeleteFunc(good, func(_ string, ok bool) bool { return !ok })
	return good
}
