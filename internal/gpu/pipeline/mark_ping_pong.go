package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// MarkPingPong marks the loops whose warp groups ping-pong. In attention, threads compute the left operand of
// one product from the result of another. Warp groups that do so in lockstep leave the tensor cores idle
// meanwhile, and then the threads. In ping-pong, the products of one group run on the tensor cores while the
// threads of the other group compute.
//
//	scf.for … {                            scf.for … {
//	  %s = ttng.warp_group_dot …             …
//	  %p = f(%s)                     =>    } {nereid.apart}
//	  %d = ttng.warp_group_dot %p, …
//	}
//
// SoftwarePipeline divides such a loop between its groups (pingPong).
var MarkPingPong = pass.Pass{
	Name: "nereid-gpu-mark-ping-pong",
	Doc:  "choose the loops whose warp groups need not run in step",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			if leadingProduct(loop) != nil {
				loop.SetAttr(apartAttr, ir.Unit)
			}
		}
		return nil
	},
}

// apartAttr marks a loop, from MarkPingPong to SoftwarePipeline.
const apartAttr = "nereid.apart"

// leadingProduct returns the product of a loop that depends on no other one of its iteration, nil if there
// are several or if groups cannot be apart: there must be several groups, of which each computes rows of its
// own, and threads must compute the left operands of all other products, at least one.
func leadingProduct(loop *ir.Op) *ir.Op {
	if ttg.NumWarps(loop) < 2*ttgir.GroupWarps || ttg.NumCTAs(loop) > 1 {
		return nil
	}
	var leading *ir.Op
	others := 0
	fromDot := func(v *ir.Value) bool { return FromProduct(v, loop, ttng.WarpGroupDot) }
	for op := range loop.Ops() {
		if op.Def != ttng.WarpGroupDot {
			continue
		}
		switch follows := fromDot(op.Operand(0)) || fromDot(op.Operand(1)); {
		case op.Block() != loop.Body(0), !hasOwnRows(op), follows && ttgir.TensorOf(op.Operand(0)) == nil,
			!follows && leading != nil:
			return nil
		case follows:
			others++
		default:
			leading = op
		}
	}
	if others == 0 {
		return nil
	}
	return leading
}

// hasOwnRows reports whether the warps of a product divide its rows alone among them.
func hasOwnRows(op *ir.Op) bool {
	mma, ok := ttg.As[ttg.NvidiaMma](ttgir.TensorOf(op.Result(0)).Encoding)
	return ok && len(mma.WarpsPerCTA) == 2 && mma.WarpsPerCTA[1] == 1
}

// FromProduct reports whether v depends on a product, an op of the given kind, of the same iteration.
func FromProduct(v *ir.Value, loop *ir.Op, product *ir.OpDef) bool {
	seen := map[*ir.Op]bool{}
	var from func(v *ir.Value) bool
	from = func(v *ir.Value) bool {
		op := v.Def()
		if op == nil || seen[op] || op.Block() != loop.Body(0) {
			return false
		}
		seen[op] = true
		for _, o := range ttgir.OuterOperands(op) {
			if from(o) {
				return true
			}
		}
		return op.Def == product
	}
	return from(v)
}
