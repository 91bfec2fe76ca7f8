package tt

import (
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is tt.
var Dialect = ir.NewDialect("tt", "Triton's operations on blocks of values and on pointers to them.")

// Every op of the dialect limits the sizes of its tensors.
const (
	base  = ir.TensorSizes
	pure  = base | ir.Pure
	cast  = pure | ir.Elementwise | ir.SameOperandsAndResultShape | ir.SameOperandsAndResultEncoding
	arith = pure | ir.Elementwise | ir.SameOperandsAndResultType
)

const castFormat = "$src attr-dict `:` type($src) `->` type($result)"

// Casts.
var (
	IntToPtr = Dialect.Op(ir.OpDef{
		Name:     "int_to_ptr",
		Doc:      "Turns 64-bit addresses into pointers.",
		Traits:   cast,
		Operands: ir.Slots("src", I64Like),
		Results:  ir.Slots("result", PtrLike),
		Format:   castFormat,
	})
	PtrToInt = Dialect.Op(ir.OpDef{
		Name:     "ptr_to_int",
		Doc:      "Turns pointers into 64-bit addresses.",
		Traits:   cast,
		Operands: ir.Slots("src", PtrLike),
		Results:  ir.Slots("result", I64Like),
		Format:   castFormat,
	})
	Bitcast = Dialect.Op(ir.OpDef{
		Name:     "bitcast",
		Doc:      "Reads the same bits as another type of the same width; pointers to pointers only.",
		Traits:   cast,
		Operands: ir.Slots("src", AnyOf),
		Results:  ir.Slots("result", AnyOf),
		Format:   castFormat,
	})
	FpToFp = Dialect.Op(ir.OpDef{
		Name: "fp_to_fp",
		Doc: "Converts between float formats, 8-bit ones included, with a rounding mode where bits " +
			"are lost.",
		Traits:   cast,
		Operands: ir.Slots("src", FloatLike),
		Results:  ir.Slots("result", FloatLike),
		Attrs:    ir.Attrs("rounding", ir.OptAttr(RoundingKind)),
		Format:   "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)",
	})
)

// Arithmetic that the arith and math dialects lack.
var (
	ClampF = Dialect.Op(ir.OpDef{
		Name:     "clampf",
		Doc:      "Limits floats to a range; propagateNan says whether a NaN comes through.",
		Traits:   arith,
		Operands: ir.Slots("x", FloatLike, "min", FloatLike, "max", FloatLike),
		Results:  ir.Slots("result", FloatLike),
		Attrs:    ir.Attrs("propagateNan", NaNKind),
		Format:   "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)",
	})
	PreciseSqrt = Dialect.Op(ir.OpDef{
		Name:     "precise_sqrt",
		Doc:      "Square root, rounded to nearest.",
		Traits:   arith,
		Operands: ir.Slots("x", FloatLike),
		Results:  ir.Slots("result", FloatLike),
		Format:   "$x attr-dict `:` type($x)",
	})
	PreciseDivF = Dialect.Op(ir.OpDef{
		Name:     "precise_divf",
		Doc:      "Quotient of floats, rounded to nearest.",
		Traits:   arith,
		Operands: ir.Slots("x", FloatLike, "y", FloatLike),
		Results:  ir.Slots("result", FloatLike),
		Format:   "$x `,` $y attr-dict `:` type($x)",
	})
	ApproxDivF = Dialect.Op(ir.OpDef{
		Name:     "approx_divf",
		Doc:      "Quotient of floats, exact to two units in the last place; since 3.9.",
		Traits:   arith,
		Operands: ir.Slots("x", FloatLike, "y", FloatLike),
		Results:  ir.Slots("result", FloatLike),
		Format:   "$x `,` $y attr-dict `:` type($x)",
	})
	MulhiUI = Dialect.Op(ir.OpDef{
		Name:     "mulhiui",
		Doc:      "The upper half of the double-width product of unsigned integers.",
		Traits:   arith,
		Operands: ir.Slots("x", IntLike, "y", IntLike),
		Results:  ir.Slots("result", IntLike),
		Format:   "$x `,` $y attr-dict `:` type($x)",
	})
	ExternElementwise = Dialect.Op(ir.OpDef{
		Name:     "extern_elementwise",
		Doc:      "Calls a function of a device library for each element.",
		Traits:   base | ir.Elementwise | ir.SameOperandsAndResultEncoding,
		Operands: ir.Slots("srcs", ir.Variadic(AnyOf)),
		Results:  ir.Slots("result", AnyOf),
		Attrs: ir.Attrs("libname", ir.AnyString, "libpath", ir.AnyString, "symbol", ir.AnyString, "pure",
			ir.AnyBool),
		Format: "operands attr-dict `:` functional-type(operands, $result)",
	})
	InlineAsm = Dialect.Op(ir.OpDef{
		Name:     "elementwise_inline_asm",
		Doc:      "Runs assembly text on groups of packed_element elements.",
		Traits:   base | ir.Elementwise | ir.SameOperandsAndResultEncoding,
		Operands: ir.Slots("args", ir.Variadic(AnyOf)),
		Results:  ir.Slots("result", ir.Variadic(AnyOf)),
		Attrs: ir.Attrs("asm_string", ir.AnyString, "constraints", ir.AnyString, "pure", ir.AnyBool,
			"packed_element", ir.AnyI32),
		Format: "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)",
	})
)

// Programs of the grid.
var (
	GetProgramID = Dialect.Op(ir.OpDef{
		Name:    "get_program_id",
		Doc:     "This program's position along an axis of the grid.",
		Traits:  pure,
		Results: ir.Slots("result", ir.Exactly(ir.I32)),
		Attrs:   ir.Attrs("axis", DimKind),
		Format:  "$axis attr-dict `:` type($result)",
	})
	GetNumPrograms = Dialect.Op(ir.OpDef{
		Name:    "get_num_programs",
		Doc:     "The grid's size along an axis.",
		Traits:  pure,
		Results: ir.Slots("result", ir.Exactly(ir.I32)),
		Attrs:   ir.Attrs("axis", DimKind),
		Format:  "$axis attr-dict `:` type($result)",
	})
)

// Grids that follow one another; since 3.9.
var (
	GridWait = Dialect.Op(ir.OpDef{
		Name:   "grid_dependency_wait",
		Doc:    "Waits until the grids before this one have ended, or let it go on.",
		Traits: base | ir.Reads | ir.Writes,
		Format: "attr-dict",
	})
	GridLaunch = Dialect.Op(ir.OpDef{
		Name:   "grid_dependency_launch_dependents",
		Doc:    "Lets the grid behind this one begin.",
		Traits: base | ir.Reads | ir.Writes,
		Format: "attr-dict",
	})
)

// Functions.
var (
	Func = Dialect.Op(ir.OpDef{
		Name:    "func",
		Doc:     "A kernel, or a function that kernels call.",
		Traits:  base | ir.Isolated | ir.SymbolOp,
		Attrs:   funclike.Attrs(),
		Regions: []string{"body"},
		PrintFn: funclike.Print,
		ParseFn: funclike.Parse,
	})
	Call = Dialect.Op(ir.OpDef{
		Name:     "call",
		Doc:      "Calls a function of the module.",
		Traits:   base,
		Operands: ir.Slots("operands", ir.Variadic(ir.AnyType)),
		Results:  ir.Slots("results", ir.Variadic(ir.AnyType)),
		Attrs: ir.Attrs("callee", ir.AnySymbol, "arg_attrs", ir.OptAttr(ir.AnyArray), "res_attrs",
			ir.OptAttr(ir.AnyArray)),
		Format: "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)",
	})
	Return = Dialect.Op(ir.OpDef{
		Name:     "return",
		Doc:      "Ends a function and hands back its results.",
		Traits:   pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("srcs", ir.Variadic(ir.AnyType)),
		Format:   "attr-dict ($srcs^ `:` type($srcs))?",
	})
)

// Help for whoever debugs a kernel.
var (
	Print = Dialect.Op(ir.OpDef{
		Name:     "print",
		Doc:      "Prints a prefix and values from the device.",
		Traits:   base | ir.Writes,
		Operands: ir.Slots("args", ir.Variadic(AnyOf)),
		Attrs:    ir.Attrs("prefix", ir.AnyString, "hex", ir.AnyBool, "isSigned", ir.I32s),
		Format:   "$prefix attr-dict (`:` $args^ `:` type($args))?",
	})
	Assert = Dialect.Op(ir.OpDef{
		Name:     "assert",
		Doc:      "Stops the kernel with a message unless every element of a condition holds.",
		Traits:   base | ir.Writes,
		Operands: ir.Slots("condition", BoolLike),
		Attrs:    ir.Attrs("message", ir.AnyString),
		Format:   "$condition `,` $message attr-dict `:` type($condition)",
	})
)
