package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// ttPatterns are Triton's canonicalizations of its own dialect.
var ttPatterns = slices.Concat(broadcastPatterns, expandDimsPatterns, []Pattern{
	{tt.Reshape, reshapeOfView},
	{tt.Load, maskedLoad},
	{tt.Store, maskedStore},
})

// Patterns that triton-reorder-broadcast uses too.
var (
	broadcastPatterns  = []Pattern{{tt.Broadcast, broadcastOfView}}
	expandDimsPatterns = []Pattern{{tt.ExpandDims, expandOfView}}
)

// broadcastOfView: broadcast(splat(x)) is splat(x), broadcast(broadcast(x)) is broadcast(x).
func broadcastOfView(rw *Rewriter, op *ir.Op) bool {
	src := op.Operand(0).Def()
	if src == nil || src.Def != tt.Splat && src.Def != tt.Broadcast {
		return false
	}
	rw.Replace(op, rw.Val(src.Def, op.Result(0).Type, src.Operand(0)))
	return true
}

// expandOfView: expand_dims(splat(x)) is splat(x); expand_dims(broadcast(x)) is broadcast(expand_dims(x)),
// which lets the broadcast meet another.
func expandOfView(rw *Rewriter, op *ir.Op) bool {
	src := op.Operand(0).Def()
	if src == nil {
		return false
	}
	switch src.Def {
	case tt.Splat:
		rw.Replace(op, rw.Val(tt.Splat, op.Result(0).Type, src.Operand(0)))
		return true
	case tt.Broadcast:
		attrs := []ir.NamedAttr{ir.A("axis", op.Attr("axis"))}
		s := ir.State{Def: tt.ExpandDims, Operands: []*ir.Value{src.Operand(0)}, Attrs: attrs}
		types, err := tt.ExpandDims.Infer(&s)
		if err != nil {
			return false
		}
		expanded := rw.ValA(tt.ExpandDims, types[0], attrs, src.Operand(0))
		rw.Loc = src.Loc
		rw.Replace(op, rw.Val(tt.Broadcast, op.Result(0).Type, expanded))
		return true
	}
	return false
}

// reshapeOfView: reshape(reshape(x)) is reshape(x), reordering if either may; reshape(splat(x)) is splat(x).
func reshapeOfView(rw *Rewriter, op *ir.Op) bool {
	src := op.Operand(0).Def()
	if src == nil || op.HasAttr("efficient_layout") {
		return false
	}
	switch src.Def {
	case tt.Reshape:
		var attrs []ir.NamedAttr
		if op.HasAttr("allow_reorder") || src.HasAttr("allow_reorder") {
			attrs = append(attrs, ir.A("allow_reorder", ir.Unit))
		}
		rw.Replace(op, rw.ValA(tt.Reshape, op.Result(0).Type, attrs, src.Operand(0)))
		return true
	case tt.Splat:
		rw.Replace(op, rw.Val(tt.Splat, op.Result(0).Type, src.Operand(0)))
		return true
	}
	return false
}

// maskedLoad: a mask that is true everywhere goes; where it is false everywhere, the load is its other value.
func maskedLoad(rw *Rewriter, op *ir.Op) bool {
	mask, other := op.Slot(1), op.Slot(2)
	if mask == nil {
		return false
	}
	m, ok := constfold.IntOf(mask)
	switch {
	case !ok || m == 0 && (other == nil || op.Effects()&ir.EffWrite != 0):
		return false
	case m == 0:
		rw.Replace(op, other)
		return true
	}
	op.SetOperands(op.Operands()[:1], []int{1, 0, 0})
	rw.lessUsed(mask)
	if other != nil {
		rw.lessUsed(other)
	}
	rw.Modified(op)
	return true
}

// maskedStore: a mask that is true everywhere goes; one that is false everywhere takes the store with it.
func maskedStore(rw *Rewriter, op *ir.Op) bool {
	mask := op.Slot(2)
	if mask == nil {
		return false
	}
	m, ok := constfold.IntOf(mask)
	switch {
	case !ok:
		return false
	case m == 0:
		rw.Erase(op)
		return true
	}
	op.SetGroup(2, nil)
	rw.lessUsed(mask)
	rw.Modified(op)
	return true
}
