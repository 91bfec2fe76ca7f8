// Package gen writes Go for the kernels of a file: one typed function for each kernel, and a variable for the
// file, with its source embedded.
//
// Triton's parameters have no types, Go's do. The generator infers a parameter's Go type from how the kernel
// uses it (infer.go): as an address, as the bound of an index, in a comparison with a string. Options.Types
// overrides the inference.
//
//	gen.go      the functions and their structs
//	infer.go    types of parameters
//	flow.go     parameters followed through a kernel's body, for infer.go
//	elements.go tensors that hold integers, for typed.go
//	index.go    names that are used as indices, for infer.go
//	fold.go     long lines of what is written
//	imports.go  the modules that a file needs
//	names.go    Go's names for Python's
//	typed.go    the signature that a kernel's text suggests
package gen
