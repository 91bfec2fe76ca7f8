package codegen

import (
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// stmts walks a list of statements up to a return: Triton never looks at what stands after it.
func (g *generator) stmts(list []python.Stmt) {
	for _, s := range list {
		g.attempt(s)
		if _, ok := s.(*python.Return); ok {
			return
		}
	}
}

func (g *generator) stmt(s python.Stmt) {
	defer g.at(s)()
	switch s := s.(type) {
	case *python.Assign:
		g.assign(s)
	case *python.AugAssign:
		g.augAssign(s)
	case *python.AnnAssign:
		g.annAssign(s)
	case *python.ExprStmt:
		g.exprStmt(s)
	case *python.Return:
		g.returnStmt(s)
	case *python.If:
		g.ifStmt(s)
	case *python.For:
		g.forStmt(s)
	case *python.While:
		g.whileStmt(s)
	case *python.With:
		g.withStmt(s)
	case *python.Assert:
		g.assert(s)
	case *python.Pass:
	case *python.Break:
		g.failHint(s, "unsupported",
			"put the condition into a while loop, or mask the rest of the iterations",
			"break is not supported in a jit function")
	case *python.Continue:
		g.failHint(s, "unsupported", "put the rest of the body under an if",
			"continue is not supported in a jit function")
	default:
		g.unsupported(s)
	}
}

func (g *generator) exprStmt(s *python.ExprStmt) {
	if _, ok := s.Value.(*python.Constant); ok { // a docstring
		return
	}
	g.unused, _ = s.Value.(*python.Call)
	g.expr(s.Value)
}

// assign handles target = value. The value of a single name gives its operations that name.
func (g *generator) assign(s *python.Assign) {
	if len(s.Targets) != 1 {
		g.failHint(s, "unsupported", "write one assignment for each name",
			"a jit function assigns to one target at a time, not to a chain (a = b = ...)")
	}
	g.assignTo(s.Targets[0], func() object.Value { return g.expr(s.Value) })
}

func (g *generator) assignTo(target python.Expr, value func() object.Value) {
	if n, ok := target.(*python.Name); ok {
		g.name = n.ID
		known := value()
		if g.keepPromise(n.ID) {
			g.name = ""
			g.scope.set(n.ID, known)
			return
		}
		v := g.toRuntime(target, known)
		g.name = ""
		if world.IsKnown(known) && hasDevice(v) {
			g.decayed[v] = n.ID
		}
		g.store(target, v)
		return
	}
	g.store(target, g.assigned(target, value()))
}

// assigned returns what an assignment makes of a value: names that were declared as constexpr keep what is
// known, for all others it is toRuntime.
func (g *generator) assigned(target python.Expr, v object.Value) object.Value {
	var targets []python.Expr
	switch t := target.(type) {
	case *python.Name:
		if g.keepPromise(t.ID) {
			return v
		}
	case *python.Tuple:
		targets = t.Elts
	case *python.List:
		targets = t.Elts
	}
	t, ok := v.(*object.Tuple)
	if !ok || len(t.Items) != len(targets) {
		return g.toRuntime(target, v)
	}
	items := make([]object.Value, len(targets))
	for i, target := range targets {
		items[i] = g.assigned(target, t.Items[i])
	}
	return &object.Tuple{Items: items, Class: t.Class}
}

// toRuntime returns what a plain assignment makes of a value: numbers become scalars; dtypes, None, functions
// and the like stay known at compile time.
func (g *generator) toRuntime(n python.Node, v object.Value) object.Value {
	switch v := v.(type) {
	case *object.Tuple:
		g.spend(n, len(v.Items))
		items := make([]object.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = g.toRuntime(n, e)
		}
		return &object.Tuple{Items: items, Class: v.Class}
	case object.Int, object.Float, object.Bool:
		t, err := g.b.ToTensor(v)
		g.check(n, err)
		return t
	}
	return v
}

func (g *generator) store(target python.Expr, v object.Value) {
	switch t := target.(type) {
	case *python.Name:
		g.bind(t.ID, v)
		g.where[t.ID] = g.cur
	case *python.Tuple:
		g.unpack(t, t.Elts, v)
	case *python.List:
		g.unpack(t, t.Elts, v)
	case *python.Subscript:
		g.failHint(t, "unsupported", "tensors and tuples are values: build a new one, with tl.where say",
			"an element cannot be assigned in a jit function")
	case *python.Attribute:
		g.failHint(t, "unsupported", "values do not change: build a new one",
			"an attribute cannot be assigned in a jit function")
	default:
		g.fail(target, "unsupported", "this cannot be assigned to in a jit function")
	}
}

func (g *generator) unpack(n python.Node, targets []python.Expr, v object.Value) {
	t, ok := v.(*object.Tuple)
	if !ok {
		g.fail(n, "unpack", "cannot unpack %s: expected a tuple of %d values", describe(v), len(targets))
	}
	if g.has(triton.StrictUnpack) && len(t.Items) > len(targets) {
		g.fail(n, "unpack", "too many values to unpack: %s for %s", sem.Count(len(t.Items), "value"),
			sem.Count(len(targets), "name"))
	}
	if len(t.Items) < len(targets) {
		g.fail(n, "unpack", "not enough values to unpack: %s for %s", sem.Count(len(t.Items), "value"),
			sem.Count(len(targets), "name"))
	}
	for i, target := range targets {
		if _, star := target.(*python.Starred); star {
			g.fail(target, "unsupported", "a starred target is not supported in a jit function")
		}
		g.store(target, t.Items[i])
	}
}

// augAssign walks target = target op value, with the parts at the place of the statement.
func (g *generator) augAssign(s *python.AugAssign) {
	g.assignTo(s.Target, func() object.Value {
		defer g.at(s)()
		lhs := g.expr(s.Target)
		rhs := g.expr(s.Value)
		return g.binary(s, s.Op, lhs, rhs)
	})
}

// annAssign walks target: annotation = value. Only the annotation constexpr has a meaning. With any other,
// Triton walks the value twice, once to look at the annotation and once to assign: an atomic operation there
// happens twice.
func (g *generator) annAssign(s *python.AnnAssign) {
	if !g.isConstexpr(s.Annotation) {
		if n, ok := s.Annotation.(*python.Name); ok {
			g.lookup(n)
		}
		if s.Value != nil {
			g.expr(s.Value)
			g.assignTo(s.Target, func() object.Value { return g.expr(s.Value) })
		}
		return
	}
	n, ok := s.Target.(*python.Name)
	if ok && s.Value == nil && g.has(triton.BareAnnotations) {
		if g.promise == nil {
			g.promise = map[string]struct{}{}
		}
		g.promise[n.ID] = struct{}{}
		return
	}
	if !ok {
		g.fail(s, "constexpr", "a constexpr declaration needs a name")
	}
	var v object.Value = object.None
	if s.Value != nil {
		v = g.expr(s.Value)
	}
	if g.scope.has(n.ID) {
		g.failHint(s, "constexpr", "give the new value another name",
			"%s is already defined: a constexpr cannot be reassigned", n.ID)
	}
	// a device value too: Triton wraps anything, and complains where a constant is needed
	g.scope.set(n.ID, v)
}

// keepPromise reports whether a name was declared as constexpr without a value, for which this assignment is
// meant.
func (g *generator) keepPromise(name string) bool {
	_, ok := g.promise[name]
	delete(g.promise, name)
	return ok
}

// isConstexpr reports whether an annotation is tl.constexpr in any spelling.
func (g *generator) isConstexpr(ann python.Expr) bool {
	return world.IsConstexprAnnotation(g.file, ann)
}

// returnStmt ends the function's current block; numbers decay to scalars.
func (g *generator) returnStmt(s *python.Return) {
	if g.loops > 0 {
		g.failHint(s, "unsupported", "set a flag in the loop and test it afterwards",
			"return is not supported inside a for or while loop")
	}
	if g.has(triton.KnownReturns) {
		g.laterReturn(s)
		return
	}
	var v object.Value = object.None
	if s.Value != nil {
		v = g.decay(s, g.expr(s.Value))
	}
	sh := shapeOf(v)
	void := v == object.None
	g.b.Op(tt.Return, flatten(v, nil), nil)
	switch {
	case g.ret == nil:
		g.ret, g.retVoid, g.retAt = &sh, void, s
	case g.retVoid != void || !void && !g.ret.equal(sh):
		first := diag.Note{Span: g.retAt.Span(),
			Msg: "the first return is here: " + returnText(*g.ret, g.retVoid)}
		g.failNotes(s, "return-type", "all returns of a function give the same type", []diag.Note{first},
			"this return gives %s, but an earlier one gives %s", returnText(sh, void),
			returnText(*g.ret, g.retVoid))
	}
	g.afterReturn()
}

// afterReturn goes on in a block that nothing reaches.
func (g *generator) afterReturn() {
	dead := ir.NewBlock()
	g.b.Block().Region().Append(dead)
	g.b.ToEnd(dead)
}

// laterReturn notes a return, of which the end of the function makes the operation.
func (g *generator) laterReturn(s *python.Return) {
	var v object.Value = object.None
	if s.Value != nil {
		v = g.expr(s.Value)
	}
	g.returns = append(g.returns, pendingReturn{value: v, at: s, point: g.b.Point(), loc: g.b.Loc})
	g.afterReturn()
}

func returnText(s shape, void bool) string {
	if void {
		return "nothing"
	}
	return s.String()
}

func (g *generator) decay(n python.Node, v object.Value) object.Value {
	if t, ok := v.(*object.Tuple); ok {
		items := make([]object.Value, len(t.Items))
		for i, e := range t.Items {
			items[i] = g.decay(n, e)
		}
		return &object.Tuple{Items: items, Class: t.Class}
	}
	return g.toRuntime(n, v)
}

func (g *generator) assert(s *python.Assert) {
	test := g.expr(s.Test)
	var msg object.Value = object.Str("")
	if s.Msg != nil {
		msg = g.expr(s.Msg)
	}
	_, err := g.callBuiltin(s, "device_assert", test, msg)
	g.check(s, err)
}

// describe returns a text that names a value in messages: its type, and its value when it is known.
func describe(v object.Value) string {
	switch v := v.(type) {
	case *sem.Tensor:
		return "a value of type " + sem.TypeText(v.Type)
	case *object.Tuple, *sem.Descriptor, *sem.BlockPointer, *world.Object:
		return "a value of type " + shapeOf(v).String()
	}
	return world.Describe(v)
}
