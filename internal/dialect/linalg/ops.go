// Package linalg is MLIR's dialect of operations on whole tensors and buffers: loop nests described by
// affine maps, and named ones such as matmul and fill.
//
// An op has inputs and outputs. An output that is a tensor gives the initial value, and the op has a result
// for it; one that is a memref is written in place. Named ops have no region here: what they compute is
// their name. (MLIR gives them one when it reads them, and prints it in the generic form alone: body.go.)
package linalg

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is linalg.
var Dialect = ir.NewDialect("linalg", "Loop nests over whole tensors and buffers.")

var (
	anything = ir.Variadic(ir.AnyType)
	shaped   = ir.Either(ir.AnyTensor, ir.AnyMemRef)
	results  = ir.Variadic(ir.AnyTensor)

	operands = ir.Slots("inputs", anything, "outputs", ir.Variadic(shaped))
	outputs  = ir.Slots("result_tensors", results)
)

// Regions of structured ops.
var (
	Yield = Dialect.Op(ir.OpDef{
		Name:     "yield",
		Doc:      "Ends the region of a structured op with an element for each output.",
		Traits:   ir.Pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("values", anything),
		Format:   "attr-dict ($values^ `:` type($values))?",
	})
	Index = Dialect.Op(ir.OpDef{
		Name:    "index",
		Doc:     "The iteration's index in a dimension of the loop nest.",
		Traits:  ir.Pure,
		Results: ir.Slots("result", ir.IndexOnly),
		Attrs:   ir.Attrs("dim", ir.AnyI64),
		Format:  "$dim attr-dict `:` type($result)",
	})
)

// Structured ops with a region.
var (
	Generic = Dialect.Op(ir.OpDef{
		Name: "generic",
		Doc: "A loop nest: for each iteration the region makes elements of the outputs from those of " +
			"all operands, found by affine maps.",
		Traits:   ir.SegmentedOperands | ir.SingleBlock,
		Operands: operands,
		Results:  outputs,
		Attrs: ir.Attrs("indexing_maps", ir.AnyArray, "iterator_types", ir.AnyArray, "doc",
			ir.OptAttr(ir.AnyString), "library_call", ir.OptAttr(ir.AnyString)),
		Regions: []string{"region"},
		PrintFn: printGeneric,
		ParseFn: parseGeneric,
		ArgName: argNames("out"),
	})
	Map = Dialect.Op(ir.OpDef{
		Name:       "map",
		Doc:        "Applies the region to the elements of its inputs in the same place.",
		Traits:     ir.SingleBlock,
		Operands:   ir.Slots("inputs", ir.Variadic(shaped), "init", shaped),
		Results:    ir.Slots("result", results),
		Regions:    []string{"mapper"},
		PrintFn:    printMap,
		ParseFn:    parseMap,
		ResultName: named("mapped"),
		ArgName:    argNames("init"),
	})
	Reduce = Dialect.Op(ir.OpDef{
		Name:       "reduce",
		Doc:        "Reduces its inputs along some dimensions with the region.",
		Traits:     ir.SingleBlock,
		Operands:   ir.Slots("inputs", ir.Variadic(shaped), "inits", ir.Variadic(shaped)),
		Results:    ir.Slots("results", results),
		Attrs:      ir.Attrs("dimensions", ir.I64s),
		Regions:    []string{"combiner"},
		PrintFn:    printReduce,
		ParseFn:    parseReduce,
		ResultName: named("reduced"),
		ArgName:    argNames("init"),
	})
)

// argNames names the arguments of a region: in for inputs, a word for outputs.
func argNames(out string) func(op *ir.Op, region, i int) string {
	return func(op *ir.Op, region, i int) string {
		if i < len(op.Group(0)) {
			return "in"
		}
		return out
	}
}

// named is the wish for a result's name.
func named(s string) func(*ir.Op, int) string {
	return func(_ *ir.Op, i int) string {
		if i == 0 {
			return s
		}
		return ""
	}
}

// Moves of elements.
var (
	Transpose = Dialect.Op(ir.OpDef{
		Name:       "transpose",
		Doc:        "Permutes the dimensions.",
		Operands:   ir.Slots("input", shaped, "init", shaped),
		Results:    ir.Slots("result", results),
		Attrs:      ir.Attrs("permutation", ir.I64s),
		PrintFn:    printMove,
		ParseFn:    parseMove,
		ResultName: named("transposed"),
	})
	Broadcast = Dialect.Op(ir.OpDef{
		Name:       "broadcast",
		Doc:        "Repeats its input along new dimensions.",
		Operands:   ir.Slots("input", shaped, "init", shaped),
		Results:    ir.Slots("result", results),
		Attrs:      ir.Attrs("dimensions", ir.I64s),
		PrintFn:    printMove,
		ParseFn:    parseMove,
		ResultName: named("broadcasted"),
	})
)

// structured declares an op that its name says all about: `linalg.name {attrs} ins(…) outs(…) -> …`.
func structured(name, doc string, attrs ...any) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc,
		Traits:   ir.SegmentedOperands,
		Operands: operands,
		Results:  outputs,
		Attrs:    ir.Attrs(attrs...),
		PrintFn:  printNamed,
		ParseFn:  parseNamed,
	})
}

var castSlot = ir.OptAttr(typeFn.kind())

// Named ops.
var (
	Fill   = structured("fill", "Writes one value to every place.")
	Copy   = structured("copy", "Copies its input, converting elements.", "cast", castSlot)
	Matmul = structured("matmul", "Adds the product of two matrices.", "indexing_maps",
		ir.OptAttr(ir.AnyArray), "cast", castSlot)
	BatchMatmul = structured("batch_matmul", "Adds the products of two stacks of matrices.", "indexing_maps",
		ir.OptAttr(ir.AnyArray), "cast", castSlot)
	Matvec      = structured("matvec", "Adds the product of a matrix and a vector.")
	Vecmat      = structured("vecmat", "Adds the product of a vector and a matrix.")
	BatchMatvec = structured("batch_matvec", "Adds the products of stacks of matrices and vectors.")
	BatchVecmat = structured("batch_vecmat", "Adds the products of stacks of vectors and matrices.")
	Dot         = structured("dot", "Adds the inner product of two vectors.")
	Contract    = structured("contract", "Adds the product of two tensors, summed over the dimensions "+
		"that the output's map lacks.",
		"indexing_maps", ir.AnyArray, "cast", castSlot)
	Elementwise = structured("elementwise", "Applies a function of a fixed list to each element.",
		"kind", elementwiseKind.kind(), "indexing_maps", ir.OptAttr(ir.AnyArray))
	Softmax = Dialect.Op(ir.OpDef{
		Name:     "softmax",
		Doc:      "Exponentials along a dimension, divided by their sum.",
		Operands: ir.Slots("input", shaped, "output", shaped),
		Results:  ir.Slots("result", results),
		Attrs:    ir.Attrs("dimension", ir.AnyI64),
		PrintFn:  printSoftmax,
		ParseFn:  parseSoftmax,
	})
)

// Named ops that work element by element.
var (
	Add         = structured("add", "Sums, element by element.")
	Sub         = structured("sub", "Differences, element by element.")
	Mul         = structured("mul", "Products, element by element.")
	Div         = structured("div", "Quotients, element by element.")
	DivUnsigned = structured("div_unsigned", "Unsigned quotients, element by element.")
	Max         = structured("max", "The larger elements.")
	Min         = structured("min", "The smaller elements.")
	PowF        = structured("powf", "Powers, element by element.")
	Select      = structured("select", "Elements of the second or third input, as the first says.")
	Exp         = structured("exp", "Powers of e.")
	Log         = structured("log", "Natural logarithms.")
	Abs         = structured("abs", "Magnitudes.")
	Ceil        = structured("ceil", "Whole numbers, rounded up.")
	Floor       = structured("floor", "Whole numbers, rounded down.")
	NegF        = structured("negf", "Elements with their sign turned.")
	Reciprocal  = structured("reciprocal", "Reciprocals.")
	Round       = structured("round", "Nearest whole numbers.")
	Sqrt        = structured("sqrt", "Square roots.")
	Rsqrt       = structured("rsqrt", "Reciprocals of square roots.")
	Square      = structured("square", "Squares.")
	Tanh        = structured("tanh", "Hyperbolic tangents.")
	Erf         = structured("erf", "Values of the error function.")
)
