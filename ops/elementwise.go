package ops

import "github.com/nereid-lang/nereid"

// The functions of elements, one row each: its name, its text in Triton's language with $0, $1, $2 for the
// operands, and the rule of its types.
var (
	fnAbs          = row("Abs", "tl.abs($0)", sameRule, "x")
	fnAcos         = row("Acos", "libdevice.acos($0)", realRule, "x")
	fnAcosh        = row("Acosh", "libdevice.acosh($0)", realRule, "x")
	fnAsin         = row("Asin", "libdevice.asin($0)", realRule, "x")
	fnAsinh        = row("Asinh", "libdevice.asinh($0)", realRule, "x")
	fnAtan         = row("Atan", "libdevice.atan($0)", realRule, "x")
	fnAtanh        = row("Atanh", "libdevice.atanh($0)", realRule, "x")
	fnCbrt         = row("Cbrt", "libdevice.cbrt($0)", realRule, "x")
	fnCeil         = row("Ceil", "tl.ceil($0)", realRule, "x")
	fnCos          = row("Cos", "tl.cos($0)", realRule, "x")
	fnCosh         = row("Cosh", "libdevice.cosh($0)", realRule, "x")
	fnErf          = row("Erf", "tl.erf($0)", realRule, "x")
	fnErfc         = row("Erfc", "libdevice.erfc($0)", realRule, "x")
	fnErfcinv      = row("Erfcinv", "libdevice.erfcinv($0)", realRule, "x")
	fnErfinv       = row("Erfinv", "libdevice.erfinv($0)", realRule, "x")
	fnExp          = row("Exp", "tl.exp($0)", realRule, "x")
	fnExp2         = row("Exp2", "tl.exp2($0)", realRule, "x")
	fnExpm1        = row("Expm1", "libdevice.expm1($0)", realRule, "x")
	fnFloor        = row("Floor", "tl.floor($0)", realRule, "x")
	fnGamma        = row("Gamma", "libdevice.tgamma($0)", realRule, "x")
	fnGELU         = row("GELU", "functions.gelu($0)", realRule, "x")
	fnGELUTanh     = row("GELUTanh", "functions.gelu_tanh($0)", realRule, "x")
	fnIsInf        = row("IsInf", "libdevice.isinf($0) != 0", testRule, "x")
	fnIsNaN        = row("IsNaN", "$0 != $0", testRule, "x")
	fnJ0           = row("J0", "libdevice.j0($0)", realRule, "x")
	fnJ1           = row("J1", "libdevice.j1($0)", realRule, "x")
	fnLgamma       = row("Lgamma", "libdevice.lgamma($0)", realRule, "x")
	fnLog          = row("Log", "tl.log($0)", realRule, "x")
	fnLog10        = row("Log10", "libdevice.log10($0)", realRule, "x")
	fnLog1p        = row("Log1p", "libdevice.log1p($0)", realRule, "x")
	fnLog2         = row("Log2", "tl.log2($0)", realRule, "x")
	fnLogb         = row("Logb", "libdevice.logb($0)", realRule, "x")
	fnNeg          = row("Neg", "functions.negative($0)", sameRule, "x")
	fnNot          = row("Not", "~$0", bitsRule, "x")
	fnReciprocal   = row("Reciprocal", "1 / $0", realRule, "x")
	fnReLU         = row("ReLU", "functions.relu($0)", realRule, "x")
	fnRound        = row("Round", "libdevice.round($0)", realRule, "x")
	fnRoundToEven  = row("RoundToEven", "libdevice.rint($0)", realRule, "x")
	fnRsqrt        = row("Rsqrt", "tl.rsqrt($0)", realRule, "x")
	fnSigmoid      = row("Sigmoid", "functions.sigmoid($0)", realRule, "x")
	fnSign         = row("Sign", "functions.sign($0)", sameRule, "x")
	fnSignbit      = row("Signbit", "libdevice.signbit($0) != 0", testRule, "x")
	fnSiLU         = row("SiLU", "functions.silu($0)", realRule, "x")
	fnSin          = row("Sin", "tl.sin($0)", realRule, "x")
	fnSinh         = row("Sinh", "libdevice.sinh($0)", realRule, "x")
	fnSoftplus     = row("Softplus", "functions.softplus($0)", realRule, "x")
	fnSqrt         = row("Sqrt", "libdevice.sqrt($0)", realRule, "x")
	fnSquare       = row("Square", "$0 * $0", sameRule, "x")
	fnTan          = row("Tan", "libdevice.tan($0)", realRule, "x")
	fnTanh         = row("Tanh", "libdevice.tanh($0)", realRule, "x").orShort("functions.tanh_short($0)")
	fnTrunc        = row("Trunc", "libdevice.trunc($0)", realRule, "x")
	fnY0           = row("Y0", "libdevice.y0($0)", realRule, "x")
	fnY1           = row("Y1", "libdevice.y1($0)", realRule, "x")
	fnAdd          = row("Add", "$0 + $1", sameRule, "x", "y")
	fnAnd          = row("And", "$0 & $1", bitsRule, "x", "y")
	fnAtan2        = row("Atan2", "libdevice.atan2($0, $1)", realRule, "x", "y")
	fnCopysign     = row("Copysign", "libdevice.copysign($0, $1)", realRule, "x", "y")
	fnDim          = row("Dim", "libdevice.fdim($0, $1)", realRule, "x", "y")
	fnDiv          = row("Div", "$0 / $1", realRule, "x", "y")
	fnEqual        = row("Equal", "$0 == $1", compareRule, "x", "y")
	fnGreater      = row("Greater", "$0 > $1", compareRule, "x", "y")
	fnGreaterEqual = row("GreaterEqual", "$0 >= $1", compareRule, "x", "y")
	fnHypot        = row("Hypot", "libdevice.hypot($0, $1)", realRule, "x", "y")
	fnLess         = row("Less", "$0 < $1", compareRule, "x", "y")
	fnLessEqual    = row("LessEqual", "$0 <= $1", compareRule, "x", "y")
	fnMaximum      = row("Maximum", "functions.maximum($0, $1)", sameRule, "x", "y")
	fnMinimum      = row("Minimum", "functions.minimum($0, $1)", sameRule, "x", "y")
	fnMod          = row("Mod", "$0 % $1", sameRule, "x", "y")
	fnMul          = row("Mul", "$0 * $1", sameRule, "x", "y")
	fnNextafter    = row("Nextafter", "libdevice.nextafter($0, $1)", realRule, "x", "y")
	fnNotEqual     = row("NotEqual", "$0 != $1", compareRule, "x", "y")
	fnOr           = row("Or", "$0 | $1", bitsRule, "x", "y")
	fnPow          = row("Pow", "libdevice.pow($0, $1)", realRule, "x", "y")
	fnQuo          = row("Quo", "$0 // $1", integersRule, "x", "y")
	fnRemainder    = row("Remainder", "libdevice.remainder($0, $1)", realRule, "x", "y")
	fnShiftLeft    = row("ShiftLeft", "$0 << $1", integersRule, "x", "y")
	fnShiftRight   = row("ShiftRight", "$0 >> $1", integersRule, "x", "y")
	fnSub          = row("Sub", "$0 - $1", sameRule, "x", "y")
	fnXor          = row("Xor", "$0 ^ $1", bitsRule, "x", "y")
	fnClamp        = row("Clamp", "functions.minimum(functions.maximum($0, $1), $2)", sameRule, "x",
		"low", "high")
	fnFMA   = row("FMA", "tl.fma($0, $1, $2)", realRule, "x", "y", "z")
	fnWhere = row("Where", "tl.where($0, $1, $2)", whereRule, "condition", "x", "y")
)

// Abs returns |x|.
func Abs(s *Stream, x any) *nereid.Tensor { return s.apply(fnAbs.fused, x) }

// Acos returns the arccosine.
func Acos(s *Stream, x any) *nereid.Tensor { return s.apply(fnAcos.fused, x) }

// Acosh returns the inverse hyperbolic cosine.
func Acosh(s *Stream, x any) *nereid.Tensor { return s.apply(fnAcosh.fused, x) }

// Asin returns the arcsine.
func Asin(s *Stream, x any) *nereid.Tensor { return s.apply(fnAsin.fused, x) }

// Asinh returns the inverse hyperbolic sine.
func Asinh(s *Stream, x any) *nereid.Tensor { return s.apply(fnAsinh.fused, x) }

// Atan returns the arctangent.
func Atan(s *Stream, x any) *nereid.Tensor { return s.apply(fnAtan.fused, x) }

// Atanh returns the inverse hyperbolic tangent.
func Atanh(s *Stream, x any) *nereid.Tensor { return s.apply(fnAtanh.fused, x) }

// Cbrt returns the cube root.
func Cbrt(s *Stream, x any) *nereid.Tensor { return s.apply(fnCbrt.fused, x) }

// Ceil returns x rounded up to an integer.
func Ceil(s *Stream, x any) *nereid.Tensor { return s.apply(fnCeil.fused, x) }

// Cos returns the cosine.
func Cos(s *Stream, x any) *nereid.Tensor { return s.apply(fnCos.fused, x) }

// Cosh returns the hyperbolic cosine.
func Cosh(s *Stream, x any) *nereid.Tensor { return s.apply(fnCosh.fused, x) }

// Erf returns the error function.
func Erf(s *Stream, x any) *nereid.Tensor { return s.apply(fnErf.fused, x) }

// Erfc returns the complementary error function.
func Erfc(s *Stream, x any) *nereid.Tensor { return s.apply(fnErfc.fused, x) }

// Erfcinv returns the inverse of Erfc.
func Erfcinv(s *Stream, x any) *nereid.Tensor { return s.apply(fnErfcinv.fused, x) }

// Erfinv returns the inverse of Erf.
func Erfinv(s *Stream, x any) *nereid.Tensor { return s.apply(fnErfinv.fused, x) }

// Exp returns e**x.
func Exp(s *Stream, x any) *nereid.Tensor { return s.apply(fnExp.fused, x) }

// Exp2 returns 2**x.
func Exp2(s *Stream, x any) *nereid.Tensor { return s.apply(fnExp2.fused, x) }

// Expm1 returns e**x - 1, exact near 0.
func Expm1(s *Stream, x any) *nereid.Tensor { return s.apply(fnExpm1.fused, x) }

// Floor returns x rounded down to an integer.
func Floor(s *Stream, x any) *nereid.Tensor { return s.apply(fnFloor.fused, x) }

// Gamma returns the gamma function.
func Gamma(s *Stream, x any) *nereid.Tensor { return s.apply(fnGamma.fused, x) }

// GELU returns x times the normal distribution function of x.
func GELU(s *Stream, x any) *nereid.Tensor { return s.apply(fnGELU.fused, x) }

// GELUTanh returns the approximation of GELU by a hyperbolic tangent.
func GELUTanh(s *Stream, x any) *nereid.Tensor { return s.apply(fnGELUTanh.fused, x) }

// IsInf returns whether x is an infinity.
func IsInf(s *Stream, x any) *nereid.Tensor { return s.apply(fnIsInf.fused, x) }

// IsNaN returns whether x is not a number.
func IsNaN(s *Stream, x any) *nereid.Tensor { return s.apply(fnIsNaN.fused, x) }

// J0 returns the Bessel function of the first kind of order 0.
func J0(s *Stream, x any) *nereid.Tensor { return s.apply(fnJ0.fused, x) }

// J1 returns the Bessel function of the first kind of order 1.
func J1(s *Stream, x any) *nereid.Tensor { return s.apply(fnJ1.fused, x) }

// Lgamma returns the logarithm of |Gamma(x)|.
func Lgamma(s *Stream, x any) *nereid.Tensor { return s.apply(fnLgamma.fused, x) }

// Log returns the natural logarithm.
func Log(s *Stream, x any) *nereid.Tensor { return s.apply(fnLog.fused, x) }

// Log10 returns the logarithm to base 10.
func Log10(s *Stream, x any) *nereid.Tensor { return s.apply(fnLog10.fused, x) }

// Log1p returns log(1 + x), exact near 0.
func Log1p(s *Stream, x any) *nereid.Tensor { return s.apply(fnLog1p.fused, x) }

// Log2 returns the logarithm to base 2.
func Log2(s *Stream, x any) *nereid.Tensor { return s.apply(fnLog2.fused, x) }

// Logb returns the exponent of x to base 2.
func Logb(s *Stream, x any) *nereid.Tensor { return s.apply(fnLogb.fused, x) }

// Neg returns -x.
func Neg(s *Stream, x any) *nereid.Tensor { return s.apply(fnNeg.fused, x) }

// Not returns the inverted bits of an integer, or not x for a bool.
func Not(s *Stream, x any) *nereid.Tensor { return s.apply(fnNot.fused, x) }

// Reciprocal returns 1/x.
func Reciprocal(s *Stream, x any) *nereid.Tensor { return s.apply(fnReciprocal.fused, x) }

// ReLU returns x, or 0 where it is negative.
func ReLU(s *Stream, x any) *nereid.Tensor { return s.apply(fnReLU.fused, x) }

// Round returns x rounded to an integer, halves away from 0.
func Round(s *Stream, x any) *nereid.Tensor { return s.apply(fnRound.fused, x) }

// RoundToEven returns x rounded to an integer, halves to even.
func RoundToEven(s *Stream, x any) *nereid.Tensor { return s.apply(fnRoundToEven.fused, x) }

// Rsqrt returns 1/sqrt(x).
func Rsqrt(s *Stream, x any) *nereid.Tensor { return s.apply(fnRsqrt.fused, x) }

// Sigmoid returns 1/(1 + e**-x).
func Sigmoid(s *Stream, x any) *nereid.Tensor { return s.apply(fnSigmoid.fused, x) }

// Sign returns -1, 0 or 1, as x is negative, 0 or positive; NaN for NaN.
func Sign(s *Stream, x any) *nereid.Tensor { return s.apply(fnSign.fused, x) }

// Signbit returns whether x is negative or negative zero.
func Signbit(s *Stream, x any) *nereid.Tensor { return s.apply(fnSignbit.fused, x) }

// SiLU returns x * Sigmoid(x).
func SiLU(s *Stream, x any) *nereid.Tensor { return s.apply(fnSiLU.fused, x) }

// Sin returns the sine.
func Sin(s *Stream, x any) *nereid.Tensor { return s.apply(fnSin.fused, x) }

// Sinh returns the hyperbolic sine.
func Sinh(s *Stream, x any) *nereid.Tensor { return s.apply(fnSinh.fused, x) }

// Softplus returns log(1 + e**x).
func Softplus(s *Stream, x any) *nereid.Tensor { return s.apply(fnSoftplus.fused, x) }

// Sqrt returns the square root.
func Sqrt(s *Stream, x any) *nereid.Tensor { return s.apply(fnSqrt.fused, x) }

// Square returns x*x.
func Square(s *Stream, x any) *nereid.Tensor { return s.apply(fnSquare.fused, x) }

// Tan returns the tangent.
func Tan(s *Stream, x any) *nereid.Tensor { return s.apply(fnTan.fused, x) }

// Tanh returns the hyperbolic tangent.
func Tanh(s *Stream, x any) *nereid.Tensor { return s.apply(fnTanh.fused, x) }

// Trunc returns x rounded toward 0 to an integer.
func Trunc(s *Stream, x any) *nereid.Tensor { return s.apply(fnTrunc.fused, x) }

// Y0 returns the Bessel function of the second kind of order 0.
func Y0(s *Stream, x any) *nereid.Tensor { return s.apply(fnY0.fused, x) }

// Y1 returns the Bessel function of the second kind of order 1.
func Y1(s *Stream, x any) *nereid.Tensor { return s.apply(fnY1.fused, x) }

// Add returns x + y.
func Add(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnAdd.fused, x, y) }

// And returns x and y, bit by bit.
func And(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnAnd.fused, x, y) }

// Atan2 returns the angle of the point (y, x): the arctangent of x/y, by the signs of both.
func Atan2(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnAtan2.fused, x, y) }

// Copysign returns |x| with the sign of y.
func Copysign(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnCopysign.fused, x, y) }

// Dim returns x - y, or 0 where it is negative.
func Dim(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnDim.fused, x, y) }

// Div returns x/y as real numbers.
func Div(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnDiv.fused, x, y) }

// Equal returns whether x == y.
func Equal(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnEqual.fused, x, y) }

// Greater returns whether x > y.
func Greater(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnGreater.fused, x, y) }

// GreaterEqual returns whether x >= y.
func GreaterEqual(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnGreaterEqual.fused, x, y) }

// Hypot returns sqrt(x*x + y*y) without overflow.
func Hypot(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnHypot.fused, x, y) }

// Less returns whether x < y.
func Less(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnLess.fused, x, y) }

// LessEqual returns whether x <= y.
func LessEqual(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnLessEqual.fused, x, y) }

// Maximum returns the larger of x and y, NaN if one is.
func Maximum(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnMaximum.fused, x, y) }

// Minimum returns the smaller of x and y, NaN if one is.
func Minimum(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnMinimum.fused, x, y) }

// Mod returns the remainder of x/y with the sign of x, as Go has it.
func Mod(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnMod.fused, x, y) }

// Mul returns x * y.
func Mul(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnMul.fused, x, y) }

// Nextafter returns the next number after x towards y, in the type of computation.
func Nextafter(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnNextafter.fused, x, y) }

// NotEqual returns whether x != y.
func NotEqual(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnNotEqual.fused, x, y) }

// Or returns x or y, bit by bit.
func Or(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnOr.fused, x, y) }

// Pow returns x**y.
func Pow(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnPow.fused, x, y) }

// Quo returns the quotient of integers rounded toward 0, as Go has it.
func Quo(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnQuo.fused, x, y) }

// Remainder returns the remainder of x/y rounded to the nearest integer.
func Remainder(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnRemainder.fused, x, y) }

// ShiftLeft returns x << y.
func ShiftLeft(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnShiftLeft.fused, x, y) }

// ShiftRight returns x >> y.
func ShiftRight(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnShiftRight.fused, x, y) }

// Sub returns x - y.
func Sub(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnSub.fused, x, y) }

// Xor returns x exclusive or y, bit by bit.
func Xor(s *Stream, x, y any) *nereid.Tensor { return s.apply(fnXor.fused, x, y) }

// Clamp returns x, low where it is less, high where it is more.
func Clamp(s *Stream, x, low, high any) *nereid.Tensor {
	return s.apply(fnClamp.fused, x, low, high)
}

// FMA returns x*y + z rounded once.
func FMA(s *Stream, x, y, z any) *nereid.Tensor {
	return s.apply(fnFMA.fused, x, y, z)
}

// Where returns x where the condition, of bools, holds, and y elsewhere.
func Where(s *Stream, condition, x, y any) *nereid.Tensor {
	return s.apply(fnWhere.fused, condition, x, y)
}
