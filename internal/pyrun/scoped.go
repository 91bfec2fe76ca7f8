package pyrun

import "maps"

// scoped are builtins that look at the scope they are called in, when they are called without arguments.
var scoped map[*Builtin]func(in *Interp, env *Env) (Value, error)

// inScope are builtins that look at the scope they are called in.
var inScope map[*Builtin]func(in *Interp, env *Env, args []Value) (Value, error)

func localsOf(_ *Interp, env *Env) (Value, error) {
	if env.scope == nil && env.dyn == nil {
		return &globals{env.Module}, nil
	}
	return env.names(), nil
}

func dirOf(in *Interp, env *Env) (Value, error) {
	v, err := localsOf(in, env)
	if err != nil {
		return nil, err
	}
	items, err := Iterate(in, v)
	if err != nil {
		return nil, err
	}
	return sortedList(in, items, nil, false)
}

func (ev *Evaluator) builtin(name string) (Value, bool) {
	if v, ok := ev.opts.Builtins[name]; ok {
		return v, true
	}
	if v, ok := ownBuiltins[name]; ok {
		return v, true
	}
	v, ok := builtinNames[name]
	return v, ok
}

// ownBuiltins are the builtins that need the evaluator.
var ownBuiltins map[string]Value

func init() {
	ownBuiltins = map[string]Value{
		"__import__": native("__import__", "name *args **kws", importNamed),
		"compile":    native("compile", "source filename mode *args **kws", compileText),
	}
	fn := func(name string) *Builtin { return builtinNames[name].(*Builtin) }
	scoped = map[*Builtin]func(in *Interp, env *Env) (Value, error){
		fn("globals"): func(_ *Interp, env *Env) (Value, error) { return &globals{env.Module}, nil },
		fn("locals"):  localsOf,
		fn("vars"):    localsOf,
		fn("dir"):     dirOf,
	}
	inScope = map[*Builtin]func(in *Interp, env *Env, args []Value) (Value, error){
		fn("exec"): runText("exec"),
		fn("eval"): runText("eval"),
	}
}

// BuiltinNames returns the names that are visible everywhere.
func BuiltinNames() map[string]Value {
	names := maps.Clone(builtinNames)
	maps.Copy(names, ownBuiltins)
	return names
}

func importNamed(in *Interp, a []Value) (Value, error) {
	name, err := text(a[0])
	if err != nil {
		return nil, err
	}
	return From(in).Import(nil, firstPart(name), in.Site)
}
