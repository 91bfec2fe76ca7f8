// Package compile makes executables of kernels: once for each specialization, however many goroutines ask for
// it, from the cache if it has one.
//
// Its input is a kernel of a file (Kernel), a device, and the compiler's description of each argument
// (signature.Arg, from package args). Its output is compiled code of package code, which launches it: a
// code.Build, or the code.Result of a compilation whose stages somebody wants to see.
//
//	kernel.go     Kernel and Settings: what all specializations of a kernel share
//	variant.go    the name of a specialization, and the errors of those that may not be compiled
//	builds.go     builds, one for each key, made by one goroutine while others wait
//	job.go        one compilation: front end, then the stages of the device
//	keep.go       the same through the cache: key, entry, restoring
//	elsewhere.go  why strict mode does not find what another build has kept
//	nearest.go    the specializations that are compiled, and what a new one differs in
//	dump.go       stages written to files, and files that replace stages
//	describe.go   what a launch must know of compiled code
//	metadata.go   what launch_metadata= says of a launch
//	forms.go      the forms of a specialization, among which launches choose, compiled ahead
//	ahead.go      the same into the cache, for a device that need not be here
//	stored.go     through which arguments a kernel writes
//	text.go       a kernel that begins with the text of a stage
//
// The package knows devices through package target alone. Errors are those of the compiler and the device;
// package jit gives them their exported types.
package compile
