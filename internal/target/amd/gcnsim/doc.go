// Package gcnsim runs kernels of AMD's GPUs on the host, to test what compilers make where there is no such
// GPU.
//
// What comes in is a code object (hsaco), memory, and a launch; what goes out is that memory changed, or an
// error that names the instruction, its line in the kernel's source, the workgroup, the wave and the lane.
// Waves of 32 or 64 lanes are interleaved as Order says; workgroups run one after another.
//
// It is stricter than a GPU, since it is there to find faults:
//
//   - an access outside of the buffers that were lent is an error, and so is a buffer whose address does not
//     fit the 48 bits of a descriptor. As on amdhsa, only atomics, scalar loads and accesses to two places of
//     LDS must be aligned;
//   - what lies behind a wait counter begins and ends: a load writes its registers at any time before the
//     s_waitcnt that waits for it, and until then nobody may use them. Loads of one queue end in order,
//     scalar loads in any order. Order picks the moment;
//   - a barrier must lie between two accesses to a byte of LDS or of global memory by different waves, of
//     which one writes. An access under way at a barrier counts on both of its sides (shadow.go says more);
//   - values that nothing wrote may be moved and computed with, as compilers do in lanes whose results nobody
//     takes. They may not be stored to global memory, nor decide an address, a branch or exec.
//
// Approximate instructions (v_exp_f32, v_rcp_f32 and the like) are computed exactly, rounded, and flush
// denormals as the hardware does. Sums of matrix products are taken in float64 and rounded once: the hardware
// differs in the last bits. Instructions that are not known stop the wave that reaches them, by name.
//
// The files:
//
//	launch.go       modules, launches, arguments; group.go workgroups and waves
//	program.go      code made into functions
//	source.go       operands of vector instructions; mode.go denormals, dpp.go operands of other lanes
//	vector.go       instructions on lanes, compare.go comparisons, packed.go halves, matrix.go products
//	ring.go         floats as elements of a finite ring
//	rdna.go         what RDNA 3 has beside; wmma.go its products
//	scalar.go       scalar instructions and branches; scalarload.go scalar loads
//	access.go       loads and stores, ldsload.go loads to LDS, atomic.go atomics
//	memory.go       global memory; lds.go LDS
//	transfer.go     accesses under way; wait.go s_waitcnt; order.go when they end, and which wave runs
//	shadow.go       races; explore.go all interleavings
//	fault.go        Fault
//	counts.go       what each instruction did; chart.go what the first waves did one after the other
//	op_*.go         the tables of instructions: what each computes
package gcnsim
