package lsp

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// maxFile bounds an imported file that is searched for a definition.
const maxFile = 4 << 20

func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	return filepath.FromSlash(u.Path)
}

func uriOf(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

func sameFile(a, b string) bool { return a == b || uriOf(a) == uriOf(b) }

// definition returns the place at which the name at an offset is defined.
func (s *Server) definition(d *document, offset int) (location, bool) {
	if best, _ := d.at(d.file, offset); best.DefFile != "" {
		if l, ok := s.locate(d, best.DefFile, best.DefAt); ok {
			return l, true
		}
	}
	if d.tree == nil {
		return location{}, false
	}
	name, fn := nameAt(d.tree, offset)
	if name == "" {
		return location{}, false
	}
	if span, ok := bindingIn(fn, name); ok {
		return location{d.uri, d.lines.span(offsets(d.tree, span))}, true
	}
	return s.global(d.file, d.text, d.tree, name, 8)
}

// locate returns the place of an offset in a file; files of the language's library are on no disk.
func (s *Server) locate(d *document, file string, at int) (location, bool) {
	if sameFile(file, d.file) {
		return location{d.uri, d.lines.span(at, at)}, true
	}
	text, err := safefile.Read(file, maxFile)
	if err != nil {
		return location{}, false
	}
	return location{uriOf(file), newLines(string(text)).span(at, at)}, true
}

func offsets(m *python.Module, span diag.Span) (start, end int) {
	return m.File.Offset(span.Start), m.File.Offset(span.End)
}

// nameAt returns the name at an offset, and the innermost function around it.
func nameAt(m *python.Module, offset int) (name string, fn *python.FunctionDef) {
	within := func(span diag.Span) bool {
		start, end := offsets(m, span)
		return start <= offset && offset <= end
	}
	python.Inspect(m, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef:
			if within(n.Span()) {
				fn = n
			}
		case *python.Name:
			if within(n.Span()) {
				name = n.ID
			}
		case *python.Arg:
			if within(diag.Span{Start: n.Span().Start, End: n.Span().Start + diag.Pos(len(n.Arg))}) {
				name = n.Arg
			}
		}
		return true
	})
	return name, fn
}

// bindingIn returns the parameter or the first assignment of a name in a function.
func bindingIn(fn *python.FunctionDef, name string) (span diag.Span, ok bool) {
	if fn == nil {
		return span, false
	}
	python.Inspect(fn, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Arg:
			if n.Arg == name && !ok {
				span, ok = n.Span(), true
			}
		case *python.Name:
			if n.ID == name && n.Ctx == python.Store && !ok {
				span, ok = n.Span(), true
			}
		}
		return !ok
	})
	return span, ok
}

// global returns where a module binds a name, through imports, at most so many.
func (s *Server) global(file, text string, m *python.Module, name string, hops int) (location, bool) {
	here := func(span diag.Span) (location, bool) {
		return location{uriOf(file), newLines(text).span(offsets(m, span))}, true
	}
	for _, stmt := range m.Body {
		switch st := stmt.(type) {
		case *python.FunctionDef:
			if st.Name == name {
				return here(st.NamePos.Span())
			}
		case *python.ClassDef:
			if st.Name == name {
				return here(st.NamePos.Span())
			}
		case *python.Assign:
			for _, t := range st.Targets {
				if n, ok := t.(*python.Name); ok && n.ID == name {
					return here(n.Span())
				}
			}
		case *python.AnnAssign:
			if n, ok := st.Target.(*python.Name); ok && n.ID == name {
				return here(n.Span())
			}
		case *python.ImportFrom:
			for _, a := range st.Names {
				if a.Name != name && a.AsName != name || a.AsName != "" && a.AsName != name {
					continue
				}
				if l, ok := s.imported(file, st, a.Name, hops); ok {
					return l, true
				}
				return here(a.Span())
			}
		case *python.Import:
			for _, a := range st.Names {
				first, _, _ := strings.Cut(a.Name, ".")
				if a.AsName == name || a.AsName == "" && first == name {
					return here(a.Span())
				}
			}
		}
	}
	return location{}, false
}

// imported returns where the module of an import defines a name.
func (s *Server) imported(file string, st *python.ImportFrom, name string, hops int) (location, bool) {
	if hops == 0 {
		return location{}, false
	}
	dirs := append([]string{filepath.Dir(file), pyrun.ProjectRoot(file)}, s.Roots...)
	if st.Level > 0 {
		dir := filepath.Dir(file)
		for range st.Level - 1 {
			dir = filepath.Dir(dir)
		}
		dirs = []string{dir}
	}
	path := filepath.FromSlash(strings.ReplaceAll(st.Module, ".", "/"))
	for _, dir := range dirs {
		for i, candidate := range []string{filepath.Join(dir, path) + ".py",
			filepath.Join(dir, path, "__init__.py"),
			filepath.Join(dir, path, name) + ".py"} {
			if _, err := os.Stat(candidate); err != nil {
				continue
			}
			text, err := safefile.Read(candidate, maxFile)
			if err != nil {
				continue
			}
			if i == 2 { // the name is a module
				return location{uriOf(candidate), Range{}}, true
			}
			m, _ := python.Parse(diag.NewFileSet(), candidate, text)
			if m == nil {
				continue
			}
			if l, ok := s.global(candidate, string(text), m, name, hops-1); ok {
				return l, true
			}
		}
	}
	return location{}, false
}
