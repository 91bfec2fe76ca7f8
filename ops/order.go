package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

const (
	maxTop  = 256   // of TopK
	maxSort = 16384 // elements of a row of Sort
)

// CumSum returns the sums of all elements of x up to each one along a dimension. Sums of integers and bools
// are i64.
func CumSum(s *Stream, x *nereid.Tensor, axis int) *nereid.Tensor {
	return s.scan("CumSum", "", x, axis)
}

// CumProd returns the products of all elements of x up to each one along a dimension. Products of integers
// and bools are i64.
func CumProd(s *Stream, x *nereid.Tensor, axis int) *nereid.Tensor {
	return s.scan("CumProd", "mul", x, axis)
}

// CumMax returns the largest of all elements of x up to each one along a dimension. NaN is larger than all.
func CumMax(s *Stream, x *nereid.Tensor, axis int) *nereid.Tensor {
	return s.scan("CumMax", "maximum", x, axis)
}

// CumMin returns the smallest of all elements of x up to each one along a dimension. NaN is smaller than all.
func CumMin(s *Stream, x *nereid.Tensor, axis int) *nereid.Tensor {
	return s.scan("CumMin", "minimum", x, axis)
}

// scan runs a scan; how is the function that combines two values, "" for their sum.
func (s *Stream) scan(op, how string, x *nereid.Tensor, axis int) *nereid.Tensor {
	c := s.begin(op)
	c.in("x", x)
	c.attr(axis)
	return c.run(func(c *call) (*plan, error) { return planScan(c, how, axis) })
}

func planScan(c *call, how string, axis int) (*plan, error) {
	x := c.ins[0]
	list, err := axes(len(x.Shape), []int{axis})
	if err != nil {
		return nil, wrong(c.op, "x", "%w", err)
	}
	r := result{x.DType, slices.Clone(x.Shape)}
	if !r.dt.IsFloat() && (how == "" || how == "mul") {
		r.dt = nereid.Int64
	}
	acc := computed(r.dt)
	if acc == nereid.Bool {
		acc = nereid.Int8
	}
	p := &plan{outs: []result{c.outcome(r)}}
	if x.Len() == 0 {
		return p, nil
	}
	all := space{sizes: x.Shape, strides: [][]int{core.Strides(x), c.outStrides(x.Shape)}}
	var kept []int
	for d := range x.Shape {
		if d != list[0] {
			kept = append(kept, d)
		}
	}
	rows, cols := all.pick(kept).collapse(), all.pick(list)
	switch len(rows.sizes) {
	case 0:
		rows = space{sizes: []int{1}, strides: [][]int{{0}, {0}}}
	case 1:
	default:
		return nil, wrong(c.op, "x", "its rows along dimension %d are no regular distance apart: copy it with "+
			"that dimension last", axis)
	}
	file, kernel := "rows.py", "cumsum_kernel"
	if how != "" {
		file, kernel = "scan.py", "scan_kernel"
	}
	k, err := c.s.lib.kernel(file, kernel)
	if err != nil {
		return nil, err
	}
	width := min(pow2(cols.sizes[0]), 1024)
	height := max(1, min(pow2(rows.sizes[0]), 1024/width))
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, c.n}}, grid: nereid.Grid{nereid.Cdiv(rows.sizes[0],
		height)}, args: []any{nil, nil, rows.sizes[0], cols.sizes[0], rows.strides[0][0], cols.strides[0][0],
		rows.strides[1][0], cols.strides[1][0], height, width, acc}}}
	if how != "" {
		p.steps[0].args = append(p.steps[0].args, how)
	}
	return p, nil
}

// TopK returns the k largest elements of each row along the last dimension of x, the largest first, and
// their indices, of i64. Of equal elements the first comes first; NaN is larger than all. k is at most 256,
// and x of a float type up to fp32.
func TopK(s *Stream, x *nereid.Tensor, k int) (values, indices *nereid.Tensor) {
	x = s.packed(x)
	c := s.begin("TopK")
	c.in("x", x)
	c.attr(k)
	c.run(func(c *call) (*plan, error) { return planTopK(c, k) })
	return c.outs[0], c.outs[1]
}

// ordering checks the operand of an op that puts rows of floats in order, and returns the rows.
func (c *call) ordering() (rows, cols int, err error) {
	x := c.ins[0]
	if len(x.Shape) == 0 || !x.DType.IsFloat() || x.DType == nereid.Float64 {
		return 0, 0, wrong(c.op, "x", "it is %s%v, not rows of floats up to fp32", x.DType, x.Shape)
	}
	if err := c.withoutGaps(); err != nil {
		return 0, 0, err
	}
	n := len(x.Shape) - 1
	return count(x.Shape[:n]), x.Shape[n], nil
}

func planTopK(c *call, k int) (*plan, error) {
	rows, cols, err := c.ordering()
	if err != nil {
		return nil, err
	}
	x := c.ins[0]
	if k < 1 || k > min(maxTop, cols) {
		return nil, wrong(c.op, "", "k is %d, not from 1 to %d", k, min(maxTop, cols))
	}
	shape := append(slices.Clone(x.Shape[:len(x.Shape)-1]), k)
	p := &plan{outs: []result{{x.DType, shape}, {nereid.Int64, shape}}}
	if rows == 0 {
		return p, nil
	}
	first, err := c.s.lib.kernel("rows.py", "top_kernel")
	if err != nil {
		return nil, err
	}
	second, err := c.s.lib.kernel("rows.py", "select_kernel")
	if err != nil {
		return nil, err
	}
	width := max(pow2(k), 2)
	block := max(min(pow2(cols), 2048), width)
	parts := nereid.Cdiv(cols, block)
	if parts*width > maxSort {
		return nil, wrong(c.op, "x", "rows of %d elements are too long for k = %d", cols, k)
	}
	keys := c.n + 2
	p.scratch = []result{{nereid.Int64, []int{rows, parts * width}}}
	p.steps = []step{
		{kernel: first, slots: []slot{{0, 0}, {1, keys}}, grid: nereid.Grid{rows, parts},
			args: []any{nil, nil, cols, parts, cols, block, width}},
		{kernel: second, slots: []slot{{0, keys}, {1, c.n}, {2, c.n + 1}}, grid: nereid.Grid{rows},
			args: []any{nil, nil, nil, parts * width, k, pow2(parts * width), width}},
	}
	return p, nil
}

// Sort returns the elements of each row along the last dimension of x in order, and the indices that they
// had, of i64. Equal elements keep their order; NaN is larger than all. Rows have at most 16384 elements,
// of a float type up to fp32.
func Sort(s *Stream, x *nereid.Tensor, descending bool) (values, indices *nereid.Tensor) {
	x = s.packed(x)
	c := s.begin("Sort")
	c.in("x", x)
	c.attr(int(b2i(descending)))
	c.run(func(c *call) (*plan, error) { return planSort(c, descending) })
	return c.outs[0], c.outs[1]
}

func planSort(c *call, descending bool) (*plan, error) {
	rows, cols, err := c.ordering()
	if err != nil {
		return nil, err
	}
	if cols > maxSort {
		return nil, wrong(c.op, "x", "its rows have %d elements, more than %d", cols, maxSort)
	}
	x := c.ins[0]
	shape := slices.Clone(x.Shape)
	p := &plan{outs: []result{{x.DType, shape}, {nereid.Int64, shape}}}
	if x.Len() == 0 {
		return p, nil
	}
	k, err := c.s.lib.kernel("rows.py", "sort_kernel")
	if err != nil {
		return nil, err
	}
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, c.n}, {2, c.n + 1}}, grid: nereid.Grid{rows},
		args: []any{nil, nil, nil, cols, cols, max(pow2(cols), 2), descending}}}
	return p, nil
}

// Sampling says how tokens are drawn.
type Sampling struct {
	Temperature float64        // divides logits; 0: the likeliest token is taken
	TopK        int            // only the likeliest tokens, at most 256, which 0 means as well
	TopP        float64        // only the likeliest tokens that reach this probability together; 0: all
	MinP        float64        // no token that is less likely than this part of the likeliest one
	Repetition  float64        // the penalty of tokens in Seen (RepetitionPenalty); 0: 1
	Seen        *nereid.Tensor // tokens so far, for each row as many; those that are negative are none
	Seed        int            // the same seed, step and logits draw the same tokens
	Step        int            // which draw of the seed it is
}

// Sample draws a token for each row of logits, of the shape [batch, vocabulary]: an index, of i64.
func Sample(s *Stream, logits *nereid.Tensor, o Sampling) *nereid.Tensor {
	if o.Seen != nil && o.Repetition != 0 && o.Repetition != 1 {
		logits = RepetitionPenalty(s.plain, logits, o.Seen, o.Repetition)
	}
	if o.Temperature <= 0 {
		return ArgMax(s, logits, -1)
	}
	n := maxTop
	if o.TopK > 0 {
		n = min(o.TopK, maxTop)
	}
	if logits.Err() == nil && len(logits.Shape) > 0 {
		n = min(n, logits.Shape[len(logits.Shape)-1])
	}
	values, indices := TopK(s.plain, logits, n)
	c := s.begin("Sample")
	c.in("logits", values)
	c.in("indices", indices)
	if o.TopP == 0 {
		o.TopP = 1
	}
	for i, v := range []float64{o.Temperature, o.TopP, o.MinP} {
		c.number(samplingNames[i], number{f: v, float: true})
	}
	c.number("Seed", number{i: int64(o.Seed)})
	c.number("Step", number{i: int64(o.Step)})
	return c.run(planSample)
}

var samplingNames = [3]string{"Temperature", "TopP", "MinP"}

func planSample(c *call) (*plan, error) {
	x := c.ins[0]
	if len(x.Shape) != 2 {
		return nil, wrong(c.op, "logits", "it has %d dimensions, not 2", len(x.Shape))
	}
	rows, n := x.Shape[0], x.Shape[1]
	p := &plan{outs: []result{{nereid.Int64, []int{rows}}}}
	if rows == 0 {
		return p, nil
	}
	k, err := c.s.lib.kernel("rows.py", "sample_kernel")
	if err != nil {
		return nil, err
	}
	p.steps = []step{{kernel: k, grid: nereid.Grid{rows},
		args:  []any{nil, nil, nil, n, nil, nil, nil, nil, nil, max(pow2(n), 2)},
		slots: []slot{{0, 0}, {1, 1}, {2, c.n}, {4, 2}, {5, 3}, {6, 4}, {7, 5}, {8, 6}}}}
	return p, nil
}

// RepetitionPenalty returns logits, of the shape [batch, vocabulary], with those of tokens that were seen
// divided by a penalty, or multiplied by it if they are negative. seen, of integers, has as many tokens for
// each row; those outside of the vocabulary are none.
func RepetitionPenalty(s *Stream, logits, seen *nereid.Tensor, penalty float64) *nereid.Tensor {
	logits, seen = s.packed(logits), s.packed(seen)
	c := s.begin("RepetitionPenalty")
	c.in("logits", logits)
	c.in("seen", seen)
	c.number("penalty", number{f: penalty, float: true})
	if c.err == nil && penalty <= 0 {
		c.err = wrong(c.op, "penalty", "it is %v, not more than 0", penalty)
	}
	return c.run(planRepetition)
}

func planRepetition(c *call) (*plan, error) {
	x, seen := c.ins[0], c.ins[1]
	switch {
	case len(x.Shape) != 2 || !x.DType.IsFloat():
		return nil, wrong(c.op, "logits", "it is %s%v, not rows of floats", x.DType, x.Shape)
	case kindOf(seen.DType) != intKind || len(seen.Shape) != 2 || seen.Shape[0] != x.Shape[0]:
		return nil, wrong(c.op, "seen", "it is %s%v, not integers for each of %d rows", seen.DType,
			seen.Shape, x.Shape[0])
	}
	p := &plan{outs: []result{{x.DType, slices.Clone(x.Shape)}}}
	if x.Len() == 0 {
		return p, nil
	}
	if err := c.withoutGaps(); err != nil {
		return nil, err
	}
	if err := c.place(p, 0, contiguous(x.Shape), 0); err != nil || seen.Len() == 0 {
		return p, err
	}
	k, err := c.s.lib.kernel("rows.py", "repetition_kernel")
	if err != nil {
		return nil, err
	}
	n := seen.Shape[1]
	block := min(max(pow2(n), 16), 1024)
	p.steps = append(p.steps, step{kernel: k, slots: []slot{{0, 0}, {1, 1}, {2, c.n}, {5, 2}},
		grid: nereid.Grid{x.Shape[0], nereid.Cdiv(n, block)},
		args: []any{nil, nil, nil, x.Shape[1], n, nil, block}})
	return p, nil
}
