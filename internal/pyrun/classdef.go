package pyrun

import "github.com/nereid-lang/nereid/internal/python"

func (env *Env) annotate(name string, typ python.Expr) {
	for _, a := range env.annotations {
		if a.name == name {
			return
		}
	}
	env.annotations = append(env.annotations, annotation{name, typ})
}

// classDef runs a class statement.
func (ev *Evaluator) classDef(st *python.ClassDef, env *Env) error {
	decorators, err := ev.decorators(st.DecoratorList, env)
	if err != nil {
		return err
	}
	bases, err := ev.callArgs(st.Bases, env)
	if err != nil {
		return err
	}
	kws, err := ev.callKeywords(st.Keywords, env)
	if err != nil {
		return err
	}
	body := &Env{Module: env.Module, outer: env.closure(), dyn: NewDict(), class: true, qual: env.qualify(st.Name)}
	if env.class {
		body.outer = env // its functions skip it, but not the scopes around it
	}
	if _, err := ev.block(st.Body, body); err != nil {
		return err
	}
	v, err := ev.makeClass(st, env, bases, kws, body)
	if err != nil {
		return err
	}
	if v, err = ev.decorate(v, decorators, st.DecoratorList); err != nil {
		return err
	}
	return env.Assign(ev.Interp, st.Name, v)
}

func (ev *Evaluator) makeClass(st *python.ClassDef, env *Env, bases []Value, kws []Keyword, body *Env) (Value, error) {
	if err := ev.alloc(32 * valueSize); err != nil {
		return nil, err
	}
	c := &Class{Name: st.Name, Attrs: body.dyn, Def: st, Module: env.Module.name(), fields: body.annotations}
	for _, b := range bases {
		if err := ev.addBase(c, b); err != nil {
			return nil, err
		}
	}
	if nt := namedBase(bases); nt != nil {
		return ev.namedTupleClass(c, nt, body)
	}
	if err := ev.setMeta(c, kws); err != nil {
		return nil, err
	}
	if err := ev.finishClass(c); err != nil {
		return nil, err
	}
	body.owner = c
	if c.enum != nil {
		if err := c.enum.collect(ev.Interp, c); err != nil {
			return nil, err
		}
	}
	return c, ev.classHooks(c, kws)
}

// superCall is super() without arguments: the class of the function that runs, and its first argument.
func superCall(in *Interp, env *Env) (Value, error) {
	for e := env; e != nil; e = e.outer {
		if e.fn == nil || e.fn.Env == nil {
			continue
		}
		body := e.fn.Env
		if !body.class {
			continue
		}
		if body.owner == nil {
			return nil, Errorf(RuntimeError, "super(): empty __class__ cell")
		}
		for f := e; f != nil; f = f.outer {
			if f.fn == e.fn && f.scope != nil && !f.scope.comprehension && len(f.scope.names) > 0 {
				names := ParamNames(e.fn.args())
				if len(names) == 0 {
					break
				}
				self := f.slots[f.scope.index[names[0]]]
				return &superObject{body.owner, self}, nil
			}
		}
	}
	return nil, Errorf(RuntimeError, "super(): no arguments")
}

// namedBase is the named tuple, or typing.NamedTuple, among the bases.
func namedBase(bases []Value) *NamedTuple {
	for _, b := range bases {
		switch b := b.(type) {
		case *NamedTuple:
			return b
		case typingNamedTuple:
			return &NamedTuple{Name: "NamedTuple"}
		}
	}
	return nil
}

// namedTupleClass makes a named tuple of a class statement: the fields are those of its base and those annotated.
func (ev *Evaluator) namedTupleClass(c *Class, base *NamedTuple, body *Env) (Value, error) {
	nt := &NamedTuple{Name: c.Name, Fields: base.Fields, Defaults: base.Defaults, methods: c}
	if base.Fields != nil {
		nt.base = base
	} else {
		for _, a := range body.annotations {
			nt.Fields = append(nt.Fields, a.name)
			v, ok := c.Attrs.GetStr(a.name)
			if ok {
				nt.Defaults = append(nt.Defaults, v)
				c.Attrs.deleteStr(a.name)
			} else if len(nt.Defaults) > 0 {
				return nil, Errorf(TypeError, "non-default namedtuple field %s cannot follow default field", a.name)
			}
		}
	}
	if err := ev.finishClass(c); err != nil {
		return nil, err
	}
	c.named = nt
	body.owner = c
	return nt, nil
}
