// Package cpu compiles kernels for CPUs: Triton IR to linalg to LLVM IR to object files. Package device/cpu
// runs them.
//
//	cpu.go            Compiler: the stages to an object file
//	chip.go           CPUs by name
//	half.go           conversions of fp16 for processors without instructions for it
//	keep.go           what code in the cache depends on
//	device.go         Device: the host's CPU with a compiler
//	perfmap.go        the names of kernels for perf
package cpu
