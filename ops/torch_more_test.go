package ops_test

import (
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// halfTypes are the types of ops with tensor cores, and fp32.
var halfTypes = []nereid.DType{nereid.Float32, nereid.Float16, nereid.BFloat16}

// small returns a tensor whose elements are at most 1, so that long sums lose few bits.
func (g *gambler) small(dt nereid.DType, shape ...int) *nereid.Tensor {
	x := ops.Mul(g.s, g.tensor(dt, shape...), 0.25)
	if g.IntN(2) == 0 && len(shape) == 4 { // channels last
		x = ops.Copy(g.s, x.Permute(0, 2, 3, 1)).Permute(0, 3, 1, 2)
	}
	return x
}

// large reports whether the device is fast enough for tensors that fill it.
func (g *gambler) large() bool {
	return g.s.Stream().Device().Target()[:3] == "cud" && g.IntN(4) == 0
}

// convTrial is a trial of a convolution along rank dimensions.
func convTrial(op string, rank int) trial {
	return trial{op, func(g *gambler, a map[string]any) (in, out tensors) {
		dt, groups := pick(g, halfTypes...), pick(g, 1, 1, 1, 2, 4)
		depth, per := pick(g, 1, 3, 8, 17, 32), pick(g, 1, 2, 5, 16, 20)
		shape, filter := []int{pick(g, 1, 2, 3), depth * groups}, []int{per * groups, depth}
		o := ops.ConvOptions{Groups: groups}
		for i := range rank {
			size, taps := pick(g, 5, 8, 13), pick(g, 1, 1, 2, 3)
			if g.large() {
				size = 40
			}
			o.Stride[i], o.Padding[i], o.Dilation[i] = pick(g, 1, 1, 2, 3), g.IntN(3), pick(g, 1, 1, 2)
			shape, filter = append(shape, size), append(filter, taps)
		}
		if g.large() {
			shape[0], shape[1], filter[0], filter[1] = 8, 64*groups, 128*groups, 64
		}
		a["stride"], a["padding"], a["dilation"] = o.Stride[:rank], o.Padding[:rank], o.Dilation[:rank]
		a["groups"] = groups
		x, w, b := g.small(dt, shape...), g.small(dt, filter...), g.small(dt, filter[0])
		conv := ops.Conv2D
		if rank == 1 {
			conv = ops.Conv1D
		}
		if a["relu"] = g.IntN(2) == 0; a["relu"] == true {
			return tensors{x, w, b}, tensors{conv(g.s, x, w, o, ops.Bias(b), ops.ThenReLU)}
		}
		return tensors{x, w, b}, tensors{conv(g.s, x, w, o, ops.Bias(b))}
	}}
}

// poolTrial is a trial of pooling along rank dimensions.
func poolTrial(op string, rank int,
	f func(*ops.Stream, *nereid.Tensor, ops.PoolOptions) *nereid.Tensor) trial {
	return trial{op, func(g *gambler, a map[string]any) (in, out tensors) {
		shape, o := []int{pick(g, 1, 2), pick(g, 1, 3, 8)}, ops.PoolOptions{InsideOnly: g.IntN(2) == 0}
		for i := range rank {
			shape = append(shape, pick(g, 7, 10, 20))
			o.Window[i], o.Stride[i] = pick(g, 1, 2, 3, 6), pick(g, 1, 2, 3)
			o.Padding[i] = g.IntN(o.Window[i]/2 + 1)
		}
		if a["max"] = op[0] == 'M'; a["max"] == true {
			o.Dilation[0] = 1
			o.Dilation[1] = 1
		}
		a["window"], a["stride"], a["padding"] = o.Window[:rank], o.Stride[:rank], o.Padding[:rank]
		a["inside"] = o.InsideOnly
		x := g.tensor(pick(g, floatTypes...), shape...)
		return tensors{x}, tensors{f(g.s, x, o)}
	}}
}

// adaptiveTrial is a trial of adaptive pooling.
func adaptiveTrial(op string, f func(*ops.Stream, *nereid.Tensor, ...int) *nereid.Tensor) trial {
	return trial{op, func(g *gambler, a map[string]any) (in, out tensors) {
		x := g.tensor(pick(g, floatTypes...), 2, 3, pick(g, 5, 7, 12), pick(g, 6, 9))
		size := []int{pick(g, 1, 2, 3, 5), pick(g, 1, 2, 4, 6)}
		a["size"] = size
		return tensors{x}, tensors{f(g.s, x, size...)}
	}}
}

var imageTrials = []trial{
	convTrial("Conv1D", 1), convTrial("Conv2D", 2), convTrial("Conv2D", 2),
	poolTrial("MaxPool1D", 1, ops.MaxPool1D), poolTrial("MaxPool2D", 2, ops.MaxPool2D),
	poolTrial("AvgPool1D", 1, ops.AvgPool1D), poolTrial("AvgPool2D", 2, ops.AvgPool2D),
	adaptiveTrial("AdaptiveMaxPool", ops.AdaptiveMaxPool), adaptiveTrial("AdaptiveAvgPool",
		ops.AdaptiveAvgPool),
}

var gradTrials = []trial{
	{"AttentionGrad", func(g *gambler, a map[string]any) (in, out tensors) {
		dt := pick(g, halfTypes...)
		kv, size, queries := pick(g, 1, 2), pick(g, 16, 24, 32), pick(g, 5, 9, 33, 70)
		keys := queries + pick(g, 0, 0, 30)
		if g.large() {
			size, queries, keys = pick(g, 64, 128), 512, 512
		}
		o := ops.AttentionOptions{Causal: g.IntN(2) == 0, Window: pick(g, 0, 0, 8), AnyOrder: g.IntN(2) == 0}
		a["causal"], a["window"] = o.Causal, o.Window
		row := func(shape ...int) *nereid.Tensor {
			return ops.Copy(g.s, g.small(dt, shape...).Transpose(1, 2)).Transpose(1, 2)
		}
		q, k, v := row(2, 2*kv, queries, size), row(2, kv, keys, size), row(2, kv, keys, size)
		grad := row(2, 2*kv, queries, size)
		y, lse := ops.AttentionLSE(g.s, q, k, v, o)
		dq, dk, dv := ops.AttentionGrad(g.s, q, k, v, y, lse, grad, o)
		return tensors{q, k, v, grad}, tensors{y, dq, dk, dv}
	}},
	{"CrossEntropyGrad", func(g *gambler, _ map[string]any) (in, out tensors) {
		x := g.tensor(pick(g, halfTypes...), 6, pick(g, 5, 70))
		y := made(g.t, g.s, nereid.Int64, func(int) float64 { return float64(g.IntN(x.Shape[1])) }, 6)
		grad := g.tensor(nereid.Float32, 6)
		if g.IntN(2) == 0 {
			return tensors{x, y, grad}, tensors{ops.CrossEntropyGrad(g.s, x, y, grad)}
		}
		_, lse := ops.CrossEntropyLSE(g.s, x, y)
		return tensors{x, y, grad}, tensors{ops.CrossEntropyGradLSE(g.s, x, y, lse, grad)}
	}},
	{"RMSNormGrad", func(g *gambler, _ map[string]any) (in, out tensors) {
		x, w, grad := g.norm()
		dx, dw := ops.RMSNormGrad(g.s, x, w, grad, 1e-5)
		return tensors{x, w, grad}, tensors{dx, dw}
	}},
	{"LayerNormGrad", func(g *gambler, _ map[string]any) (in, out tensors) {
		x, w, grad := g.norm()
		dx, dw, db := ops.LayerNormGrad(g.s, x, w, grad, 1e-5)
		return tensors{x, w, grad}, tensors{dx, dw, db}
	}},
	{"Scatter", func(g *gambler, a map[string]any) (in, out tensors) {
		dt, axis := pick(g, anyTypes...), g.IntN(2)
		x, y := g.tensor(dt, 4, 6), g.tensor(dt, 4, 6)
		a["axis"] = axis
		turn := g.IntN(4)
		place := func(i int) float64 { return float64((i%6 + turn) % 6) } // each once
		if axis == 0 {
			place = func(i int) float64 { return float64((i/6 + i%6 + turn) % 4) }
		}
		i := made(g.t, g.s, nereid.Int64, place, 4, 6)
		return tensors{x, i, y}, tensors{ops.Scatter(g.s, x, i, y, axis)}
	}},
}

// norm returns operands of a norm's gradients.
func (g *gambler) norm() (x, weight, grad *nereid.Tensor) {
	dt := pick(g, halfTypes...)
	rows, cols := pick(g, 1, 7), pick(g, 16, 50)
	return ops.Copy(g.s, g.tensor(dt, rows, cols)), g.tensor(dt, cols), ops.Copy(g.s, g.tensor(dt, rows,
		cols))
}

// scanTrial is a trial of a scan.
func scanTrial(op string, f func(*ops.Stream, *nereid.Tensor, int) *nereid.Tensor) trial {
	return alongTrial(op, func(g *gambler, x *nereid.Tensor, axis int) tensors {
		last := len(x.Shape) - 1
		return tensors{f(g.s, ops.Copy(g.s, x.Transpose(axis, last)), -1).Transpose(axis, last)}
	})
}
