// Package signature describes the arguments of a kernel's launches, as text and as values: what each is
// compiled for. The front end compiles for such descriptions, and launches of compiled code are held to them
// without the front end: the package knows no IR and no Python.
//
//	type.go    Type: scalars and pointers
//	arg.go     Arg: what is known of an argument; Param: a parameter of a kernel
//	const.go   Const: a value that is compiled in
//	parse.go   text to arguments
//	format.go  arguments to text
package signature
