// Package tt is Triton's own dialect: what a kernel's program instance does, on scalars and blocks, with
// pointers into global memory. The rows follow Triton 3.6.
//
// Tensors hold a power of two of elements. A pointer is a scalar; a tensor of pointers is the address of
// each element; a pointer to a tensor describes a whole block.
//
//	ops.go            the dialect: casts, arithmetic, programs, functions, print and assert
//	memory.go         pointers, loads, stores, atomics, descriptors
//	shape.go          ops that make blocks, or give them another shape
//	reduce.go         products, reductions, scans
//	types.go          pointers and descriptors; enums.go: words of attributes
//	tile.go           descriptors that the host makes of other arguments
//	infer.go          types of results; layout.go: what is asked of encodings
//	fold.go           folders
//	effects.go        what ops do to memory
//	verify.go         verifiers; verify_region.go: of ops with regions, and products
package tt
