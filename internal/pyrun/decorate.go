package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Builtin returns a function or class of Python's own, as every module sees it.
func (ev *Evaluator) Builtin(name string) (object.Value, bool) { return ev.builtin(name) }

// decorated binds a function as Options.Decorate makes it.
func (ev *Evaluator) decorated(st *python.FunctionDef, env *Env) error {
	f, err := ev.makeFunc(st, env)
	if err != nil {
		return err
	}
	if err := ev.Alloc(8 * object.ValueSize); err != nil {
		return err
	}
	eval := func(x python.Expr) (object.Value, error) { return ev.eval(x, env) }
	v, err := ev.opts.Decorate(ev.Interp, f, st.DecoratorList, eval)
	if err != nil {
		object.Locate(err, st.DecoratorList[0].Span())
		return err
	}
	return env.Assign(ev.Interp, st.Name, v)
}
