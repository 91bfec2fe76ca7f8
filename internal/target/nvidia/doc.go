// Package nvidia compiles kernels for NVIDIA GPUs: Triton IR to TTGIR to LLVM IR to PTX. Package
// device/nvidia runs them.
//
//	cuda.go           Compiler: the stages to PTX
//	ttgir.go          Triton IR to TTGIR
//	text.go           code from the text of a stage
//	steps.go          whether PTX writes registers that products under way read
//	operands.go       registers that ptxas would use twice
//	attempt.go        the steps from TTIR to PTX, and why they are taken again
//	recurrence.go     which kernels are recurrences or stride over the grid, with few programs
//	blocks_per_sm.go        for how many programs on an SM code is made
//	merge.go          which programs may be merged
//	uniform.go        how many words the host may compute
//	keep.go           what code in the cache depends on
//	device.go         Device: a GPU with a compiler
package nvidia
