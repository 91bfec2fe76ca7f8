// Package object has the values of host Python and everything that can be done with one: arithmetic,
// comparison, attributes, items, iteration, calls, text. It runs no syntax: a function written in Python is a
// Function, which the evaluator in internal/pyrun provides.
//
// Operations take an *Interp, which bounds their steps and bytes. Other packages add values of their own (a
// dtype, a jit function, a device tensor) by implementing Value and, as they need, the optional interfaces
// whose names begin with Has.
//
// Values:
//
//	value.go             Value, Python's basic types, the optional interfaces; interp.go Interp and its limits
//	class.go             classes, instances; class_build.go the making of a class; types.go the built-in ones
//	enum.go              Enum and Flag; namedtuple.go named tuples; typing.go the names of module typing
//	seq.go, dict.go      items of sequences and dicts; slice.go slices, range.go ranges; hash.go keys
//	number.go            arithmetic on numbers
//	iterator.go          iterators and generators
//	exception.go         exceptions and tracebacks
//	unknown.go           values of packages of which nothing is known
//
// Operations:
//
//	attr.go              attributes; attr_own.go those that are not methods
//	callable.go, bind.go calls and the binding of arguments; signature.go the parameters of functions in Go
//	ops.go               binary operators; ops_builtin.go those of sequences, sets, dicts and types
//	compare.go           comparisons
//
// Text:
//
//	repr.go              repr and str; quote.go quoted strings and floats, runes.go characters
//	format.go            format specs; strformat.go str.format, percent.go the % operator
//
// Built-in names:
//
//	builtins.go          the functions visible everywhere; builtins_num.go those on numbers
//	constructors.go      calls of the built-in types
//	methods_str.go       methods of str; methods_str2.go split, join and justify
//	methods_seq.go       methods of lists, tuples, ranges and generators
//	methods_dict.go      methods of dicts and sets
//	methods_num.go       methods and operators of numbers; methods_object.go methods of object and type
package object
