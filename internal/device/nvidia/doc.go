// Package nvidia runs compiled kernels on NVIDIA's GPUs, through the CUDA driver (package driver). It knows
// no compiler but the driver's: PTX that no GPU has seen yet is assembled here. Package target/nvidia makes
// the PTX.
//
// A specialization of a kernel has one Code that serves every launch or, as the launch's grid and arguments
// allow, several that do so faster (Others).
//
//	gpu.go            GPU: the GPUs of a compute capability
//	device.go         Device: a GPU, and the kernels that it loads
//	memory.go         its buffers
//	stream.go         its streams and graphs
//	kernel.go         launches of a loaded kernel; launcher.go: those that need only words and a grid
//	measure.go        times of launches; measure_graph.go: of recorded ones
//
// Code:
//
//	code.go           Code: PTX or a cubin, and what a launch must know of it
//	keep.go           code in the cache and in files
//	runs.go           which GPUs run which code
//	scopes.go         code that records scopes: reading what it has recorded
//	check.go          checked code: the memory of arguments, the record of a bad access
//	occupancy.go      registers against blocks per SM: how code is assembled, and how often
//	features.go       what PTX shows for that: products, loops, registers that are alive at once
//	cubin.go          the registers and spills of a cubin
//	ptxas.go          PTX to a cubin, by NVIDIA's program
//
// What a launch decides:
//
//	others.go         further code of a specialization, made when a launch needs it
//	blocks_per_sm.go        which launches have few programs on an SM
//	choice.go         all of this as data, for launches from C
//	merge.go          which launches have merged programs
//	tensormap.go      tensor maps of descriptors
//	tile.go           tensor maps of loads by pointers
//	guard.go          conditions on arguments and programs under which tiles fit and loops are short
//	uniform.go        the parameter that the host computes from the others
package nvidia
