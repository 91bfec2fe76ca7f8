package lang

import (
	"github.com/nereid-lang/nereid/internal/host"
	"github.com/nereid-lang/nereid/internal/python"
)

// Texts and comparisons of values that kernels hold. They need no state of an interpreter; one with small limits serves where a value
// is not of the simplest kinds.

func scratch() *host.Interp {
	return host.NewInterp(host.Options{MaxSteps: 100_000, MaxBytes: 1 << 20})
}

// text is str(v).
func text(v host.Value) string {
	switch v := v.(type) {
	case host.Str:
		return string(v)
	case host.Int:
		return v.Big().String()
	}
	s, err := host.ToStr(scratch(), v)
	if err != nil {
		return "<" + v.TypeName() + ">"
	}
	return s
}

// Repr is repr(v).
func Repr(v host.Value) string {
	if i, ok := v.(host.Int); ok {
		return i.Big().String()
	}
	s, err := host.Repr(scratch(), v)
	if err != nil {
		return "<" + v.TypeName() + ">"
	}
	return s
}

func equal(a, b host.Value) bool {
	if x, ok := host.AsInt64(a); ok {
		if y, ok := host.AsInt64(b); ok {
			return x == y
		}
	}
	ok, err := host.Equal(scratch(), a, b)
	return err == nil && ok
}

// isTrue is bool(v) of a value known at compile time; what has no truth value is false.
func isTrue(v host.Value) bool {
	switch v := v.(type) {
	case host.Bool:
		return bool(v)
	case host.NoneType:
		return false
	}
	ok, err := host.Truth(scratch(), v)
	return err == nil && ok
}

// truth is bool(v), with a failure at n where there is none.
func (g *generator) truth(n python.Node, v host.Value) bool {
	ok, err := host.Truth(g.u.world.in, v)
	g.check(n, err)
	return ok
}

// pyBuiltin is a function of host Python's own.
func (g *generator) pyBuiltin(name string) host.Value {
	v, _ := g.u.world.in.Builtin(name)
	return v
}
