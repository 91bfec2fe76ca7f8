// Package lower turns TTGIR into LLVM IR for GPUs.
//
// Its input is a module of tt, ttg, scf, arith and math operations in which every tensor has a layout. Its
// output is the LLVM IR text of one kernel, as a single thread executes it, and the shared memory that the
// kernel needs.
//
// A tensor is held as one LLVM value for each register of its layout (layout.Register), in the order of the
// register number. Where an element lies is always read off the linear layout (package layout): no code here
// knows what a blocked or an mma layout is. A place is the register, lane, warp and block that hold an
// element. A block is a thread block (CTA); with num_ctas > 1 a program is a cluster of blocks. Threads meet
// when they wait for each other at a barrier.
//
// Each operation is lowered by one function, found in a table by its definition.
//
// The algorithms here are the same for all makers of GPUs. They reach a machine through the interface Vendor
// (vendor.go): the width of a warp, shuffles, barriers, loads and stores, atomics, asynchronous copies,
// products, approximate mathematics, a kernel's attributes. Code that only one vendor's GPUs understand
// (inline assembly, llvm.nvvm.* intrinsics, compute capabilities, names of a device library, operations of
// the dialect ttng) goes to the files of that vendor, nvvm.go and nvvm_*.go for NVIDIA, amd.go and amd_*.go
// for AMD: a method of Vendor if other vendors can do the same in their way, a row of nvidia.ops if the
// operation is NVIDIA's alone. The other files never name a declaration of a vendor's file (TestVendorSeam),
// and never assume that a warp has 32 lanes: Vendor.lanes says how many.
//
// The module:
//
//	lower.go          Lower, Options, Kernel; values, blocks and operations of a function
//	ops.go            a row for each operation: lowering, scratch memory, effects, whether it crosses blocks
//	program.go        the state that the functions of a kernel share; frames; the module's text
//	function.go       functions, calls, returns, scratch in global memory
//	emit.go           writer: the text of an LLVM function
//	debug.go          line information
//	control.go        loops, branches, constants, program numbers
//	carried.go        values that loops carry, and those packed into words
//
// Elements and threads:
//
//	elementwise.go    operations on each element
//	runs.go           runs of indices in a thread; comparing them with a label
//	divide.go         dividing such runs
//	uniform.go        numbers that the host computes at the launch
//	uniform_divide.go dividing by them
//	mathops.go        the math dialect
//	floatcast.go      conversions between floats
//	asm.go            inline assembly and tt.map_elementwise
//	index.go          folding arithmetic on i32 names
//	threads.go        the thread's numbers, coordinates, and which thread owns an element
//	kernelspace.go    steps between places along a dimension
//	shape.go          operations that rename registers: broadcast, reshape, trans, join, split
//	shuffle.go        exchange between lanes
//	print.go          print, assert, assume
//
// Memory:
//
//	memory.go         loads and stores of global memory, packing of elements into words
//	atomic.go         atomics
//	check.go          checked code: accesses that the launch does not allow, and failed assertions
//	certify.go        certified code: functions and conversions as units of a ring
//	smem.go           addresses of and accesses to buffers in shared memory
//	places.go         places in a buffer, for instructions that move matrices
//	copy_valid.go     how many bytes an asynchronous copy under a mask reads
//	local.go          ttg.local_* and asynchronous copies; spread.go lets lanes store in different orders
//	alloc.go          places of buffers in shared memory
//	scopes.go         the scopes of a kernel, which a profiler records
//	buffers.go        the same for a reader, with the operations during which they are in use
//	effects.go        what an operation does to memory: a part of its row
//	barrier.go        where threads must meet because of shared memory
//	barrier_early.go  barriers before the loads that precede the one that needs them
//	barrier_proxy.go  fences between threads and the copy engine
//	order.go          where threads must meet because of global memory
//	versions.go       loops in which that depends on arguments
//	cluster.go        exchange between the blocks of a cluster
//	tensormap.go      which arguments are tensor maps
//
// Operations across threads:
//
//	convert.go        layout conversions
//	convert_warp.go   layout conversions by shuffles where lanes need different registers
//	convert_pairs.go  layout conversions of bytes, two at a time
//	swizzle.go        the layout of shared memory during a conversion
//	reduce.go         reductions; reduce_spread.go shares rows out among lanes, reduce_rows.go goes across
//	                  warps, reduce_cluster.go across blocks
//	scan.go           scans; scan_lanes.go over lanes, scan_shared.go across warps
//	gather.go         gather and histogram; gather_warp.go within warps, gather_cluster.go across blocks
//	dot.go            products by multiply-adds
//
// Vendors:
//
//	vendor.go           Vendor: what the files above ask of a machine
//	nvvm.go             NVIDIA: facts, the module, special registers, barriers, shuffles
//	nvvm_asm.go         inline assembly under construction
//	nvvm_memory.go      loads, stores and asynchronous copies
//	nvvm_effects.go     what NVIDIA's own operations do to memory
//	nvvm_atomic.go      atomics
//	nvvm_matrix.go      ldmatrix and stmatrix
//	nvvm_certify.go     units of certified code
//	nvvm_math.go        approximations, conversions of 8-bit floats
//	nvvm_libdevice.go   the functions of the device library
//	nvvm_print.go       printf and failed assertions
//	nvvm_scopes.go      records of scopes
//	nvvm_mma.go         products by mma.sync
//	nvvm_wgmma.go       products of warp groups (wgmma)
//	nvvm_wgmma_steps.go products whose left operand is computed between their steps
//	nvvm_wgmma_wait.go  waits for such products, with the registers that pass through them
//	nvvm_descriptor.go  how wgmma finds a matrix in shared memory
//	nvvm_tma.go         copies of blocks by the copy engine (TMA)
//	nvvm_tma_outside.go stores that begin at negative coordinates
//	nvvm_mbarrier.go    barriers in shared memory that count bytes
//	nvvm_tensormap.go   tensor maps that the kernel makes
//	amd.go              AMD: facts, the module, barriers
//	amd_lanes.go        shuffles, and reads of shared memory that transpose
//	amd_memory.go       loads, stores and atomics; amd_buffer.go: accesses to buffers
//	amd_certify.go      units of certified code
//	amd_math.go         approximations, conversions of floats
//	amd_libdevice.go    functions of ROCm's device library, by Triton's names
//	amd_product.go      products by MFMA and WMMA
package lower
