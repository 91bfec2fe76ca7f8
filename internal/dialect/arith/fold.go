package arith

import (
	"math"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Folders of integer arithmetic. Each is a list of rules of which the first that applies wins; operands are
// called x and y, and constants of commutative ops stand on the right.
var _ = Dialect.Folders(map[*ir.OpDef]ir.FoldFunc{
	AddI: first(ints(func(i constfold.Ints) (int64, bool) {
		return i.X + i.Y, true
	}), neutral(0), cancelAdd),
	SubI: first(ints(func(i constfold.Ints) (int64, bool) {
		return i.X - i.Y, true
	}), neutral(0), same(0), cancelSub),
	MulI: first(ints(func(i constfold.Ints) (int64, bool) {
		return i.X * i.Y, true
	}), neutral(1), absorbing(0)),
	DivSI:      first(neutral(1), ints(divSI)),
	DivUI:      first(neutral(1), ints(divUI)),
	CeilDivSI:  first(neutral(1), ints(ceilDivSI)),
	CeilDivUI:  first(neutral(1), ints(ceilDivUI)),
	FloorDivSI: first(neutral(1), ints(floorDivSI)),
	RemSI:      first(byOne, ints(remSI)),
	RemUI:      first(byOne, ints(remUI)),
	AndI: first(ints(func(i constfold.Ints) (int64, bool) {
		return i.X & i.Y, true
	}), neutral(-1), absorbing(0), complement(0), again),
	OrI: first(ints(func(i constfold.Ints) (int64, bool) {
		return i.X | i.Y, true
	}), neutral(0), absorbing(-1), complement(-1), again),
	XOrI: first(ints(func(i constfold.Ints) (int64, bool) {
		return i.X ^ i.Y, true
	}), neutral(0), same(0), cancelXOr),
	ShLI: first(neutral(0), ints(func(i constfold.Ints) (int64, bool) {
		return i.X << i.UY, i.UY < uint64(i.Width)
	})),
	ShRSI: first(neutral(0), ints(func(i constfold.Ints) (int64, bool) {
		return i.X >> i.UY, i.UY < uint64(i.Width)
	})),
	ShRUI: first(neutral(0), ints(func(i constfold.Ints) (int64, bool) {
		return int64(i.UX >> i.UY), i.UY < uint64(i.Width)
	})),
	MaxSI: first(ints(func(i constfold.Ints) (int64, bool) {
		return max(i.X, i.Y), true
	}), extremes(minSigned, maxSigned)),
	MinSI: first(ints(func(i constfold.Ints) (int64, bool) {
		return min(i.X, i.Y), true
	}), extremes(maxSigned, minSigned)),
	MaxUI: first(ints(func(i constfold.Ints) (int64, bool) {
		return int64(max(i.UX, i.UY)), true
	}), neutral(0), absorbing(-1)),
	MinUI: first(ints(func(i constfold.Ints) (int64, bool) {
		return int64(min(i.UX, i.UY)), true
	}), neutral(-1), absorbing(0)),

	AddUIExtended: foldAddExtended,
	MulSIExtended: mulExtended(func(i constfold.Ints) int64 {
		hi, lo := bits.Mul64(uint64(i.X), uint64(i.Y))
		// from the unsigned product to the signed one
		hi -= uint64(i.X>>63)&uint64(i.Y) + uint64(i.Y>>63)&uint64(i.X)
		return int64(upper(hi, lo, i.Width))
	}),
	MulUIExtended: mulExtended(func(i constfold.Ints) int64 {
		hi, lo := bits.Mul64(i.UX, i.UY)
		return int64(upper(hi, lo, i.Width))
	}),
})

// first is the folder that tries rules in order.
func first(rules ...ir.FoldFunc) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		for _, rule := range rules {
			if r := rule(op, consts); r != nil {
				return r
			}
		}
		return nil
	}
}

func value(v *ir.Value) []ir.FoldResult { return []ir.FoldResult{{Value: v}} }

// constant is the fold result of an attribute, or of none.
func constant(a ir.Attr) []ir.FoldResult {
	if a == nil {
		return nil
	}
	return []ir.FoldResult{{Const: a}}
}

// inPlace is the result of a folder that has changed op itself.
func inPlace(op *ir.Op) []ir.FoldResult { return value(op.Result(0)) }

// intConst is the integer n as a constant of op's result type.
func intConst(op *ir.Op, n int64) []ir.FoldResult {
	return constant(constfold.IntOfType(n, op.Result(0).Type))
}

// ints computes with two integer constants.
func ints(f func(constfold.Ints) (int64, bool)) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.IntBinary(op.Result(0).Type, consts[0], consts[1], f))
	}
}

// neutral: x op n is x.
func neutral(n int64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		if constfold.IsInt(consts[1], n) {
			return value(op.Operand(0))
		}
		return nil
	}
}

// absorbing: x op n is n.
func absorbing(n int64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		if constfold.IsInt(consts[1], n) {
			return constant(consts[1])
		}
		return nil
	}
}

// same: x op x is n.
func same(n int64) ir.FoldFunc {
	return func(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
		if op.Operand(0) == op.Operand(1) {
			return intConst(op, n)
		}
		return nil
	}
}

// byOne: the remainder of a division by one is zero.
func byOne(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if constfold.IsInt(consts[1], 1) {
		return intConst(op, 0)
	}
	return nil
}

// cancelAdd: (a - b) + b and b + (a - b) are a.
func cancelAdd(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	x, y := op.Operand(0), op.Operand(1)
	if sub := x.DefBy(SubI); sub != nil && sub.Operand(1) == y {
		return value(sub.Operand(0))
	}
	if sub := y.DefBy(SubI); sub != nil && sub.Operand(1) == x {
		return value(sub.Operand(0))
	}
	return nil
}

// cancelSub: (a + b) - b is a, (a + b) - a is b.
func cancelSub(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	add := op.Operand(0).DefBy(AddI)
	if add == nil {
		return nil
	}
	switch op.Operand(1) {
	case add.Operand(1):
		return value(add.Operand(0))
	case add.Operand(0):
		return value(add.Operand(1))
	}
	return nil
}

// cancelXOr: (a ^ b) ^ b is a, and so on.
func cancelXOr(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	for i := range 2 {
		inner, other := op.Operand(i).DefBy(XOrI), op.Operand(1-i)
		if inner == nil {
			continue
		}
		for j := range 2 {
			if inner.Operand(j) == other {
				return value(inner.Operand(1 - j))
			}
		}
	}
	return nil
}

// complement: x op ^x is n.
func complement(n int64) ir.FoldFunc {
	return func(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
		for i := range 2 {
			not := op.Operand(i).DefBy(XOrI)
			if not != nil && not.Operand(0) == op.Operand(1-i) &&
				constfold.IsAllOnes(constfold.Of(not.Operand(1))) {
				return intConst(op, n)
			}
		}
		return nil
	}
}

// again: (a op b) op a is a op b, for an op that is idempotent, commutative and associative.
func again(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	for i := range 2 {
		inner, other := op.Operand(i).DefBy(op.Def), op.Operand(1-i)
		if inner != nil && (inner.Operand(0) == other || inner.Operand(1) == other) {
			return value(op.Operand(i))
		}
	}
	return nil
}

// extremes: x op neutral is x, x op absorbing is that; both depend on the width.
func extremes(neutral, absorbing func(width int) int64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		w := ir.BitWidth(ir.ElemOf(op.Result(0).Type))
		switch {
		case constfold.IsInt(consts[1], neutral(w)):
			return value(op.Operand(0))
		case constfold.IsInt(consts[1], absorbing(w)):
			return constant(consts[1])
		}
		return nil
	}
}

func minSigned(width int) int64 { return math.MinInt64 >> (64 - width) }
func maxSigned(width int) int64 { return math.MaxInt64 >> (64 - width) }

// overflows reports the one signed division whose result does not fit.
func overflows(i constfold.Ints) bool { return i.Y == -1 && i.X == minSigned(i.Width) }

func divSI(i constfold.Ints) (int64, bool) {
	if i.Y == 0 || overflows(i) {
		return 0, false
	}
	return i.X / i.Y, true
}

func divUI(i constfold.Ints) (int64, bool) {
	if i.UY == 0 {
		return 0, false
	}
	return int64(i.UX / i.UY), true
}

func ceilDivSI(i constfold.Ints) (int64, bool) {
	q, ok := divSI(i)
	if ok && i.X%i.Y != 0 && (i.X < 0) == (i.Y < 0) {
		q++
	}
	return q, ok
}

func ceilDivUI(i constfold.Ints) (int64, bool) {
	q, ok := divUI(i)
	if ok && i.UX%i.UY != 0 {
		q++
	}
	return q, ok
}

func floorDivSI(i constfold.Ints) (int64, bool) {
	q, ok := divSI(i)
	if ok && i.X%i.Y != 0 && (i.X < 0) != (i.Y < 0) {
		q--
	}
	return q, ok
}

func remSI(i constfold.Ints) (int64, bool) {
	switch {
	case i.Y == 0:
		return 0, false
	case i.Y == -1:
		return 0, true
	}
	return i.X % i.Y, true
}

func remUI(i constfold.Ints) (int64, bool) {
	if i.UY == 0 {
		return 0, false
	}
	return int64(i.UX % i.UY), true
}

// upper is the upper half of a product of two numbers of the given width, whose 128-bit product is hi:lo.
func upper(hi, lo uint64, width int) uint64 {
	if width == 64 {
		return hi
	}
	return lo >> width
}

// foldAddExtended: x + 0 does not overflow.
func foldAddExtended(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	sum, over := op.Result(0).Type, op.Result(1).Type
	if constfold.IsInt(consts[1], 0) {
		return []ir.FoldResult{{Value: op.Operand(0)}, {Const: constfold.IntOfType(0, over)}}
	}
	s := constfold.IntBinary(sum, consts[0], consts[1], func(i constfold.Ints) (int64, bool) {
		return i.X + i.Y, true
	})
	o := constfold.IntBinary(over, consts[0], consts[1], func(i constfold.Ints) (int64, bool) {
		s, carry := bits.Add64(i.UX, i.UY, 0)
		if i.Width < 64 {
			carry = s >> i.Width
		}
		return int64(carry), true
	})
	if s == nil || o == nil {
		return nil
	}
	return []ir.FoldResult{{Const: s}, {Const: o}}
}

// mulExtended folds a product of double width, given how to compute its upper half.
func mulExtended(high func(constfold.Ints) int64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		t := op.Result(0).Type
		if constfold.IsInt(consts[1], 0) {
			return []ir.FoldResult{{Const: consts[1]}, {Const: consts[1]}}
		}
		if constfold.IsInt(consts[1], 1) && op.Def == MulUIExtended {
			return []ir.FoldResult{{Value: op.Operand(0)}, {Const: constfold.IntOfType(0, t)}}
		}
		lo := constfold.IntBinary(t, consts[0], consts[1], func(i constfold.Ints) (int64, bool) {
			return i.X * i.Y, true
		})
		hi := constfold.IntBinary(t, consts[0], consts[1], func(i constfold.Ints) (int64, bool) {
			return high(i), true
		})
		if lo == nil || hi == nil {
			return nil
		}
		return []ir.FoldResult{{Const: lo}, {Const: hi}}
	}
}
