package pyrun

import "github.com/nereid-lang/nereid/internal/python"

func (in *Interp) tryStmt(st *python.Try, env *Env) (flow, error) {
	f, err := in.tryBody(st, env)
	if len(st.Finalbody) == 0 || isFatal(err) {
		return f, err
	}
	ret := env.ret
	ff, ferr := in.block(st.Finalbody, env)
	if ferr != nil {
		return ff, withContext(ferr, err)
	}
	if ff != flowNext {
		return ff, nil // it overrides what happened before
	}
	env.ret = ret
	return f, err
}

func (in *Interp) tryBody(st *python.Try, env *Env) (flow, error) {
	n := boolInt(catchesImport(st.Handlers))
	in.tries += n
	f, err := in.block(st.Body, env)
	in.tries -= n
	if err == nil {
		if f != flowNext {
			return f, nil
		}
		return in.block(st.Orelse, env)
	}
	e, ok := catchable(err)
	if !ok {
		return f, err
	}
	h, herr := in.handlerFor(st.Handlers, e, env)
	if herr != nil {
		return flowNext, withContext(herr, err)
	}
	if h == nil {
		return f, err
	}
	return in.handle(h, e, env)
}

func isFatal(err error) bool {
	if err == nil {
		return false
	}
	_, ok := catchable(err)
	return !ok
}

func withContext(err, context error) error {
	if e, ok := catchable(err); ok && e.Context == nil {
		if c, ok := catchable(context); ok && c != e {
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

func (in *Interp) handlerFor(handlers []*python.ExceptHandler, e *Exception, env *Env) (*python.ExceptHandler, error) {
	for _, h := range handlers {
		if h.Type == nil {
			return h, nil
		}
		class, err := in.eval(h.Type, env)
		if err != nil {
			return nil, err
		}
		ok, err := in.matchesException(e, class)
		if err != nil {
			locate(err, h.Type.Span())
			return nil, err
		}
		if ok {
			return h, nil
		}
	}
	return nil, nil
}

func (in *Interp) handle(h *python.ExceptHandler, e *Exception, env *Env) (flow, error) {
	if h.Name != "" {
		if err := env.Assign(in, h.Name, e); err != nil {
			return flowNext, err
		}
	}
	in.handled = append(in.handled, e)
	f, err := in.block(h.Body, env)
	in.handled = in.handled[:len(in.handled)-1]
	if h.Name != "" {
		if uerr := env.Assign(in, h.Name, nil); err == nil {
			err = uerr
		}
	}
	if err != nil && err != error(e) {
		err = withContext(err, e)
	}
	return f, err
}

func (in *Interp) raise(st *python.Raise, env *Env) error {
	if st.Exc == nil {
		if n := len(in.handled); n > 0 {
			return in.handled[n-1]
		}
		return Errorf(RuntimeError, "No active exception to reraise")
	}
	v, err := in.eval(st.Exc, env)
	if err != nil {
		return err
	}
	e, err := in.exceptionOf(v)
	if err != nil {
		return err
	}
	if n := len(in.handled); n > 0 && in.handled[n-1] != e {
		e.Context = in.handled[n-1]
	}
	if st.Cause != nil {
		c, err := in.eval(st.Cause, env)
		if err != nil {
			return err
		}
		if c != None {
			if e.Cause, err = in.exceptionOf(c); err != nil {
				return err
			}
		}
	}
	if len(e.Trace) == 0 {
		e.Span = st.Span()
	}
	return e
}

// withStmt runs with items: body, one manager at a time.
func (in *Interp) withStmt(items []*python.WithItem, body []python.Stmt, env *Env) (flow, error) {
	if len(items) == 0 {
		return in.block(body, env)
	}
	exit, err := in.enterContext(items[0], env)
	if err != nil {
		return flowNext, err
	}
	f, err := in.withStmt(items[1:], body, env)
	return in.exitContext(exit, f, err)
}

// enterContext calls __enter__, assigns its result and returns __exit__.
func (in *Interp) enterContext(item *python.WithItem, env *Env) (exit Value, err error) {
	m, err := in.eval(item.ContextExpr, env)
	if err != nil {
		return nil, err
	}
	enter, err := GetAttr(in, m, "__enter__")
	if err != nil {
		return nil, notManager(err, m)
	}
	if exit, err = GetAttr(in, m, "__exit__"); err != nil {
		return nil, notManager(err, m)
	}
	v, err := in.callAt(item.Span(), enter, nil, nil)
	if err != nil {
		return nil, err
	}
	if item.OptionalVars != nil {
		err = in.assign(item.OptionalVars, v, env)
	}
	return exit, err
}

func notManager(err error, m Value) error {
	if e, ok := catchable(err); ok && e.IsA(AttributeError) {
		return Errorf(TypeError, "'%s' object does not support the context manager protocol", m.TypeName())
	}
	return err
}

// exitContext calls __exit__ and drops the exception if it says so.
func (in *Interp) exitContext(exit Value, f flow, err error) (flow, error) {
	if isFatal(err) {
		return f, err
	}
	args := []Value{None, None, None}
	e, raised := catchable(err)
	if raised {
		args = []Value{e.Class, e, None}
	}
	v, xerr := Call(in, exit, args, nil)
	if xerr != nil {
		return flowNext, withContext(xerr, err)
	}
	if !raised || unknownOf(v) != nil {
		return f, err
	}
	if t, terr := Truth(in, v); terr != nil || t {
		return flowNext, terr
	}
	return f, err
}
