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
//   - of two accesses to one byte of shared or global memory by different threads, of which one writes, one
//     must come before the other: by bar.warp.sync within a warp, a barrier of the block, an mbarrier, or the
//     cluster's barrier between its blocks (clock.go; Launch.NoRaces turns this off). Atomics among
//     themselves need no order, nor writes of the same value, nor what several threads write to global memory
//     by one store, unless Launch.Strict is set;
//   - nobody touches the shared memory of another block before the cluster has met, and no block may leave
//     while others may use its own;
//   - an asynchronous copy (cp.async) writes at any time between its issue and its wait, a bulk copy until
//     its mbarrier, or group, was waited for: until then nobody may touch what it writes, or write what it
//     reads. A wait on an mbarrier can fail once although all is there, since a copy takes its time; one that
//     can never succeed is a deadlock, and an error;
//   - a product of a warp group (wgmma) is under way until it is waited for: its registers and the shared
//     memory that it reads are watched until then;
//   - what threads stored must be shown to bulk copies, and in shared memory to products, by
//     fence.proxy.async, and a tensor map made by the kernel by fence.proxy.tensormap;
//   - a block does not end while a bulk copy reads its shared memory;
//   - a barrier that not all living threads reach, and a shuffle from a lane that is not there, are errors.
//
// Approximate instructions (ex2.approx and the like) are computed exactly and rounded, products of tensor
// cores are summed in float64: the hardware differs in the last bits.
//
// The files:
//
//	parse.go         modules and functions; label.go labels, operand.go operands, decode.go instructions
//	exec.go          launches, blocks, warps, threads
//	cluster.go       clusters of blocks
//	barrier.go       the 16 barriers of a block; mbarrier.go, op_mbarrier.go mbarriers
//	bulk.go          bulk copies under way; op_bulk.go their instructions, tensormap.go tensor maps
//	clock.go         which access comes before which
//	order.go         which warp runs next
//	memory.go        global memory
//	fault.go         Fault, and places in the source
//	op_*.go          the instructions of one family each
//	products.go      products of warp groups under way
//	race.go          races on shared memory; race_global.go on global memory
package ptxsim
