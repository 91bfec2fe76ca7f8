// Package math is MLIR's dialect of elementary functions on scalars, tensors and vectors, as of LLVM 22.
package math

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is math.
var Dialect = ir.NewDialect("math", "Elementary functions on scalars and tensors.")

const (
	same = ir.Pure | ir.Elementwise | ir.SameOperandsAndResultType
	fast = "(`fastmath` `` $fastmath^)? attr-dict `:` "
)

var fastAttrs = ir.Attrs("fastmath", arith.FastMathSlot)

// unary is a function of one float.
func unary(name, doc string) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: same, Attrs: fastAttrs,
		Operands: ir.Slots("operand", ir.FloatLike),
		Results:  ir.Slots("result", ir.FloatLike),
		Format:   "$operand " + fast + "type($result)",
	})
}

// binary is a function of two floats.
func binary(name, doc string) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: same, Attrs: fastAttrs,
		Operands: ir.Slots("lhs", ir.FloatLike, "rhs", ir.FloatLike),
		Results:  ir.Slots("result", ir.FloatLike),
		Format:   "$lhs `,` $rhs " + fast + "type($result)",
	})
}

// integer is a function of one integer.
func integer(name, doc string) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: same,
		Operands: ir.Slots("operand", ir.SignlessIntLike),
		Results:  ir.Slots("result", ir.SignlessIntLike),
		Format:   "$operand attr-dict `:` type($result)",
	})
}

// test is a question about one float.
func test(name, doc string) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: ir.Pure | ir.Elementwise, Attrs: fastAttrs,
		Operands: ir.Slots("operand", ir.FloatLike),
		Results:  ir.Slots("result", ir.BoolLike),
		Types:    []ir.TypeRule{{From: "operand", To: "result", Fn: arith.BoolOf}},
		Format:   "$operand attr-dict `:` type($operand)",
	})
}

// Functions of one float.
var (
	AbsF      = unary("absf", "Magnitude.")
	Acos      = unary("acos", "Arc cosine.")
	Acosh     = unary("acosh", "Inverse hyperbolic cosine.")
	Asin      = unary("asin", "Arc sine.")
	Asinh     = unary("asinh", "Inverse hyperbolic sine.")
	Atan      = unary("atan", "Arc tangent.")
	Atanh     = unary("atanh", "Inverse hyperbolic tangent.")
	Cbrt      = unary("cbrt", "Cube root.")
	Ceil      = unary("ceil", "The least whole number that is not smaller.")
	Cos       = unary("cos", "Cosine.")
	Cosh      = unary("cosh", "Hyperbolic cosine.")
	Erf       = unary("erf", "Error function.")
	Erfc      = unary("erfc", "One minus the error function.")
	Exp       = unary("exp", "Power of e.")
	Exp2      = unary("exp2", "Power of two.")
	ExpM1     = unary("expm1", "Power of e, minus one.")
	Floor     = unary("floor", "The greatest whole number that is not larger.")
	Log       = unary("log", "Natural logarithm.")
	Log10     = unary("log10", "Logarithm to base ten.")
	Log1p     = unary("log1p", "Natural logarithm of one plus the operand.")
	Log2      = unary("log2", "Logarithm to base two.")
	Round     = unary("round", "The nearest whole number, halves away from zero.")
	RoundEven = unary("roundeven", "The nearest whole number, halves to the even one.")
	Rsqrt     = unary("rsqrt", "One over the square root.")
	Sin       = unary("sin", "Sine.")
	Sinh      = unary("sinh", "Hyperbolic sine.")
	Sqrt      = unary("sqrt", "Square root.")
	Tan       = unary("tan", "Tangent.")
	Tanh      = unary("tanh", "Hyperbolic tangent.")
	Trunc     = unary("trunc", "The whole number next toward zero.")
)

// Functions of several floats.
var (
	Atan2 = binary("atan2", "The angle of the point with the first operand as height and the second "+
		"as width.")
	CopySign = binary("copysign", "The magnitude of the first operand with the sign of the second.")
	PowF     = binary("powf", "The first operand to the power of the second.")
	Fma      = Dialect.Op(ir.OpDef{
		Name:     "fma",
		Doc:      "The product of a and b, plus c, rounded once.",
		Traits:   same,
		Operands: ir.Slots("a", ir.FloatLike, "b", ir.FloatLike, "c", ir.FloatLike),
		Results:  ir.Slots("result", ir.FloatLike),
		Attrs:    fastAttrs,
		Format:   "$a `,` $b `,` $c " + fast + "type($result)",
	})
	ClampF = Dialect.Op(ir.OpDef{
		Name:     "clampf",
		Doc:      "Limits floats to a range.",
		Traits:   same,
		Operands: ir.Slots("value", ir.FloatLike, "min", ir.FloatLike, "max", ir.FloatLike),
		Results:  ir.Slots("result", ir.FloatLike),
		Attrs:    fastAttrs,
		Format:   "$value `to` ` ` `[` $min `,` $max `]` " + fast + "type($result)",
	})
	FPowI = Dialect.Op(ir.OpDef{
		Name:     "fpowi",
		Doc:      "A float to the power of an integer.",
		Traits:   ir.Pure | ir.Elementwise | ir.SameOperandsAndResultShape,
		Operands: ir.Slots("lhs", ir.FloatLike, "rhs", ir.SignlessIntLike),
		Results:  ir.Slots("result", ir.FloatLike),
		Attrs:    fastAttrs,
		Types:    []ir.TypeRule{{From: "lhs", To: "result"}},
		Format:   "$lhs `,` $rhs " + fast + "type($lhs) `,` type($rhs)",
	})
	SinCos = Dialect.Op(ir.OpDef{
		Name:     "sincos",
		Doc:      "Sine and cosine.",
		Traits:   same,
		Operands: ir.Slots("operand", ir.FloatLike),
		Results:  ir.Slots("sin", ir.FloatLike, "cos", ir.FloatLike),
		Attrs:    fastAttrs,
		Format:   "$operand " + fast + "type($operand)",
	})
)

// Questions about floats.
var (
	IsFinite = test("isfinite", "Whether a float is neither infinite nor NaN.")
	IsInf    = test("isinf", "Whether a float is infinite.")
	IsNaN    = test("isnan", "Whether a float is NaN.")
	IsNormal = test("isnormal", "Whether a float is neither zero, subnormal, infinite nor NaN.")
)

// Functions of integers.
var (
	AbsI  = integer("absi", "Magnitude of signed integers.")
	CtLZ  = integer("ctlz", "Number of zero bits above the highest one.")
	CtPop = integer("ctpop", "Number of one bits.")
	CtTZ  = integer("cttz", "Number of zero bits below the lowest one.")
	IPowI = Dialect.Op(ir.OpDef{
		Name:     "ipowi",
		Doc:      "A signed integer to the power of another.",
		Traits:   same,
		Operands: ir.Slots("lhs", ir.SignlessIntLike, "rhs", ir.SignlessIntLike),
		Results:  ir.Slots("result", ir.SignlessIntLike),
		Format:   "$lhs `,` $rhs attr-dict `:` type($result)",
	})
)
