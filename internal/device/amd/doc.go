// Package amd runs compiled kernels on AMD's GPUs, through their runtime (package hip). It knows no compiler;
// package target/amd makes the code objects.
//
//	device.go    Device: a GPU, its memory and streams; a kernel and its launches
//	code.go      Code: what a launch must know of a code object
//	measure.go   how long launches take
package amd
