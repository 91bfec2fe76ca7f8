// Package nvidia compiles kernels for NVIDIA GPUs and runs them: Triton IR to TTGIR to LLVM IR to PTX, and
// from there with the driver's compiler.
//
// A specialization of a kernel has one Code that serves every launch or, as the launch's grid and arguments
// allow, several that do so faster (Others).
//
// Compiling:
//
//	cuda.go           Compiler: the stages to PTX; Code: what they make
//	ttgir.go          Triton IR to TTGIR
//	text.go           code from the text of a stage
//	steps.go          whether PTX writes registers that products under way read
//	operands.go       registers that ptxas would use twice
//	ptxas.go          PTX to a cubin, by NVIDIA's program
//	attempt.go        the steps from TTIR to PTX, and why they are taken again
//	occupancy.go      registers against blocks per SM: how code is assembled, and how often
//	features.go       what PTX shows for that: products, loops, registers that are alive at once
//	cubin.go          the registers and spills of a cubin
//	recurrence.go     which kernels are recurrences or stride over the grid, with few programs
//	check.go          checked code: the memory of arguments, the record of a bad access
//	keep.go           code in the cache and in files
//	runs.go           which GPUs run which code
//
// Devices:
//
//	device.go         Device: a GPU, and the kernels that it loads
//	memory.go         its buffers
//	stream.go         its streams and graphs
//	kernel.go         launches of a loaded kernel
//	measure.go        times of launches; measure_graph.go: of recorded ones
//
// What a launch decides:
//
//	others.go         further code of a specialization, made when a launch needs it
//	sharing.go        blocks per SM of a launch, and the code for few of them
//	merge.go          which launches have merged programs
//	tensormap.go      tensor maps of descriptors
//	tile.go           tensor maps of loads by pointers
//	guard.go          conditions on arguments and programs under which tiles fit and loops are short
//	uniform.go        the parameter that the host computes from the others
package nvidia
