package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Func is a function written in Python.
type Func struct {
	Name     string
	QualName string
	Def      *python.FunctionDef     // nil for a lambda
	Lambda   *python.Lambda          // nil for a def
	Module   *Module                 // its globals
	Env      *Env                    // enclosing function scopes; nil at module level
	Defaults []object.Value          // of the last positional parameters
	KwDefs   map[string]object.Value // of keyword-only parameters
	Attrs    map[string]object.Value // fn.x = ...; may be nil
}

func (*Func) TypeName() string { return "function" }

// Params returns the parameters of the function.
func (f *Func) Params() *python.Arguments {
	if f.Lambda != nil {
		return f.Lambda.Args
	}
	return f.Def.Args
}

// fillDefaults replaces nil by default values.
func (f *Func) fillDefaults(bound []object.Value) {
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
func (f *Func) Attributes() map[string]object.Value { return f.Attrs }

// BuiltinClass returns Python's class of functions.
func (*Func) BuiltinClass() *object.Class { return object.FunctionClass }

// Call calls the function.
func (f *Func) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	return From(in).CallFunc(f, args, kws)
}

// SetAttr executes fn.name = x.
func (f *Func) SetAttr(in *object.Interp, name string, x object.Value) error {
	if f.Attrs == nil {
		f.Attrs = map[string]object.Value{}
	}
	f.Attrs[name] = x
	return in.Alloc(4 * object.ValueSize)
}

// DelAttr executes del fn.name.
func (f *Func) DelAttr(_ *object.Interp, name string) (bool, error) {
	_, ok := f.Attrs[name]
	delete(f.Attrs, name)
	return ok, nil
}

// Attr returns an attribute that was set on the function, or one of those that every function has.
func (f *Func) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	if x, ok := f.Attrs[name]; ok {
		return x, true, nil
	}
	switch name {
	case "__name__":
		return object.Str(f.Name), true, nil
	case "__qualname__":
		return object.Str(f.QualName), true, nil
	case "__module__":
		if f.Module == nil {
			return object.None, true, nil
		}
		return object.Str(f.Module.Name), true, nil
	case "__doc__":
		if f.Def == nil {
			return object.None, true, nil
		}
		return object.Docstring(f.Def.Body), true, nil
	case "__defaults__":
		if f.Defaults == nil {
			return object.None, true, nil
		}
		return object.NewTuple(f.Defaults...), true, nil
	case "__kwdefaults__":
		if f.KwDefs == nil {
			return object.None, true, nil
		}
		return object.DictOf(f.KwDefs), true, nil
	case "__dict__":
		return object.DictOf(f.Attrs), true, nil
	case "__annotations__":
		return f.Annotations(), true, nil
	case "__code__":
		return codeOf(f), true, nil
	case "__globals__":
		return &globals{f.Module}, f.Module != nil, nil
	case "__closure__":
		return object.None, true, nil
	}
	return nil, false, nil
}

// Annotations returns the annotations of the function as text: they are not evaluated.
func (f *Func) Annotations() *object.Dict {
	d := object.NewDict()
	if f.Def == nil {
		return d
	}
	add := func(a *python.Arg) {
		if a != nil && a.Annotation != nil {
			d.SetStr(a.Arg, object.Str(python.KindOf(a.Annotation)))
		}
	}
	for _, list := range [][]*python.Arg{f.Def.Args.PosOnlyArgs, f.Def.Args.Args, {f.Def.Args.Vararg},
		f.Def.Args.KwOnlyArgs, {f.Def.Args.Kwarg}} {
		for _, a := range list {
			add(a)
		}
	}
	return d
}

// codeOf returns __code__ with what programs look at: the names and the number of parameters.
func codeOf(f *Func) object.Value {
	a := f.Params()
	names := object.NewTuple()
	for _, n := range object.ParamNames(a) {
		names.Items = append(names.Items, object.Str(n))
	}
	return &object.Namespace{Name: "code", Attrs: map[string]object.Value{
		"co_name":            object.Str(f.Name),
		"co_argcount":        object.MakeInt(int64(len(a.PosOnlyArgs) + len(a.Args))),
		"co_kwonlyargcount":  object.MakeInt(int64(len(a.KwOnlyArgs))),
		"co_posonlyargcount": object.MakeInt(int64(len(a.PosOnlyArgs))),
		"co_varnames":        names,
	}}
}

// Parameters returns the parameters as inspect.signature lists them.
func (f *Func) Parameters() []object.Parameter {
	args := f.Params()
	bound := make([]object.Value, len(object.ParamNames(args)))
	f.fillDefaults(bound)
	var out []object.Parameter
	for i, name := range object.ParamNames(args) {
		out = append(out, object.Parameter{Name: name, Default: bound[i], Kind: paramKind(args, i)})
	}
	return out
}

func paramKind(a *python.Arguments, i int) object.ParamKind {
	pos := len(a.PosOnlyArgs) + len(a.Args)
	switch {
	case i < len(a.PosOnlyArgs):
		return object.PositionalOnly
	case i < pos:
		return object.PositionalOrKeyword
	case i == pos && a.Vararg != nil:
		return object.VarPositional
	case i < pos+count(a.Vararg != nil)+len(a.KwOnlyArgs):
		return object.KeywordOnly
	}
	return object.VarKeyword
}

// CallFunc calls a function written in Python.
func (ev *Evaluator) CallFunc(f *Func, args []object.Value, kws []object.Keyword) (object.Value, error) {
	bound, err := object.BindArgs(f.QualName, f.Params(), args, kws)
	if err != nil {
		return nil, err
	}
	f.fillDefaults(bound)
	site := ev.Site
	v, err := ev.runFunc(f, bound)
	ev.Site = site
	if err != nil {
		object.AddFrame(err, f.QualName, site)
		return nil, err
	}
	return v, nil
}

func (ev *Evaluator) runFunc(f *Func, bound []object.Value) (object.Value, error) {
	if err := ev.Enter(); err != nil {
		return nil, err
	}
	defer ev.Leave()
	sc := ev.scopeOf(f)
	if err := ev.Alloc(len(sc.names)*object.ValueSize + 64); err != nil {
		return nil, err
	}
	env := &Env{Module: f.Module, outer: f.Env, scope: sc, slots: make([]object.Value, len(sc.names)), fn: f}
	for i, name := range object.ParamNames(f.Params()) {
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
		return object.None, nil
	}
	return env.ret, nil
}

func (ev *Evaluator) scopeOf(f *Func) *scope {
	if f.Lambda != nil {
		return ev.lambdaScope(f.Lambda)
	}
	return ev.functionScope(f.Def)
}

// Lookup returns the value of a name as the body of the function sees it, its own locals apart.
func (f *Func) Lookup(in *object.Interp, name string) (object.Value, bool, error) {
	if f.Env != nil {
		env := f.Env
		if env.class {
			env = &Env{Module: f.Module, outer: env, dyn: object.NewDict()}
		}
		return env.Lookup(in, name)
	}
	return f.Module.global(in, name)
}

// count returns 1 where b is true.
func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
