package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
)

// Take returns elements of x along a dimension, by index: the dimension becomes those of index, which is of
// integers. An index outside of x gives zeros.
//
// For a table of vectors and dimension 0 it is an embedding.
func Take(s *Stream, x, index *nereid.Tensor, axis int) *nereid.Tensor {
	return s.indexed("Take", x, index, axis, planTake)
}

// Gather returns elements of x along a dimension, each by an index of its own: the result has the shape of
// index, which has the sizes of x along all other dimensions. An index outside of x gives zeros.
func Gather(s *Stream, x, index *nereid.Tensor, axis int) *nereid.Tensor {
	return s.indexed("Gather", x, index, axis, planGather)
}

// indexed calls an op that reads x by index along a dimension.
func (s *Stream) indexed(op string, x, index *nereid.Tensor, axis int,
	planned func(*call, int) (*plan, error)) *nereid.Tensor {
	x, index = s.packed(x), s.packed(index)
	c := s.begin(op)
	c.in("x", x)
	c.in("index", index)
	c.attr(axis)
	return c.run(func(c *call) (*plan, error) { return planned(c, axis) })
}

// ScatterAdd returns x with the elements of source added along a dimension, each at an index of its own:
// index and source have the sizes of x along all other dimensions. An index outside of x adds nothing. The
// order of the additions is arbitrary.
func ScatterAdd(s *Stream, x, index, source *nereid.Tensor, axis int) *nereid.Tensor {
	index, source = s.packed(index), s.packed(source)
	c := s.begin("ScatterAdd")
	c.in("x", x)
	c.in("index", index)
	c.in("source", source)
	c.attr(axis)
	return c.run(func(c *call) (*plan, error) {
		if dt := c.ins[0].DType; dt.Size() == 1 || dt.Size() == 2 && !dt.IsFloat() {
			return nil, wrong(c.op, "x", "there are no sums of %s in memory", dt)
		}
		return planScatter(c, axis, "scatter_add_kernel")
	})
}

// Scatter returns x with the elements of source stored along a dimension, each at an index of its own, as
// ScatterAdd adds them. Of several elements for one place, any may be stored.
func Scatter(s *Stream, x, index, source *nereid.Tensor, axis int) *nereid.Tensor {
	index, source = s.packed(index), s.packed(source)
	c := s.begin("Scatter")
	c.in("x", x)
	c.in("index", index)
	c.in("source", source)
	c.attr(axis)
	return c.run(func(c *call) (*plan, error) { return planScatter(c, axis, "scatter_kernel") })
}

// packed returns a tensor without gaps: x itself, or a copy in the arena.
func (s *Stream) packed(x *nereid.Tensor) *nereid.Tensor {
	if x.Err() != nil || x.Contiguous() {
		return x
	}
	return s.plain.apply(copyOp, x)
}

// along is a tensor seen in three dimensions: one, and what is outside and inside of it.
type along struct{ outer, size, inner int }

func alongAxis(shape []int, axis int) along {
	return along{outer: count(shape[:axis]), size: shape[axis], inner: count(shape[axis+1:])}
}

// indexed checks the axis and the type of an index, operand 1.
func (c *call) indexed(axis int) (int, error) {
	list, err := axes(len(c.ins[0].Shape), []int{axis})
	if err != nil {
		return 0, wrong(c.op, c.names[0], "%w", err)
	}
	if dt := c.ins[1].DType; kindOf(dt) != intKind {
		return 0, wrong(c.op, "index", "it is of %s, not of integers", dt)
	}
	return list[0], nil
}

func planTake(c *call, axis int) (*plan, error) {
	axis, err := c.indexed(axis)
	if err != nil {
		return nil, err
	}
	x, index := c.ins[0], c.ins[1]
	shape := slices.Concat(x.Shape[:axis], index.Shape, x.Shape[axis+1:])
	p := &plan{outs: []result{{x.DType, shape}}}
	if count(shape) == 0 {
		return p, nil
	}
	v := alongAxis(x.Shape, axis)
	return p, c.rows(p, "take_kernel", v, index.Len(), 0, 1, c.n)
}

func planGather(c *call, axis int) (*plan, error) {
	axis, err := c.indexed(axis)
	if err != nil {
		return nil, err
	}
	x, index := c.ins[0], c.ins[1]
	if !sameBut(x.Shape, index.Shape, axis) {
		return nil, wrong(c.op, "index", "its shape is %v, and that of x %v: they may differ in "+
			"dimension %d alone", index.Shape, x.Shape, axis)
	}
	p := &plan{outs: []result{{x.DType, slices.Clone(index.Shape)}}}
	if index.Len() == 0 {
		return p, nil
	}
	return p, c.rows(p, "gather_kernel", alongAxis(x.Shape, axis), index.Shape[axis], 0, 1, c.n)
}

// sameBut reports whether two shapes are the same but for one dimension.
func sameBut(a, b []int, axis int) bool {
	return len(a) == len(b) && slices.Equal(a[:axis], b[:axis]) && slices.Equal(a[axis+1:], b[axis+1:])
}

func planScatter(c *call, axis int, kernel string) (*plan, error) {
	axis, err := c.indexed(axis)
	if err != nil {
		return nil, err
	}
	x, index, source := c.ins[0], c.ins[1], c.ins[2]
	if !sameBut(x.Shape, index.Shape, axis) {
		return nil, wrong(c.op, "index", "its shape is %v, and that of x %v: they may differ in "+
			"dimension %d alone", index.Shape, x.Shape, axis)
	}
	if !slices.Equal(source.Shape, index.Shape) {
		return nil, wrong(c.op, "source", "its shape is %v, and that of index %v", source.Shape, index.Shape)
	}
	p := &plan{outs: []result{{x.DType, slices.Clone(x.Shape)}}}
	if x.Len() == 0 {
		return p, nil
	}
	if err := c.place(p, 0, contiguous(x.Shape), 0); err != nil || index.Len() == 0 {
		return p, err
	}
	return p, c.rows(p, kernel, alongAxis(x.Shape, axis), index.Shape[axis], 1, 2, c.n)
}

// rows adds a launch of a kernel of index.py to a plan: its first three arguments are operands.
func (c *call) rows(p *plan, kernel string, v along, n int, operands ...int) error {
	if c.s.into && c.s.n > 0 && !c.s.outs[0].Contiguous() {
		return wrong(c.op, outNames[0], "it is a view with the strides %v; this op fills tensors without gaps",
			c.s.outs[0].Strides)
	}
	k, err := c.s.lib.kernel("index.py", kernel)
	if err != nil {
		return err
	}
	cols := min(pow2(v.inner), elements[c.s.chip])
	rows := v.outer * n
	r := min(pow2(rows), elements[c.s.chip]/cols)
	st := step{kernel: k, grid: nereid.Grid{nereid.Cdiv(rows, r), nereid.Cdiv(v.inner, cols)},
		args: []any{nil, nil, nil, rows, n, v.size, v.inner, r, cols}}
	for i, o := range operands {
		st.slots = append(st.slots, slot{i, o})
	}
	p.steps = append(p.steps, st)
	return nil
}
