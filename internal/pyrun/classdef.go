package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func (env *Env) annotate(name string, typ python.Expr) {
	for _, a := range env.annotations {
		if a.Name == name {
			return
		}
	}
	env.annotations = append(env.annotations, object.ClassField{Name: name, Type: typ})
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
	body := &Env{Module: env.Module, outer: env.closure(), dyn: object.NewDict(), class: true,
		qual: env.qualify(st.Name), bound: ev.classScope(st)}
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

func (ev *Evaluator) makeClass(st *python.ClassDef, env *Env, bases []object.Value, kws []object.Keyword,
	body *Env) (object.Value, error) {
	if err := ev.Alloc(32 * object.ValueSize); err != nil {
		return nil, err
	}
	c := &object.Class{Name: st.Name, Attrs: body.dyn, Def: st, Module: env.Module.name(),
		Fields: body.annotations}
	body.owner = c
	return object.BuildClass(ev.Interp, c, bases, kws)
}

// superCall returns super() as called without arguments: it finds the class of the running function, and its
// first argument.
func superCall(in *object.Interp, env *Env) (object.Value, error) {
	for e := env; e != nil; e = e.outer {
		if e.fn == nil || e.fn.Env == nil {
			continue
		}
		body := e.fn.Env
		if !body.class {
			continue
		}
		if body.owner == nil {
			return nil, object.Errorf(object.RuntimeError, "super(): empty __class__ cell")
		}
		for f := e; f != nil; f = f.outer {
			if f.fn == e.fn && f.scope != nil && !f.scope.comprehension && len(f.scope.names) > 0 {
				names := object.ParamNames(e.fn.Params())
				if len(names) == 0 {
					break
				}
				self := f.slots[f.scope.index[names[0]]]
				return object.NewSuper(body.owner, self), nil
			}
		}
	}
	return nil, object.Errorf(object.RuntimeError, "super(): no arguments")
}
