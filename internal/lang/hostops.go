package lang

import (
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Texts and comparisons of values that kernels hold. They need no state of an interpreter; one with small limits serves where a value
// is not of the simplest kinds.

func scratch() *object.Interp {
	return pyrun.New(pyrun.Options{Limits: object.Limits{MaxSteps: 100_000, MaxBytes: 1 << 20}}).Interp
}

// text is str(v).
func text(v object.Value) string {
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

// Repr is repr(v).
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

func equal(a, b object.Value) bool {
	if x, ok := object.AsInt64(a); ok {
		if y, ok := object.AsInt64(b); ok {
			return x == y
		}
	}
	ok, err := object.Equal(scratch(), a, b)
	return err == nil && ok
}

// isTrue is bool(v) of a value known at compile time; what has no truth value is false.
func isTrue(v object.Value) bool {
	switch v := v.(type) {
	case object.Bool:
		return bool(v)
	case object.NoneType:
		return false
	}
	ok, err := object.Truth(scratch(), v)
	return err == nil && ok
}

// truth is bool(v), with a failure at n where there is none.
func (g *generator) truth(n python.Node, v object.Value) bool {
	ok, err := object.Truth(g.u.world.in, v)
	g.check(n, err)
	return ok
}

// pyBuiltin is a function of host Python's own.
func (g *generator) pyBuiltin(name string) object.Value {
	v, _ := g.u.world.ev.Builtin(name)
	return v
}
