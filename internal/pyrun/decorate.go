package pyrun

import "github.com/nereid-lang/nereid/internal/python"

// Builtin is a function or class of Python's own, as every module sees it.
func (in *Interp) Builtin(name string) (Value, bool) { return in.builtin(name) }

// decorated binds a function as Options.Decorate makes it.
func (in *Interp) decorated(st *python.FunctionDef, env *Env) error {
	f, err := in.makeFunc(st, env)
	if err != nil {
		return err
	}
	if err := in.alloc(8 * valueSize); err != nil {
		return err
	}
	eval := func(x python.Expr) (Value, error) { return in.eval(x, env) }
	v, err := in.opts.Decorate(in, f, st.DecoratorList, eval)
	if err != nil {
		locate(err, st.DecoratorList[0].Span())
		return err
	}
	return env.Assign(in, st.Name, v)
}
