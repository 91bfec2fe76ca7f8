package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// cfPatterns are the canonicalizations of cf that look at one branch alone. Those that need to know the ways
// into a block are done for whole regions at once, in simplifyBranches.
var cfPatterns = []Pattern{
	{cf.CondBr, staticBranch},
	{cf.CondBr, negatedBranch},
	{cf.CondBr, sameTargets},
	{cf.Assert, trueAssert},
}

// jump puts an unconditional branch in the place of op.
func jump(rw *Rewriter, op *ir.Op, to *ir.Block, args []*ir.Value) {
	rw.Create(ir.State{Def: cf.Br, Operands: args, Successors: []*ir.Block{to}})
	rw.Erase(op)
}

// staticBranch: a constant condition chooses now.
func staticBranch(rw *Rewriter, op *ir.Op) bool {
	c, ok := constfold.IntOf(op.Operand(0))
	if !ok {
		return false
	}
	side := 0
	if c == 0 {
		side = 1
	}
	jump(rw, op, op.Successors()[side], successorArgs(op, side))
	return true
}

// negatedBranch: a negated condition swaps the targets.
func negatedBranch(rw *Rewriter, op *ir.Op) bool {
	c := negated(op.Operand(0))
	if c == nil || op.HasAttr("branch_weights") {
		return false
	}
	condBranch(rw, c, op.Successors()[1], successorArgs(op, 1), op.Successors()[0], successorArgs(op, 0))
	rw.Erase(op)
	return true
}

func condBranch(rw *Rewriter, c *ir.Value, t *ir.Block, targs []*ir.Value, f *ir.Block,
	fargs []*ir.Value) *ir.Op {
	return rw.Create(ir.State{
		Def: cf.CondBr, Operands: slices.Concat([]*ir.Value{c}, targs, fargs),
		Segments: []int{1, len(targs), len(fargs)}, Successors: []*ir.Block{t, f},
	})
}

// sameTargets: two ways to one block with the same values are one way.
func sameTargets(rw *Rewriter, op *ir.Op) bool {
	args := successorArgs(op, 0)
	if op.Successors()[0] != op.Successors()[1] || !slices.Equal(args, successorArgs(op, 1)) {
		return false
	}
	jump(rw, op, op.Successors()[0], args)
	return true
}

// trueAssert: an assertion that holds goes.
func trueAssert(rw *Rewriter, op *ir.Op) bool {
	if !constfold.IsInt(constfold.Of(op.Operand(0)), 1) {
		return false
	}
	rw.Erase(op)
	return true
}

// simplifyBranches shortens the ways through a region whose branches are all known: jumps to jumps, blocks
// with one way in, choices between two values, conditions that the way in decides. Each step goes over the
// blocks once.
func simplifyBranches(rw *Rewriter, r *ir.Region) bool {
	changed := false
	for _, step := range []func(*Rewriter, *ir.Region) bool{threadJumps, eraseUnreachable, branchToSelect,
		decidedConditions, mergeChains} {
		changed = step(rw, r) || changed
	}
	return changed
}

// threadJumps sends branches to a block that only jumps on straight to where it jumps.
func threadJumps(rw *Rewriter, r *ir.Region) bool {
	changed := false
	for b := range r.Blocks() {
		t := b.Last()
		for i := range t.Successors() {
			to, args := passThrough(t.Successors()[i], successorArgs(t, i))
			if to == t.Successors()[i] {
				continue
			}
			t.SetSuccessor(i, to)
			t.SetGroup(successorSlot(t, i), args)
			rw.Modified(t)
			changed = true
		}
	}
	return changed
}

// passThrough follows jumps through blocks that hold nothing else, from a block entered with args.
func passThrough(b *ir.Block, args []*ir.Value) (*ir.Block, []*ir.Value) {
	seen := map[*ir.Block]bool{}
	for !seen[b] {
		seen[b] = true
		br := b.First()
		if br.Def != cf.Br || br.Successors()[0] == b || usedElsewhere(b.Args(), br) {
			break
		}
		next := br.Operands()
		for i, v := range next {
			if v.IsArg() && v.Block() == b {
				next[i] = args[v.Index()]
			}
		}
		b, args = br.Successors()[0], next
	}
	return b, args
}

// usedElsewhere reports whether one of the values has a user other than op.
func usedElsewhere(vs []*ir.Value, op *ir.Op) bool {
	for _, v := range vs {
		for u := range v.Users() {
			if u != op {
				return true
			}
		}
	}
	return false
}

// branchToSelect: a choice between two sets of values for one block is a jump with selected values.
func branchToSelect(rw *Rewriter, r *ir.Region) bool {
	changed := false
	for b := range r.Blocks() {
		t := b.Last()
		if t.Def != cf.CondBr || t.Successors()[0] != t.Successors()[1] {
			continue
		}
		rw.Before(t)
		rw.Loc = t.Loc
		x, y := successorArgs(t, 0), successorArgs(t, 1)
		for i := range x {
			if x[i] != y[i] {
				x[i] = rw.Val(arith.Select, x[i].Type, t.Operand(0), x[i], y[i])
			}
		}
		jump(rw, t, t.Successors()[0], x)
		changed = true
	}
	return changed
}

// decidedConditions: in a block that is entered only when a condition holds, or only when not, it is known.
func decidedConditions(rw *Rewriter, r *ir.Region) bool {
	preds := predecessors(r)
	changed := false
	for b := range r.Blocks() {
		if len(preds[b]) != 1 || preds[b][0].from.Def != cf.CondBr {
			continue
		}
		e := preds[b][0]
		cond := e.from.Operand(0)
		if cond.HasOneUse() || constfold.Of(cond) != nil {
			continue
		}
		n := 0
		for u := range cond.Uses() {
			if n++; n > manyUses {
				break
			}
			if inBlock(u.Owner(), b) {
				rw.Before(u.Owner())
				rw.SetOperand(u.Owner(), u.Index(), rw.Const(ir.BoolAttr(e.succ == 0), ir.I1))
				changed = true
			}
		}
	}
	return changed
}

// mergeChains appends a block with one way in to the block that jumps to it.
func mergeChains(rw *Rewriter, r *ir.Region) bool {
	preds := predecessors(r)
	changed := false
	for b := r.First(); b != nil; b = b.Next() { // the next block may go on the way
		for {
			br := b.Last()
			if br.Def != cf.Br {
				break
			}
			next := br.Successors()[0]
			if next == b || next == r.First() || len(preds[next]) != 1 {
				break
			}
			args := br.Operands()
			for i, a := range next.Args() {
				rw.ReplaceUses(a, args[i])
			}
			rw.Erase(br)
			for o := range next.Ops() {
				o.MoveToEnd(b)
			}
			next.Remove()
			changed = true
		}
	}
	return changed
}
