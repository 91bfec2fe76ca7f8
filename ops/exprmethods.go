package ops

// The functions of elementwise.go as methods of formulas.

// Abs returns |x|.
func (x Expr) Abs() Expr { return apply(fnAbs, x) }

// Acos returns the arccosine.
func (x Expr) Acos() Expr { return apply(fnAcos, x) }

// Acosh returns the inverse hyperbolic cosine.
func (x Expr) Acosh() Expr { return apply(fnAcosh, x) }

// Asin returns the arcsine.
func (x Expr) Asin() Expr { return apply(fnAsin, x) }

// Asinh returns the inverse hyperbolic sine.
func (x Expr) Asinh() Expr { return apply(fnAsinh, x) }

// Atan returns the arctangent.
func (x Expr) Atan() Expr { return apply(fnAtan, x) }

// Atanh returns the inverse hyperbolic tangent.
func (x Expr) Atanh() Expr { return apply(fnAtanh, x) }

// Cbrt returns the cube root.
func (x Expr) Cbrt() Expr { return apply(fnCbrt, x) }

// Ceil returns x rounded up to an integer.
func (x Expr) Ceil() Expr { return apply(fnCeil, x) }

// Cos returns the cosine.
func (x Expr) Cos() Expr { return apply(fnCos, x) }

// Cosh returns the hyperbolic cosine.
func (x Expr) Cosh() Expr { return apply(fnCosh, x) }

// Erf returns the error function.
func (x Expr) Erf() Expr { return apply(fnErf, x) }

// Erfc returns the complementary error function.
func (x Expr) Erfc() Expr { return apply(fnErfc, x) }

// Erfcinv returns the inverse of Erfc.
func (x Expr) Erfcinv() Expr { return apply(fnErfcinv, x) }

// Erfinv returns the inverse of Erf.
func (x Expr) Erfinv() Expr { return apply(fnErfinv, x) }

// Exp returns e**x.
func (x Expr) Exp() Expr { return apply(fnExp, x) }

// Exp2 returns 2**x.
func (x Expr) Exp2() Expr { return apply(fnExp2, x) }

// Expm1 returns e**x - 1, exact near 0.
func (x Expr) Expm1() Expr { return apply(fnExpm1, x) }

// Floor returns x rounded down to an integer.
func (x Expr) Floor() Expr { return apply(fnFloor, x) }

// Gamma returns the gamma function.
func (x Expr) Gamma() Expr { return apply(fnGamma, x) }

// GELU returns x times the normal distribution function of x.
func (x Expr) GELU() Expr { return apply(fnGELU, x) }

// GELUTanh returns the approximation of GELU by a hyperbolic tangent.
func (x Expr) GELUTanh() Expr { return apply(fnGELUTanh, x) }

// IsInf returns whether x is an infinity.
func (x Expr) IsInf() Expr { return apply(fnIsInf, x) }

// IsNaN returns whether x is not a number.
func (x Expr) IsNaN() Expr { return apply(fnIsNaN, x) }

// J0 returns the Bessel function of the first kind of order 0.
func (x Expr) J0() Expr { return apply(fnJ0, x) }

// J1 returns the Bessel function of the first kind of order 1.
func (x Expr) J1() Expr { return apply(fnJ1, x) }

// Lgamma returns the logarithm of |Gamma(x)|.
func (x Expr) Lgamma() Expr { return apply(fnLgamma, x) }

// Log returns the natural logarithm.
func (x Expr) Log() Expr { return apply(fnLog, x) }

// Log10 returns the logarithm to base 10.
func (x Expr) Log10() Expr { return apply(fnLog10, x) }

// Log1p returns log(1 + x), exact near 0.
func (x Expr) Log1p() Expr { return apply(fnLog1p, x) }

// Log2 returns the logarithm to base 2.
func (x Expr) Log2() Expr { return apply(fnLog2, x) }

// Logb returns the exponent of x to base 2.
func (x Expr) Logb() Expr { return apply(fnLogb, x) }

// Neg returns -x.
func (x Expr) Neg() Expr { return apply(fnNeg, x) }

// Not returns the inverted bits of an integer, or not x for a bool.
func (x Expr) Not() Expr { return apply(fnNot, x) }

// Reciprocal returns 1/x.
func (x Expr) Reciprocal() Expr { return apply(fnReciprocal, x) }

// ReLU returns x, or 0 where it is negative.
func (x Expr) ReLU() Expr { return apply(fnReLU, x) }

// Round returns x rounded to an integer, halves away from 0.
func (x Expr) Round() Expr { return apply(fnRound, x) }

// RoundToEven returns x rounded to an integer, halves to even.
func (x Expr) RoundToEven() Expr { return apply(fnRoundToEven, x) }

// Rsqrt returns 1/sqrt(x).
func (x Expr) Rsqrt() Expr { return apply(fnRsqrt, x) }

// Sigmoid returns 1/(1 + e**-x).
func (x Expr) Sigmoid() Expr { return apply(fnSigmoid, x) }

// Sign returns -1, 0 or 1, as x is negative, 0 or positive; NaN for NaN.
func (x Expr) Sign() Expr { return apply(fnSign, x) }

// Signbit returns whether x is negative or negative zero.
func (x Expr) Signbit() Expr { return apply(fnSignbit, x) }

// SiLU returns x * Sigmoid(x).
func (x Expr) SiLU() Expr { return apply(fnSiLU, x) }

// Sin returns the sine.
func (x Expr) Sin() Expr { return apply(fnSin, x) }

// Sinh returns the hyperbolic sine.
func (x Expr) Sinh() Expr { return apply(fnSinh, x) }

// Softplus returns log(1 + e**x).
func (x Expr) Softplus() Expr { return apply(fnSoftplus, x) }

// Sqrt returns the square root.
func (x Expr) Sqrt() Expr { return apply(fnSqrt, x) }

// Square returns x*x.
func (x Expr) Square() Expr { return apply(fnSquare, x) }

// Tan returns the tangent.
func (x Expr) Tan() Expr { return apply(fnTan, x) }

// Tanh returns the hyperbolic tangent.
func (x Expr) Tanh() Expr { return apply(fnTanh, x) }

// Trunc returns x rounded toward 0 to an integer.
func (x Expr) Trunc() Expr { return apply(fnTrunc, x) }

// Y0 returns the Bessel function of the second kind of order 0.
func (x Expr) Y0() Expr { return apply(fnY0, x) }

// Y1 returns the Bessel function of the second kind of order 1.
func (x Expr) Y1() Expr { return apply(fnY1, x) }

// Add returns x + y.
func (x Expr) Add(y any) Expr { return apply(fnAdd, x, y) }

// And returns x and y, bit by bit.
func (x Expr) And(y any) Expr { return apply(fnAnd, x, y) }

// Atan2 returns the angle of the point (y, x): the arctangent of x/y, by the signs of both.
func (x Expr) Atan2(y any) Expr { return apply(fnAtan2, x, y) }

// Copysign returns |x| with the sign of y.
func (x Expr) Copysign(y any) Expr { return apply(fnCopysign, x, y) }

// Dim returns x - y, or 0 where it is negative.
func (x Expr) Dim(y any) Expr { return apply(fnDim, x, y) }

// Div returns x/y as real numbers.
func (x Expr) Div(y any) Expr { return apply(fnDiv, x, y) }

// Equal returns whether x == y.
func (x Expr) Equal(y any) Expr { return apply(fnEqual, x, y) }

// Greater returns whether x > y.
func (x Expr) Greater(y any) Expr { return apply(fnGreater, x, y) }

// GreaterEqual returns whether x >= y.
func (x Expr) GreaterEqual(y any) Expr { return apply(fnGreaterEqual, x, y) }

// Hypot returns sqrt(x*x + y*y) without overflow.
func (x Expr) Hypot(y any) Expr { return apply(fnHypot, x, y) }

// Less returns whether x < y.
func (x Expr) Less(y any) Expr { return apply(fnLess, x, y) }

// LessEqual returns whether x <= y.
func (x Expr) LessEqual(y any) Expr { return apply(fnLessEqual, x, y) }

// Maximum returns the larger of x and y, NaN if one is.
func (x Expr) Maximum(y any) Expr { return apply(fnMaximum, x, y) }

// Minimum returns the smaller of x and y, NaN if one is.
func (x Expr) Minimum(y any) Expr { return apply(fnMinimum, x, y) }

// Mod returns the remainder of x/y with the sign of x, as Go has it.
func (x Expr) Mod(y any) Expr { return apply(fnMod, x, y) }

// Mul returns x * y.
func (x Expr) Mul(y any) Expr { return apply(fnMul, x, y) }

// Nextafter returns the next number after x towards y, in the type of computation.
func (x Expr) Nextafter(y any) Expr { return apply(fnNextafter, x, y) }

// NotEqual returns whether x != y.
func (x Expr) NotEqual(y any) Expr { return apply(fnNotEqual, x, y) }

// Or returns x or y, bit by bit.
func (x Expr) Or(y any) Expr { return apply(fnOr, x, y) }

// Pow returns x**y.
func (x Expr) Pow(y any) Expr { return apply(fnPow, x, y) }

// Quo returns the quotient of integers rounded toward 0, as Go has it.
func (x Expr) Quo(y any) Expr { return apply(fnQuo, x, y) }

// Remainder returns the remainder of x/y rounded to the nearest integer.
func (x Expr) Remainder(y any) Expr { return apply(fnRemainder, x, y) }

// ShiftLeft returns x << y.
func (x Expr) ShiftLeft(y any) Expr { return apply(fnShiftLeft, x, y) }

// ShiftRight returns x >> y.
func (x Expr) ShiftRight(y any) Expr { return apply(fnShiftRight, x, y) }

// Sub returns x - y.
func (x Expr) Sub(y any) Expr { return apply(fnSub, x, y) }

// Xor returns x exclusive or y, bit by bit.
func (x Expr) Xor(y any) Expr { return apply(fnXor, x, y) }

// Clamp returns x, low where it is less, high where it is more.
func (x Expr) Clamp(low, high any) Expr { return apply(fnClamp, x, low, high) }

// FMA returns x*y + z rounded once.
func (x Expr) FMA(y, z any) Expr { return apply(fnFMA, x, y, z) }

// Where returns x where the condition c holds, and y elsewhere.
func (c Expr) Where(x, y any) Expr { return apply(fnWhere, c, x, y) }
