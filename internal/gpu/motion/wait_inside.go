package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// WaitInside puts the wait for products that a loop leaves under way into a branch with the loop, so that the
// path around a loop without iterations does not pass it. On that path the accumulators are set to their
// initial values. The assembler would see these writes between a product and its wait, and serialize all
// products (C7515).
//
//	%r = scf.for %i = %lo to %hi …              %some = arith.cmpi slt, %lo, %hi
//	  iter_args(%acc = %x)                      %w = scf.if %some {
//	%w = ttng.warp_group_dot_wait %r      =>      %r = scf.for …
//	                                              yield ttng.warp_group_dot_wait %r
//	                                            } else { yield %x }
var WaitInside = pass.Pass{
	Name: "nereid-gpu-wait-inside",
	Doc:  "keep the path around a loop apart from the wait for the loop's products",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			if wait := waitBehind(loop); wait != nil {
				ctx.At(loop)
				waitInside(loop, wait)
			}
		}
		return nil
	},
}

// waitBehind returns the wait for products of a loop, if it is all that uses them. It returns nil if there is
// none, if the loop is known to have iterations, if the accumulators do not begin with constants, so that
// both paths have them in the same registers, or if a branch cannot yield a result.
func waitBehind(loop *ir.Op) *ir.Op {
	wait := loop.Next()
	for wait != nil && wait.Def != ttng.WarpGroupDotWait && wait.Effects() == 0 && len(wait.Regions()) == 0 {
		wait = wait.Next()
	}
	if wait == nil || wait.Def != ttng.WarpGroupDotWait {
		return nil
	}
	lo, hi := scf.LowerBound(loop), scf.UpperBound(loop)
	if lo.DefBy(arith.Constant) != nil && hi.DefBy(arith.Constant) != nil {
		return nil
	}
	for _, v := range wait.Operands() {
		at := slices.Index(loop.Results(), v)
		if at < 0 || !v.HasOneUse() || scf.Inits(loop)[at].DefBy(arith.Constant) == nil {
			return nil
		}
	}
	for _, v := range loop.Results() {
		if _, buffer := ttg.MemDescOf(v.Type); buffer && v.HasUses() {
			return nil
		}
	}
	return wait
}

// waitInside moves a loop and the wait for its products into a branch.
func waitInside(loop, wait *ir.Op) {
	b := ir.At(loop)
	less := int64(arith.SLT)
	if loop.HasAttr("unsignedCmp") {
		less = arith.ULT
	}
	some := ttgir.Compare(b, less, scf.LowerBound(loop), scf.UpperBound(loop))
	var types []ir.Type
	var made, inits []*ir.Value
	for i, r := range loop.Results() {
		if r.HasUses() && !slices.Contains(wait.Operands(), r) {
			made, inits, types = append(made, r), append(inits, scf.Inits(loop)[i]), append(types, r.Type)
		}
	}
	for i, v := range wait.Operands() {
		at := slices.Index(loop.Results(), v)
		made, inits = append(made, wait.Result(i)), append(inits, scf.Inits(loop)[at])
		types = append(types, v.Type)
	}
	branch := scf.NewIf(b, some, types, true)
	for i, v := range made {
		v.ReplaceAllUses(branch.Result(i))
	}
	end := scf.MakeYield(ir.NewBuilder(branch.Body(0)), made...)
	loop.MoveBefore(end)
	wait.MoveBefore(end)
	scf.MakeYield(ir.NewBuilder(branch.Body(1)), inits...)
}
