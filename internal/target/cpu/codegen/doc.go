// Package codegen turns a kernel of the middle layer, linalg on tensors with memref at the edges, into LLVM
// IR for the host.
//
// Its input is a module that triton-to-linalg made, its output LLVM IR text with one function,
//
//	void @NAME.range(ptr args, ptr grid, i64 first, i64 last, ptr scratch, ptr status)
//
// that runs the programs first … last-1 of a grid one after the other. args holds the kernel's arguments in
// 64-bit words, grid the grid's three sizes and more words (check.go, print.go). scratch is memory that no
// other worker uses at the time. status has four words: the first is set when the kernel stops, the second is
// not 0 if scratch is as an earlier call of the same launch left it (share.go), the last is the address of a
// word by which the launch ends the kernel (poll.go).
//
// A tensor is either a formula or a buffer. A formula (an elementwise chain, a broadcast, a load) is computed
// for a few elements at a time, as vectors, in the loops of its users, so that nothing block-sized is kept
// where a register will do. A buffer is scratch memory: loop-carried tensors, operands of matrix products,
// results of reductions, and formulas that would cost too much to compute twice. A root is a tensor that a
// loop nest computes: a store, a buffer or a reduction. A nest is a loop nest with one or more roots.
//
// The following always holds: loops and vectors are written out, so LLVM has no vectorizing to do and little
// else; each operation rounds as Triton's IR says, but sums may be taken in another order.
//
//	gen.go            Generate; scopes, scalars, the loop over programs, blocks
//	plan.go           which tensors are formulas and which buffers, which roots share a nest
//	walk.go           what a formula reads and costs
//	alias.go          which accesses a nest may reorder
//	nest.go           the loops of a nest
//	eval.go           elements of formulas; recognizing loads
//	index.go          indices of lanes: a scalar and a constant for each lane
//	inside.go         comparisons that the bounds of a nest decide
//	reduce.go         reductions
//	sums.go           reductions moved into the loop that adds up their operand
//	matmul.go         matrix products, by package gemm
//	round.go          the round of a loop that is being written
//	share.go          operands of products that one program packs for the next
//	wrap.go           matrices that wrap around in memory
//	scatter.go        gathers and scatters
//	control.go        loops and branches, and the values that they carry
//	memory.go         operations with effects: copies, atomics, calls, assertions
//	view.go           addresses, loads and stores of blocks
//	check.go          sites where a kernel stops; checks of accesses (Options.Check)
//	poll.go           ending a kernel from outside
//	print.go          device_print
//	ops.go            operations on elements; ops_int.go, ops_float.go, ops_power.go, ops_sigmoid.go
//	types.go          LLVM types and constants
//	writer.go         the text of an LLVM function
//	debug.go          line information
package codegen
