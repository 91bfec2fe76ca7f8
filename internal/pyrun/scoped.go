package pyrun

import (
	"maps"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// scoped has the builtins that look at the scope of their call when they are called without arguments.
var scoped map[*object.Builtin]func(in *object.Interp, env *Env) (object.Value, error)

// inScope has the builtins that always look at the scope of their call.
var inScope map[*object.Builtin]func(in *object.Interp, env *Env, args []object.Value) (object.Value, error)

func localsOf(_ *object.Interp, env *Env) (object.Value, error) {
	if env.scope == nil && env.dyn == nil {
		return &globals{env.Module}, nil
	}
	return env.names(), nil
}

func dirOf(in *object.Interp, env *Env) (object.Value, error) {
	v, err := localsOf(in, env)
	if err != nil {
		return nil, err
	}
	items, err := object.Iterate(in, v)
	if err != nil {
		return nil, err
	}
	return object.SortList(in, items, nil, false)
}

func (ev *Evaluator) builtin(name string) (object.Value, bool) {
	if v, ok := ev.opts.Builtins[name]; ok {
		return v, true
	}
	if v, ok := ownBuiltins[name]; ok {
		return v, true
	}
	v, ok := object.Builtins[name]
	return v, ok
}

// ownBuiltins has the builtins that need the evaluator.
var ownBuiltins map[string]object.Value

func init() {
	ownBuiltins = map[string]object.Value{
		"__import__": object.Native("__import__", "name *args **kws", importNamed),
		"compile":    object.Native("compile", "source filename mode *args **kws", compileText),
	}
	fn := func(name string) *object.Builtin { return object.Builtins[name].(*object.Builtin) }
	scoped = map[*object.Builtin]func(in *object.Interp, env *Env) (object.Value, error){
		fn("globals"): func(_ *object.Interp, env *Env) (object.Value, error) {
			return &globals{env.Module}, nil
		},
		fn("locals"): localsOf,
		fn("vars"):   localsOf,
		fn("dir"):    dirOf,
	}
	inScope = map[*object.Builtin]func(in *object.Interp, env *Env, args []object.Value) (object.Value,
		error){
		fn("exec"): runText("exec"),
		fn("eval"): runText("eval"),
	}
}

// BuiltinNames returns the names that are visible everywhere.
func BuiltinNames() map[string]object.Value {
	names := maps.Clone(object.Builtins)
	maps.Copy(names, ownBuiltins)
	return names
}

func importNamed(in *object.Interp, a []object.Value) (object.Value, error) {
	name, err := object.Text(a[0])
	if err != nil {
		return nil, err
	}
	return From(in).Import(nil, firstPart(name), in.Site)
}
