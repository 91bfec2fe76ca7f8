// Package cpu runs compiled kernels on the host's processor: object files are linked into the process and run
// by a pool of threads. It knows no compiler; package target/cpu makes the object files.
//
//	device.go      Device: the processor, its memory; a kernel and its launches
//	code.go        Code: an object file and what a launch must know of it
//	live.go        linked code, bounded
//	check.go       checked code: the memory of arguments, the site of a fault
//	print.go       the output of device_print
//	isolate*.go    launches in child processes
//	runs.go        which processors run which code
package cpu
