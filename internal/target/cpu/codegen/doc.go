// Package codegen turns the middle layer's form of a kernel, linalg on tensors with memref at the edges, into LLVM IR for the host: the last
// step that is ours on the way to native code.
//
// In: a module that triton-to-linalg made. Out: LLVM IR text with one function,
//
//	void @NAME.range(ptr args, ptr grid, i64 first, i64 last, ptr scratch, ptr status)
//
// that runs the programs first … last-1 of a grid one after the other. args are the kernel's arguments in words of 64 bits, grid three
// words, scratch memory that no other worker uses at the time, status four words: the first is set when an assertion fails, and the last
// is the address of a word by which the launch ends the kernel (poll.go).
//
// A tensor is either a formula or a buffer. A formula (an elementwise chain, a broadcast, a load) is computed for a few elements at a
// time, as vectors, in the loops of whoever needs it; so nothing block-sized is kept where a register will do. A buffer is scratch
// memory: what loops carry, operands of matrix products, results of reductions, and formulas that would cost too much to compute twice.
// plan.go decides which is which, and which loops are shared (a nest with several roots); nest.go writes the loops; eval.go computes
// elements; index.go follows the elements' places through reshapes, as a scalar and a constant for each lane.
//
// What always holds: loops and vectors are written out, so LLVM has no vectorising to do and little else; each operation rounds as
// Triton's IR says, but sums may be taken in another order.
package codegen
