package gen

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// Imports are the modules beside a file that it imports, and those that they import, by path: what has to be embedded with it.
func Imports(fsys fs.FS, name string) (map[string]string, error) {
	c := &collector{fsys, map[string]string{}}
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if err := c.file(name, string(src)); err != nil {
		return nil, err
	}
	return c.found, nil
}

type collector struct {
	fsys  fs.FS
	found map[string]string
}

func (c *collector) file(name, src string) error {
	m, err := python.Parse(diag.NewFileSet(), name, []byte(src))
	if err != nil {
		return err
	}
	python.Inspect(m, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Import:
			for _, a := range n.Names {
				err = first(err, c.module(".", a.Name))
			}
		case *python.ImportFrom:
			err = first(err, c.from(name, n))
		}
		return err == nil
	})
	return err
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (c *collector) from(name string, n *python.ImportFrom) error {
	dir := "."
	if n.Level > 0 {
		dir = path.Dir(name)
		for range n.Level - 1 {
			if dir == "." {
				return fmt.Errorf("%s imports from above the folder of the kernels: generate the code from there", name)
			}
			dir = path.Dir(dir)
		}
	}
	if err := c.module(dir, n.Module); err != nil {
		return err
	}
	for _, a := range n.Names { // from . import helpers
		if err := c.module(dir, strings.TrimPrefix(n.Module+"."+a.Name, ".")); err != nil {
			return err
		}
	}
	return nil
}

// module takes a module if it is there, with the packages around it; others are installed ones, and none of our business.
func (c *collector) module(dir, name string) error {
	base := path.Join(dir, strings.ReplaceAll(name, ".", "/"))
	for p := path.Dir(base); p != "." && p != "/" && name != ""; p = path.Dir(p) {
		if err := c.take(path.Join(p, "__init__.py")); err != nil {
			return err
		}
	}
	if err := c.take(base + ".py"); err != nil {
		return err
	}
	return c.take(path.Join(base, "__init__.py"))
}

func (c *collector) take(name string) error {
	if _, ok := c.found[name]; ok || !fs.ValidPath(name) {
		return nil
	}
	src, err := fs.ReadFile(c.fsys, name)
	if err != nil {
		return nil
	}
	c.found[name] = string(src)
	return c.file(name, string(src))
}
