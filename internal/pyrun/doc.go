// Package pyrun evaluates the host side of a kernel file: module constants, conditions under which helpers
// are defined, decorator arguments, plain functions called at compile time. It is a small Python: bounded in
// steps and memory, without files and without a network.
//
// Syntax from internal/python comes in, values of internal/pyrun/object go out. The package knows nothing of
// Triton: `triton`, `torch` and the like are modules that its user registers, and Python's own library is
// what Options.Library holds, as a rule that of internal/pyrun/std.
//
// Four packages, each standing on those before it:
//
//	realmath             exp, log and their kin, rounded correctly
//	object               values and the operations on them, built-in functions, types and their methods
//	pyrun                the evaluator: expressions, statements, functions, modules, imports
//	std                  the modules of Python's library that are written in Go
//
// Running:
//
//	evaluator.go         Evaluator and its options
//	eval.go, exec.go     expressions and statements
//	assign.go            assignment and unpacking
//	call.go              calls; func.go functions written in Python, decorate.go decorated ones
//	generator.go         generators
//	classdef.go          class statements
//	match.go, try.go     match; try, raise and with
//	fstring.go           f-strings
//	code.go              compile, exec and eval
//	scoped.go            built-in functions that look at the scope of their call; globals.go globals()
//	env.go               scopes; binder.go the names that statements bind
//
// Modules:
//
//	module.go            modules whose names are evaluated when they are needed
//	module_index.go      which statements a name needs; module_star.go names from star imports and globals()
//	inside.go            the body of a function as a module; values that names had earlier
//	importer.go          imports
//	finder.go, roots.go  source files and where they are searched
package pyrun
