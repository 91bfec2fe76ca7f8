// Package gpud is the one op of MLIR's gpu dialect that Triton's front end makes.
package gpud

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is gpu.
var Dialect = ir.NewDialect("gpu", "What kernels need of MLIR's operations for GPUs.")

// Barrier is `gpu.barrier`.
var Barrier = Dialect.Op(ir.OpDef{
	Name:   "barrier",
	Doc:    "Waits for all threads of the block, and for their accesses to memory.",
	Format: "attr-dict",
})
