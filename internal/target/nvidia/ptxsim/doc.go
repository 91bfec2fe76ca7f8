// Package ptxsim runs PTX on the host, to test what the compiler makes where there is no GPU.
//
// What comes in is the text of a PTX module, memory, and a launch; what goes out is that memory changed, or
// an error that names the instruction, the thread and its block. The lanes of a warp run together until a
// branch parts them, and from there on independently of each other, until an instruction with a member mask
// waits for them (warp.go). Blocks run one after another, those of a cluster together.
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
//   - a copy to shared memory does not overwrite what a thread read with a barrier between and nothing more
//     (below);
//   - a block does not end while a bulk copy reads its shared memory;
//   - a barrier that not all living threads reach, a member mask that names lanes which do not come, and a
//     shuffle from a lane that is not there, are errors.
//
// A barrier orders the reads of threads before later writes through the generic proxy, not before those of a
// bulk copy, which is of the async proxy: a load that was issued before bar.sync can be under way when a copy
// that is issued behind bar.sync writes. On an H200 ptxas moved the use of an ldmatrix below the barrier, and
// the copy overtook it. The memory model of PTX wants a proxy fence on the path from the read to the copy,
// and so does the simulator: fence.proxy.async for shared memory, of the reader before it arrives, or of the
// thread that issues the copy, behind the barrier. Two things do not count:
//
//   - a use of the loaded register before the barrier. In PTX it is an order of instructions, which ptxas is
//     free to change unless the use is volatile or stores; the machine code would have to be looked at;
//   - an arrival at an mbarrier in place of the barrier. The manual gives mbarrier.arrive release semantics
//     within the generic proxy, and an implicit proxy fence to the end of a bulk copy only.
//
// Reads by products and by bulk copies are of the async proxy themselves and need no fence. What a bulk copy
// brought may be read, by whichever proxy, behind the wait for its mbarrier, since its end is an implicit
// fence.
//
// Approximate instructions (ex2.approx and the like) are computed exactly and rounded, products of tensor
// cores are summed in float64: the hardware differs in the last bits.
//
// The files:
//
//	parse.go         modules and functions; label.go labels, operand.go operands, decode.go instructions
//	exec.go          launches, blocks, warps, threads
//	cluster.go       clusters of blocks
//	banks.go         bank conflicts of shared memory, counted by instruction; counts.go what else each does
//	chart.go         copies, waits, products and barriers of a block, one after the other
//	barrier.go       the 16 barriers of a block; mbarrier.go, op_mbarrier.go mbarriers
//	bulk.go          bulk copies under way; op_bulk.go their instructions, tensormap.go tensor maps
//	clock.go         which access comes before which
//	record.go        the synchronizing steps of warps, for all their interleavings
//	order.go         which warp runs next; warp.go which of its lanes; ends.go when copies end
//	memory.go        global memory
//	fault.go         Fault, and places in the source
//	op_*.go          the instructions of one family each
//	products.go      products of warp groups under way
//	ring.go          floats as elements of a finite ring
//	race.go          races on shared memory; race_global.go on global memory; dependent.go between launches
package ptxsim
