package arith

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// Folders of casts.
var _ = Dialect.Folders(map[*ir.OpDef]ir.FoldFunc{
	ExtSI: first(widenTwice, castInt(func(i constfold.Ints) (int64, bool) { return i.X, true })),
	ExtUI: first(widenTwice, castInt(func(i constfold.Ints) (int64, bool) {
		return int64(i.UX), true
	})),
	TruncI: first(truncOfExt, truncTwice, castInt(func(i constfold.Ints) (int64, bool) {
		return i.X, true
	})),
	ExtF:   castFloat,
	TruncF: first(truncFOfExt, truncFConst),
	SIToFP: intToFloat(true),
	UIToFP: intToFloat(false),
	FPToSI: floatToInt(func(width int) (lo, hi float64) {
		return -math.Ldexp(1, width-1), math.Ldexp(1, width-1)
	}),
	FPToUI:      floatToInt(func(width int) (lo, hi float64) { return 0, math.Ldexp(1, width) }),
	IndexCast:   first(castBack, castInt(func(i constfold.Ints) (int64, bool) { return i.X, true })),
	IndexCastUI: first(castBack, castInt(func(i constfold.Ints) (int64, bool) { return int64(i.UX), true })),
	Bitcast:     foldBitcast,
})

func castInt(f func(constfold.Ints) (int64, bool)) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.IntUnary(op.Result(0).Type, consts[0], f))
	}
}

// widenTwice: ext(ext(x)) is ext(x).
func widenTwice(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	if inner := op.Operand(0).DefBy(op.Def); inner != nil {
		op.SetOperand(0, inner.Operand(0))
		return inPlace(op)
	}
	return nil
}

// truncOfExt: trunc(ext(x)) is x, or a narrower trunc(x).
func truncOfExt(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	ext := op.Operand(0).Def()
	if ext == nil || ext.Def != ExtSI && ext.Def != ExtUI {
		return nil
	}
	src := ext.Operand(0)
	if src.Type == op.Result(0).Type {
		return value(src)
	}
	if ir.BitWidth(ir.ElemOf(src.Type)) > ir.BitWidth(ir.ElemOf(op.Result(0).Type)) {
		op.SetOperand(0, src)
		return inPlace(op)
	}
	return nil
}

// truncTwice: trunc(trunc(x)) is trunc(x).
func truncTwice(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	inner := op.Operand(0).DefBy(TruncI)
	if inner == nil {
		return nil
	}
	op.SetAttr("overflowFlags", (OverflowOf(op) & OverflowOf(inner)).Attr())
	op.SetOperand(0, inner.Operand(0))
	return inPlace(op)
}

func castFloat(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	return constant(constfold.FloatUnary(op.Result(0).Type, consts[0], func(x float64) (float64, bool) {
		return x, true
	}))
}

// truncFConst rounds a constant to nearest; other rounding modes are left to the hardware.
func truncFConst(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.IntOr("roundingmode", ToNearestEven) != ToNearestEven {
		return nil
	}
	return castFloat(op, consts)
}

// truncFOfExt: truncf(extf(x)) is x, or a narrower truncf(x), since extf loses nothing.
func truncFOfExt(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	ext := op.Operand(0).DefBy(ExtF)
	if ext == nil {
		return nil
	}
	src := ext.Operand(0)
	from, mid, to := floatElem(src.Type), floatElem(ext.Result(0).Type), floatElem(op.Result(0).Type)
	if !holds(mid, from) {
		return nil
	}
	if from == to && src.Type == op.Result(0).Type {
		return value(src)
	}
	if from.Format.Bits > to.Format.Bits {
		op.SetOperand(0, src)
		return inPlace(op)
	}
	return nil
}

func floatElem(t ir.Type) *ir.FloatType { return ir.ElemOf(t).(*ir.FloatType) }

// holds reports whether every value of a narrow format is one of a wide format.
func holds(wide, narrow *ir.FloatType) bool {
	w, n := wide.Format, narrow.Format
	return w.Man >= n.Man && w.Bias >= n.Bias && w.Exp >= n.Exp && (w.Kind == num.IEEE || w.Kind == n.Kind)
}

// intToFloat converts integer constants, where a float64 on the way does not round twice.
func intToFloat(signed bool) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		t := op.Result(0).Type
		to := floatElem(t)
		return constant(constfold.IntUnary(t, consts[0], func(i constfold.Ints) (int64, bool) {
			v, exact := float64(i.X), i.X >= -1<<53 && i.X <= 1<<53
			if !signed {
				v, exact = float64(i.UX), i.UX <= 1<<53
			}
			return int64(to.Format.Encode(v)), exact || to == ir.F64
		}))
	}
}

// floatToInt converts float constants that are in range, after rounding toward zero.
func floatToInt(bounds func(width int) (lo, hi float64)) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		t := op.Result(0).Type
		lo, hi := bounds(ir.BitWidth(ir.ElemOf(t)))
		return constant(constfold.FloatToInt(t, consts[0], func(x float64) (int64, bool) {
			x = math.Trunc(x)
			switch {
			case !(x >= lo && x < hi): // NaN too
				return 0, false
			case x >= 1<<63:
				return int64(uint64(x)), true
			}
			return int64(x), true
		}))
	}
}

// castBack: a cast to index and back is nothing when it loses nothing: the type on the way is as wide.
func castBack(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	inner := op.Operand(0).DefBy(op.Def)
	if inner == nil || inner.Operand(0).Type != op.Result(0).Type {
		return nil
	}
	if ir.BitWidth(ir.ElemOf(op.Operand(0).Type)) < ir.BitWidth(ir.ElemOf(op.Result(0).Type)) {
		return nil
	}
	return value(inner.Operand(0))
}

func foldBitcast(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	x := op.Operand(0)
	if x.Type == op.Result(0).Type {
		return value(x)
	}
	if inner := x.DefBy(Bitcast); inner != nil {
		op.SetOperand(0, inner.Operand(0))
		return inPlace(op)
	}
	return constant(constfold.Bitcast(op.Result(0).Type, consts[0]))
}
