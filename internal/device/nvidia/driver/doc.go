// Package driver drives NVIDIA GPUs through libcuda.so.1, the driver's own library, without the CUDA toolkit
// or cgo: devices, memory, streams, events, modules, launches, graphs.
//
// Its input is PTX or cubins, bytes, and launch configurations. Its output is results in memory, or an *Error
// that names the call, CUDA's name for the error and, for a launch, the kernel with its grid and shared
// memory.
//
// The following always holds:
//
//   - Any goroutine may call anything. CUDA keeps the current context in the thread and goroutines move
//     between threads, so every call makes its context current first; a launch does so only when it must.
//   - A launch allocates nothing.
//   - Each device has one context here, the primary one, which the CUDA runtime and others in the process
//     share.
//   - Without a driver or a GPU, Load says what was tried, and nothing else of the program is affected.
//
// The files:
//
//	load.go       finding the library and the devices
//	raw.go        the symbols of the library
//	device.go     devices and their properties
//	memory.go     device memory
//	tensormap.go  descriptions of tensors that the hardware reads
//	module.go     loading code; the driver's compiler of PTX
//	retire.go     modules that nobody can launch any more
//	function.go   kernels of a module
//	launch.go     launches; ready.go those of which only grid, stream and words change, large.go other code
//	              for many blocks
//	stream.go     streams, events, graphs; room.go memory that launches on a stream use in turn
//	error.go      results of the driver as errors
package driver
