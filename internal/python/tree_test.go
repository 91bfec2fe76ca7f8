package python

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
)

// checkTree fails when a span is out of bounds or not within that of its parent.
func checkTree(t testing.TB, m *Module) {
	t.Helper()
	whole := diag.Span{Start: m.File.Pos(0), End: m.File.Pos(len(m.File.Src))}
	stack := []diag.Span{whole}
	Inspect(m, func(n Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return false
		}
		s, outer := n.Span(), stack[len(stack)-1]
		if d := decorated(n); d.IsValid() { // decorators stand before the span of what they decorate
			outer.Start = min(outer.Start, d)
		}
		if s.Start > s.End || s.Start < outer.Start || s.End > outer.End {
			t.Errorf("%s at %d:%d is not within %d:%d", KindOf(n), s.Start, s.End, outer.Start, outer.End)
		}
		if d := decorated(n); d.IsValid() {
			s.Start = min(s.Start, d)
		}
		stack = append(stack, s)
		return true
	})
}

// decorated is where the first decorator of n begins, or no position.
func decorated(n Node) diag.Pos {
	var list []Expr
	switch n := n.(type) {
	case *FunctionDef:
		list = n.DecoratorList
	case *AsyncFunctionDef:
		list = n.DecoratorList
	case *ClassDef:
		list = n.DecoratorList
	}
	if len(list) == 0 {
		return diag.NoPos
	}
	return list[0].Span().Start
}
