package pyrun

import (
	"math/big"
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Eval evaluates an expression in a scope.
func Eval(in *object.Interp, x python.Expr, env *Env) (object.Value, error) {
	return From(in).eval(x, env)
}

func (ev *Evaluator) eval(x python.Expr, env *Env) (object.Value, error) {
	if err := ev.Step(); err != nil {
		object.Locate(err, x.Span())
		return nil, err
	}
	v, err := ev.evalNode(x, env)
	if err != nil {
		object.Locate(err, x.Span())
		return nil, err
	}
	return v, nil
}

func (ev *Evaluator) evalNode(x python.Expr, env *Env) (object.Value, error) {
	switch x := x.(type) {
	case *python.Constant:
		return constant(x)
	case *python.Name:
		return ev.name(x, env)
	case *python.Attribute:
		return ev.attribute(x, env)
	case *python.Call:
		return ev.call(x, env)
	case *python.BinOp:
		return ev.binOp(x, env)
	case *python.Compare:
		return ev.compareChain(x, env)
	case *python.BoolOp:
		return ev.boolOp(x, env)
	case *python.UnaryOp:
		return ev.unaryOp(x, env)
	case *python.Subscript:
		return ev.subscript(x, env)
	case *python.Tuple:
		items, err := ev.elements(x.Elts, env)
		return &object.Tuple{Items: items}, err
	case *python.List:
		items, err := ev.elements(x.Elts, env)
		return &object.List{Items: items}, err
	case *python.Dict:
		return ev.dictDisplay(x, env)
	case *python.Set:
		return ev.setDisplay(x, env)
	case *python.IfExp:
		return ev.ifExp(x, env)
	case *python.Lambda:
		return ev.lambda(x, env)
	case *python.JoinedStr:
		return ev.joinedStr(x, env)
	case *python.FormattedValue:
		return ev.formattedValue(x, env)
	case *python.NamedExpr:
		return ev.namedExpr(x, env)
	case *python.Slice:
		return ev.slice(x, env)
	}
	return ev.evalComprehension(x, env)
}

func (ev *Evaluator) evalComprehension(x python.Expr, env *Env) (object.Value, error) {
	switch x := x.(type) {
	case *python.ListComp:
		return ev.listComp(x, env)
	case *python.SetComp:
		return ev.setComp(x, env)
	case *python.DictComp:
		return ev.dictComp(x, env)
	case *python.GeneratorExp:
		return ev.generatorExp(x, env)
	case *python.Starred:
		return nil, object.Errorf(object.SyntaxError, "can't use starred expression here")
	case *python.Yield, *python.YieldFrom:
		return nil, object.Unsupported("yield in the middle of an expression")
	case *python.Await:
		return nil, object.Unsupported("await")
	}
	return nil, object.Errorf(object.SyntaxError, "invalid syntax")
}

func constant(x *python.Constant) (object.Value, error) {
	switch v := x.Value.(type) {
	case nil:
		return object.None, nil
	case bool:
		return object.Bool(v), nil
	case *big.Int:
		return object.BigInt(v), nil
	case float64:
		return object.Float(v), nil
	case string:
		return object.Str(v), nil
	case python.Bytes:
		return object.Bytes(v), nil
	case python.Ellipsis:
		return object.Ellipsis, nil
	}
	return nil, object.Unsupported("a complex number")
}

func (ev *Evaluator) name(x *python.Name, env *Env) (object.Value, error) {
	v, ok, err := env.Lookup(ev.Interp, x.ID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, nameError(x.ID)
	}
	return v, nil
}

func nameError(name string) error {
	e := object.Errorf(object.NameError, "name '%s' is not defined", name)
	e.SetAttribute("name", object.Str(name))
	return e
}

func (ev *Evaluator) attribute(x *python.Attribute, env *Env) (object.Value, error) {
	v, err := ev.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(*Module); ok {
		return ev.needModuleAttr(m, x.Attr, x)
	}
	return object.GetAttr(ev.Interp, v, x.Attr)
}

func (ev *Evaluator) needModuleAttr(m *Module, name string, x python.Node) (object.Value, error) {
	v, ok, err := ev.moduleAttr(m, name, x.Span())
	if err == nil && !ok {
		err = m.NoAttr(name)
	}
	return v, err
}

func (ev *Evaluator) binOp(x *python.BinOp, env *Env) (object.Value, error) {
	a, err := ev.eval(x.Left, env)
	if err != nil {
		return nil, err
	}
	b, err := ev.eval(x.Right, env)
	if err != nil {
		return nil, err
	}
	return object.Binary(ev.Interp, x.Op, a, b)
}

func (ev *Evaluator) unaryOp(x *python.UnaryOp, env *Env) (object.Value, error) {
	v, err := ev.eval(x.Operand, env)
	if err != nil {
		return nil, err
	}
	return object.Unary(ev.Interp, x.Op, v)
}

func (ev *Evaluator) boolOp(x *python.BoolOp, env *Env) (object.Value, error) {
	for i, operand := range x.Values {
		v, err := ev.eval(operand, env)
		if err != nil || i == len(x.Values)-1 {
			return v, err
		}
		t, err := object.Truth(ev.Interp, v)
		if err != nil {
			object.Locate(err, operand.Span())
			return nil, err
		}
		if t == (x.Op == python.Or) {
			return v, nil
		}
	}
	return object.None, nil
}

func (ev *Evaluator) compareChain(x *python.Compare, env *Env) (object.Value, error) {
	a, err := ev.eval(x.Left, env)
	if err != nil {
		return nil, err
	}
	for i, op := range x.Ops {
		b, err := ev.eval(x.Comparators[i], env)
		if err != nil {
			return nil, err
		}
		r, err := object.Compare(ev.Interp, op, a, b)
		if err != nil || i == len(x.Ops)-1 {
			return r, err
		}
		if t, err := object.Truth(ev.Interp, r); err != nil || !t {
			return r, err
		}
		a = b
	}
	return object.None, nil
}

// condition returns the truth of an expression.
func (ev *Evaluator) condition(x python.Expr, env *Env) (bool, error) {
	v, err := ev.eval(x, env)
	if err != nil {
		return false, err
	}
	t, err := object.Truth(ev.Interp, v)
	object.Locate(err, x.Span())
	return t, err
}

func (ev *Evaluator) ifExp(x *python.IfExp, env *Env) (object.Value, error) {
	t, err := ev.condition(x.Test, env)
	if err != nil {
		return nil, err
	}
	if t {
		return ev.eval(x.Body, env)
	}
	return ev.eval(x.Orelse, env)
}

func (ev *Evaluator) subscript(x *python.Subscript, env *Env) (object.Value, error) {
	v, err := ev.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	i, err := ev.eval(x.Slice, env)
	if err != nil {
		return nil, err
	}
	return object.GetItem(ev.Interp, v, i)
}

func (ev *Evaluator) slice(x *python.Slice, env *Env) (object.Value, error) {
	var parts [3]object.Value
	for i, p := range []python.Expr{x.Lower, x.Upper, x.Step} {
		if p == nil {
			continue
		}
		v, err := ev.eval(p, env)
		if err != nil {
			return nil, err
		}
		parts[i] = v
	}
	return &object.Slice{Lo: parts[0], Hi: parts[1], Step: parts[2]}, nil
}

// elements returns the values of a display, with *x spread out.
func (ev *Evaluator) elements(list []python.Expr, env *Env) ([]object.Value, error) {
	if err := ev.Alloc(len(list) * object.ValueSize); err != nil {
		return nil, err
	}
	return ev.callArgs(list, env)
}

func (ev *Evaluator) dictDisplay(x *python.Dict, env *Env) (object.Value, error) {
	d := object.NewDict()
	for i, k := range x.Keys {
		if k == nil {
			v, err := ev.eval(x.Values[i], env)
			if err != nil {
				return nil, err
			}
			m, err := ev.Mapping(v, "")
			if err != nil {
				return nil, object.ReplaceTypeError(err, "'%s' object is not a mapping", v.TypeName())
			}
			if err := ev.UpdateDict(d, m); err != nil {
				return nil, err
			}
			continue
		}
		key, err := ev.eval(k, env)
		if err != nil {
			return nil, err
		}
		v, err := ev.eval(x.Values[i], env)
		if err != nil {
			return nil, err
		}
		if err := d.Set(ev.Interp, key, v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (ev *Evaluator) setDisplay(x *python.Set, env *Env) (object.Value, error) {
	items, err := ev.elements(x.Elts, env)
	if err != nil {
		return nil, err
	}
	return object.NewSet(ev.Interp, items, false)
}

func (ev *Evaluator) namedExpr(x *python.NamedExpr, env *Env) (object.Value, error) {
	v, err := ev.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	return v, env.Assign(ev.Interp, x.Target.ID, v)
}

// comprehend runs the loops of a comprehension and calls each in every turn of the innermost one.
func (ev *Evaluator) comprehend(x python.Expr, gens []*python.Comprehension, env *Env,
	each func(env *Env) error) error {
	if err := ev.Enter(); err != nil {
		return err
	}
	defer ev.Leave()
	first, err := ev.eval(gens[0].Iter, env)
	if err != nil {
		return err
	}
	sc := ev.comprehensionScope(x, gens)
	inner := &Env{Module: env.Module, outer: env, scope: sc, slots: make([]object.Value, len(sc.names)),
		fn: env.fn}
	return ev.comprehendOver(first, gens, inner, each)
}

func (ev *Evaluator) comprehendOver(over object.Value, gens []*python.Comprehension, env *Env,
	each func(env *Env) error) error {
	g := gens[0]
	if g.IsAsync {
		return object.Unsupported("async for")
	}
	it, err := object.Iter(ev.Interp, over)
	if err != nil {
		object.Locate(err, g.Iter.Span())
		return err
	}
	for {
		v, ok, err := it.Next(ev.Interp)
		if err != nil || !ok {
			return err
		}
		if err := ev.Work(1); err != nil {
			return err
		}
		if err := ev.assign(g.Target, v, env); err != nil {
			return err
		}
		if ok, err := ev.allTrue(g.Ifs, env); err != nil {
			return err
		} else if !ok {
			continue
		}
		if len(gens) == 1 {
			if err := each(env); err != nil {
				return err
			}
			continue
		}
		next, err := ev.eval(gens[1].Iter, env)
		if err != nil {
			return err
		}
		if err := ev.comprehendOver(next, gens[1:], env, each); err != nil {
			return err
		}
	}
}

func (ev *Evaluator) allTrue(tests []python.Expr, env *Env) (bool, error) {
	for _, t := range tests {
		if ok, err := ev.condition(t, env); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (ev *Evaluator) listComp(x *python.ListComp, env *Env) (object.Value, error) {
	out := &object.List{}
	err := ev.comprehend(x, x.Generators, env, func(env *Env) error {
		v, err := ev.eval(x.Elt, env)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, v)
		return ev.Alloc(object.ValueSize)
	})
	return out, err
}

func (ev *Evaluator) setComp(x *python.SetComp, env *Env) (object.Value, error) {
	out := &object.Set{}
	err := ev.comprehend(x, x.Generators, env, func(env *Env) error {
		v, err := ev.eval(x.Elt, env)
		if err != nil {
			return err
		}
		return out.Add(ev.Interp, v)
	})
	return out, err
}

func (ev *Evaluator) dictComp(x *python.DictComp, env *Env) (object.Value, error) {
	out := object.NewDict()
	err := ev.comprehend(x, x.Generators, env, func(env *Env) error {
		k, err := ev.eval(x.Key, env)
		if err != nil {
			return err
		}
		v, err := ev.eval(x.Value, env)
		if err != nil {
			return err
		}
		return out.Set(ev.Interp, k, v)
	})
	return out, err
}

// generatorExp makes a generator that runs the loops as statements would.
func (ev *Evaluator) generatorExp(x *python.GeneratorExp, env *Env) (object.Value, error) {
	first, err := ev.eval(x.Generators[0].Iter, env)
	if err != nil {
		return nil, err
	}
	if _, err := object.Iter(ev.Interp, first); err != nil {
		return nil, err
	}
	sc := ev.comprehensionScope(x, x.Generators)
	if sc.body == nil {
		sc.body, sc.yields = generatorBody(x)
	}
	if err := ev.Alloc(len(sc.names)*object.ValueSize + 64); err != nil {
		return nil, err
	}
	inner := &Env{Module: env.Module, outer: env, scope: sc, slots: make([]object.Value, len(sc.names)),
		fn: env.fn, first: first}
	return newGenerator("<genexpr>", inner, sc.body), nil
}

// generatorBody returns a generator expression written as nested for and if statements with a yield inside.
// The scope around it evaluates the first iterable and keeps it in Env.first; that loop has no Iter.
func generatorBody(x *python.GeneratorExp) ([]python.Stmt, map[python.Stmt]bool) {
	yields := map[python.Stmt]bool{}
	at := func(n python.Node) python.Range { return python.Range{Start: n.Span().Start, End: n.Span().End} }
	body := []python.Stmt{&python.ExprStmt{Range: at(x.Elt),
		Value: &python.Yield{Range: at(x.Elt), Value: x.Elt}}}
	yields[body[0]] = true
	for i, g := range slices.Backward(x.Generators) {
		for _, test := range slices.Backward(g.Ifs) {
			body = []python.Stmt{&python.If{Range: at(test), Test: test, Body: body}}
			yields[body[0]] = true
		}
		loop := &python.For{Range: at(g), Target: g.Target, Iter: g.Iter, Body: body}
		if i == 0 {
			loop.Iter = nil
		}
		body = []python.Stmt{loop}
		yields[loop] = true
	}
	return body, yields
}
