package codegen

import (
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// pendingReturn is a return whose operation is made at the end of the function. Since 3.7 a value that is
// known at compile time stays known where all returns give it; else it becomes a scalar of the type that the
// others have.
type pendingReturn struct {
	value object.Value
	at    *python.Return
	point ir.Point
	loc   ir.Loc
}

// emitReturns makes the operations of all returns and returns their common shape.
func (g *generator) emitReturns() shape {
	if len(g.returns) == 0 {
		return shape{known: object.None}
	}
	common := shapeOf(g.returns[0].value)
	for _, r := range g.returns[1:] {
		common = g.commonReturn(r.at, common, shapeOf(r.value))
	}
	point, loc := g.b.Point(), g.b.Loc
	for _, r := range g.returns {
		g.b.SetPoint(r.point)
		g.b.Loc = r.loc
		g.b.Op(tt.Return, flatten(g.asReturned(r.at, r.value, common), nil), nil)
	}
	g.b.SetPoint(point)
	g.b.Loc = loc
	return common
}

// commonReturn returns the shape that values of two shapes are returned in.
func (g *generator) commonReturn(n *python.Return, a, b shape) shape {
	if a.equal(b) {
		return a
	}
	if a.tuple && b.tuple && a.class == b.class && len(a.elems) == len(b.elems) {
		out := shape{tuple: true, class: a.class, elems: make([]shape, len(a.elems))}
		for i := range a.elems {
			out.elems[i] = g.commonReturn(n, a.elems[i], b.elems[i])
		}
		return out
	}
	if a.known != nil || b.known != nil {
		if x, y := runtimeShape(a), runtimeShape(b); x != nil && y != nil && x.equal(*y) {
			return *x
		}
	}
	first := g.returns[0]
	g.failNotes(n, "return-type", "all returns of a function give the same type",
		[]diag.Note{{Span: first.at.Span(), Msg: "the first return is here: " + knownText(a)}},
		"this return gives %s, but an earlier one gives %s", knownText(b), knownText(a))
	return a
}

func knownText(s shape) string { return returnText(s, s.known == object.None) }

// runtimeShape returns the shape of a value on the device; nil where a known value has none.
func runtimeShape(s shape) *shape {
	if s.known == nil {
		return &s
	}
	t, err := sem.NumberType(s.known)
	if err != nil {
		return nil
	}
	return &shape{dev: t}
}

// asReturned gives a value the shape that its function returns.
func (g *generator) asReturned(n python.Node, v object.Value, want shape) object.Value {
	if t, ok := v.(*object.Tuple); ok && want.tuple {
		items := make([]object.Value, len(t.Items))
		for i, item := range t.Items {
			items[i] = g.asReturned(n, item, want.elems[i])
		}
		return &object.Tuple{Items: items, Class: t.Class}
	}
	if d, ok := want.dev.(*sem.DType); ok && shapeOf(v).known != nil {
		t, err := g.b.Constant(v, d)
		g.check(n, err)
		return t
	}
	return v
}
