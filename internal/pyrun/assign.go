package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func (ev *Evaluator) assignStmt(st *python.Assign, env *Env) error {
	v, err := ev.eval(st.Value, env)
	if err != nil {
		return err
	}
	for _, t := range st.Targets {
		if err := ev.assign(t, v, env); err != nil {
			return err
		}
	}
	return nil
}

// annAssign runs an annotated assignment. It keeps the annotation for classes, where dataclasses read it, and
// does not evaluate it.
func (ev *Evaluator) annAssign(st *python.AnnAssign, env *Env) error {
	if name, ok := st.Target.(*python.Name); ok && env.class {
		env.annotate(name.ID, st.Annotation)
	}
	if st.Value == nil {
		return nil
	}
	v, err := ev.eval(st.Value, env)
	if err != nil {
		return err
	}
	return ev.assign(st.Target, v, env)
}

// assign binds a value to a target: a name, an attribute, an item, or several of these.
func (ev *Evaluator) assign(target python.Expr, v object.Value, env *Env) error {
	switch t := target.(type) {
	case *python.Name:
		return env.Assign(ev.Interp, t.ID, v)
	case *python.Tuple:
		return ev.unpack(t.Elts, v, t, env)
	case *python.List:
		return ev.unpack(t.Elts, v, t, env)
	case *python.Attribute:
		o, err := ev.eval(t.Value, env)
		if err != nil {
			return err
		}
		err = object.SetAttr(ev.Interp, o, t.Attr, v)
		object.Locate(err, t.Span())
		return err
	case *python.Subscript:
		o, i, err := ev.element(t, env)
		if err != nil {
			return err
		}
		err = object.SetItem(ev.Interp, o, i, v)
		object.Locate(err, t.Span())
		return err
	case *python.Starred:
		return ev.assign(t.Value, v, env)
	}
	return object.Errorf(object.SyntaxError, "cannot assign to this")
}

func (ev *Evaluator) unpack(targets []python.Expr, v object.Value, at python.Node, env *Env) error {
	star := -1
	for i, t := range targets {
		if _, ok := t.(*python.Starred); ok {
			star = i
		}
	}
	items, err := ev.unpackItems(v, len(targets), star)
	if err != nil {
		object.Locate(err, at.Span())
		return err
	}
	for i, t := range targets {
		if err := ev.assign(t, items[i], env); err != nil {
			return err
		}
	}
	return nil
}

// unpackItems returns n values out of v; the one at index star, if any, is a list of what is left over.
func (ev *Evaluator) unpackItems(v object.Value, n, star int) ([]object.Value, error) {
	if u := object.UnknownOf(v); u != nil {
		items := make([]object.Value, n)
		for i := range items {
			items[i] = u.Element()
		}
		return items, nil
	}
	it, err := object.Iter(ev.Interp, v)
	if err != nil {
		return nil, object.ReplaceTypeError(err, "cannot unpack non-iterable %s object", v.TypeName())
	}
	limit := n + 1
	if star >= 0 {
		limit = -1
	}
	items, err := object.Collect(ev.Interp, it, limit)
	if err != nil {
		return nil, err
	}
	if star < 0 {
		return items, wrongCount(len(items), n)
	}
	if len(items) < n-1 {
		return nil, object.Errorf(object.ValueError,
			"not enough values to unpack (expected at least %d, got %d)", n-1, len(items))
	}
	rest := len(items) - (n - 1)
	out := append([]object.Value{}, items[:star]...)
	out = append(out, &object.List{Items: append([]object.Value{}, items[star:star+rest]...)})
	return append(out, items[star+rest:]...), nil
}

func wrongCount(got, want int) error {
	switch {
	case got > want:
		return object.Errorf(object.ValueError, "too many values to unpack (expected %d)", want)
	case got < want:
		return object.Errorf(object.ValueError, "not enough values to unpack (expected %d, got %d)", want,
			got)
	}
	return nil
}

func (ev *Evaluator) augAssign(st *python.AugAssign, env *Env) error {
	switch t := st.Target.(type) {
	case *python.Name:
		old, err := ev.eval(t, env)
		if err != nil {
			return err
		}
		v, err := ev.augmented(st, old, env)
		if err != nil {
			return err
		}
		return env.Assign(ev.Interp, t.ID, v)
	case *python.Attribute:
		o, err := ev.eval(t.Value, env)
		if err != nil {
			return err
		}
		old, err := object.GetAttr(ev.Interp, o, t.Attr)
		if err != nil {
			return err
		}
		v, err := ev.augmented(st, old, env)
		if err != nil {
			return err
		}
		return object.SetAttr(ev.Interp, o, t.Attr, v)
	case *python.Subscript:
		o, i, err := ev.element(t, env)
		if err != nil {
			return err
		}
		old, err := object.GetItem(ev.Interp, o, i)
		if err != nil {
			return err
		}
		v, err := ev.augmented(st, old, env)
		if err != nil {
			return err
		}
		return object.SetItem(ev.Interp, o, i, v)
	}
	return object.Errorf(object.SyntaxError, "illegal expression for augmented assignment")
}

// element evaluates the container and the index of a target such as a[i].
func (ev *Evaluator) element(t *python.Subscript, env *Env) (container, index object.Value, err error) {
	if container, err = ev.eval(t.Value, env); err != nil {
		return nil, nil, err
	}
	index, err = ev.eval(t.Slice, env)
	return container, index, err
}

func (ev *Evaluator) augmented(st *python.AugAssign, old object.Value, env *Env) (object.Value, error) {
	v, err := ev.eval(st.Value, env)
	if err != nil {
		return nil, err
	}
	return object.InPlace(ev.Interp, st.Op, old, v)
}

func (ev *Evaluator) deleteStmt(st *python.Delete, env *Env) error {
	for _, t := range st.Targets {
		if err := ev.del(t, env); err != nil {
			object.Locate(err, t.Span())
			return err
		}
	}
	return nil
}

func (ev *Evaluator) del(target python.Expr, env *Env) error {
	switch t := target.(type) {
	case *python.Name:
		if _, ok, err := env.Lookup(ev.Interp, t.ID); err != nil || !ok {
			if err == nil {
				err = nameError(t.ID)
			}
			return err
		}
		return env.Assign(ev.Interp, t.ID, nil)
	case *python.Tuple:
		for _, x := range t.Elts {
			if err := ev.del(x, env); err != nil {
				return err
			}
		}
		return nil
	case *python.Attribute:
		o, err := ev.eval(t.Value, env)
		if err != nil {
			return err
		}
		return object.DelAttr(ev.Interp, o, t.Attr)
	case *python.Subscript:
		o, i, err := ev.element(t, env)
		if err != nil {
			return err
		}
		return object.DelItem(ev.Interp, o, i)
	}
	return object.Errorf(object.SyntaxError, "cannot delete this")
}
