package layouts

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// lateReduce is a loop that accumulates truth values element by element, and a reduction behind it. The
// elements of a thread would live in predicates, of which there are seven: a loop that carries more moves
// them to registers and back in every iteration. And and or have no rounding, so the loop may reduce as well.
//
//	%all = for … iter_args(%acc = false) {      %any = for … iter_args(%part = false) {
//	  %acc2 = arith.ori %acc, %x                  %s = tt.reduce(%x)
//	}                                      =>     %part2 = arith.ori %part, %s
//	%any = tt.reduce(%all)                      }
type lateReduce struct {
	reduce, update, loop *ir.Op
	arg                  int
}

// findLateReduce returns the loop of which op reduces a result.
func findLateReduce(op *ir.Op) (late lateReduce, ok bool) {
	s, ok := reduceInThreads(op)
	t := ttgir.TensorOf(op.Operand(0))
	loop := op.Operand(0).DefBy(scf.For)
	if !ok || t.Elem != ir.I1 || loop == nil || !op.Operand(0).HasOneUse() {
		return late, false
	}
	late = lateReduce{reduce: op, loop: loop, arg: op.Operand(0).Index()}
	init := scf.Inits(loop)[late.arg].DefBy(arith.Constant)
	if init == nil || init.Attr("value") != ir.DenseSplat(t, neutralOf(s.combine.Def, ir.I1)) {
		return late, false
	}
	late.update = loop.Body(0).Terminator().Operand(late.arg).Def()
	return late, late.update != nil && late.update.Def == s.combine.Def && late.accumulates()
}

// accumulates reports whether the update combines what the loop carries, which has no other use, with a value
// of this iteration.
func (late lateReduce) accumulates() bool {
	acc, u := scf.IterArgs(late.loop)[late.arg], late.update
	return u.Block() == late.loop.Body(0) && u.Result(0).HasOneUse() && acc.HasOneUse() &&
		(u.Operand(0) == acc) != (u.Operand(1) == acc)
}

// intoLoop moves the reduction into the loop and returns it.
func (late lateReduce) intoLoop() *ir.Op {
	u, loop := late.update, late.loop
	acc := scf.IterArgs(loop)[late.arg]
	x := u.Operand(0)
	if x == acc {
		x = u.Operand(1)
	}
	t := ttgir.TensorOf(late.reduce.Result(0))
	value := ir.A("value", ir.DenseSplat(t, neutralOf(u.Def, ir.I1)))
	start := ir.At(loop).ValA(arith.Constant, t, []ir.NamedAttr{value})
	loop.SetOperands(append(loop.Operands(), start), nil)
	part := loop.Body(0).AddArg(t, loop.Loc)
	result := loop.AddResult(t)

	b := ir.At(u)
	reduce := b.Insert(late.reduce.Clone(nil))
	reduce.SetOperand(0, x)
	sum := b.Op(u.Def, []*ir.Value{part, reduce.Result(0)}, []ir.Type{t})
	yield := loop.Body(0).Terminator()
	yields := append(yield.Operands(), sum.Result(0))
	yields[late.arg] = acc
	yield.SetOperands(yields, nil)
	late.reduce.Result(0).ReplaceAllUses(result)
	late.reduce.Erase()
	u.Erase()
	return reduce
}
