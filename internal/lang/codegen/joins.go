package codegen

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Failures where control flow meets and a name has values of different types.

// loopChanges fails for a name whose type the body of a loop changes.
func (g *generator) loopChanges(loop python.Node, name string, before, after shape) {
	at := g.boundAt(name, loop)
	g.failNotes(at, "loop-type", joinHint(name, before, after),
		[]diag.Note{{Span: loop.Span(), Msg: "this is the loop"}},
		"%s becomes %s in the loop, but is %s before it", name, after, before)
}

// branchChanges fails for a live name whose type one side of an if changes.
func (g *generator) branchChanges(s *python.If, side, name string, live, v object.Value) {
	g.failNotes(g.boundIn(side, s, name), "branch-type", joinHint(name, shapeOf(live), shapeOf(v)),
		[]diag.Note{{Span: s.Span(), Msg: "this is the if"}},
		"%s becomes %s in the %s block, but is %s before the if", name, kindText(v), side, kindText(live))
}

// armsDiffer fails for a name to which the two sides of an if give different types.
func (g *generator) armsDiffer(s *python.If, name string, then, els object.Value) {
	note := diag.Note{Span: g.boundIn("then", s, name).Span(),
		Msg: fmt.Sprintf("it is %s here", kindText(then))}
	g.failNotes(g.boundIn("else", s, name), "branch-type", "give it the same type on both sides",
		[]diag.Note{note},
		"%s is %s in the else block, but %s in the then block", name, kindText(els), kindText(then))
}

// kindText returns the type of a value, or the value when it is known.
func kindText(v object.Value) string {
	if hasDevice(v) {
		return shapeOf(v).String()
	}
	return describe(v)
}

// boundIn returns the last statement on one side of an if that assigns a name, or the if.
func (g *generator) boundIn(side string, s *python.If, name string) python.Node {
	body := s.Body
	if side == "else" {
		body = s.Orelse
	}
	var found python.Node = s
	for _, st := range body {
		python.Inspect(st, func(n python.Node) bool {
			switch n.(type) {
			case *python.Assign, *python.AugAssign, *python.AnnAssign:
				if assignedNames([]python.Stmt{n.(python.Stmt)})[name] {
					found = n
				}
			}
			return true
		})
	}
	return found
}

// joinHint returns a hint for a name that has one type and then another.
func joinHint(name string, before, after shape) string {
	if before.dev == nil || after.dev == nil {
		return "give it a value of the same type from the start"
	}
	from, to := sem.ShapeOf(before.dev), sem.ShapeOf(after.dev)
	elem, ok := sem.Scalar(after.dev).(*sem.DType)
	switch {
	case !ok:
	case len(from) == 0 && len(to) > 0:
		dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(to), " ", ", "), "[]")
		return fmt.Sprintf("begin with a block: %s = tl.zeros([%s], dtype=%s)", name, dims, elem.Long())
	case len(from) == 0 && len(to) == 0 && isInteger(before.dev) && elem.IsFloating():
		return "begin with a float (0.0 instead of 0), or cast it back with .to(tl.int32)"
	case fmt.Sprint(from) == fmt.Sprint(to):
		if d, ok := sem.Scalar(before.dev).(*sem.DType); ok {
			return fmt.Sprintf("cast it back with .to(%s), or begin with %s", d.Long(), elem.Long())
		}
	}
	return "give it a value of the same type from the start"
}

func isInteger(t sem.Type) bool {
	d, ok := t.(*sem.DType)
	return ok && d.IsInt()
}
