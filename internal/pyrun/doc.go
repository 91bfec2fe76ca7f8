// Package pyrun evaluates the host side of a kernel file: module constants, conditions under which helpers
// are defined, decorator arguments, plain functions called at compile time. It is a small Python: bounded in
// steps and memory, without files and without a network.
//
// What comes in is syntax from internal/python; what goes out are Values. Other packages add values of their
// own (a dtype, a jit function, a device tensor) by implementing Value and, as they need, the optional
// interfaces at the end of this file. It knows nothing of Triton: `triton`, `torch` and the like are modules
// that its user registers.
//
// Values:
//
//	value.go             Value and Python's basic types; the optional interfaces
//	class.go             classes and instances; types.go the built-in ones
//	seq.go, dict.go      sequences and dicts; hash.go keys
//	number.go            arithmetic on numbers; realmath.go exact functions of reals
//	iterator.go          iterators; generator.go generators
//	exception.go         exceptions and tracebacks
//	unknown.go           values of packages of which nothing is known
//	repr.go              repr and str
//
// Evaluation:
//
//	interp.go            Interp and its limits
//	env.go               scopes; binder.go the names that statements bind; globals.go globals()
//	eval.go, exec.go     expressions and statements
//	assign.go            assignment and unpacking
//	call.go, bind.go     calls and the binding of arguments
//	attr.go              attributes; attr_own.go those of values that are not methods
//	ops.go               binary operators; builtin_ops.go of sequences, sets, dicts and types; compare.go comparisons
//	match.go, try.go     match; try, raise and with
//	classdef.go          class statements; dataclass.go, enum.go special classes; decorate.go decorated functions
//	code.go              compile, exec and eval
//
// Text:
//
//	format.go            format specs; strformat.go str.format, percent.go the % operator, fstring.go f-strings
//
// Built-in names:
//
//	builtins.go          the names visible everywhere; builtins_num.go numbers, constructors.go types
//	methods_str.go       methods of str; methods_str2.go split, join and justify
//	methods_seq.go       methods of lists, tuples, ranges and generators
//	methods_dict.go      methods of dicts and sets
//	methods_num.go       methods of numbers, and the operators as methods
//
// Modules:
//
//	module.go            modules whose names are evaluated when needed; module_index.go which statements a name needs
//	importer.go          imports; finder.go, roots.go source files and where they are searched
//	modules.go           the modules of Python's library that are written in Go
//	modules_class.go     abc, dataclasses, enum, types, typing; typing.go its generic types
//	modules_collections.go collections and contextlib
//	modules_function.go  copy and functools
//	modules_import.go    importlib, inspect and textwrap
//	modules_iter.go      itertools
//	modules_misc.go      traceback, argparse and others
//	modules_number.go    math, numbers and random
//	modules_operator.go  operator
//	modules_re.go        re
//	modules_signature.go inspect.signature
//	modules_spec.go      importlib.util
//	modules_system.go    os, sys, platform, time and warnings
//	modules_version.go   packaging.version
package pyrun
