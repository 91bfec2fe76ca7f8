// Package genrt is the run time of generated code: what `nereid gen` writes calls it, and nobody else should. It may change with
// the generator; generate again after an update.
//
// A generated function has its compile-time arguments and options in a struct and its others one by one, with their Go types, so
// that a wrong argument does not compile. A launch whose arguments look like those of an earlier one boxes and allocates nothing.
//
//	typed.go    Typed: a kernel, with the plans of earlier launches by the struct's value
//	call.go     Call: one launch in the making
//	sources.go  Sources: the embedded files
package genrt
