// Package codegen turns a kernel into Triton IR: a jit function of a world and the description of its
// arguments come in, a module of tt operations goes out. The meaning of operations is left to package sem;
// here is the walk over a kernel's body: names and scopes, control flow, calls, and which values are known
// at compile time.
//
// A name in a kernel holds an object.Value. A device value is a *sem.Tensor, a *sem.Descriptor, a
// *world.Object, or an *object.Tuple that may hold such; every other value is known at compile time, and
// needs no wrapper as Triton's constexpr.
//
// Arguments:
//
//	signature.go         signatures with constants of Python, and their types and values here
//	compile.go           Compile: a kernel for one signature
//	entry.go             the name of the kernel's function, by repr=
//
// Walking a kernel:
//
//	gen.go               the walk over one function, and over each that it calls
//	stmt.go, expr.go     statements and expressions
//	control.go           conditions; loop.go loops
//	joins.go             types of names where control flow joins
//	with.go              context managers
//	call.go              calls; returns.go what functions return
//	builtins.go          functions of Python and of the language that are no operations
//	semantic.go          functions under @core.builtin, which run at compile time
//	object.go            instances of aggregates and their methods
//	scope.go, names.go   names and where statements bind them
//	seen.go              what is told of expressions, for editors
//	value.go             the types of values as control flow sees them
//
// Errors:
//
//	fail.go              failures at a place in the source
//	several.go           going on after a failure, to report more than one
package codegen
