// Package lang turns kernels into Triton IR: a file with @triton.jit functions comes in as syntax, and for
// one kernel and one signature a module of tt operations goes out, as Triton's own front end would make it
// before any pass.
//
// Host code is left to package pyrun (module constants, decorator arguments, functions called at compile
// time) and the meaning of operations to package sem. What remains here is the walk over a kernel's body:
// names and scopes, control flow, calls, and which values are known at compile time.
//
// A name in a kernel holds a object.Value. A device value is a *sem.Tensor, a *sem.Descriptor, an *Object, or
// a *object.Tuple that may hold such; every other value is known at compile time, and needs no wrapper as
// Triton's constexpr.
//
// Files and kernels:
//
//	load.go              loading a file; Target
//	world.go             the modules that one compilation can see
//	triton.go            module triton; runtime.go triton.runtime, machine.go triton.backends, torch.go torch
//	jit.go               functions under @triton.jit and the decorators around them
//	tuning.go            autotune and heuristics
//	signature.go         what is known of each argument; signature_format.go the same as text
//	pointers.go          which parameters a kernel uses as pointers
//
// Walking a kernel:
//
//	gen.go               the compilation of a kernel and of each function that it calls
//	stmt.go, expr.go     statements and expressions
//	control.go           conditions and loops
//	joins.go             types of names where control flow joins
//	with.go              context managers
//	call.go              calls
//	builtins.go          functions that look at the syntax of their call
//	semantic.go          functions of the language that run at compile time
//	class.go             aggregates: classes whose instances hold device values
//	scope.go, names.go   names and where statements bind them
//	resolve.go           names that stand for modules of Triton
//	value.go             the types of values as control flow sees them
//	constexpr.go         tl.constexpr
//	hostops.go           compile-time operations
//
// Errors:
//
//	fail.go              failures at a place in the source
//	several.go           going on after a failure, to report more than one
//	codes.go             the codes of messages
package lang
