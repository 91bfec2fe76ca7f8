package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/pkg/errors"
)

// Batch normalization is made of other operations, which become few kernels.

// norm makes the operations of a batch normalization.
type norm struct {
	f    *Function
	x    *node
	axis int
	err  error
}

func (f *Function) norm(op string, x compute.Value, axis int) (*norm, error) {
	in, err := f.values(op, x)
	if err != nil {
		return nil, err
	}
	if s := in[0].shape; axis < 0 || axis >= s.Rank() || !isFloat(s.DType) || s.IsDynamic() {
		return nil, errors.Errorf("%s: axis %d of %s", op, axis, s)
	}
	return &norm{f: f, x: in[0], axis: axis}, nil
}

// do keeps the first error.
func (n *norm) do(v compute.Value, err error) compute.Value {
	if n.err == nil {
		n.err = err
	}
	if n.err != nil {
		return n.x
	}
	return v
}

// wide returns a vector of features broadcast to the operand.
func (n *norm) wide(v compute.Value) compute.Value {
	return n.do(n.f.BroadcastInDim(v, n.x.shape, []int{n.axis}))
}

// mean returns the mean of each feature.
func (n *norm) mean(v compute.Value) compute.Value {
	count := n.x.shape.Size() / max(1, n.x.shape.Dimensions[n.axis])
	return n.do(n.f.Div(n.sum(v), n.f.scalar(n.x.shape.DType, float64(count))))
}

func (n *norm) sum(v compute.Value) compute.Value {
	var axes []int
	for d := range n.x.shape.Rank() {
		if d != n.axis {
			axes = append(axes, d)
		}
	}
	if axes == nil {
		return v
	}
	return n.do(n.f.ReduceSum(v, axes...))
}

// inverse returns 1/sqrt(variance + epsilon).
func (n *norm) inverse(variance compute.Value, epsilon float32) compute.Value {
	return n.do(n.f.Rsqrt(n.do(n.f.Add(variance, n.f.scalar(n.x.shape.DType, float64(epsilon))))))
}

func (n *norm) mul(a, b compute.Value) compute.Value { return n.do(n.f.Mul(a, b)) }
func (n *norm) add(a, b compute.Value) compute.Value { return n.do(n.f.Add(a, b)) }
func (n *norm) sub(a, b compute.Value) compute.Value { return n.do(n.f.Sub(a, b)) }

// apply returns (x - mean) * inverse * scale + offset.
func (n *norm) apply(scale, offset, mean, variance compute.Value, epsilon float32) compute.Value {
	factor := n.mul(n.inverse(variance, epsilon), scale)
	return n.add(n.mul(n.sub(n.x, n.wide(mean)), n.wide(factor)), n.wide(offset))
}

// BatchNormForInference implements compute.StandardOps.
func (f *Function) BatchNormForInference(x, scale, offset, mean, variance compute.Value, epsilon float32,
	axis int) (
	compute.Value, error) {
	n, err := f.norm("BatchNormForInference", x, axis)
	if err != nil {
		return nil, err
	}
	y := n.apply(scale, offset, mean, variance, epsilon)
	return y, n.err
}

// BatchNormForTraining implements compute.StandardOps.
func (f *Function) BatchNormForTraining(x, scale, offset compute.Value, epsilon float32, axis int) (
	normalized, mean, variance compute.Value, err error) {
	n, err := f.norm("BatchNormForTraining", x, axis)
	if err != nil {
		return nil, nil, nil, err
	}
	mean = n.mean(n.x)
	d := n.sub(n.x, n.wide(mean))
	variance = n.mean(n.mul(d, d))
	normalized = n.apply(scale, offset, mean, variance, epsilon)
	return normalized, mean, variance, n.err
}

// BatchNormGradient implements compute.StandardOps.
func (f *Function) BatchNormGradient(x, scale, mean, variance, grad compute.Value, epsilon float32,
	axis int) (
	gradX, gradScale, gradOffset compute.Value, err error) {
	n, err := f.norm("BatchNormGradient", x, axis)
	if err != nil {
		return nil, nil, nil, err
	}
	inverse := n.inverse(variance, epsilon)
	hat := n.mul(n.sub(n.x, n.wide(mean)), n.wide(inverse))
	gradOffset = n.sum(grad)
	gradScale = n.sum(n.mul(grad, hat))
	// scale * inverse * (grad - mean(grad) - hat * mean(grad * hat))
	rest := n.sub(n.sub(grad, n.wide(n.mean(grad))), n.mul(hat, n.wide(n.mean(n.mul(grad, hat)))))
	gradX = n.mul(n.wide(n.mul(scale, inverse)), rest)
	return gradX, gradScale, gradOffset, n.err
}
