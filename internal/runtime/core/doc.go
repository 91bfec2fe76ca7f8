// Package core is what runs compiled kernels: devices, streams, tensors, graphs and compiled code, and the
// state of a launch. The packages run and nereid show its exported types to users under the same names
// (internal/arch: TestDoors); functions that users do not see are for the packages of this module. It knows
// no IR and no compiler, so that programs which only run compiled code link none.
//
//	device.go          Device and Stream; open.go: the kinds of devices, and finding one
//	tensor.go          Tensor; tensor_make.go: made and filled, tensor_copy.go: elements copied,
//	                   tensor_view.go: views, tensor_foreign.go: memory of others, tensor_format.go: texts and
//	                   comparisons, tensor_file.go and tensor_npy.go: files
//	arena.go           Arena: scratch memory of launches
//	dtype.go           DType and the Go types of elements
//	descriptor.go      Descriptor
//	options.go         Options of launches; print.go: the output of kernels
//	arguments.go       what a launch takes, and Frame, in which its arguments are bound
//	grid.go            Grid and GridFunc
//	launch.go          Launch: a launch without a plan, and host memory lent to the device
//	overlap.go         arguments that share memory
//	plan.go            launches by a plan
//	compiled.go        Compiled: code that was compiled or loaded
//	triton_cache.go    its stages in the layout of Triton's cache
//	graph.go           captured work, and streams of others
//	measure.go         durations of launches
//	tunestore.go       TuneStore: results of tunings
//	profile.go         StartProfile, and what is recorded of copies
//	errors.go          errors; faults.go: of launches, refusal.go: of what is declined, usable.go: of values
//	                   that are nil, zero or closed
//	inside.go          what the packages of this module ask of these types
package core
