package pyrun

import (
	"math/big"
	"slices"

	"github.com/nereid-lang/nereid/internal/python"
)

// Eval evaluates an expression in a scope.
func Eval(in *Interp, x python.Expr, env *Env) (Value, error) { return in.eval(x, env) }

// EvalIn evaluates an expression at the end of a module.
func (in *Interp) EvalIn(m *Module, x python.Expr) (Value, error) {
	if m.File != "" {
		if err := m.load(in); err != nil {
			return nil, err
		}
	}
	return in.eval(x, m.Env())
}

func (in *Interp) eval(x python.Expr, env *Env) (Value, error) {
	if in.steps--; in.steps < 0 {
		err := in.spent()
		locate(err, x.Span())
		return nil, err
	}
	v, err := in.evalNode(x, env)
	if err != nil {
		locate(err, x.Span())
		return nil, err
	}
	return v, nil
}

func (in *Interp) evalNode(x python.Expr, env *Env) (Value, error) {
	switch x := x.(type) {
	case *python.Constant:
		return constant(x)
	case *python.Name:
		return in.name(x, env)
	case *python.Attribute:
		return in.attribute(x, env)
	case *python.Call:
		return in.call(x, env)
	case *python.BinOp:
		return in.binOp(x, env)
	case *python.Compare:
		return in.compareChain(x, env)
	case *python.BoolOp:
		return in.boolOp(x, env)
	case *python.UnaryOp:
		return in.unaryOp(x, env)
	case *python.Subscript:
		return in.subscript(x, env)
	case *python.Tuple:
		items, err := in.elements(x.Elts, env)
		return &Tuple{Items: items}, err
	case *python.List:
		items, err := in.elements(x.Elts, env)
		return &List{Items: items}, err
	case *python.Dict:
		return in.dictDisplay(x, env)
	case *python.Set:
		return in.setDisplay(x, env)
	case *python.IfExp:
		return in.ifExp(x, env)
	case *python.Lambda:
		return in.lambda(x, env)
	case *python.JoinedStr:
		return in.joinedStr(x, env)
	case *python.FormattedValue:
		return in.formattedValue(x, env)
	case *python.NamedExpr:
		return in.namedExpr(x, env)
	case *python.Slice:
		return in.slice(x, env)
	}
	return in.evalComprehension(x, env)
}

func (in *Interp) evalComprehension(x python.Expr, env *Env) (Value, error) {
	switch x := x.(type) {
	case *python.ListComp:
		return in.listComp(x, env)
	case *python.SetComp:
		return in.setComp(x, env)
	case *python.DictComp:
		return in.dictComp(x, env)
	case *python.GeneratorExp:
		return in.generatorExp(x, env)
	case *python.Starred:
		return nil, Errorf(SyntaxError, "can't use starred expression here")
	case *python.Yield, *python.YieldFrom:
		return nil, unsupported("yield in the middle of an expression")
	case *python.Await:
		return nil, unsupported("await")
	}
	return nil, Errorf(SyntaxError, "invalid syntax")
}

func constant(x *python.Constant) (Value, error) {
	switch v := x.Value.(type) {
	case nil:
		return None, nil
	case bool:
		return Bool(v), nil
	case *big.Int:
		return BigInt(v), nil
	case float64:
		return Float(v), nil
	case string:
		return Str(v), nil
	case python.Bytes:
		return Bytes(v), nil
	case python.Ellipsis:
		return Ellipsis, nil
	}
	return nil, unsupported("a complex number")
}

func (in *Interp) name(x *python.Name, env *Env) (Value, error) {
	v, ok, err := env.Lookup(in, x.ID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, nameError(x.ID)
	}
	return v, nil
}

func nameError(name string) error {
	e := Errorf(NameError, "name '%s' is not defined", name)
	e.setAttr("name", Str(name))
	return e
}

func (in *Interp) attribute(x *python.Attribute, env *Env) (Value, error) {
	v, err := in.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(*Module); ok {
		return in.needModuleAttr(m, x.Attr, x)
	}
	return GetAttr(in, v, x.Attr)
}

func (in *Interp) needModuleAttr(m *Module, name string, x python.Node) (Value, error) {
	v, ok, err := in.moduleAttr(m, name, x.Span())
	if err == nil && !ok {
		err = noModuleAttr(m, name)
	}
	return v, err
}

func (in *Interp) binOp(x *python.BinOp, env *Env) (Value, error) {
	a, err := in.eval(x.Left, env)
	if err != nil {
		return nil, err
	}
	b, err := in.eval(x.Right, env)
	if err != nil {
		return nil, err
	}
	return Binary(in, x.Op, a, b)
}

func (in *Interp) unaryOp(x *python.UnaryOp, env *Env) (Value, error) {
	v, err := in.eval(x.Operand, env)
	if err != nil {
		return nil, err
	}
	return Unary(in, x.Op, v)
}

func (in *Interp) boolOp(x *python.BoolOp, env *Env) (Value, error) {
	for i, operand := range x.Values {
		v, err := in.eval(operand, env)
		if err != nil || i == len(x.Values)-1 {
			return v, err
		}
		t, err := Truth(in, v)
		if err != nil {
			locate(err, operand.Span())
			return nil, err
		}
		if t == (x.Op == python.Or) {
			return v, nil
		}
	}
	return None, nil
}

func (in *Interp) compareChain(x *python.Compare, env *Env) (Value, error) {
	a, err := in.eval(x.Left, env)
	if err != nil {
		return nil, err
	}
	for i, op := range x.Ops {
		b, err := in.eval(x.Comparators[i], env)
		if err != nil {
			return nil, err
		}
		r, err := Compare(in, op, a, b)
		if err != nil || i == len(x.Ops)-1 {
			return r, err
		}
		if t, err := Truth(in, r); err != nil || !t {
			return r, err
		}
		a = b
	}
	return None, nil
}

// condition is the truth of an expression.
func (in *Interp) condition(x python.Expr, env *Env) (bool, error) {
	v, err := in.eval(x, env)
	if err != nil {
		return false, err
	}
	t, err := Truth(in, v)
	locate(err, x.Span())
	return t, err
}

func (in *Interp) ifExp(x *python.IfExp, env *Env) (Value, error) {
	t, err := in.condition(x.Test, env)
	if err != nil {
		return nil, err
	}
	if t {
		return in.eval(x.Body, env)
	}
	return in.eval(x.Orelse, env)
}

func (in *Interp) subscript(x *python.Subscript, env *Env) (Value, error) {
	v, err := in.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	i, err := in.eval(x.Slice, env)
	if err != nil {
		return nil, err
	}
	return GetItem(in, v, i)
}

func (in *Interp) slice(x *python.Slice, env *Env) (Value, error) {
	var parts [3]Value
	for i, p := range []python.Expr{x.Lower, x.Upper, x.Step} {
		if p == nil {
			continue
		}
		v, err := in.eval(p, env)
		if err != nil {
			return nil, err
		}
		parts[i] = v
	}
	return &Slice{parts[0], parts[1], parts[2]}, nil
}

// elements are the values of a display, with *x spread out.
func (in *Interp) elements(list []python.Expr, env *Env) ([]Value, error) {
	if err := in.alloc(len(list) * valueSize); err != nil {
		return nil, err
	}
	return in.callArgs(list, env)
}

func (in *Interp) dictDisplay(x *python.Dict, env *Env) (Value, error) {
	d := NewDict()
	for i, k := range x.Keys {
		if k == nil {
			v, err := in.eval(x.Values[i], env)
			if err != nil {
				return nil, err
			}
			m, err := in.mapping(v, "")
			if err != nil {
				return nil, replaceTypeError(err, "'%s' object is not a mapping", v.TypeName())
			}
			if err := in.updateDict(d, m); err != nil {
				return nil, err
			}
			continue
		}
		key, err := in.eval(k, env)
		if err != nil {
			return nil, err
		}
		v, err := in.eval(x.Values[i], env)
		if err != nil {
			return nil, err
		}
		if err := d.Set(in, key, v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (in *Interp) setDisplay(x *python.Set, env *Env) (Value, error) {
	items, err := in.elements(x.Elts, env)
	if err != nil {
		return nil, err
	}
	return newSet(in, items, false)
}

func (in *Interp) namedExpr(x *python.NamedExpr, env *Env) (Value, error) {
	v, err := in.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	return v, env.Assign(in, x.Target.ID, v)
}

// comprehend runs the loops of a comprehension and calls each for every turn of the innermost.
func (in *Interp) comprehend(x python.Expr, gens []*python.Comprehension, env *Env, each func(env *Env) error) error {
	if err := in.enter(); err != nil {
		return err
	}
	defer in.leave()
	first, err := in.eval(gens[0].Iter, env)
	if err != nil {
		return err
	}
	sc := in.comprehensionScope(x, gens)
	inner := &Env{Module: env.Module, outer: env, scope: sc, slots: make([]Value, len(sc.names)), fn: env.fn}
	return in.comprehendOver(first, gens, inner, each)
}

func (in *Interp) comprehendOver(over Value, gens []*python.Comprehension, env *Env, each func(env *Env) error) error {
	g := gens[0]
	if g.IsAsync {
		return unsupported("async for")
	}
	it, err := Iter(in, over)
	if err != nil {
		locate(err, g.Iter.Span())
		return err
	}
	for {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return err
		}
		if err := in.work(1); err != nil {
			return err
		}
		if err := in.assign(g.Target, v, env); err != nil {
			return err
		}
		if ok, err := in.allTrue(g.Ifs, env); err != nil {
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
		next, err := in.eval(gens[1].Iter, env)
		if err != nil {
			return err
		}
		if err := in.comprehendOver(next, gens[1:], env, each); err != nil {
			return err
		}
	}
}

func (in *Interp) allTrue(tests []python.Expr, env *Env) (bool, error) {
	for _, t := range tests {
		if ok, err := in.condition(t, env); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (in *Interp) listComp(x *python.ListComp, env *Env) (Value, error) {
	out := &List{}
	err := in.comprehend(x, x.Generators, env, func(env *Env) error {
		v, err := in.eval(x.Elt, env)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, v)
		return in.alloc(valueSize)
	})
	return out, err
}

func (in *Interp) setComp(x *python.SetComp, env *Env) (Value, error) {
	out := &Set{}
	err := in.comprehend(x, x.Generators, env, func(env *Env) error {
		v, err := in.eval(x.Elt, env)
		if err != nil {
			return err
		}
		return out.Add(in, v)
	})
	return out, err
}

func (in *Interp) dictComp(x *python.DictComp, env *Env) (Value, error) {
	out := NewDict()
	err := in.comprehend(x, x.Generators, env, func(env *Env) error {
		k, err := in.eval(x.Key, env)
		if err != nil {
			return err
		}
		v, err := in.eval(x.Value, env)
		if err != nil {
			return err
		}
		return out.Set(in, k, v)
	})
	return out, err
}

// generatorExp makes a generator that runs the loops as statements would.
func (in *Interp) generatorExp(x *python.GeneratorExp, env *Env) (Value, error) {
	first, err := in.eval(x.Generators[0].Iter, env)
	if err != nil {
		return nil, err
	}
	if _, err := Iter(in, first); err != nil {
		return nil, err
	}
	sc := in.comprehensionScope(x, x.Generators)
	if sc.body == nil {
		sc.body, sc.yields = generatorBody(x)
	}
	if err := in.alloc(len(sc.names)*valueSize + 64); err != nil {
		return nil, err
	}
	inner := &Env{Module: env.Module, outer: env, scope: sc, slots: make([]Value, len(sc.names)), fn: env.fn, first: first}
	return newGenerator("<genexpr>", inner, sc.body), nil
}

// generatorBody is a generator expression written as nested for and if statements with a yield inside. The first
// iterable is evaluated by the scope around it and kept in Env.first; that loop has no Iter.
func generatorBody(x *python.GeneratorExp) ([]python.Stmt, map[python.Stmt]bool) {
	yields := map[python.Stmt]bool{}
	at := func(n python.Node) python.Range { return python.Range{Start: n.Span().Start, End: n.Span().End} }
	body := []python.Stmt{&python.ExprStmt{Range: at(x.Elt), Value: &python.Yield{Range: at(x.Elt), Value: x.Elt}}}
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
