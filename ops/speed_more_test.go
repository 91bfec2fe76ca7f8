package ops_test

import (
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// convLine returns a line of a convolution.
func convLine(name string, dt nereid.DType, x, w []int, o ops.ConvOptions,
	options ...ops.MatMulOption) speedLine {
	return speedLine{name, func(r *room) func() *nereid.Tensor {
		a, b := r.normal(dt, x...), r.normal(dt, w...)
		conv := ops.Conv2D
		if len(x) == 3 {
			conv = ops.Conv1D
		}
		out := like(r.s, conv(r.s, a, b, o, options...))
		return func() *nereid.Tensor { return conv(r.s.Into(out), a, b, o, options...) }
	}}
}

// imageLines lists what is measured of convolution and pooling, and of concatenation of several tensors.
func imageLines() []speedLine {
	same := ops.ConvOptions{Padding: [2]int{1, 1}}
	pooled := func(f func(*ops.Stream, *nereid.Tensor, ops.PoolOptions) *nereid.Tensor,
		o ops.PoolOptions) func(*ops.Stream, *nereid.Tensor) *nereid.Tensor {
		return func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor { return f(s, x, o) }
	}
	return []speedLine{
		convLine("conv bf16 32x64x56x56 by 64x3x3", speedBF16, []int{32, 64, 56, 56}, []int{64, 64, 3, 3},
			same),
		convLine("conv fp16 32x128x28x28 by 128x3x3", speedF16, []int{32, 128, 28, 28}, []int{128, 128, 3, 3},
			same),
		convLine("conv bf16 32x256x14x14 by 256x3x3", speedBF16, []int{32, 256, 14, 14}, []int{256, 256, 3,
			3},
			same),
		convLine("conv bf16 8x320x64x64 by 320x3x3", speedBF16, []int{8, 320, 64, 64}, []int{320, 320, 3, 3},
			same),
		convLine("conv stride bf16 32x128x56x56 by 256x3x3", speedBF16, []int{32, 128, 56, 56},
			[]int{256, 128, 3, 3}, ops.ConvOptions{Stride: [2]int{2, 2}, Padding: [2]int{1, 1}}),
		convLine("conv stride bf16 32x3x224x224 by 64x7x7", speedBF16, []int{32, 3, 224, 224}, []int{64, 3,
			7, 7},
			ops.ConvOptions{Stride: [2]int{2, 2}, Padding: [2]int{3, 3}}),
		convLine("conv bf16 32x256x56x56 by 64x1x1", speedBF16, []int{32, 256, 56, 56}, []int{64, 256, 1, 1},
			ops.ConvOptions{}),
		convLine("conv tf32 16x128x28x28 by 128x3x3", speedF32, []int{16, 128, 28, 28}, []int{128, 128, 3, 3},
			same, ops.TF32),
		convLine("conv depthwise bf16 32x256x28x28 by 256x3x3", speedBF16, []int{32, 256, 28, 28},
			[]int{256, 1, 3, 3}, ops.ConvOptions{Padding: [2]int{1, 1}, Groups: 256}),
		convLine("conv bf16 8x512x3000 by 512x3", speedBF16, []int{8, 512, 3000}, []int{512, 512, 3},
			ops.ConvOptions{Padding: [2]int{1}}),
		one("max_pool 3 stride 2 bf16 32x64x112x112", speedBF16, []int{32, 64, 112, 112},
			pooled(ops.MaxPool2D, ops.PoolOptions{Window: [2]int{3, 3}, Stride: [2]int{2, 2},
				Padding: [2]int{1, 1}})),
		one("avg_pool 2 bf16 32x256x56x56", speedBF16, []int{32, 256, 56, 56},
			pooled(ops.AvgPool2D, ops.PoolOptions{Window: [2]int{2, 2}})),
		one("avg_pool all bf16 32x2048x7x7", speedBF16, []int{32, 2048, 7, 7},
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor { return ops.AdaptiveAvgPool(s, x, 1, 1) }),
		{"concat of four fp32 4096x1024", fourLine},
	}
}

func fourLine(r *room) func() *nereid.Tensor {
	x := []*nereid.Tensor{r.normal(speedF32, 4096, 1024), r.normal(speedF32, 4096, 1024),
		r.normal(speedF32, 4096, 1024), r.normal(speedF32, 4096, 1024)}
	out := r.s.New(speedF32, 4096, 4096)
	return func() *nereid.Tensor { return ops.Concat(r.s.Into(out), 1, x...) }
}

// gradLine returns a line of the backward pass of attention. PyTorch adds up in any order too.
func gradLine(name string, dt nereid.DType, batch, heads, kv, length, size int, causal bool) speedLine {
	return speedLine{name, func(r *room) func() *nereid.Tensor {
		q, g := r.normal(dt, batch, heads, length, size), r.normal(dt, batch, heads, length, size)
		k, v := r.normal(dt, batch, kv, length, size), r.normal(dt, batch, kv, length, size)
		o := ops.AttentionOptions{Causal: causal, AnyOrder: true}
		out, lse := ops.AttentionLSE(r.s, q, k, v, o)
		dq, dk, dv := like(r.s, q), like(r.s, k), like(r.s, v)
		return func() *nereid.Tensor {
			d, _, _ := ops.AttentionGrad(r.s.Into(dq, dk, dv), q, k, v, out, lse, g, o)
			return d
		}
	}}
}

// rowsGradLine returns a line of the backward pass of a norm or of cross entropy, of bf16.
func rowsGradLine(op string, rows, cols int) speedLine {
	name := fmt.Sprintf("%s backward bf16 %dx%d", op, rows, cols)
	return speedLine{name, func(r *room) func() *nereid.Tensor {
		x := r.normal(speedBF16, rows, cols)
		dx := like(r.s, x)
		if op == "cross_entropy" {
			labels, g := r.below(cols, rows), r.normal(speedF32, rows)
			_, lse := ops.CrossEntropyLSE(r.s, x, labels) // of the forward pass, which PyTorch keeps too
			return func() *nereid.Tensor { return ops.CrossEntropyGradLSE(r.s.Into(dx), x, labels, lse, g) }
		}
		w, g := r.normal(speedBF16, cols), r.normal(speedBF16, rows, cols)
		dw, db := like(r.s, w), like(r.s, w)
		if op == "rms_norm" {
			return func() *nereid.Tensor {
				d, _ := ops.RMSNormGrad(r.s.Into(dx, dw), x, w, g, 1e-5)
				return d
			}
		}
		return func() *nereid.Tensor {
			d, _, _ := ops.LayerNormGrad(r.s.Into(dx, dw, db), x, w, g, 1e-5)
			return d
		}
	}}
}

// backwardLines lists what is measured of backward passes.
func backwardLines() []speedLine {
	return []speedLine{
		gradLine("attention backward fp16 8x16x1024x64", speedF16, 8, 16, 16, 1024, 64, false),
		gradLine("attention backward bf16 4x16x4096x128", speedBF16, 4, 16, 16, 4096, 128, false),
		gradLine("attention causal backward bf16 4x16x4096x64", speedBF16, 4, 16, 16, 4096, 64, true),
		gradLine("attention causal backward bf16 4x16x4096x128", speedBF16, 4, 16, 16, 4096, 128, true),
		gradLine("attention grouped causal backward bf16 2x32/8x2048x128", speedBF16, 2, 32, 8, 2048, 128,
			true),
		rowsGradLine("rms_norm", 4096, 1024),
		rowsGradLine("rms_norm", 4096, 4096),
		rowsGradLine("rms_norm", 4096, 8192),
		rowsGradLine("layer_norm", 4096, 1024),
		rowsGradLine("layer_norm", 4096, 4096),
		rowsGradLine("layer_norm", 4096, 8192),
		rowsGradLine("cross_entropy", 4096, 32000),
		rowsGradLine("cross_entropy", 1024, 128256),
	}
}
