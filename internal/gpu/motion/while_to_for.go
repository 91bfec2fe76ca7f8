package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// WhileToFor makes a loop with a counter of a while that counts, as MLIR's upliftWhileToForLoop does:
//
//	scf.while (%s = %a, %i = %lo) {            scf.for %i = %lo to %hi step 4 iter_args(%s = %a) {
//	  %more = arith.cmpi slt, %i, %hi            %t = f(%s, %i)
//	  scf.condition(%more) %s, %i        =>      scf.yield %t
//	} do {                                     }
//	  %t = f(%s, %i)
//	  %j = arith.addi %i, 4
//	  scf.yield %t, %j
//	}
//
// Iterations whose places in memory move with the counter are then known to be apart: threads need not meet
// between their stores.
var WhileToFor = pass.Pass{
	Name: "nereid-gpu-while-to-for",
	Doc:  "make loops with a counter of whiles that count",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, scf.While) {
			if i, ok := counterOf(op); ok {
				ctx.At(op)
				whileToFor(op, i)
			}
		}
		return nil
	},
}

// counterOf returns which of a while's values counts up to a bound in steps of a positive constant, and is
// not used behind the loop. The first region must do nothing but compare.
func counterOf(op *ir.Op) (int, bool) {
	before, after := op.Body(0), op.Body(1)
	cond, test := before.Last(), before.First()
	if test.Def != arith.CmpI || test.Next() != cond || cond.Operand(0) != test.Result(0) ||
		test.IntOr("predicate", -1) != arith.SLT || !slices.Equal(cond.Operands()[1:], before.Args()) {
		return 0, false
	}
	counter, bound := test.Operand(0), test.Operand(1)
	if !counter.IsArg() || counter.Block() != before || bound.Block().IsInside(op) {
		return 0, false
	}
	i := counter.Index()
	next := after.Last().Operand(i).DefBy(arith.AddI)
	if next == nil || next.Operand(0) != after.Arg(i) || op.Result(i).HasUses() {
		return 0, false
	}
	step, ok := arith.IntOf(next.Operand(1))
	return i, ok && step > 0
}

// whileToFor replaces a while whose value i counts.
func whileToFor(op *ir.Op, i int) {
	b, after := ir.At(op), op.Body(1)
	yield := after.Last()
	without := func(vs []*ir.Value) []*ir.Value { return slices.Delete(slices.Clone(vs), i, i+1) }
	by, _ := arith.IntOf(yield.Operand(i).Def().Operand(1))
	step := arith.ConstInt(b, by, op.Operand(i).Type)
	loop := scf.NewFor(b, op.Operand(i), op.Body(0).First().Operand(1), step, without(op.Operands()))
	after.Arg(i).ReplaceAllUses(scf.IV(loop))
	for k, arg := range without(after.Args()) {
		arg.ReplaceAllUses(scf.IterArgs(loop)[k])
	}
	for k, r := range without(op.Results()) {
		r.ReplaceAllUses(loop.Result(k))
	}
	next := without(yield.Operands())
	for _, inner := range slices.Collect(after.Ops()) {
		if inner != yield {
			inner.MoveToEnd(loop.Body(0))
		}
	}
	b = ir.NewBuilder(loop.Body(0))
	b.Loc = yield.Loc
	scf.MakeYield(b, next...)
	op.Erase()
}
