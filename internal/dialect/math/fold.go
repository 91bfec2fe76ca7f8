package math

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Folders of constants. Functions whose float64 version in Go is exact fold in every format; elementary
// functions fold up to f32, where the error of a float64 computation almost never shows, and stay as they
// are for f64.
var _ = Dialect.Folders(map[*ir.OpDef]ir.FoldFunc{
	AbsF:      exact(math.Abs),
	Ceil:      exact(math.Ceil),
	Floor:     exact(math.Floor),
	Round:     exact(math.Round),
	RoundEven: exact(math.RoundToEven),
	Sqrt:      exact(math.Sqrt),
	Trunc:     exact(math.Trunc),

	Acos:  elementary(math.Acos),
	Acosh: elementary(math.Acosh),
	Asin:  elementary(math.Asin),
	Asinh: elementary(math.Asinh),
	Atan:  elementary(math.Atan),
	Atanh: elementary(math.Atanh),
	Cbrt:  elementary(math.Cbrt),
	Cos:   elementary(math.Cos),
	Cosh:  elementary(math.Cosh),
	Erf:   elementary(math.Erf),
	Erfc:  elementary(math.Erfc),
	Exp:   elementary(math.Exp),
	Exp2:  elementary(math.Exp2),
	ExpM1: elementary(math.Expm1),
	Log:   elementary(math.Log),
	Log10: elementary(math.Log10),
	Log1p: elementary(math.Log1p),
	Log2:  elementary(math.Log2),
	Rsqrt: elementary(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	Sin:   elementary(math.Sin),
	Sinh:  elementary(math.Sinh),
	Tan:   elementary(math.Tan),
	Tanh:  elementary(math.Tanh),
	PowF:  elementary2(math.Pow),
	Atan2: elementary2(math.Atan2),

	CopySign: foldCopySign,
	Fma:      foldFma,

	IsFinite: test1(func(x float64) bool { return x-x == 0 }),
	IsInf:    test1(func(x float64) bool { return math.IsInf(x, 0) }),
	IsNaN:    test1(math.IsNaN),

	AbsI:  ints(func(i constfold.Ints) int64 { return max(i.X, -i.X) }),
	CtLZ:  ints(func(i constfold.Ints) int64 { return int64(bits.LeadingZeros64(i.UX) - 64 + i.Width) }),
	CtPop: ints(func(i constfold.Ints) int64 { return int64(bits.OnesCount64(i.UX)) }),
	CtTZ:  ints(func(i constfold.Ints) int64 { return int64(min(bits.TrailingZeros64(i.UX), i.Width)) }),
})

func constant(a ir.Attr) []ir.FoldResult {
	if a == nil {
		return nil
	}
	return []ir.FoldResult{{Const: a}}
}

func exact(f func(float64) float64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.FloatUnary(op.Result(0).Type, consts[0], func(x float64) (float64, bool) {
			r := f(x)
			return r, r == r || x != x // the root of a negative number is left alone
		}))
	}
}

// narrow reports whether a float64 has bits to spare over op's format.
func narrow(op *ir.Op) bool { return ir.BitWidth(ir.ElemOf(op.Result(0).Type)) <= 32 }

func elementary(f func(float64) float64) ir.FoldFunc {
	fold := exact(f)
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		if !narrow(op) {
			return nil
		}
		return fold(op, consts)
	}
}

func elementary2(f func(x, y float64) float64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		if !narrow(op) {
			return nil
		}
		return constant(constfold.FloatBinary(op.Result(0).Type, consts[0], consts[1],
			func(x, y float64) (float64, bool) {
				r := f(x, y)
				return r, r == r
			}))
	}
}

// foldCopySign: constants, and copysign(x, x), which is x.
func foldCopySign(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.Operand(0) == op.Operand(1) {
		return []ir.FoldResult{{Value: op.Operand(0)}}
	}
	return constant(constfold.FloatBinary(op.Result(0).Type, consts[0], consts[1],
		func(x, y float64) (float64, bool) {
			return math.Copysign(x, y), true
		}))
}

// foldFma rounds once, where Go can: f64 by math.FMA, f32 by a float with room for the whole sum.
func foldFma(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	t := op.Result(0).Type
	elem, _ := ir.ElemOf(t).(*ir.FloatType)
	if elem != ir.F32 && elem != ir.F64 || consts[0] == nil || consts[1] == nil || consts[2] == nil {
		return nil
	}
	return constant(constfold.Map(t, consts, func(x []uint64) (uint64, bool) {
		a, b, c := elem.Format.Decode(x[0]), elem.Format.Decode(x[1]), elem.Format.Decode(x[2])
		r := math.FMA(a, b, c)
		if r-r != 0 || elem == ir.F64 { // infinities and NaNs need no rounding
			return elem.Format.Encode(r), r == r
		}
		sum := new(big.Float).SetPrec(1024).SetFloat64(a)
		sum.Mul(sum, big.NewFloat(b))
		sum.Add(sum, big.NewFloat(c))
		s, _ := sum.Float32()
		return elem.Format.Encode(float64(s)), s != 0 // the sign of an exact zero is not big.Float's business
	}))
}

func test1(f func(float64) bool) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.FloatToInt(op.Result(0).Type, consts[0], func(x float64) (int64, bool) {
			if f(x) {
				return 1, true
			}
			return 0, true
		}))
	}
}

func ints(f func(constfold.Ints) int64) ir.FoldFunc {
	return func(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
		return constant(constfold.IntUnary(op.Result(0).Type, consts[0],
			func(i constfold.Ints) (int64, bool) {
				return f(i), true
			}))
	}
}
