package cpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/objcode"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// arg is an argument of a launch: a buffer when data is not nil, else a scalar.
type arg struct {
	elem ir.Type
	data []byte
	bits uint64
}

// launch is a kernel in Triton IR with its grid and arguments.
type launch struct {
	text string
	grid [3]int
	args []arg
}

func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "kernel.ttir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
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

// device is the CPU with code of its own, or a skip that says what is missing.
func testDevice(t testing.TB) *Device {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	return New(lib, NewCompiler())
}

// onInterp and onCPU run a launch and return what is in its buffers then.
func (l launch) onInterp(t testing.TB) [][]byte {
	t.Helper()
	m := parse(t, l.text)
	p, err := interp.Compile(m, kernelOf(m))
	if err != nil {
		t.Fatal(err)
	}
	mem := interp.NewMemory()
	bufs, words := l.words(func(b []byte) uint64 { return mem.Alloc(b, "").Addr() })
	if err := p.Run(t.Context(), mem, l.grid, words, interp.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return bufs
}

func (l launch) onCPU(t testing.TB, d *Device) [][]byte {
	t.Helper()
	m := parse(t, l.text)
	e, err := d.Compile(t.Context(), &target.Input{Module: m, Kernel: kernelOf(m)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	bufs, words := l.words(func(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(&b[0]))) })
	if err := e.Launch(context.Background(), nil, l.grid, words); err != nil {
		t.Fatal(err)
	}
	return bufs
}

func (l launch) words(place func([]byte) uint64) (bufs [][]byte, words []uint64) {
	for _, a := range l.args {
		if a.data == nil {
			words = append(words, a.bits)
			continue
		}
		b := append([]byte(nil), a.data...)
		bufs = append(bufs, b)
		words = append(words, place(b))
	}
	return bufs, words
}

// check compares a launch on the CPU with the interpreter.
func (l launch) check(t *testing.T, d *Device) {
	t.Helper()
	want, got := l.onInterp(t), l.onCPU(t, d)
	i := 0
	for _, a := range l.args {
		if a.data == nil {
			continue
		}
		if diff := difference(a.elem, want[i], got[i]); diff != "" {
			t.Errorf("buffer %d: %s", i, diff)
		}
		i++
	}
}

// tolerances of float types, relative to the largest magnitude in a buffer: sums are taken in another
// order, and products are added without rounding.
var tolerances = map[ir.Type]float64{ir.F16: 2e-3, ir.BF16: 1.6e-2, ir.F32: 2e-5, ir.F64: 1e-12}

func difference(elem ir.Type, want, got []byte) string {
	size := max(1, ir.BitWidth(elem)/8)
	bits := func(b []byte, i int) uint64 {
		var w [8]byte
		copy(w[:], b[i*size:(i+1)*size])
		return binary.LittleEndian.Uint64(w[:])
	}
	ft, float := elem.(*ir.FloatType)
	top := 0.0
	for i := range len(want) / size {
		if float {
			if v := math.Abs(ft.Format.Decode(bits(want, i))); !math.IsInf(v, 0) && v > top {
				top = v
			}
		}
	}
	for i := range len(want) / size {
		w, g := bits(want, i), bits(got, i)
		if w == g {
			continue
		}
		if !float {
			return fmt.Sprintf("element %d is %d, not %d", i, g, w)
		}
		x, y := ft.Format.Decode(w), ft.Format.Decode(g)
		if x != y && !(x != x && y != y) && !(math.Abs(x-y) <= tolerances[elem]*top) {
			return fmt.Sprintf("element %d is %v, not %v", i, y, x)
		}
	}
	return ""
}

// TestRandom: random kernels give what they give on the interpreter. NEREID_RANDOM=N tries N of them,
// NEREID_SEED=S begins with another.
func TestRandom(t *testing.T) {
	d := testDevice(t)
	n, first := 60, 0
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("NEREID_SEED"); s != "" {
		first, _ = strconv.Atoi(s)
	}
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := randomLaunch(uint64(seed))
			l.check(t, d)
			if t.Failed() {
				t.Log(l.text)
			}
		})
	}
}

// TestVectors: random kernels with smaller vectors than the host has.
func TestVectors(t *testing.T) {
	d := *testDevice(t)
	for _, d.vector = range []int{16, 32} {
		for seed := uint64(200); seed < 220; seed++ {
			t.Run(fmt.Sprintf("%d bytes, seed %d", d.vector, seed), func(t *testing.T) {
				randomLaunch(seed).check(t, &d)
			})
		}
	}
}

func randomLaunch(seed uint64) launch {
	r := rand.New(rand.NewPCG(seed, 7))
	entropy := make([]byte, 300)
	for i := range entropy {
		entropy[i] = byte(r.IntN(256))
	}
	l := launch{text: irgen.Module(entropy, irgen.Options{}).String(), grid: [3]int{1, 1, 1}}
	for range 2 {
		l.args = append(l.args,
			filled(ir.F32, irgen.BufferLen, func(int) float64 { return r.NormFloat64() }),
			filled(ir.I32, irgen.BufferLen, func(int) float64 { return float64(r.IntN(2000)) }))
	}
	l.args = append(l.args, arg{bits: uint64(r.IntN(9))}, arg{bits: uint64(uint32(r.IntN(2000) - 1000))},
		arg{bits: uint64(math.Float32bits(float32(r.NormFloat64())))}, arg{bits: uint64(r.IntN(2))})
	return l
}

// filled is a buffer of n numbers.
func filled(elem ir.Type, n int, f func(i int) float64) arg {
	size := max(1, ir.BitWidth(elem)/8)
	data := make([]byte, 0, n*size)
	for i := range n {
		v := f(i)
		bits := uint64(int64(v))
		if ft, ok := elem.(*ir.FloatType); ok {
			bits = ft.Format.Encode(v)
		}
		data = append(data, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
	return arg{elem: elem, data: data}
}

// The cases of the middle layer say in comments how they are run; see its tests.
var (
	gridLine  = regexp.MustCompile(`(?m)^// GRID: (.*)$`)
	argLine   = regexp.MustCompile(`(?m)^// ARG: (\w+)(?:\[(\d+)\])? (\S+)(?: (\S+))?$`)
	noRun     = regexp.MustCompile(`(?m)^// NORUN: (.*)$`)
	elemTypes = map[string]ir.Type{
		"f16": ir.F16, "bf16": ir.BF16, "f32": ir.F32, "f64": ir.F64, "i1": ir.I8, "i8": ir.I8, "i16": ir.I16,
		"i32": ir.I32, "i64": ir.I64,
	}
)

// TestMiddleCases: the cases of the middle layer give what they give on the interpreter.
func TestMiddleCases(t *testing.T) {
	d := testDevice(t)
	paths, err := filepath.Glob("../../middle/testdata/*.mlir")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".mlir"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if why := noRun.FindSubmatch(text); why != nil {
				txtest.LeftOut(t, "%s", why[1])
			}
			caseLaunch(t, string(text)).check(t, d)
		})
	}
}

func caseLaunch(t *testing.T, text string) launch {
	l := launch{text: text, grid: [3]int{1, 1, 1}}
	if g := gridLine.FindStringSubmatch(text); g != nil {
		for i, s := range strings.Split(g[1], ",") {
			l.grid[i], _ = strconv.Atoi(strings.TrimSpace(s))
		}
	}
	r := rand.New(rand.NewPCG(uint64(len(text)), 7))
	for _, m := range argLine.FindAllStringSubmatch(text, -1) {
		elem := elemTypes[m[1]]
		if m[2] == "" {
			v, err := strconv.ParseFloat(m[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			bits := uint64(int64(v))
			if ft, ok := elem.(*ir.FloatType); ok {
				bits = ft.Format.Encode(v)
			}
			l.args = append(l.args, arg{bits: bits})
			continue
		}
		n, _ := strconv.Atoi(m[2])
		top, _ := strconv.Atoi(m[4])
		l.args = append(l.args, filled(elem, n, map[string]func(int) float64{
			"normal": func(int) float64 { return math.Round(r.NormFloat64()*64) / 16 },
			"zero":   func(int) float64 { return 0 },
			"one":    func(int) float64 { return 1 },
			"iota":   func(i int) float64 { return float64(i) },
			"below":  func(int) float64 { return float64(r.IntN(max(1, top))) },
		}[m[3]]))
	}
	return l
}

// TestProgramIDs: programs beyond the 2^32nd know their place in the grid.
func TestProgramIDs(t *testing.T) {
	d := testDevice(t)
	m := parse(t, `tt.func public @k(%x: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %i = tt.get_program_id x : i32
  %j = tt.get_program_id y : i32
  %k = tt.get_program_id z : i32
  %y = tt.addptr %x, %c1 : !tt.ptr<i32>, i32
  %z = tt.addptr %x, %c2 : !tt.ptr<i32>, i32
  tt.store %x, %i : !tt.ptr<i32>
  tt.store %y, %j : !tt.ptr<i32>
  tt.store %z, %k : !tt.ptr<i32>
  tt.return
}`)
	e, err := d.Compile(t.Context(), &target.Input{Module: m, Kernel: "k"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	code, err := e.(device.Kept).Code()
	if err != nil {
		t.Fatal(err)
	}
	linked, err := objcode.Link(code.Data, device.FactsOf(e).Entry, devcpu.Symbols())
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	// The code takes addresses as numbers, so nothing it reads or writes may lie on a stack, which moves.
	var pins runtime.Pinner
	defer pins.Unpin()
	var want [3]int32
	got, stop, args := new([3]int32), new(uint32), new([1]uint64)
	grid, status, scratch := &[5]uint64{1 << 20, 1 << 21, 1 << 21}, new([4]uint64), new([4096]byte)
	for _, p := range []any{got, stop, args, grid, status, scratch} {
		pins.Pin(p)
	}
	args[0], status[3] = uint64(uintptr(unsafe.Pointer(got))), uint64(uintptr(unsafe.Pointer(stop)))
	for _, p := range []uint64{0, 1<<20 + 3, 1<<33 + 5, 1<<45 + 1<<32 + 7, 1<<62 - 1} {
		dl.Call(linked.Entry, uintptr(unsafe.Pointer(args)), uintptr(unsafe.Pointer(grid)),
			uintptr(p), uintptr(p+1), uintptr(unsafe.Pointer(scratch)), uintptr(unsafe.Pointer(status)))
		want = [3]int32{int32(p % grid[0]), int32(p / grid[0] % grid[1]), int32(p / grid[0] / grid[1])}
		if *got != want {
			t.Errorf("program %d has the ids %v, not %v", p, *got, want)
		}
	}
}
