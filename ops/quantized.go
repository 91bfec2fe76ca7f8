package ops

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid"
)

// Format is how a Quantized matrix is stored: the formats of GGUF files under their names there.
type Format struct {
	name    string
	kernel  string // the function of kernels/quantized.py that reads it
	weights int    // of a block
	bytes   int    // of a block
}

// The formats. A block of 32 or 256 weights of a row has scales of its own.
var (
	Q4_0 = Format{"Q4_0", "q4_0", 32, 18}
	Q4_1 = Format{"Q4_1", "q4_1", 32, 20}
	Q8_0 = Format{"Q8_0", "q8_0", 32, 34}
	Q4_K = Format{"Q4_K", "q4_k", 256, 144}
	Q6_K = Format{"Q6_K", "q6_k", 256, 210}
)

func (f Format) String() string { return f.name }

// Bytes returns how many bytes a matrix has.
func (f Format) Bytes(rows, cols int) int { return rows * cols / max(f.weights, 1) * f.bytes }

// Quantized is a matrix of weights in blocks of few bits: a row for each output, as files have it.
type Quantized struct {
	Format     Format
	Rows, Cols int
	Data       *nereid.Tensor // of u8
}

// in adds the matrix to a call as an operand.
func (w Quantized) in(c *call) {
	c.in("w", w.Data)
	c.attr(w.Rows)
	c.attr(w.Cols)
	c.attr(w.Format.bytes)
	if c.err != nil {
		return
	}
	c.attr(int(w.Data.Addr() % 2))
	switch f := w.Format; {
	case f.weights == 0 || w.Rows <= 0 || w.Cols <= 0 || w.Cols%f.weights != 0:
		c.err = wrong(c.op, "w", "there is no %dx%d matrix of the format %q: rows are whole blocks of %d weights",
			w.Rows, w.Cols, f.name, f.weights)
	case w.Data.DType != nereid.Uint8 || !w.Data.Contiguous() || w.Data.Len() < f.Bytes(w.Rows, w.Cols):
		c.err = wrong(c.op, "w", "a %dx%d matrix of %s has %d contiguous bytes of u8; this is %s%v", w.Rows,
			w.Cols, f.name, f.Bytes(w.Rows, w.Cols), w.Data.DType, w.Data.Shape)
	}
}

// Dequantize returns the matrix of w in a type.
func Dequantize(s *Stream, w Quantized, dt nereid.DType) *nereid.Tensor {
	c := s.begin("Dequantize")
	w.in(c)
	c.attr(int(dt))
	return c.run(func(c *call) (*plan, error) {
		if !dt.IsFloat() {
			return nil, wrong(c.op, "", "weights are floats, not %s", dt)
		}
		p := &plan{outs: []result{{dt, []int{w.Rows, w.Cols}}}}
		if c.s.into && c.s.n > 0 && !c.s.outs[0].Contiguous() {
			return nil, wrong(c.op, outNames[0], "it is a view; this op fills tensors without gaps")
		}
		st, err := c.dequantize(w, 0, c.n)
		p.steps = []step{st}
		return p, err
	})
}

// smallBlock is the size of blocks whose kernels read each scale once, as fp16.
const smallBlock = 32

// small reports whether the matrix has such blocks, at addresses that fp16 can have.
func (w Quantized) small() bool { return w.Format.weights == smallBlock && w.Data.Addr()%2 == 0 }

// dequantize returns the launch that writes a matrix, an operand, to another operand.
func (c *call) dequantize(w Quantized, from, to int) (step, error) {
	name, n, block := "dequantize_kernel", w.Rows*w.Cols, elements[c.s.chip]
	if w.small() {
		name, n, block = "dequantize_blocks_kernel", n/smallBlock, 1024/smallBlock
	}
	k, err := c.s.lib.kernel("quantized.py", name)
	if err != nil {
		return step{}, err
	}
	st := step{kernel: k, slots: []slot{{0, from}, {1, to}}, grid: nereid.Grid{nereid.Cdiv(n, block)},
		args: []any{nil, nil, n, w.Format.kernel, block}}
	if w.small() {
		st.args = append(st.args, n%block == 0)
	}
	return st, nil
}

// quantizedRows is up to how many rows of x a product reads the weights as they are. More rows are multiplied
// by the matrix in 16 bits, in scratch memory.
const quantizedRows = 4

// MatMulQuantized returns x times the transpose of w, with the options of MatMul. x has the shape [...,
// columns of w]; the result has its type.
func MatMulQuantized(s *Stream, x *nereid.Tensor, w Quantized, options ...MatMulOption) *nereid.Tensor {
	var o MatMulOption
	o.add(options)
	x = s.packed(x)
	c := s.begin("MatMulQuantized")
	c.in("x", x)
	w.in(c)
	c.optional("bias", o.bias)
	c.optional("plus", o.plus)
	c.attr(int(o.dt))
	if o.then != nil {
		c.attr(o.then.id)
	}
	return c.run(func(c *call) (*plan, error) { return planQuantized(c, w, o) })
}

func planQuantized(c *call, w Quantized, o MatMulOption) (*plan, error) {
	x := c.ins[0]
	n := len(x.Shape)
	if n == 0 || x.Shape[n-1] != w.Cols || !x.DType.IsFloat() {
		return nil, wrong(c.op, "x", "it is %s%v, and w has %d columns", x.DType, x.Shape, w.Cols)
	}
	dt := x.DType
	if dt.Size() != 2 {
		dt = nereid.Float32
	}
	// The product is planned with the matrix as it will lie in scratch memory.
	full := *c
	full.ins[1] = &nereid.Tensor{DType: dt, Shape: []int{w.Cols, w.Rows}, Strides: []int{1, w.Cols}}
	p := product{c: &full, o: o}
	out, err := p.begin()
	if err != nil || out.empty() {
		return out, err
	}
	if p.m <= quantizedRows && p.batches*p.heads == 1 {
		return out, p.fewRows(out, w)
	}
	matrix := c.n + 1
	out.scratch = []result{{dt, []int{w.Rows, w.Cols}}}
	first, err := c.dequantize(w, 1, matrix)
	if err != nil {
		return nil, err
	}
	second, err := p.step()
	if err != nil {
		return nil, err
	}
	second.slots = append([]slot{{0, 0}, {1, matrix}, {2, c.n}}, p.optionSlots()...)
	out.steps = []step{first, second}
	return out, nil
}

// optionSlots returns the slots of bias and plus.
func (p *product) optionSlots() (list []slot) {
	if p.o.bias != nil {
		list = append(list, slot{3, 2})
	}
	if p.o.plus != nil {
		list = append(list, slot{4, 3})
	}
	return list
}

// fewRows plans a product that reads the weights as they are.
func (p *product) fewRows(out *plan, w Quantized) error {
	c := p.c
	name, cols, block := "quantized_kernel", 4, min(pow2(p.k), 512)
	if w.small() {
		name = "quantized_blocks_kernel"
		cols, block = p.quantizedTile()
	}
	k, err := c.s.lib.kernel("quantized.py", name)
	if p.o.then != nil {
		k, err = c.s.lib.withFunction("quantized.py", name, epilogueText,
			p.o.then.function("epilogue", p.acc))
	}
	if err != nil {
		return err
	}
	if p.acc != nereid.Float32 {
		return fmt.Errorf("there are no products of weights with %s", p.dt)
	}
	st := step{kernel: k, grid: nereid.Grid{nereid.Cdiv(p.n, cols), p.m},
		slots: slices.Concat([]slot{{0, 0}, {1, 1}, {2, c.n}}, p.optionSlots()),
		args: []any{nil, nil, nil, nil, nil, p.n, p.k, p.row[0], p.col[0], p.row[2], p.col[2], p.bias,
			p.row[3], p.col[3], w.Format.kernel, cols, block}}
	if w.small() {
		st.args = append(st.args, p.n%cols == 0 && p.k/smallBlock%block == 0)
	}
	st.args = append(st.args, nereid.Options{NumWarps: 4})
	out.steps = []step{st}
	return nil
}

// quantizedTile returns how many columns and blocks of 32 weights a program has at a time. A GPU has a row of
// weights under way at once; a core has vectors of one block, and adds up several columns for each of x.
func (p *product) quantizedTile() (cols, blocks int) {
	if p.c.s.chip == gpuChip {
		return 4, min(pow2(p.k/smallBlock), 32)
	}
	return 16, 1
}
