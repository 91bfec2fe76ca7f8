package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Concat returns tensors joined along a dimension. They have the same sizes along all others, and meet in one
// type.
func Concat(s *Stream, axis int, xs ...*nereid.Tensor) *nereid.Tensor {
	if len(xs) > maxIns {
		return s.concatMany(axis, slices.Clone(xs)) // a copy: xs stay on the caller's stack
	}
	c := s.begin("Concat")
	c.attr(axis)
	if len(xs) == 0 {
		c.err = wrong(c.op, "", "there is no tensor")
		return c.run(nil)
	}
	for i, x := range xs {
		c.in(concatNames[i], x)
	}
	return c.run(func(c *call) (*plan, error) { return planConcat(c, axis) })
}

// concatMany joins parts of many tensors first.
func (s *Stream) concatMany(axis int, xs []*nereid.Tensor) *nereid.Tensor {
	var parts []*nereid.Tensor
	for list := range slices.Chunk(xs, maxIns) {
		parts = append(parts, Concat(s.plain, axis, list...))
	}
	return Concat(s, axis, parts...)
}

var concatNames = [maxIns]string{"xs[0]", "xs[1]", "xs[2]", "xs[3]", "xs[4]", "xs[5]", "xs[6]", "xs[7]"}

func planConcat(c *call, axis int) (*plan, error) {
	first := c.ins[0]
	list, err := axes(len(first.Shape), []int{axis})
	if err != nil {
		return nil, wrong(c.op, c.names[0], "%w", err)
	}
	axis = list[0]
	r := result{dt: first.DType, shape: slices.Clone(first.Shape)}
	for i, x := range c.ins[1:c.n] {
		rest, want := slices.Clone(x.Shape), slices.Clone(first.Shape)
		if len(rest) == len(want) {
			rest[axis] = want[axis]
		}
		if !slices.Equal(rest, want) {
			return nil, wrong(c.op, c.names[i+1], "its shape is %v, and that of %s %v", x.Shape, c.names[0],
				first.Shape)
		}
		r.dt, r.shape[axis] = promote(r.dt, x.DType), r.shape[axis]+x.Shape[axis]
	}
	p := &plan{outs: []result{c.outcome(r)}}
	strides, at := c.outStrides(r.shape), 0
	var parts []concatPart
	for i, x := range c.ins[:c.n] {
		if x.Len() > 0 {
			parts = append(parts, concatPart{input: i, begin: at * strides[axis]})
		}
		at += x.Shape[axis]
	}
	if c.asRows(p, parts, strides, axis) {
		return p, c.joinRows(p, parts)
	}
	for _, x := range parts {
		if err := c.place(p, x.input, strides, x.begin); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// concatPart is an operand of Concat as rows of contiguous elements.
type concatPart struct {
	input       int
	begin       int // its first element in a row of the result
	rows, cols  int
	stride, out int // from row to row, of the operand and of the result
}

// asRows reports whether all operands are rows of contiguous elements that stay such in the result, and finds
// their sizes: concat_kernel can copy them.
func (c *call) asRows(p *plan, parts []concatPart, strides []int, axis int) bool {
	if len(parts) < 2 {
		return false
	}
	for i := range parts {
		x := c.ins[parts[i].input]
		all := space{sizes: x.Shape, strides: [][]int{core.Strides(x), strides}}
		dims := make([]int, len(x.Shape))
		for d := range dims {
			dims[d] = d
		}
		rows, cols := all.pick(dims[:axis]).collapse(), all.pick(dims[axis:]).collapse()
		if x.DType != p.outs[0].dt || len(rows.sizes) > 1 || len(cols.sizes) > 1 {
			return false
		}
		y := &parts[i]
		y.rows, y.cols = count(rows.sizes), count(cols.sizes)
		if len(rows.sizes) == 1 {
			y.stride, y.out = rows.strides[0][0], rows.strides[1][0]
		}
		if len(cols.sizes) == 1 && (cols.strides[0][0] != 1 || cols.strides[1][0] != 1) {
			return false
		}
		if i > 0 && y.begin != parts[i-1].begin+parts[i-1].cols {
			return false // columns of one element, not one behind the other
		}
	}
	return true
}

// concatParts is how many operands concat_kernel copies at once.
const concatParts = 4

// joinRows adds launches to a plan that copy all operands, several at once.
func (c *call) joinRows(p *plan, parts []concatPart) error {
	k, err := c.s.lib.kernel("index.py", "concat_kernel")
	if err != nil {
		return err
	}
	for len(parts) > 0 {
		n := min(len(parts), concatParts)
		if len(parts) == concatParts+1 {
			n-- // none is left alone
		}
		p.steps = append(p.steps, c.joinStep(k, parts[:n]))
		parts = parts[n:]
	}
	return nil
}

// joinStep returns the launch for two to four operands.
func (c *call) joinStep(k *nereid.Kernel, parts []concatPart) step {
	most := 0
	for _, x := range parts {
		most = max(most, x.cols)
	}
	rows, width := parts[0].rows, min(pow2(most), elements[c.s.chip])
	height := min(pow2(rows), elements[c.s.chip]/width)
	st := step{kernel: k, args: make([]any, concatParts, 2*concatParts+10)}
	var cols, strides [concatParts]int
	tiles := 0
	for i, x := range parts {
		st.slots = append(st.slots, slot{i, x.input})
		cols[i], strides[i] = x.cols, x.stride
		tiles += nereid.Cdiv(x.cols, width)
	}
	st.slots = append(st.slots, slot{concatParts, c.n})
	st.args = append(st.args, nil, rows, parts[0].out)
	st.args = append(st.args, numbers(slices.Concat(cols[:], strides[:])...)...)
	st.args = append(st.args, parts[0].begin, height, width)
	st.grid = nereid.Grid{tiles * nereid.Cdiv(rows, height)}
	return st
}
