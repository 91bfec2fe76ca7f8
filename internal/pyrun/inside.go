package pyrun

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Inside returns the body of a function as a module of its own: its statements bind names as those of a file
// do, parameters have their defaults, and all other names are m's. Nobody has called the function, so nothing
// is known of a parameter without a default.
func (m *Module) Inside(def *python.FunctionDef) *Module {
	in := &Module{Name: m.Name, File: m.File, root: m.root, folder: m.folder, Outer: m,
		open: map[string]*python.Arg{}, of: def.Name}
	in.Syntax = &python.Module{Range: def.Range, File: m.Syntax.File}
	plain := append(append([]*python.Arg(nil), def.Args.PosOnlyArgs...), def.Args.Args...)
	for i, a := range plain {
		if d := i - (len(plain) - len(def.Args.Defaults)); d >= 0 {
			in.bind(a, def.Args.Defaults[d])
		} else {
			in.bind(a, nil)
		}
	}
	for i, a := range def.Args.KwOnlyArgs {
		in.bind(a, def.Args.KwDefaults[i])
	}
	for _, st := range def.Body {
		if _, ok := st.(*python.Return); !ok {
			in.Syntax.Body = append(in.Syntax.Body, st)
		}
	}
	return in
}

// bind gives a parameter its default, or none.
func (m *Module) bind(a *python.Arg, def python.Expr) {
	if def == nil {
		m.open[a.Arg] = a
		return
	}
	name := &python.Name{Range: a.Range, ID: a.Arg, Ctx: python.Store}
	m.Syntax.Body = append(m.Syntax.Body,
		&python.Assign{Range: a.Range, Targets: []python.Expr{name}, Value: def})
}

// around returns a name of a function's body that the body does not bind.
func (m *Module) around(in *object.Interp, name string) (object.Value, bool, error) {
	if a := m.open[name]; a != nil {
		u := object.NewUnknown(name, a.Span())
		u.Reason = fmt.Sprintf("it is a parameter of %s, which nobody has called, and has no default", m.of)
		return u, true, nil
	}
	return m.Outer.global(in, name)
}

// After returns the value that a name has just after a statement of the module, or after the one around it
// that is run as a whole.
func (m *Module) After(in *object.Interp, name string, st python.Stmt) (object.Value, bool, error) {
	if err := m.load(in); err != nil {
		return nil, false, err
	}
	var around *unit // the last is the innermost
	for _, u := range m.units {
		if at := u.stmt.Span(); at.Start <= st.Span().Start && st.Span().End <= at.End {
			around = u
		}
	}
	if around == nil {
		return nil, false, nil
	}
	if err := m.runBinders(in, name, around.number+1); err != nil {
		return nil, false, err
	}
	v := m.versionAt(name, around.number)
	if v == nil {
		return nil, false, nil
	}
	return v.value, v.value != nil, nil
}
