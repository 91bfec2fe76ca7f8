package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// flow says how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

// Exec runs statements in a scope. A return at the top ends them; its value is the result, None without one.
func (ev *Evaluator) Exec(body []python.Stmt, env *Env) (object.Value, error) {
	env.ret = nil
	if _, err := ev.block(body, env); err != nil {
		return nil, err
	}
	if env.ret == nil {
		return object.None, nil
	}
	return env.ret, nil
}

// execModuleStmt runs a statement at the level of a module.
func (ev *Evaluator) execModuleStmt(st python.Stmt, env *Env) error {
	_, err := ev.exec(st, env)
	return err
}

func (ev *Evaluator) block(body []python.Stmt, env *Env) (flow, error) {
	for _, st := range body {
		if f, err := ev.exec(st, env); f != flowNext || err != nil {
			return f, err
		}
	}
	return flowNext, nil
}

func (ev *Evaluator) exec(st python.Stmt, env *Env) (flow, error) {
	if err := ev.Step(); err != nil {
		object.Locate(err, st.Span())
		return flowNext, err
	}
	f, err := ev.execNode(st, env)
	if err != nil {
		object.Locate(err, st.Span())
	}
	return f, err
}

func (ev *Evaluator) execNode(st python.Stmt, env *Env) (flow, error) {
	switch st := st.(type) {
	case *python.If:
		return ev.ifStmt(st, env)
	case *python.For:
		return ev.forStmt(st, env)
	case *python.While:
		return ev.whileStmt(st, env)
	case *python.Try:
		return ev.tryStmt(st, env)
	case *python.With:
		return ev.withStmt(st.Items, st.Body, env)
	case *python.Match:
		return ev.matchStmt(st, env)
	case *python.Return:
		return ev.returnStmt(st, env)
	case *python.Break:
		return flowBreak, nil
	case *python.Continue:
		return flowContinue, nil
	}
	return flowNext, ev.simple(st, env)
}

func (ev *Evaluator) simple(st python.Stmt, env *Env) error {
	switch st := st.(type) {
	case *python.ExprStmt:
		_, err := ev.eval(st.Value, env)
		return err
	case *python.Assign:
		return ev.assignStmt(st, env)
	case *python.AugAssign:
		return ev.augAssign(st, env)
	case *python.AnnAssign:
		return ev.annAssign(st, env)
	case *python.FunctionDef:
		return ev.functionDef(st, env)
	case *python.ClassDef:
		return ev.classDef(st, env)
	case *python.Import:
		return ev.importStmt(st, env)
	case *python.ImportFrom:
		return ev.importFrom(st, env)
	case *python.Raise:
		return ev.raise(st, env)
	case *python.Assert:
		return ev.assertStmt(st, env)
	case *python.Delete:
		return ev.deleteStmt(st, env)
	case *python.Pass, *python.Global, *python.Nonlocal:
		return nil
	case *python.TypeAlias:
		return env.Assign(ev.Interp, st.Name.ID, object.AnyType)
	case *python.AsyncFunctionDef:
		return env.Assign(ev.Interp, st.Name,
			&object.Unknown{Package: st.Name, Path: st.Name,
				Reason: "an async def is not run at compile time"})
	}
	return object.Unsupported(python.KindOf(st))
}

func (ev *Evaluator) ifStmt(st *python.If, env *Env) (flow, error) {
	t, err := ev.condition(st.Test, env)
	if err != nil {
		return flowNext, err
	}
	if t {
		return ev.block(st.Body, env)
	}
	return ev.block(st.Orelse, env)
}

func (ev *Evaluator) forStmt(st *python.For, env *Env) (flow, error) {
	over, err := ev.forIter(st, env)
	if err != nil {
		return flowNext, err
	}
	for {
		v, ok, err := over.Next(ev.Interp)
		if err != nil {
			return flowNext, err
		}
		if !ok {
			return ev.block(st.Orelse, env)
		}
		if err := ev.assign(st.Target, v, env); err != nil {
			return flowNext, err
		}
		f, err := ev.block(st.Body, env)
		if err != nil || f == flowReturn {
			return f, err
		}
		if f == flowBreak {
			return flowNext, nil
		}
		if err := ev.Work(1); err != nil {
			return flowNext, err
		}
	}
}

// forIter returns the iterator of a for statement.
func (ev *Evaluator) forIter(st *python.For, env *Env) (object.Iterator, error) {
	if st.Iter == nil { // made of a generator expression
		return object.Iter(ev.Interp, env.first)
	}
	v, err := ev.eval(st.Iter, env)
	if err != nil {
		return nil, err
	}
	it, err := object.Iter(ev.Interp, v)
	object.Locate(err, st.Iter.Span())
	return it, err
}

func (ev *Evaluator) whileStmt(st *python.While, env *Env) (flow, error) {
	for {
		t, err := ev.condition(st.Test, env)
		if err != nil {
			return flowNext, err
		}
		if !t {
			return ev.block(st.Orelse, env)
		}
		f, err := ev.block(st.Body, env)
		if err != nil || f == flowReturn {
			return f, err
		}
		if f == flowBreak {
			return flowNext, nil
		}
	}
}

func (ev *Evaluator) returnStmt(st *python.Return, env *Env) (flow, error) {
	env.ret = object.None
	if st.Value != nil {
		v, err := ev.eval(st.Value, env)
		if err != nil {
			return flowNext, err
		}
		env.ret = v
	}
	return flowReturn, nil
}

func (ev *Evaluator) functionDef(st *python.FunctionDef, env *Env) error {
	if ev.opts.Decorate != nil && len(st.DecoratorList) > 0 {
		return ev.decorated(st, env)
	}
	decorators, err := ev.decorators(st.DecoratorList, env)
	if err != nil {
		return err
	}
	f, err := ev.makeFunc(st, env)
	if err != nil {
		return err
	}
	if err := ev.Alloc(8 * object.ValueSize); err != nil {
		return err
	}
	v, err := ev.decorate(f, decorators, st.DecoratorList)
	if err != nil {
		return err
	}
	return env.Assign(ev.Interp, st.Name, v)
}

func (ev *Evaluator) decorators(list []python.Expr, env *Env) ([]object.Value, error) {
	var out []object.Value
	for _, x := range list {
		v, err := ev.eval(x, env)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// decorate applies decorators, the last first.
func (ev *Evaluator) decorate(v object.Value, decorators []object.Value, at []python.Expr) (object.Value,
	error) {
	for i := len(decorators) - 1; i >= 0; i-- {
		var err error
		if v, err = ev.callAt(at[i].Span(), decorators[i], []object.Value{v}, nil); err != nil {
			object.Locate(err, at[i].Span())
			return nil, err
		}
	}
	return v, nil
}

func (ev *Evaluator) assertStmt(st *python.Assert, env *Env) error {
	t, err := ev.condition(st.Test, env)
	if err != nil || t {
		return err
	}
	e := &object.Exception{Class: object.AssertionError}
	if st.Msg != nil {
		v, err := ev.eval(st.Msg, env)
		if err != nil {
			return err
		}
		e.Args = []object.Value{v}
	}
	return e
}
