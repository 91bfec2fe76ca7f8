package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// ifPatterns are the canonicalizations of scf.if.
var ifPatterns = []Pattern{
	{scf.If, staticIf},
	{scf.If, negatedIf},
	{scf.If, emptyElse},
	{scf.If, unusedIfResults},
	{scf.If, ifOfBools},
	{scf.If, ifToSelect},
	{scf.If, knownCondition},
	{scf.If, nestedIf},
	{scf.If, adjacentIfs},
}

// thenYields returns the values that the first branch yields; elseYields does the same for the second.
func thenYields(op *ir.Op) []*ir.Value { return op.Body(0).Last().Operands() }

func elseYields(op *ir.Op) []*ir.Value {
	if b := op.Body(1); b != nil {
		return b.Last().Operands()
	}
	return nil
}

// onlyYields reports whether a branch is absent, or does nothing but yield.
func onlyYields(b *ir.Block) bool { return b == nil || b.First() == b.Last() }

// staticIf: the branch that a constant condition chooses takes the place of the if.
func staticIf(rw *Rewriter, op *ir.Op) bool {
	c, ok := constfold.IntOf(op.Operand(0))
	if !ok {
		return false
	}
	branch := op.Body(0)
	if c == 0 {
		branch = op.Body(1)
	}
	if branch == nil {
		rw.Erase(op)
		return true
	}
	inlineBody(rw, op, branch, nil)
	return true
}

// negatedIf: if not c, then a, else b is if c, then b, else a.
func negatedIf(rw *Rewriter, op *ir.Op) bool {
	c := negated(op.Operand(0))
	if c == nil || op.Body(1) == nil {
		return false
	}
	a, b := op.Body(0), op.Body(1)
	a.Remove()
	b.Remove()
	op.Region(0).Append(b)
	op.Region(1).Append(a)
	rw.SetOperand(op, 0, c)
	return true
}

// emptyElse: an else that does nothing goes.
func emptyElse(rw *Rewriter, op *ir.Op) bool {
	b := op.Body(1)
	if b == nil || op.NumResults() > 0 || b.First() != b.Last() {
		return false
	}
	rw.forget(b.Last())
	b.Erase()
	rw.Modified(op)
	return true
}

// unusedIfResults takes out the results that nobody uses.
func unusedIfResults(rw *Rewriter, op *ir.Op) bool {
	gone := func(i int) bool { return !op.Result(i).HasUses() }
	for i := range op.NumResults() {
		if gone(i) {
			rebuildIf(rw, op, gone, nil)
			return true
		}
	}
	return false
}

// rebuildIf makes the if again without the results that are gone, for which other stands in.
func rebuildIf(rw *Rewriter, op *ir.Op, gone func(i int) bool, other func(i int) *ir.Value) {
	var types []ir.Type
	var kept []int
	for i, r := range op.Results() {
		if !gone(i) {
			types = append(types, r.Type)
			kept = append(kept, i)
		}
	}
	s := ir.State{Def: scf.If, Operands: op.Operands(), Results: types, Attrs: op.Attrs()}
	for _, r := range op.Regions() {
		nr := ir.NewRegion()
		nr.TakeBody(r)
		s.Regions = append(s.Regions, nr)
		if b := nr.First(); b != nil {
			yield := b.Last()
			vs := make([]*ir.Value, len(kept))
			for j, i := range kept {
				vs[j] = yield.Operand(i)
			}
			rw.setOperands(yield, vs)
		}
	}
	replaceKept(rw, op, rw.Create(s), other, gone)
}

// ifOfBools: an if that yields true and false yields its condition, one that yields a value twice yields
// that.
func ifOfBools(rw *Rewriter, op *ir.Op) bool {
	if op.NumResults() == 0 {
		return false
	}
	t, f := thenYields(op), elseYields(op)
	changed := false
	for i, r := range op.Results() {
		if !r.HasUses() {
			continue
		}
		var v *ir.Value
		switch tc, fc := constfold.Of(t[i]), constfold.Of(f[i]); {
		case t[i] == f[i]:
			v = t[i]
		case r.Type != ir.I1 || tc == nil || fc == nil:
			continue
		case constfold.IsInt(tc, 1) && constfold.IsInt(fc, 0):
			v = op.Operand(0)
		case constfold.IsInt(tc, 0) && constfold.IsInt(fc, 1):
			v = not(rw, op.Operand(0))
		default:
			continue
		}
		rw.ReplaceUses(r, v)
		changed = true
	}
	if changed {
		rw.Modified(op)
	}
	return changed
}

// ifToSelect: results that come from outside the if on both sides become selects before it.
func ifToSelect(rw *Rewriter, op *ir.Op) bool {
	if op.NumResults() == 0 {
		return false
	}
	t, f := thenYields(op), elseYields(op)
	outside := func(i int) bool { return t[i].Block() != op.Body(0) && f[i].Block() != op.Body(1) }
	any := false
	for i := range op.NumResults() {
		any = any || outside(i)
	}
	if !any {
		return false
	}
	gone := make([]bool, op.NumResults())
	values := make([]*ir.Value, op.NumResults())
	for i, r := range op.Results() {
		if gone[i] = outside(i); !gone[i] {
			continue
		}
		if values[i] = t[i]; t[i] != f[i] {
			values[i] = rw.Val(arith.Select, r.Type, op.Operand(0), t[i], f[i])
		}
	}
	rebuildIf(rw, op, func(i int) bool { return gone[i] }, func(i int) *ir.Value { return values[i] })
	return true
}

// manyUses bounds the uses of a value that are looked at: each of n ifs on one condition would look at n
// uses.
const manyUses = 128

// knownCondition: inside a branch the condition is known.
func knownCondition(rw *Rewriter, op *ir.Op) bool {
	cond := op.Operand(0)
	if cond.HasOneUse() || constfold.Of(cond) != nil {
		return false
	}
	var inThen, inElse []*ir.Use
	n := 0
	for u := range cond.Uses() {
		if n++; n > manyUses {
			break
		}
		switch {
		case op.Body(0) != nil && inBlock(u.Owner(), op.Body(0)):
			inThen = append(inThen, u)
		case op.Body(1) != nil && inBlock(u.Owner(), op.Body(1)):
			inElse = append(inElse, u)
		}
	}
	set := func(uses []*ir.Use, v bool) {
		for _, u := range uses {
			rw.SetOperand(u.Owner(), u.Index(), rw.Const(ir.BoolAttr(v), ir.I1))
		}
	}
	set(inThen, true)
	set(inElse, false)
	return len(inThen)+len(inElse) > 0
}

// nestedIf turns if a { if b { … } } into if (a and b) { … } where both yield the same when their
// condition fails.
func nestedIf(rw *Rewriter, op *ir.Op) bool {
	inner := op.Body(0).First()
	if inner.Def != scf.If || inner.Next() != op.Body(0).Last() || !onlyYields(op.Body(1)) ||
		!onlyYields(inner.Body(1)) {
		return false
	}
	yields, otherwise := thenYields(op), elseYields(op)
	innerThen, innerElse := thenYields(inner), elseYields(inner)
	for i, v := range yields {
		switch {
		case v.Def() == inner:
			if innerElse[v.Index()] != otherwise[i] {
				return false
			}
			yields[i] = innerThen[v.Index()]
		case v == otherwise[i]:
		default:
			return false
		}
	}
	rw.Before(op)
	cond := rw.Val(arith.AndI, ir.I1, op.Operand(0), inner.Operand(0))
	rw.Before(inner)
	yield := op.Body(0).Last()
	rw.setOperands(yield, yields)
	for o := range inner.Body(0).Ops() {
		if o != inner.Body(0).Last() {
			o.MoveBefore(inner)
		}
	}
	rw.Erase(inner)
	rw.SetOperand(op, 0, cond)
	return true
}

// adjacentIfs: two ifs on one condition, one right after the other, are one.
//
//	%r = scf.if %c { a } else { b }            %r, %s = scf.if %c { a; x } else { b; y }
//	%s = scf.if %c { x } else { y }     =>
func adjacentIfs(rw *Rewriter, op *ir.Op) bool {
	prev := op.Prev()
	if prev == nil || prev.Def != scf.If {
		return false
	}
	swap := false
	switch c, d := prev.Operand(0), op.Operand(0); {
	case c == d:
	case negated(d) == c || negated(c) == d && negated(c) != nil:
		swap = true
	default:
		return false
	}
	sides := [2]*ir.Block{op.Body(0), op.Body(1)}
	if swap {
		sides[0], sides[1] = sides[1], sides[0]
	}
	joined := rw.Create(ir.State{
		Def: scf.If, Loc: prev.Loc, Operands: prev.Operands(),
		Results: append(prev.ResultTypes(), op.ResultTypes()...),
		Regions: []*ir.Region{ir.NewRegion(), ir.NewRegion()},
	})
	for side := range 2 {
		joinBranch(rw, joined, prev, prev.Body(side), sides[side], side)
	}
	n := prev.NumResults()
	for i, r := range op.Results() {
		rw.ReplaceUses(r, joined.Result(n+i))
	}
	rw.Erase(op)
	rw.Replace(prev, joined.Results()[:n]...)
	return true
}

// joinBranch makes one side of a joined if of that side of the first and that of the second, either of which
// may be absent.
func joinBranch(rw *Rewriter, joined, prev *ir.Op, first, second *ir.Block, side int) {
	if first == nil && second == nil {
		return
	}
	var yields []*ir.Value
	into := ir.NewBlock()
	joined.Region(side).Append(into)
	take := func(b *ir.Block) {
		if b == nil {
			return
		}
		last := b.Last()
		yields = append(yields, last.Operands()...)
		for o := range b.Ops() {
			if o != last {
				o.MoveToEnd(into)
			}
		}
	}
	take(first)
	for i, r := range prev.Results() { // the second if sees the first one's values of this side
		if second == nil {
			break
		}
		v := yields[i]
		r.ReplaceUsesIf(v, func(u *ir.Use) bool {
			if !inBlock(u.Owner(), second) {
				return false
			}
			rw.work.add(u.Owner())
			return true
		})
	}
	take(second)
	at := rw.Point()
	rw.ToEnd(into)
	scf.MakeYield(rw.Builder, yields...)
	rw.SetPoint(at)
}
