// Package gpud holds ops of MLIR's gpu dialect: the one that Triton's front end makes, and the number of a
// warp.
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

// SubgroupID is `gpu.subgroup_id`.
var SubgroupID = Dialect.Op(ir.OpDef{
	Name:    "subgroup_id",
	Doc:     "The number of the thread's warp in its block.",
	Traits:  ir.Pure,
	Results: ir.Slots("result", ir.Exactly(ir.Index)),
	Format:  "attr-dict `:` type($result)",
})
