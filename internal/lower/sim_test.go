package lower

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// A kernel's launch in tests: buffers with random contents, and scalars.

// buf is a buffer of n elements of a type. lo and hi bound random values; fill, where it is there, gives
// them.
type buf struct {
	elem   ir.Type
	n      int
	lo, hi float64
	fill   func(i int) float64
}

type launch struct {
	kernel string
	grid   [3]int
	args   []any // *buf, int, float32, or uint64 bits
}

func floats(t ir.Type, n int) *buf           { return &buf{elem: t, n: n, lo: -2, hi: 2} }
func ints(t ir.Type, n int, hi float64) *buf { return &buf{elem: t, n: n, lo: 0, hi: hi} }

// contents are the buffer's bytes.
func (b *buf) contents(r *rand.Rand) []byte {
	size := bitsOf(b.elem) / 8
	out := make([]byte, b.n*size)
	for i := range b.n {
		v := b.lo + (b.hi-b.lo)*r.Float64()
		if b.fill != nil {
			v = b.fill(i)
		}
		put(out[i*size:], encode(b.elem, v), size)
	}
	return out
}

func encode(t ir.Type, v float64) uint64 {
	if f, ok := t.(*ir.FloatType); ok {
		return f.Format.Encode(v)
	}
	return uint64(int64(math.Floor(v)))
}

func decode(t ir.Type, bits uint64) float64 {
	if f, ok := t.(*ir.FloatType); ok {
		return f.Format.Decode(bits)
	}
	s := 64 - max(8, ir.BitWidth(t))
	return float64(int64(bits<<s) >> s)
}

func put(b []byte, v uint64, n int) {
	for i := range n {
		b[i] = byte(v >> (8 * i))
	}
}

func get(b []byte, n int) uint64 {
	var v uint64
	for i := range n {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// memories are two equal sets of buffers: one for each side.
func (l launch) memory(seed uint64) (a, b [][]byte) {
	r := rand.New(rand.NewPCG(seed, 1))
	for _, x := range l.args {
		var data []byte
		if s, ok := x.(*buf); ok {
			data = s.contents(r)
		}
		a, b = append(a, data), append(b, slices.Clone(data))
	}
	return a, b
}

// words are the arguments' bits; addr gives buffers their addresses.
func (l launch) words(mem [][]byte, addr func(i int, data []byte) uint64) []uint64 {
	var out []uint64
	for i, x := range l.args {
		switch v := x.(type) {
		case *buf:
			out = append(out, addr(i, mem[i]))
		case int:
			out = append(out, uint64(v))
		case float32:
			out = append(out, uint64(math.Float32bits(v)))
		case uint64:
			out = append(out, v)
		case []byte: // simulate passes it
			out = append(out, 0)
		default:
			panic(fmt.Sprintf("argument of type %T", x))
		}
	}
	return out
}

func parseIR(t testing.TB, name string, text []byte) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), name, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// onInterp runs a launch on the interpreter.
func onInterp(t testing.TB, m *ir.Module, l launch, mem [][]byte) {
	t.Helper()
	p, err := interp.Compile(m, l.kernel)
	if err != nil {
		t.Fatal(err)
	}
	im := interp.NewMemory()
	args := l.words(mem, func(i int, data []byte) uint64 {
		return im.Alloc(data, fmt.Sprint("arg", i)).Addr()
	})
	if err := p.Run(context.Background(), im, l.grid, args,
		interp.Options{Workers: 1, TF32: true}); err != nil {
		t.Fatal("interpreter: ", err)
	}
}

// onSim runs a launch of PTX on the simulator and returns what it printed.
func onSim(t testing.TB, ptx []byte, shared int, l launch, mem [][]byte, backward bool) string {
	t.Helper()
	out, err := simulate(ptx, shared, l, mem, ptxsim.Launch{Order: ptxsim.Order{Backward: backward}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// simulate is onSim with settings of the simulator.
func simulate(ptx []byte, shared int, l launch, mem [][]byte, how ptxsim.Launch) (string, error) {
	m, err := ptxsim.Parse(ptx)
	if err != nil {
		return "", err
	}
	pm := ptxsim.NewMemory()
	args := l.words(mem, func(_ int, data []byte) uint64 { return pm.Alloc(data) })
	var out bytes.Buffer
	how.Kernel, how.Grid, how.Shared, how.Args, how.Memory, how.Print = l.kernel, l.grid, shared,
		args, pm, &out
	for i, x := range l.args {
		if b, ok := x.([]byte); ok {
			how.Bytes = map[int][]byte{i: b}
		}
	}
	err = m.Run(context.Background(), &how)
	return out.String(), err
}

// clip keeps failures readable.
func clip(b []byte) []byte {
	if testing.Verbose() || len(b) < 6000 {
		return b
	}
	return append(slices.Clone(b[:6000]), "…"...)
}

// compile lowers a kernel and has LLVM make PTX of it.
func compile(t testing.TB, m *ir.Module, kernel string, capability int) (*Kernel, []byte) {
	t.Helper()
	return compileWith(t, m, kernel, capability, testOptions(m, capability))
}

func compileWith(t testing.TB, m *ir.Module, kernel string, capability int, opts Options) (*Kernel, []byte) {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	k, err := Lower(m, kernel, opts)
	if err != nil {
		t.Fatal(err)
	}
	target, err := lib.NVPTX(archName(capability), 0)
	if err != nil {
		t.Fatal(err)
	}
	out, err := lib.Compile(context.Background(), k.IR, llvm.Options{Target: target, FastMath: llvm.Contract})
	if err != nil {
		t.Fatalf("%v\n%s", err, clip(k.IR))
	}
	return k, out.Asm
}

func archName(capability int) string {
	if capability == 90 {
		return "sm_90a"
	}
	return fmt.Sprintf("sm_%d", capability)
}

// testOptions are the options with what axis analysis says.
func testOptions(m *ir.Module, capability int) Options {
	info := axisinfo.Module(m)
	exact := info.Exact()
	return Options{Vendor: NVIDIA(capability), Contiguity: info.Contiguity, MaskAlign: exact.MaskAlignment,
		Constancy: exact.Constancy, Runs: exact.Runs, Divisor: exact.Divisor, NotNegative: exact.NotNegative,
		Natural: exact.Natural}
}

// tolerance of a type: how far apart two results may be, relative to the larger of 1 and their size.
func tolerance(t ir.Type) float64 {
	switch t {
	case ir.F32:
		return 2e-5
	case ir.F64:
		return 1e-12
	case ir.F16:
		return 2e-3
	case ir.BF16:
		return 1.6e-2
	}
	if _, ok := t.(*ir.FloatType); ok {
		return 0.13
	}
	return 0
}

// sameMemory compares buffers element by element.
func sameMemory(t testing.TB, l launch, want, got [][]byte, scale float64) {
	t.Helper()
	for i, x := range l.args {
		b, ok := x.(*buf)
		if !ok || bytes.Equal(want[i], got[i]) {
			continue
		}
		size := bitsOf(b.elem) / 8
		bad := 0
		for k := range b.n {
			w, g := decode(b.elem, get(want[i][k*size:], size)), decode(b.elem, get(got[i][k*size:], size))
			if near(w, g, scale*tolerance(b.elem)) {
				continue
			}
			if bad++; bad < 6 {
				t.Errorf("argument %d, element %d: got %v, want %v", i, k, g, w)
			}
		}
		if bad >= 6 {
			t.Errorf("argument %d: %d of %d elements differ", i, bad, b.n)
		}
	}
}

func near(w, g, tol float64) bool {
	if w == g || w != w && g != g {
		return true
	}
	return math.Abs(w-g) <= tol*max(1, math.Abs(w))
}
