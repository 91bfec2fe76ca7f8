package world

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/python"
)

// Pointers reports, for each parameter of a kernel, whether its body uses it as a pointer, as far as the text
// shows: the parameter begins an address that is loaded, stored or otherwise accessed, or a value assigned to
// a name that does. A parameter handed on to another function counts when its name says so.
func (s *Source) Pointers(kernel string, target Target) (out []bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, s.Recovered(kernel, r)
		}
	}()
	fn, err := s.Find(s.World(target, s.meter()), kernel)
	if err != nil {
		return nil, err
	}
	used := accessedNames(fn.Func.Def)
	for _, p := range fn.Params {
		annotated := len(p.Type) > 0
		pointer := used[p.Name] || looksLikePointer(p.Name)
		if annotated {
			pointer = p.Type[0] == '*'
		}
		out = append(out, !p.Constexpr && (pointer || p.Const))
	}
	return out, nil
}

// accesses has the functions of the language whose first argument is a pointer.
var accesses = []string{
	"load", "store", "atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor",
	"atomic_xchg", "atomic_cas",
	"make_block_ptr", "make_tensor_descriptor",
}

// accessedNames returns the names that addresses begin with.
func accessedNames(def *python.FunctionDef) map[string]bool {
	used := map[string]bool{}
	python.Inspect(def, func(n python.Node) bool {
		if c, ok := n.(*python.Call); ok {
			if name, first := accessed(c); slices.Contains(accesses, name) && first != nil {
				used[frontName(first)] = true
			}
		}
		return true
	})
	for before := -1; before != len(used); { // names that such names were made of
		before = len(used)
		python.Inspect(def, func(n python.Node) bool {
			if a, ok := n.(*python.Assign); ok && len(a.Targets) == 1 && used[frontName(a.Targets[0])] {
				used[frontName(a.Value)] = true
			}
			return true
		})
	}
	return used
}

// accessed returns the last part of the name of a called function, and the first argument.
func accessed(c *python.Call) (string, python.Expr) {
	name := ""
	switch f := c.Func.(type) {
	case *python.Attribute:
		name = f.Attr
	case *python.Name:
		name = f.ID
	}
	if len(c.Args) > 0 {
		return name, c.Args[0]
	}
	for _, k := range c.Keywords {
		if k.Arg == "pointer" || k.Arg == "base" {
			return name, k.Value
		}
	}
	return name, nil
}

// frontName returns the name that an address begins with: p of p + i * n, of p[:, None], of p.to(...), and of
// p if c else q.
func frontName(e python.Expr) string {
	switch e := e.(type) {
	case *python.Name:
		return e.ID
	case *python.BinOp:
		return frontName(e.Left)
	case *python.Subscript:
		return frontName(e.Value)
	case *python.IfExp:
		return frontName(e.Body)
	case *python.Call:
		if a, ok := e.Func.(*python.Attribute); ok && a.Attr == "to" {
			return frontName(a.Value)
		}
		if name, first := accessed(e); first != nil &&
			slices.Contains([]string{"make_block_ptr", "advance", "multiple_of", "max_contiguous", "cast"},
				name) {
			return frontName(first)
		}
	}
	return ""
}

// looksLikePointer reports whether a name is one that people give to pointers.
func looksLikePointer(name string) bool {
	for _, end := range []string{"ptr", "_ptrs", "Ptr", "PTR"} {
		if len(name) >= len(end) && name[len(name)-len(end):] == end {
			return true
		}
	}
	return false
}
