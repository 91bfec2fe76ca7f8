package sem

import (
	"fmt"
	"strings"
)

// Error is a use of the language that its rules forbid.
type Error struct {
	Code string // a short stable word: "shape-mismatch"
	Msg  string
	Hint string // what to do instead; may be empty

	Param string // the parameter whose argument is at fault, where it is one
}

func (e *Error) Error() string { return e.Msg }

// Codes of errors.
const (
	CodeType      = "type-mismatch"
	CodeShape     = "shape-mismatch"
	CodeConst     = "not-constexpr"
	CodeValue     = "bad-value"
	CodeArgs      = "bad-arguments"
	CodeTarget    = "unsupported-on-target"
	CodeAttribute = "no-attribute"
	CodeVersion   = "triton-version"
	CodeGluon     = "gluon"
)

// bailout carries an error from deep inside an operation to the exported function that was called, which
// returns it: the rules read as rules when each step needs no error of its own. It never leaves the package.
type bailout struct{ err error }

// guard, deferred, makes a bailout the function's error.
func guard(err *error) {
	switch r := recover().(type) {
	case nil:
	case bailout:
		*err = r.err
	default:
		panic(r)
	}
}

// bad returns a bailout with an Error, to be panicked. Types and lists of words among args are written for
// people.
func bad(code, format string, args ...any) bailout {
	for i, a := range args {
		switch a := a.(type) {
		case Type:
			args[i] = TypeText(a)
		case []string:
			args[i] = strings.Join(a, ", ")
		}
	}
	return bailout{&Error{Code: code, Msg: fmt.Sprintf(format, args...)}}
}

// at names the parameter whose argument is at fault.
func (b bailout) at(param string) bailout {
	if e, ok := b.err.(*Error); ok {
		e.Param = param
	}
	return b
}

// inArgument, deferred, blames the argument of a parameter for a failure in the rest of a function.
func inArgument(param string) {
	switch r := recover().(type) {
	case nil:
	case bailout:
		panic(r.at(param))
	default:
		panic(r)
	}
}

// hint adds advice.
func (b bailout) hint(format string, args ...any) bailout {
	if e, ok := b.err.(*Error); ok {
		e.Hint = fmt.Sprintf(format, args...)
	}
	return b
}

// check bails out with err unless it is nil.
func check(err error) {
	if err != nil {
		panic(bailout{err})
	}
}
