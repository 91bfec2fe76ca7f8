package pyrun

import (
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// Call calls a value.
func Call(in *Interp, f Value, args []Value, kws []Keyword) (Value, error) {
	if fn, ok := f.(*Func); ok {
		return in.CallFunc(fn, args, kws)
	}
	if err := in.enter(); err != nil {
		return nil, err
	}
	defer in.leave()
	switch f := f.(type) {
	case *Builtin:
		return f.Fn(in, args, kws)
	case *method:
		return f.Fn(in, args, kws)
	case *BoundMethod:
		return Call(in, f.Fn, append([]Value{f.Self}, args...), kws)
	case *Class:
		return in.instantiate(f, args, kws)
	case *NamedTuple:
		return f.call(in, args, kws)
	case *Unknown:
		return f.call(args), nil
	case *StaticMethod:
		return Call(in, f.Fn, args, kws)
	case Callable:
		return f.Call(in, args, kws)
	}
	if fn := special(f, "__call__"); fn != nil {
		bound, err := in.bind(fn, f, writtenClass(f))
		if err != nil {
			return nil, err
		}
		return Call(in, bound, args, kws)
	}
	if v, ok := f.(*Instance); ok {
		if u := v.Class.unknownBase(); u != nil {
			return u.call(args), nil
		}
	}
	return nil, Errorf(TypeError, "'%s' object is not callable", f.TypeName())
}

// isCallable is Python's callable(v).
func isCallable(v Value) bool {
	switch v.(type) {
	case *Func, *Builtin, *method, *BoundMethod, *Class, *NamedTuple, *StaticMethod, *Unknown, Callable:
		return true
	}
	return special(v, "__call__") != nil
}

// args are the parameters of the function.
func (f *Func) args() *python.Arguments {
	if f.Lambda != nil {
		return f.Lambda.Args
	}
	return f.Def.Args
}

// CallFunc calls a function written in Python.
func (in *Interp) CallFunc(f *Func, args []Value, kws []Keyword) (Value, error) {
	bound, err := BindArgs(f.QualName, f.args(), args, kws)
	if err != nil {
		return nil, err
	}
	f.fillDefaults(bound)
	site := in.site
	v, err := in.runFunc(f, bound)
	in.site = site
	if err != nil {
		called(err, f.QualName, site)
		return nil, err
	}
	return v, nil
}

// fillDefaults replaces nil by the default values.
func (f *Func) fillDefaults(bound []Value) {
	a := f.args()
	npos := len(a.PosOnlyArgs) + len(a.Args)
	first := npos - len(f.Defaults)
	for i, d := range f.Defaults {
		if bound[first+i] == nil {
			bound[first+i] = d
		}
	}
	at := npos + boolInt(a.Vararg != nil)
	for i, k := range a.KwOnlyArgs {
		if bound[at+i] == nil {
			bound[at+i] = f.KwDefs[k.Arg]
		}
	}
}

func (in *Interp) runFunc(f *Func, bound []Value) (Value, error) {
	if err := in.enter(); err != nil {
		return nil, err
	}
	defer in.leave()
	sc := in.scopeOf(f)
	if err := in.alloc(len(sc.names)*valueSize + 64); err != nil {
		return nil, err
	}
	env := &Env{Module: f.Module, outer: f.Env, scope: sc, slots: make([]Value, len(sc.names)), fn: f}
	for i, name := range ParamNames(f.args()) {
		env.slots[sc.index[name]] = bound[i]
	}
	if f.Lambda != nil {
		return in.eval(f.Lambda.Body, env)
	}
	if sc.yields != nil {
		return newGenerator(f.Name, env, f.Def.Body), nil
	}
	if _, err := in.block(f.Def.Body, env); err != nil {
		return nil, err
	}
	if env.ret == nil {
		return None, nil
	}
	return env.ret, nil
}

func (in *Interp) scopeOf(f *Func) *scope {
	if f.Lambda != nil {
		return in.lambdaScope(f.Lambda)
	}
	return in.functionScope(f.Def)
}

// call evaluates a call expression.
func (in *Interp) call(x *python.Call, env *Env) (Value, error) {
	f, err := in.eval(x.Func, env)
	if err != nil {
		return nil, err
	}
	args, err := in.callArgs(x.Args, env)
	if err != nil {
		return nil, err
	}
	kws, err := in.callKeywords(x.Keywords, env)
	if err != nil {
		return nil, err
	}
	if err := repeated(f, kws); err != nil {
		return nil, err
	}
	if len(args) == 0 && len(kws) == 0 {
		if f == Value(superClass) {
			return superCall(in, env)
		}
		if b, ok := f.(*Builtin); ok && scoped[b] != nil {
			return scoped[b](in, env)
		}
	}
	if b, ok := f.(*Builtin); ok && inScope[b] != nil {
		bound, err := b.sig.bind(b.Name, args, kws)
		if err != nil {
			return nil, err
		}
		return inScope[b](in, env, bound)
	}
	return in.callAt(x.Span(), f, args, kws)
}

// repeated is the error of a keyword that is given twice, by way of **.
func repeated(f Value, kws []Keyword) error {
	for i, k := range kws {
		for _, l := range kws[:min(i, maxRepeated)] {
			if k.Name == l.Name {
				name := calledName(f)
				if fn, ok := f.(*Func); ok && fn.Module != nil {
					name = fn.Module.Name + "." + name
				}
				return Errorf(TypeError, "%s() got multiple values for keyword argument '%s'", name, k.Name)
			}
		}
	}
	return nil
}

// maxRepeated bounds the search, which is quadratic.
const maxRepeated = 256

// callAt calls with the place of the call known.
func (in *Interp) callAt(span diag.Span, f Value, args []Value, kws []Keyword) (Value, error) {
	site := in.site
	in.site = span
	v, err := Call(in, f, args, kws)
	in.site = site
	return v, err
}

func (in *Interp) callArgs(list []python.Expr, env *Env) ([]Value, error) {
	args := make([]Value, 0, len(list))
	for _, a := range list {
		s, ok := a.(*python.Starred)
		if !ok {
			v, err := in.eval(a, env)
			if err != nil {
				return nil, err
			}
			args = append(args, v)
			continue
		}
		v, err := in.eval(s.Value, env)
		if err != nil {
			return nil, err
		}
		items, err := Iterate(in, v)
		if err != nil {
			return nil, err
		}
		if err := in.alloc(len(items) * valueSize); err != nil {
			return nil, err
		}
		args = append(args, items...)
	}
	return args, nil
}

func (in *Interp) callKeywords(list []*python.Keyword, env *Env) ([]Keyword, error) {
	var kws []Keyword
	for _, k := range list {
		v, err := in.eval(k.Value, env)
		if err != nil {
			return nil, err
		}
		if k.Arg != "" {
			kws = append(kws, Keyword{k.Arg, v})
			continue
		}
		if kws, err = in.spread(kws, v); err != nil {
			return nil, err
		}
	}
	return kws, nil
}

// spread appends **v.
func (in *Interp) spread(kws []Keyword, v Value) ([]Keyword, error) {
	d, err := in.mapping(v, "argument after **")
	if err != nil {
		return nil, err
	}
	for k, x := range d.All() {
		s, ok := payload(k).(Str)
		if !ok {
			return nil, Errorf(TypeError, "keywords must be strings")
		}
		kws = append(kws, Keyword{string(s), x})
	}
	return kws, in.alloc(2 * d.Len() * valueSize)
}

// mapping is a dict, or an object with keys() as a dict.
func (in *Interp) mapping(v Value, what string) (*Dict, error) {
	if d, ok := payload(v).(*Dict); ok {
		return d, nil
	}
	if u := unknownOf(v); u != nil {
		return nil, u.need("the content")
	}
	keys, err := GetAttr(in, v, "keys")
	if err != nil {
		return nil, Errorf(TypeError, "%s must be a mapping, not %s", what, v.TypeName())
	}
	list, err := Call(in, keys, nil, nil)
	if err != nil {
		return nil, err
	}
	items, err := Iterate(in, list)
	if err != nil {
		return nil, err
	}
	d := NewDict()
	for _, k := range items {
		x, err := GetItem(in, v, k)
		if err != nil {
			return nil, err
		}
		if err := d.Set(in, k, x); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// FuncOf is the function of a def at the top of a module, without its decorators, its defaults evaluated.
func (in *Interp) FuncOf(m *Module, def *python.FunctionDef) (*Func, error) {
	if m.File != "" {
		if err := m.load(in); err != nil {
			return nil, err
		}
	}
	return in.makeFunc(def, m.Env())
}

// makeFunc makes a function of a def, without its decorators.
func (in *Interp) makeFunc(def *python.FunctionDef, env *Env) (*Func, error) {
	f := &Func{Name: def.Name, QualName: env.qualify(def.Name), Def: def, Module: env.Module, Env: env.closure()}
	return f, in.defaults(f, def.Args, env)
}

func (in *Interp) lambda(x *python.Lambda, env *Env) (Value, error) {
	f := &Func{Name: "<lambda>", QualName: env.qualify("<lambda>"), Lambda: x, Module: env.Module, Env: env.closure()}
	if err := in.alloc(4 * valueSize); err != nil {
		return nil, err
	}
	return f, in.defaults(f, x.Args, env)
}

func (in *Interp) defaults(f *Func, a *python.Arguments, env *Env) error {
	for _, d := range a.Defaults {
		v, err := in.eval(d, env)
		if err != nil {
			return err
		}
		f.Defaults = append(f.Defaults, v)
	}
	for i, d := range a.KwDefaults {
		if d == nil {
			continue
		}
		v, err := in.eval(d, env)
		if err != nil {
			return err
		}
		if f.KwDefs == nil {
			f.KwDefs = map[string]Value{}
		}
		f.KwDefs[a.KwOnlyArgs[i].Arg] = v
	}
	return nil
}

// closure is the scope that functions made here keep: none at the level of the module.
func (env *Env) closure() *Env {
	if env.scope == nil && env.dyn == nil {
		return nil
	}
	return env
}

// qualify is a name with those of the functions and classes around it.
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
