package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// LICM moves operations that compute the same in every iteration out of loops: those without effects, all
// of whose operands are defined outside.
//
//	scf.for %i = … {                          %y = arith.muli %a, %b : i32
//	  %y = arith.muli %a, %b : i32     =>     scf.for %i = … {
//	  … %y …                                    … %y …
var LICM = Pass{
	Name: "loop-invariant-code-motion",
	Doc:  "move loop-invariant operations without effects out of loops",
	Run: func(ctx *Context, m *ir.Module) error {
		hoistAll(ctx, m.Op, func(loop *ir.Op) hoister { return pureHoister{} })
		return nil
	},
}

// TritonLICM is LICM that also moves loads, out of loops that only read. A moved load is masked by the
// condition that the loop runs at all, since its address may be bad when it does not.
//
//	scf.for %i = %lo to %hi … {               %c = arith.cmpi slt, %lo, %hi : i32
//	  %x = tt.load %p : !tt.ptr<f32>   =>     %x = tt.load %p, %c : !tt.ptr<f32>
//	  …                                       scf.for %i = %lo to %hi … {
var TritonLICM = Pass{
	Name: "triton-licm",
	Doc:  "move loop-invariant operations, and loads where nothing writes, out of loops",
	Run: func(ctx *Context, m *ir.Module) error {
		hoistAll(ctx, m.Op, func(loop *ir.Op) hoister { return &loadHoister{loop: loop} })
		return nil
	},
}

// hoister decides which invariant operations leave a loop.
type hoister interface {
	may(op *ir.Op) bool
	// prepare makes op fit for its new place, before it is moved there.
	prepare(op *ir.Op)
}

type pureHoister struct{}

func (pureHoister) may(op *ir.Op) bool { return op.IsPure() && ends(op) }
func (pureHoister) prepare(*ir.Op)     {}

// ends reports whether every loop inside op is sure to end, so that running it where it was not run does no
// harm.
func ends(op *ir.Op) bool {
	if len(op.Regions()) == 0 {
		return true
	}
	for o := range op.Ops() {
		if !o.Def.Has(ir.LoopLike) {
			continue
		}
		if step, ok := stepOf(o); !ok || step <= 0 {
			return false
		}
	}
	return true
}

// stepOf returns the constant step of an scf.for.
func stepOf(op *ir.Op) (int64, bool) {
	if op.Def != scf.For {
		return 0, false
	}
	return constfold.IntOf(scf.Step(op))
}

// hoistAll goes through the loops from the innermost outwards, so that what leaves one may also leave the
// next.
func hoistAll(ctx *Context, root *ir.Op, choose func(loop *ir.Op) hoister) {
	root.WalkPost(func(op *ir.Op) {
		if op.Def.Has(ir.LoopLike) {
			ctx.At(op)
			hoist(ctx, op, choose(op))
		}
	})
}

// hoist moves what it may before the loop. One pass in order is enough: what an operation depends on comes
// before it, or is carried around the loop, which makes it variant.
func hoist(ctx *Context, loop *ir.Op, h hoister) {
	for _, r := range loop.Regions() {
		for b := range r.Blocks() {
			for op := range b.Ops() {
				ctx.Budget.Tick()
				if op.Def.Has(ir.Terminator) || !invariant(op, loop) || !h.may(op) {
					continue
				}
				if !ctx.Rewrite() {
					return
				}
				h.prepare(op)
				op.MoveBefore(loop)
			}
		}
	}
}

// invariant reports whether op, with all inside, uses only values from outside the loop, or its own.
func invariant(op, loop *ir.Op) bool {
	ok := true
	op.Walk(func(o *ir.Op) bool {
		for i := 0; ok && i < o.NumOperands(); i++ {
			v := o.Operand(i)
			ok = !v.Block().IsInside(loop) || o != op && v.Block().IsInside(op)
		}
		return ok
	})
	return ok
}

// loadHoister lets loads go too, when the loop does nothing to memory but read.
type loadHoister struct {
	loop     *ir.Op
	asked    bool
	readOnly bool
	runs     *ir.Value // the condition that the loop runs
}

func (h *loadHoister) may(op *ir.Op) bool {
	if op.Def != tt.Load {
		return op.IsPure() && ends(op)
	}
	if h.loop.Def != scf.For || tt.IsTensorPtr(op.Operand(0).Type) || op.Effects() != ir.EffRead {
		return false
	}
	if !h.asked {
		h.asked, h.readOnly = true, h.loop.Effects()&^ir.EffRead == 0
	}
	return h.readOnly
}

func (h *loadHoister) prepare(op *ir.Op) {
	if op.Def != tt.Load {
		return
	}
	b := ir.At(h.loop)
	if h.runs == nil {
		h.runs = cmpi(b, loopPredicate(h.loop), scf.LowerBound(h.loop), scf.UpperBound(h.loop))
	}
	mask, t := h.runs, tt.MaskOf(op.Result(0).Type)
	if t != ir.I1 {
		mask = b.Val(tt.Splat, t, mask)
	}
	if old := op.Slot(1); old != nil {
		mask = b.Val(arith.AndI, t, mask, old)
	}
	op.SetGroup(1, []*ir.Value{mask})
}
