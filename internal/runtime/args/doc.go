// Package args turns the arguments of a launch into the key of its compiled kernel and the words for the
// device. It is the only place that binds arguments to parameters (Matched.Match) and that specializes them
// (Frame.Specialize; IntRule.Class for an integer): Launch, Bind, generated functions, autotuning, manifests
// and the short cuts of repeated launches all use it.
//
// Its input is arguments by position and by name. Its output is, for each parameter, a Class, the words that
// the device reads and, if a kernel has to be compiled, the compiler's description of the argument
// (signature.Arg).
//
//	value.go       what an argument may be; Tensor and Device as launches see them
//	hold.go        the tensors of a launch, which others may close
//	params.go      a kernel's parameters, with the rule by which each is specialized
//	match.go       arguments to parameters: positions, names, defaults
//	class.go       Class: all that a specialization depends on in one argument
//	descriptor.go  tensor descriptors: their class and their words
//	specialize.go  arguments to classes and words
//	spec.go        classes to what the compiler is told, and to the key of a specialization
//	fit.go         arguments held to what code was compiled for
//	cover.go       code that serves more general arguments, and how specializations differ
//	constant.go    Go values to compile-time values and back
//	describe.go    what back ends are told of the arguments of launches
//
// A specialization follows Triton's rules: an integer is i32 or i64 by its value, is compiled in if it is 1,
// and is known to be divisible by 16 if it is; a pointer is known to be aligned if its address is.
package args
