package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// unit is a statement of a module that is run as a whole, when a name that it binds or changes is asked for.
// The branches of an if are units of their own, guarded by it.
type unit struct {
	id      int // position among all units of the file
	number  int // that of the statement
	stmt    python.Stmt
	guard   *unit // the if around it; nil at the top
	negated bool  // it stands in the else branch
	state   unitState
	err     error
	effects map[string]effect

	truth, dead bool            // of an if: its condition; that it is not reached
	stars       []*Module       // that from m import * in it named
	unknown     *object.Unknown // the same where nothing is known of m
}

// effect says what a statement does to a name.
type effect uint8

const (
	// touches: it may change the value in a roundabout way, by a function or decorator that it calls. Its
	// errors are not the name's errors.
	touches effect = iota
	// changes: it changes the value that the name has: x.append(1), x[0] = 1.
	changes
	// mayBind: it binds the name in some case, or depending on the value the name had.
	mayBind
	// rebinds: it binds the name whatever it was, when it runs without an error.
	rebinds
)

type unitState uint8

const (
	pending unitState = iota
	running
	done
)

// load parses the module and finds out which statements concern which names.
func (m *Module) load(in *object.Interp) error {
	if m.parsed {
		return m.broken
	}
	m.parsed = true
	m.env, m.now, m.values = &Env{Module: m}, final, map[string][]version{}
	if m.Syntax == nil {
		if m.broken = m.parse(in); m.broken != nil {
			return m.broken
		}
	}
	m.begin(m.Syntax.Memo(indexOf{}, func() any { return newIndex(m.Syntax.Body) }).(*index))
	return nil
}

// begin gives the module units of its own, of which none has run.
func (m *Module) begin(x *index) {
	all := make([]unit, len(x.all))
	own := func(units []*unit) []*unit {
		out := make([]*unit, len(units))
		for i, u := range units {
			out[i] = &all[u.id]
		}
		return out
	}
	for i, u := range x.all {
		all[i] = *u
		if u.guard != nil {
			all[i].guard = &all[u.guard.id]
		}
	}
	m.units, m.stars, m.dynamic = own(x.units), own(x.stars), own(x.dynamic)
	m.binders = make(map[string][]*unit, len(x.binders))
	for name, units := range x.binders {
		m.binders[name] = own(units)
	}
}

func (m *Module) parse(in *object.Interp) error {
	if m.File == "" || From(in).opts.Finder == nil {
		m.Syntax = &python.Module{}
		return nil
	}
	src, err := From(in).opts.Finder.ReadFile(m.File)
	if err != nil {
		return object.Errorf(object.ImportError, "cannot read %s: %v", m.File, err)
	}
	m.Syntax, err = From(in).opts.Parse(in.Files, m.File, src)
	return err
}

// index says which statements of a file concern which names. All modules of the file share it.
type index struct {
	units          []*unit
	all            []*unit            // with those that stand for the conditions of ifs
	binders        map[string][]*unit // by the names that they bind or change
	stars, dynamic []*unit            // as in Module
}

// indexOf is the key under which the index is kept with a file.
type indexOf struct{}

func newIndex(body []python.Stmt) *index {
	x := indexer{setters: findSetters(body)}
	x.index.binders = map[string][]*unit{}
	x.block(body, nil, false)
	x.relate(dynamicBinders(body))
	return &x.index
}

type indexer struct {
	index
	setters map[string][]string // the functions that change global names, with those names
	imports map[string]bool     // names that the module imports
	own     map[string]bool     // names that it binds otherwise
	froms   map[string]bool     // those of the imported names that are not modules as such
}

// add adds a unit to the index.
func (x *indexer) add(u *unit) *unit {
	u.id = len(x.all)
	x.all = append(x.all, u)
	return u
}

// block makes units of the statements of a block.
func (x *indexer) block(body []python.Stmt, guard *unit, negated bool) {
	for _, st := range body {
		u := x.add(&unit{number: len(x.units), stmt: st, guard: guard, negated: negated})
		x.units = append(x.units, u)
		if st, ok := st.(*python.If); ok {
			x.walrus(u, st.Test)
			x.block(st.Body, u, false)
			x.block(st.Orelse, u, true)
		}
	}
}

// relate finds out what each unit does to which names; functions are those of dynamicBinders.
func (x *indexer) relate(functions map[string]bool) {
	x.imports, x.own, x.froms = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, u := range x.units {
		if _, ok := u.stmt.(*python.If); !ok {
			x.binds(u)
		}
	}
	for _, u := range x.units {
		if _, ok := u.stmt.(*python.If); ok {
			continue
		}
		x.effects(u)
		for name := range u.effects {
			x.binders[name] = append(x.binders[name], u)
		}
		switch stars, dynamic := binding(u.stmt, functions); {
		case stars:
			x.stars = append(x.stars, u)
		case dynamic:
			x.dynamic = append(x.dynamic, u)
		}
	}
}

// binds notes the names that a unit binds.
func (x *indexer) binds(u *unit) {
	u.effects = map[string]effect{}
	b := binder{bind: func(name string) { u.effects[name] = mayBind }, mutate: func(string) {}}
	b.stmt(u.stmt)
	if u.guard == nil {
		for name := range rebound(u.stmt) {
			u.effects[name] = rebinds
		}
	}
	for name := range u.effects {
		switch u.stmt.(type) {
		case *python.Import:
			x.imports[name] = true
		case *python.ImportFrom:
			x.imports[name], x.froms[name] = true, true
		case *python.Try: // of the kind that chooses between imports, or others
			x.imports[name], x.own[name] = true, true
		default:
			x.own[name] = true
		}
	}
}

// effects notes the names whose values a unit changes. Changes of an imported module (torch.backends.x = y)
// do not count, except those of the environment and of the folders that are searched.
func (x *indexer) effects(u *unit) {
	add := func(name string, e effect) {
		if old, ok := u.effects[name]; !ok || old < e {
			u.effects[name] = e
		}
	}
	b := binder{bind: func(string) {}, mutate: func(name string) {
		switch {
		case x.own[name] || name == "os" || name == "sys":
			add(name, changes)
		case x.froms[name]:
			add(name, touches)
		}
	}}
	b.stmt(u.stmt)
	for _, name := range x.called(u.stmt) {
		for _, set := range x.setters[name] {
			add(set, mayTouch(u.stmt))
		}
	}
	for _, d := range decoratorsOf(u.stmt) {
		if root := rootName(d); root != "" && x.own[root] {
			add(root, touches)
		}
	}
}

// mayTouch returns the effect of a statement on the arguments of a call: a call that stands alone is there
// for its effect.
func mayTouch(st python.Stmt) effect {
	if _, ok := st.(*python.ExprStmt); ok {
		return changes
	}
	return touches
}

// walrus gives the names that the condition of an if binds to that if.
func (x *indexer) walrus(u *unit, test python.Expr) {
	b := binder{bind: func(name string) {
		at := python.Range{Start: test.Span().Start, End: test.Span().End}
		probe := x.add(&unit{number: u.number, stmt: &python.ExprStmt{Range: at, Value: test}, guard: u.guard,
			negated: u.negated, effects: map[string]effect{name: mayBind}})
		x.binders[name] = append(x.binders[name], probe)
	}}
	b.expr(test)
}

// rebound returns the names that a statement certainly binds, whatever they were.
func rebound(st python.Stmt) map[string]bool {
	names := map[string]bool{}
	b := binder{bind: func(name string) { names[name] = true }, mutate: func(string) {}}
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

func decoratorsOf(st python.Stmt) []python.Expr {
	switch st := st.(type) {
	case *python.FunctionDef:
		return st.DecoratorList
	case *python.ClassDef:
		return st.DecoratorList
	}
	return nil
}

// rootName returns x of x.y(…).z; it is empty for anything else, and for x alone.
func rootName(e python.Expr) string {
	deep := false
	for {
		switch x := e.(type) {
		case *python.Attribute:
			e, deep = x.Value, true
		case *python.Call:
			e = x.Func
		case *python.Subscript:
			e = x.Value
		case *python.Name:
			if deep {
				return x.ID
			}
			return ""
		default:
			return ""
		}
	}
}

// binding reports whether a statement may bind names that are only known when it runs: from m import *, or
// globals()[name] = …, setattr(sys.modules[__name__], …), or a call of one of the functions that do so.
func binding(st python.Stmt, functions map[string]bool) (stars, dynamic bool) {
	python.Inspect(st, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef, *python.ClassDef, *python.Lambda:
			return false
		case *python.ImportFrom:
			stars = stars || isStar(n)
		case *python.Call:
			f, ok := n.Func.(*python.Name)
			dynamic = dynamic || ok && (bindsNames[f.ID] || functions[f.ID])
		}
		return true
	})
	return stars, dynamic
}

var bindsNames = map[string]bool{"globals": true, "vars": true, "locals": true, "setattr": true}

// dynamicBinders returns the functions of a module that may bind names, of it or of another module, that are
// only known when they run.
func dynamicBinders(body []python.Stmt) map[string]bool {
	found := map[string]bool{}
	for _, st := range body {
		f, ok := st.(*python.FunctionDef)
		if !ok {
			continue
		}
		python.Inspect(f, func(n python.Node) bool {
			if c, ok := n.(*python.Call); ok {
				g, ok := c.Func.(*python.Name)
				found[f.Name] = found[f.Name] || ok && (g.ID == "globals" || g.ID == "setattr")
			}
			return !found[f.Name]
		})
	}
	return found
}

func isStar(n *python.ImportFrom) bool { return len(n.Names) == 1 && n.Names[0].Name == "*" }

// findSetters finds the functions of a module that bind global names or change their values.
func findSetters(body []python.Stmt) map[string][]string {
	setters := map[string][]string{}
	for _, st := range body {
		f, ok := st.(*python.FunctionDef)
		if !ok {
			continue
		}
		local := newScope()
		local.params(f.Args)
		inner := binder{bind: local.declare}
		inner.stmts(f.Body)
		python.Inspect(f, func(n python.Node) bool {
			switch n := n.(type) {
			case *python.Global:
				setters[f.Name] = append(setters[f.Name], n.Names...)
			case *python.FunctionDef:
				local.params(n.Args)
			case python.Stmt:
				b := binder{bind: func(string) {}, mutate: func(name string) {
					if _, ok := local.index[name]; !ok {
						setters[f.Name] = append(setters[f.Name], name)
					}
				}}
				b.stmt(n)
			}
			return true
		})
	}
	return setters
}

// called returns the functions that a statement calls by name, as decorators too.
func (x *indexer) called(st python.Stmt) []string {
	if len(x.setters) == 0 {
		return nil
	}
	var names []string
	find := func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef, *python.ClassDef, *python.Lambda:
			return false
		case *python.Call:
			if f, ok := n.Func.(*python.Name); ok {
				names = append(names, f.ID)
			}
		}
		return true
	}
	python.Inspect(st, find)
	for _, d := range decoratorsOf(st) {
		if n, ok := d.(*python.Name); ok {
			names = append(names, n.ID)
		}
		python.Inspect(d, find)
	}
	return names
}
