// Package target defines what a device must do to run kernels: compile Triton IR for itself, hold memory,
// launch.
//
// Each back end is a package below this one and knows no other. The root package ties them together.
//
//	target.go         Backend, Executable, Buffer, Stream; Options and Input of a compilation
//	traits.go         what some devices can do, as optional interfaces
//	facts.go          what is known of compiled code
//	given.go          compilations that begin with the text of a stage
//	libs.go           bitcode that is linked into kernels
//	grid.go           the number of programs of a grid
//	errors.go         errors that all devices share
//	host.go           buffers in host memory; hostmem.go, hostmem_*.go: enough of it
//	spare.go          memory that launches use again
//	bench.go          how long a launch takes
package target
