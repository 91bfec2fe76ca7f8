// Package genrt is the run time of generated code: `nereid gen` writes calls of it. Programs use two things
// of it: Set, for compile-time arguments that have a default, and the methods of File. The rest may change
// with the generator; generate again after an update.
//
// A generated function takes its compile-time arguments and options in a struct and its other arguments one
// by one, with their Go types, so that a wrong argument does not compile. A launch whose arguments have the
// specialization of an earlier one boxes and allocates nothing.
//
//	typed.go    Typed: a kernel, with the plans of earlier launches by the struct's value
//	call.go     Call: one launch in the making
//	opt.go      Opt: a compile-time argument that may be left to the kernel's default
//	unset.go    errors name the compile-time arguments that the caller forgot
//	file.go     File: the kernels' file, its module and its configuration
//	sources.go  Sources: the embedded files
package genrt
