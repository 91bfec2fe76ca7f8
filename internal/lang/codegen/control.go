package codegen

import (
	"slices"
	"sort"

	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// ifStmt takes one side of a condition known at compile time, and makes a branch of any other.
func (g *generator) ifStmt(s *python.If) {
	cond := g.expr(s.Test)
	t, ok := cond.(*sem.Tensor)
	if !ok {
		if g.static(s.Test, cond) {
			g.stmts(s.Body)
		} else {
			g.stmts(s.Orelse)
		}
		return
	}
	c := g.condition(s.Test, t)
	if r := findReturn(s); r != nil {
		if g.loops > 0 {
			g.failHint(r, "unsupported", "set a flag in the loop and test it afterwards",
				"return is not supported inside a for or while loop")
		}
		g.ifBranch(s, c)
		return
	}
	g.ifRegion(s, c)
}

// static returns the truth of a compile-time condition, which must be a bool, an int or None.
func (g *generator) static(n python.Node, cond object.Value) bool {
	switch c := cond.(type) {
	case object.Bool:
		return bool(c)
	case object.Int, object.NoneType:
		ok := g.truth(n, c)
		return ok
	}
	hint := ""
	if _, ok := cond.(object.Str); ok {
		hint = "compare it with a string"
	}
	g.failHint(n, "condition", hint, "a condition must be a bool, an int, None or a scalar, not %s",
		describe(cond))
	return false
}

// condition returns a dynamic condition as a scalar i1.
func (g *generator) condition(n python.Node, t *sem.Tensor) *sem.Tensor {
	if b, ok := t.Type.(*sem.BlockType); ok {
		if b.Numel() != 1 {
			g.failHint(n, "condition", "use tl.where, or reduce it first",
				"the truth value of a tensor with %d elements is ambiguous", b.Numel())
		}
		u, err := g.b.Unsplat(t)
		g.check(n, err)
		t = u
	}
	c, err := g.b.Cast(t, sem.Int1, "")
	g.check(n, err)
	return c
}

// sub runs f in a scope of its own: the caller sees the bindings of f only through what f returns.
func (g *generator) sub(f func(liveins *scope)) {
	liveins, defs, point := g.scope.apart(), g.defs, g.b.Point()
	g.defs = newScope()
	f(liveins.clone())
	g.scope, g.defs = liveins, defs
	g.b.SetPoint(point)
}

// arms are the two sides of a dynamic if after both have been walked.
type arms struct {
	names      []string // to be carried, in order
	then, els  []object.Value
	thenB, elB *ir.Block // where each side ends
}

// walkArms walks both sides into the given blocks and finds the names whose values differ where they meet:
// the live ones that either side changed, then the ones that both sides bound.
func (g *generator) walkArms(s *python.If, liveins *scope, thenB, elseB *ir.Block) arms {
	g.b.ToEnd(thenB)
	g.stmts(s.Body)
	a := arms{thenB: g.b.Block(), elB: elseB}
	thenVals, thenDefs := g.scope, g.defs
	elseVals, elseDefs := liveins, newScope()
	if len(s.Orelse) > 0 {
		g.scope, g.defs = liveins.clone(), newScope()
		g.b.ToEnd(elseB)
		g.stmts(s.Orelse)
		a.elB = g.b.Block()
		elseVals, elseDefs = g.scope, g.defs
	}
	for _, name := range liveins.names {
		live := liveins.vals[name]
		if carriesNothing(live) {
			continue
		}
		tv, ev := thenVals.vals[name], elseVals.vals[name]
		passOver(tv)
		passOver(ev)
		if sameValues(flatten(tv, nil), flatten(ev, nil)) && shapeOf(tv).equal(shapeOf(ev)) {
			continue
		}
		want := shapeOf(live)
		for i, v := range []object.Value{tv, ev} {
			if !shapeOf(v).equal(want) {
				g.branchChanges(s, []string{"then", "else"}[i], name, live, v)
			}
		}
		a.add(name, tv, ev)
	}
	both := slices.Clone(thenDefs.names)
	sort.Strings(both)
	for _, name := range both {
		ev, ok := elseDefs.get(name)
		if !ok || slices.Contains(a.names, name) {
			continue
		}
		tv := thenDefs.vals[name]
		passOver(tv)
		passOver(ev)
		if !shapeOf(tv).equal(shapeOf(ev)) {
			g.armsDiffer(s, name, tv, ev)
		}
		a.add(name, tv, ev)
	}
	g.forget(s, "if", thenDefs, liveins, elseDefs)
	g.forget(s, "if", elseDefs, liveins, thenDefs)
	return a
}

// carriesNothing reports whether branches and loops ignore values of this kind: None, a dtype, a function.
// Such a name may be bound on one side of a branch, and keeps its old value after it.
func carriesNothing(v object.Value) bool {
	switch v.(type) {
	case object.Int, object.Float, object.Bool, object.Str:
		return false
	}
	return !world.IsDeviceValue(v)
}

func (a *arms) add(name string, tv, ev object.Value) {
	a.names, a.then, a.els = append(a.names, name), append(a.then, tv), append(a.els, ev)
}

func (a *arms) flat() (then, els []*ir.Value, types []ir.Type) {
	for i := range a.names {
		then, els = flatten(a.then[i], then), flatten(a.els[i], els)
	}
	for _, v := range then {
		types = append(types, v.Type)
	}
	return then, els, types
}

// rebind gives the carried names their values after the if.
func (g *generator) rebind(a arms, vs []*ir.Value) {
	for i, name := range a.names {
		var v object.Value
		v, vs = shapeOf(a.then[i]).build(vs)
		g.bind(name, v)
	}
}

// ifBranch makes blocks and branches: the form for an if that contains a return.
func (g *generator) ifBranch(s *python.If, cond *sem.Tensor) {
	var a arms
	region := g.b.Block().Region()
	thenB, elseB, end := ir.NewBlock(), ir.NewBlock(), ir.NewBlock()
	g.sub(func(liveins *scope) {
		region.Append(thenB)
		region.Append(elseB)
		g.b.Create(ir.State{Def: cf.CondBr, Operands: []*ir.Value{cond.V}, Segments: []int{1, 0, 0},
			Successors: []*ir.Block{thenB, elseB}})
		a = g.walkArms(s, liveins, thenB, elseB)
		region.Append(end)
		then, els, types := a.flat()
		g.b.ToEnd(a.thenB)
		g.b.Create(ir.State{Def: cf.Br, Operands: then, Successors: []*ir.Block{end}})
		g.b.ToEnd(a.elB)
		g.b.Create(ir.State{Def: cf.Br, Operands: els, Successors: []*ir.Block{end}})
		for _, t := range types {
			end.AddArg(t, nil)
		}
	})
	g.b.ToEnd(end)
	g.rebind(a, end.Args())
}

// ifRegion makes scf.if.
func (g *generator) ifRegion(s *python.If, cond *sem.Tensor) {
	var a arms
	var op *ir.Op
	loc := g.b.Loc
	g.sub(func(liveins *scope) {
		point := g.b.Point()
		thenB, elseB := ir.NewBlock(), ir.NewBlock()
		regions := []*ir.Region{ir.NewRegion(thenB), ir.NewRegion(elseB)}
		a = g.walkArms(s, liveins, thenB, elseB)
		then, els, types := a.flat()
		g.yield(a.thenB, then)
		g.yield(a.elB, els)
		g.b.SetPoint(point)
		g.b.Loc = loc
		op = g.b.Create(ir.State{Def: scf.If, Operands: []*ir.Value{cond.V}, Results: types,
			Regions: regions})
	})
	nameCarried(a.names, a.then, op.Results())
	g.rebind(a, op.Results())
	g.b.After(op)
}

func (g *generator) yield(b *ir.Block, vs []*ir.Value) {
	g.b.ToEnd(b)
	g.b.Op(scf.Yield, vs, nil)
}

// nameCarried gives IR values the names of the variables they carry.
func nameCarried(names []string, like []object.Value, vs []*ir.Value) {
	i := 0
	for k, name := range names {
		for range flatten(like[k], nil) {
			vs[i].Name = name
			i++
		}
	}
}

// ifExp returns the value of `a if cond else b`.
func (g *generator) ifExp(e *python.IfExp) object.Value {
	cond := g.expr(e.Test)
	t, ok := cond.(*sem.Tensor)
	if !ok {
		if g.static(e.Test, cond) {
			return g.expr(e.Body)
		}
		return g.expr(e.Orelse)
	}
	c := g.condition(e.Test, t)
	loc := g.b.Loc
	var op *ir.Op
	var then, els object.Value
	g.sub(func(*scope) {
		point := g.b.Point()
		thenB, elseB := ir.NewBlock(), ir.NewBlock()
		regions := []*ir.Region{ir.NewRegion(thenB), ir.NewRegion(elseB)}
		g.b.ToEnd(thenB)
		then = g.toRuntime(e.Body, g.expr(e.Body))
		g.b.Op(scf.Yield, flatten(then, nil), nil)
		g.b.ToEnd(elseB)
		els = g.toRuntime(e.Orelse, g.expr(e.Orelse))
		g.b.Op(scf.Yield, flatten(els, nil), nil)
		if !shapeOf(then).equal(shapeOf(els)) {
			g.failHint(e, "branch-type", "cast one of them",
				"the sides of this conditional expression have different types: %s and %s", shapeOf(then),
				shapeOf(els))
		}
		g.b.SetPoint(point)
		g.b.Loc = loc
		op = g.b.Create(ir.State{Def: scf.If, Operands: []*ir.Value{c.V}, Results: shapeOf(then).irTypes(nil),
			Regions: regions})
	})
	g.b.After(op)
	v, _ := shapeOf(then).build(op.Results())
	return v
}
