// Package args turns the arguments of a launch into what its kernel is keyed by and what the device is handed. It is the only
// place that binds arguments to parameters (Matched.Match) and that specializes them (Frame.Specialize; IntRule.Class for an
// integer): Launch, Bind, generated functions, autotuning, manifests and the short cuts of repeated launches all come here.
//
// In come arguments by position and by name. Out come, for each parameter, a Class, the words that the device reads, and, when
// a kernel has to be compiled, what the compiler is told (lang.ArgSpec).
//
//	value.go       what an argument may be; Tensor and Device as launches see them
//	params.go      a kernel's parameters, with the rule by which each is specialized
//	match.go       arguments to parameters: positions, names, defaults
//	class.go       Class: all that a specialization depends on in one argument
//	specialize.go  arguments to classes and words
//	spec.go        classes to what the compiler is told, and to the key of a specialization
//	constant.go    Go values to compile-time values and back
//
// A specialization follows Triton's rules: an integer is i32 or i64 by its value, is compiled in when it is 1, and is known to be
// divisible by 16 when it is; a pointer is known to be aligned when its address is.
package args
