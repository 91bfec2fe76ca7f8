package axisinfo

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// MaskPrefix is how many elements, along the fastest dimension of its layout, form a group in which the
// true bits of a mask come first, as those of `i < n` do: an access that ends within a group has one length
// there.
func (a *Analysis) MaskPrefix(mask *ir.Value) int {
	_, l, ok := layoutOf(mask)
	if !ok {
		return 1
	}
	return int(max(1, min(ir.Once(a.prefix)(valueDim{mask, l.Order()[0]}), 1<<30)))
}

// valueDim is a dimension of a tensor.
type valueDim struct {
	v   *ir.Value
	dim int
}

// prefix is the size of such groups along a dimension; of returns that of others. Where all bits of a group
// are equal, they come first or not at all.
func (a *Analysis) prefix(at valueDim, of func(valueDim) int64) int64 {
	v, dim := at.v, at.dim
	n := a.Of(v).Constancy[dim]
	op := v.Def()
	if op == nil {
		return n
	}
	switch op.Def {
	case arith.AndI:
		return max(n, min(of(valueDim{op.Operand(0), dim}), of(valueDim{op.Operand(1), dim})))
	case arith.CmpI:
		return max(n, a.ascends(op, dim))
	case ttg.ConvertLayout:
		return of(valueDim{op.Operand(0), dim})
	case tt.Broadcast:
		if from := op.Operand(0); ir.ShapeOf(from.Type)[dim] == ir.ShapeOf(v.Type)[dim] {
			return max(n, of(valueDim{from, dim}))
		}
	case tt.ExpandDims:
		switch axis := int(op.IntOr("axis", 0)); {
		case dim < axis:
			return max(n, of(valueDim{op.Operand(0), dim}))
		case dim > axis:
			return max(n, of(valueDim{op.Operand(0), dim - 1}))
		}
	}
	return n
}

// ascends is the size of the groups in which a comparison is of numbers that count up with a bound that
// they stay below.
func (a *Analysis) ascends(op *ir.Op, dim int) int64 {
	count, bound := op.Operand(0), op.Operand(1)
	switch op.IntOr("predicate", -1) {
	case arith.SLT, arith.SLE:
	case arith.SGT, arith.SGE:
		count, bound = bound, count
	default:
		return 1
	}
	return min(a.Of(count).Contiguity[dim], a.Of(bound).Constancy[dim])
}
