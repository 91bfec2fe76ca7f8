// Package sem gives the operations of the Triton language their meaning: types and promotion, and the
// Triton IR that each operation becomes. It corresponds to triton.language.semantic and
// triton.language.core in Triton. The code generator (package codegen) walks the syntax and calls it; it
// knows nothing of syntax.
//
// Host values come in: compile-time numbers, strings, tuples and dtypes as they are, and device values as
// *Tensor, *Descriptor or *BlockPointer. Out go IR at the builder's insertion point, operation for operation
// as the front end of the chosen release of Triton emits it, and the device value that stands for it. A use
// that Triton forbids is an *Error.
//
// Types and values:
//
//	types.go             Type and its kinds; Tensor; intern.go one object for each type
//	class.go             types and device values as host code sees them; desc.go tensor descriptors,
//	                     blockptr.go block pointers of 3.8
//	number.go            compile-time numbers as device values
//	promote.go           the types and shapes in which operands compute together
//	options.go           Options: what target and launch change
//
// The names of the language:
//
//	table.go, names.go   Builtin, and the table of all names; libdevice.go those of the device libraries
//	changes.go           names that only some releases have
//	bind.go, call.go     parameters and arguments of a call
//	errors.go            Error, and the way from deep inside an operation to the caller
//
// Operations:
//
//	builder.go           Builder: constants, splats, broadcasts
//	binary.go            operators; compare.go comparisons, mathops.go functions of numbers,
//	                     minmax.go min and max of constants
//	cast.go, create.go   conversions; new blocks
//	memory.go            loads and stores; atomic.go atomics
//	shape.go             shapes; reduce.go reductions, scans and maps
//	dot.go               products
//	asm.go, hints.go     inline assembly and extern functions; promises, assertions and prints
//	gluon.go             layouts and functions of Gluon
//	target.go            what a kernel may ask of its target
package sem
