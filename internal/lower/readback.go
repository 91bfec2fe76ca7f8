package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Programs that read back what they have stored: the threads that read are not those that have written when the tensors differ in shape or
// layout. Triton leaves it to chance whether they are too early; here they meet in between, which is cheap and rare.

// stored is a store to global memory since the last barrier: to which of the function's pointers, and how the value was spread.
type stored struct {
	base *ir.Value
	typ  ir.Type
}

// readsBack reports whether an operation loads what other threads may have stored.
func (f *barrierFinder) readsBack(op *ir.Op, p *pending) bool {
	if op.Def != tt.Load && op.Def != ttg.AsyncCopy || len(p.stores) == 0 {
		return false
	}
	base := pointerBase(op.Operand(0))
	for _, s := range p.stores {
		if s.base == base && (!sameThreads(op, s.typ) || f.l.inSeveralBlocks(op)) {
			return true
		}
	}
	return false
}

// inSeveralBlocks reports whether blocks of a cluster load the same, of which one stores: they do not run in step.
func (l *lowering) inSeveralBlocks(load *ir.Op) bool {
	if l.ctas == 1 {
		return false
	}
	t, ok := load.Operand(0).Type.(*ir.TensorType)
	return !ok || l.layout(load, t).FreeVariablesIn(layout.Block) != 0
}

// sameThreads reports whether the threads that load elements are those that store such. Where several threads have an element, one stores
// and the others may be too early for it: that is let pass, since kernels that work in place would wait at each step.
func sameThreads(load *ir.Op, typ ir.Type) bool {
	from, ok := typ.(*ir.TensorType)
	to, ok2 := load.Operand(0).Type.(*ir.TensorType)
	if !ok || !ok2 {
		return ok == ok2
	}
	return from.With(ir.I8).String() == to.With(ir.I8).String()
}

// pointerBase is the argument or result that the pointers of an access are computed from, or nil.
func pointerBase(v *ir.Value) *ir.Value {
	for range 1000 { // a loop's own arguments could lead round
		op := v.Def()
		if op == nil {
			init := loopInit(v)
			if init == nil {
				return v
			}
			v = init
			continue
		}
		switch op.Def {
		case tt.AddPtr, tt.Splat, tt.Broadcast, tt.ExpandDims, tt.Reshape, tt.Trans, tt.Bitcast, ttg.ConvertLayout:
			v = op.Operand(0)
		default:
			return v
		}
	}
	return nil
}

// loopInit is what an argument of a loop is at first, or nil.
func loopInit(v *ir.Value) *ir.Value {
	b := v.Block()
	if b == nil || b.Parent() == nil || b.Parent().Def != scf.For {
		return nil
	}
	for i, a := range b.Args() {
		if a == v && i > 0 {
			return b.Parent().Operand(2 + i)
		}
	}
	return nil
}
