package ops_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// block holds the weights of a transformer block. Matrices have a row for each output, as files have them.
type block struct {
	norm1, norm2                 *nereid.Tensor
	q, k, v, o, gate, up, down   *nereid.Tensor
	cos, sin                     *nereid.Tensor
	heads, kvHeads, size, hidden int
}

// linear returns x times the transpose of a matrix.
func linear(s *ops.Stream, x, w *nereid.Tensor, options ...ops.MatMulOption) *nereid.Tensor {
	return ops.MatMul(s, x, w.Transpose(0, 1), options...)
}

// apply returns the block's output for x, of the shape [batch, positions, heads*size].
func (b *block) apply(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
	split := func(t *nereid.Tensor, heads int) *nereid.Tensor {
		return t.Reshape(x.Shape[0], x.Shape[1], heads, b.size).Transpose(1, 2)
	}
	h := ops.RMSNorm(s, x, b.norm1, 1e-5)
	q := ops.Rope(s, split(linear(s, h, b.q), b.heads), b.cos, b.sin)
	k := ops.Rope(s, split(linear(s, h, b.k), b.kvHeads), b.cos, b.sin)
	v := split(linear(s, h, b.v), b.kvHeads)
	a := ops.Attention(s, q, k, v, ops.AttentionOptions{Causal: true})
	a = ops.Copy(s, a.Transpose(1, 2)).Reshape(x.Shape...)
	x = linear(s, a, b.o, ops.Plus(x))
	h = ops.RMSNorm(s, x, b.norm2, 1e-5)
	h = ops.SwiGLU(s, linear(s, h, b.gate), linear(s, h, b.up))
	return linear(s, h, b.down, ops.Plus(x))
}

// A transformer block, as Llama has it: attention with rotary embeddings and grouped heads, and a gated
// layer.
func Example() {
	dev, err := nereid.OpenDevice("interp") // or "" for the best device
	if err != nil {
		panic(err)
	}
	stream, err := dev.NewStream(context.Background())
	if err != nil {
		panic(err)
	}
	defer stream.Close()
	s := ops.On(stream)
	defer s.Close()

	seed := 0
	weight := func(shape ...int) *nereid.Tensor {
		seed++
		return ops.Mul(s, ops.Normal(s, seed, nereid.Float32, shape...), 0.1)
	}
	b := &block{heads: 4, kvHeads: 2, size: 16, hidden: 96}
	d := b.heads * b.size
	b.norm1, b.norm2 = ops.Fill(s, 1, nereid.Float32, d), ops.Fill(s, 1, nereid.Float32, d)
	b.q, b.k, b.v, b.o = weight(d, d), weight(b.kvHeads*b.size, d), weight(b.kvHeads*b.size, d), weight(d, d)
	b.gate, b.up, b.down = weight(b.hidden, d), weight(b.hidden, d), weight(d, b.hidden)
	positions := ops.Iota(s, 0, 1, nereid.Float32, 10).Reshape(10, 1)
	angle := ops.Mul(s, positions, ops.Pow(s, 10000.0, ops.Iota(s, 0, -1./8, nereid.Float32, b.size/2)))
	b.cos, b.sin = ops.Cos(s, angle), ops.Sin(s, angle)

	y := b.apply(s, ops.Normal(s, 99, nereid.Float32, 1, 10, d))
	if err := y.Err(); err != nil {
		panic(err)
	}
	fmt.Println(y.Shape, y.DType)
	wrong := b.apply(s, ops.Normal(s, 99, nereid.Float32, 1, 10, d+1))
	fmt.Println(wrong.Err())
	// Output:
	// [1 10 64] fp32
	// ops: RMSNorm: weight: shapes [1 10 65] and [64] do not fit: 65 and 64 are different, and neither is 1
}

func ExampleFuse() {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		panic(err)
	}
	stream, err := dev.NewStream(context.Background())
	if err != nil {
		panic(err)
	}
	defer stream.Close()
	s := ops.On(stream)
	defer s.Close()

	capped := ops.Fuse(func(x, y ops.Expr) ops.Expr {
		return x.Mul(y).Div(30.0).Tanh().Mul(30.0)
	})
	x := nereid.FromSlice([]float32{1, 10, 100}, 3, 1)
	y := nereid.FromSlice([]float32{1, -1})
	fmt.Println(capped.Call(s, x, y))
	text, err := capped.Source(s, x, y)
	if err != nil {
		panic(err)
	}
	fmt.Print(text[strings.Index(text, "@triton.jit"):])
	// Output:
	// fp32[3, 2] on interp [[0.99963, -0.99963], [9.64538, -9.64538], [29.9237, -29.9237]]
	// @triton.jit
	// def fused_kernel(x0, x1, out0, rows, cols, x0_row0, x1_col0, out0_row0, out0_col0, R: tl.constexpr,
	//                  C: tl.constexpr):
	//     row = tl.program_id(0) * R + tl.arange(0, R)
	//     row_in = row < rows
	//     col = tl.program_id(1) * C + tl.arange(0, C)
	//     col_in = col < cols
	//     inside = row_in[:, None] & col_in[None, :]
	//     v0 = tl.load(x0 + (row * x0_row0)[:, None], mask=row_in[:, None])
	//     v1 = tl.load(x1 + (col * x1_col0)[None, :], mask=col_in[None, :])
	//     v2 = v0 * v1
	//     v3 = v2 / tl.full([], 30.0, tl.float32)
	//     v4 = libdevice.tanh(v3)
	//     v5 = v4 * tl.full([], 30.0, tl.float32)
	//     tl.store(out0 + (row * out0_row0)[:, None] + (col * out0_col0)[None, :], v5, mask=inside)
}
