package pyrun

import "github.com/nereid-lang/nereid/internal/python"

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

// matches tries a pattern and binds its names.
func (ev *Evaluator) matches(p python.Pattern, v Value, env *Env) (bool, error) {
	if err := ev.work(1); err != nil {
		return false, err
	}
	switch p := p.(type) {
	case *python.MatchValue:
		x, err := ev.eval(p.Value, env)
		if err != nil {
			return false, err
		}
		return Equal(ev.Interp, v, x)
	case *python.MatchSingleton:
		if p.Value == nil {
			return ev.identical(v, None)
		}
		return ev.identical(v, Bool(p.Value.(bool)))
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
	return false, Errorf(SyntaxError, "pattern is not allowed here")
}

func (ev *Evaluator) bindPattern(name string, v Value, env *Env) error {
	if name == "" {
		return nil
	}
	return env.Assign(ev.Interp, name, v)
}

func (ev *Evaluator) matchSequence(p *python.MatchSequence, v Value, env *Env) (bool, error) {
	if u := unknownOf(v); u != nil {
		return false, u.need("the content")
	}
	switch payload(v).(type) {
	case *List, *Tuple, *Range, HasIter:
	default:
		return false, nil
	}
	items, err := Iterate(ev.Interp, v)
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
		list := &List{Items: append([]Value{}, items[star:star+rest]...)}
		spread := append([]Value{}, items[:star]...)
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

func (ev *Evaluator) matchMapping(p *python.MatchMapping, v Value, env *Env) (bool, error) {
	d, ok := payload(v).(*Dict)
	if !ok {
		if u := unknownOf(v); u != nil {
			return false, u.need("the content")
		}
		return false, nil
	}
	rest := d.copy()
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

func (ev *Evaluator) matchClass(p *python.MatchClass, v Value, env *Env) (bool, error) {
	class, err := ev.eval(p.Cls, env)
	if err != nil {
		return false, err
	}
	if ok, err := IsInstanceOf(ev.Interp, v, class); !ok || err != nil {
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

func (ev *Evaluator) matchAttr(name string, p python.Pattern, v Value, env *Env) (bool, error) {
	x, ok, err := ev.getAttr(v, name)
	if e, caught := catchable(err); caught && e.IsA(AttributeError) {
		return false, nil
	}
	if err != nil || !ok {
		return false, err
	}
	return ev.matches(p, x, env)
}

// matchArgs are the attributes that n positional patterns of a class stand for; self means the value itself.
func (ev *Evaluator) matchArgs(class Value, n int) (names []string, self bool, err error) {
	if n == 0 {
		return nil, false, nil
	}
	switch c := class.(type) {
	case *NamedTuple:
		names = c.Fields
	case *Class:
		if c.builtin {
			return nil, n == 1, nil
		}
		if own := c.find("__match_args__"); own != nil {
			items, err := Iterate(ev.Interp, own)
			if err != nil {
				return nil, false, err
			}
			for _, x := range items {
				s, err := text(x)
				if err != nil {
					return nil, false, err
				}
				names = append(names, s)
			}
		}
	}
	if n > len(names) {
		return nil, false, Errorf(TypeError, "%s() accepts %d positional sub-patterns (%d given)", plainRepr(class), len(names), n)
	}
	return names[:n], false, nil
}
