package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// selectOfSelect: inside the branch of a select, its own condition is known, and two conditions for one
// value become one.
//
//	select p, (select p, a, b), c  =>  select p, a, c
//	select p, (select q, x, y), y  =>  select (p and q), x, y
//	select p, x, (select q, x, y)  =>  select (p or q), x, y
func selectOfSelect(rw *Rewriter, op *ir.Op) bool {
	p, t, f := op.Operand(0), op.Operand(1), op.Operand(2)
	if in := t.DefBy(arith.Select); in != nil {
		q, x, y := in.Operand(0), in.Operand(1), in.Operand(2)
		switch {
		case q == p:
			rw.SetOperand(op, 1, x)
			return true
		case y == f && q.Type == p.Type:
			return replaceSelect(rw, op, rw.Val(arith.AndI, p.Type, p, q), x, f)
		}
	}
	if in := f.DefBy(arith.Select); in != nil {
		q, x, y := in.Operand(0), in.Operand(1), in.Operand(2)
		switch {
		case q == p:
			rw.SetOperand(op, 2, y)
			return true
		case x == t && q.Type == p.Type:
			return replaceSelect(rw, op, rw.Val(arith.OrI, p.Type, p, q), t, y)
		}
	}
	return false
}

func replaceSelect(rw *Rewriter, op *ir.Op, cond, t, f *ir.Value) bool {
	rw.Replace(op, rw.Val(arith.Select, op.Result(0).Type, cond, t, f))
	return true
}

// selectNot: a negated condition swaps the values.
func selectNot(rw *Rewriter, op *ir.Op) bool {
	cond := negated(op.Operand(0))
	if cond == nil {
		return false
	}
	return replaceSelect(rw, op, cond, op.Operand(2), op.Operand(1))
}

// selectToLogic: select c, false, true is not c.
func selectToLogic(rw *Rewriter, op *ir.Op) bool {
	c := op.Operand(0)
	if c.Type != op.Result(0).Type || !constfold.IsInt(constfold.Of(op.Operand(1)), 0) ||
		!isTrue(op.Operand(2)) {
		return false
	}
	rw.Replace(op, not(rw, c))
	return true
}

// selectToExt: select c, 1, 0 is extui c; with 0, 1 it is extui (not c).
func selectToExt(rw *Rewriter, op *ir.Op) bool {
	c, t := op.Operand(0), op.Result(0).Type
	it, ok := ir.ElemOf(t).(*ir.IntegerType)
	if !ok || it.Width == 1 || arith.BoolOf(t) != c.Type {
		return false
	}
	x, y := constfold.Of(op.Operand(1)), constfold.Of(op.Operand(2))
	switch {
	case constfold.IsInt(x, 1) && constfold.IsInt(y, 0):
	case constfold.IsInt(x, 0) && constfold.IsInt(y, 1):
		c = not(rw, c)
	default:
		return false
	}
	rw.Replace(op, rw.Val(arith.ExtUI, t, c))
	return true
}
