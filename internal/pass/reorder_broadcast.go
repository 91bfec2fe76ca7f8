package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// ReorderBroadcast computes before it spreads: elementwise operations go before splats and broadcasts of
// their operands, so that they work on fewer elements.
//
//	%x = tt.splat %a : i32 -> tensor<128xi32>           %z = arith.addi %a, %b : i32
//	%y = tt.splat %b : i32 -> tensor<128xi32>     =>    %s = tt.splat %z : i32 -> tensor<128xi32>
//	%s = arith.addi %x, %y : tensor<128xi32>
var ReorderBroadcast = Pass{
	Name: "triton-reorder-broadcast",
	Doc:  "move elementwise operations before splats and broadcasts",
	Run: func(ctx *Context, m *ir.Module) error {
		Greedy(ctx, m.Op, reorderPatterns, GreedyOptions{MergeBlocks: true, BottomUp: true})
		return nil
	},
}

var reorderPatterns = NewPatterns(broadcastPatterns, expandDimsPatterns, []Pattern{
	{nil, elementwiseOfBroadcast},
	{nil, elementwiseOfSplats},
})

// movable reports whether op is an elementwise operation on tensors, without effects.
func movable(op *ir.Op) bool {
	if op.Def == tt.InlineAsm && op.IntOr("packed_element", 1) != 1 {
		return false // a scalar is no pack
	}
	if !op.Def.Has(ir.Elementwise) || op.NumOperands() == 0 || op.NumResults() == 0 ||
		len(op.Regions()) > 0 || op.Effects() != 0 {
		return false
	}
	for _, r := range op.Results() {
		if _, ok := r.Type.(*ir.TensorType); !ok {
			return false
		}
	}
	return !slices.ContainsFunc(op.Operands(), func(v *ir.Value) bool {
		_, ok := v.Type.(*ir.TensorType)
		return !ok
	})
}

// isSplat reports whether v has the same element everywhere: a splat, or a constant of one value.
func isSplat(v *ir.Value) bool {
	return v.DefBy(tt.Splat) != nil || uniformConst(v) != nil
}

// uniformConst returns the scalar of a constant tensor of one value, or nil.
func uniformConst(v *ir.Value) ir.Attr {
	if d, ok := constfold.Of(v).(*ir.DenseAttr); ok && d.Splat {
		return d.Elem(0)
	}
	return nil
}

// elementwiseOfSplats: f(splat(a), splat(b)) is splat(f(a, b)).
func elementwiseOfSplats(rw *Rewriter, op *ir.Op) bool {
	if !movable(op) {
		return false
	}
	for i := range op.NumOperands() {
		if !isSplat(op.Operand(i)) {
			return false
		}
	}
	scalars := make([]*ir.Value, op.NumOperands())
	for i, v := range op.Operands() {
		if s := v.DefBy(tt.Splat); s != nil {
			scalars[i] = s.Operand(0)
		} else {
			scalars[i] = rw.Const(uniformConst(v), ir.ElemOf(v.Type))
		}
	}
	spread(rw, op, scalars, tt.Splat, func(t ir.Type) ir.Type { return ir.ElemOf(t) })
	return true
}

// elementwiseOfBroadcast: f(broadcast(a), splat(b), broadcast(c)) is broadcast(f(a, splat(b), c)), when all
// broadcasts start from one shape.
func elementwiseOfBroadcast(rw *Rewriter, op *ir.Op) bool {
	if !movable(op) {
		return false
	}
	var from *ir.TensorType
	for i := range op.NumOperands() {
		v := op.Operand(i)
		if b := v.DefBy(tt.Broadcast); b != nil {
			t := b.Operand(0).Type.(*ir.TensorType)
			if from != nil && !slices.Equal(from.Shape, t.Shape) {
				return false
			}
			if from == nil {
				from = t
			}
		} else if !isSplat(v) {
			return false
		}
	}
	if from == nil {
		return false
	}
	small := make([]*ir.Value, op.NumOperands())
	for i, v := range op.Operands() {
		small[i] = shrink(rw, v, from)
	}
	spread(rw, op, small, tt.Broadcast, func(t ir.Type) ir.Type { return from.With(ir.ElemOf(t)) })
	return true
}

// shrink returns v, a broadcast or splat, in the shape of a broadcast's source.
func shrink(rw *Rewriter, v *ir.Value, from *ir.TensorType) *ir.Value {
	t := from.With(ir.ElemOf(v.Type))
	if b := v.DefBy(tt.Broadcast); b != nil {
		return b.Operand(0)
	}
	if s := v.DefBy(tt.Splat); s != nil {
		return rw.Val(tt.Splat, t, s.Operand(0))
	}
	return rw.Const(constfold.Splat(t, uniformConst(v)), t)
}

// spread applies op to other operands, giving results of other types, and puts back the old types by def.
func spread(rw *Rewriter, op *ir.Op, operands []*ir.Value, def *ir.OpDef, as func(ir.Type) ir.Type) {
	s := ir.State{Def: op.Def, Operands: operands, Segments: op.Segments(), ResultSegs: op.ResultSegments(),
		Attrs: op.Attrs()}
	for _, r := range op.Results() {
		s.Results = append(s.Results, as(r.Type))
	}
	small := rw.Create(s)
	results := make([]*ir.Value, op.NumResults())
	for i, r := range op.Results() {
		small.Result(i).Name = r.Name
		results[i] = rw.Val(def, r.Type, small.Result(i))
	}
	rw.Replace(op, results...)
}
