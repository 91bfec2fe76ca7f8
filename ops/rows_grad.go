package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// CrossEntropyGrad returns the gradient of the logits of CrossEntropy from grad, that of its result: fp32 in
// the shape of labels. It has type and shape of logits; rows whose label lies outside of them have zeros.
func CrossEntropyGrad(s *Stream, logits, labels, grad *nereid.Tensor) *nereid.Tensor {
	logits, labels, grad = s.packed(logits), s.packed(labels), s.packed(grad)
	c := s.begin("CrossEntropyGrad")
	c.in("logits", logits)
	c.in("labels", labels)
	c.in("grad", grad)
	return c.run(planCrossEntropyGrad)
}

// CrossEntropyGradLSE is CrossEntropyGrad with the second result of CrossEntropyLSE for the same logits,
// whose rows it reads once.
func CrossEntropyGradLSE(s *Stream, logits, labels, lse, grad *nereid.Tensor) *nereid.Tensor {
	logits, labels, lse, grad = s.packed(logits), s.packed(labels), s.packed(lse), s.packed(grad)
	c := s.begin("CrossEntropyGradLSE")
	c.in("logits", logits)
	c.in("labels", labels)
	c.in("grad", grad)
	c.in("lse", lse)
	return c.run(planCrossEntropyGradLSE)
}

// lossGrad checks the operands of a gradient of cross entropy and returns a plan of no steps.
func (c *call) lossGrad() (*plan, error) {
	x := c.ins[0]
	if err := c.labelled(); err != nil {
		return nil, err
	}
	n := len(x.Shape)
	for i, t := range c.ins[2:c.n] {
		if !t.DType.IsFloat() || !slices.Equal(t.Shape, x.Shape[:n-1]) {
			return nil, wrong(c.op, c.names[2+i], "it is %s%v, not floats of the shape %v", t.DType, t.Shape,
				x.Shape[:n-1])
		}
	}
	p := &plan{outs: []result{{x.DType, slices.Clone(x.Shape)}}}
	if p.empty() {
		return p, nil
	}
	return p, c.withoutGaps()
}

// gradBlock is how many logits a program of cross_entropy_grad_lse_kernel takes.
var gradBlock = [...]int{gpuChip: 2048, cpuChip: 4096, interpChip: 4096}

func planCrossEntropyGradLSE(c *call) (*plan, error) {
	p, err := c.lossGrad()
	if err != nil || p.empty() {
		return p, err
	}
	k, err := c.s.lib.kernel("rows_grad.py", "cross_entropy_grad_lse_kernel")
	if err != nil {
		return nil, err
	}
	x := c.ins[0]
	cols := x.Shape[len(x.Shape)-1]
	block := min(max(pow2(cols), 16), gradBlock[c.s.chip])
	blocks := nereid.Cdiv(cols, block)
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, 1}, {2, 3}, {3, 2}, {4, c.n}},
		grid: nereid.Grid{x.Len() / cols * blocks},
		args: []any{nil, nil, nil, nil, nil, cols, cols, blocks, block}}}
	return p, nil
}

func planCrossEntropyGrad(c *call) (*plan, error) {
	p, err := c.lossGrad()
	if err != nil || p.empty() {
		return p, err
	}
	x, grad := c.ins[0], c.ins[2]
	n := len(x.Shape)
	k, err := c.s.lib.kernel("rows_grad.py", "cross_entropy_grad_kernel")
	if err != nil {
		return nil, err
	}
	block, warps := entropyTile(x.Shape[n-1])
	whole := c.s.chip == gpuChip && x.Shape[n-1] <= longestNormRow
	if whole {
		block = max(pow2(x.Shape[n-1]), 16)
		warps = min(max(block/512, 4), 32)
	}
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, 1}, {2, 2}, {3, c.n}},
		grid: nereid.Grid{grad.Len()},
		args: []any{nil, nil, nil, nil, x.Shape[n-1], x.Shape[n-1], block, whole,
			nereid.Options{NumWarps: warps}}}}
	return p, nil
}

// RMSNormGrad returns the gradients of x and weight of RMSNorm from grad, that of its result. weight is a
// vector; each gradient has the type of its operand. Rows have at most 32768 elements, of types up to fp32.
func RMSNormGrad(s *Stream, x, weight, grad *nereid.Tensor, eps float64) (dx, dweight *nereid.Tensor) {
	c := s.normGrad("RMSNormGrad", x, weight, grad, eps, false)
	return c.outs[0], c.outs[1]
}

// LayerNormGrad returns the gradients of x, weight and bias of LayerNorm from grad, that of its result, as
// RMSNormGrad does; that of bias has the type of weight.
func LayerNormGrad(s *Stream, x, weight, grad *nereid.Tensor, eps float64) (dx, dweight,
	dbias *nereid.Tensor) {
	c := s.normGrad("LayerNormGrad", x, weight, grad, eps, true)
	return c.outs[0], c.outs[1], c.outs[2]
}

func (s *Stream) normGrad(op string, x, weight, grad *nereid.Tensor, eps float64, center bool) *call {
	c := s.begin(op)
	c.in("x", x)
	c.in("weight", weight)
	c.in("grad", grad)
	c.number("eps", number{f: eps, float: true})
	c.run(func(c *call) (*plan, error) { return planNormGrad(c, center) })
	return c
}

// longestNormRow is how many elements a row of a norm has that a program of norm_grad_kernel holds.
const longestNormRow = 32768

func planNormGrad(c *call, center bool) (*plan, error) {
	x, weight := c.ins[0], c.ins[1]
	strides, rows, err := c.normRows()
	if err != nil {
		return nil, err
	}
	cols := x.Shape[len(x.Shape)-1]
	p := &plan{outs: []result{{x.DType, slices.Clone(x.Shape)}, {weight.DType, []int{cols}}}}
	if center {
		p.outs = append(p.outs, p.outs[1])
	}
	for i := range p.outs[1:] {
		if out := c.outStridesOf(i+1, p.outs[1].shape); out[0] != 1 && cols > 1 {
			return nil, wrong(c.op, outNames[i+1], "it is a view; this op fills tensors without gaps")
		}
	}
	if x.Len() == 0 {
		if cols > 0 {
			return nil, wrong(c.op, "x", "it has no rows")
		}
		return p, nil
	}
	first, err := c.s.lib.kernel("rows_grad.py", "norm_grad_kernel")
	if err != nil {
		return nil, err
	}
	second, err := c.s.lib.kernel("rows_grad.py", "column_sums_kernel")
	if err != nil {
		return nil, err
	}
	programs, block := min(rows, normPrograms[c.s.chip]), max(pow2(cols), 16)
	partial := c.n + len(p.outs)
	slots := []slot{{0, 0}, {1, 1}, {2, 2}, {3, c.n}, {4, partial}, {12, 3}}
	for i := range p.outs[1:] {
		p.scratch = append(p.scratch, result{nereid.Float32, []int{programs, cols}})
		if i > 0 {
			slots = append(slots, slot{5, partial + i})
		}
	}
	p.steps = []step{{kernel: first, slots: slots, grid: nereid.Grid{programs},
		args: []any{nil, nil, nil, nil, nil, nil, rows, cols, strides[0], core.Strides(weight)[0], strides[1],
			strides[2], nil, center, block, nereid.Options{NumWarps: min(max(block/512, 4), 32)}}}}
	width := min(block, 64)
	for i := range p.outs[1:] {
		p.steps = append(p.steps, step{kernel: second, slots: []slot{{0, partial + i}, {1, c.n + 1 + i}},
			grid: nereid.Grid{nereid.Cdiv(cols, width)},
			args: []any{nil, nil, programs, cols, 32, width, nereid.Options{NumWarps: 4}}})
	}
	return p, nil
}

// normPrograms is how many programs share the rows of a norm, by chip: a few for each SM.
var normPrograms = [...]int{gpuChip: 528, cpuChip: 8, interpChip: 4}

// normRows checks the operands of a norm's gradients, and returns the strides from row to row of x, grad and
// the gradient of x.
func (c *call) normRows() (strides [3]int, rows int, err error) {
	x, weight, grad := c.ins[0], c.ins[1], c.ins[2]
	n := len(x.Shape)
	switch {
	case n == 0 || !x.DType.IsFloat() || x.DType == nereid.Float64 || x.Shape[n-1] > longestNormRow:
		return strides, 0, wrong(c.op, "x", "it is %s%v, not rows of at most %d floats up to fp32", x.DType,
			x.Shape, longestNormRow)
	case !weight.DType.IsFloat() || len(weight.Shape) != 1 || weight.Shape[0] != x.Shape[n-1]:
		return strides, 0, wrong(c.op, "weight", "it is %s%v, and the rows of x have %d elements",
			weight.DType,
			weight.Shape, x.Shape[n-1])
	case !grad.DType.IsFloat() || !slices.Equal(grad.Shape, x.Shape):
		return strides, 0, wrong(c.op, "grad", "it is %s%v, not floats of the shape %v", grad.DType,
			grad.Shape,
			x.Shape)
	}
	names, all := [3]string{"x", "grad", outNames[0]}, space{sizes: x.Shape, strides: [][]int{core.Strides(x),
		core.Strides(grad), c.outStrides(x.Shape)}}
	dims := make([]int, n-1)
	for i := range dims {
		dims[i] = i
	}
	for i, list := range all.strides {
		one := space{sizes: x.Shape, strides: [][]int{list}}.pick(dims).collapse()
		if list[n-1] != 1 && x.Shape[n-1] > 1 || len(one.sizes) > 1 {
			return strides, 0, wrong(c.op, names[i], "its rows are not contiguous, or no regular distance apart: "+
				"copy it")
		}
		if len(one.sizes) == 1 {
			strides[i] = one.strides[0][0]
		}
	}
	return strides, count(x.Shape[:n-1]), nil
}
