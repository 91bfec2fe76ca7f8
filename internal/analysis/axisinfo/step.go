package axisinfo

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Step is by how much most neighbours along dim differ, if that is known: `i % 49` counts up by one but for
// one neighbour in 49, and `i / 49` stays what it is. No access may be made wide because of it.
func (a *Analysis) Step(v *ir.Value, dim int) (step int64, known bool) {
	return steps{a, map[axis]stepOf{}}.of(v, dim)
}

// Apart reports whether neighbours along dim are known to differ by a multiple of a number above one: they
// are a stride apart that the launch is known to divide by 16, say.
func (a *Analysis) Apart(v *ir.Value, dim int) bool {
	return steps{a, map[axis]stepOf{}}.apart(v, dim)
}

type steps struct {
	*Analysis
	seen map[axis]stepOf
}

type axis struct {
	of  *ir.Value
	dim int
}

type stepOf struct {
	n     int64
	known bool
}

func (s steps) of(v *ir.Value, dim int) (int64, bool) {
	at := axis{v, dim}
	if found, ok := s.seen[at]; ok {
		return found.n, found.known
	}
	n, known := s.find(v, dim)
	s.seen[at] = stepOf{n, known}
	return n, known
}

func (s steps) find(v *ir.Value, dim int) (int64, bool) {
	info, shape := s.Of(v), ir.ShapeOf(v.Type)
	switch {
	case dim >= len(shape) || info.Constancy[dim] >= shape[dim]:
		return 0, true
	case info.Contiguity[dim] > 1:
		return 1, true
	case v.Def() == nil:
		return 0, false
	}
	op := v.Def()
	switch op.Def {
	case arith.ExtSI, arith.ExtUI, arith.TruncI, ttg.ConvertLayout, tt.Broadcast:
		return s.of(op.Operand(0), dim)
	case tt.ExpandDims:
		if int(op.IntOr("axis", 0)) < dim {
			dim--
		}
		return s.of(op.Operand(0), dim)
	case arith.AddI, arith.SubI, tt.AddPtr, arith.MulI, arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI:
		return s.arithmetic(op, dim)
	}
	return 0, false
}

// arithmetic is the step of an operation on two operands.
func (s steps) arithmetic(op *ir.Op, dim int) (int64, bool) {
	x, ok := s.of(op.Operand(0), dim)
	y, also := s.of(op.Operand(1), dim)
	if !ok || !also {
		return 0, false
	}
	by := s.Of(op.Operand(1))
	switch op.Def {
	case arith.AddI, tt.AddPtr:
		return x + y, true
	case arith.SubI:
		return x - y, true
	case arith.MulI:
		if left := s.Of(op.Operand(0)); left.Known {
			return left.Value * y, true
		}
		return x * by.Value, by.Known
	case arith.RemSI, arith.RemUI:
		return x, by.Known && abs(x) < by.Value
	}
	return 0, by.Known && abs(x) < by.Value // a quotient
}

func (s steps) apart(v *ir.Value, dim int) bool {
	op := v.Def()
	if n, known := s.of(v, dim); known || op == nil {
		return abs(n) > 1
	}
	switch op.Def {
	case arith.ExtSI, arith.ExtUI, ttg.ConvertLayout, tt.Broadcast:
		return s.apart(op.Operand(0), dim)
	case tt.ExpandDims:
		if int(op.IntOr("axis", 0)) < dim {
			dim--
		}
		return s.apart(op.Operand(0), dim)
	case arith.AddI, arith.SubI, tt.AddPtr:
		return s.resting(op.Operand(0), dim) && s.apart(op.Operand(1), dim) ||
			s.resting(op.Operand(1), dim) && s.apart(op.Operand(0), dim)
	case arith.MulI:
		return s.scaled(op.Operand(0), op.Operand(1), dim) || s.scaled(op.Operand(1), op.Operand(0), dim)
	}
	return false
}

// resting reports whether neighbours are equal.
func (s steps) resting(v *ir.Value, dim int) bool {
	n, known := s.of(v, dim)
	return known && n == 0
}

// scaled reports whether by is the same for all neighbours and a multiple of a number above one.
func (s steps) scaled(v, by *ir.Value, dim int) bool {
	n, known := s.of(v, dim)
	return known && n != 0 && s.resting(by, dim) && s.Of(by).Divisibility[dim] > 1
}

func abs(x int64) int64 { return max(x, -x) }
