package programs

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/tma"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// JoinLoops makes one loop of two that follow each other, of which the second does the same under more masks:
// causal attention over the keys before a block of queries, then over those beside it. Between two loops a
// pipeline runs dry, and the second waits for its first copies again.
//
//	%x = scf.for %i = %a to %m step %s {               %y = scf.for %i = min(%a, %m) to max(%m, %b) step %s {
//	  … select %p, %v, %c …                              %q' = or %q, %i < %m
//	}                                             =>     … select (and %p, %q'), %v, %c …
//	%y = scf.for %i = %m to %b step %s (%x) {          }
//	  … select (and %p, %q), %v, %c …
//	}
//
// Both %a and %m must be multiples of %s, so that the joined loop meets %m. BranchOnMasks skips the masks
// where they are true.
func JoinLoops(mach ttgir.Machine) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-join-loops",
		Doc:  "make one loop of products of two that differ in masks",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
				loops := ttgir.OpsOf(fn, scf.For)
				for i := 1; i < len(loops); i++ {
					j := joiner{first: loops[i-1], second: loops[i], pairs: map[*ir.Value]*ir.Value{}}
					if j.mayJoin(mach) && j.sameBodies() && j.skipsMasks(mach) && j.aligned(m) {
						ctx.At(j.second)
						j.join()
					}
				}
			}
			return nil
		},
	}
}

// joiner compares the bodies of two loops op by op.
type joiner struct {
	first, second *ir.Op
	pairs         map[*ir.Value]*ir.Value // value of the second loop to its equal in the first
	extra         []extraMask
}

// extraMask is an operand of the second loop that must be true for a value to equal the first loop's.
type extraMask struct {
	op      *ir.Op
	operand int
}

// mayJoin reports whether the loops follow each other and have products for a pipeline.
func (j *joiner) mayJoin(mach ttgir.Machine) bool {
	a, b := j.first, j.second
	if a.Block() != b.Block() || scf.UpperBound(a) != scf.LowerBound(b) ||
		!slices.Equal(a.Attrs(), b.Attrs()) || scf.IV(a).Type != ir.Type(ir.I32) ||
		len(a.Results()) != len(scf.Inits(b)) || len(a.Results()) == 0 {
		return false
	}
	s, ok := arith.IntOf(scf.Step(a))
	t, same := arith.IntOf(scf.Step(b))
	if !ok || !same || s != t || s <= 0 {
		return false
	}
	for i, r := range a.Results() {
		if scf.Inits(b)[i] != r || !r.HasOneUse() {
			return false
		}
	}
	for op := a.Next(); op != b; op = op.Next() {
		if op == nil || op.Effects() != 0 {
			return false
		}
	}
	return isPlainLoop(mach, a) && isPlainLoop(mach, b) && pipeline.MayPipeline(a)
}

// isPlainLoop reports whether a loop has products of 16 bits by warp groups, and no effects but loads.
func isPlainLoop(m ttgir.Machine, loop *ir.Op) bool {
	found := false
	for op := range loop.Ops() {
		if op.Effects()&^ir.EffRead != 0 && op != loop {
			return false
		}
		found = found || tma.IsGroupProduct(m, op) && ir.BitWidth(ir.ElemOf(op.Operand(0).Type)) == 16
	}
	return found
}

// aligned reports whether the first loop ends where the second begins, if it runs at all.
func (j *joiner) aligned(m *ir.Module) bool {
	step, _ := arith.IntOf(scf.Step(j.first))
	axes := axisinfo.Module(m)
	return axes.Of(scf.LowerBound(j.first)).Divisibility[0]%step == 0 &&
		axes.Of(scf.UpperBound(j.first)).Divisibility[0]%step == 0
}

// skipsMasks reports whether BranchOnMasks skips the extra masks in the first loop's part.
func (j *joiner) skipsMasks(mach ttgir.Machine) bool {
	for _, e := range j.extra {
		n := int64(1)
		for _, d := range ttgir.TensorOf(e.op.Result(0)).Shape {
			n *= d
		}
		if !ttgir.Satisfies(e.op, rules.BranchElements, n/(32*int64(mach.NumWarps))) {
			return false
		}
	}
	return true
}

// sameBodies reports whether the bodies compute the same where all extra masks are true.
func (j *joiner) sameBodies() bool {
	a, b := j.first.Body(0), j.second.Body(0)
	for i, v := range b.Args() {
		j.pairs[v] = a.Arg(i)
	}
	for i, v := range b.Terminator().Operands() {
		if !j.same(a.Terminator().Operand(i), v) {
			return false
		}
	}
	return true
}

// same reports whether w, of the second loop, equals v, of the first, where the extra masks are true.
func (j *joiner) same(v, w *ir.Value) bool {
	if known, ok := j.pairs[w]; ok {
		return known == v
	}
	if !j.isInside(w) {
		return v == w
	}
	if j.sameOps(v, w) || j.masked(v, w) {
		j.pairs[w] = v
		return true
	}
	return false
}

func (j *joiner) isInside(v *ir.Value) bool { return v.Block().IsInside(j.second) }

// masked reports whether w is v under an extra mask.
func (j *joiner) masked(v, w *ir.Value) bool {
	op := w.Def()
	if op == nil {
		return false
	}
	switch {
	case op.Def == arith.Select && ttgir.TensorOf(op.Operand(0)) != nil && j.same(v, op.Operand(1)):
		j.extra = append(j.extra, extraMask{op, 0})
	case op.Def == arith.AndI && ir.ElemOf(w.Type) == ir.Type(ir.I1) && ttgir.TensorOf(w) != nil:
		switch {
		case j.same(v, op.Operand(0)):
			j.extra = append(j.extra, extraMask{op, 1})
		case j.same(v, op.Operand(1)):
			j.extra = append(j.extra, extraMask{op, 0})
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// sameOps reports whether two values are the same result of equal ops.
func (j *joiner) sameOps(v, w *ir.Value) bool {
	a, b := v.Def(), w.Def()
	if a == nil || b == nil || v.Index() != w.Index() || !v.Block().IsInside(j.first) || !likeOps(a, b) {
		return false
	}
	for i, o := range b.Operands() {
		if !j.same(a.Operand(i), o) {
			return false
		}
	}
	for i, r := range b.Regions() {
		if !j.sameRegions(a.Region(i), r) {
			return false
		}
	}
	return true
}

// likeOps reports whether ops differ in their operands at most.
func likeOps(a, b *ir.Op) bool {
	return a.Def == b.Def && slices.Equal(a.Attrs(), b.Attrs()) && a.NumOperands() == b.NumOperands() &&
		slices.Equal(a.ResultTypes(), b.ResultTypes()) && len(a.Regions()) == len(b.Regions())
}

// sameRegions reports whether two regions of one block, as reductions have them, are equal op by op.
func (j *joiner) sameRegions(r, s *ir.Region) bool {
	if r.Empty() || s.Empty() || r.First() != r.Last() || s.First() != s.Last() {
		return r.Empty() && s.Empty()
	}
	a, b := r.First(), s.First()
	if len(a.Args()) != len(b.Args()) {
		return false
	}
	for i, v := range b.Args() {
		j.pairs[v] = a.Arg(i)
	}
	x, y := a.First(), b.First()
	for ; x != nil && y != nil; x, y = x.Next(), y.Next() {
		if !likeOps(x, y) || len(x.Regions()) > 0 {
			return false
		}
		for i, o := range y.Operands() {
			if !j.same(x.Operand(i), o) {
				return false
			}
		}
		for i, w := range y.Results() {
			j.pairs[w] = x.Result(i)
		}
	}
	return x == nil && y == nil
}

// join replaces both loops by the second with the bounds of both.
func (j *joiner) join() {
	middle, loop := scf.UpperBound(j.first), j.second
	b := ir.At(loop)
	from := b.Val(arith.MinSI, ir.I32, scf.LowerBound(j.first), middle)
	to := b.Val(arith.MaxSI, ir.I32, middle, scf.UpperBound(loop))
	loop.SetOperand(0, from)
	loop.SetOperand(1, to)
	for i, v := range scf.Inits(j.first) {
		loop.SetOperand(3+i, v)
	}
	b.ToStart(loop.Body(0))
	less := []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.SLT))}
	before := b.ValA(arith.CmpI, ir.I1, less, scf.IV(loop), middle)
	for _, e := range j.extra {
		b = ir.At(e.op)
		mask := e.op.Operand(e.operand)
		all := b.Val(tt.Splat, mask.Type, before)
		e.op.SetOperand(e.operand, b.Val(arith.OrI, mask.Type, mask, all))
	}
	j.first.Erase()
}
