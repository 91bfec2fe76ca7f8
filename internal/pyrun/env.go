package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Env is a scope: that of a function call, of a class body, of a comprehension, or one that a user of this
// package made. Names that it does not have are looked up in the scopes around it, in the module, in the
// builtins.
type Env struct {
	Module *Module

	outer *Env   // the function or class around this scope; nil at the level of the module
	scope *scope // which names are local; nil in a dynamic scope
	slots []object.Value
	dyn   *object.Dict  // the names of a dynamic scope: a class body, or one made by NewEnv
	class bool          // a class body: functions inside do not see its names
	bound *scope        // which names that body binds, and which it declares global or nonlocal
	qual  string        // the qualified name of that class
	fn    *Func         // the function that runs, for super()
	owner *object.Class // the class whose body this is, once it is made

	annotations []object.ClassField // of a class body

	ret   object.Value // of return
	first object.Value // what the first for of a generator expression runs over
}

// NewEnv returns a scope over a module with names of its own. Assignments go to vars.
func NewEnv(m *Module, vars *object.Dict) *Env {
	if vars == nil {
		vars = object.NewDict()
	}
	return &Env{Module: m, dyn: vars}
}

// Inner returns a dynamic scope inside env, for a nested block of a user of this package.
func (env *Env) Inner(vars *object.Dict) *Env {
	inner := NewEnv(env.Module, vars)
	inner.outer = env
	return inner
}

// local returns the value of a name of this scope itself. declared means that the name is local even without
// a value.
func (env *Env) local(name string) (v object.Value, declared bool) {
	if env.scope != nil {
		i, ok := env.scope.index[name]
		if !ok {
			return nil, false
		}
		return env.slots[i], true
	}
	if env.dyn == nil {
		return nil, false
	}
	return env.dyn.GetStr(name)
}

// Lookup returns the value of a name as code in this scope sees it. ok is false when it is not bound
// anywhere.
func (env *Env) Lookup(in *object.Interp, name string) (v object.Value, ok bool, err error) {
	for e := env; e != nil; e = e.outer {
		if e.class && e != env {
			if name == "__class__" {
				return e.ownerCell()
			}
			continue
		}
		if e.scope != nil && e.scope.globals[name] || e.bound.isGlobal(name) {
			break
		}
		v, declared := e.local(name)
		if v != nil {
			return v, true, nil
		}
		if declared {
			return nil, false, unbound(name, e == env)
		}
		if e.bound.binds(name) { // a class body has no cells: what it binds is its own or the module's
			break
		}
	}
	if env == nil { // an expression by itself, outside of any module
		return nil, false, nil
	}
	return env.Module.global(in, name)
}

// ownerCell returns the class whose body env is, as functions in the body see it.
func (env *Env) ownerCell() (v object.Value, ok bool, err error) {
	if env.owner == nil {
		return nil, false, unbound("__class__", false)
	}
	return env.owner, true, nil
}

func unbound(name string, own bool) error {
	if own {
		return object.Errorf(object.UnboundLocalError,
			"cannot access local variable '%s' where it is not associated with a value", name)
	}
	return object.Errorf(object.NameError,
		"cannot access free variable '%s' where it is not associated with a value in enclosing scope", name)
}

// Assign binds a name in this scope.
func (env *Env) Assign(in *object.Interp, name string, v object.Value) error {
	if env == nil || env.scope == nil && env.dyn == nil {
		return env.Module.store(in, name, v)
	}
	switch {
	case env.bound.isGlobal(name):
		return env.Module.store(in, name, v)
	case env.bound != nil && env.bound.nonlocals[name]:
		return env.assignOuter(in, name, v)
	case env.scope == nil:
		return env.assignDynamic(in, name, v)
	}
	if i, ok := env.scope.index[name]; ok {
		env.slots[i] = v
		return nil
	}
	if env.scope.nonlocals[name] || env.scope.comprehension && !env.scope.globals[name] {
		return env.assignOuter(in, name, v)
	}
	return env.Module.store(in, name, v)
}

func (env *Env) assignDynamic(in *object.Interp, name string, v object.Value) error {
	if env.class && env.owner == nil && env.Module != nil && env.dyn != nil {
		if err := in.Alloc(4 * object.ValueSize); err != nil {
			return err
		}
	}
	if v == nil {
		env.dyn.DeleteStr(name)
		return nil
	}
	env.dyn.SetStr(name, v)
	return nil
}

// assignOuter binds a nonlocal name, or one that := binds inside a comprehension.
func (env *Env) assignOuter(in *object.Interp, name string, v object.Value) error {
	for e := env.outer; e != nil; e = e.outer {
		if e.class || e.scope == nil && e.dyn == nil {
			continue
		}
		if e.scope == nil {
			return e.assignDynamic(in, name, v)
		}
		if i, ok := e.scope.index[name]; ok {
			e.slots[i] = v
			return nil
		}
		if e.scope.globals[name] {
			break
		}
	}
	return env.Module.store(in, name, v)
}

// names returns the bound names of this scope, for locals().
func (env *Env) names() *object.Dict {
	d := object.NewDict()
	if env.scope == nil {
		if env.dyn != nil {
			return env.dyn
		}
		return d
	}
	for i, name := range env.scope.names {
		if v := env.slots[i]; v != nil {
			d.SetStr(name, v)
		}
	}
	return d
}

// scope says what the names in a function mean.
type scope struct {
	index         map[string]int
	names         []string
	globals       map[string]bool
	nonlocals     map[string]bool
	comprehension bool
	body          []python.Stmt        // of a generator expression
	yields        map[python.Stmt]bool // statements with a yield in them; nil when it is no generator
}

// isGlobal reports whether a global statement names name.
func (s *scope) isGlobal(name string) bool { return s != nil && s.globals[name] }

// binds reports whether the scope binds name.
func (s *scope) binds(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.index[name]
	return ok
}

func newScope() *scope { return &scope{index: map[string]int{}} }

func (s *scope) declare(name string) {
	if s.globals[name] || s.nonlocals[name] {
		return
	}
	if _, ok := s.index[name]; !ok {
		s.index[name] = len(s.names)
		s.names = append(s.names, name)
	}
}

func (s *scope) params(a *python.Arguments) {
	for _, name := range object.ParamNames(a) {
		s.declare(name)
	}
}

// functionScope finds the locals of a function, once.
func (ev *Evaluator) functionScope(def *python.FunctionDef) *scope {
	if s, ok := ev.scopes[def]; ok {
		return s
	}
	s := newScope()
	for _, st := range def.Body {
		s.declarations(st)
	}
	s.params(def.Args)
	b := binder{bind: s.declare, yield: func(st python.Stmt) {
		if s.yields == nil {
			s.yields = map[python.Stmt]bool{}
		}
		s.yields[st] = true
	}}
	b.stmts(def.Body)
	ev.scopes[def] = s
	return s
}

// classScope finds the names that the body of a class binds, once.
func (ev *Evaluator) classScope(def *python.ClassDef) *scope {
	if s, ok := ev.scopes[def]; ok {
		return s
	}
	s := newScope()
	for _, st := range def.Body {
		s.declarations(st)
	}
	b := binder{bind: s.declare}
	b.stmts(def.Body)
	ev.scopes[def] = s
	return s
}

func (ev *Evaluator) lambdaScope(x *python.Lambda) *scope {
	if s, ok := ev.scopes[x]; ok {
		return s
	}
	s := newScope()
	s.params(x.Args)
	b := binder{bind: s.declare}
	b.expr(x.Body)
	ev.scopes[x] = s
	return s
}

func (ev *Evaluator) comprehensionScope(n python.Node, gens []*python.Comprehension) *scope {
	if s, ok := ev.scopes[n]; ok {
		return s
	}
	s := newScope()
	s.comprehension = true
	b := binder{bind: s.declare}
	for _, g := range gens {
		b.target(g.Target)
	}
	ev.scopes[n] = s
	return s
}

// declarations notes the global and nonlocal statements of a function.
func (s *scope) declarations(st python.Stmt) {
	python.Inspect(st, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef, *python.AsyncFunctionDef, *python.ClassDef, *python.Lambda:
			return false
		case *python.Global:
			s.globals = withNames(s.globals, n.Names)
		case *python.Nonlocal:
			s.nonlocals = withNames(s.nonlocals, n.Names)
		}
		return true
	})
}

func withNames(m map[string]bool, names []string) map[string]bool {
	if m == nil {
		m = map[string]bool{}
	}
	for _, n := range names {
		m[n] = true
	}
	return m
}
