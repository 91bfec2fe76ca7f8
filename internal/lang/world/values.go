package world

import (
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Texts and comparisons of values that kernels hold. Values of the simplest kinds need no interpreter; for
// others one with small limits serves.

func scratch() *object.Interp {
	return pyrun.New(pyrun.Options{Limits: object.Limits{MaxSteps: 100_000, MaxBytes: 1 << 20}}).Interp
}

// Text returns str(v).
func Text(v object.Value) string {
	switch v := v.(type) {
	case object.Str:
		return string(v)
	case object.Int:
		return v.Big().String()
	}
	s, err := object.ToStr(scratch(), v)
	if err != nil {
		return "<" + v.TypeName() + ">"
	}
	return s
}

// Repr returns repr(v).
func Repr(v object.Value) string {
	if i, ok := v.(object.Int); ok {
		return i.Big().String()
	}
	s, err := object.Repr(scratch(), v)
	if err != nil {
		return "<" + v.TypeName() + ">"
	}
	return s
}

// Equal reports whether two values known at compile time are equal.
func Equal(a, b object.Value) bool {
	if x, ok := object.AsInt64(a); ok {
		if y, ok := object.AsInt64(b); ok {
			return x == y
		}
	}
	ok, err := object.Equal(scratch(), a, b)
	return err == nil && ok
}

// IsTrue reports whether a value known at compile time is true; one without a truth value is not.
func IsTrue(v object.Value) bool {
	switch v := v.(type) {
	case object.Bool:
		return bool(v)
	case object.NoneType:
		return false
	}
	ok, err := object.Truth(scratch(), v)
	return err == nil && ok
}

// Describe names a value that is known at compile time, for messages.
func Describe(v object.Value) string {
	switch v := v.(type) {
	case object.NoneType:
		return "None"
	case object.Int, object.Float, object.Bool, object.Str:
		return "the constant " + Repr(v)
	}
	return "a value of Python type " + v.TypeName()
}
