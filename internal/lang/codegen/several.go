package codegen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// A kernel with several faults gets several messages: the statements after one that fails are still looked
// at. A name that the failed statement would have bound has no known value, and what depends on it is passed
// over in silence.

// maxErrors bounds the messages about one kernel.
const maxErrors = 10

// nothingKnown is the value of a name whose assignment failed.
type nothingKnown struct{}

func (*nothingKnown) TypeName() string { return "unknown" }

// passOver fails without a message if a value is not known because of an earlier fault.
func passOver(v object.Value) {
	if _, ok := v.(*nothingKnown); ok {
		panic(&failure{silent: true})
	}
}

// attempt walks a statement of a kernel and goes on after a fault in it.
func (g *generator) attempt(s python.Stmt) {
	if !g.kernel {
		g.stmt(s)
		return
	}
	scope, defs, loops, name, cur, point := g.scope, g.defs, g.loops, g.name, g.cur, g.b.Point()
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, over := budget.Recovered(r); over {
			panic(r)
		}
		if f, ok := r.(*failure); ok && f.silent &&
			g.u.faults() == 0 { // whatever hid the fault, it is not to be lost
			f.silent, f.d = false, diag.Diagnostic{Code: "invalid", Span: s.Span(),
				Msg: "this depends on something that could not be compiled"}
		}
		if !g.u.record(r) {
			if g.u.faults() > 0 {
				r = stopped{}
			}
			panic(r)
		}
		g.scope, g.defs, g.loops, g.name, g.cur = scope, defs, loops, name, cur
		g.b.SetPoint(point)
		g.forgetValues(s)
	}()
	g.stmt(s)
}

// forgetValues drops the values of names that a failed statement would have bound, or whose values it would
// have changed.
func (g *generator) forgetValues(s python.Stmt) {
	for _, names := range []map[string]bool{assignedNames([]python.Stmt{s}), definedName(s)} {
		for n := range names {
			g.bind(n, &nothingKnown{})
		}
	}
	for n := range methodsOf([]python.Stmt{s}) {
		if v, ok := g.scope.get(n); ok && !hasDevice(v) {
			g.bind(n, &nothingKnown{})
		}
	}
}

// methodsOf returns the names on whose values the statements call methods.
func methodsOf(body []python.Stmt) map[string]bool {
	out := map[string]bool{}
	for _, s := range body {
		python.Inspect(s, func(n python.Node) bool {
			if c, ok := n.(*python.Call); ok {
				if a, ok := c.Func.(*python.Attribute); ok {
					if name, ok := a.Value.(*python.Name); ok {
						out[name.ID] = true
					}
				}
			}
			return true
		})
	}
	return out
}

// definedName returns the name that a statement binds that no kernel can have.
func definedName(s python.Stmt) map[string]bool {
	out := map[string]bool{}
	switch s := s.(type) {
	case *python.FunctionDef:
		out[s.Name] = true
	case *python.AsyncFunctionDef:
		out[s.Name] = true
	case *python.ClassDef:
		out[s.Name] = true
	case *python.Import:
		for _, a := range s.Names {
			first, _, _ := strings.Cut(cmp.Or(a.AsName, a.Name), ".")
			out[first] = true
		}
	case *python.ImportFrom:
		for _, a := range s.Names {
			out[cmp.Or(a.AsName, a.Name)] = true
		}
	}
	return out
}

// stopped ends a compilation whose faults are recorded.
type stopped struct{}

// record keeps the message of a failure, and reports whether to go on. Whatever else goes wrong after a fault
// is its consequence.
func (u *unit) record(r any) bool {
	f, ok := r.(*failure)
	if !ok {
		_, stop := r.(stopped)
		return !stop && u.faults() > 0
	}
	switch {
	case f.silent:
	case u.left && u.opts.Doubtful != nil && !f.sure && !slices.Contains(sureCodes, f.d.Code):
		u.doubtful = append(u.doubtful, f.d)
	default:
		u.diags = append(u.diags, f.d)
	}
	return f.d.Code != "limit" && u.faults() < maxErrors && len(u.diags) < cmp.Or(u.opts.MaxFaults, maxErrors)
}

// sureCodes are those of faults that are seen in the text: no value of a variable would mend them.
var sureCodes = []string{sem.CodeArgs, sem.CodeVersion, "not-jit", "global", "python-import",
	"unknown-package"}

// faults returns the number of faults so far.
func (u *unit) faults() int { return len(u.diags) + len(u.doubtful) }

// errors returns the messages recorded, or nil.
func (u *unit) errors() error {
	if u.faults() == 0 {
		return nil
	}
	if u.opts.Doubtful != nil {
		*u.opts.Doubtful = u.doubtful
	}
	list := &diag.List{Files: u.files, Diags: u.diags}
	list.Sort()
	return list
}
