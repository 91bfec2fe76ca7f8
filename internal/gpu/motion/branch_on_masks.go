package motion

import (
	"cmp"
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// BranchOnMasks skips selects of large tensors in loops of products of warp groups where bounds say that the
// mask is true everywhere: in attention, in all iterations but the last.
//
//	%m = arith.cmpi slt, %n + range(0, 128), %bound        %all = arith.cmpi slt, %n + 127, %bound
//	%s = arith.select %m, %x, %y                     =>    %s = scf.if %all { yield %x }
//	                                                            else { yield arith.select %m, %x, %y }
var BranchOnMasks = pass.Pass{
	Name: "nereid-gpu-branch-on-masks",
	Doc:  "skip selects where bounds say that the whole mask is true",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, arith.Select) {
			if worthBranch(op) {
				ctx.At(op)
				branchOnMask(op)
			}
		}
		return nil
	},
}

// worthBranch reports whether a select has many elements and is in a loop of warp-group products. A select
// between constants stays: as the result of a branch, each of its elements would occupy a register.
func worthBranch(op *ir.Op) bool {
	if ttgir.TensorOf(op.Operand(0)) == nil || op.Parent().Def != scf.For ||
		op.Operand(1).DefBy(arith.Constant) != nil {
		return false
	}
	for o := range ttgir.Body(op.Parent()) {
		if o.Def == ttng.WarpGroupDot {
			return ttgir.Satisfies(op, rules.BranchElements, ttgir.ElementsOfThread(op))
		}
	}
	return false
}

// branchOnMask replaces a select whose mask is a comparison of known bounds.
func branchOnMask(op *ir.Op) {
	b := ir.At(op)
	all := allTrue(b, op.Operand(0))
	if all == nil {
		return
	}
	branch := scf.NewIf(b, all, op.ResultTypes(), true)
	scf.MakeYield(ir.NewBuilder(branch.Body(0)), op.Operand(1))
	op.Result(0).ReplaceAllUses(branch.Result(0))
	end := scf.MakeYield(ir.NewBuilder(branch.Body(1)), op.Result(0))
	op.MoveBefore(end)
}

// allTrue returns a condition under which all elements of a mask are true, or nil if there is none.
func allTrue(b *ir.Builder, mask *ir.Value) *ir.Value {
	return ir.Once(func(mask *ir.Value, all func(*ir.Value) *ir.Value) *ir.Value {
		return makeAllTrue(b, mask, all)
	})(mask)
}

// makeAllTrue is allTrue without memoization; all is called for the masks that a mask is made of.
func makeAllTrue(b *ir.Builder, mask *ir.Value, all func(*ir.Value) *ir.Value) *ir.Value {
	op := mask.Def()
	if op == nil {
		return nil
	}
	if op.Def.Has(ir.View) {
		return all(op.Operand(0))
	}
	switch op.Def {
	case tt.Splat:
		if ttgir.IsUniform(op.Operand(0)) {
			return op.Operand(0)
		}
	case arith.AndI:
		x, y := all(op.Operand(0)), all(op.Operand(1))
		if x == nil || y == nil {
			return nil
		}
		return b.Val(arith.AndI, ir.I1, x, y)
	case arith.OrI:
		x, y := all(op.Operand(0)), all(op.Operand(1))
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return b.Val(arith.OrI, ir.I1, x, y)
	case arith.CmpI:
		return allLess(b, op)
	}
	return nil
}

// allLess returns the condition for a comparison of signed integers of 32 bits: the largest element of one
// side is less than the smallest of the other. It is computed in 64 bits, and false if an element may have
// overflowed.
func allLess(b *ir.Builder, op *ir.Op) *ir.Value {
	low, high := op.Operand(0), op.Operand(1)
	if ir.ElemOf(low.Type) != ir.Type(ir.I32) {
		return nil
	}
	pred := op.IntOr("predicate", -1)
	switch pred {
	case arith.SGT:
		low, high, pred = high, low, arith.SLT
	case arith.SGE:
		low, high, pred = high, low, arith.SLE
	case arith.SLT, arith.SLE:
	default:
		return nil
	}
	x, y := sumOf(low), sumOf(high)
	if x == nil || y == nil || !ttgir.IsUniform(x.scalar) || !ttgir.IsUniform(y.scalar) {
		return nil
	}
	compare := func(pred int64, x, y *ir.Value) *ir.Value {
		return b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(pred))}, x, y)
	}
	less := compare(pred, x.plus(b, x.most), y.plus(b, y.least))
	if y.most == 0 {
		return less
	}
	fits := compare(arith.SLE, y.plus(b, y.most), arith.ConstInt(b, math.MaxInt32, ir.I64))
	return b.Val(arith.AndI, ir.I1, less, fits)
}

// sum describes an i32 tensor whose elements are scalar + n with least <= n <= most. No n is negative, so an
// element can overflow only past the largest i32.
type sum struct {
	scalar      *ir.Value // nil for zero
	least, most int64
}

// plus returns the scalar plus n as i64.
func (s *sum) plus(b *ir.Builder, n int64) *ir.Value {
	if s.scalar == nil {
		return arith.ConstInt(b, n, ir.I64)
	}
	v := b.Val(arith.ExtSI, ir.I64, s.scalar)
	if n == 0 {
		return v
	}
	return b.Val(arith.AddI, ir.I64, v, arith.ConstInt(b, n, ir.I64))
}

// sumOf returns the description of a tensor, nil if there is none.
func sumOf(v *ir.Value) *sum { return ir.Once(findSum)(v) }

// findSum is sumOf without memoization; of is called for operands.
func findSum(v *ir.Value, of func(*ir.Value) *sum) *sum {
	op := v.Def()
	if op == nil {
		return nil
	}
	if op.Def.Has(ir.View) {
		return of(op.Operand(0))
	}
	switch op.Def {
	case tt.Splat:
		return &sum{scalar: op.Operand(0)}
	case tt.MakeRange:
		return &sum{least: op.IntOr("start", 0), most: op.IntOr("end", 0) - 1}
	case arith.AddI:
		x, y := of(op.Operand(0)), of(op.Operand(1))
		if x == nil || y == nil || x.scalar != nil && y.scalar != nil || x.most+y.most > math.MaxInt32 {
			return nil
		}
		return &sum{cmp.Or(x.scalar, y.scalar), x.least + y.least, x.most + y.most}
	}
	return nil
}
