package world

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/stdlib"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// library is the standard library of one release: NAME.py, followed by what later releases define anew, in
// since_3.7/NAME.py and so on. As in any module, the last definition of a name holds.
type library struct {
	files  *diag.FileSet // every Source's own set begins with it
	syntax map[string]*python.Module
	names  map[string][]string // names that modules define
}

var libraries sync.Map // *library by release

// libraryOf returns the library of a version. It is parsed once for the process.
func libraryOf(v triton.Version) *library {
	release := v.Release()
	if l, ok := libraries.Load(release); ok {
		return l.(*library)
	}
	l, _ := libraries.LoadOrStore(release, newLibrary(v))
	return l.(*library)
}

func newLibrary(v triton.Version) *library {
	l := &library{files: diag.NewFileSet(), syntax: map[string]*python.Module{}, names: map[string][]string{}}
	files, _ := fs.Glob(stdlib.Files, "*.py")
	for _, name := range files {
		m, err := python.Parse(l.files, stdlibPath(name), libraryText(v, name))
		if err != nil {
			panic(err)
		}
		l.syntax[name] = m
		l.names["triton.language."+strings.TrimSuffix(name, path.Ext(name))] = definedNames(m)
	}
	return l
}

// libraryText returns the text of a file of the library for a version.
func libraryText(v triton.Version, name string) []byte {
	text, err := stdlib.Files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	for _, r := range triton.Releases {
		if !(triton.Span{Since: r}).Contains(v) {
			break
		}
		if more, err := stdlib.Files.ReadFile(fmt.Sprintf("since_%s/%s", r, name)); err == nil {
			text = append(text, more...)
		}
	}
	return text
}

// definedNames returns the functions and variables of a module.
func definedNames(m *python.Module) (names []string) {
	for _, s := range m.Body {
		switch s := s.(type) {
		case *python.FunctionDef:
			names = append(names, s.Name)
		case *python.Assign:
			if n, ok := s.Targets[0].(*python.Name); ok {
				names = append(names, n.ID)
			}
		}
	}
	return names
}

// stdlibPath names a file of the library in messages and locations. The text is ours and its lines are not
// Triton's, so the name says whose it is.
func stdlibPath(file string) string { return "nereid/stdlib/" + file }
