package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// This file makes operations of the output that several families need.

// dataElem returns the element type of a tensor of the output: pointers are distances or addresses.
func dataElem(t ir.Type) ir.Type {
	if tt.IsPtr(t) {
		return ir.I64
	}
	return t
}

// dataType returns the type of a value of the output.
func dataType(t ir.Type) ir.Type { return ir.WithElem(t, dataElem(ir.ElemOf(t))) }

func (c *converter) empty(t *ir.TensorType) *ir.Value { return c.b.Val(tensor.Empty, t) }

// fill emits a tensor whose elements are all one scalar.
func (c *converter) fill(v *ir.Value, t *ir.TensorType) *ir.Value {
	return c.named(linalg.Fill, []*ir.Value{v}, c.empty(t))
}

// named makes a structured operation with one output, a tensor.
func (c *converter) named(def *ir.OpDef, ins []*ir.Value, out *ir.Value) *ir.Value {
	return c.b.Groups(def, [][]*ir.Value{ins, {out}}, []ir.Type{out.Type}).Result(0)
}

// operand is an input of a loop nest, and how it is read.
type operand struct {
	v *ir.Value
	m *ir.AffineMap
}

// generic makes a loop nest over a new tensor of type t. body gets the elements of the inputs.
func (c *converter) generic(ins []operand, t *ir.TensorType,
	body func(args []*ir.Value) *ir.Value) *ir.Value {
	return c.generics(ins, []*ir.TensorType{t}, func(args []*ir.Value) []*ir.Value {
		return []*ir.Value{body(args)}
	})[0]
}

// generics is like generic, with several outputs of one shape.
func (c *converter) generics(ins []operand, ts []*ir.TensorType,
	body func(args []*ir.Value) []*ir.Value) []*ir.Value {
	rank := ts[0].Rank()
	var inputs, outputs []*ir.Value
	var maps []*ir.AffineMap
	block := ir.NewBlock()
	for _, x := range ins {
		inputs, maps = append(inputs, x.v), append(maps, x.m)
		block.AddArg(ir.ElemOf(x.v.Type), nil)
	}
	var results []ir.Type
	for _, t := range ts {
		outputs, maps = append(outputs, c.empty(t)), append(maps, ir.IdentityMap(rank))
		block.AddArg(t.Elem, nil)
		results = append(results, t)
	}
	op := c.b.Create(ir.State{
		Def:      linalg.Generic,
		Operands: slices.Concat(inputs, outputs),
		Segments: []int{len(inputs), len(outputs)},
		Results:  results,
		Attrs: []ir.NamedAttr{
			ir.A("indexing_maps", linalg.MapsAttr(maps...)),
			ir.A("iterator_types", linalg.IteratorTypes(slices.Repeat([]string{linalg.Parallel}, rank)...)),
		},
		Regions: []*ir.Region{ir.NewRegion(block)},
	})
	c.within(block, func() { c.b.Op(linalg.Yield, body(block.Args()), nil) })
	return op.Results()
}

// within runs f with the builder at the end of a block, and moves the builder back.
func (c *converter) within(b *ir.Block, f func()) {
	p := c.b.Point()
	c.b.ToEnd(b)
	f()
	c.b.SetPoint(p)
}

// count returns the index along a dimension of the enclosing loop nest, as an integer of type t.
func (c *converter) count(dim int, t ir.Type) *ir.Value {
	v := c.b.ValA(linalg.Index, ir.Index, []ir.NamedAttr{ir.A("dim", ir.I64Attr(int64(dim)))})
	if t == ir.Index {
		return v
	}
	return c.b.Val(arith.IndexCast, t, v)
}

// box is a part of a tensor or buffer: an offset and a size along each dimension. Dimensions of size one that
// are fixed are left out of the result.
type box struct {
	offsets, sizes []indexlist.Entry
	fixed          []bool
}

// shape returns the shape of the part.
func (x box) shape() []int64 {
	shape := []int64{}
	for i, n := range x.sizes {
		switch {
		case x.fixed != nil && x.fixed[i]:
		case n.Value != nil:
			shape = append(shape, ir.Dynamic)
		default:
			shape = append(shape, n.Const)
		}
	}
	return shape
}

// lists returns the operands and attributes of an operation on a part.
func (x box) lists() (groups [][]*ir.Value, attrs []ir.NamedAttr) {
	strides := indexlist.Consts(slices.Repeat([]int64{1}, len(x.sizes))...)
	for i, l := range [][]indexlist.Entry{x.offsets, x.sizes, strides} {
		dynamic, static := indexlist.Split(l)
		groups = append(groups, dynamic)
		attrs = append(attrs, ir.A([]string{"static_offsets", "static_sizes", "static_strides"}[i], static))
	}
	return groups, attrs
}

// slice emits a tensor.extract_slice.
func (c *converter) slice(t *ir.Value, x box) *ir.Value {
	lists, attrs := x.lists()
	out := ir.Tensor(x.shape(), ir.ElemOf(t.Type), nil)
	return c.b.Groups(tensor.ExtractSlice, append([][]*ir.Value{{t}}, lists...), []ir.Type{out},
		attrs...).Result(0)
}

// insert emits a tensor.insert_slice: a tensor with a part replaced.
func (c *converter) insert(part, into *ir.Value, x box) *ir.Value {
	lists, attrs := x.lists()
	return c.b.Groups(tensor.InsertSlice, append([][]*ir.Value{{part}, {into}}, lists...),
		[]ir.Type{into.Type}, attrs...).Result(0)
}

// plane returns the box of all elements of a shape whose index along a dimension is at; the dimension is left
// out.
func plane(shape []int64, dim int, at int64) box {
	x := box{offsets: make([]indexlist.Entry, len(shape)), sizes: indexlist.Consts(shape...),
		fixed: make([]bool, len(shape))}
	x.offsets[dim].Const, x.sizes[dim].Const, x.fixed[dim] = at, 1, true
	return x
}

// groupsAttr returns the reassociation of an expand_shape or collapse_shape.
func groupsAttr(groups [][]int64) ir.Attr {
	list := make([]ir.Attr, len(groups))
	for i, g := range groups {
		elems := make([]ir.Attr, len(g))
		for j, d := range g {
			elems[j] = ir.I64Attr(d)
		}
		list[i] = ir.Array(elems...)
	}
	return ir.Array(list...)
}

// collapse joins groups of dimensions; nil groups make a tensor without dimensions.
func (c *converter) collapse(v *ir.Value, shape []int64, groups [][]int64) *ir.Value {
	t := ir.Tensor(shape, ir.ElemOf(v.Type), nil)
	if t == v.Type {
		return v
	}
	return c.b.ValA(tensor.CollapseShape, t, []ir.NamedAttr{ir.A("reassociation", groupsAttr(groups))}, v)
}

// expand takes dimensions apart.
func (c *converter) expand(v *ir.Value, shape []int64, groups [][]int64) *ir.Value {
	t := ir.Tensor(shape, ir.ElemOf(v.Type), nil)
	if t == v.Type {
		return v
	}
	return c.b.ValA(tensor.ExpandShape, t, []ir.NamedAttr{
		ir.A("reassociation", groupsAttr(groups)),
		ir.A("static_output_shape", ir.DenseArray(ir.I64, shape...)),
	}, v)
}
