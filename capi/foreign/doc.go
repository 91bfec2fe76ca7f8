// Package foreign launches kernels with arguments in C's memory, laid out as capi/nereid.h says. It needs no
// cgo: the module capi passes addresses on.
//
//	arg.go      Arg, Desc, Options: the structs of nereid.h
//	list.go     arguments → the forms that Kernel.Launch takes
//	kernel.go   Kernel: launches, with short cuts to earlier ones
//	cut.go      cut: a plan, and what arguments must look like to be launched by it
//	describe.go Description: what C needs to launch like an earlier launch itself
//	frozen.go   Frozen: one specialization, launched with parameters as cuLaunchKernel takes them
//
// With the build tag nereid_run it has the first two files alone, which do not reach the compiler.
//
// C's memory is read during a call only, and each argument once where its value is checked and then used:
// another thread may change it meanwhile.
package foreign
