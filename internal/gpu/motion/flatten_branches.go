package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// FlattenBranches computes both sides of branches that hold a few operations of arithmetic, and selects:
//
//	%r = scf.if %c {                      %s = arith.addf %w, %one
//	  %s = arith.addf %w, %one      =>    %r = arith.select %c, %s, %w
//	  scf.yield %s
//	} else {
//	  scf.yield %w
//	}
//
// The assembler moves no load over a branch. If %w was loaded, the next load would wait for it. Kernels with
// products keep their branches: a select would read accumulators that a product is still writing.
var FlattenBranches = pass.Pass{
	Name: "nereid-gpu-flatten-branches",
	Doc:  "select between results of short branches",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		if slices.ContainsFunc(slices.Collect(m.Op.Ops()), layouts.IsProduct) {
			return nil
		}
		for _, op := range ttgir.OpsOf(m.Op, scf.If) {
			if op.NumResults() > 0 && isShort(op) {
				ctx.At(op)
				flatten(op)
			}
		}
		return nil
	},
}

// isShort reports whether a branch has a few operations that may be executed in any case, at little cost.
func isShort(branch *ir.Op) bool {
	n := 0
	for i := range 2 { // a branch with results has both
		for op := range branch.Body(i).Ops() {
			switch {
			case op.Def.Has(ir.Terminator) || op.Def == arith.Constant:
			case op.Def.Dialect != arith.Dialect || !op.IsPure():
				return false
			default:
				n++
			}
		}
	}
	return ttgir.Satisfies(branch, rules.ShortBranch, n)
}

func flatten(branch *ir.Op) {
	var yields [2][]*ir.Value
	for i := range yields {
		for _, op := range slices.Collect(branch.Body(i).Ops()) {
			if op.Def.Has(ir.Terminator) {
				yields[i] = slices.Clone(op.Operands())
				continue
			}
			op.MoveBefore(branch)
		}
	}
	b := ir.NewBuilder(branch.Block())
	b.Before(branch)
	b.Loc = branch.Loc
	for i, r := range branch.Results() {
		r.ReplaceAllUses(b.Val(arith.Select, r.Type, branch.Operand(0), yields[0][i], yields[1][i]))
	}
	branch.Erase()
}
