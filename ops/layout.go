package ops

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

var copyOp = newFused("Copy", []string{"x"}, &node{input: 0})

// Copy returns a contiguous copy of x, which may be any view: x.Transpose(0, 1), say. With Into it converts
// to the type of the tensor, and fills a view.
func Copy(s *Stream, x *nereid.Tensor) *nereid.Tensor { return s.apply(copyOp, x) }

// Cast returns x in another type: floats are rounded to nearest, to integers toward 0; what is not 0 is a
// true bool.
func Cast(s *Stream, x *nereid.Tensor, dt nereid.DType) *nereid.Tensor {
	c := s.begin("Cast")
	c.in("x", x)
	c.attr(int(dt))
	return c.run(func(c *call) (*plan, error) {
		if tlNames[dt] == "" {
			return nil, fmt.Errorf("there is no type %v", dt)
		}
		return (&fusion{f: copyOp, dt: dt}).plan(c)
	})
}

// fnPosition is the position of an element in a result of one dimension.
var fnPosition = &function{name: "position", text: "col", rule: sizeRule}

var (
	fillOp = newFused("Fill", []string{"value"}, &node{input: 0})
	// iotaOps are by the type in which they compute, which is at least as wide as that of the results.
	iotaOps = map[nereid.DType]*Fused{nereid.Int64: iotaIn(nereid.Int64),
		nereid.Float32: iotaIn(nereid.Float32), nereid.Float64: iotaIn(nereid.Float64)}
	uniformOp = newFused("Uniform", []string{"seed"}, randomNode("tl.rand($0, col)"))
	normalOp  = newFused("Normal", []string{"seed"}, randomNode("tl.randn($0, col)"))
)

func iotaIn(dt nereid.DType) *Fused {
	return fusedN("Iota", []string{"start", "step"}, func(x []Expr) []Expr {
		return []Expr{Expr{&node{fn: fnPosition}}.To(dt).Mul(x[1]).Add(x[0])}
	})
}

// randomNode returns a random number of a seed, the input, and the position.
func randomNode(text string) *node {
	return &node{fn: &function{name: "random", text: text, rule: randomRule},
		args: []*node{{input: 0}, {fn: fnPosition}}}
}

// Fill returns a tensor with all elements of one value.
func Fill[N int | float64](s *Stream, value N, dt nereid.DType, shape ...int) *nereid.Tensor {
	return s.produce(fillOp, dt, shape, value)
}

// Iota returns the numbers start, start + step, … in one dimension of n elements.
func Iota[N int | float64](s *Stream, start, step N, dt nereid.DType, n int) *nereid.Tensor {
	in := nereid.Float32
	switch _, integers := any(start).(int); {
	case integers:
		in = nereid.Int64
	case dt == nereid.Float64:
		in = dt
	}
	return s.produce(iotaOps[in], dt, []int{n}, start, step)
}

// Uniform returns random numbers from 0 to 1, 1 excluded before they are rounded to the type. The same seed
// and shape give the same numbers on every device.
func Uniform(s *Stream, seed int, dt nereid.DType, shape ...int) *nereid.Tensor {
	return s.produce(uniformOp, dt, shape, seed)
}

// Normal returns normally distributed random numbers of mean 0 and variance 1. The same seed and shape give
// the same numbers.
func Normal(s *Stream, seed int, dt nereid.DType, shape ...int) *nereid.Tensor {
	return s.produce(normalOp, dt, shape, seed)
}

// produce runs an op that has a shape instead of tensors.
func (s *Stream) produce(f *Fused, dt nereid.DType, shape []int, numbers ...any) *nereid.Tensor {
	c := f.begin(s, numbers)
	c.attr(int(dt))
	for _, n := range shape {
		c.attr(n)
	}
	return c.run(func(c *call) (*plan, error) {
		if err := core.CheckShape(dt, shape); err != nil {
			return nil, err
		}
		x := &fusion{f: f, dt: dt, shape: append([]int{}, shape...)}
		p, err := x.plan(c)
		if err == nil && f != fillOp && len(x.rows.sizes) > 0 {
			return nil, wrong(f.name, outNames[0], "it is a view with the strides %v; this op fills tensors "+
				"without gaps", c.s.outs[0].Strides)
		}
		return p, err
	})
}

// outcome returns a result in the type of the tensor of Into, if there is one.
func (c *call) outcome(r result) result {
	if c.s.into && c.s.n > 0 {
		r.dt = c.s.outs[0].DType
	}
	return r
}

// outStrides returns the strides of the first result.
func (c *call) outStrides(shape []int) []int { return c.outStridesOf(0, shape) }

// outStridesOf returns the strides of a result.
func (c *call) outStridesOf(i int, shape []int) []int {
	if c.s.into && i < min(c.s.n, maxOuts) && len(c.s.outs[i].Shape) == len(shape) {
		return core.Strides(c.s.outs[i])
	}
	return contiguous(shape)
}

// place adds a launch to a plan that copies input i to a part of the first output: from element begin on,
// with these strides.
func (c *call) place(p *plan, i int, strides []int, begin int) error {
	if c.ins[i].Len() == 0 {
		return nil
	}
	x := &fusion{f: copyOp, dt: p.outs[0].dt, into: strides, begin: begin}
	return c.formula(p, x, c.n, i)
}

// formula adds a launch to a plan that computes a formula of inputs of the call for an operand.
func (c *call) formula(p *plan, x *fusion, to int, inputs ...int) error {
	sub := &call{s: c.s.plain, op: c.op, n: len(inputs)}
	for i, from := range inputs {
		sub.names[i], sub.ins[i], sub.nums[i] = c.names[from], c.ins[from], c.nums[from]
	}
	if err := x.resolve(sub); err != nil {
		return err
	}
	k, err := c.s.lib.generated(x.f.kernelName(), x.form.text())
	if err != nil {
		return err
	}
	st := x.step(k)
	for i, from := range st.slots {
		if from.operand < len(inputs) {
			st.slots[i].operand = inputs[from.operand]
		} else {
			st.slots[i].operand = to
		}
	}
	for _, l := range x.limits {
		p.limits = append(p.limits, limit{inputs[l.operand], l.dt})
	}
	p.steps = append(p.steps, st)
	return nil
}

// padBlock is how many elements a program of pad_flat_kernel fills.
const padBlock = 512

// padRank is how many dimensions pad_kernel knows.
const padRank = 4

// padsAtOnce reports whether pad_kernel can fill the first result, which has these strides.
func (c *call) padsAtOnce(p *plan, strides []int) bool {
	x, r := c.ins[0], p.outs[0]
	return len(x.Shape) <= padRank && x.Len() > 0 && r.dt == x.DType && r.dt.IsFloat() &&
		r.dt != nereid.Float64 && slices.Equal(strides, contiguous(r.shape))
}

// padAtOnce adds a launch to a plan that writes each element of the first result once.
func (c *call) padAtOnce(p *plan, before []int) error {
	k, err := c.s.lib.kernel("index.py", "pad_kernel")
	if err != nil {
		return err
	}
	var sizes, begins, strides, results [padRank]int
	for d := range padRank {
		sizes[d], results[d] = 1, 1
	}
	skip := padRank - len(before)
	copy(sizes[skip:], c.ins[0].Shape)
	copy(begins[skip:], before)
	copy(strides[skip:], core.Strides(c.ins[0]))
	copy(results[skip:], p.outs[0].shape)
	rows, cols := count(results[:padRank-1]), results[padRank-1]
	slots := []slot{{0, 0}, {1, c.n}, {2, 1}}
	if block := padBlock; c.s.chip == gpuChip && cols >= block {
		if k, err = c.s.lib.kernel("index.py", "pad_flat_kernel"); err != nil {
			return err
		}
		args := []any{nil, nil, nil, rows * cols, cols, results[1], results[2]}
		for d := range padRank {
			args = append(args, sizes[d], begins[d], strides[d])
		}
		p.steps = []step{{kernel: k, args: append(args, block), slots: slots,
			grid: nereid.Grid{nereid.Cdiv(rows*cols, block)}}}
		return nil
	}
	blockCols := min(pow2(cols), elements[c.s.chip])
	blockRows := min(pow2(rows), elements[c.s.chip]/blockCols)
	args := []any{nil, nil, nil, rows, cols, results[1], results[2]}
	for d := range padRank {
		args = append(args, sizes[d], begins[d], strides[d])
	}
	p.steps = []step{{kernel: k, args: append(args, blockRows, blockCols),
		slots: slots,
		grid:  nereid.Grid{nereid.Cdiv(rows, blockRows), nereid.Cdiv(cols, blockCols)}}}
	return nil
}

// Pad returns x with before[d] elements of a value in front of dimension d and after[d] behind it.
func Pad(s *Stream, x *nereid.Tensor, value float64, before, after []int) *nereid.Tensor {
	c := s.begin("Pad")
	c.in("x", x)
	whole := x.Err() == nil && !x.DType.IsFloat() && float64(int64(value)) == value
	c.number("value", number{f: value, i: int64(value), float: !whole}) // fp32 does not hold all integers
	for _, list := range [][]int{before, after} {
		c.attr(len(list))
		for _, n := range list {
			c.attr(n)
		}
	}
	return c.run(func(c *call) (*plan, error) { return planPad(c, before, after) })
}

func planPad(c *call, before, after []int) (*plan, error) {
	x := c.ins[0]
	if len(before) != len(x.Shape) || len(after) != len(x.Shape) {
		return nil, wrong(c.op, "x", "it has %d dimensions, and the padding is for %d and %d", len(x.Shape),
			len(before), len(after))
	}
	r := result{dt: x.DType, shape: slices.Clone(x.Shape)}
	for d := range r.shape {
		if before[d] < 0 || after[d] < 0 {
			return nil, wrong(c.op, "", "a padding of dimension %d is negative", d)
		}
		r.shape[d] += before[d] + after[d]
	}
	p := &plan{outs: []result{c.outcome(r)}}
	if count(r.shape) == 0 {
		return p, nil
	}
	strides, begin := c.outStrides(r.shape), 0
	if c.padsAtOnce(p, strides) {
		return p, c.padAtOnce(p, before)
	}
	for d, n := range before {
		begin += n * strides[d]
	}
	fill := &fusion{f: fillOp, dt: p.outs[0].dt, shape: r.shape, into: strides}
	if err := c.formula(p, fill, c.n, 1); err != nil {
		return nil, err
	}
	return p, c.place(p, 0, strides, begin)
}
