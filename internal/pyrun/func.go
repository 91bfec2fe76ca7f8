package pyrun

import "github.com/nereid-lang/nereid/internal/python"

// Func is a function written in Python.
type Func struct {
	Name     string
	QualName string
	Def      *python.FunctionDef // nil for a lambda
	Lambda   *python.Lambda      // nil for a def
	Module   *Module             // its globals
	Env      *Env                // enclosing function scopes; nil at module level
	Defaults []Value             // of the last positional parameters
	KwDefs   map[string]Value    // of keyword-only parameters
	Attrs    map[string]Value    // fn.x = ...; may be nil
}

func (*Func) TypeName() string { return "function" }

// Params are the parameters of the function.
func (f *Func) Params() *python.Arguments {
	if f.Lambda != nil {
		return f.Lambda.Args
	}
	return f.Def.Args
}

// fillDefaults replaces nil by the default values.
func (f *Func) fillDefaults(bound []Value) {
	a := f.Params()
	npos := len(a.PosOnlyArgs) + len(a.Args)
	first := npos - len(f.Defaults)
	for i, d := range f.Defaults {
		if bound[first+i] == nil {
			bound[first+i] = d
		}
	}
	at := npos + count(a.Vararg != nil)
	for i, k := range a.KwOnlyArgs {
		if bound[at+i] == nil {
			bound[at+i] = f.KwDefs[k.Arg]
		}
	}
}

// QualifiedName returns the function's name after those of the classes and functions around it.
func (f *Func) QualifiedName() string { return f.QualName }

// Attributes returns the attributes that were set on the function; it may be nil.
func (f *Func) Attributes() map[string]Value { return f.Attrs }

// BuiltinClass returns Python's class of functions.
func (*Func) BuiltinClass() *Class { return functionClass }

// Call calls the function.
func (f *Func) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	return From(in).CallFunc(f, args, kws)
}

// SetAttr is fn.name = x.
func (f *Func) SetAttr(in *Interp, name string, x Value) error {
	if f.Attrs == nil {
		f.Attrs = map[string]Value{}
	}
	f.Attrs[name] = x
	return in.alloc(4 * valueSize)
}

// DelAttr is del fn.name.
func (f *Func) DelAttr(_ *Interp, name string) (bool, error) {
	_, ok := f.Attrs[name]
	delete(f.Attrs, name)
	return ok, nil
}

// Attr returns an attribute that was set on the function, or one of those that every function has.
func (f *Func) Attr(_ *Interp, name string) (Value, bool, error) {
	if x, ok := f.Attrs[name]; ok {
		return x, true, nil
	}
	switch name {
	case "__name__":
		return Str(f.Name), true, nil
	case "__qualname__":
		return Str(f.QualName), true, nil
	case "__module__":
		if f.Module == nil {
			return None, true, nil
		}
		return Str(f.Module.Name), true, nil
	case "__doc__":
		if f.Def == nil {
			return None, true, nil
		}
		return docstring(f.Def.Body), true, nil
	case "__defaults__":
		if f.Defaults == nil {
			return None, true, nil
		}
		return NewTuple(f.Defaults...), true, nil
	case "__kwdefaults__":
		if f.KwDefs == nil {
			return None, true, nil
		}
		return dictOf(f.KwDefs), true, nil
	case "__dict__":
		return dictOf(f.Attrs), true, nil
	case "__annotations__":
		return f.Annotations(), true, nil
	case "__code__":
		return codeOf(f), true, nil
	case "__globals__":
		return &globals{f.Module}, f.Module != nil, nil
	case "__closure__":
		return None, true, nil
	}
	return nil, false, nil
}

// Annotations are a function's annotations, as text: they are not evaluated.
func (f *Func) Annotations() *Dict {
	d := NewDict()
	if f.Def == nil {
		return d
	}
	add := func(a *python.Arg) {
		if a != nil && a.Annotation != nil {
			d.SetStr(a.Arg, Str(python.KindOf(a.Annotation)))
		}
	}
	for _, list := range [][]*python.Arg{f.Def.Args.PosOnlyArgs, f.Def.Args.Args, {f.Def.Args.Vararg}, f.Def.Args.KwOnlyArgs, {f.Def.Args.Kwarg}} {
		for _, a := range list {
			add(a)
		}
	}
	return d
}

// codeOf is __code__ with what programs look at: the names and number of parameters.
func codeOf(f *Func) Value {
	a := f.Params()
	names := NewTuple()
	for _, n := range ParamNames(a) {
		names.Items = append(names.Items, Str(n))
	}
	return &namespace{"code", map[string]Value{
		"co_name":            Str(f.Name),
		"co_argcount":        MakeInt(int64(len(a.PosOnlyArgs) + len(a.Args))),
		"co_kwonlyargcount":  MakeInt(int64(len(a.KwOnlyArgs))),
		"co_posonlyargcount": MakeInt(int64(len(a.PosOnlyArgs))),
		"co_varnames":        names,
	}}
}

// Parameters are those of a function of Python.
func (f *Func) Parameters() []Parameter {
	args := f.Params()
	bound := make([]Value, len(ParamNames(args)))
	f.fillDefaults(bound)
	var out []Parameter
	for i, name := range ParamNames(args) {
		out = append(out, Parameter{name, bound[i], paramKind(args, i)})
	}
	return out
}

func paramKind(a *python.Arguments, i int) ParamKind {
	pos := len(a.PosOnlyArgs) + len(a.Args)
	switch {
	case i < len(a.PosOnlyArgs):
		return PositionalOnly
	case i < pos:
		return PositionalOrKeyword
	case i == pos && a.Vararg != nil:
		return VarPositional
	case i < pos+count(a.Vararg != nil)+len(a.KwOnlyArgs):
		return KeywordOnly
	}
	return VarKeyword
}

// CallFunc calls a function written in Python.
func (ev *Evaluator) CallFunc(f *Func, args []Value, kws []Keyword) (Value, error) {
	bound, err := BindArgs(f.QualName, f.Params(), args, kws)
	if err != nil {
		return nil, err
	}
	f.fillDefaults(bound)
	site := ev.Site
	v, err := ev.runFunc(f, bound)
	ev.Site = site
	if err != nil {
		called(err, f.QualName, site)
		return nil, err
	}
	return v, nil
}

func (ev *Evaluator) runFunc(f *Func, bound []Value) (Value, error) {
	if err := ev.enter(); err != nil {
		return nil, err
	}
	defer ev.leave()
	sc := ev.scopeOf(f)
	if err := ev.alloc(len(sc.names)*valueSize + 64); err != nil {
		return nil, err
	}
	env := &Env{Module: f.Module, outer: f.Env, scope: sc, slots: make([]Value, len(sc.names)), fn: f}
	for i, name := range ParamNames(f.Params()) {
		env.slots[sc.index[name]] = bound[i]
	}
	if f.Lambda != nil {
		return ev.eval(f.Lambda.Body, env)
	}
	if sc.yields != nil {
		return newGenerator(f.Name, env, f.Def.Body), nil
	}
	if _, err := ev.block(f.Def.Body, env); err != nil {
		return nil, err
	}
	if env.ret == nil {
		return None, nil
	}
	return env.ret, nil
}

func (ev *Evaluator) scopeOf(f *Func) *scope {
	if f.Lambda != nil {
		return ev.lambdaScope(f.Lambda)
	}
	return ev.functionScope(f.Def)
}

// Lookup is the value of a name as the body of the function sees it, its own locals apart.
func (f *Func) Lookup(in *Interp, name string) (Value, bool, error) {
	if f.Env != nil {
		env := f.Env
		if env.class {
			env = &Env{Module: f.Module, outer: env, dyn: NewDict()}
		}
		return env.Lookup(in, name)
	}
	return f.Module.global(in, name)
}

// count is 1 where b is true.
func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
