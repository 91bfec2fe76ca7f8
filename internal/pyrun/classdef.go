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
func (in *Interp) classDef(st *python.ClassDef, env *Env) error {
	decorators, err := in.decorators(st.DecoratorList, env)
	if err != nil {
		return err
	}
	bases, err := in.callArgs(st.Bases, env)
	if err != nil {
		return err
	}
	kws, err := in.callKeywords(st.Keywords, env)
	if err != nil {
		return err
	}
	body := &Env{Module: env.Module, outer: env.closure(), dyn: NewDict(), class: true, qual: env.qualify(st.Name)}
	if env.class {
		body.outer = env // its functions skip it, but not the scopes around it
	}
	if _, err := in.block(st.Body, body); err != nil {
		return err
	}
	v, err := in.makeClass(st, env, bases, kws, body)
	if err != nil {
		return err
	}
	if v, err = in.decorate(v, decorators, st.DecoratorList); err != nil {
		return err
	}
	return env.Assign(in, st.Name, v)
}

func (in *Interp) makeClass(st *python.ClassDef, env *Env, bases []Value, kws []Keyword, body *Env) (Value, error) {
	if err := in.alloc(32 * valueSize); err != nil {
		return nil, err
	}
	c := &Class{Name: st.Name, Attrs: body.dyn, Def: st, Mod: env.Module, fields: body.annotations}
	for _, b := range bases {
		if err := in.addBase(c, b); err != nil {
			return nil, err
		}
	}
	if nt := namedBase(bases); nt != nil {
		return in.namedTupleClass(c, nt, body)
	}
	if err := in.setMeta(c, kws); err != nil {
		return nil, err
	}
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	body.owner = c
	if c.enum != nil {
		if err := c.enum.collect(in, c); err != nil {
			return nil, err
		}
	}
	return c, in.classHooks(c, kws)
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
func (in *Interp) namedTupleClass(c *Class, base *NamedTuple, body *Env) (Value, error) {
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
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	c.named = nt
	body.owner = c
	return nt, nil
}

func init() {
	namedMethods = map[string]*method{
		"_asdict": newMethod("_asdict", "", func(_ *Interp, a []Value) (Value, error) {
			t, err := selfTuple(a)
			if err != nil {
				return nil, err
			}
			d := NewDict()
			for i, f := range t.Class.Fields {
				d.SetStr(f, t.Items[i])
			}
			return d, nil
		}),
		"_replace": newMethod("_replace", "**kws", func(in *Interp, a []Value) (Value, error) {
			t, err := selfTuple(a)
			if err != nil {
				return nil, err
			}
			return t.replace(a[1].(*Dict))
		}),
	}
}
