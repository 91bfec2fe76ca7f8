package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// ErrAbove is that of a file whose imports lie outside of the file system.
var ErrAbove = errors.New("imports from above the folder of the kernels")

// Imports are the modules of a file system that the kernels of a file need, by path: what has to be
// embedded with it. A kernel needs the modules that names are imported from which it says, or which these
// say in turn. Packages that only lie around them come without what they import, since nobody evaluates it.
func Imports(fsys fs.FS, name string) (map[string]string, error) {
	c := &collector{fsys: fsys, found: map[string]string{}, modules: map[string]*scope{},
		done: map[string]bool{}}
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	s := c.parse(name, src)
	roots := s.kernels
	if len(roots) == 0 {
		roots = s.names()
	}
	for _, n := range roots {
		c.need(name, n, nil)
	}
	delete(c.found, name)
	return c.found, c.err
}

// Union is several file systems as one: the first that has a file counts.
type Union []fs.FS

// Open implements fs.FS.
func (u Union) Open(name string) (f fs.File, err error) {
	err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	for _, fsys := range u {
		if f, err = fsys.Open(name); err == nil {
			return f, nil
		}
	}
	return nil, err
}

type collector struct {
	fsys    fs.FS
	found   map[string]string
	modules map[string]*scope
	done    map[string]bool // what was looked at
	err     error
}

// scope is what a module binds.
type scope struct {
	bound   map[string][]binding
	order   []string
	stars   []*python.ImportFrom // from m import *
	kernels []string
}

// binding is one way in which a name gets its value: by a statement, or by an import.
type binding struct {
	stmt  python.Node
	from  *python.ImportFrom
	name  string   // of what is imported from a module
	paths []string // of a module that is imported, by components
}

func (s *scope) names() []string { return s.order }

func (s *scope) bind(name string, b binding) {
	if s.bound[name] == nil {
		s.order = append(s.order, name)
	}
	s.bound[name] = append(s.bound[name], b)
}

// parse is the scope of a module; one that cannot be read binds nothing.
func (c *collector) parse(name string, src []byte) *scope {
	s := &scope{bound: map[string][]binding{}}
	c.modules[name] = s
	m, err := python.Parse(diag.NewFileSet(), name, src)
	if err != nil {
		return s
	}
	for _, stmt := range m.Body {
		s.add(stmt)
	}
	return s
}

// add notes what a statement of the module binds, under conditions or not.
func (s *scope) add(stmt python.Stmt) {
	python.Inspect(stmt, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef:
			s.bind(n.Name, binding{stmt: stmt})
			if mentionsJIT(n) {
				s.kernels = append(s.kernels, n.Name)
			}
			return false
		case *python.ClassDef:
			s.bind(n.Name, binding{stmt: stmt})
			return false
		case *python.Import:
			for _, a := range n.Names {
				parts := strings.Split(a.Name, ".")
				if a.AsName != "" {
					s.bind(a.AsName, binding{stmt: stmt, paths: parts})
				} else {
					s.bind(parts[0], binding{stmt: stmt, paths: parts[:1]})
				}
			}
		case *python.ImportFrom:
			s.imported(n, stmt)
		case *python.Name:
			if n.Ctx == python.Store {
				s.bind(n.ID, binding{stmt: stmt})
			}
		}
		return true
	})
}

func (s *scope) imported(n *python.ImportFrom, stmt python.Stmt) {
	for _, a := range n.Names {
		switch {
		case a.Name == "*":
			s.stars = append(s.stars, n)
		case a.AsName != "":
			s.bind(a.AsName, binding{stmt: stmt, from: n, name: a.Name})
		default:
			s.bind(a.Name, binding{stmt: stmt, from: n, name: a.Name})
		}
	}
}

// mentionsJIT reports whether a function looks like a jit function.
func mentionsJIT(fn *python.FunctionDef) (found bool) {
	for _, d := range fn.DecoratorList {
		python.Inspect(d, func(n python.Node) bool {
			switch n := n.(type) {
			case *python.Name:
				found = found || strings.Contains(n.ID, "jit")
			case *python.Attribute:
				found = found || strings.Contains(n.Attr, "jit")
			}
			return true
		})
	}
	return found
}

// need takes what a name of a module is made of; attrs are those that are wanted of it.
func (c *collector) need(file, name string, attrs []string) {
	key := file + "\x00" + name + "\x00" + strings.Join(attrs, ".")
	if c.done[key] {
		return
	}
	c.done[key] = true
	s := c.modules[file]
	for _, b := range s.bound[name] {
		switch {
		case b.from != nil:
			c.from(file, b.from, append([]string{b.name}, attrs...))
		case b.paths != nil:
			c.absolute(file, b.paths, attrs)
		}
		c.mentioned(file, b.stmt)
	}
	if len(s.bound[name]) == 0 {
		for _, star := range s.stars {
			c.from(file, star, append([]string{name}, attrs...))
		}
	}
}

// mentioned takes all that a statement mentions.
func (c *collector) mentioned(file string, stmt python.Node) {
	key := fmt.Sprintf("%s\x00%p", file, stmt)
	if c.done[key] {
		return
	}
	c.done[key] = true
	python.Inspect(stmt, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Attribute:
			if name, attrs, ok := dotted(n); ok {
				c.need(file, name, attrs)
				return false
			}
		case *python.Name:
			c.need(file, n.ID, nil)
		case *python.FunctionDef:
			for _, in := range n.Body { // what it imports itself
				c.local(file, in)
			}
		}
		return true
	})
}

// local takes what a function imports.
func (c *collector) local(file string, stmt python.Stmt) {
	python.Inspect(stmt, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Import:
			for _, a := range n.Names {
				c.absolute(file, strings.Split(a.Name, "."), nil)
			}
		case *python.ImportFrom:
			for _, a := range n.Names {
				c.from(file, n, []string{a.Name})
			}
		}
		return true
	})
}

// dotted is a name and what is taken of it: tl.math.exp.
func dotted(a *python.Attribute) (name string, attrs []string, ok bool) {
	for {
		attrs = append([]string{a.Attr}, attrs...)
		switch v := a.Value.(type) {
		case *python.Name:
			return v.ID, attrs, true
		case *python.Attribute:
			a = v
		default:
			return "", nil, false
		}
	}
}

// from takes names of a module.
func (c *collector) from(file string, n *python.ImportFrom, names []string) {
	parts := strings.FieldsFunc(n.Module, func(r rune) bool { return r == '.' })
	if n.Level == 0 {
		c.absolute(file, parts, names)
		return
	}
	dir := path.Dir(file)
	for range n.Level - 1 {
		if dir == "." {
			c.err = fmt.Errorf("%s %w", file, ErrAbove)
			return
		}
		dir = path.Dir(dir)
	}
	c.attr(path.Join(dir, path.Join(parts...)), names)
}

// absolute takes names of a module that is found beside a file or in the folders around it. Others are
// installed ones, and none of our business.
func (c *collector) absolute(file string, parts, names []string) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if base := path.Join(dir, parts[0]); c.exists(base+".py") || c.isDir(base) {
			c.attr(path.Join(dir, path.Join(parts...)), names)
			return
		}
		if dir == "." {
			return
		}
	}
}

// attr takes a name of a module, and what is wanted of it: another module if it is a package, or what it
// binds. Without a name it is the module itself that somebody holds.
func (c *collector) attr(base string, names []string) {
	key := base + "\x00" + strings.Join(names, ".")
	if c.done[key] {
		return
	}
	c.done[key] = true
	file := base + ".py"
	if !c.exists(file) {
		file = path.Join(base, "__init__.py")
	}
	switch there := c.exists(file); {
	case there && len(names) == 0:
		c.whole(file)
	case there:
		c.take(file)
		c.need(file, names[0], names[1:])
	}
	if len(names) > 0 && c.isDir(base) {
		if sub := path.Join(base, names[0]); c.exists(sub+".py") || c.isDir(sub) {
			c.attr(sub, names[1:])
		}
	}
}

// whole takes all that a module binds: it is used in a way that does not show what of it is needed.
func (c *collector) whole(file string) {
	c.take(file)
	for _, n := range c.modules[file].names() {
		c.need(file, n, nil)
	}
}

// take takes a module, and the packages around it.
func (c *collector) take(file string) {
	if c.modules[file] != nil {
		return
	}
	src, err := fs.ReadFile(c.fsys, file)
	if err != nil {
		c.modules[file] = &scope{}
		return
	}
	c.found[file] = string(src)
	c.parse(file, src)
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		init := path.Join(dir, "__init__.py")
		if text, err := fs.ReadFile(c.fsys, init); err == nil {
			c.found[init] = string(text)
		}
	}
}

func (c *collector) exists(name string) bool {
	info, err := fs.Stat(c.fsys, name)
	return err == nil && !info.IsDir()
}

func (c *collector) isDir(name string) bool {
	info, err := fs.Stat(c.fsys, name)
	return err == nil && info.IsDir()
}
