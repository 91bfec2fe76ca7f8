package lang

import (
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/python"
)

// Texts and comparisons of values that kernels hold. They need no state of an interpreter; one with small limits serves where a value
// is not of the simplest kinds.

func scratch() *pyrun.Interp {
	return pyrun.New(pyrun.Options{Limits: pyrun.Limits{MaxSteps: 100_000, MaxBytes: 1 << 20}}).Interp
}

// text is str(v).
func text(v pyrun.Value) string {
	switch v := v.(type) {
	case pyrun.Str:
		return string(v)
	case pyrun.Int:
		return v.Big().String()
	}
	s, err := pyrun.ToStr(scratch(), v)
	if err != nil {
		return "<" + v.TypeName() + ">"
	}
	return s
}

// Repr is repr(v).
func Repr(v pyrun.Value) string {
	if i, ok := v.(pyrun.Int); ok {
		return i.Big().String()
	}
	s, err := pyrun.Repr(scratch(), v)
	if err != nil {
		return "<" + v.TypeName() + ">"
	}
	return s
}

func equal(a, b pyrun.Value) bool {
	if x, ok := pyrun.AsInt64(a); ok {
		if y, ok := pyrun.AsInt64(b); ok {
			return x == y
		}
	}
	ok, err := pyrun.Equal(scratch(), a, b)
	return err == nil && ok
}

// isTrue is bool(v) of a value known at compile time; what has no truth value is false.
func isTrue(v pyrun.Value) bool {
	switch v := v.(type) {
	case pyrun.Bool:
		return bool(v)
	case pyrun.NoneType:
		return false
	}
	ok, err := pyrun.Truth(scratch(), v)
	return err == nil && ok
}

// truth is bool(v), with a failure at n where there is none.
func (g *generator) truth(n python.Node, v pyrun.Value) bool {
	ok, err := pyrun.Truth(g.u.world.in, v)
	g.check(n, err)
	return ok
}

// pyBuiltin is a function of host Python's own.
func (g *generator) pyBuiltin(name string) pyrun.Value {
	v, _ := g.u.world.ev.Builtin(name)
	return v
}
