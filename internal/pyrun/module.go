package pyrun

import (
	"maps"
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Module is a module: one read from source, whose names are evaluated when they are asked for, or one that is
// given as values. Evaluators may share modules of the second kind; those of the first belong to one.
type Module struct {
	Name   string
	File   string         // slash path of the source; empty for others
	Syntax *python.Module // nil until it is needed, and for modules without source
	// Vars are the names of a module without source.
	Vars map[string]object.Value
	// Lookup, when set, returns names that are not in Vars.
	Lookup func(in *object.Interp, name string) (object.Value, bool, error)
	// Open says that there are more names than those of Vars and Lookup: they, and submodules, are Unknown.
	Open bool
	// Why says, of an open module, why nothing is known of the other names.
	Why string
	// Lacks reports, of an open module, that it does not have a name; it has all others then. Without it
	// nobody can tell.
	Lacks func(name string) bool

	Outer *Module                // of a function's body: the module around it
	open  map[string]*python.Arg // parameters of that function without a value
	of    string                 // its name

	native  bool   // of Python's library
	root    string // folder in which the first part of Name was found
	folder  string // of a package: where its submodules are
	env     *Env
	parsed  bool
	broken  error // syntax errors
	units   []*unit
	binders map[string][]*unit
	stars   []*unit // statements with from x import *
	dynamic []*unit // statements that bind names by globals()[…] and the like
	values  map[string][]version
	now     int // number of the unit that runs; final when none does
	pathAt  int // one more than the time up to which its changes of sys.path were made
}

// final is the time after the last statement of a module.
const final = math.MaxInt32

// version is a value that a name had from one statement on. A nil value means that it was deleted.
type version struct {
	unit  int
	value object.Value
}

// TypeName returns "module".
func (*Module) TypeName() string { return "module" }

// name returns the module's name; empty for no module.
func (m *Module) name() string {
	if m == nil {
		return ""
	}
	return m.Name
}

// BuiltinClass returns Python's class of modules.
func (*Module) BuiltinClass() *object.Class { return object.ModuleClass }

// Repr shows the name.
func (m *Module) Repr() string { return "<module '" + m.Name + "'>" }

// MayLack reports whether nobody can tell which names the module has.
func (m *Module) MayLack() bool { return m.Open && m.Lacks == nil }

// NoAttr returns the error for a name that the module lacks.
func (m *Module) NoAttr(name string) *object.Exception {
	return object.Errorf(object.AttributeError, "module '%s' has no attribute '%s'", m.Name, name)
}

// Attr returns m.name: a name of the module, or a submodule.
func (m *Module) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	return From(in).moduleAttr(m, name, in.Site)
}

// SetAttr executes m.name = x.
func (m *Module) SetAttr(in *object.Interp, name string, x object.Value) error {
	if m.File != "" {
		if err := m.load(in); err != nil {
			return err
		}
	}
	return m.store(in, name, x)
}

// DelAttr executes del m.name.
func (m *Module) DelAttr(in *object.Interp, name string) (bool, error) {
	if _, ok, err := m.Get(in, name); err != nil || !ok {
		return false, err
	}
	return true, m.store(in, name, nil)
}

// Get returns the value of a name of the module. It evaluates the statements that bind or change that name,
// in the order of the source, each once, and, as they ask for other names, the same for those.
func (m *Module) Get(in *object.Interp, name string) (v object.Value, ok bool, err error) {
	if v, ok := From(in).patched[m][name]; ok {
		return v, v != nil, nil
	}
	if v, ok := m.dunder(name); ok {
		return v, true, nil
	}
	if m.File == "" {
		return m.given(in, name)
	}
	if err := m.load(in); err != nil {
		return nil, false, err
	}
	if v, ok := m.resolved(in, name); ok {
		return v, true, nil
	}
	v, ok, err = m.get(in, name, m.now)
	if err == nil && !ok && m.now != final && !From(in).hasSubmodule(m, name) {
		v, ok, err = m.get(in, name, final) // asked from another module while this one runs
	}
	if err == nil && !ok {
		v, ok = m.fromDynamic(in, name)
	}
	if err == nil && !ok {
		return m.byHook(in, name)
	}
	return v, ok, err
}

// given returns a name of a module without source.
func (m *Module) given(in *object.Interp, name string) (object.Value, bool, error) {
	if v, ok := m.Vars[name]; ok {
		return v, true, nil
	}
	if m.Lookup != nil {
		return m.Lookup(in, name)
	}
	return nil, false, nil
}

// byHook asks the module's own __getattr__.
func (m *Module) byHook(in *object.Interp, name string) (object.Value, bool, error) {
	if len(m.binders["__getattr__"]) == 0 || object.IsDunder(name) {
		return nil, false, nil
	}
	hook, ok, err := m.get(in, "__getattr__", final)
	if err != nil || !ok {
		return nil, false, err
	}
	v, err := object.Call(in, hook, []object.Value{object.Str(name)}, nil)
	if e, ok := object.Catchable(err); ok && e.IsA(object.AttributeError) {
		return nil, false, nil
	}
	return v, err == nil, err
}

func (m *Module) dunder(name string) (object.Value, bool) {
	switch name {
	case "__name__":
		return object.Str(m.Name), true
	case "__file__":
		return object.Str(m.File), m.File != ""
	case "__package__":
		return object.Str(m.packageName()), true
	case "__path__":
		return &object.List{Items: []object.Value{object.Str(m.folder)}}, m.folder != ""
	case "__spec__", "__loader__":
		return object.None, true
	case "__builtins__":
		return object.None, true
	case "__debug__":
		return object.Bool(true), true
	case "__doc__":
		if m.File == "" {
			return object.None, true
		}
		if m.Syntax != nil {
			return object.Docstring(m.Syntax.Body), true
		}
	}
	return nil, false
}

// packageName returns the package that relative imports in the module start from.
func (m *Module) packageName() string {
	if m.folder != "" {
		return m.Name
	}
	return parentName(m.Name)
}

// global returns a name as code in the module sees it: the module's own, those of star imports, builtins.
func (m *Module) global(in *object.Interp, name string) (object.Value, bool, error) {
	if m == nil {
		v, ok := From(in).builtin(name)
		return v, ok, nil
	}
	v, ok, err := m.own(in, name)
	if ok || err != nil {
		return v, ok, err
	}
	if m.Outer != nil {
		return m.around(in, name)
	}
	if v, ok := From(in).builtin(name); ok {
		return v, true, nil
	}
	if v, ok := m.fromDynamic(in, name); ok {
		return v, true, nil
	}
	if u := m.unknownStar(in); u != nil && !object.IsDunder(name) {
		return u.Attribute(name), true, nil
	}
	return nil, false, nil
}

func (m *Module) own(in *object.Interp, name string) (object.Value, bool, error) {
	if m.File == "" {
		return m.Get(in, name)
	}
	if v, ok := From(in).patched[m][name]; ok {
		return v, v != nil, nil
	}
	if v, ok := m.dunder(name); ok {
		return v, true, nil
	}
	if err := m.load(in); err != nil {
		return nil, false, err
	}
	if v, ok := m.resolved(in, name); ok {
		return v, true, nil
	}
	return m.get(in, name, m.now)
}

// resolved returns what Options.Resolve says of a name.
func (m *Module) resolved(in *object.Interp, name string) (object.Value, bool) {
	if From(in).opts.Resolve == nil {
		return nil, false
	}
	return From(in).opts.Resolve(in, m, name)
}

// get returns the value that a name has at a time: just before a unit runs, or, while that unit runs, during
// it.
func (m *Module) get(in *object.Interp, name string, at int) (object.Value, bool, error) {
	if vs := m.values[name]; at != final && len(vs) > 0 { // bound by the running unit itself
		if i := slices.IndexFunc(vs, func(v version) bool { return v.unit == at }); i >= 0 {
			return vs[i].value, vs[i].value != nil, nil
		}
	}
	if err := m.runBinders(in, name, at); err != nil {
		return nil, false, err
	}
	if v := m.versionAt(name, at); v != nil {
		return v.value, v.value != nil, nil
	}
	return m.fromStars(in, name, at)
}

func (m *Module) versionAt(name string, at int) *version {
	vs := m.values[name]
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].unit <= at {
			return &vs[i]
		}
	}
	return nil
}

// runBinders runs the units before a time that bind or change a name, beginning with the last that rebinds
// it.
func (m *Module) runBinders(in *object.Interp, name string, at int) error {
	units := m.binders[name]
	n := 0
	for n < len(units) && units[n].number < at {
		n++
	}
	units = units[:n]
	for i := len(units) - 1; i > 0; i-- {
		if units[i].effects[name] == rebinds {
			units = units[i:]
			break
		}
	}
	for _, u := range units {
		e := u.effects[name]
		if e < mayBind && !m.isBound(in, name, u.number) {
			continue // there is nothing to change, as in a package whose submodule has the name
		}
		if err := m.run(in, u); err != nil && (e != touches || isFatal(err)) {
			return err
		}
	}
	return nil
}

// isBound reports whether a name has a value at a time, as far as statements have run.
func (m *Module) isBound(in *object.Interp, name string, at int) bool {
	if v := m.versionAt(name, at); v != nil {
		return v.value != nil
	}
	_, ok, err := m.fromStars(in, name, at)
	return ok && err == nil
}

// run runs a unit, once.
func (m *Module) run(in *object.Interp, u *unit) error {
	switch u.state {
	case done, running:
		// A unit that is running is asked for again only by a module that imports this one in turn, or by a
		// function it calls: what it has bound so far is all there is.
		return u.err
	}
	u.state = running
	now, tries, handled := m.now, From(in).tries, From(in).handled
	m.now, From(in).tries, From(in).handled = u.number, 0, nil
	defer func() { m.now, From(in).tries, From(in).handled = now, tries, handled }()
	ok, err := m.guarded(in, u)
	if ok && err == nil {
		err = From(in).execModuleStmt(u.stmt, m.env)
	}
	u.state, u.err = done, err
	return err
}

// guarded reports whether the conditions around a unit hold; it evaluates them.
func (m *Module) guarded(in *object.Interp, u *unit) (bool, error) { return m.reached(in, u, u) }

// reached reports whether the conditions around u hold. target is the unit that is to run: u, or a unit
// inside it.
func (m *Module) reached(in *object.Interp, u, target *unit) (bool, error) {
	g := u.guard
	if g == nil {
		return true, nil
	}
	if g.state == pending {
		if ok, err := m.reached(in, g, target); !ok {
			g.state, g.err, g.dead = done, err, true
		} else {
			now := m.now
			m.now = g.number
			g.state = running
			g.truth, g.err = From(in).condition(g.stmt.(*python.If).Test, m.env)
			g.state = done
			m.now = now
		}
	}
	if !g.dead && object.IsUnknown(g.err) && m.definedOnlyIn(g, u.negated, target) {
		g.truth, g.err = !u.negated, nil
	}
	if g.err != nil || g.dead {
		return false, g.err
	}
	return g.truth != u.negated, nil
}

// definedOnlyIn reports whether u is a function, a class or an import, and no statement outside a branch of g
// binds its names. Somebody asks for such a name, so that branch is taken, even where nobody here can tell
// the condition: a kernel below "if has_triton():" is there.
func (m *Module) definedOnlyIn(g *unit, negated bool, u *unit) bool {
	switch u.stmt.(type) {
	case *python.FunctionDef, *python.ClassDef, *python.Import, *python.ImportFrom:
	default:
		return false
	}
	for name, e := range u.effects {
		if e >= mayBind && slices.ContainsFunc(m.binders[name], func(b *unit) bool {
			return b.effects[name] >= mayBind && !b.inside(g, negated)
		}) {
			return false
		}
	}
	return true
}

// inside reports whether u stands in a branch of g.
func (u *unit) inside(g *unit, negated bool) bool {
	for ; u != nil; u = u.guard {
		if u.guard == g && u.negated == negated {
			return true
		}
	}
	return false
}

// store binds a name at the present time.
func (m *Module) store(in *object.Interp, name string, v object.Value) error {
	if m == nil {
		return object.Errorf(object.RuntimeError, "there is no module in which '%s' could be bound", name)
	}
	if m.File == "" {
		return m.patch(in, name, v)
	}
	if err := in.Alloc(object.ValueSize); err != nil {
		return err
	}
	vs := m.values[name]
	i := slices.IndexFunc(vs, func(x version) bool { return x.unit >= m.now })
	switch {
	case i < 0:
		m.values[name] = append(vs, version{m.now, v})
	case vs[i].unit == m.now:
		vs[i].value = v
	default:
		m.values[name] = slices.Insert(vs, i, version{m.now, v})
	}
	return nil
}

// patch sets an attribute of a module that evaluators share, for this one only.
func (m *Module) patch(in *object.Interp, name string, v object.Value) error {
	if From(in).patched[m] == nil {
		From(in).patched[m] = map[string]object.Value{}
	}
	From(in).patched[m][name] = v
	return in.Alloc(4 * object.ValueSize)
}

// Names returns the names that the module's own statements may bind, sorted. It evaluates nothing.
func (m *Module) Names(in *object.Interp) ([]string, error) {
	if m.File == "" {
		return sortedNames(m.Vars), nil
	}
	if err := m.load(in); err != nil {
		return nil, err
	}
	var names []string
	for _, name := range sortedNames(m.binders) {
		if slices.ContainsFunc(m.binders[name], func(u *unit) bool { return u.effects[name] >= mayBind }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Env returns the scope of the module's own statements.
func (m *Module) Env() *Env {
	if m.env == nil {
		m.env = &Env{Module: m}
	}
	return m.env
}

// Run evaluates the whole module, statement by statement, as Python does on import.
func (m *Module) Run(in *object.Interp) error {
	if m.File == "" {
		return nil
	}
	if err := m.load(in); err != nil {
		return err
	}
	for _, u := range m.units {
		if _, isIf := u.stmt.(*python.If); isIf {
			continue
		}
		if err := m.run(in, u); err != nil {
			return err
		}
	}
	return nil
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
