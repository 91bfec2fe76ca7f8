// Package arith is MLIR's dialect of integer and float arithmetic on scalars, tensors and vectors, as of
// LLVM 22.
//
// Integers have no sign of their own: ops that care say so in their names, "si" and "ui".
package arith

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is arith.
var Dialect = ir.NewDialect("arith", "Integer and float arithmetic on scalars and tensors.")

const (
	total    = ir.Elementwise | ir.SameOperandsAndResultType | ir.Pure      // defined for all operands
	partial  = ir.Elementwise | ir.SameOperandsAndResultType | ir.NoEffects // undefined for some
	castOp   = ir.Elementwise | ir.SameOperandsAndResultShape | ir.Pure
	commutes = total | ir.Commutative

	plainFormat    = "$lhs `,` $rhs attr-dict `:` type($result)"
	exactFormat    = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"
	overflowFormat = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"
	floatFormat    = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
	castFormat     = "$in attr-dict `:` type($in) `to` type($out)"
	fastCastFormat = "$in (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)"
)

var (
	overflowAttrs = ir.Attrs("overflowFlags", OverflowSlot)
	fastAttrs     = ir.Attrs("fastmath", FastMathSlot)
	exactAttrs    = ir.Attrs("isExact", ir.OptAttr(ir.AnyUnit))
)

func intOp(name, doc string, traits ir.Trait, format string, attrs []ir.AttrSlot) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: traits, Attrs: attrs, Format: format,
		Operands: ir.Slots("lhs", ir.SignlessIntLike, "rhs", ir.SignlessIntLike),
		Results:  ir.Slots("result", ir.SignlessIntLike),
	})
}

func floatOp(name, doc string, traits ir.Trait) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: traits, Attrs: fastAttrs, Format: floatFormat,
		Operands: ir.Slots("lhs", ir.FloatLike, "rhs", ir.FloatLike),
		Results:  ir.Slots("result", ir.FloatLike),
	})
}

func cast(name, doc string, in, out ir.Constraint) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: castOp, Format: castFormat,
		Operands: ir.Slots("in", in),
		Results:  ir.Slots("out", out),
	})
}

// Constant is `arith.constant`.
var Constant = Dialect.Op(ir.OpDef{
	Name:    "constant",
	Doc:     "An integer, float, tensor or vector known at compile time.",
	Traits:  ir.Pure | ir.ConstantLike,
	Results: ir.Slots("result", ir.AnyType),
	Attrs: ir.Attrs("value", &ir.AttrKind{Desc: "attribute with a type", Ok: func(a ir.Attr) bool {
		return ValueType(a) != nil
	}}),
	PrintFn: printConstant,
	ParseFn: parseConstant,
})

// Integer arithmetic.
var (
	AddI = intOp("addi", "Sum of integers, cut to their width.", commutes, overflowFormat,
		overflowAttrs)
	SubI = intOp("subi", "Difference of integers, cut to their width.", total, overflowFormat,
		overflowAttrs)
	MulI = intOp("muli", "Product of integers, cut to their width.", commutes, overflowFormat,
		overflowAttrs)
	DivSI = intOp("divsi", "Quotient of signed integers, rounded toward zero.", partial, exactFormat,
		exactAttrs)
	DivUI      = intOp("divui", "Quotient of unsigned integers.", partial, exactFormat, exactAttrs)
	CeilDivSI  = intOp("ceildivsi", "Quotient of signed integers, rounded up.", partial, plainFormat, nil)
	CeilDivUI  = intOp("ceildivui", "Quotient of unsigned integers, rounded up.", partial, plainFormat, nil)
	FloorDivSI = intOp("floordivsi", "Quotient of signed integers, rounded down.", total, plainFormat, nil)
	RemSI      = intOp("remsi", "Remainder of signed division, with the sign of the dividend.", total,
		plainFormat, nil)
	RemUI = intOp("remui", "Remainder of unsigned division.", total, plainFormat, nil)
	AndI  = intOp("andi", "Bitwise and.", commutes|ir.Idempotent, plainFormat, nil)
	OrI   = intOp("ori", "Bitwise or.", commutes|ir.Idempotent, plainFormat, nil)
	XOrI  = intOp("xori", "Bitwise exclusive or.", commutes, plainFormat, nil)
	ShLI  = intOp("shli", "Shift to the left; poison when the distance is not below the width.", total,
		overflowFormat, overflowAttrs)
	ShRSI = intOp("shrsi", "Shift to the right that copies the sign bit.", total, exactFormat, exactAttrs)
	ShRUI = intOp("shrui", "Shift to the right that fills with zeros.", total, exactFormat, exactAttrs)
	MaxSI = intOp("maxsi", "The larger of signed integers.", commutes|ir.Idempotent, plainFormat, nil)
	MaxUI = intOp("maxui", "The larger of unsigned integers.", commutes|ir.Idempotent, plainFormat, nil)
	MinSI = intOp("minsi", "The smaller of signed integers.", commutes|ir.Idempotent, plainFormat, nil)
	MinUI = intOp("minui", "The smaller of unsigned integers.", commutes|ir.Idempotent, plainFormat, nil)
)

// Integer arithmetic of double width.
var (
	AddUIExtended = Dialect.Op(ir.OpDef{
		Name:     "addui_extended",
		Doc:      "Sum of unsigned integers and whether it overflowed.",
		Traits:   ir.Pure | ir.Commutative | ir.Elementwise,
		Operands: ir.Slots("lhs", ir.SignlessIntLike, "rhs", ir.SignlessIntLike),
		Results:  ir.Slots("sum", ir.SignlessIntLike, "overflow", ir.BoolLike),
		Types: []ir.TypeRule{{From: "sum", To: "lhs"}, {From: "sum", To: "rhs"}, {From: "lhs", To: "sum"},
			{From: "lhs", To: "overflow", Fn: BoolOf}},
		Format: "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)",
	})
	MulSIExtended = wideMul("mulsi_extended", "Both halves of the product of signed integers, the low "+
		"one first.")
	MulUIExtended = wideMul("mului_extended", "Both halves of the product of unsigned integers, the low "+
		"one first.")
)

func wideMul(name, doc string) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc, Traits: commutes,
		Operands: ir.Slots("lhs", ir.SignlessIntLike, "rhs", ir.SignlessIntLike),
		Results:  ir.Slots("low", ir.SignlessIntLike, "high", ir.SignlessIntLike),
		Format:   "$lhs `,` $rhs attr-dict `:` type($lhs)",
	})
}

// Float arithmetic.
var (
	AddF     = floatOp("addf", "Sum of floats.", commutes)
	SubF     = floatOp("subf", "Difference of floats.", total)
	MulF     = floatOp("mulf", "Product of floats.", commutes)
	DivF     = floatOp("divf", "Quotient of floats.", total)
	RemF     = floatOp("remf", "Remainder of float division, with the sign of the dividend.", total)
	MaximumF = floatOp("maximumf", "The larger of floats; NaN when either is NaN.", commutes)
	MinimumF = floatOp("minimumf", "The smaller of floats; NaN when either is NaN.", commutes)
	MaxNumF  = floatOp("maxnumf", "The larger of floats; the other when one is NaN.", commutes)
	MinNumF  = floatOp("minnumf", "The smaller of floats; the other when one is NaN.", commutes)
	NegF     = Dialect.Op(ir.OpDef{
		Name:     "negf",
		Doc:      "A float with its sign turned.",
		Traits:   total | ir.Involution,
		Operands: ir.Slots("operand", ir.FloatLike),
		Results:  ir.Slots("result", ir.FloatLike),
		Attrs:    fastAttrs,
		Format:   "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
	})
)

var (
	scaleLike = ir.Either(ir.FloatLike, ir.Like("f8E8M0FNU-like", func(t ir.Type) bool {
		return t == ir.Type(ir.Opaque("f8E8M0FNU"))
	}))
	bitcastable  = ir.Either(ir.SignlessIntLike, ir.FloatLike, ir.AnyMemRef)
	indexCasts   = ir.Either(ir.SignlessIntLike, ir.AnyMemRef)
	fixedIntLike = ir.Like("signless-fixed-width-integer-like", func(t ir.Type) bool {
		it, ok := t.(*ir.IntegerType)
		return ok && it.Sign == ir.Signless
	})
)

// Casts.
var (
	ExtSI  = cast("extsi", "Widens signed integers.", fixedIntLike, fixedIntLike)
	ExtUI  = cast("extui", "Widens unsigned integers.", fixedIntLike, fixedIntLike)
	TruncI = Dialect.Op(ir.OpDef{
		Name:     "trunci",
		Doc:      "Keeps the low bits of integers.",
		Traits:   castOp,
		Operands: ir.Slots("in", fixedIntLike),
		Results:  ir.Slots("out", fixedIntLike),
		Attrs:    overflowAttrs,
		Format:   "$in (`overflow` `` $overflowFlags^)? attr-dict `:` type($in) `to` type($out)",
	})
	ExtF = Dialect.Op(ir.OpDef{
		Name:     "extf",
		Doc:      "Widens floats.",
		Traits:   castOp,
		Operands: ir.Slots("in", ir.FloatLike),
		Results:  ir.Slots("out", ir.FloatLike),
		Attrs:    ir.Attrs("fastmath", ir.OptAttr(FastMathKind)),
		Format:   fastCastFormat,
	})
	TruncF = Dialect.Op(ir.OpDef{
		Name:     "truncf",
		Doc:      "Narrows floats, rounding to nearest unless told otherwise.",
		Traits:   castOp,
		Operands: ir.Slots("in", ir.FloatLike),
		Results:  ir.Slots("out", ir.FloatLike),
		Attrs:    ir.Attrs("roundingmode", roundingSlot, "fastmath", ir.OptAttr(FastMathKind)),
		Format:   "$in ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)",
	})
	ScalingExtF = Dialect.Op(ir.OpDef{
		Name:     "scaling_extf",
		Doc:      "Widens floats and multiplies them by power-of-two scales.",
		Traits:   castOp,
		Operands: ir.Slots("in", ir.FloatLike, "scale", scaleLike),
		Results:  ir.Slots("out", ir.FloatLike),
		Attrs:    ir.Attrs("fastmath", ir.OptAttr(FastMathKind)),
		Format: "$in `,` $scale (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `,` type($scale) " +
			"`to` type($out)",
	})
	ScalingTruncF = Dialect.Op(ir.OpDef{
		Name:     "scaling_truncf",
		Doc:      "Divides floats by power-of-two scales and narrows them.",
		Traits:   castOp,
		Operands: ir.Slots("in", ir.FloatLike, "scale", scaleLike),
		Results:  ir.Slots("out", ir.FloatLike),
		Attrs:    ir.Attrs("roundingmode", roundingSlot, "fastmath", ir.OptAttr(FastMathKind)),
		Format: "$in `,` $scale ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($in) " +
			"`,` type($scale) `to` type($out)",
	})
	SIToFP = cast("sitofp", "The float nearest to a signed integer.", fixedIntLike, ir.FloatLike)
	UIToFP = cast("uitofp", "The float nearest to an unsigned integer.", fixedIntLike, ir.FloatLike)
	FPToSI = cast("fptosi", "A float as a signed integer, rounded toward zero.", ir.FloatLike,
		fixedIntLike)
	FPToUI = cast("fptoui", "A float as an unsigned integer, rounded toward zero.", ir.FloatLike,
		fixedIntLike)
	IndexCast   = cast("index_cast", "Between index and signed integers.", indexCasts, indexCasts)
	IndexCastUI = cast("index_castui", "Between index and unsigned integers.", indexCasts, indexCasts)
	Bitcast     = cast("bitcast", "Reads the same bits as another type of the same width.", bitcastable,
		bitcastable)
)

// Comparisons and choice.
var (
	CmpI = Dialect.Op(ir.OpDef{
		Name:     "cmpi",
		Doc:      "Compares integers by a predicate.",
		Traits:   ir.Pure | ir.Elementwise | ir.SameTypeOperands,
		Operands: ir.Slots("lhs", ir.SignlessIntLike, "rhs", ir.SignlessIntLike),
		Results:  ir.Slots("result", ir.BoolLike),
		Attrs:    ir.Attrs("predicate", cmpIKind),
		Types:    []ir.TypeRule{{From: "lhs", To: "result", Fn: BoolOf}},
		Format:   "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)",
	})
	CmpF = Dialect.Op(ir.OpDef{
		Name:     "cmpf",
		Doc:      "Compares floats by a predicate.",
		Traits:   ir.Pure | ir.Elementwise | ir.SameTypeOperands,
		Operands: ir.Slots("lhs", ir.FloatLike, "rhs", ir.FloatLike),
		Results:  ir.Slots("result", ir.BoolLike),
		Attrs:    ir.Attrs("predicate", cmpFKind, "fastmath", FastMathSlot),
		Types:    []ir.TypeRule{{From: "lhs", To: "result", Fn: BoolOf}},
		Format:   "$predicate `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs)",
	})
	Select = Dialect.Op(ir.OpDef{
		Name:     "select",
		Doc:      "The first value where a condition holds, else the second.",
		Traits:   ir.Pure | ir.Elementwise,
		Operands: ir.Slots("condition", ir.BoolLike, "true_value", ir.AnyType, "false_value", ir.AnyType),
		Results:  ir.Slots("result", ir.AnyType),
		Types: []ir.TypeRule{{From: "true_value", To: "result"}, {From: "result", To: "true_value"},
			{From: "result", To: "false_value"}},
		PrintFn: printSelect,
		ParseFn: parseSelect,
	})
)

// BoolOf is the type of a comparison of values of type t.
func BoolOf(t ir.Type) ir.Type { return ir.WithElem(t, ir.I1) }
