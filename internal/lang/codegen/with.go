package codegen

import (
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// withStmt runs context managers of the host around statements of the kernel: __enter__ and __exit__ run
// while the kernel is compiled.
func (g *generator) withStmt(s *python.With) {
	managers := make([]object.Value, len(s.Items))
	for i, item := range s.Items {
		managers[i] = g.manager(item)
	}
	for i, item := range s.Items {
		v := g.callContext(item, managers[i], "__enter__")
		switch target := item.OptionalVars.(type) {
		case nil:
		case *python.Name:
			g.bind(target.ID, v)
		default:
			g.fail(target, "unsupported", "with can only bind a name")
		}
	}
	for _, b := range s.Body {
		if r := findReturn(b); r != nil {
			g.fail(r, "unsupported", "return is not supported inside with in a jit function")
		}
	}
	g.stmts(s.Body)
	for i := len(managers) - 1; i >= 0; i-- {
		g.callContext(s.Items[i], managers[i], "__exit__", object.None, object.None, object.None)
	}
}

// manager returns a context manager: it calls a class of the host, and gives it the compiler.
func (g *generator) manager(item *python.WithItem) object.Value {
	call, ok := item.ContextExpr.(*python.Call)
	if !ok {
		g.fail(item, "unsupported", "with needs a call that makes a context manager")
	}
	fn := g.expr(call.Func)
	if u, ok := fn.(*object.Unknown); ok {
		g.check(call, u.Need("the meaning"))
	}
	args, kws := g.arguments(call)
	kws = append(kws, object.Keyword{Name: "_semantic", Value: &semantic{g}})
	v, err := object.Call(g.u.world.In, fn, args, kws)
	g.check(call, err)
	return v
}

func (g *generator) callContext(n python.Node, manager object.Value, name string,
	args ...object.Value) object.Value {
	fn, err := object.GetAttr(g.u.world.In, manager, name)
	g.check(n, err)
	v, err := object.Call(g.u.world.In, fn, args, nil)
	g.check(n, err)
	return world.Unwrap(v)
}
