// Package llvmd is the one op of MLIR's llvm dialect that Triton's front end makes.
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
