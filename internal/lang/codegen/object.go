package codegen

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// callMethod calls a plain method of an object, which may change its fields. Values do not change: the names
// that hold the object hold a changed copy afterwards.
func (g *generator) callMethod(n python.Node, o *world.Object, fn object.Value, args []object.Value,
	kws []object.Keyword) object.Value {
	if g.has(triton.Immutable) {
		return g.apply(n, fn, append([]object.Value{o}, args...), kws)
	}
	changed := &world.Object{Class: o.Class, Fields: slices.Clone(o.Fields)}
	v := g.apply(n, fn, append([]object.Value{changed}, args...), kws)
	if slices.Equal(changed.Fields, o.Fields) {
		if v == object.Value(changed) {
			return o
		}
		return v
	}
	for _, name := range g.scope.names {
		if g.scope.vals[name] == object.Value(o) {
			g.bind(name, changed)
			g.where[name] = n
		}
	}
	return v
}

// methodsOf returns the names on whose values the statements call methods.
func methodsOf(body []python.Stmt) map[string]bool {
	out := map[string]bool{}
	for _, s := range body {
		python.Inspect(s, func(n python.Node) bool {
			if c, ok := n.(*python.Call); ok {
				if a, ok := c.Func.(*python.Attribute); ok {
					if name, ok := a.Value.(*python.Name); ok {
						out[name.ID] = true
					}
				}
			}
			return true
		})
	}
	return out
}

// construct makes an instance in a kernel.
func (g *generator) construct(n python.Node, c *world.Class, args []object.Value,
	kws []object.Keyword) object.Value {
	if init, err := object.GetAttr(g.u.world.In, c.Host, "__init__"); err == nil {
		kws = g.withSemantic(init, kws)
	}
	o, err := c.Call(g.u.world.In, args, kws)
	g.check(n, err)
	return o
}

// objectAttr returns a field or a method of an object.
func (g *generator) objectAttr(n python.Node, o *world.Object, name string) object.Value {
	if v, ok := o.Field(name); ok {
		return v
	}
	if name == "type" {
		return o.Class
	}
	v, err := object.GetAttr(g.u.world.In, o.Class.Host, name)
	if err != nil {
		g.failHint(n, "no-attribute", suggestFrom(name, o.Class.FieldNames), "%s has no attribute %s",
			o.Class.Name, name)
	}
	switch v.(type) {
	case *world.JITFunction, *world.ConstexprFunc, *world.HostBuiltin, *pyrun.Func:
		return &boundMethod{self: o, fn: v}
	}
	return world.Unwrap(v)
}

// objectOp calls the method behind an operator.
func (g *generator) objectOp(n python.Node, o *world.Object, method string, other object.Value) object.Value {
	m, err := object.GetAttr(g.u.world.In, o.Class.Host, method)
	if err != nil {
		g.check(n, fmt.Errorf("%s does not define %s", o.Class.Name, method))
	}
	return g.apply(n, m, []object.Value{o, other}, nil)
}

// ownOperator has aggregates compute an operator, from 3.9 on: on either side, and before tensors do. The
// method of the left operand is tried first, then that of the right one, under the name for the reverse
// order; a method may return NotImplemented.
func (g *generator) ownOperator(n python.Node, forward, reverse string, lhs, rhs object.Value) (object.Value,
	bool) {
	if !g.has(triton.OperatorOwners) {
		return nil, false
	}
	l, left := lhs.(*world.Object)
	r, right := rhs.(*world.Object)
	if !left && !right {
		return nil, false
	}
	if forward == reverse && forward != "__eq__" && forward != "__ne__" {
		reverse = "__r" + reverse[len("__"):]
	}
	if left {
		if v, ok := g.tryMethod(n, l, forward, rhs); ok {
			return v, true
		}
	}
	if right {
		if v, ok := g.tryMethod(n, r, reverse, lhs); ok {
			return v, true
		}
	}
	g.fail(n, "operator", "neither %s nor %s defines this operator for the other", describe(lhs),
		describe(rhs))
	return nil, false
}

// notObject has an aggregate compute not x, from 3.9 on.
func (g *generator) notObject(n python.Node, o *world.Object) object.Value {
	m, err := object.GetAttr(g.u.world.In, o.Class.Host, "__not__")
	if err != nil {
		g.fail(n, "operator", "%s does not define __not__", o.Class.Name)
	}
	return g.apply(n, m, []object.Value{o}, nil)
}

// tryMethod calls a method behind an operator, if there is one and it does not return NotImplemented.
func (g *generator) tryMethod(n python.Node, o *world.Object, name string, other object.Value) (object.Value,
	bool) {
	m, err := object.GetAttr(g.u.world.In, o.Class.Host, name)
	if err != nil {
		return nil, false
	}
	if _, host := m.(*object.Builtin); host { // every class has an __eq__ from object
		return nil, false
	}
	v := g.apply(n, m, []object.Value{o, other}, nil)
	return v, v != object.Value(object.NotImplemented)
}
