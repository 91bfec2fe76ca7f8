package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// CombineSelectAndIf moves a select of tensors into a branch with the same condition: the select needs both
// tensors in registers at once, the branch only one.
//
//	%s = arith.select %c, %x, %y   =>   %s = scf.if %c { …; scf.yield %x } else { scf.yield %y }
//	scf.if %c { … }
var CombineSelectAndIf = pass.Pass{
	Name: "tritongpu-combine-tensor-select-and-if",
	Doc:  "choose between tensors in the branch that has the same condition",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		selects := ttgir.OpsOf(m.Op, arith.Select)
		for _, op := range selects {
			knownInside(op)
		}
		moveSelects(ctx, selects)
		return nil
	},
}

// BranchOnProducts moves selects of asynchronous products into branches, at the end of the pipeline, after
// canonicalization has turned such branches into selects again. A select would read registers that a product
// is still writing; a branch does not touch the accumulator that it does not choose.
var BranchOnProducts = pass.Pass{
	Name: "nereid-gpu-branch-on-products",
	Doc:  "choose whether to go on with the sum of a product in a branch, without reading it",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		var selects []*ir.Op
		for _, op := range ttgir.OpsOf(m.Op, arith.Select) {
			if op.Operand(1).DefBy(ttng.WarpGroupDotWait) != nil ||
				op.Operand(2).DefBy(ttng.WarpGroupDotWait) != nil {
				selects = append(selects, op)
			}
		}
		moveSelects(ctx, selects)
		return nil
	},
}

// moveSelects moves selects of tensors into branches with the same condition.
func moveSelects(ctx *pass.Context, selects []*ir.Op) {
	merged := map[*ir.Op][]*ir.Op{}
	var ifs []*ir.Op
	for _, op := range selects {
		if ttgir.TensorOf(op.Result(0)) == nil {
			continue // a scalar select is cheap
		}
		if branch := branchLike(op); branch != nil {
			if merged[branch] == nil {
				ifs = append(ifs, branch)
			}
			merged[branch] = append(merged[branch], op)
		}
	}
	for _, branch := range ifs {
		ctx.At(branch)
		yieldSelects(branch, merged[branch])
	}
}

// knownInside replaces the result of a select by the chosen operand inside branches on the same condition.
func knownInside(op *ir.Op) {
	for branch := range op.Operand(0).Users() {
		if branch.Def != scf.If {
			continue
		}
		op.Result(0).ReplaceUsesIf(op.Operand(1), func(u *ir.Use) bool {
			return inRegion(u.Owner(), branch.Region(0))
		})
		op.Result(0).ReplaceUsesIf(op.Operand(2), func(u *ir.Use) bool {
			return inRegion(u.Owner(), branch.Region(1))
		})
	}
}

// inRegion reports whether op lies in r, at any depth.
func inRegion(op *ir.Op, r *ir.Region) bool {
	for ; op != nil && op.Block() != nil; op = op.Parent() {
		if op.Block().Region() == r {
			return true
		}
	}
	return false
}

// branchLike returns the first branch behind a select, in its block, that has the same condition and precedes
// all users of the select.
func branchLike(op *ir.Op) *ir.Op {
	for branch := op.Next(); branch != nil; branch = branch.Next() {
		if branch.Def != scf.If || branch.Operand(0) != op.Operand(0) {
			continue
		}
		for u := range op.Result(0).Users() {
			if a := ttgir.AncestorIn(op.Block(), u); a == nil || a == branch || a.Before(branch) {
				return nil
			}
		}
		return branch
	}
	return nil
}

// yieldSelects replaces the branch by one that also yields the operands of selects.
func yieldSelects(branch *ir.Op, selects []*ir.Op) {
	types := branch.ResultTypes()
	for _, s := range selects {
		types = append(types, s.Result(0).Type)
	}
	b := ir.At(branch)
	next := b.Create(ir.State{Def: scf.If, Operands: branch.Operands(), Results: types,
		Regions: []*ir.Region{ir.NewRegion(), ir.NewRegion()}})
	for i := range 2 {
		next.Region(i).TakeBody(branch.Region(i))
		if next.Region(i).Empty() {
			next.Region(i).Append(ir.NewBlock())
			scf.MakeYield(ir.NewBuilder(next.Body(i)))
		}
		yield := next.Body(i).Last()
		vs := yield.Operands()
		for _, s := range selects {
			vs = append(vs, s.Operand(1+i))
		}
		yield.SetOperands(vs, nil)
	}
	n := branch.NumResults()
	branch.ReplaceWith(next.Results()[:n]...)
	for i, s := range selects {
		s.ReplaceWith(next.Result(n + i))
	}
}
