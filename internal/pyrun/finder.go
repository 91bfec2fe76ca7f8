package pyrun

import (
	"io/fs"
	"path"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Finder reads the source files of modules. Names are slash paths, as given to LoadFile.
type Finder interface {
	ReadFile(name string) ([]byte, error)
	IsFile(name string) bool
	IsDir(name string) bool
}

// searcher is a Finder that can say which folders it searches, for messages.
type searcher interface{ Searched() []string }

// searched returns a text that says where source modules were looked for, and how to search more folders.
func (ev *Evaluator) searched() string {
	s, ok := ev.opts.Finder.(searcher)
	switch {
	case !ok:
		return "add its folder to the search path"
	case len(s.Searched()) == 0:
		return "a text without a file has no folder to import from; name one with nereid.Roots or --root"
	}
	return "it was looked for below " + strings.Join(s.Searched(),
		", ") + "; name another folder with nereid.Roots or --root"
}

// lister is a Finder that can say which folders are in a folder, in order.
type lister interface{ Folders(dir string) []string }

// FSFinder finds modules in a file system.
func FSFinder(fsys fs.FS) Finder { return fsFinder{fsys} }

type fsFinder struct{ fsys fs.FS }

func (f fsFinder) ReadFile(name string) ([]byte, error) {
	return safefile.ReadFS(f.fsys, name, maxFile)
}

func (f fsFinder) IsFile(name string) bool {
	st, err := fs.Stat(f.fsys, name)
	return err == nil && st.Mode().IsRegular()
}

func (f fsFinder) IsDir(name string) bool {
	st, err := fs.Stat(f.fsys, name)
	return err == nil && st.IsDir()
}

func (f fsFinder) Folders(dir string) []string {
	entries, _ := fs.ReadDir(f.fsys, dir)
	return folders(entries)
}

func folders(entries []fs.DirEntry) []string {
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// searchRoots returns the folders in which the absolute imports of a module are looked for: the folder that
// holds its outermost package, the folders around that one with their src folders, and those of the options
// with the projects in them. Folders inside the package do not count, and neither do folders that the finder
// does not show: sys.path leads nowhere beyond its roots.
func (ev *Evaluator) searchRoots(m *Module) []string {
	var roots []string
	add := func(dir string) {
		for _, r := range roots {
			if r == dir {
				return
			}
		}
		roots = append(roots, dir)
	}
	if m != nil && m.File != "" {
		for dir := m.root; ; dir = path.Dir(dir) {
			add(dir)
			if dir == path.Dir(dir) {
				break
			}
		}
		for _, dir := range roots[:min(len(roots), maxUp)] {
			if src := path.Join(dir, "src"); ev.isDir(src) {
				add(src)
			}
		}
	}
	for _, r := range ev.opts.Roots {
		add(r)
	}
	for _, r := range ev.projects() {
		add(r)
	}
	for _, r := range ev.sysPath() {
		add(r)
		add(strings.TrimPrefix(r,
			"/")) // os.path.abspath puts a slash before the names of a file system of our own
	}
	return roots
}

// projects returns the src folders of the folders of the options and of the folders in those, each of which
// may be a project: a program that generates a file elsewhere imports from there.
func (ev *Evaluator) projects() []string {
	if ev.srcs != nil {
		return ev.srcs
	}
	ev.srcs = []string{}
	addSrc := func(dir string) {
		if src := path.Join(dir, "src"); ev.isDir(src) {
			ev.srcs = append(ev.srcs, src)
		}
	}
	for _, r := range ev.opts.Roots {
		addSrc(r)
		if l, ok := ev.opts.Finder.(lister); ok {
			for _, name := range l.Folders(r) {
				addSrc(path.Join(r, name))
			}
		}
	}
	return ev.srcs
}

// sysPath returns the folders that code has put into sys.path.
func (ev *Evaluator) sysPath() []string {
	var out []string
	if sys := ev.natives["sys"]; sys != nil {
		if l, ok := sys.Vars["path"].(*object.List); ok {
			for _, v := range l.Items {
				if s, ok := v.(object.Str); ok && s != "" {
					out = append(out, cleanPath(string(s)))
				}
			}
		}
	}
	return out
}

// cleanPath cleans a path. What os.path.abspath makes of one that leads out of the working folder, /../x, is
// ../x again.
func cleanPath(s string) string {
	if strings.HasPrefix(s, "/../") {
		return path.Clean(s[1:])
	}
	return path.Clean(s)
}

// maxUp is the number of folders upwards in which a src folder is looked for.
const maxUp = 6

// isFile asks the finder, once for each name; isDir does the same.
func (ev *Evaluator) isFile(name string) bool {
	return ev.ask("f:"+name, func(f Finder) bool { return f.IsFile(name) })
}

func (ev *Evaluator) isDir(name string) bool {
	return ev.ask("d:"+name, func(f Finder) bool { return f.IsDir(name) })
}

func (ev *Evaluator) ask(key string, question func(f Finder) bool) bool {
	if ev.opts.Finder == nil {
		return false
	}
	answer, ok := ev.exists[key]
	if !ok {
		answer = question(ev.opts.Finder)
		ev.exists[key] = answer
	}
	return answer
}

// packageRoot returns the folder that holds the outermost package around a file, and the dotted name of the
// file there.
func (ev *Evaluator) packageRoot(file string) (root, name string) {
	dir, base := path.Split(file)
	dir = path.Clean(dir)
	name = strings.TrimSuffix(base, ".py")
	for ev.isFile(path.Join(dir, "__init__.py")) {
		if name == "__init__" {
			name = path.Base(dir)
		} else {
			name = path.Base(dir) + "." + name
		}
		up := path.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return dir, name
}

// LoadFile returns the module of a source file. Nothing is read or evaluated until a name is asked for.
func (ev *Evaluator) LoadFile(file string) *Module {
	file = path.Clean(file)
	if m, ok := ev.sources[file]; ok {
		return m
	}
	root, name := ev.packageRoot(file)
	return ev.addSource(file, root, name)
}

// AddModule returns a module of syntax that is parsed already.
func (ev *Evaluator) AddModule(file string, syntax *python.Module) *Module {
	m := ev.LoadFile(file)
	m.Syntax = syntax
	return m
}

func (ev *Evaluator) addSource(file, root, name string) *Module {
	m := &Module{Name: name, File: file, root: root}
	if path.Base(file) == "__init__.py" {
		m.folder = path.Dir(file)
	}
	if m.Name == "__main__" {
		m.Name = "main"
	}
	ev.sources[file] = m
	return m
}

// inRoot returns the source module of a dotted name below a folder, or nil.
func (ev *Evaluator) inRoot(root, name string) *Module {
	base := path.Join(root, strings.ReplaceAll(name, ".", "/"))
	for _, file := range []string{path.Join(base, "__init__.py"), base + ".py"} {
		if m, ok := ev.sources[file]; ok {
			return m
		}
		if ev.isFile(file) {
			_, full := ev.packageRoot(file)
			return ev.addSource(file, root, longer(name, full))
		}
	}
	if ev.sources[base+"/"] == nil && ev.isDir(base) {
		ev.sources[base+"/"] = &Module{Name: name, root: root, folder: base} // a namespace package
	}
	return ev.sources[base+"/"]
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

func firstPart(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

func parentName(name string) string {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)]
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func parentDir(dir string) string { return path.Dir(dir) }

func baseName(dir string) string { return path.Base(dir) }
