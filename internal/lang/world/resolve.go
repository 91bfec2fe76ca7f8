package world

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Projects import triton under conditions of their own (is it installed, is a driver active, is it the right
// version) and put a placeholder in its place otherwise. Here Triton is always there: a name that a module
// binds to a module of Triton anywhere is that module, whatever the conditions say.

// resolve returns the module of Triton that a name of a source module stands for.
func (w *World) resolve(in *object.Interp, m *pyrun.Module, name string) (object.Value, bool) {
	if m.Syntax == nil {
		return nil, false
	}
	table, ok := w.imports[m.Syntax]
	if !ok {
		table = tritonImports(m.Syntax)
		w.imports[m.Syntax] = table
	}
	target, ok := table[name]
	if !ok {
		return nil, false
	}
	mod, ok := w.known[target]
	return mod, ok
}

// tritonImports returns the names that a file binds to modules of Triton, with the names of those modules.
func tritonImports(file *python.Module) map[string]string {
	out := map[string]string{}
	var walk func(list []python.Stmt)
	walk = func(list []python.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *python.If:
				walk(s.Body)
				walk(s.Orelse)
			case *python.Try:
				walk(s.Body)
				for _, h := range s.Handlers {
					walk(h.Body)
				}
				walk(s.Orelse)
			case *python.Import:
				for _, a := range s.Names {
					addImport(out, a)
				}
			case *python.ImportFrom:
				if s.Level == 0 && IsTriton(s.Module) {
					for _, a := range s.Names {
						bindOnce(out, orName(a.AsName, a.Name), s.Module+"."+a.Name)
					}
				}
			}
		}
	}
	walk(file.Body)
	return out
}

// addImport adds the name that `import triton.language as tl` binds; without an alias that is triton.
func addImport(out map[string]string, a *python.Alias) {
	if !IsTriton(a.Name) {
		return
	}
	if a.AsName == "" {
		bindOnce(out, "triton", "triton")
		return
	}
	bindOnce(out, a.AsName, a.Name)
}

func bindOnce(out map[string]string, name, module string) {
	if _, ok := out[name]; !ok {
		out[name] = module
	}
}

// IsTriton reports whether a module is Triton or one of its parts.
func IsTriton(module string) bool { return module == "triton" || strings.HasPrefix(module, "triton.") }

func orName(as, name string) string {
	if as != "" {
		return as
	}
	return name
}
