package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func (ev *Evaluator) tryStmt(st *python.Try, env *Env) (flow, error) {
	f, err := ev.tryBody(st, env)
	if len(st.Finalbody) == 0 || isFatal(err) {
		return f, err
	}
	ret := env.ret
	ff, ferr := ev.block(st.Finalbody, env)
	if ferr != nil {
		return ff, withContext(ferr, err)
	}
	if ff != flowNext {
		return ff, nil // it overrides what happened before
	}
	env.ret = ret
	return f, err
}

func (ev *Evaluator) tryBody(st *python.Try, env *Env) (flow, error) {
	n := count(catchesImport(st.Handlers))
	ev.tries += n
	f, err := ev.block(st.Body, env)
	ev.tries -= n
	if err == nil {
		if f != flowNext {
			return f, nil
		}
		return ev.block(st.Orelse, env)
	}
	e, ok := object.Catchable(err)
	if !ok {
		return f, err
	}
	h, herr := ev.handlerFor(st.Handlers, e, env)
	if herr != nil {
		return flowNext, withContext(herr, err)
	}
	if h == nil {
		return f, err
	}
	return ev.handle(h, e, env)
}

func isFatal(err error) bool {
	if err == nil {
		return false
	}
	_, ok := object.Catchable(err)
	return !ok
}

func withContext(err, context error) error {
	if e, ok := object.Catchable(err); ok && e.Context == nil {
		if c, ok := object.Catchable(context); ok && c != e {
			e.Context = c
		}
	}
	return err
}

// catchesImport reports whether one of the handlers would take an ImportError, as written.
func catchesImport(handlers []*python.ExceptHandler) bool {
	for _, h := range handlers {
		if h.Type == nil || namesImportError(h.Type) {
			return true
		}
	}
	return false
}

func namesImportError(x python.Expr) bool {
	switch x := x.(type) {
	case *python.Name:
		switch x.ID {
		case "ImportError", "ModuleNotFoundError", "Exception", "BaseException":
			return true
		}
	case *python.Tuple:
		for _, y := range x.Elts {
			if namesImportError(y) {
				return true
			}
		}
	}
	return false
}

func (ev *Evaluator) handlerFor(handlers []*python.ExceptHandler, e *object.Exception,
	env *Env) (*python.ExceptHandler, error) {
	for _, h := range handlers {
		if h.Type == nil {
			return h, nil
		}
		class, err := ev.eval(h.Type, env)
		if err != nil {
			return nil, err
		}
		ok, err := ev.MatchesException(e, class)
		if err != nil {
			object.Locate(err, h.Type.Span())
			return nil, err
		}
		if ok {
			return h, nil
		}
	}
	return nil, nil
}

func (ev *Evaluator) handle(h *python.ExceptHandler, e *object.Exception, env *Env) (flow, error) {
	if h.Name != "" {
		if err := env.Assign(ev.Interp, h.Name, e); err != nil {
			return flowNext, err
		}
	}
	ev.handled = append(ev.handled, e)
	f, err := ev.block(h.Body, env)
	ev.handled = ev.handled[:len(ev.handled)-1]
	if h.Name != "" {
		if uerr := env.Assign(ev.Interp, h.Name, nil); err == nil {
			err = uerr
		}
	}
	if err != nil && err != error(e) {
		err = withContext(err, e)
	}
	return f, err
}

func (ev *Evaluator) raise(st *python.Raise, env *Env) error {
	if st.Exc == nil {
		if n := len(ev.handled); n > 0 {
			return ev.handled[n-1]
		}
		return object.Errorf(object.RuntimeError, "No active exception to reraise")
	}
	v, err := ev.eval(st.Exc, env)
	if err != nil {
		return err
	}
	e, err := ev.ExceptionOf(v)
	if err != nil {
		return err
	}
	if n := len(ev.handled); n > 0 && ev.handled[n-1] != e {
		e.Context = ev.handled[n-1]
	}
	if st.Cause != nil {
		c, err := ev.eval(st.Cause, env)
		if err != nil {
			return err
		}
		if c != object.None {
			if e.Cause, err = ev.ExceptionOf(c); err != nil {
				return err
			}
		}
	}
	if len(e.Trace) == 0 {
		e.Span = st.Span()
	}
	return e
}

// withStmt runs a with statement, one manager at a time.
func (ev *Evaluator) withStmt(items []*python.WithItem, body []python.Stmt, env *Env) (flow, error) {
	if len(items) == 0 {
		return ev.block(body, env)
	}
	exit, err := ev.enterContext(items[0], env)
	if err != nil {
		return flowNext, err
	}
	f, err := ev.withStmt(items[1:], body, env)
	return ev.exitContext(exit, f, err)
}

// enterContext calls __enter__, assigns its result and returns __exit__.
func (ev *Evaluator) enterContext(item *python.WithItem, env *Env) (exit object.Value, err error) {
	m, err := ev.eval(item.ContextExpr, env)
	if err != nil {
		return nil, err
	}
	enter, err := object.GetAttr(ev.Interp, m, "__enter__")
	if err != nil {
		return nil, notManager(err, m)
	}
	if exit, err = object.GetAttr(ev.Interp, m, "__exit__"); err != nil {
		return nil, notManager(err, m)
	}
	v, err := ev.callAt(item.Span(), enter, nil, nil)
	if err != nil {
		return nil, err
	}
	if item.OptionalVars != nil {
		err = ev.assign(item.OptionalVars, v, env)
	}
	return exit, err
}

func notManager(err error, m object.Value) error {
	if e, ok := object.Catchable(err); ok && e.IsA(object.AttributeError) {
		return object.Errorf(object.TypeError, "'%s' object does not support the context manager protocol",
			m.TypeName())
	}
	return err
}

// exitContext calls __exit__ and drops the exception if __exit__ says so.
func (ev *Evaluator) exitContext(exit object.Value, f flow, err error) (flow, error) {
	if isFatal(err) {
		return f, err
	}
	args := []object.Value{object.None, object.None, object.None}
	e, raised := object.Catchable(err)
	if raised {
		args = []object.Value{e.Class, e, object.None}
	}
	v, xerr := object.Call(ev.Interp, exit, args, nil)
	if xerr != nil {
		return flowNext, withContext(xerr, err)
	}
	if !raised || object.UnknownOf(v) != nil {
		return f, err
	}
	if t, terr := object.Truth(ev.Interp, v); terr != nil || t {
		return flowNext, terr
	}
	return f, err
}

// Handled returns the exception that is being handled; nil outside of an except clause.
func (ev *Evaluator) Handled() *object.Exception {
	if n := len(ev.handled); n > 0 {
		return ev.handled[n-1]
	}
	return nil
}
