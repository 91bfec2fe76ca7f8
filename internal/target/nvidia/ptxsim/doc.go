// Package ptxsim runs PTX on the host, to test what the compiler makes where there is no GPU.
//
// What comes in is the text of a PTX module, memory, and a launch; what goes out is that memory changed, or
// an error that names the instruction, the thread and its block. All threads of a block run in lock step by
// warps, as the hardware does: those of a warp that are furthest behind go first, so that branches that part
// them bring them together again. Blocks run one after another, those of a cluster together.
//
// It is stricter than a GPU, since it is there to find faults:
//
//   - an access outside of the buffers that were lent, or one that is not aligned to its size, is an error;
//   - two accesses to one byte of shared memory by different threads, of which one writes, are an error unless a barrier lies between
//     them (Launch.NoRaces turns this off); an asynchronous copy writes at any time between its issue and its wait;
//   - two accesses to one byte of global memory by different threads of a program, of which one writes, are an error unless a barrier
//     lies between them: bar.warp.sync within a warp, bar.sync within a block, the cluster's between its blocks. Atomics among
//     themselves are not, nor is what several threads write by one store, unless Launch.Strict is set;
//   - the same holds between the blocks of a cluster and its barriers, and no block may leave while others may use its shared memory;
//   - a product of a warp group (wgmma) is under way until it is waited for: its registers and the shared memory that it reads are
//     watched until then, and what threads stored must have been shown to it by a fence;
//   - a barrier that not all living threads reach, and a shuffle from a lane that is not there, are errors.
//
// Approximate instructions (ex2.approx and the like) are computed exactly and rounded, products of tensor
// cores are summed in float64: the hardware differs in the last bits.
//
// The files:
//
//	parse.go         modules and functions; operand.go operands, decode.go instructions
//	exec.go          launches, blocks, warps, threads
//	cluster.go       clusters of blocks
//	order.go         which warp runs next
//	memory.go        global memory
//	fault.go         Fault, and places in the source
//	op_*.go          the instructions of one family each
//	products.go      products of warp groups under way
//	race.go          races on shared memory; race_global.go on global memory
package ptxsim
