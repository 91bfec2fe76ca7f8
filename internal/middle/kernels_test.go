package middle_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// random makes buffers of made-up numbers, the same ones each time.
type random struct{ r *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 7))} }

// floats is a buffer of n floats around zero.
func (r random) floats(elem *ir.FloatType, n int) arg {
	return r.buffer(elem, n, func(int) uint64 { return elem.Format.Encode(r.r.NormFloat64()) })
}

// ints is a buffer of n integers below a bound.
func (r random) ints(elem ir.Type, n, below int) arg {
	return r.buffer(elem, n, func(int) uint64 { return uint64(r.r.IntN(below)) })
}

func zeros(elem ir.Type, n int) arg { return random{}.buffer(elem, n, func(int) uint64 { return 0 }) }

func (r random) buffer(elem ir.Type, n int, f func(i int) uint64) arg {
	size := max(1, ir.BitWidth(elem)/8)
	data := make([]byte, 0, n*size)
	for i := range n {
		data = append(data, binary.LittleEndian.AppendUint64(nil, f(i))[:size]...)
	}
	return arg{elem: elem, data: data}
}

func i32(v int) arg     { return arg{elem: ir.I32, bits: uint64(uint32(v))} }
func i64(v int) arg     { return arg{elem: ir.I64, bits: uint64(v)} }
func f32(v float64) arg { return arg{elem: ir.F32, bits: uint64(math.Float32bits(float32(v)))} }

func matmul(r random, elem *ir.FloatType, m, n, k, bm, bn int) ([3]int, []arg) {
	tiles := (m + bm - 1) / bm * ((n + bn - 1) / bn)
	return [3]int{tiles, 1, 1}, []arg{r.floats(elem, m*k), r.floats(elem, k*n), zeros(elem, m*n), i32(m),
		i32(n), i32(k), i32(k), i32(n), i32(n)}
}

func attention(r random, heads, n, d int) ([3]int, []arg) {
	args := []arg{r.floats(ir.F16, heads*n*d), r.floats(ir.F16, heads*n*d), r.floats(ir.F16, heads*n*d),
		zeros(ir.F16, heads*n*d), zeros(ir.F32, heads*n), f32(1 / math.Sqrt(float64(d)))}
	for range 4 {
		args = append(args, i32(n*d), i32(d))
	}
	return [3]int{(n + 127) / 128, heads, 1}, append(args, i32(n))
}

// samples are launches of the sample kernels, small ones, with ragged edges where the kernel allows them.
var samples = map[string]func(r random) ([3]int, []arg){
	"add_f32": func(r random) ([3]int, []arg) {
		return [3]int{3, 1, 1}, []arg{r.floats(ir.F32, 2500), r.floats(ir.F32, 2500), zeros(ir.F32, 2500),
			i32(2500)}
	},
	"add_f16_ragged": func(r random) ([3]int, []arg) {
		return [3]int{4, 1, 1}, []arg{r.floats(ir.F16, 1000), r.floats(ir.F16, 1000),
			zeros(ir.F16, 1000), i32(999)}
	},
	"add_i64": func(r random) ([3]int, []arg) {
		return [3]int{3, 1, 1}, []arg{r.ints(ir.I64, 300, 1000), r.ints(ir.I64, 300, 1000),
			zeros(ir.I64, 300), i64(300)}
	},
	"softmax_f16_2048": func(r random) ([3]int, []arg) {
		return [3]int{3, 1, 1}, []arg{zeros(ir.F16, 3*1000), r.floats(ir.F16, 3*1024), i32(1024),
			i32(1000), i32(1000)}
	},
	"softmax_f32_8192": func(r random) ([3]int, []arg) {
		return [3]int{2, 1, 1}, []arg{zeros(ir.F32, 2*8000), r.floats(ir.F32, 2*8000), i32(8000),
			i32(8000), i32(8000)}
	},
	"layer_norm_f16": func(r random) ([3]int, []arg) {
		return [3]int{2, 1, 1}, []arg{r.floats(ir.F16, 2*5000), zeros(ir.F16, 2*5000), r.floats(ir.F16, 5000),
			r.floats(ir.F16, 5000), zeros(ir.F32, 2), zeros(ir.F32, 2), i32(5000), i32(5000), f32(1e-5)}
	},
	"matmul_f16": func(r random) ([3]int, []arg) {
		return matmul(r, ir.F16, 160, 288, 96, 128, 256)
	},
	"matmul_bf16_relu": func(r random) ([3]int, []arg) {
		return matmul(r, ir.BF16, 96, 80, 160, 64, 64)
	},
	"matmul_f32_ragged":     func(r random) ([3]int, []arg) { return matmul(r, ir.F32, 100, 45, 70, 64, 32) },
	"attention_d64":         func(r random) ([3]int, []arg) { return attention(r, 2, 160, 64) },
	"attention_d128_causal": func(r random) ([3]int, []arg) { return attention(r, 1, 192, 128) },
	"dropout_f32": func(r random) ([3]int, []arg) {
		return [3]int{2, 1, 1}, []arg{r.floats(ir.F32, 1500), zeros(ir.F32, 1500), i32(1500),
			f32(0.25), i32(1234)}
	},
	"row_sum_f32": func(r random) ([3]int, []arg) {
		return [3]int{2, 1, 1}, []arg{r.floats(ir.F32, 7*1500), zeros(ir.F32, 7), i32(7), i32(1500)}
	},
	"total_sum_f32": func(r random) ([3]int, []arg) {
		return [3]int{3, 1, 1}, []arg{r.floats(ir.F32, 2500), zeros(ir.F32, 1), i32(2500)}
	},
	"rms_norm_bf16": func(r random) ([3]int, []arg) {
		return [3]int{2, 1, 1}, []arg{r.floats(ir.BF16, 2*3000), r.floats(ir.BF16, 3000),
			zeros(ir.BF16, 2*3000), i32(3000), i32(3000), f32(1e-6)}
	},
	"swiglu_bf16": func(r random) ([3]int, []arg) {
		return [3]int{2, 1, 1}, []arg{r.floats(ir.BF16, 1600), r.floats(ir.BF16, 1600), zeros(ir.BF16, 1600),
			i32(1600)}
	},
	"rope_bf16": func(r random) ([3]int, []arg) {
		return [3]int{3, 1, 1}, []arg{r.floats(ir.BF16, 3*512), r.floats(ir.F32, 3*64),
			r.floats(ir.F32, 3*64), i32(512)}
	},
	"cross_entropy_bf16": func(r random) ([3]int, []arg) {
		return [3]int{3, 1, 1}, []arg{r.floats(ir.BF16, 3*9000), r.ints(ir.I64, 3, 9000), zeros(ir.F32, 3),
			i32(9000), i32(9000)}
	},
	"embedding_f16": func(r random) ([3]int, []arg) {
		return [3]int{5, 2, 1}, []arg{r.ints(ir.I64, 5, 40), r.floats(ir.F16, 40*300),
			zeros(ir.F16, 5*300), i32(300)}
	},
}

// sampleNames are the names of the sample kernels whose Triton IR is in the repository.
func sampleNames(t testing.TB) []string {
	var out []string
	for _, path := range txtest.Glob(t, "testdata/golden/cuda-80/*.ttir") {
		out = append(out, strings.TrimSuffix(path[strings.LastIndexAny(path, `/\`)+1:], ".ttir"))
	}
	return out
}

func sampleText(t testing.TB, name string) string {
	return txtest.Read(t, txtest.Path(t, "testdata", "golden", "cuda-80", name+".ttir"))
}

// TestKernelsRun: MLIR's own passes and mlir-runner make of all sample kernels what the interpreter makes
// of their Triton IR.
func TestKernelsRun(t *testing.T) {
	txtest.Slow(t, "slow")
	var ls []launch
	for i, name := range sampleNames(t) {
		f := samples[name]
		if f == nil {
			t.Errorf("%s is never launched", name)
			continue
		}
		l := launch{name: name, text: sampleText(t, name)}
		l.grid, l.args = f(newRandom(uint64(i)))
		ls = append(ls, l)
	}
	good := check(t, ls)
	var table strings.Builder
	for _, l := range ls {
		verdict := "as the interpreter"
		if !good[l.name] {
			verdict = "differs"
		}
		fmt.Fprintf(&table, "%-24s grid %v\t%s\n", l.name, l.grid, verdict)
	}
	t.Logf("run by MLIR's passes and mlir-runner:\n%s%d of %d kernels", &table, len(good), len(ls))
	if len(good) != len(samples) || len(ls) != len(samples) {
		t.Errorf("%d of %d kernels run, and there are %d", len(good), len(ls), len(samples))
	}
}

// census is what is left in a converted kernel of loads and stores.
type census struct {
	views    int // parts of memory
	copies   int // blocks that are read or written as a whole
	gathers  int // parts of memory whose place is an element of a tensor
	intTypes int // types of tensors of integers: address arithmetic, or data
	tt       int // operations of Triton's
}

func count(m *ir.Module) census {
	var n census
	types := map[ir.Type]bool{}
	for op := range m.Op.Ops() {
		switch op.Def {
		case memref.ReinterpretCast:
			n.views++
			if fromElement(op.Operands()[1:]) {
				n.gathers++
			}
		case memref.Copy, bufferization.MaterializeInDestination:
			n.copies++
		}
		if op.Def != nil && op.Def.Dialect == tt.Dialect {
			n.tt++
		}
		for _, v := range op.Results() {
			if t, ok := v.Type.(*ir.TensorType); ok && t.Rank() > 0 && ir.IsInt(t.Elem) && t.Elem != ir.I1 {
				types[t] = true
			}
		}
	}
	n.intTypes = len(types)
	return n
}

// fromElement reports whether values are computed from an element of a tensor.
func fromElement(vs []*ir.Value) bool {
	seen := map[*ir.Op]bool{}
	for len(vs) > 0 {
		op := vs[len(vs)-1].Def()
		vs = vs[:len(vs)-1]
		if op == nil || seen[op] {
			continue
		}
		seen[op] = true
		if op.Def == tensor.Extract && op.NumOperands() > 1 {
			return true
		}
		vs = append(vs, op.Operands()...)
	}
	return false
}

// intData are the kernels whose data are integers in tensors: random numbers, sums.
var intData = map[string]bool{"dropout_f32": true, "add_i64": true}

// TestKernelsStructured: what becomes of each sample kernel verifies, in mlir-opt too. Nothing of Triton is
// left in it, no gather or scatter, and no address arithmetic on tensors.
func TestKernelsStructured(t *testing.T) {
	opt := txtest.MLIROpt(t)
	var table strings.Builder
	fmt.Fprintf(&table, "%-24s %8s %6s %6s %8s %12s\n", "kernel", "mlir-opt", "views", "copies", "gathers",
		"int tensors")
	names := sampleNames(t)
	for _, name := range names {
		m := parse(t, name, sampleText(t, name))
		convert(t, m)
		cmd := exec.CommandContext(t.Context(), opt, "-o", "/dev/null")
		cmd.Stdin = strings.NewReader(m.String())
		verdict := "verifies"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, clip(out))
			verdict = "refuses"
		}
		n := count(m)
		fmt.Fprintf(&table, "%-24s %8s %6d %6d %8d %12d\n", name, verdict, n.views, n.copies, n.gathers,
			n.intTypes)
		if n.views == 0 || n.copies == 0 {
			t.Errorf("%s reads and writes no blocks", name)
		}
		if n.tt != 0 {
			t.Errorf("%s has %d operations of Triton's", name, n.tt)
		}
		if n.gathers != 0 {
			t.Errorf("%s has %d gathers or scatters", name, n.gathers)
		}
		if n.intTypes != 0 && !intData[name] {
			t.Errorf("%s has tensors of integers", name)
		}
	}
	t.Logf("the sample kernels as linalg:\n%s%d kernels", &table, len(names))
	if specs := strings.Count(txtest.Read(t, txtest.Path(t, "kernels", "specs.json")),
		`"name"`); len(names) != specs {
		t.Errorf("%d kernels, but %d specs", len(names), specs)
	}
}
