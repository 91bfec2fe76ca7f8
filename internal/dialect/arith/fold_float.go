package arith

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Folders of float arithmetic: only what holds for infinities, NaNs and signed zeros too, unless flags
// allow more.
var _ = Dialect.Folders(map[*ir.OpDef]ir.FoldFunc{
	AddF: first(neutralF(math.Copysign(0, -1)), floats(func(x, y float64) float64 { return x + y })),
	SubF: first(neutralF(0), floats(func(x, y float64) float64 { return x - y })),
	MulF: first(neutralF(1), timesZero, floats(func(x, y float64) float64 { return x * y })),
	DivF: first(neutralF(1), floats(func(x, y float64) float64 { return x / y })),
	RemF: floats(math.Mod),
	NegF: func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.FloatUnary(op.Result(0).Type, consts[0], func(x float64) (float64, bool) {
			return -x, true
		}))
	},
	MaximumF: first(sameF, neutralF(math.Inf(-1)), floats(math.Max)),
	MinimumF: first(sameF, neutralF(math.Inf(1)), floats(math.Min)),
	MaxNumF:  first(sameF, ignoreNaN, floats(maxNum)),
	MinNumF:  first(sameF, ignoreNaN, floats(minNum)),
})

// floats computes with two float constants; see constfold.FloatBinary for why one rounding is enough.
func floats(f func(x, y float64) float64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.FloatBinary(op.Result(0).Type, consts[0], consts[1],
			func(x, y float64) (float64, bool) {
				return f(x, y), true
			}))
	}
}

// neutralF: x op v is x.
func neutralF(v float64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		if isFloat(consts[1], v) {
			return value(op.Operand(0))
		}
		return nil
	}
}

// isFloat is constfold.IsFloat, except that what a format cannot hold (an infinity) equals nothing.
func isFloat(a ir.Attr, v float64) bool {
	f, ok := constfold.Float(a)
	return ok && constfold.IsFloat(a, v) && f.Value() == v
}

// timesZero: x * 0 is 0 when neither NaNs nor the sign of zero matter.
func timesZero(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	const need = NoNaNs | NoSignedZeros
	if f, ok := constfold.Float(consts[1]); ok && f.Value() == 0 && FastMathOf(op)&need == need {
		return constant(consts[1])
	}
	return nil
}

// sameF: max(x, x) is x.
func sameF(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	if op.Operand(0) == op.Operand(1) {
		return value(op.Operand(0))
	}
	return nil
}

// ignoreNaN: maxnum(x, NaN) is x.
func ignoreNaN(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if constfold.IsNaN(consts[1]) {
		return value(op.Operand(0))
	}
	return nil
}

func maxNum(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Max(x, y)
}

func minNum(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}
