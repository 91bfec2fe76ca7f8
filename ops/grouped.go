package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
)

// GroupLayout is how the words of a Grouped matrix hold its weights.
type GroupLayout uint8

// The layouts. Each word has 32 bits.
const (
	// AWQ: eight columns of a row in the order 0 2 4 6 1 3 5 7; of 4 bits.
	AWQ GroupLayout = iota
	// GPTQ: rows of a column, zeros being stored less 1; of 4 or 8 bits.
	GPTQ
	// GPTQv2: as GPTQ, but zeros are stored as they are.
	GPTQv2
)

// Grouped is a matrix of weights of 4 or 8 bits, Rows for the columns of x and Cols for those of the result:
// (weight - zero) * scale, with a zero and a scale for each group of rows. The tensors are those of files of
// AutoAWQ and AutoGPTQ ("qweight", "qzeros", "scales", "g_idx").
type Grouped struct {
	Layout     GroupLayout
	Bits       int // 4 or 8; 0: 4
	Rows, Cols int
	Group      int            // rows of a group
	Weights    *nereid.Tensor // of i32: [Rows, Cols/8] of AWQ, [Rows*Bits/32, Cols] of GPTQ
	Zeros      *nereid.Tensor // of i32: [groups, Cols*Bits/32]
	Scales     *nereid.Tensor // of floats: [groups, Cols]
	Order      *nereid.Tensor // of i32, of GPTQ: the group of each row; nil: Group rows after Group rows
}

// groupedInputs is how many operands a Grouped matrix is.
const groupedInputs = 4

// in adds the matrix to a call.
func (w Grouped) in(c *call) {
	c.in("w.Weights", w.Weights)
	c.in("w.Zeros", w.Zeros)
	c.in("w.Scales", w.Scales)
	c.optional("w.Order", w.Order)
	c.attr(int(w.Layout))
	c.attr(w.Bits)
	c.attr(w.Rows)
	c.attr(w.Cols)
	c.attr(w.Group)
}

// whole returns the matrix with the number of its bits.
func (w Grouped) whole() Grouped {
	if w.Bits == 0 {
		w.Bits = 4
	}
	return w
}

// check returns an error for tensors that are no such matrix.
func (w Grouped) check(c *call) error {
	per := 32 / max(w.Bits, 1)
	if w.Bits != 4 && (w.Bits != 8 || w.Layout == AWQ) || w.Layout > GPTQv2 || w.Rows <= 0 || w.Cols <= 0 ||
		w.Group <= 0 || w.Cols%per != 0 || w.Layout != AWQ && w.Rows%per != 0 {
		return wrong(c.op, "w", "there is no %dx%d matrix of %d bits in groups of %d: it has whole words of %d",
			w.Rows, w.Cols, w.Bits, w.Group, per)
	}
	groups := nereid.Cdiv(w.Rows, w.Group)
	words := []int{w.Rows / per, w.Cols}
	if w.Layout == AWQ {
		words = []int{w.Rows, w.Cols / per}
	}
	for _, x := range []struct {
		name  string
		t     *nereid.Tensor
		shape []int
	}{{"w.Weights", w.Weights, words}, {"w.Zeros", w.Zeros, []int{groups, w.Cols / per}},
		{"w.Scales", w.Scales, []int{groups, w.Cols}}, {"w.Order", w.Order, []int{w.Rows}}} {
		if x.t == nil {
			continue
		}
		if !slices.Equal(x.t.Shape, x.shape) || !x.t.Contiguous() ||
			x.t.DType != nereid.Int32 && x.t != w.Scales || x.t == w.Scales && !x.t.DType.IsFloat() {
			return wrong(c.op, x.name, "it is %s%v, not contiguous words, or scales, of the shape %v",
				x.t.DType,
				x.t.Shape, x.shape)
		}
	}
	return nil
}

// slots returns those of the matrix, whose first operand and whose first argument are given.
func (w Grouped) slots(arg, operand int) []slot {
	list := []slot{{arg, operand}, {arg + 1, operand + 1}, {arg + 2, operand + 2}}
	if w.Order != nil {
		list = append(list, slot{arg + 3, operand + 3})
	}
	return list
}

// DequantizeGrouped returns the matrix of w in a type.
func DequantizeGrouped(s *Stream, w Grouped, dt nereid.DType) *nereid.Tensor {
	c := s.begin("DequantizeGrouped")
	w.in(c)
	c.attr(int(dt))
	return c.run(func(c *call) (*plan, error) {
		w := w.whole()
		if err := w.check(c); err != nil {
			return nil, err
		}
		if !dt.IsFloat() {
			return nil, wrong(c.op, "", "weights are floats, not %s", dt)
		}
		p := &plan{outs: []result{{dt, []int{w.Rows, w.Cols}}}}
		if err := c.withoutGaps(); err != nil {
			return nil, err
		}
		return p, c.dequantizeGrouped(p, w, 0, c.n)
	})
}

// dequantizeGrouped adds the launch to a plan that writes a matrix, whose first operand is given, to another
// operand.
func (c *call) dequantizeGrouped(p *plan, w Grouped, from, to int) error {
	k, err := c.s.lib.kernel("grouped.py", "dequantize_grouped_kernel")
	if err != nil {
		return err
	}
	cols := min(pow2(w.Cols), 128)
	rows := max(elements[c.s.chip]/cols, 1)
	p.steps = append(p.steps, step{kernel: k, slots: append(w.slots(0, from), slot{4, to}),
		grid: nereid.Grid{nereid.Cdiv(w.Rows, rows), nereid.Cdiv(w.Cols, cols)},
		args: []any{nil, nil, nil, nil, nil, w.Rows, w.Cols, w.Group, w.Bits, w.Layout == AWQ,
			w.Layout == GPTQ,
			rows, cols}})
	return nil
}

// MatMulGrouped returns x times w, with the options of MatMul but Norm and Gated. x has the shape [..., rows
// of w]; the result has its type. Few rows of x are multiplied by the weights as they lie; more by the matrix
// in the type of x, which a first kernel puts into scratch memory.
func MatMulGrouped(s *Stream, x *nereid.Tensor, w Grouped, options ...MatMulOption) *nereid.Tensor {
	var o MatMulOption
	o.add(options)
	x = s.packed(x)
	c := s.begin("MatMulGrouped")
	c.in("x", x)
	c.optional("none", nil) // where a product has its matrix
	c.optional("bias", o.bias)
	c.optional("plus", o.plus)
	w.in(c)
	c.attr(int(o.dt))
	if o.then != nil {
		c.attr(o.then.id)
	}
	if c.err == nil && (o.norm != nil || o.gated) {
		c.err = wrong(c.op, "", "Norm and Gated go with other products")
	}
	return c.run(func(c *call) (*plan, error) { return planGrouped(c, w.whole(), o) })
}

// groupedRows is up to how many rows of x a product reads the weights as they lie.
const groupedRows = 32

func planGrouped(c *call, w Grouped, o MatMulOption) (*plan, error) {
	if err := w.check(c); err != nil {
		return nil, err
	}
	x := c.ins[0]
	n := len(x.Shape)
	if n == 0 || x.Shape[n-1] != w.Rows || !x.DType.IsFloat() {
		return nil, wrong(c.op, "x", "it is %s%v, and w has %d rows", x.DType, x.Shape, w.Rows)
	}
	dt := x.DType
	if dt.Size() != 2 {
		dt = nereid.Float32
	}
	// The product is planned with the matrix as it will lie in scratch memory.
	full := *c
	full.ins[1] = &nereid.Tensor{DType: dt, Shape: []int{w.Rows, w.Cols}, Strides: []int{w.Cols, 1}}
	p := product{c: &full, o: o}
	out, err := p.begin()
	if err != nil || out.empty() {
		return out, err
	}
	const matrix = groupedInputs // the first operand of w
	if p.batches*p.heads == 1 && p.m <= groupedRows && p.dt != nereid.Float64 {
		return out, p.groupedFew(out, w, matrix)
	}
	to := c.n + 1
	out.scratch = []result{{dt, []int{w.Rows, w.Cols}}}
	if err := c.dequantizeGrouped(out, w, matrix, to); err != nil {
		return nil, err
	}
	st, err := p.step()
	if err != nil {
		return nil, err
	}
	st.slots = append([]slot{{0, 0}, {1, to}, {2, c.n}}, p.optionSlots()...)
	out.steps = append(out.steps, st)
	return out, nil
}

// groupedFew plans the product of few rows, which reads the weights as they lie.
func (p *product) groupedFew(out *plan, w Grouped, matrix int) error {
	const name = "grouped_kernel"
	lib := p.c.s.lib
	k, err := lib.kernel("grouped.py", name)
	if p.o.then != nil {
		k, err = lib.withFunction("grouped.py", name, epilogueText, p.o.then.function("epilogue", p.acc))
	}
	if err != nil {
		return err
	}
	t := blocks{m: max(pow2(p.m), 16), n: min(max(pow2(p.n), 16), 32), k: min(max(pow2(p.k), 16), 128),
		warps:  4,
		stages: 3}
	slots := append(w.slots(1, matrix), slot{0, 0}, slot{5, p.c.n})
	for _, s := range p.optionSlots() {
		slots = append(slots, slot{s.arg + 3, s.operand})
	}
	out.steps = []step{{kernel: k, slots: slots, grid: nereid.Grid{nereid.Cdiv(p.n, t.n), nereid.Cdiv(p.m,
		t.m)},
		args: []any{nil, nil, nil, nil, nil, nil, nil, nil, p.m, p.n, p.k, w.Group, p.row[0], p.col[0],
			p.row[2],
			p.col[2], p.bias, p.row[3], p.col[3], w.Bits, w.Layout == AWQ, w.Layout == GPTQ, t.m, t.n, t.k,
			p.dt,
			t.options()}}}
	return nil
}
