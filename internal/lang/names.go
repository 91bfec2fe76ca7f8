package lang

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// assignedNames are the names that statements may bind, nested statements included.
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

// containsReturn reports whether a return stands in the statement, in which case a dynamic if becomes branches.
func containsReturn(s python.Stmt) bool {
	found := false
	python.Inspect(s, func(n python.Node) bool {
		if _, ok := n.(*python.Return); ok {
			found = true
		}
		return !found
	})
	return found
}

// describeNode names a piece of syntax for messages.
func describeNode(n python.Node) string {
	if s, ok := nodeNames[fmt.Sprintf("%T", n)]; ok {
		return s
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", n), "*python."))
}

var nodeNames = map[string]string{
	"*python.Lambda": "lambda", "*python.Dict": "a dict", "*python.Set": "a set", "*python.DictComp": "a dict comprehension",
	"*python.SetComp": "a set comprehension", "*python.Await": "await", "*python.Yield": "yield", "*python.YieldFrom": "yield from",
	"*python.Starred": "a starred expression", "*python.Delete": "del", "*python.Try": "try", "*python.Match": "match",
	"*python.ClassDef": "a class", "*python.AsyncFunctionDef": "async def", "*python.Raise": "raise", "*python.With": "with",
	"*python.Call": "a call", "*python.Constant": "a literal",
}
