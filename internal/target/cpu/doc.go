// Package cpu compiles kernels for the host's CPU and runs them: Triton IR to linalg to LLVM IR to native
// code in memory, and the programs of a grid over all cores.
//
//	cpu.go            Compiler: the stages to an object file
//	chip.go           CPUs by name
//	half.go           conversions of fp16 for processors without instructions for it
//	keep.go           code in the cache and in files; runs.go: which machines run it
//	device.go         Device: memory, launches
//	live.go           linked code, and how much of it is kept
//	check.go          bounds of arguments, for checked launches
//	print.go          device_print and failed assertions
//	isolate.go        launches in child processes; isolate_*.go: the memory that they share
package cpu
