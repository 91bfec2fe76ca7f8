// Package gomlx is a backend for GoMLX: graphs of github.com/gomlx/compute run as generated Triton
// kernels, on NVIDIA GPUs and on the CPU, without cgo.
//
//	import _ "github.com/nereid-lang/nereid/gomlx"
//
//	backend, err := compute.NewWithConfig("nereid:cuda:0") // or GOMLX_BACKEND=nereid:cpu
//
// A function of a graph becomes a program: a list of steps. Operations on elements, and those that only
// move them, are computed inside the kernels of what uses them; reductions compute their operands as
// they go; products, attention, softmax and layer norms are kernels of package ops. Temporary results
// share one scratch memory, donated buffers hold outputs.
//
// The files:
//
//	backend.go       Backend, its registration
//	capabilities.go  what it has
//	buffer.go        Buffer, and the memory of buffers
//	graph.go         Builder, Function, nodes
//	functions.go     operations on elements: methods
//	elementwise.go   the same: shapes and types
//	layout.go        operations that move elements
//	reduce.go        reductions, also over windows
//	dot.go           products, and views of their operands
//	conv.go          convolutions, as products of windows
//	scatter.go       updates by index
//	sort.go          Sort
//	random.go        RNGBitGenerator
//	batchnorm.go     batch normalization
//	fused.go         fused operations
//	quantized.go     fused operations on weights of few bits
//	control.go       Call, If, While
//	specialize.go    graphs with dynamic axes, once their sizes are known
//	lower.go         from a function to a program: what lies in memory, which kernels there are
//	fold.go          what only depends on constants
//	mapkernel.go     kernels of operations on elements
//	eval.go          an element of a node, as text
//	apply.go         operations on elements, as text
//	text.go          expressions and indices of kernels
//	kernels.go       generated kernels, by their texts
//	program.go       programs: steps, slots, blocks, their run
//	executable.go    Executable
//	copy.go          copies of memory
//	types.go         types of elements
package gomlx
