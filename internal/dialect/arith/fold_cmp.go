package arith

import (
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Folders of comparisons and of select.
var _ = Dialect.Folders(map[*ir.OpDef]ir.FoldFunc{
	CmpI:   first(cmpSame, cmpBool, cmpSwap, cmpConst),
	CmpF:   foldCmpF,
	Select: first(selectConst, selectSame, selectCond, selectEqual, selectElements),
})

// CmpIRow is what there is to know of a predicate of cmpi.
type CmpIRow struct {
	Swapped  int64 // the predicate with the operands swapped
	Inverse  int64 // the predicate that holds when this one does not
	OfEqual  bool  // whether it holds for equal operands
	Unsigned bool
	Holds    func(constfold.Ints) bool
}

// CmpIRows are the predicates, by number.
var CmpIRows = [...]CmpIRow{
	EQ:  {EQ, NE, true, false, func(i constfold.Ints) bool { return i.X == i.Y }},
	NE:  {NE, EQ, false, false, func(i constfold.Ints) bool { return i.X != i.Y }},
	SLT: {SGT, SGE, false, false, func(i constfold.Ints) bool { return i.X < i.Y }},
	SLE: {SGE, SGT, true, false, func(i constfold.Ints) bool { return i.X <= i.Y }},
	SGT: {SLT, SLE, false, false, func(i constfold.Ints) bool { return i.X > i.Y }},
	SGE: {SLE, SLT, true, false, func(i constfold.Ints) bool { return i.X >= i.Y }},
	ULT: {UGT, UGE, false, true, func(i constfold.Ints) bool { return i.UX < i.UY }},
	ULE: {UGE, UGT, true, true, func(i constfold.Ints) bool { return i.UX <= i.UY }},
	UGT: {ULT, ULE, false, true, func(i constfold.Ints) bool { return i.UX > i.UY }},
	UGE: {ULE, ULT, true, true, func(i constfold.Ints) bool { return i.UX >= i.UY }},
}

func predicate(op *ir.Op) int64 { return op.IntOr("predicate", 0) }

// cmpSame: x ? x is known.
func cmpSame(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	if op.Operand(0) != op.Operand(1) {
		return nil
	}
	return boolConst(op, CmpIRows[predicate(op)].OfEqual)
}

func boolConst(op *ir.Op, v bool) []ir.FoldResult {
	if v {
		return intConst(op, 1)
	}
	return intConst(op, 0)
}

// cmpBool: a truth value compared with 0 or 1 is itself, widened or not.
func cmpBool(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	x, p := op.Operand(0), predicate(op)
	isBool := func(v *ir.Value) bool { return ir.ElemOf(v.Type) == ir.I1 }
	if p == NE && constfold.IsInt(consts[1], 0) {
		if ext := x.Def(); ext != nil && (ext.Def == ExtSI || ext.Def == ExtUI) {
			x = ext.Operand(0)
		}
		if isBool(x) {
			return value(x)
		}
	}
	if p == EQ && isBool(x) && constfold.IsInt(consts[1], 1) {
		return value(x)
	}
	return nil
}

// cmpSwap moves a constant to the right.
func cmpSwap(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if consts[0] == nil || consts[1] != nil {
		return nil
	}
	x, y := op.Operand(0), op.Operand(1)
	op.SetOperand(0, y)
	op.SetOperand(1, x)
	op.SetAttr("predicate", ir.I64Attr(CmpIRows[predicate(op)].Swapped))
	return inPlace(op)
}

func cmpConst(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	row := CmpIRows[predicate(op)]
	return constant(constfold.IntBinary(op.Result(0).Type, consts[0], consts[1],
		func(i constfold.Ints) (int64, bool) {
			if row.Holds(i) {
				return 1, true
			}
			return 0, true
		}))
}

// cmpFRow says for which of the four relations a predicate of cmpf holds.
type cmpFRow struct{ less, equal, greater, unordered bool }

var cmpFRows = [...]cmpFRow{
	FFalse: {false, false, false, false},
	FOEQ:   {false, true, false, false},
	FOGT:   {false, false, true, false},
	FOGE:   {false, true, true, false},
	FOLT:   {true, false, false, false},
	FOLE:   {true, true, false, false},
	FONE:   {true, false, true, false},
	FORD:   {true, true, true, false},
	FUEQ:   {false, true, false, true},
	FUGT:   {false, false, true, true},
	FUGE:   {false, true, true, true},
	FULT:   {true, false, false, true},
	FULE:   {true, true, false, true},
	FUNE:   {true, false, true, true},
	FUNO:   {false, false, false, true},
	FTrue:  {true, true, true, true},
}

func (r cmpFRow) holds(x, y float64) bool {
	switch {
	case x < y:
		return r.less
	case x == y:
		return r.equal
	case x > y:
		return r.greater
	}
	return r.unordered
}

// foldCmpF: constants; predicates that are constants; a comparison with NaN.
func foldCmpF(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	p := predicate(op)
	row := cmpFRows[p]
	switch {
	case p == FFalse || p == FTrue:
		return boolConst(op, p == FTrue)
	case constfold.IsNaN(consts[0]) || constfold.IsNaN(consts[1]):
		return boolConst(op, row.unordered)
	}
	return constant(constfold.FloatCompare(op.Result(0).Type, consts[0], consts[1], row.holds))
}

// selectConst: the condition is the same everywhere, or one of the values is poison.
func selectConst(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	switch {
	case constfold.IsInt(consts[0], 1), constfold.IsPoison(consts[2]):
		return value(op.Operand(1))
	case constfold.IsInt(consts[0], 0), constfold.IsPoison(consts[1]):
		return value(op.Operand(2))
	}
	return nil
}

// selectSame: both values are the same.
func selectSame(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	if op.Operand(1) == op.Operand(2) {
		return value(op.Operand(1))
	}
	return nil
}

// selectCond: select c, true, false is c.
func selectCond(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.Operand(0).Type == op.Result(0).Type && constfold.IsInt(consts[1], 1) &&
		constfold.IsInt(consts[2], 0) {
		return value(op.Operand(0))
	}
	return nil
}

// selectEqual: select a == b, a, b is b; with != it is a. Whichever is taken, they are equal where it
// matters.
func selectEqual(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	cmp := op.Operand(0).DefBy(CmpI)
	if cmp == nil {
		return nil
	}
	a, b, t, f := cmp.Operand(0), cmp.Operand(1), op.Operand(1), op.Operand(2)
	if !(a == t && b == f) && !(a == f && b == t) {
		return nil
	}
	switch predicate(cmp) {
	case EQ:
		return value(f)
	case NE:
		return value(t)
	}
	return nil
}

// selectElements: all constants, chosen element by element.
func selectElements(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	cond, ok := consts[0].(*ir.DenseAttr)
	if !ok || constfold.Scalar(cond) != nil || consts[1] == nil || consts[2] == nil {
		return nil
	}
	return constant(constfold.Map(op.Result(0).Type, consts, func(x []uint64) (uint64, bool) {
		if x[0] != 0 {
			return x[1], true
		}
		return x[2], true
	}))
}
