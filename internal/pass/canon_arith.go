package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// arithPatterns are MLIR's canonicalizations of arith, those that make new operations; the rest are folders.
// Sums that are regrouped lose their promises not to overflow.
var arithPatterns = []Pattern{
	{arith.AddI, regroup},
	{arith.SubI, regroup},
	{arith.MulI, regroup},
	{arith.AddI, addNegated},
	{arith.SubI, subSelf},

	{arith.AddUIExtended, lowHalf(arith.AddI)},
	{arith.MulSIExtended, lowHalf(arith.MulI)},
	{arith.MulUIExtended, lowHalf(arith.MulI)},
	{arith.MulSIExtended, wideByOne},

	{arith.XOrI, notCmp},
	{arith.XOrI, narrowBitwise},
	{arith.AndI, narrowBitwise},
	{arith.OrI, narrowBitwise},

	{arith.CmpI, narrowCmp},
	{arith.ExtSI, extOfUnsigned},
	{arith.TruncI, truncToExt},
	{arith.IndexCast, castOfExt(arith.ExtSI)},
	{arith.IndexCastUI, castOfExt(arith.ExtUI)},

	{arith.MulF, bothNegated},
	{arith.DivF, bothNegated},

	{arith.Select, selectOfSelect},
	{arith.Select, selectNot},
	{arith.Select, selectToLogic},
	{arith.Select, selectToExt},
}

// term is ±x + c or, with no x, the constant c alone.
type term struct {
	x   *ir.Value
	neg bool
	c   ir.Attr
}

// asTerm reads v as a sum or difference of one value and a constant.
func asTerm(v *ir.Value) (term, bool) {
	def := v.Def()
	if def == nil || def.Def != arith.AddI && def.Def != arith.SubI {
		return term{}, false
	}
	l, r := def.Operand(0), def.Operand(1)
	lc, rc := constfold.Of(l), constfold.Of(r)
	switch {
	case rc != nil && lc == nil && def.Def == arith.AddI:
		return term{l, false, rc}, true
	case rc != nil && lc == nil:
		return term{l, false, negate(rc, v.Type)}, true
	case lc != nil && rc == nil:
		return term{r, def.Def == arith.SubI, lc}, true
	}
	return term{}, false
}

func negate(c ir.Attr, t ir.Type) ir.Attr {
	return constfold.IntUnary(t, c, func(i constfold.Ints) (int64, bool) { return -i.X, true })
}

func addConst(a, b ir.Attr, t ir.Type) ir.Attr {
	return constfold.IntBinary(t, a, b, func(i constfold.Ints) (int64, bool) { return i.X + i.Y, true })
}

// regroup joins the constants of nested sums and differences, and of nested products: (x + c0) + c1, (c0 - x)
// - c1, c1 - (x - c0), (x * c0) * c1 and so on. It does so for scalars, as MLIR does: a tensor's inner sum is
// often wanted by others, and a new constant costs more than a shared one.
func regroup(rw *Rewriter, op *ir.Op) bool {
	l, r := op.Operand(0), op.Operand(1)
	t := op.Result(0).Type
	if ir.ElemOf(t) != t {
		return false
	}
	if op.Def == arith.MulI {
		return regroupMul(rw, op)
	}
	var inner term
	var ok bool
	var c ir.Attr
	sub := op.Def == arith.SubI
	switch lc, rc := constfold.Of(l), constfold.Of(r); {
	case rc != nil && lc == nil:
		inner, ok = asTerm(l)
		if c = rc; sub {
			c = negate(rc, t)
		}
	case lc != nil && rc == nil && sub:
		if inner, ok = asTerm(r); ok {
			inner.neg, inner.c = !inner.neg, negate(inner.c, t)
		}
		c = lc
	}
	if !ok || inner.c == nil || c == nil {
		return false
	}
	sum := addConst(inner.c, c, t)
	if sum == nil || constfold.IsPoison(sum) {
		return false
	}
	k := rw.Const(sum, t)
	if inner.neg {
		rw.Replace(op, rw.Val(arith.SubI, t, k, inner.x))
	} else {
		rw.Replace(op, rw.Val(arith.AddI, t, inner.x, k))
	}
	return true
}

func regroupMul(rw *Rewriter, op *ir.Op) bool {
	inner, c := op.Operand(0).DefBy(arith.MulI), constfold.Of(op.Operand(1))
	if inner == nil || c == nil {
		return false
	}
	t := op.Result(0).Type
	product := constfold.IntBinary(t, constfold.Of(inner.Operand(1)), c,
		func(i constfold.Ints) (int64, bool) {
			return i.X * i.Y, true
		})
	if product == nil {
		return false
	}
	rw.Replace(op, rw.Val(arith.MulI, t, inner.Operand(0), rw.Const(product, t)))
	return true
}

// addNegated: x + y * -1 is x - y.
func addNegated(rw *Rewriter, op *ir.Op) bool {
	for i := range 2 {
		mul := op.Operand(i).DefBy(arith.MulI)
		if mul != nil && constfold.IsAllOnes(constfold.Of(mul.Operand(1))) {
			rw.Replace(op, rw.Val(arith.SubI, op.Result(0).Type, op.Operand(1-i), mul.Operand(0)))
			return true
		}
	}
	return false
}

// subSelf: (a - b) - a is 0 - b.
func subSelf(rw *Rewriter, op *ir.Op) bool {
	inner := op.Operand(0).DefBy(arith.SubI)
	if inner == nil || inner.Operand(0) != op.Operand(1) {
		return false
	}
	t := op.Result(0).Type
	zero := constfold.IntOfType(0, t)
	if zero == nil {
		return false
	}
	rw.Replace(op, rw.Val(arith.SubI, t, rw.Const(zero, t), inner.Operand(1)))
	return true
}

// lowHalf: an operation of double width whose second result nobody wants is a plain one.
func lowHalf(def *ir.OpDef) func(*Rewriter, *ir.Op) bool {
	return func(rw *Rewriter, op *ir.Op) bool {
		if op.Result(1).HasUses() {
			return false
		}
		low := rw.Val(def, op.Result(0).Type, op.Operand(0), op.Operand(1))
		rw.Replace(op, low, nil)
		return true
	}
}

// wideByOne: x times one, as a signed product of double width, is x and its sign.
func wideByOne(rw *Rewriter, op *ir.Op) bool {
	if !constfold.IsInt(constfold.Of(op.Operand(1)), 1) {
		return false
	}
	x := op.Operand(0)
	if ir.ElemOf(x.Type) == ir.I1 || ir.ElemOf(x.Type) == ir.Index {
		return false
	}
	negative := cmpi(rw.Builder, arith.SLT, x, rw.Const(constfold.IntOfType(0, x.Type), x.Type))
	rw.Replace(op, x, rw.Val(arith.ExtSI, x.Type, negative))
	return true
}

func cmpi(b *ir.Builder, pred int64, x, y *ir.Value) *ir.Value {
	return b.ValA(arith.CmpI, arith.BoolOf(x.Type), []ir.NamedAttr{ir.A("predicate", ir.I64Attr(pred))}, x, y)
}

// isTrue reports whether v is the constant true, in every element.
func isTrue(v *ir.Value) bool {
	return ir.ElemOf(v.Type) == ir.I1 && constfold.IsInt(constfold.Of(v), 1)
}

// negated returns x when v is not(x), and nil otherwise.
func negated(v *ir.Value) *ir.Value {
	if x := v.DefBy(arith.XOrI); x != nil && isTrue(x.Operand(1)) {
		return x.Operand(0)
	}
	return nil
}

// not returns the negation of a truth value.
func not(rw *Rewriter, v *ir.Value) *ir.Value {
	return rw.Val(arith.XOrI, v.Type, v, rw.Const(constfold.IntOfType(1, v.Type), v.Type))
}

// notCmp: the negation of a comparison is the inverse comparison.
func notCmp(rw *Rewriter, op *ir.Op) bool {
	cmp := op.Operand(0).DefBy(arith.CmpI)
	if cmp == nil || !isTrue(op.Operand(1)) {
		return false
	}
	inverse := arith.CmpIRows[cmp.IntOr("predicate", 0)].Inverse
	rw.Replace(op, cmpi(rw.Builder, inverse, cmp.Operand(0), cmp.Operand(1)))
	return true
}

// bothExtended returns the operands of op before both were widened in the same way from one type, and the
// widening op.
func bothExtended(op *ir.Op) (x, y *ir.Value, ext *ir.OpDef) {
	l, r := op.Operand(0).Def(), op.Operand(1).Def()
	if l == nil || r == nil || l.Def != r.Def || l.Def != arith.ExtSI && l.Def != arith.ExtUI {
		return nil, nil, nil
	}
	if l.Operand(0).Type != r.Operand(0).Type {
		return nil, nil, nil
	}
	return l.Operand(0), r.Operand(0), l.Def
}

// narrowBitwise: and, or and xor go before the widening of both operands.
func narrowBitwise(rw *Rewriter, op *ir.Op) bool {
	x, y, ext := bothExtended(op)
	if ext == nil {
		return false
	}
	rw.Replace(op, rw.Val(ext, op.Result(0).Type, rw.Val(op.Def, x.Type, x, y)))
	return true
}

// narrowCmp compares before the widening of both operands. Sign extension keeps every order; zero extension
// all but the signed ones.
func narrowCmp(rw *Rewriter, op *ir.Op) bool {
	x, y, ext := bothExtended(op)
	pred := op.IntOr("predicate", 0)
	if ext == nil || ext == arith.ExtUI && pred != arith.EQ && pred != arith.NE &&
		!arith.CmpIRows[pred].Unsigned {
		return false
	}
	rw.Replace(op, cmpi(rw.Builder, pred, x, y))
	return true
}

// extOfUnsigned: what was widened with zeros has no sign left to copy.
func extOfUnsigned(rw *Rewriter, op *ir.Op) bool {
	inner := op.Operand(0).DefBy(arith.ExtUI)
	if inner == nil {
		return false
	}
	rw.Replace(op, rw.Val(arith.ExtUI, op.Result(0).Type, inner.Operand(0)))
	return true
}

// truncToExt: trunci(ext(x)) that is still wider than x is a smaller ext(x).
func truncToExt(rw *Rewriter, op *ir.Op) bool {
	ext := op.Operand(0).Def()
	if ext == nil || ext.Def != arith.ExtSI && ext.Def != arith.ExtUI {
		return false
	}
	if ir.BitWidth(ir.ElemOf(ext.Operand(0).Type)) >= ir.BitWidth(ir.ElemOf(op.Result(0).Type)) {
		return false // a folder's case
	}
	rw.Replace(op, rw.Val(ext.Def, op.Result(0).Type, ext.Operand(0)))
	return true
}

// castOfExt: index_cast(ext(x)) is index_cast(x), when both keep the sign, or neither.
func castOfExt(ext *ir.OpDef) func(*Rewriter, *ir.Op) bool {
	return func(rw *Rewriter, op *ir.Op) bool {
		inner := op.Operand(0).DefBy(ext)
		if inner == nil || ir.ElemOf(op.Result(0).Type) != ir.Index {
			return false
		}
		rw.Replace(op, rw.Val(op.Def, op.Result(0).Type, inner.Operand(0)))
		return true
	}
}

// bothNegated: -a * -b is a * b, -a / -b is a / b.
func bothNegated(rw *Rewriter, op *ir.Op) bool {
	l, r := op.Operand(0).DefBy(arith.NegF), op.Operand(1).DefBy(arith.NegF)
	if l == nil || r == nil {
		return false
	}
	attrs := []ir.NamedAttr{ir.A("fastmath", arith.FastMathOf(op).Attr())}
	rw.Replace(op, rw.ValA(op.Def, op.Result(0).Type, attrs, l.Operand(0), r.Operand(0)))
	return true
}
