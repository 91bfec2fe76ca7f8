package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// shapeOps make tensors, or give them another shape.
var shapeOps = table{
	tt.MakeRange:  convertRange,
	tt.Splat:      convertSplat,
	tt.Unsplat:    convertUnsplat,
	tt.ExpandDims: convertExpandDims,
	tt.Broadcast:  convertBroadcast,
	tt.Reshape:    convertReshape,
	tt.Trans:      convertTrans,
	tt.Cat:        convertCat,
	tt.Join:       convertJoin,
	tt.Split:      convertSplit,
}

// convertRange counts. (Where a description is at hand, that does it.)
func convertRange(c *converter, op *ir.Op) { c.setVal(op.Result(0), c.elements(op.Result(0))) }

func convertSplat(c *converter, op *ir.Op) {
	v := op.Result(0)
	c.setVal(v, c.fill(c.val(op.Operand(0)), dataType(v.Type).(*ir.TensorType)))
}

func convertUnsplat(c *converter, op *ir.Op) {
	v := op.Result(0)
	x := c.firstOf(op.Operand(0))
	if tt.IsPtr(v.Type) {
		c.root(v, x)
		return
	}
	c.setVal(v, x)
}

func convertExpandDims(c *converter, op *ir.Op) {
	c.setVal(op.Result(0), c.reshape(c.val(op.Operand(0)), ir.ShapeOf(op.Result(0).Type)))
}

func convertReshape(c *converter, op *ir.Op) {
	c.setVal(op.Result(0), c.reshape(c.val(op.Operand(0)), ir.ShapeOf(op.Result(0).Type)))
}

// reshape gives a tensor another shape: groups of dimensions are joined, then taken apart.
func (c *converter) reshape(v *ir.Value, shape []int64) *ir.Value {
	from := ir.ShapeOf(v.Type)
	if slices.Equal(from, shape) {
		return v
	}
	groups, ok := regroup(from, shape)
	if !ok {
		panic("reshape to another number of elements")
	}
	middle, in, out := joined(groups, from)
	v = c.collapse(v, middle, in)
	return c.expand(v, shape, out)
}

// joined merges groups so that none is empty on either side, and gives the shape between collapsing and
// expanding, with the reassociation of each. A tensor of one element has no dimensions between.
func joined(groups []group, from []int64) (middle []int64, in, out [][]int64) {
	var merged []group
	var pending group
	for _, g := range groups {
		pending.from, pending.to = append(pending.from, g.from...), append(pending.to, g.to...)
		if len(pending.from) > 0 && len(pending.to) > 0 {
			merged = append(merged, pending)
			pending = group{}
		}
	}
	if len(merged) == 0 {
		return []int64{}, nil, nil
	}
	last := &merged[len(merged)-1] // what is left over has one element
	last.from, last.to = append(last.from, pending.from...), append(last.to, pending.to...)
	for _, g := range merged {
		n := int64(1)
		for _, d := range g.from {
			n *= from[d]
		}
		middle = append(middle, n)
		in, out = append(in, wide(g.from)), append(out, wide(g.to))
	}
	return middle, in, out
}

func wide(list []int) []int64 {
	out := make([]int64, len(list))
	for i, x := range list {
		out[i] = int64(x)
	}
	return out
}

// convertBroadcast repeats along dimensions of size one, which linalg.broadcast adds: they are taken away
// first.
func convertBroadcast(c *converter, op *ir.Op) {
	v, x := op.Result(0), op.Operand(0)
	from, to := ir.ShapeOf(x.Type), ir.ShapeOf(v.Type)
	var dims, left []int64
	for d := range to {
		if from[d] != to[d] {
			dims = append(dims, int64(d))
		} else {
			left = append(left, to[d])
		}
	}
	small := c.reshape(c.withoutDims(x, dims), left)
	c.setVal(v, c.broadcast(small, dataType(v.Type).(*ir.TensorType), dims))
}

// withoutDims returns the data of x, or of what x is once expand_dims have added some of the given
// dimensions.
func (c *converter) withoutDims(x *ir.Value, dims []int64) *ir.Value {
	if op := x.DefBy(tt.ExpandDims); op != nil && slices.Contains(dims, op.IntOr("axis", 0)) {
		if v := c.vals[op.Operand(0)]; v != nil {
			return v
		}
	}
	return c.val(x)
}

// broadcast repeats a tensor along new dimensions of t.
func (c *converter) broadcast(v *ir.Value, t *ir.TensorType, dims []int64) *ir.Value {
	if len(dims) == 0 {
		return v
	}
	return c.b.ValA(linalg.Broadcast, t, []ir.NamedAttr{ir.A("dimensions", ir.DenseArray(ir.I64, dims...))},
		v, c.empty(t))
}

func convertTrans(c *converter, op *ir.Op) {
	v := op.Result(0)
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	t := dataType(v.Type).(*ir.TensorType)
	c.setVal(v, c.b.ValA(linalg.Transpose, t,
		[]ir.NamedAttr{ir.A("permutation", ir.DenseArray(ir.I64, order...))}, c.val(op.Operand(0)),
		c.empty(t)))
}

// pointerData returns an operand as data; of pointers, in the terms of the result.
func (c *converter) pointerData(x, result *ir.Value) *ir.Value {
	if tt.IsPtrLike(x.Type) {
		return c.pointersAs(x, c.stateOf(result).src)
	}
	return c.val(x)
}

// convertCat puts one tensor after the other.
func convertCat(c *converter, op *ir.Op) {
	v := op.Result(0)
	t := dataType(v.Type).(*ir.TensorType)
	into := c.empty(t)
	at := int64(0)
	for _, x := range op.Operands() {
		part := c.pointerData(x, v)
		shape := ir.ShapeOf(part.Type)
		where := plane(t.Shape, 0, at)
		where.sizes[0].Const, where.fixed = shape[0], nil
		into = c.insert(part, into, where)
		at += shape[0]
	}
	c.setVal(v, into)
}

// convertJoin puts two tensors together along a new last dimension.
func convertJoin(c *converter, op *ir.Op) {
	v := op.Result(0)
	t := dataType(v.Type).(*ir.TensorType)
	into := c.empty(t)
	for i, x := range op.Operands() {
		into = c.insert(c.pointerData(x, v), into, plane(t.Shape, t.Rank()-1, int64(i)))
	}
	c.setVal(v, into)
}

func convertSplit(c *converter, op *ir.Op) {
	x := c.val(op.Operand(0))
	shape := ir.ShapeOf(x.Type)
	for i, v := range op.Results() {
		c.setVal(v, c.slice(x, plane(shape, len(shape)-1, int64(i))))
	}
}
