package pyrun

import (
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// call evaluates a call expression.
func (ev *Evaluator) call(x *python.Call, env *Env) (object.Value, error) {
	f, err := ev.eval(x.Func, env)
	if err != nil {
		return nil, err
	}
	args, err := ev.callArgs(x.Args, env)
	if err != nil {
		return nil, err
	}
	kws, err := ev.callKeywords(x.Keywords, env)
	if err != nil {
		return nil, err
	}
	if err := repeated(f, kws); err != nil {
		return nil, err
	}
	if len(args) == 0 && len(kws) == 0 {
		if f == object.Value(object.SuperClass) {
			return superCall(ev.Interp, env)
		}
		if b, ok := f.(*object.Builtin); ok && scoped[b] != nil {
			return scoped[b](ev.Interp, env)
		}
	}
	if b, ok := f.(*object.Builtin); ok && inScope[b] != nil {
		bound, err := b.Signature().Bind(b.Name, args, kws)
		if err != nil {
			return nil, err
		}
		return inScope[b](ev.Interp, env, bound)
	}
	return ev.callAt(x.Span(), f, args, kws)
}

// repeated returns an error for a keyword that is given twice, by way of **.
func repeated(f object.Value, kws []object.Keyword) error {
	for i, k := range kws {
		for _, l := range kws[:min(i, maxRepeated)] {
			if k.Name == l.Name {
				name := object.CalledName(f)
				if fn, ok := f.(*Func); ok && fn.Module != nil {
					name = fn.Module.Name + "." + name
				}
				return object.Errorf(object.TypeError, "%s() got multiple values for keyword argument '%s'",
					name, k.Name)
			}
		}
	}
	return nil
}

// maxRepeated bounds the search of repeated, which takes quadratic time.
const maxRepeated = 256

// callAt calls f and makes span known as the place of the call.
func (ev *Evaluator) callAt(span diag.Span, f object.Value, args []object.Value,
	kws []object.Keyword) (object.Value, error) {
	site := ev.Site
	ev.Site = span
	v, err := object.Call(ev.Interp, f, args, kws)
	ev.Site = site
	return v, err
}

func (ev *Evaluator) callArgs(list []python.Expr, env *Env) ([]object.Value, error) {
	args := make([]object.Value, 0, len(list))
	for _, a := range list {
		s, ok := a.(*python.Starred)
		if !ok {
			v, err := ev.eval(a, env)
			if err != nil {
				return nil, err
			}
			args = append(args, v)
			continue
		}
		v, err := ev.eval(s.Value, env)
		if err != nil {
			return nil, err
		}
		items, err := object.Iterate(ev.Interp, v)
		if err != nil {
			return nil, err
		}
		if err := ev.Alloc(len(items) * object.ValueSize); err != nil {
			return nil, err
		}
		args = append(args, items...)
	}
	return args, nil
}

func (ev *Evaluator) callKeywords(list []*python.Keyword, env *Env) ([]object.Keyword, error) {
	var kws []object.Keyword
	for _, k := range list {
		v, err := ev.eval(k.Value, env)
		if err != nil {
			return nil, err
		}
		if k.Arg != "" {
			kws = append(kws, object.Keyword{Name: k.Arg, Value: v})
			continue
		}
		if kws, err = ev.spread(kws, v); err != nil {
			return nil, err
		}
	}
	return kws, nil
}

// spread appends the entries of v, given as **v.
func (ev *Evaluator) spread(kws []object.Keyword, v object.Value) ([]object.Keyword, error) {
	d, err := ev.Mapping(v, "argument after **")
	if err != nil {
		return nil, err
	}
	for k, x := range d.All() {
		s, ok := object.Payload(k).(object.Str)
		if !ok {
			return nil, object.Errorf(object.TypeError, "keywords must be strings")
		}
		kws = append(kws, object.Keyword{Name: string(s), Value: x})
	}
	return kws, ev.Alloc(2 * d.Len() * object.ValueSize)
}

// makeFunc makes a function of a def, without its decorators.
func (ev *Evaluator) makeFunc(def *python.FunctionDef, env *Env) (*Func, error) {
	f := &Func{Name: def.Name, QualName: env.qualify(def.Name), Def: def, Module: env.Module,
		Env: env.closure()}
	return f, ev.defaults(f, def.Args, env)
}

func (ev *Evaluator) lambda(x *python.Lambda, env *Env) (object.Value, error) {
	f := &Func{Name: "<lambda>", QualName: env.qualify("<lambda>"), Lambda: x, Module: env.Module,
		Env: env.closure()}
	if err := ev.Alloc(4 * object.ValueSize); err != nil {
		return nil, err
	}
	return f, ev.defaults(f, x.Args, env)
}

func (ev *Evaluator) defaults(f *Func, a *python.Arguments, env *Env) error {
	for _, d := range a.Defaults {
		v, err := ev.eval(d, env)
		if err != nil {
			return err
		}
		f.Defaults = append(f.Defaults, v)
	}
	for i, d := range a.KwDefaults {
		if d == nil {
			continue
		}
		v, err := ev.eval(d, env)
		if err != nil {
			return err
		}
		if f.KwDefs == nil {
			f.KwDefs = map[string]object.Value{}
		}
		f.KwDefs[a.KwOnlyArgs[i].Arg] = v
	}
	return nil
}

// closure returns the scope that functions made here keep: none at the level of the module.
func (env *Env) closure() *Env {
	if env.scope == nil && env.dyn == nil {
		return nil
	}
	return env
}

// qualify returns a name after those of the functions and classes around it.
func (env *Env) qualify(name string) string {
	switch {
	case env.class:
		return env.qual + "." + name
	case env.fn != nil:
		return env.fn.QualName + ".<locals>." + name
	case env.outer != nil:
		return env.outer.qualify(name)
	}
	return name
}
