package codegen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// assignedNames returns the names that statements may bind, nested statements included.
func assignedNames(body []python.Stmt) map[string]bool {
	out := map[string]bool{}
	for _, s := range body {
		python.Inspect(s, func(n python.Node) bool {
			switch n := n.(type) {
			case *python.Name:
				if n.Ctx == python.Store {
					out[n.ID] = true
				}
			case *python.AugAssign:
				if t, ok := n.Target.(*python.Name); ok {
					out[t.ID] = true
				}
			}
			return true
		})
	}
	return out
}

// findReturn returns the first return in a statement, or nil. A dynamic if with one becomes branches.
func findReturn(s python.Stmt) *python.Return {
	var found *python.Return
	python.Inspect(s, func(n python.Node) bool {
		if r, ok := n.(*python.Return); ok && found == nil {
			found = r
		}
		return found == nil
	})
	return found
}

// unsupported refuses a piece of syntax that jit functions cannot have.
func (g *generator) unsupported(n python.Node) {
	s, ok := syntaxNames[reflect.TypeOf(n)]
	if !ok {
		s.name = strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", n), "*python."))
	}
	g.failHint(n, "unsupported", s.hint, "%s is not supported in a jit function", s.name)
}

// syntaxNames has the pieces of Python that jit functions cannot have: how messages name them, and what to
// write instead.
var syntaxNames = map[reflect.Type]struct{ name, hint string }{
	reflect.TypeFor[*python.Lambda](): {"lambda",
		"write a function under @triton.jit at the top of the file"},
	reflect.TypeFor[*python.FunctionDef](): {"def",
		"define it at the top of the file, under @triton.jit"},
	reflect.TypeFor[*python.AsyncFunctionDef](): {"async def", ""},
	reflect.TypeFor[*python.ClassDef]():         {"a class", "define it at the top of the file"},
	reflect.TypeFor[*python.Dict]():             {"a dict", "use a tuple, or a named tuple"},
	reflect.TypeFor[*python.DictComp]():         {"a dict comprehension", "use a tuple"},
	reflect.TypeFor[*python.Set]():              {"a set", "use a tuple"},
	reflect.TypeFor[*python.SetComp]():          {"a set comprehension", "use a tuple"},
	reflect.TypeFor[*python.Yield]():            {"yield", "return a tuple, or store the values"},
	reflect.TypeFor[*python.YieldFrom]():        {"yield from", "return a tuple, or store the values"},
	reflect.TypeFor[*python.Await]():            {"await", ""},
	reflect.TypeFor[*python.AsyncFor]():         {"async for", "write for"},
	reflect.TypeFor[*python.AsyncWith]():        {"async with", ""},
	reflect.TypeFor[*python.Try](): {"try",
		"nothing is caught on the device; test what may go wrong beforehand"},
	reflect.TypeFor[*python.Raise](): {"raise",
		"use tl.static_assert for conditions known at compile time and tl.device_assert for others"},
	reflect.TypeFor[*python.Match]():  {"match", "write if and elif"},
	reflect.TypeFor[*python.Delete](): {"del", "leave it out: names end with the function"},
	reflect.TypeFor[*python.Global](): {"global",
		"kernels do not change variables outside of them; return the value, or store it"},
	reflect.TypeFor[*python.Nonlocal](): {"nonlocal",
		"kernels do not change variables outside of them; return the value, or store it"},
	reflect.TypeFor[*python.Import]():     {"import", "import at the top of the file"},
	reflect.TypeFor[*python.ImportFrom](): {"import", "import at the top of the file"},
	reflect.TypeFor[*python.Starred]():    {"a starred expression", "write the items one by one"},
}
