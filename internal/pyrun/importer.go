package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Import returns the module of an absolute dotted name as module m (nil for none) imports it: a *Module, or
// an *Unknown where nothing is known of the package. Inside a try that would catch it, an unknown package is
// an ImportError.
func (ev *Evaluator) Import(m *Module, name string, span diag.Span) (object.Value, error) {
	v, err := ev.findModule(m, name, span)
	object.Locate(err, span)
	return v, err
}

func (ev *Evaluator) findModule(m *Module, name string, span diag.Span) (object.Value, error) {
	if s := ev.preferredSource(m, name); s != nil {
		return s, nil
	}
	if k, ok := ev.Registered(name); ok {
		return k, nil
	}
	if k := ev.LibraryModule(name); k != nil {
		return k, nil
	}
	if v, ok, err := ev.submodule(m, name, span); ok || err != nil {
		return v, err
	}
	if s := ev.SourceModule(m, name); s != nil {
		return s, nil
	}
	if ev.extendPath(m) {
		if s := ev.SourceModule(m, name); s != nil {
			return s, nil
		}
	}
	if ev.opts.Library != nil && ev.opts.Library.Has(firstPart(name)) {
		return libraryUnknown(name, span), nil
	}
	if ev.tries > 0 {
		return nil, notFound(name)
	}
	u := object.NewUnknown(name, span)
	u.Looked = ev.searched()
	return u, nil
}

// preferredSource returns the source of a part of a registered package, where Options.FromSource prefers it
// and it is found; else nil.
func (ev *Evaluator) preferredSource(m *Module, name string) *Module {
	if ev.opts.FromSource == nil || !ev.opts.FromSource(name) {
		return nil
	}
	if s := ev.SourceModule(m, name); s != nil && s.File != "" {
		return s
	}
	return nil
}

// extendPath runs what a module does to sys.path before the present time, and reports whether there are more
// folders to search now.
func (ev *Evaluator) extendPath(m *Module) bool {
	if m == nil || m.File == "" || m.pathAt == m.now+1 || len(m.binders["sys"]) < 2 {
		return false
	}
	n := len(ev.sysPath())
	m.pathAt = m.now + 1
	_, _, _ = m.get(ev.Interp, "sys", m.now) // what fails there adds no folder
	return len(ev.sysPath()) > n
}

// submodule returns a part of a package that was registered, or that a registered package has as an
// attribute.
func (ev *Evaluator) submodule(m *Module, name string, span diag.Span) (object.Value, bool, error) {
	parent := parentName(name)
	if parent == "" || !ev.isGiven(firstPart(name)) {
		return nil, false, nil
	}
	p, err := ev.findModule(m, parent, span)
	if err != nil {
		return nil, false, err
	}
	switch p := p.(type) {
	case *object.Unknown:
		return p.Attribute(lastPart(name)), true, nil
	case *Module:
		if p.File != "" {
			return nil, false, nil
		}
		v, ok, err := p.Get(ev.Interp, lastPart(name))
		if err != nil {
			return nil, false, err
		}
		if k, isModule := v.(*Module); ok && isModule {
			return k, true, nil
		}
		if u, isUnknown := v.(*object.Unknown); ok && isUnknown {
			return u, true, nil
		}
		if p.Lacks != nil && p.Lacks(lastPart(name)) {
			return nil, false, notFound(name)
		}
		if p.Open && p.native {
			return libraryUnknown(p.Name, span).Attribute(lastPart(name)), true, nil
		}
		if p.Open {
			return p.unknown(span).Attribute(lastPart(name)), true, nil
		}
	}
	return nil, false, notFound(name)
}

// isGiven reports whether a package is registered or in the library.
func (ev *Evaluator) isGiven(name string) bool {
	if _, ok := ev.Registered(name); ok {
		return true
	}
	return ev.LibraryModule(name) != nil
}

// SourceModule searches the folders around a module. A folder without __init__.py counts only when nothing
// better has the name.
func (ev *Evaluator) SourceModule(m *Module, name string) *Module {
	var namespace *Module
	for _, root := range ev.searchRoots(m) {
		s := ev.inRoot(root, name)
		if s != nil && s.File != "" {
			return s
		}
		if s != nil && namespace == nil {
			namespace = s
		}
	}
	return namespace
}

func notFound(name string) error {
	e := object.Errorf(object.ModuleNotFoundError, "No module named '%s'", name)
	e.SetAttribute("name", object.Str(name))
	return e
}

// importStmt runs `import a.b.c` and `import a.b.c as d`.
func (ev *Evaluator) importStmt(st *python.Import, env *Env) error {
	for _, a := range st.Names {
		v, err := ev.Import(env.Module, a.Name, a.Span())
		if err != nil {
			return err
		}
		if a.AsName == "" && strings.Contains(a.Name, ".") {
			if v, err = ev.importRoot(v, env.Module, a); err != nil {
				return err
			}
		}
		if err := env.Assign(ev.Interp, importedName(a), v); err != nil {
			return err
		}
	}
	return nil
}

// importRoot returns the first package of a dotted import, below which the module v was found.
func (ev *Evaluator) importRoot(v object.Value, m *Module, a *python.Alias) (object.Value, error) {
	first := firstPart(a.Name)
	if s, ok := v.(*Module); ok && s.File != "" {
		if p := ev.inRoot(s.root, first); p != nil {
			return p, nil
		}
	}
	return ev.Import(m, first, a.Span())
}

// importFrom runs `from m import a as b`.
func (ev *Evaluator) importFrom(st *python.ImportFrom, env *Env) error {
	from, err := ev.fromModule(st, env.Module)
	if err != nil {
		return err
	}
	for _, a := range st.Names {
		if a.Name == "*" {
			ev.importStar(from, env)
			continue
		}
		v, err := ev.importName(from, a)
		if err != nil {
			object.Locate(err, a.Span())
			return err
		}
		if err := env.Assign(ev.Interp, orName(a.AsName, a.Name), v); err != nil {
			return err
		}
	}
	return nil
}

// importStar notes on the running statement where further names may come from.
func (ev *Evaluator) importStar(from object.Value, env *Env) {
	m := env.Module
	if m.now == final {
		return
	}
	u := m.units[m.now]
	switch from := from.(type) {
	case *Module:
		u.stars = append(u.stars, from)
	case *object.Unknown:
		u.unknown = from
	}
}

// fromModule returns the module that a from import names.
func (ev *Evaluator) fromModule(st *python.ImportFrom, m *Module) (object.Value, error) {
	if st.Level == 0 {
		v, err := ev.Import(m, st.Module, st.Span())
		if s := ev.besideScript(m, st); s != nil && (err != nil || object.UnknownOf(v) != nil) {
			return s, nil
		}
		return v, err
	}
	if m == nil || m.File == "" && m.folder == "" {
		return nil, object.Errorf(object.ImportError,
			"attempted relative import with no known parent package")
	}
	dir := m.dir()
	for range st.Level - 1 {
		dir = parentDir(dir)
	}
	if st.Module == "" {
		if p := ev.inRoot(parentDir(dir), baseName(dir)); p != nil && dir != "." {
			return p, nil
		}
		return &Module{Name: baseName(dir), root: parentDir(dir), folder: dir}, nil
	}
	if s := ev.inRoot(dir, st.Module); s != nil {
		return s, nil
	}
	name := strings.TrimPrefix(m.packageName()+"."+st.Module, ".")
	if ev.tries > 0 {
		return nil, notFound(name)
	}
	u := object.NewUnknown(strings.Repeat(".", st.Level)+st.Module, st.Span())
	u.Reason = "there is no file for module '" + u.Package + "'"
	if s, ok := ev.opts.Finder.(searcher); ok {
		u.Reason += " below " + strings.Join(s.Searched(), ", ") + " (nereid.Roots and --root name folders)"
	}
	return u, nil
}

// besideScript returns a file in the folder of a module, as if the module were run as a script. The file
// counts only when it has the names that are asked for, since the import may mean a package that is not here.
func (ev *Evaluator) besideScript(m *Module, st *python.ImportFrom) *Module {
	if m == nil || m.File == "" {
		return nil
	}
	s := ev.inRoot(parentDir(m.File), st.Module)
	if s == nil || s == m || s.File == "" || s.load(ev.Interp) != nil {
		return nil
	}
	for _, a := range st.Names {
		if len(s.binders[a.Name]) == 0 && a.Name != "*" && !ev.hasSubmodule(s, a.Name) {
			return nil
		}
	}
	return s
}

// importName returns one name of a from import: an attribute, or else a submodule.
func (ev *Evaluator) importName(from object.Value, a *python.Alias) (object.Value, error) {
	if u, ok := from.(*object.Unknown); ok {
		if s := ev.preferredSource(ev.moduleAt(a.Span()), u.Path+"."+a.Name); s != nil {
			return s, nil
		}
		return u.Attribute(a.Name), nil
	}
	m := from.(*Module)
	v, ok, err := ev.moduleAttr(m, a.Name, a.Span())
	if err != nil || ok {
		return v, err
	}
	if m.isRunning(a.Name) {
		return nil, object.Errorf(object.ImportError,
			"cannot import name '%s' from partially initialized module '%s' (most likely due to a "+
				"circular import)", a.Name, m.Name)
	}
	e := object.Errorf(object.ImportError, "cannot import name '%s' from '%s'", a.Name, m.Name)
	e.SetAttribute("name", object.Str(m.Name))
	return nil, e
}

// moduleAttr returns an attribute of a module, or a submodule of that name.
func (ev *Evaluator) moduleAttr(m *Module, name string, span diag.Span) (object.Value, bool, error) {
	v, ok, err := m.Get(ev.Interp, name)
	if ok || err != nil {
		return v, ok, err
	}
	if m.folder != "" {
		if s := ev.inRoot(m.folder, name); s != nil {
			if !strings.Contains(s.Name, ".") {
				s.Name = m.Name + "." + name
			}
			return s, true, nil
		}
		return nil, false, nil
	}
	if m.File != "" {
		return nil, false, nil
	}
	full := m.Name + "." + name
	if k, ok := ev.Registered(full); ok {
		return k, true, nil
	}
	if k := ev.LibraryModule(full); k != nil {
		return k, true, nil
	}
	if m.Lacks != nil && m.Lacks(name) {
		return nil, false, nil
	}
	if m.Open && m.native && !object.IsDunder(name) {
		return libraryUnknown(m.Name, span).Attribute(name), true, nil
	}
	if m.Open && !object.IsDunder(name) {
		return m.unknown(span).Attribute(name), true, nil
	}
	return nil, false, nil
}

// unknown returns the value of names that an open module has besides the known ones.
func (m *Module) unknown(span diag.Span) *object.Unknown {
	u := object.NewUnknown(m.Name, span)
	u.Reason = m.Why
	return u
}

// hasSubmodule reports whether a package has a file or folder of that name.
func (ev *Evaluator) hasSubmodule(m *Module, name string) bool {
	return m.folder != "" && ev.inRoot(m.folder, name) != nil
}

// isRunning reports whether a statement that binds a name is under way.
func (m *Module) isRunning(name string) bool {
	for _, u := range m.binders[name] {
		if u.state == running {
			return true
		}
	}
	return false
}

// dir returns the folder of the module's package.
func (m *Module) dir() string {
	if m.folder != "" {
		return m.folder
	}
	return parentDir(m.File)
}

// moduleAt returns the module that a piece of source belongs to.
func (ev *Evaluator) moduleAt(span diag.Span) *Module {
	f := ev.Files.File(span.Start)
	if f == nil {
		return nil
	}
	return ev.sources[f.Name]
}

// Caller returns the module whose code is running, where that is known.
func (ev *Evaluator) Caller() *Module { return ev.moduleAt(ev.Site) }

// Registered returns a module that the user of this package registered.
func (ev *Evaluator) Registered(name string) (*Module, bool) {
	if ev.opts.Known == nil {
		return nil, false
	}
	return ev.opts.Known(name)
}

// Loaded returns a module of sys.modules: one that was loaded or that is given.
func (ev *Evaluator) Loaded(name string) (object.Value, bool) {
	for _, m := range ev.sources {
		if m.Name == name && m.parsed {
			return m, true
		}
	}
	if m, ok := ev.Registered(name); ok {
		return m, true
	}
	if m := ev.natives[name]; m != nil {
		return m, true
	}
	return nil, false
}

// TryModule finds a module for the code that is running; where there is none, the error is an ImportError.
func (ev *Evaluator) TryModule(name string) (object.Value, error) {
	ev.tries++
	defer func() { ev.tries-- }()
	return ev.findModule(ev.Caller(), name, ev.Site)
}

// libraryUnknown returns the value of a part of Python's library that is not written in Go.
func libraryUnknown(name string, span diag.Span) *object.Unknown {
	u := object.NewUnknown(name, span)
	u.Reason = "module '" + name + "' of Python's library is not available to code that runs at compile time"
	return u
}

// Library is Python's own library, as far as it is written in Go.
type Library interface {
	// Module returns a new module of that name, or nil where it is not written in Go.
	Module(in *object.Interp, name string) *Module
	// Has reports whether Python's library has a module of that name, written in Go or not.
	Has(name string) bool
}

// LibraryModule returns the module of Python's library of that name, or nil where it is not written in Go.
func (ev *Evaluator) LibraryModule(name string) *Module {
	m, ok := ev.natives[name]
	if !ok && ev.opts.Library != nil {
		m = ev.opts.Library.Module(ev.Interp, name)
	}
	if !ok {
		ev.natives[name] = m
	}
	if m != nil {
		m.native = true
	}
	return m
}
