// Package scf is MLIR's dialect of structured control flow: loops and branches whose bodies are regions.
//
// A region ends in a yield of the values that the op, or its next iteration, gets.
package scf

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is scf.
var Dialect = ir.NewDialect("scf", "Loops and branches whose bodies are regions.")

const (
	region   = ir.RecursiveEffects
	oneBlock = region | ir.SingleBlock
	loop     = oneBlock | ir.LoopLike
	ends     = ir.Pure | ir.Terminator
)

var (
	values = ir.Variadic(ir.AnyType)
	ints   = ir.Constraint{Desc: "signless integer or index", Ok: func(t ir.Type) bool {
		return t == ir.Index || signless(t)
	}}
)

func signless(t ir.Type) bool { it, ok := t.(*ir.IntegerType); return ok && it.Sign == ir.Signless }

// What ends regions.
var (
	Yield = Dialect.Op(ir.OpDef{
		Name:     "yield",
		Doc:      "Ends a region with the values that its op, or the next iteration, gets.",
		Traits:   ends | ir.ReturnLike,
		Operands: ir.Slots("results", values),
		Format:   "attr-dict ($results^ `:` type($results))?",
	})
	Condition = Dialect.Op(ir.OpDef{
		Name: "condition",
		Doc: "Ends the first region of a while: whether to go on, and the values for the second " +
			"region or the results.",
		Traits:   ends,
		Operands: ir.Slots("condition", ir.Bool, "args", values),
		Format:   "`(` $condition `)` attr-dict ($args^ `:` type($args))?",
	})
)

// Loops and branches.
var (
	For = Dialect.Op(ir.OpDef{
		Name: "for",
		Doc: "Counts from a lower bound up to, without, an upper one, carrying values from one " +
			"iteration to the next.",
		Traits:       loop | ir.ImplicitTerminator,
		Operands:     ir.Slots("lowerBound", ints, "upperBound", ints, "step", ints, "initArgs", values),
		Results:      ir.Slots("results", values),
		Attrs:        ir.Attrs("unsignedCmp", ir.OptAttr(ir.AnyUnit)),
		Regions:      []string{"region"},
		ImplicitTerm: Yield,
		PrintFn:      printFor,
		ParseFn:      parseFor,
	})
	While = Dialect.Op(ir.OpDef{
		Name:     "while",
		Doc:      "Runs its first region, then, as long as that says so, its second and the first again.",
		Traits:   loop,
		Operands: ir.Slots("inits", values),
		Results:  ir.Slots("results", values),
		Regions:  []string{"before", "after"},
		PrintFn:  printWhile,
		ParseFn:  parseWhile,
	})
	If = Dialect.Op(ir.OpDef{
		Name:         "if",
		Doc:          "Runs one of two regions; the second may be absent when there are no results.",
		Traits:       oneBlock | ir.ImplicitTerminator,
		Operands:     ir.Slots("condition", ir.Bool),
		Results:      ir.Slots("results", values),
		Regions:      []string{"thenRegion", "elseRegion"},
		ImplicitTerm: Yield,
		PrintFn:      printIf,
		ParseFn:      parseIf,
	})
	IndexSwitch = Dialect.Op(ir.OpDef{
		Name:         "index_switch",
		Doc:          "Runs the region of the case that equals an index, or the default.",
		Traits:       oneBlock | ir.ImplicitTerminator,
		Operands:     ir.Slots("arg", ir.IndexOnly),
		Results:      ir.Slots("results", values),
		Attrs:        ir.Attrs("cases", ir.I64s),
		Regions:      []string{"defaultRegion", "caseRegions..."},
		ImplicitTerm: Yield,
		PrintFn:      printIndexSwitch,
		ParseFn:      parseIndexSwitch,
	})
	ExecuteRegion = Dialect.Op(ir.OpDef{
		Name:    "execute_region",
		Doc:     "Runs a region of any number of blocks once.",
		Traits:  region,
		Results: ir.Slots("results", values),
		Attrs:   ir.Attrs("no_inline", ir.OptAttr(ir.AnyUnit)),
		Regions: []string{"region"},
		PrintFn: printExecute,
		ParseFn: parseExecute,
	})
)

// Parallel loops.
var (
	ReduceReturn = Dialect.Op(ir.OpDef{
		Name:     "reduce.return",
		Doc:      "Ends a region of a reduce with the combined value.",
		Traits:   ends,
		Operands: ir.Slots("result", ir.AnyType),
		Format:   "$result attr-dict `:` type($result)",
	})
	Reduce = Dialect.Op(ir.OpDef{
		Name:     "reduce",
		Doc:      "Ends a parallel loop with values to reduce, each by the function in a region of its own.",
		Traits:   ir.Terminator | ir.RecursiveEffects,
		Operands: ir.Slots("operands", values),
		Regions:  []string{"reductions..."},
		PrintFn:  printReduce,
		ParseFn:  parseReduce,
	})
	Parallel = Dialect.Op(ir.OpDef{
		Name:   "parallel",
		Doc:    "A loop nest whose iterations run in any order.",
		Traits: loop | ir.ImplicitTerminator | ir.SegmentedOperands,
		Operands: ir.Slots("lowerBound", ir.Variadic(ir.IndexOnly), "upperBound", ir.Variadic(ir.IndexOnly),
			"step", ir.Variadic(ir.IndexOnly), "initVals", values),
		Results:      ir.Slots("results", values),
		Regions:      []string{"region"},
		ImplicitTerm: Reduce,
		PrintFn:      printParallel,
		ParseFn:      parseParallel,
	})
	InParallel = Dialect.Op(ir.OpDef{
		Name:    "forall.in_parallel",
		Doc:     "Ends a forall; its region holds the ops that put slices into the shared outputs.",
		Traits:  ir.Pure | ir.Terminator | ir.SingleBlock | ir.NoTerminator,
		Regions: []string{"region"},
		PrintFn: printInParallel,
		ParseFn: parseInParallel,
	})
	Forall = Dialect.Op(ir.OpDef{
		Name: "forall",
		Doc: "A loop nest whose iterations run in any order and fill slices of shared outputs; bounds " +
			"are values or constants.",
		Traits: loop | ir.ImplicitTerminator | ir.SegmentedOperands,
		Operands: ir.Slots("dynamicLowerBound", ir.Variadic(ir.IndexOnly), "dynamicUpperBound",
			ir.Variadic(ir.IndexOnly), "dynamicStep", ir.Variadic(ir.IndexOnly), "outputs",
			ir.Variadic(ir.AnyRankedTensor)),
		Results: ir.Slots("results", values),
		Attrs: ir.Attrs("staticLowerBound", ir.I64s, "staticUpperBound", ir.I64s, "staticStep", ir.I64s,
			"mapping", ir.OptAttr(ir.AnyArray)),
		Regions:      []string{"region"},
		ImplicitTerm: InParallel,
		PrintFn:      printForall,
		ParseFn:      parseForall,
	})
)
