package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
)

var (
	fnSum  = reduction("Sum", "add", sumRule, zeroIdentity)
	fnProd = reduction("Prod", "mul", sumRule, oneIdentity)
	fnMax  = reduction("Max", "maximum", sameRule, lowest)
	fnMin  = reduction("Min", "minimum", sameRule, highest)
	fnAny  = reduction("Any", "any_of", logicRule, zeroIdentity)
	fnAll  = reduction("All", "all_of", logicRule, oneIdentity)

	fnArgMax = argReduction("ArgMax", "first_max", lowest)
	fnArgMin = argReduction("ArgMin", "first_min", highest)
	// fnSize is how many elements are reduced.
	fnSize = &function{name: "size", text: "size", rule: sizeRule}
)

func argReduction(name, combine string, id identity) *function {
	fn := reduction(name, combine, indexRule, id)
	fn.index = true
	return fn
}

// Sum returns the sums along dimensions of x, which the result does not have; negative ones count from the
// end, and none means all. Sums of integers and bools are i64, sums of small floats are computed in fp32.
func Sum(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnSum.fused, x, axes)
}

// Prod returns the products along dimensions of x, as Sum returns sums.
func Prod(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnProd.fused, x, axes)
}

// Max returns the largest elements along dimensions of x, which the result does not have; none means all. NaN
// is larger than all.
func Max(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnMax.fused, x, axes)
}

// Min returns the smallest elements along dimensions of x, as Max does. NaN is smaller than all.
func Min(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnMin.fused, x, axes)
}

// Any reports along dimensions of x, which the result does not have, whether an element is not 0.
func Any(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnAny.fused, x, axes)
}

// All reports along dimensions of x, which the result does not have, whether no element is 0.
func All(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnAll.fused, x, axes)
}

// ArgMax returns where the largest element along dimensions of x is: its index, or its position in the order
// of the indices if there are several dimensions. Of equal elements it is the first, and NaN is larger than
// all. The result is of i64.
func ArgMax(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnArgMax.fused, x, axes)
}

// ArgMin returns where the smallest element along dimensions of x is, as ArgMax does. NaN is smaller than
// all.
func ArgMin(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor {
	return s.reduce(fnArgMin.fused, x, axes)
}

var meanOp = newFused("Mean", []string{"x"}, Expr{&node{input: 0}}.RowMean().n)

// fnRealSum is Sum of real numbers: integers become fp32.
var fnRealSum = reduction("Mean", "add", realRule, zeroIdentity)

// Mean returns the means along dimensions of x, which the result does not have; none means all. Means of
// integers are fp32.
func Mean(s *Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor { return s.reduce(meanOp, x, axes) }

// reduce runs a reduction along dimensions.
func (s *Stream) reduce(f *Fused, x *nereid.Tensor, axes []int) *nereid.Tensor {
	c := s.begin(f.name)
	c.attr(f.id)
	c.in("x", x)
	return c.reduce(f, axes)
}

// reduce runs a formula whose reductions are along some dimensions, all if there are none.
func (c *call) reduce(f *Fused, axes []int) *nereid.Tensor {
	c.attr(len(axes))
	for _, a := range axes {
		c.attr(a)
	}
	return c.run(func(c *call) (*plan, error) {
		return (&fusion{f: f, axes: slices.Clone(axes)}).plan(c) // a copy: axes stay on the caller's stack
	})
}

// RowSum returns the sum of x along the last dimension, for all elements of that row.
func (x Expr) RowSum() Expr { return apply(fnSum, x) }

// RowProd returns the product of x along the last dimension.
func (x Expr) RowProd() Expr { return apply(fnProd, x) }

// RowMax returns the largest element of x along the last dimension.
func (x Expr) RowMax() Expr { return apply(fnMax, x) }

// RowMin returns the smallest element of x along the last dimension.
func (x Expr) RowMin() Expr { return apply(fnMin, x) }

// RowMean returns the mean of x along the last dimension.
func (x Expr) RowMean() Expr {
	return apply(fnRealSum, x).Div(Expr{&node{fn: fnSize}})
}
