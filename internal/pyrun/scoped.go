package pyrun

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

func (in *Interp) builtin(name string) (Value, bool) {
	if v, ok := in.opts.Builtins[name]; ok {
		return v, true
	}
	v, ok := builtinNames[name]
	return v, ok
}
