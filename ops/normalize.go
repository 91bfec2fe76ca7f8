package ops

import (
	"github.com/nereid-lang/nereid"
)

// The formulas of this file are along one dimension, or along the last: a kernel reads each row once if it
// fits into a tile.
var (
	softmaxOp = fused1("Softmax", func(x Expr) Expr {
		e := x.Sub(x.RowMax()).Exp()
		return e.Div(e.RowSum())
	})
	logSoftmaxOp = fused1("LogSoftmax", func(x Expr) Expr {
		d := x.Sub(x.RowMax())
		return d.Sub(d.Exp().RowSum().Log())
	})
	logSumExpOp = fused1("LogSumExp", func(x Expr) Expr {
		m := x.RowMax()
		m = m.IsInf().Where(0, m) // inf - inf is NaN
		return x.Sub(m).Exp().RowSum().Log().Add(m)
	})
	varianceOp = fused1("Variance", func(x Expr) Expr {
		return x.Sub(x.RowMean()).Square().RowMean()
	})
)

// fused1 returns an op with one operand.
func fused1(name string, f func(x Expr) Expr) *Fused {
	return newFused(name, []string{"x"}, f(Expr{&node{input: 0}}).n)
}

// fusedN returns an op with results of a formula of named operands.
func fusedN(name string, params []string, f func(x []Expr) []Expr) *Fused {
	x := make([]Expr, len(params))
	for i := range x {
		x[i] = Expr{&node{input: i}}
	}
	var roots []*node
	for _, r := range f(x) {
		roots = append(roots, r.n)
	}
	return newFused(name, params, roots...)
}

// Softmax returns e**x divided by its sum along a dimension.
func Softmax(s *Stream, x *nereid.Tensor, axis int) *nereid.Tensor {
	return s.reduce(softmaxOp, x, []int{axis})
}

// LogSoftmax returns the logarithm of Softmax.
func LogSoftmax(s *Stream, x *nereid.Tensor, axis int) *nereid.Tensor {
	return s.reduce(logSoftmaxOp, x, []int{axis})
}

// softmaxBlock is how many elements of a long row a program reads at a time, by softmaxWarps: so many that
// the rows under way fit into L2, from which they are read again.
const softmaxBlock, softmaxWarps = 16384, 32

// longSoftmax reports whether a call is Softmax, or its logarithm, of contiguous rows that no tile of a GPU
// holds: a kernel of its own reads them once less than the formula.
func (x *fusion) longSoftmax() bool {
	in, out := 0, x.c.n
	return (x.f == softmaxOp || x.f == logSoftmaxOp) && x.c.s.chip == gpuChip && x.form.loop &&
		x.form.inputs[0] != nereid.Float64 && x.form.inputs[0].IsFloat() &&
		x.form.outs[0] != nereid.Float64 && len(x.rows.sizes) == 1 && len(x.cols.sizes) == 1 &&
		x.cols.strides[in][0] == 1 && x.cols.strides[out][0] == 1
}

// softmaxRows adds the launch of that kernel to a plan.
func (x *fusion) softmaxRows(p *plan) error {
	k, err := x.c.s.lib.kernel("rows.py", "softmax_kernel")
	if err != nil {
		return err
	}
	out := x.c.n
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, out}}, grid: nereid.Grid{x.rows.sizes[0]},
		args: []any{nil, nil, x.cols.sizes[0], x.rows.strides[0][0], x.rows.strides[out][0], softmaxBlock,
			x.f == logSoftmaxOp, nereid.Options{NumWarps: softmaxWarps}}}}
	return nil
}

// LogSumExp returns the logarithm of the sum of e**x along dimensions, which the result does not have; none
// means all.
func LogSumExp(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(logSumExpOp, x, axes)
}

// Variance returns the mean of the squared differences from the mean along dimensions, which the result does
// not have; none means all.
func Variance(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(varianceOp, x, axes)
}

// rms returns x divided by the root of the mean of its squares.
func rms(x, weight, eps Expr) Expr {
	return x.Mul(x.Square().RowMean().Add(eps).Rsqrt()).Mul(weight)
}

// standard returns x less its mean, divided by its deviation.
func standard(x, weight, bias, eps Expr) Expr {
	d := x.Sub(x.RowMean())
	return d.Mul(d.Square().RowMean().Add(eps).Rsqrt()).Mul(weight).Add(bias)
}

var (
	rmsNormOp = fusedN("RMSNorm", []string{"x", "weight", "eps"}, func(x []Expr) []Expr {
		return []Expr{rms(x[0], x[1], x[2])}
	})
	addRMSNormOp = fusedN("AddRMSNorm", []string{"x", "residual", "weight", "eps"},
		func(x []Expr) []Expr {
			sum := x[0].Add(x[1])
			return []Expr{rms(sum, x[2], x[3]), sum}
		})
	layerNormOp = fusedN("LayerNorm", []string{"x", "weight", "bias", "eps"}, func(x []Expr) []Expr {
		return []Expr{standard(x[0], x[1], x[2], x[3])}
	})
	addLayerNormOp = fusedN("AddLayerNorm", []string{"x", "residual", "weight", "bias", "eps"},
		func(x []Expr) []Expr {
			sum := x[0].Add(x[1])
			return []Expr{standard(sum, x[2], x[3], x[4]), sum}
		})
)

// RMSNorm returns x divided by the root of the mean of its squares along the last dimension, times weight:
// x / sqrt(mean(x²) + eps) * weight.
func RMSNorm(s *Stream, x *nereid.Tensor, weight any, eps float64) *nereid.Tensor {
	return s.apply(rmsNormOp, x, weight, eps)
}

// AddRMSNorm returns RMSNorm of x + residual, and the sum, for the next residual.
func AddRMSNorm(s *Stream, x, residual *nereid.Tensor, weight any, eps float64) (norm, sum *nereid.Tensor) {
	c := addRMSNormOp.begin(s, []any{x, residual, weight, eps})
	c.run(addRMSNormOp.plan)
	return c.outs[0], c.outs[1]
}

// LayerNorm returns x less its mean along the last dimension, divided by its deviation, times weight, plus
// bias: (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias.
func LayerNorm(s *Stream, x *nereid.Tensor, weight, bias any, eps float64) *nereid.Tensor {
	return s.apply(layerNormOp, x, weight, bias, eps)
}

// AddLayerNorm returns LayerNorm of x + residual, and the sum, for the next residual.
func AddLayerNorm(s *Stream, x, residual *nereid.Tensor, weight, bias any, eps float64) (norm,
	sum *nereid.Tensor) {
	c := addLayerNormOp.begin(s, []any{x, residual, weight, bias, eps})
	c.run(addLayerNormOp.plan)
	return c.outs[0], c.outs[1]
}
