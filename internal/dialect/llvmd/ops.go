// Package llvmd is the little of MLIR's llvm dialect that kernels need: a hint that Triton's front end
// makes, and what turns an address into a buffer.
package llvmd

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is llvm.
var Dialect = ir.NewDialect("llvm", "What kernels need of LLVM's own operations.")

// Assume is `llvm.intr.assume`.
var Assume = Dialect.Op(ir.OpDef{
	Name:     "intr.assume",
	Doc:      "Promises that a condition holds.",
	Traits:   ir.Writes,
	Operands: ir.Slots("cond", ir.Bool),
	Attrs:    ir.Attrs("op_bundle_sizes", ir.DefAttr(ir.I32s, ir.DenseArray(ir.I32))),
	Format:   "$cond attr-dict `:` type($cond)",
})

// Addresses and structs. The types are LLVM's, known by their text alone.
var (
	IntToPtr = Dialect.Op(ir.OpDef{
		Name:     "inttoptr",
		Doc:      "An integer as a pointer.",
		Traits:   ir.Pure,
		Operands: ir.Slots("arg", ir.AnyInt),
		Results:  ir.Slots("res", ir.AnyType),
		Format:   "$arg attr-dict `:` type($arg) `to` type($res)",
	})
	Poison = Dialect.Op(ir.OpDef{
		Name:    "mlir.poison",
		Doc:     "A value of which nothing is known.",
		Traits:  ir.Pure,
		Results: ir.Slots("res", ir.AnyType),
		Format:  "attr-dict `:` type($res)",
	})
	InsertValue = Dialect.Op(ir.OpDef{
		Name:     "insertvalue",
		Doc:      "A struct with one field replaced.",
		Traits:   ir.Pure,
		Operands: ir.Slots("container", ir.AnyType, "value", ir.AnyType),
		Results:  ir.Slots("res", ir.AnyType),
		Attrs:    ir.Attrs("position", ir.I64s),
		Types:    []ir.TypeRule{{From: "container", To: "res"}},
		PrintFn:  printInsert,
		ParseFn:  parseInsert,
	})
)
