package cpu_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const halfKernels = `
import triton
import triton.language as tl

@triton.jit
def widen(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(tl.float32), mask=i < n)

@triton.jit
def narrow(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(tl.float16), mask=i < n)
`

// TestHalves converts all halves to floats, and floats around every half back, with code for processors that
// have no instructions for it: the results are those of the format.
func TestHalves(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	if runtime.GOARCH != "amd64" {
		txtest.NotHere(t, "all other processors have instructions for it")
	}
	dev := hostCPU(t)
	s := streamOf(t, dev)
	m, err := nereid.Parse("half.py", []byte(halfKernels))
	if err != nil {
		t.Fatal(err)
	}
	convert := func(name, signature string, in, out []byte, n int) {
		t.Helper()
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := k.CompileFor(t.Context(), "cpu:x86-64", signature, nereid.Options{}, "")
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := c.Save(&file); err != nil {
			t.Fatal(err)
		}
		back, err := nereid.LoadCompiled(dev, &file)
		if err != nil {
			t.Fatal(err)
		}
		types := map[string][2]nereid.DType{
			"widen": {nereid.Float16, nereid.Float32}, "narrow": {nereid.Float32, nereid.Float16},
		}[name]
		x, y := nereid.FromBytes(types[0], in, n), nereid.FromBytes(types[1], out, n)
		if err := back.Launch(s, nereid.Grid{nereid.Cdiv(n, 256)}, x, y, n); err != nil {
			t.Fatal(err)
		}
	}

	halves, floats := make([]byte, 2<<16), make([]byte, 4<<16)
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint16(halves[2*i:], uint16(i))
	}
	convert("widen", "*fp16, *fp32, i32, 256", halves, floats, 1<<16)
	for i := range 1 << 16 {
		got := float64(math.Float32frombits(binary.LittleEndian.Uint32(floats[4*i:])))
		if want := num.F16.Decode(uint64(i)); !sameFloat(got, want) {
			t.Fatalf("half %#04x is %v, not %v", i, got, want)
		}
	}

	rng := rand.New(rand.NewPCG(1, 2))
	bits := make([]uint32, 0, 5<<16)
	for i := range 1 << 16 { // each half, just beside it, and just beside the middle to the next
		f := binary.LittleEndian.Uint32(floats[4*i:])
		bits = append(bits, f, f+1, f-1, f+0x1000, f+0xfff, f+0x1001, rng.Uint32())
	}
	in, out := make([]byte, 4*len(bits)), make([]byte, 2*len(bits))
	for i, b := range bits {
		binary.LittleEndian.PutUint32(in[4*i:], b)
	}
	convert("narrow", "*fp32, *fp16, i32, 256", in, out, len(bits))
	for i, b := range bits {
		got := num.F16.Decode(uint64(binary.LittleEndian.Uint16(out[2*i:])))
		v := float64(math.Float32frombits(b))
		if want := num.F16.Decode(num.F16.Encode(v)); !sameFloat(got, want) {
			t.Fatalf("float %v (%#08x) is half %v, not %v", v, b, got, want)
		}
	}
}

// sameFloat reports whether two numbers are equal, with the sign of zeros, or both NaN.
func sameFloat(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || a == b && math.Signbit(a) == math.Signbit(b)
}
