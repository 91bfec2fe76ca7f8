package lang

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

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
