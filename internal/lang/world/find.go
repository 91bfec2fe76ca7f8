package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Find evaluates a name of the file and expects a jit function. A dotted name reaches into functions, classes
// and modules. Of a name that a plain function takes over later in the file, the jit function is meant.
func (s *Source) Find(w *World, name string) (*JITFunction, error) {
	m, first, rest := s.enter(s.Module(w), name)
	v, ok, err := m.Get(w.In, first)
	if err != nil {
		return nil, s.Report(object.Diagnostic(err, diag.Span{}))
	}
	if !ok {
		return nil, s.noKernel(name)
	}
	for rest != "" {
		first, rest, _ = strings.Cut(rest, ".")
		if v, err = object.GetAttr(w.In, v, first); err != nil {
			d := object.Diagnostic(err, diag.Span{})
			d.Code = "no-kernel"
			return nil, s.Report(d)
		}
	}
	if fn, ok := Unwrap(v).(*JITFunction); ok {
		return fn, nil
	}
	if fn := shadowed(w, m, first); fn != nil {
		return fn, nil
	}
	return nil, s.notKernel(name, v)
}

// enter goes into the functions that a dotted name begins with. It returns the module of the innermost, the
// name to look for there, and what follows that name.
func (s *Source) enter(m *pyrun.Module, name string) (in *pyrun.Module, first, rest string) {
	first, rest, more := strings.Cut(name, ".")
	for more {
		defs := definitions(m.Syntax.Body, first)
		if len(defs) == 0 || slices.ContainsFunc(defs[len(defs)-1].DecoratorList, looksLikeJIT) {
			break
		}
		m = m.Inside(defs[len(defs)-1])
		first, rest, more = strings.Cut(rest, ".")
	}
	return m, first, rest
}

// definitions returns the functions of that name that statements define, in order.
func definitions(list []python.Stmt, name string) (out []*python.FunctionDef) {
	each(list, func(d *python.FunctionDef) {
		if d.Name == name {
			out = append(out, d)
		}
	})
	return out
}

// each calls f with the functions that statements define, in order; those of other functions and of classes
// are not among them.
func each(list []python.Stmt, f func(*python.FunctionDef)) {
	for _, st := range list {
		switch st := st.(type) {
		case *python.FunctionDef:
			f(st)
		case *python.If:
			each(st.Body, f)
			each(st.Orelse, f)
		case *python.Try:
			each(st.Body, f)
			for _, h := range st.Handlers {
				each(h.Body, f)
			}
		}
	}
}

// shadowed returns the last jit function that had a name before something else took the name over, or nil.
func shadowed(w *World, m *pyrun.Module, name string) *JITFunction {
	defs := definitions(m.Syntax.Body, name)
	for _, d := range slices.Backward(defs) {
		if !slices.ContainsFunc(d.DecoratorList, looksLikeJIT) {
			continue
		}
		if v, ok, err := m.After(w.In, name, d); ok && err == nil {
			if fn, ok := Unwrap(v).(*JITFunction); ok {
				return fn
			}
		}
	}
	return nil
}

// noKernel reports that the file does not bind a name.
func (s *Source) noKernel(name string) error {
	names := append(s.Names(), s.Nested()...)
	d := diag.Diagnostic{Code: "no-kernel", Msg: fmt.Sprintf("%s has no kernel %s", s.Name, name)}
	if best := diag.Nearest(name, names); best != "" {
		d.Hint = "did you mean " + best + "?"
	} else if len(names) > 0 {
		d.Hint = "it has " + strings.Join(names, ", ")
	} else {
		d.Hint = "it has none: a kernel is a function under @triton.jit"
	}
	return s.Report(d)
}

// Nested returns the kernels that functions and classes define, as Find takes them.
func (s *Source) Nested() (out []string) {
	var walk func(prefix string, list []python.Stmt)
	walk = func(prefix string, list []python.Stmt) {
		for _, st := range list {
			if c, ok := st.(*python.ClassDef); ok {
				walk(prefix+c.Name+".", c.Body)
			}
		}
		each(list, func(d *python.FunctionDef) {
			if slices.ContainsFunc(d.DecoratorList, looksLikeJIT) {
				if prefix != "" {
					out = append(out, prefix+d.Name)
				}
				return
			}
			walk(prefix+d.Name+".", d.Body)
		})
	}
	walk("", s.syntax.Body)
	return out
}

// notKernel reports that a name is no jit function.
func (s *Source) notKernel(name string, v object.Value) error {
	d := diag.Diagnostic{Code: "no-kernel",
		Msg:  fmt.Sprintf("%s is no kernel: it is %s", name, Describe(v)),
		Hint: "decorate it with @triton.jit"}
	switch u := Unwrap(v).(type) {
	case *pyrun.Func:
		d.Msg, d.Span = fmt.Sprintf("%s is no kernel: it is a plain function", name), s.definition(name)
	case *object.Unknown:
		d = object.Diagnostic(u.Need("the meaning"), s.definition(name))
	}
	return s.Report(d)
}
