package pyrun

import "github.com/nereid-lang/nereid/internal/python"

// flow is how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

// Exec runs statements in a scope. A return at the top ends them; its value is the result, None without one.
func (in *Interp) Exec(body []python.Stmt, env *Env) (Value, error) {
	env.ret = nil
	if _, err := in.block(body, env); err != nil {
		return nil, err
	}
	if env.ret == nil {
		return None, nil
	}
	return env.ret, nil
}

// execModuleStmt runs a statement at the level of a module.
func (in *Interp) execModuleStmt(st python.Stmt, env *Env) error {
	_, err := in.exec(st, env)
	return err
}

func (in *Interp) block(body []python.Stmt, env *Env) (flow, error) {
	for _, st := range body {
		if f, err := in.exec(st, env); f != flowNext || err != nil {
			return f, err
		}
	}
	return flowNext, nil
}

func (in *Interp) exec(st python.Stmt, env *Env) (flow, error) {
	if in.steps--; in.steps < 0 {
		err := in.spent()
		locate(err, st.Span())
		return flowNext, err
	}
	f, err := in.execNode(st, env)
	if err != nil {
		locate(err, st.Span())
	}
	return f, err
}

func (in *Interp) execNode(st python.Stmt, env *Env) (flow, error) {
	switch st := st.(type) {
	case *python.If:
		return in.ifStmt(st, env)
	case *python.For:
		return in.forStmt(st, env)
	case *python.While:
		return in.whileStmt(st, env)
	case *python.Try:
		return in.tryStmt(st, env)
	case *python.With:
		return in.withStmt(st.Items, st.Body, env)
	case *python.Match:
		return in.matchStmt(st, env)
	case *python.Return:
		return in.returnStmt(st, env)
	case *python.Break:
		return flowBreak, nil
	case *python.Continue:
		return flowContinue, nil
	}
	return flowNext, in.simple(st, env)
}

func (in *Interp) simple(st python.Stmt, env *Env) error {
	switch st := st.(type) {
	case *python.ExprStmt:
		_, err := in.eval(st.Value, env)
		return err
	case *python.Assign:
		return in.assignStmt(st, env)
	case *python.AugAssign:
		return in.augAssign(st, env)
	case *python.AnnAssign:
		return in.annAssign(st, env)
	case *python.FunctionDef:
		return in.functionDef(st, env)
	case *python.ClassDef:
		return in.classDef(st, env)
	case *python.Import:
		return in.importStmt(st, env)
	case *python.ImportFrom:
		return in.importFrom(st, env)
	case *python.Raise:
		return in.raise(st, env)
	case *python.Assert:
		return in.assertStmt(st, env)
	case *python.Delete:
		return in.deleteStmt(st, env)
	case *python.Pass, *python.Global, *python.Nonlocal:
		return nil
	case *python.TypeAlias:
		return env.Assign(in, st.Name.ID, anyType)
	case *python.AsyncFunctionDef:
		return env.Assign(in, st.Name, &Unknown{Package: st.Name, Path: st.Name, Reason: "an async def is not run at compile time"})
	}
	return unsupported(python.KindOf(st))
}

func (in *Interp) ifStmt(st *python.If, env *Env) (flow, error) {
	t, err := in.condition(st.Test, env)
	if err != nil {
		return flowNext, err
	}
	if t {
		return in.block(st.Body, env)
	}
	return in.block(st.Orelse, env)
}

func (in *Interp) forStmt(st *python.For, env *Env) (flow, error) {
	over, err := in.forIter(st, env)
	if err != nil {
		return flowNext, err
	}
	for {
		v, ok, err := over.Next(in)
		if err != nil {
			return flowNext, err
		}
		if !ok {
			return in.block(st.Orelse, env)
		}
		if err := in.assign(st.Target, v, env); err != nil {
			return flowNext, err
		}
		f, err := in.block(st.Body, env)
		if err != nil || f == flowReturn {
			return f, err
		}
		if f == flowBreak {
			return flowNext, nil
		}
		if err := in.work(1); err != nil {
			return flowNext, err
		}
	}
}

// forIter is what a for statement runs over.
func (in *Interp) forIter(st *python.For, env *Env) (Iterator, error) {
	if st.Iter == nil { // made of a generator expression
		return Iter(in, env.first)
	}
	v, err := in.eval(st.Iter, env)
	if err != nil {
		return nil, err
	}
	it, err := Iter(in, v)
	locate(err, st.Iter.Span())
	return it, err
}

func (in *Interp) whileStmt(st *python.While, env *Env) (flow, error) {
	for {
		t, err := in.condition(st.Test, env)
		if err != nil {
			return flowNext, err
		}
		if !t {
			return in.block(st.Orelse, env)
		}
		f, err := in.block(st.Body, env)
		if err != nil || f == flowReturn {
			return f, err
		}
		if f == flowBreak {
			return flowNext, nil
		}
	}
}

func (in *Interp) returnStmt(st *python.Return, env *Env) (flow, error) {
	env.ret = None
	if st.Value != nil {
		v, err := in.eval(st.Value, env)
		if err != nil {
			return flowNext, err
		}
		env.ret = v
	}
	return flowReturn, nil
}

func (in *Interp) functionDef(st *python.FunctionDef, env *Env) error {
	if in.opts.Decorate != nil && len(st.DecoratorList) > 0 {
		return in.decorated(st, env)
	}
	decorators, err := in.decorators(st.DecoratorList, env)
	if err != nil {
		return err
	}
	f, err := in.makeFunc(st, env)
	if err != nil {
		return err
	}
	if err := in.alloc(8 * valueSize); err != nil {
		return err
	}
	v, err := in.decorate(f, decorators, st.DecoratorList)
	if err != nil {
		return err
	}
	return env.Assign(in, st.Name, v)
}

func (in *Interp) decorators(list []python.Expr, env *Env) ([]Value, error) {
	var out []Value
	for _, x := range list {
		v, err := in.eval(x, env)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// decorate applies decorators, the last first.
func (in *Interp) decorate(v Value, decorators []Value, at []python.Expr) (Value, error) {
	for i := len(decorators) - 1; i >= 0; i-- {
		var err error
		if v, err = in.callAt(at[i].Span(), decorators[i], []Value{v}, nil); err != nil {
			locate(err, at[i].Span())
			return nil, err
		}
	}
	return v, nil
}

func (in *Interp) assertStmt(st *python.Assert, env *Env) error {
	t, err := in.condition(st.Test, env)
	if err != nil || t {
		return err
	}
	e := &Exception{Class: AssertionError}
	if st.Msg != nil {
		v, err := in.eval(st.Msg, env)
		if err != nil {
			return err
		}
		e.Args = []Value{v}
	}
	return e
}
