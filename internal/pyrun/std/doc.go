// Package std has the modules of Python's library that are written in Go, as far as files with kernels use
// them: Library hands them to an evaluator. A module that is not here can still be imported; a use of what is
// in it is an error that says so.
//
//	std.go               Library: which modules there are
//	class.go             abc, enum, types, typing; dataclass.go, dataclass_use.go dataclasses
//	collections.go       collections and contextlib
//	functools.go         copy and functools
//	importlib.go         importlib, inspect, textwrap; spec.go importlib.util, signature.go inspect.signature
//	itertools.go         itertools; itertools_choose.go product, permutations and combinations
//	math.go              math, numbers and random
//	operator.go          operator
//	re.go                re
//	system.go            os, sys, platform, time, logging, warnings; process.go threading, queue, subprocess
//	version.go           packaging.version
//	misc.go              argparse, ast, traceback and others, as far as files use them at their top
package std
