// Package lower turns TTGIR into LLVM IR for NVIDIA GPUs.
//
// What comes in is a module of tt, ttg, scf, arith and math operations in which every tensor has a layout; what goes out is LLVM IR
// text of one kernel, as one thread executes it, and how much shared memory it needs.
//
// A tensor is held as one LLVM value for each register of its layout (layout.Register), in the order of the register number. Where an
// element lies is always asked of the linear layout (package layout): no code here knows what a blocked or an mma layout is.
//
// Each operation is lowered by one function, found in a table by its definition; see ops.go.
package lower
