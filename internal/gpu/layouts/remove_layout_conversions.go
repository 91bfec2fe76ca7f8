package layouts

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// RemoveLayoutConversions removes as many conversions as it can. Layouts of memory accesses and products are
// propagated to the values computed from them. Where conversions remain, their operand is computed in the
// other layout from the start if that is cheaper; the rest move to where there is less data to convert.
//
//	%a = tt.load %p : tensor<…, #b4>                       %a = tt.load %p : tensor<…, #b4>
//	%b = ttg.convert_layout %a : … -> tensor<…, #b>   =>   %d = arith.addf %a, %a : tensor<…, #b4>
//	%c = arith.addf %b, %b : tensor<…, #b>                 tt.store %q, %d
//	%d = ttg.convert_layout %c : … -> tensor<…, #b4>
//	tt.store %q, %d
var RemoveLayoutConversions = pass.Pass{
	Name: "tritongpu-remove-layout-conversions",
	Doc:  "propagate layouts and rematerialize values until few conversions are left",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		fns := functions(m)
		for _, fn := range fns {
			ctx.At(fn)
			propagateLayouts(fn)
		}
		cleanupConversions(ctx, m)
		for changed := true; changed; {
			changed = false
			for _, fn := range fns {
				r := NewRematerializer(fn)
				changed = r.each(r.rematerialize) || changed
			}
			cleanupConversions(ctx, m)
		}
		for _, fn := range fns {
			for _, hoist := range []func(*rematerializer, *ir.Op){
				(*rematerializer).hoistOverGrowth, (*rematerializer).hoistIntoBranches,
				(*rematerializer).hoistDotOperands,
			} {
				r := NewRematerializer(fn)
				r.each(func(cvt *ir.Op) { hoist(r, cvt) })
			}
		}
		pass.Greedy(ctx, m.Op, loopCleanup, pass.GreedyOptions{})
		return nil
	},
}

// functions returns the functions of a module that have a body.
func functions(m *ir.Module) []*ir.Op {
	return slices.DeleteFunc(ttgir.OpsOf(m.Op, tt.Func), func(fn *ir.Op) bool { return fn.Region(0).Empty() })
}
