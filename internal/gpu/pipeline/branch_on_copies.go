package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// BranchOnCopies puts the copies for a later iteration behind a branch instead of a mask, in loops whose
// products of warp groups are still under way at the end of an iteration. The assembler would otherwise
// compute the addresses of the copies between the products of an iteration, which leaves the tensor cores
// without work: it does not move them out of a branch.
//
//	%p = f(%i); %m = arith.andi %ahead, %inside             %tokens = scf.if %more {
//	%t = ttg.async_copy_global_to_local %p, %buf mask %m      %p = f(%i)
//	%g = ttg.async_commit_group tokens %t             =>      ttg.async_copy_global_to_local %p, %buf
//	                                                            mask %inside
//	                                                          yield ttg.async_commit_group
//	(%ahead = tt.splat %more)                               } else { yield ttg.async_commit_group }
var BranchOnCopies = pass.Pass{
	Name: "nereid-gpu-branch-on-copies",
	Doc:  "branch around copies that only some iterations make",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			if g := copiesAhead(loop); g != nil {
				ctx.At(loop)
				g.branch()
			}
		}
		return nil
	},
}

// copyGroup holds the copies of a loop, with the commits and announcements of bytes between them, in order,
// all under one condition.
type copyGroup struct {
	cond   *ir.Value
	ops    []*ir.Op
	copies int
}

// copiesAhead returns the copies of a loop whose products overlap with the next iteration. It returns nil if
// there are none, if no condition that all threads share decides about them, or if they do not lie together.
func copiesAhead(loop *ir.Op) *copyGroup {
	g, overlaps := &copyGroup{}, false
	for op := range ttgir.Body(loop) {
		_, copies := FillSlots[op.Def]
		switch {
		case op.Def == ttng.WarpGroupDotWait && len(g.ops) == 0:
			overlaps = overlaps || op.IntOr("pendings", 0) > 0
		case copies && !g.add(op):
			return nil
		case op.Def == ttg.AsyncCommitGroup && len(g.ops) > 0:
			g.ops = append(g.ops, op)
		case !copies && len(g.ops) > 0 && (op.Effects() != 0 || len(op.Regions()) > 0):
			return g.ifUseful(overlaps, loop)
		}
	}
	return g.ifUseful(overlaps, loop)
}

// add adds an op that fills a slot or announces that, and reports whether its condition is that of the group.
func (g *copyGroup) add(op *ir.Op) bool {
	cond, _ := Condition(op)
	if cond == nil || g.cond != nil && g.cond != cond {
		return false
	}
	for _, r := range op.Results() {
		if u := ttgir.FirstUse(op); u == nil || u.Def != ttg.AsyncCommitGroup || !r.HasOneUse() {
			return false
		}
	}
	g.cond, g.ops, g.copies = cond, append(g.ops, op), g.copies+1
	return true
}

// ifUseful returns the group, or nil if a branch gains nothing: the loop waits for its products before the
// copies anyway, or other copies follow the group.
func (g *copyGroup) ifUseful(overlaps bool, loop *ir.Op) *copyGroup {
	for op := range loop.Ops() {
		if _, copies := FillSlots[op.Def]; copies && !slices.Contains(g.ops, op) {
			return nil
		}
	}
	if !overlaps || g.copies == 0 || !ttgir.IsUniform(g.cond) {
		return nil
	}
	return g
}

// Condition splits the mask of a copy into a scalar, which is the same for all elements, and the rest,
// which may be nil.
func Condition(op *ir.Op) (cond, rest *ir.Value) {
	switch op.Def {
	case ttng.BarrierExpect:
		return op.Operand(1), nil
	case ttng.AsyncTMACopyGlobalToLocal:
		return op.Slot(4), nil
	}
	mask := op.Slot(2)
	if mask == nil {
		return nil, nil
	}
	if s := mask.DefBy(tt.Splat); s != nil {
		return s.Operand(0), nil
	}
	if and := mask.DefBy(arith.AndI); and != nil {
		for i := range 2 {
			if s := and.Operand(i).DefBy(tt.Splat); s != nil {
				return s.Operand(0), and.Operand(1 - i)
			}
		}
	}
	return nil, nil
}

// branch moves the copies and what only they use into a branch.
func (g *copyGroup) branch() {
	last := g.ops[len(g.ops)-1]
	b := ir.At(last)
	b.After(last)
	var tokens []ir.Type
	for range len(g.ops) - g.copies {
		tokens = append(tokens, ttg.Token)
	}
	branch := scf.NewIf(b, g.cond, tokens, len(tokens) > 0)
	end := scf.MakeYield(ir.NewBuilder(branch.Body(0)))
	var made []*ir.Value
	for _, op := range g.ops {
		op.MoveBefore(end)
		if op.Def == ttg.AsyncCommitGroup {
			op.Result(0).ReplaceAllUses(branch.Result(len(made)))
			made = append(made, op.Result(0))
		} else if _, rest := Condition(op); rest != nil {
			op.SetOperand(2, rest)
		}
	}
	end.SetOperands(made, nil)
	if len(made) > 0 {
		commitNothing(branch.Body(1), len(made))
	}
	sinkInto(branch)
}

// commitNothing commits n empty groups in a block: waits count groups, so the other branch must have as many.
func commitNothing(block *ir.Block, n int) {
	b := ir.NewBuilder(block)
	var tokens []*ir.Value
	for range n {
		tokens = append(tokens, b.Val(ttg.AsyncCommitGroup, ttg.Token))
	}
	scf.MakeYield(b, tokens...)
}

// sinkInto moves ops before a branch, in its block, into its first part if only that uses them.
func sinkInto(branch *ir.Op) {
	for op := branch.Prev(); op != nil; {
		prev := op.Prev()
		used, elsewhere := false, false
		for _, r := range op.Results() {
			for u := range r.Users() {
				used, elsewhere = true, elsewhere || u.Block() != branch.Body(0)
			}
		}
		if used && !elsewhere && op.Effects() == 0 && len(op.Regions()) == 0 {
			op.MoveBefore(branch.Body(0).First())
		}
		op = prev
	}
}
