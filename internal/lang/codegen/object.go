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

// A loan is what a plain function may change: the aggregates in its arguments. Values do not change: the
// function has copies of them, and the names that hold a changed one, in tuples and other aggregates too,
// hold another one afterwards.
type loan struct {
	copies map[object.Value]object.Value // of objects and of the tuples that hold some
	lent   map[object.Value]object.Value // what they are copies of
	later  map[object.Value]object.Value // what the originals, and what the function has made, are afterwards
}

// lend returns a value for a function, with copies of the objects in it.
func (l *loan) lend(v object.Value) object.Value {
	if !holdsObjects(v) {
		return v
	}
	if c, ok := l.copies[v]; ok {
		return c
	}
	var c object.Value
	switch v := v.(type) {
	case *world.Object:
		c = &world.Object{Class: v.Class, Fields: all(v.Fields, l.lend)}
	case *object.Tuple:
		c = &object.Tuple{Items: all(v.Items, l.lend), Class: v.Class}
	}
	l.copies[v], l.lent[c] = c, v
	return c
}

// after returns what a value is after the call: the value, if nothing in it was changed.
func (l *loan) after(v object.Value) object.Value {
	if !holdsObjects(v) {
		return v
	}
	if original, ok := l.lent[v]; ok {
		v = original
	}
	if w, ok := l.later[v]; ok {
		return w
	}
	w := v
	switch v := v.(type) {
	case *world.Object:
		now := v
		if c, ok := l.copies[v]; ok {
			now = c.(*world.Object)
		}
		if fields := all(now.Fields, l.after); !slices.Equal(fields, v.Fields) {
			w = &world.Object{Class: v.Class, Fields: fields}
		}
	case *object.Tuple:
		if items := all(v.Items, l.after); !slices.Equal(items, v.Items) {
			w = &object.Tuple{Items: items, Class: v.Class}
		}
	}
	l.later[v] = w
	return w
}

// lending calls a plain function with arguments that it may change.
func (g *generator) lending(n python.Node, args []object.Value, kws []object.Keyword,
	call func(args []object.Value, kws []object.Keyword) object.Value) object.Value {
	held := slices.ContainsFunc(args, holdsObjects) ||
		slices.ContainsFunc(kws, func(k object.Keyword) bool { return holdsObjects(k.Value) })
	if !held || g.has(triton.Immutable) {
		return call(args, kws)
	}
	l := &loan{copies: map[object.Value]object.Value{}, lent: map[object.Value]object.Value{},
		later: map[object.Value]object.Value{}}
	kws = slices.Clone(kws)
	for i := range kws {
		kws[i].Value = l.lend(kws[i].Value)
	}
	v := call(all(args, l.lend), kws)
	for _, name := range g.scope.names {
		if old := g.scope.vals[name]; holdsObjects(old) && l.after(old) != old {
			g.bind(name, l.after(old))
			g.where[name] = n
		}
	}
	return l.after(v)
}

// holdsObjects reports whether a value is an aggregate or a tuple that has one in it.
func holdsObjects(v object.Value) bool {
	switch v := v.(type) {
	case *world.Object:
		return true
	case *object.Tuple:
		return slices.ContainsFunc(v.Items, holdsObjects)
	}
	return false
}

// all returns f of each value.
func all(vs []object.Value, f func(object.Value) object.Value) []object.Value {
	out := make([]object.Value, len(vs))
	for i, v := range vs {
		out[i] = f(v)
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
