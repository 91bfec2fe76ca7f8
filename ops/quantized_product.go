package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/nereid-lang/nereid"
)

const (
	// vectorRowsCPU and vectorRowsGPU are up to how many rows of x a product with weights of few bits is one
	// of vectors, which reads the weights as they are. More rows are multiplied by the matrix in the type of
	// x, in scratch memory.
	vectorRowsCPU, vectorRowsGPU = 4, 8
	// interleavedRows is vectorRowsCPU for interleaved weights.
	interleavedRows = 64
	// onceBlocks is how many blocks of 32 weights of a column a program of a GPU has under way at once.
	onceBlocks = 64
)

// MatMulQuantized returns x times the transpose of w, with the options of MatMul. x has the shape [...,
// columns of w]; the result has its type.
func MatMulQuantized(s *Stream, x *nereid.Tensor, w Quantized, options ...MatMulOption) *nereid.Tensor {
	const op = "MatMulQuantized"
	var o MatMulOption
	o.add(options)
	x = s.packed(x)
	direct := x.Err() == nil && w.direct(s, x.DType, x.Len()/max(w.Cols, 1))
	if x.Err() == nil && o.norm != nil && (!direct || w.Format.beside) {
		x = RMSNorm(s.plain, x, o.norm, o.eps)
		o.norm = nil
	}
	if x.Err() == nil && o.gated && !direct {
		return s.gated(op, o, func(o MatMulOption) *nereid.Tensor {
			return MatMulQuantized(s.plain, x, w, o)
		})
	}
	c := s.begin(op)
	c.in("x", x)
	w.in(c)
	c.optional("bias", o.bias)
	c.optional("plus", o.plus)
	c.optional("norm", o.norm)
	c.attr(int(o.dt))
	c.attr(int(math.Float64bits(o.eps)))
	c.attr(int(b2i(o.gated)) | int(b2i(o.fixed))<<1)
	if o.then != nil {
		c.attr(o.then.id)
	}
	return c.run(func(c *call) (*plan, error) { return planQuantized(c, w, o) })
}

// direct reports whether a product of so many rows is one kernel, which reads blocks of 32 weights as they
// are, and has Gated in it, and Norm unless w is interleaved.
func (w Quantized) direct(s *Stream, dt nereid.DType, rows int) bool {
	return w.Data.Err() == nil && w.small() && dt != nereid.Float64 && rows <= w.vectorRows(s)
}

// vectorRows is up to how many rows a product is one of vectors.
func (w Quantized) vectorRows(s *Stream) int {
	if s.chip == gpuChip && w.small() && w.Cols/smallBlock <= onceBlocks {
		return vectorRowsGPU
	}
	if w.Format.beside {
		return interleavedRows
	}
	return vectorRowsCPU
}

func planQuantized(c *call, w Quantized, o MatMulOption) (*plan, error) {
	x := c.ins[0]
	n := len(x.Shape)
	if n == 0 || x.Shape[n-1] != w.Cols || !x.DType.IsFloat() {
		return nil, wrong(c.op, "x", "it is %s%v, and w has %d columns", x.DType, x.Shape, w.Cols)
	}
	if err := o.checkQuantized(c, w); err != nil {
		return nil, err
	}
	dt, rows := x.DType, w.Rows
	if dt.Size() != 2 {
		dt = nereid.Float32
	}
	if o.gated {
		rows /= 2
	}
	// The product is planned with the matrix as it will lie in scratch memory.
	full := *c
	strides := []int{1, w.Cols}
	if w.Format.beside {
		strides = []int{w.Rows, 1}
	}
	full.ins[1] = &nereid.Tensor{DType: dt, Shape: []int{w.Cols, rows}, Strides: strides}
	p := product{c: &full, o: o}
	out, err := p.begin()
	if err != nil || out.empty() {
		return out, err
	}
	switch {
	case p.batches*p.heads == 1 && p.m <= w.vectorRows(c.s):
		return out, p.fewRows(out, w)
	case o.gated || o.norm != nil:
		return nil, fmt.Errorf("x of the shape %v has no rows at one distance", x.Shape)
	}
	matrix := c.n + 1
	out.scratch = []result{{dt, []int{w.Rows, w.Cols}}}
	if err := c.spread(out, w, matrix, strides); err != nil {
		return nil, err
	}
	second, err := p.step()
	if err != nil {
		return nil, err
	}
	second.slots = append([]slot{{0, 0}, {1, matrix}, {2, c.n}}, p.optionSlots()...)
	out.steps = append(out.steps, second)
	return out, nil
}

// spread adds the launch that writes the matrix of w to scratch memory, as the transpose of a matrix with the
// given strides.
func (c *call) spread(out *plan, w Quantized, matrix int, strides []int) error {
	if w.Format.beside {
		return out.dequantizeInterleaved(c, w, 1, matrix, strides[1], strides[0])
	}
	st, err := c.dequantize(w, 1, matrix)
	out.steps = append(out.steps, st)
	return err
}

// checkQuantized returns an error for options that the product cannot have.
func (o *MatMulOption) checkQuantized(c *call, w Quantized) error {
	n := o.norm
	if n != nil && (len(n.Shape) != 1 || n.Shape[0] != w.Cols || !n.Contiguous() || !n.DType.IsFloat()) {
		return wrong(c.op, "norm", "it is %s%v, not %d contiguous floats", n.DType, n.Shape, w.Cols)
	}
	if o.gated && w.Rows%2 != 0 {
		return wrong(c.op, "w", "its %d rows are no two halves", w.Rows)
	}
	return o.gateAlone(c.op)
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

// quantizedKernel returns a kernel of quantized.py, with the formula of Then as its epilogue.
func (p *product) quantizedKernel(name string) (*nereid.Kernel, error) {
	if p.acc != nereid.Float32 {
		return nil, fmt.Errorf("there are no products of weights with %s", p.dt)
	}
	if p.o.then == nil {
		return p.c.s.lib.kernel("quantized.py", name)
	}
	return p.c.s.lib.withFunction("quantized.py", name, epilogueText, p.o.then.function("epilogue", p.acc))
}

// fewRows plans a product of vectors that reads the weights as they are.
func (p *product) fewRows(out *plan, w Quantized) error {
	switch {
	case !w.small():
		return p.largeBlocks(out, w)
	case w.Format.beside:
		return p.interleavedRows(out, w)
	}
	f := p.vectorForm()
	k, err := p.quantizedKernel(f.kernel)
	if err != nil {
		return err
	}
	sizes := []any{p.n, p.k, p.o.eps, p.row[0], p.col[0], p.row[2], p.col[2], p.bias, p.row[3], p.col[3],
		w.Format.kernel}
	if f.once {
		sizes = append([]any{p.m}, sizes...)
	}
	st := step{kernel: k, grid: nereid.Grid{nereid.Cdiv(p.n, f.n), nereid.Cdiv(p.m, f.m)},
		slots: slices.Concat([]slot{{0, 0}, {1, 1}, {2, p.c.n}}, p.optionSlots()),
		args:  slices.Concat([]any{nil, nil, nil, nil, nil, nil}, sizes, f.tile, []any{p.o.gated})}
	if p.o.norm != nil {
		st.slots = append(st.slots, slot{5, 4})
	}
	if f.once {
		st.args = append(st.args, f.m, p.o.fixed, p.c.s.overlap)
	}
	st.args = append(st.args, nereid.Options{NumWarps: f.warps, LaunchPDL: f.once && p.c.s.overlap})
	out.steps = []step{st}
	return nil
}

// vectorForm is how a product of few rows is computed.
type vectorForm struct {
	blocks
	kernel string
	once   bool  // all of a row is under way at once
	tile   []any // the kernel's arguments
}

// vectorForm returns the form of a product of few rows: a core goes along the columns of w; a program of a
// GPU has the whole row under way, or parts of it in a loop.
func (p *product) vectorForm() vectorForm {
	count := p.k / smallBlock
	switch {
	case p.c.s.chip != gpuChip:
		return vectorForm{blocks: blocks{m: 1, n: 32, warps: 4}, kernel: "quantized_columns_kernel",
			tile: []any{32}}
	case count <= onceBlocks:
		t := p.onceTile()
		return vectorForm{blocks: t, kernel: "quantized_once_kernel", once: true,
			tile: []any{t.n, t.k, p.n%t.n == 0 && count%t.k == 0}}
	}
	t := blocks{m: 1, n: 4, k: 32, warps: 4}
	return vectorForm{blocks: t, kernel: "quantized_blocks_kernel",
		tile: []any{t.n, t.k, p.n%t.n == 0 && count%t.k == 0}}
}

// onceTile returns the config of products that have all of a row under way at once, as it is fastest on an
// H200: few columns for each program, so that there are many of them, unless there are very many.
func (p *product) onceTile() blocks {
	t := blocks{m: min(pow2(p.m), 4), n: 2, k: pow2(p.k / smallBlock), warps: 4}
	if p.m == 1 {
		t.warps = 2
	}
	if p.n > 64*enough {
		t.n = 4
	}
	return t
}

// largeBlocks plans fewRows for blocks of 256 weights.
func (p *product) largeBlocks(out *plan, w Quantized) error {
	k, err := p.quantizedKernel("quantized_kernel")
	if err != nil {
		return err
	}
	const cols = 4
	out.steps = []step{{kernel: k, grid: nereid.Grid{nereid.Cdiv(p.n, cols), p.m},
		slots: slices.Concat([]slot{{0, 0}, {1, 1}, {2, p.c.n}}, p.optionSlots()),
		args: []any{nil, nil, nil, nil, nil, p.n, p.k, p.row[0], p.col[0], p.row[2], p.col[2], p.bias,
			p.row[3], p.col[3], w.Format.kernel, cols, min(pow2(p.k), 512), nereid.Options{NumWarps: 4}}}}
	return nil
}
