// Package cf is MLIR's dialect of branches between blocks.
//
// A branch hands values to the arguments of the block it goes to.
package cf

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is cf.
var Dialect = ir.NewDialect("cf", "Branches between blocks.")

var values = ir.Variadic(ir.AnyType)

var (
	Br = Dialect.Op(ir.OpDef{
		Name:       "br",
		Doc:        "Goes to a block.",
		Traits:     ir.Pure | ir.Terminator,
		Operands:   ir.Slots("destOperands", values),
		Successors: []string{"dest"},
		Format:     "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict",
	})
	CondBr = Dialect.Op(ir.OpDef{
		Name:       "cond_br",
		Doc:        "Goes to one of two blocks.",
		Traits:     ir.Pure | ir.Terminator | ir.SegmentedOperands,
		Operands:   ir.Slots("condition", ir.Bool, "trueDestOperands", values, "falseDestOperands", values),
		Attrs:      ir.Attrs("branch_weights", ir.OptAttr(ir.I32s)),
		Successors: []string{"trueDest", "falseDest"},
		Format: "$condition (`weights` `(` $branch_weights^ `)`)? `,` " +
			"$trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)? `,` " +
			"$falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict",
	})
	Switch = Dialect.Op(ir.OpDef{
		Name:       "switch",
		Doc:        "Goes to the block of the case that equals a flag, or to the default.",
		Traits:     ir.Pure | ir.Terminator | ir.SegmentedOperands,
		Operands:   ir.Slots("flag", ir.SignlessIntLike, "defaultOperands", values, "caseOperands", values),
		Attrs:      ir.Attrs("case_values", ir.OptAttr(ir.AnyAttr), "case_operand_segments", ir.I32s),
		Successors: []string{"defaultDestination", "caseDestinations..."},
		PrintFn:    printSwitch,
		ParseFn:    parseSwitch,
	})
	Assert = Dialect.Op(ir.OpDef{
		Name:     "assert",
		Doc:      "Stops the program with a message unless a condition holds.",
		Traits:   ir.Writes,
		Operands: ir.Slots("arg", ir.Bool),
		Attrs:    ir.Attrs("msg", ir.AnyString),
		Format:   "$arg `,` $msg attr-dict",
	})
)
