package parallel

import (
	"errors"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/ops"
)

// Columns returns x times this rank's columns of a matrix: this rank's columns of the product. It is
// ops.MatMul under the name that fits the layer; nothing is exchanged. Options are those of this rank's
// columns.
func Columns(s *ops.Stream, x, w *nereid.Tensor, options ...ops.MatMulOption) *nereid.Tensor {
	return ops.MatMul(s, x, w, options...)
}

// Option adds to a product of Rows. What is added is the same on all ranks, and added once.
type Option struct{ m ops.MatMulOption }

// Bias adds a vector, one element for each column of the result.
func Bias(x *nereid.Tensor) Option { return Option{ops.Bias(x)} }

// Plus adds a tensor that is broadcast to the result: a residual.
func Plus(x *nereid.Tensor) Option { return Option{ops.Plus(x)} }

// Rows returns the sum over all ranks of x, this rank's columns of an input, times w, this rank's rows of a
// matrix: the whole product, the same on all ranks. Each rank's product is rounded to the type of the
// result before it is added.
func Rows(s *ops.Stream, c *collective.Comm, x, w *nereid.Tensor, options ...Option) *nereid.Tensor {
	return Sum(s, c, ops.MatMul(s, x, w, once(c, options)...))
}

// RowsQuantized is Rows with a matrix of weights in blocks, which has a row for each output and this rank's
// part of each row (SplitInputs). Its weights stay as they are while the stream has work.
func RowsQuantized(s *ops.Stream, c *collective.Comm, x *nereid.Tensor, w ops.Quantized,
	options ...Option) *nereid.Tensor {
	return Sum(s, c, ops.MatMulQuantized(s, x, w, append(once(c, options), ops.FixedWeights)...))
}

// once returns the options of a rank: rank 0 adds what is added.
func once(c *collective.Comm, options []Option) (list []ops.MatMulOption) {
	if c.Rank() > 0 {
		return nil
	}
	for _, o := range options {
		list = append(list, o.m)
	}
	return list
}

// Sum adds a tensor over all ranks, in place, and returns it.
func Sum(s *ops.Stream, c *collective.Comm, x *nereid.Tensor) *nereid.Tensor {
	if x.Err() != nil || c.Size() == 1 {
		return x
	}
	if err := c.AllReduce(s.Stream(), x, x, collective.Sum); err != nil {
		return core.Broken(&ops.Error{Op: "parallel.Sum", Operand: "x", Err: err})
	}
	return x
}

// GatherColumns returns the columns of all ranks side by side, in the order of the ranks: the whole result of
// Columns.
func GatherColumns(s *ops.Stream, c *collective.Comm, x *nereid.Tensor) *nereid.Tensor {
	if x.Err() != nil || c.Size() == 1 {
		return x
	}
	n := len(x.Shape)
	if n == 0 {
		return core.Broken(&ops.Error{Op: "parallel.GatherColumns", Operand: "x", Err: errScalar})
	}
	all := s.New(x.DType, append([]int{c.Size()}, x.Shape...)...)
	if err := all.Err(); err != nil {
		return all
	}
	if err := c.AllGather(s.Stream(), all, x); err != nil {
		return core.Broken(&ops.Error{Op: "parallel.GatherColumns", Operand: "x", Err: err})
	}
	parts := make([]*nereid.Tensor, c.Size())
	for i := range parts {
		parts[i] = all.Select(0, i)
	}
	return ops.Concat(s, n-1, parts...)
}

var errScalar = errors.New("it is a scalar")
