package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

var (
	swigluOp = fusedN("SwiGLU", []string{"gate", "up"}, func(x []Expr) []Expr {
		return []Expr{x[0].SiLU().Mul(x[1])}
	})
	gegluOp = fusedN("GeGLU", []string{"gate", "up"}, func(x []Expr) []Expr {
		return []Expr{x[0].GELU().Mul(x[1])}
	})
)

// SwiGLU returns SiLU(gate) * up. The operands may be the halves of one tensor, as views.
func SwiGLU(s *Stream, gate, up *nereid.Tensor) *nereid.Tensor { return s.apply(swigluOp, gate, up) }

// GeGLU returns GELU(gate) * up.
func GeGLU(s *Stream, gate, up *nereid.Tensor) *nereid.Tensor { return s.apply(gegluOp, gate, up) }

// Embedding returns the rows of a table for ids: Take along dimension 0.
func Embedding(s *Stream, table, ids *nereid.Tensor) *nereid.Tensor { return Take(s, table, ids, 0) }

// Rope returns x, of the shape [batch, heads, positions, size], with each element of the first half of a
// head and that of the second half rotated by an angle: a rotary embedding. cos and sin have the shape
// [positions, size/2], or one of the first dimension of x before that; for positions other than 0, 1, 2 …,
// Take picks rows of a table. The result may be x itself, by Into.
func Rope(s *Stream, x, cos, sin *nereid.Tensor) *nereid.Tensor {
	return s.rope("Rope", x, cos, sin, false)
}

// RopePairs is Rope for models that rotate elements 2i and 2i + 1.
func RopePairs(s *Stream, x, cos, sin *nereid.Tensor) *nereid.Tensor {
	return s.rope("RopePairs", x, cos, sin, true)
}

func (s *Stream) rope(op string, x, cos, sin *nereid.Tensor, pairs bool) *nereid.Tensor {
	c := s.begin(op)
	c.in("x", x)
	c.in("cos", cos)
	c.in("sin", sin)
	return c.run(func(c *call) (*plan, error) { return planRope(c, pairs) })
}

func planRope(c *call, pairs bool) (*plan, error) {
	x, cos, sin := c.ins[0], c.ins[1], c.ins[2]
	if len(x.Shape) != 4 || x.Shape[3]%2 != 0 || core.Strides(x)[3] != 1 {
		return nil, wrong(c.op, "x", "its shape is %v with the strides %v, not four dimensions with "+
			"an even, contiguous last one", x.Shape, core.Strides(x))
	}
	half := x.Shape[3] / 2
	turn := []int{x.Shape[2], half}
	if len(cos.Shape) == 3 {
		turn = append([]int{x.Shape[0]}, turn...)
	}
	for i, t := range []*nereid.Tensor{cos, sin} {
		if !slices.Equal(t.Shape, turn) || core.Strides(t)[len(turn)-1] != 1 ||
			!slices.Equal(core.Strides(t), core.Strides(cos)) {
			return nil, wrong(c.op, c.names[i+1], "its shape is %v with the strides %v, not %v with a contiguous "+
				"last dimension, as cos", t.Shape, core.Strides(t), turn)
		}
	}
	p := &plan{outs: []result{c.outcome(result{x.DType, slices.Clone(x.Shape)})}, inPlace: true}
	if x.Len() == 0 {
		return p, nil
	}
	k, err := c.s.lib.kernel("rows.py", "rope_kernel")
	if err != nil {
		return nil, err
	}
	xs, os, cs := core.Strides(x), c.outStrides(x.Shape), core.Strides(cos)
	if os[3] != 1 {
		return nil, wrong(c.op, outNames[0], "its last dimension has the stride %d", os[3])
	}
	if len(cs) == 2 {
		cs = append([]int{0}, cs...)
	}
	block := pow2(half)
	heads := max(1, min(pow2(x.Shape[1]), elements[c.s.chip]/block))
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, 1}, {2, 2}, {3, c.n}},
		args: []any{nil, nil, nil, nil, x.Shape[1], x.Shape[2], xs[0], xs[1], xs[2], os[0], os[1], os[2],
			cs[0], cs[1], half, block, heads, pairs, c.aliased},
		grid: nereid.Grid{x.Shape[0] * x.Shape[2], nereid.Cdiv(x.Shape[1], heads)}}}
	return p, nil
}

// CrossEntropy returns, for each row of logits along the last dimension, the negative logarithm of the
// probability that softmax gives to its label: labels, of integers, have the shape of the rows, and the
// result too, in fp32. A label outside of the row gives 0.
func CrossEntropy(s *Stream, logits, labels *nereid.Tensor) *nereid.Tensor {
	logits, labels = s.packed(logits), s.packed(labels)
	c := s.begin("CrossEntropy")
	c.in("logits", logits)
	c.in("labels", labels)
	return c.run(planCrossEntropy)
}

// CrossEntropyLSE returns CrossEntropy and what CrossEntropyGradLSE needs: the logarithm of the sum of
// e**logits of each row, in fp32.
func CrossEntropyLSE(s *Stream, logits, labels *nereid.Tensor) (loss, lse *nereid.Tensor) {
	logits, labels = s.packed(logits), s.packed(labels)
	c := s.begin("CrossEntropyLSE")
	c.in("logits", logits)
	c.in("labels", labels)
	c.run(func(c *call) (*plan, error) {
		p, err := planCrossEntropy(c)
		if err != nil {
			return nil, err
		}
		p.outs = append(p.outs, result{nereid.Float32, p.outs[0].shape})
		if len(p.steps) > 0 {
			p.steps[0].slots = append(p.steps[0].slots, slot{3, c.n + 1})
		}
		return p, nil
	})
	return c.outs[0], c.outs[1]
}

// labelled checks logits and labels, the first operands.
func (c *call) labelled() error {
	x, labels := c.ins[0], c.ins[1]
	n := len(x.Shape)
	switch {
	case n == 0 || !x.DType.IsFloat():
		return wrong(c.op, "logits", "it is %s%v, not rows of floats", x.DType, x.Shape)
	case kindOf(labels.DType) != intKind || !slices.Equal(labels.Shape, x.Shape[:n-1]):
		return wrong(c.op, "labels", "it is %s%v, not integers of the shape %v", labels.DType, labels.Shape,
			x.Shape[:n-1])
	}
	return nil
}

// withoutGaps returns an error for a tensor of Into that has gaps.
func (c *call) withoutGaps() error {
	for i := range min(c.s.n, maxOuts) {
		if c.s.into && !c.s.outs[i].Contiguous() {
			return wrong(c.op, outNames[i], "it is a view; this op fills tensors without gaps")
		}
	}
	return nil
}

// entropyTile returns how many elements of a row are read at a time, and by how many warps.
func entropyTile(cols int) (block, warps int) {
	if block = min(max(pow2(cols), 16), 4096); block == 4096 {
		return block, 8
	}
	return block, 4
}

func planCrossEntropy(c *call) (*plan, error) {
	x, labels := c.ins[0], c.ins[1]
	if err := c.labelled(); err != nil {
		return nil, err
	}
	cols := x.Shape[len(x.Shape)-1]
	p := &plan{outs: []result{{nereid.Float32, slices.Clone(labels.Shape)}}}
	if labels.Len() == 0 {
		return p, nil
	}
	if err := c.withoutGaps(); err != nil {
		return nil, err
	}
	k, err := c.s.lib.kernel("rows.py", "cross_entropy_kernel")
	if err != nil {
		return nil, err
	}
	block, warps := entropyTile(cols)
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, 1}, {2, c.n}}, grid: nereid.Grid{labels.Len()},
		args: []any{nil, nil, nil, nil, cols, cols, block, nereid.Options{NumWarps: warps}}}}
	return p, nil
}
