package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func (ev *Evaluator) matchStmt(st *python.Match, env *Env) (flow, error) {
	subject, err := ev.eval(st.Subject, env)
	if err != nil {
		return flowNext, err
	}
	for _, c := range st.Cases {
		ok, err := ev.matches(c.Pattern, subject, env)
		if err != nil {
			return flowNext, err
		}
		if ok && c.Guard != nil {
			if ok, err = ev.condition(c.Guard, env); err != nil {
				return flowNext, err
			}
		}
		if ok {
			return ev.block(c.Body, env)
		}
	}
	return flowNext, nil
}

// matches reports whether a pattern matches v, and binds its names.
func (ev *Evaluator) matches(p python.Pattern, v object.Value, env *Env) (bool, error) {
	if err := ev.Work(1); err != nil {
		return false, err
	}
	switch p := p.(type) {
	case *python.MatchValue:
		x, err := ev.eval(p.Value, env)
		if err != nil {
			return false, err
		}
		return object.Equal(ev.Interp, v, x)
	case *python.MatchSingleton:
		if p.Value == nil {
			return ev.Identical(v, object.None)
		}
		return ev.Identical(v, object.Bool(p.Value.(bool)))
	case *python.MatchAs:
		if p.Pattern != nil {
			if ok, err := ev.matches(p.Pattern, v, env); !ok || err != nil {
				return false, err
			}
		}
		return true, ev.bindPattern(p.Name, v, env)
	case *python.MatchOr:
		for _, q := range p.Patterns {
			if ok, err := ev.matches(q, v, env); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *python.MatchSequence:
		return ev.matchSequence(p, v, env)
	case *python.MatchMapping:
		return ev.matchMapping(p, v, env)
	case *python.MatchClass:
		return ev.matchClass(p, v, env)
	}
	return false, object.Errorf(object.SyntaxError, "pattern is not allowed here")
}

func (ev *Evaluator) bindPattern(name string, v object.Value, env *Env) error {
	if name == "" {
		return nil
	}
	return env.Assign(ev.Interp, name, v)
}

func (ev *Evaluator) matchSequence(p *python.MatchSequence, v object.Value, env *Env) (bool, error) {
	if u := object.UnknownOf(v); u != nil {
		return false, u.Need("the content")
	}
	switch object.Payload(v).(type) {
	case *object.List, *object.Tuple, *object.Range, object.HasIter:
	default:
		return false, nil
	}
	items, err := object.Iterate(ev.Interp, v)
	if err != nil {
		return false, err
	}
	star := -1
	for i, q := range p.Patterns {
		if _, ok := q.(*python.MatchStar); ok {
			star = i
		}
	}
	n := len(p.Patterns)
	if star < 0 && len(items) != n || star >= 0 && len(items) < n-1 {
		return false, nil
	}
	if star >= 0 {
		rest := len(items) - (n - 1)
		list := &object.List{Items: append([]object.Value{}, items[star:star+rest]...)}
		spread := append([]object.Value{}, items[:star]...)
		items = append(append(spread, list), items[star+rest:]...)
	}
	for i, q := range p.Patterns {
		if s, ok := q.(*python.MatchStar); ok {
			if err := ev.bindPattern(s.Name, items[i], env); err != nil {
				return false, err
			}
			continue
		}
		if ok, err := ev.matches(q, items[i], env); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (ev *Evaluator) matchMapping(p *python.MatchMapping, v object.Value, env *Env) (bool, error) {
	d, ok := object.Payload(v).(*object.Dict)
	if !ok {
		if u := object.UnknownOf(v); u != nil {
			return false, u.Need("the content")
		}
		return false, nil
	}
	rest := d.Copy()
	for i, k := range p.Keys {
		key, err := ev.eval(k, env)
		if err != nil {
			return false, err
		}
		x, ok, err := d.Get(ev.Interp, key)
		if err != nil || !ok {
			return false, err
		}
		if ok, err := ev.matches(p.Patterns[i], x, env); !ok || err != nil {
			return false, err
		}
		if _, err := rest.Delete(ev.Interp, key); err != nil {
			return false, err
		}
	}
	return true, ev.bindPattern(p.Rest, rest, env)
}

func (ev *Evaluator) matchClass(p *python.MatchClass, v object.Value, env *Env) (bool, error) {
	class, err := ev.eval(p.Cls, env)
	if err != nil {
		return false, err
	}
	if ok, err := object.IsInstanceOf(ev.Interp, v, class); !ok || err != nil {
		return false, err
	}
	names, self, err := ev.matchArgs(class, len(p.Patterns))
	if err != nil {
		return false, err
	}
	if self {
		if ok, err := ev.matches(p.Patterns[0], v, env); !ok || err != nil {
			return false, err
		}
	}
	for i, name := range names {
		if ok, err := ev.matchAttr(name, p.Patterns[i], v, env); !ok || err != nil {
			return false, err
		}
	}
	for i, name := range p.KwdAttrs {
		if ok, err := ev.matchAttr(name, p.KwdPatterns[i], v, env); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (ev *Evaluator) matchAttr(name string, p python.Pattern, v object.Value, env *Env) (bool, error) {
	x, ok, err := ev.FindAttr(v, name)
	if e, caught := object.Catchable(err); caught && e.IsA(object.AttributeError) {
		return false, nil
	}
	if err != nil || !ok {
		return false, err
	}
	return ev.matches(p, x, env)
}

// matchArgs returns the attributes that n positional patterns of a class stand for; self means the value
// itself.
func (ev *Evaluator) matchArgs(class object.Value, n int) (names []string, self bool, err error) {
	if n == 0 {
		return nil, false, nil
	}
	switch c := class.(type) {
	case *object.NamedTuple:
		names = c.Fields
	case *object.Class:
		if c.Builtin {
			return nil, n == 1, nil
		}
		if own := c.Find("__match_args__"); own != nil {
			items, err := object.Iterate(ev.Interp, own)
			if err != nil {
				return nil, false, err
			}
			for _, x := range items {
				s, err := object.Text(x)
				if err != nil {
					return nil, false, err
				}
				names = append(names, s)
			}
		}
	}
	if n > len(names) {
		return nil, false, object.Errorf(object.TypeError,
			"%s() accepts %d positional sub-patterns (%d given)", object.PlainRepr(class), len(names), n)
	}
	return names[:n], false, nil
}
