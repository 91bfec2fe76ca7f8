package host

import (
	"github.com/nereid-lang/nereid/internal/python"
)

// unit is a statement of a module that is run as a whole, when a name that it binds or changes is asked for. The
// branches of an if are units of their own, guarded by it.
type unit struct {
	number  int
	stmt    python.Stmt
	guard   *unit // the if around it; nil at the top
	negated bool  // it stands in the else branch
	state   unitState
	err     error
	rebinds map[string]bool // names that it binds whatever they were, when it runs without an error

	truth, dead bool      // of an if: its condition; that it is not reached
	stars       []*Module // that from m import * in it named
	unknown     *Unknown  // the same where nothing is known of m
}

type unitState uint8

const (
	pending unitState = iota
	running
	done
)

// load parses the module and finds out which statements concern which names.
func (m *Module) load(in *Interp) error {
	if m.parsed {
		return m.broken
	}
	m.parsed = true
	m.env, m.now = &Env{Module: m}, final
	m.binders, m.values = map[string][]*unit{}, map[string][]version{}
	if m.Syntax == nil {
		if m.broken = m.parse(in); m.broken != nil {
			return m.broken
		}
	}
	x := indexer{m: m, setters: globalSetters(m.Syntax.Body)}
	x.block(m.Syntax.Body, nil, false)
	return nil
}

func (m *Module) parse(in *Interp) error {
	if m.File == "" || in.opts.Finder == nil {
		m.Syntax = &python.Module{}
		return nil
	}
	src, err := in.opts.Finder.ReadFile(m.File)
	if err != nil {
		return Errorf(ImportError, "cannot read %s: %v", m.File, err)
	}
	m.Syntax, err = in.opts.Parse(in.Files, m.File, src)
	return err
}

type indexer struct {
	m       *Module
	setters map[string][]string
}

// block makes units of the statements of a block.
func (x *indexer) block(body []python.Stmt, guard *unit, negated bool) {
	for _, st := range body {
		u := &unit{number: len(x.m.units), stmt: st, guard: guard, negated: negated}
		x.m.units = append(x.m.units, u)
		if st, ok := st.(*python.If); ok {
			x.walrus(u, st.Test)
			x.block(st.Body, u, false)
			x.block(st.Orelse, u, true)
			continue
		}
		x.unit(u)
	}
}

func (x *indexer) unit(u *unit) {
	if guardless := u.guard == nil; guardless {
		u.rebinds = rebinds(u.stmt)
	}
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			x.m.binders[name] = append(x.m.binders[name], u)
		}
	}
	b := binder{bind: add, mutate: add}
	b.stmt(u.stmt)
	for _, name := range x.calledSetters(u.stmt) {
		add(name)
	}
	switch stars, dynamic := binding(u.stmt); {
	case stars:
		x.m.stars = append(x.m.stars, u)
	case dynamic:
		x.m.dynamic = append(x.m.dynamic, u)
	}
}

// walrus makes the names that the condition of an if binds belong to that if.
func (x *indexer) walrus(u *unit, test python.Expr) {
	b := binder{bind: func(name string) {
		probe := &unit{number: u.number, stmt: &python.ExprStmt{Range: python.Range{Start: test.Span().Start, End: test.Span().End}, Value: test},
			guard: u.guard, negated: u.negated}
		x.m.binders[name] = append(x.m.binders[name], probe)
	}}
	b.expr(test)
}

// rebinds are the names that a statement certainly binds, without regard to what they were.
func rebinds(st python.Stmt) map[string]bool {
	names := map[string]bool{}
	add := func(name string) { names[name] = true }
	b := binder{bind: add, mutate: func(string) {}}
	switch st := st.(type) {
	case *python.FunctionDef, *python.ClassDef, *python.Import, *python.ImportFrom:
		b.stmt(st)
	case *python.Assign:
		for _, t := range st.Targets {
			b.target(t)
		}
	case *python.AnnAssign:
		if st.Value != nil {
			b.target(st.Target)
		}
	}
	return names
}

// binding reports whether a statement may bind names that are only known when it runs: from m import *, or
// globals()[name] = …, setattr(sys.modules[__name__], …).
func binding(st python.Stmt) (stars, dynamic bool) {
	python.Inspect(st, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef, *python.ClassDef, *python.Lambda:
			return false
		case *python.ImportFrom:
			stars = stars || isStar(n)
		case *python.Call:
			f, ok := n.Func.(*python.Name)
			dynamic = dynamic || ok && bindsNames[f.ID]
		}
		return true
	})
	return stars, dynamic
}

var bindsNames = map[string]bool{"globals": true, "vars": true, "locals": true, "setattr": true}

func isStar(n *python.ImportFrom) bool { return len(n.Names) == 1 && n.Names[0].Name == "*" }

// globalSetters are the functions of a module that bind global names, with those names.
func globalSetters(body []python.Stmt) map[string][]string {
	out := map[string][]string{}
	for _, st := range body {
		f, ok := st.(*python.FunctionDef)
		if !ok {
			continue
		}
		for _, inner := range f.Body {
			python.Inspect(inner, func(n python.Node) bool {
				if g, ok := n.(*python.Global); ok {
					out[f.Name] = append(out[f.Name], g.Names...)
				}
				return true
			})
		}
	}
	return out
}

// calledSetters are the global names bound by the functions that a statement calls.
func (x *indexer) calledSetters(st python.Stmt) []string {
	if len(x.setters) == 0 {
		return nil
	}
	var names []string
	python.Inspect(st, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef, *python.ClassDef, *python.Lambda:
			return false
		case *python.Call:
			if f, ok := n.Func.(*python.Name); ok {
				names = append(names, x.setters[f.ID]...)
			}
		}
		return true
	})
	return names
}

func docstring(body []python.Stmt) Value {
	if len(body) == 0 {
		return None
	}
	if x, ok := body[0].(*python.ExprStmt); ok {
		if c, ok := x.Value.(*python.Constant); ok {
			if s, ok := c.Value.(string); ok {
				return Str(s)
			}
		}
	}
	return None
}
