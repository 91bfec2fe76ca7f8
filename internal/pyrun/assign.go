package pyrun

import "github.com/nereid-lang/nereid/internal/python"

func (in *Interp) assignStmt(st *python.Assign, env *Env) error {
	v, err := in.eval(st.Value, env)
	if err != nil {
		return err
	}
	for _, t := range st.Targets {
		if err := in.assign(t, v, env); err != nil {
			return err
		}
	}
	return nil
}

// annAssign assigns; the annotation itself is kept for classes (dataclasses read it) and not evaluated elsewhere.
func (in *Interp) annAssign(st *python.AnnAssign, env *Env) error {
	if name, ok := st.Target.(*python.Name); ok && env.class {
		env.annotate(name.ID, st.Annotation)
	}
	if st.Value == nil {
		return nil
	}
	v, err := in.eval(st.Value, env)
	if err != nil {
		return err
	}
	return in.assign(st.Target, v, env)
}

// Assign binds a value to a target: a name, an attribute, an item, or several.
func (in *Interp) assign(target python.Expr, v Value, env *Env) error {
	switch t := target.(type) {
	case *python.Name:
		return env.Assign(in, t.ID, v)
	case *python.Tuple:
		return in.unpack(t.Elts, v, t, env)
	case *python.List:
		return in.unpack(t.Elts, v, t, env)
	case *python.Attribute:
		o, err := in.eval(t.Value, env)
		if err != nil {
			return err
		}
		err = SetAttr(in, o, t.Attr, v)
		locate(err, t.Span())
		return err
	case *python.Subscript:
		o, err := in.eval(t.Value, env)
		if err != nil {
			return err
		}
		i, err := in.eval(t.Slice, env)
		if err != nil {
			return err
		}
		err = SetItem(in, o, i, v)
		locate(err, t.Span())
		return err
	case *python.Starred:
		return in.assign(t.Value, v, env)
	}
	return Errorf(SyntaxError, "cannot assign to this")
}

func (in *Interp) unpack(targets []python.Expr, v Value, at python.Node, env *Env) error {
	star := -1
	for i, t := range targets {
		if _, ok := t.(*python.Starred); ok {
			star = i
		}
	}
	items, err := in.unpackItems(v, len(targets), star)
	if err != nil {
		locate(err, at.Span())
		return err
	}
	for i, t := range targets {
		if err := in.assign(t, items[i], env); err != nil {
			return err
		}
	}
	return nil
}

// unpackItems are n values out of v; the one at index star, if any, is a list of what is left over.
func (in *Interp) unpackItems(v Value, n, star int) ([]Value, error) {
	if u := unknownOf(v); u != nil {
		items := make([]Value, n)
		for i := range items {
			items[i] = u.item()
		}
		return items, nil
	}
	it, err := Iter(in, v)
	if err != nil {
		return nil, replaceTypeError(err, "cannot unpack non-iterable %s object", v.TypeName())
	}
	limit := n + 1
	if star >= 0 {
		limit = -1
	}
	items, err := collect(in, it, limit)
	if err != nil {
		return nil, err
	}
	if star < 0 {
		return items, wrongCount(len(items), n)
	}
	if len(items) < n-1 {
		return nil, Errorf(ValueError, "not enough values to unpack (expected at least %d, got %d)", n-1, len(items))
	}
	rest := len(items) - (n - 1)
	out := append([]Value{}, items[:star]...)
	out = append(out, &List{Items: append([]Value{}, items[star:star+rest]...)})
	return append(out, items[star+rest:]...), nil
}

func wrongCount(got, want int) error {
	switch {
	case got > want:
		return Errorf(ValueError, "too many values to unpack (expected %d)", want)
	case got < want:
		return Errorf(ValueError, "not enough values to unpack (expected %d, got %d)", want, got)
	}
	return nil
}

func (in *Interp) augAssign(st *python.AugAssign, env *Env) error {
	switch t := st.Target.(type) {
	case *python.Name:
		old, err := in.eval(t, env)
		if err != nil {
			return err
		}
		v, err := in.augmented(st, old, env)
		if err != nil {
			return err
		}
		return env.Assign(in, t.ID, v)
	case *python.Attribute:
		o, err := in.eval(t.Value, env)
		if err != nil {
			return err
		}
		old, err := GetAttr(in, o, t.Attr)
		if err != nil {
			return err
		}
		v, err := in.augmented(st, old, env)
		if err != nil {
			return err
		}
		return SetAttr(in, o, t.Attr, v)
	case *python.Subscript:
		o, err := in.eval(t.Value, env)
		if err != nil {
			return err
		}
		i, err := in.eval(t.Slice, env)
		if err != nil {
			return err
		}
		old, err := GetItem(in, o, i)
		if err != nil {
			return err
		}
		v, err := in.augmented(st, old, env)
		if err != nil {
			return err
		}
		return SetItem(in, o, i, v)
	}
	return Errorf(SyntaxError, "illegal expression for augmented assignment")
}

func (in *Interp) augmented(st *python.AugAssign, old Value, env *Env) (Value, error) {
	v, err := in.eval(st.Value, env)
	if err != nil {
		return nil, err
	}
	return InPlace(in, st.Op, old, v)
}

func (in *Interp) deleteStmt(st *python.Delete, env *Env) error {
	for _, t := range st.Targets {
		if err := in.del(t, env); err != nil {
			locate(err, t.Span())
			return err
		}
	}
	return nil
}

func (in *Interp) del(target python.Expr, env *Env) error {
	switch t := target.(type) {
	case *python.Name:
		if _, ok, err := env.Lookup(in, t.ID); err != nil || !ok {
			if err == nil {
				err = nameError(t.ID)
			}
			return err
		}
		return env.Assign(in, t.ID, nil)
	case *python.Tuple:
		for _, x := range t.Elts {
			if err := in.del(x, env); err != nil {
				return err
			}
		}
		return nil
	case *python.Attribute:
		o, err := in.eval(t.Value, env)
		if err != nil {
			return err
		}
		return delAttr(in, o, t.Attr)
	case *python.Subscript:
		o, err := in.eval(t.Value, env)
		if err != nil {
			return err
		}
		i, err := in.eval(t.Slice, env)
		if err != nil {
			return err
		}
		return delItem(in, o, i)
	}
	return Errorf(SyntaxError, "cannot delete this")
}
