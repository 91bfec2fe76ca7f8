package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// pickOps choose places in tensors by data.
var pickOps = table{
	tt.Gather:    convertGather,
	tt.Histogram: convertHistogram,
}

// convertGather reads, for each index, the element that it picks along the axis.
func convertGather(c *converter, op *ir.Op) {
	v := op.Result(0)
	axis := int(op.IntOr("axis", 0))
	src, idx := c.pointerData(op.Operand(0), v), c.val(op.Operand(1))
	t := dataType(v.Type).(*ir.TensorType)
	c.setVal(v, c.generic([]operand{{idx, ir.IdentityMap(t.Rank())}}, t, func(args []*ir.Value) *ir.Value {
		at := make([]*ir.Value, t.Rank())
		for d := range at {
			if d != axis {
				at[d] = c.count(d, ir.Index)
			}
		}
		at[axis] = c.gatherIndex(args[0])
		return c.extract(src, at)
	}))
}

// gatherIndex converts an index of a gather. Those of fewer than 32 bits have no sign.
func (c *converter) gatherIndex(v *ir.Value) *ir.Value {
	if ir.BitWidth(v.Type) < 32 {
		return c.b.Val(arith.IndexCastUI, ir.Index, v)
	}
	return c.toIndex(v)
}

// convertHistogram counts in a buffer. Numbers are taken modulo the number of bins, a power of two, as GPUs
// do that look at their last bits only; those whose mask is false are left out.
func convertHistogram(c *converter, op *ir.Op) {
	v := op.Result(0)
	t := v.Type.(*ir.TensorType)
	src := c.val(op.Operand(0))
	var maskv *ir.Value
	if m := op.Slot(1); m != nil {
		maskv = c.val(m)
	}
	buf := c.alloc(t.Shape, t.Elem)
	c.fillBuffer(c.zero(t.Elem), buf)
	c.nest(ir.ShapeOf(src.Type), -1, func(at []*ir.Value) {
		bin := c.b.Val(arith.IndexCastUI, ir.Index, c.extract(src, at))
		bin = c.b.Val(arith.AndI, ir.Index, bin, c.index(t.Shape[0]-1))
		count := func() {
			n := c.b.Val(memref.Load, t.Elem, buf, bin)
			n = c.b.Val(arith.AddI, t.Elem, n, arith.ConstInt(c.b, 1, t.Elem))
			c.b.Op(memref.Store, []*ir.Value{n, buf, bin}, nil)
		}
		if maskv == nil {
			count()
			return
		}
		c.ifThen(c.extract(maskv, slices.Clone(at)), count)
	})
	c.setVal(v, c.toTensor(buf))
}
