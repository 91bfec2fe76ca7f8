package interp

import (
	"context"
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func BenchmarkVectorAdd(b *testing.B) {
	p := golden(b, "add_f32.ttir", "add_kernel")
	const n = 1 << 22
	x, y, out := randF32(n), randF32(n), make([]float32, n)
	mem := NewMemory()
	args := []uint64{mem.Alloc(bytesOf(x), "x").Addr(), mem.Alloc(bytesOf(y), "y").Addr(),
		mem.Alloc(bytesOf(out), "out").Addr(), n}
	b.SetBytes(12 * n)
	for b.Loop() {
		if err := p.Run(context.Background(), mem, [3]int{n / 1024, 1, 1}, args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatmul256F32(b *testing.B) {
	p := golden(b, "matmul_f32_ragged.ttir", "matmul_kernel")
	x, y, z := randF32(256*256), randF32(256*256), make([]float32, 256*256)
	for b.Loop() {
		runMatmul(b, p, x, y, z, 256, 256, 256, 64, 32)
	}
}

func BenchmarkMatmul256BF16(b *testing.B) {
	p := golden(b, "matmul_bf16_relu.ttir", "matmul_kernel")
	x, y, z := make([]uint16, 256*256), make([]uint16, 256*256), make([]uint16, 256*256)
	for i, v := range randF32(256 * 256) {
		x[i] = uint16(math.Float32bits(v) >> 16)
		y[i] = x[i]
	}
	for b.Loop() {
		runMatmul(b, p, x, y, z, 256, 256, 256, 64, 64)
	}
}

func BenchmarkCompileAttention(b *testing.B) {
	src := txtest.Read(b, txtest.Path(b, "testdata", "golden", "cuda-90", "attention_d64.ttir"))
	m, err := ir.Parse(diag.NewFileSet(), "x", []byte(src))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Compile(m, "attention_kernel"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAttention(b *testing.B) {
	p := golden(b, "attention_d64.ttir", "attention_kernel")
	const seq, d = 512, 64
	q := make([]uint16, seq*d)
	for i, v := range randF32(seq * d) {
		q[i] = uint16(smallFor(floatFormats["f16"]).encode(smallFor(floatFormats["f16"]).round(v)))
	}
	mem := NewMemory()
	out, lse := make([]uint16, seq*d), make([]float32, seq)
	qa := mem.Alloc(bytesOf(q), "q").Addr()
	args := []uint64{qa, qa, qa, mem.Alloc(bytesOf(out), "o").Addr(), mem.Alloc(bytesOf(lse), "l").Addr(),
		uint64(math.Float32bits(0.125)), seq * d, d, seq * d, d, seq * d, d, seq * d, d, seq}
	for b.Loop() {
		if err := p.Run(context.Background(), mem, [3]int{seq / 128, 1, 1}, args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSoftmax(b *testing.B) {
	p := golden(b, "softmax_f32_8192.ttir", "softmax_kernel")
	const rows, cols = 64, 8192
	x, out := randF32(rows*cols), make([]float32, rows*cols)
	mem := NewMemory()
	args := []uint64{mem.Alloc(bytesOf(out), "o").Addr(), mem.Alloc(bytesOf(x), "x").Addr(), cols, cols, cols}
	for b.Loop() {
		if err := p.Run(context.Background(), mem, [3]int{rows, 1, 1}, args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
