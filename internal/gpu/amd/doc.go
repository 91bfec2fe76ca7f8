// Package amd has the passes that only AMD's GPUs have.
//
//	accelerate.go   tritonamdgpu-accelerate-matmul
//	buffer_ops.go   tritonamdgpu-convert-buffer-ops
//	buffers.go      nereid-lower-amd: operations of AMD's dialect, in TTGIR of Triton's
//	epilogue.go     tritonamdgpu-optimize-epilogue
//	pointers.go     tritonamdgpu-canonicalize-pointers
//	reorder.go      tritonamdgpu-reorder-instructions, tritonamdgpu-hoist-layout-conversions
//	transpose.go    tritonamdgpu-in-thread-transpose
package amd
