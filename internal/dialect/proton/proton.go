// Package proton holds the op of Proton's dialect that Triton's front end makes: a mark in a kernel at which
// a profiler reads the clock.
package proton

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is proton.
var Dialect = ir.NewDialect("proton", "What kernels need of the operations of Triton's profiler, Proton.")

// Record is `proton.record`: with isStart a scope begins, else it ends.
var Record = Dialect.Op(ir.OpDef{
	Name:   "record",
	Doc:    "Records the time at which each warp enters or leaves a scope.",
	Traits: ir.Reads | ir.Writes,
	Attrs:  ir.Attrs("isStart", ir.OptAttr(ir.AnyUnit), "name", ir.AnyString),
	Format: "(`start` $isStart^):(`end`)? $name attr-dict",
})
