// Package device has what running compiled kernels takes, and what the compiler and the runtime share: the
// interfaces of a device, its memory, its streams and its executables. It knows no IR and no compiler, and
// neither does any package below it, so that programs which only run compiled code link none.
//
//	device.go    Device, Executable, Buffer, Stream; Options of a launch, debug.go: one of them
//	launcher.go  Launcher: launches with nothing left to decide
//	traits.go    Traits: what is fixed of a device
//	extra.go     options that a target alone has
//	facts.go     what is known of compiled code
//	way.go       for which launches code is made
//	grid.go      the number of programs of a grid
//	errors.go    errors that all devices share
//	host.go      buffers in host memory; hostmem.go, hostmem_*.go: enough of it
//	spare.go     memory that launches use again
//	bench.go     how long a launch takes
//	scopes.go    what scopes of kernels record
//	print.go     where device_print writes
package device
