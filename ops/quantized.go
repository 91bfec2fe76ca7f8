package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
)

// Format is how a Quantized matrix is stored: the formats of GGUF files under their names there.
type Format struct {
	name    string
	kernel  string // the function of kernels/quantized.py that reads it
	weights int    // of a block
	bytes   int    // of a block
	beside  bool   // the weights of 16 rows lie side by side: Interleave
}

// The formats. A block of 32 or 256 weights of a row has scales of its own.
var (
	Q4_0 = Format{"Q4_0", "q4_0", 32, 18, false}
	Q4_1 = Format{"Q4_1", "q4_1", 32, 20, false}
	Q8_0 = Format{"Q8_0", "q8_0", 32, 34, false}
	Q4_K = Format{"Q4_K", "q4_k", 256, 144, false}
	Q6_K = Format{"Q6_K", "q6_k", 256, 210, false}
)

func (f Format) String() string {
	if f.beside {
		return f.name + ", interleaved"
	}
	return f.name
}

// Block returns how many weights of a row have scales of their own, and how many bytes they take together.
func (f Format) Block() (weights, bytes int) { return f.weights, f.bytes }

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
	c.attr(int(b2i(w.Format.beside)))
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
			w.Cols, f, f.Bytes(w.Rows, w.Cols), w.Data.DType, w.Data.Shape)
	case f.beside && (w.Rows%(2*lanes) != 0 || w.Data.Addr()%2 != 0):
		c.err = wrong(c.op, "w", "%d rows at an address of %#x are not what Interleave returned", w.Rows,
			w.Data.Addr())
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
		if w.Format.beside {
			return p, p.dequantizeInterleaved(c, w, 0, c.n, w.Cols, 1)
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

// TakeQuantized returns rows of w in a type, by index: the result has the shape of index and one more
// dimension. An index outside of w gives zeros.
func TakeQuantized(s *Stream, w Quantized, index *nereid.Tensor, dt nereid.DType) *nereid.Tensor {
	index = s.packed(index)
	if w.Data.Err() == nil && !w.small() && index.Err() == nil && index.Len() > 0 {
		n := len(index.Shape)
		if out := s.outs[0]; s.into && s.n == 1 && out.Err() == nil && len(out.Shape) == n+1 {
			s.done()
			s = s.plain.Into(out.Reshape(-1, out.Shape[n])) // as rows
		}
		all := w.Data.Slice(0, 0, w.Format.Bytes(w.Rows, w.Cols), 1)
		bytes := Take(s.plain, all.Reshape(w.Rows, -1), index, 0)
		w.Rows = index.Len()
		if w.Data = bytes; bytes.Err() == nil {
			w.Data = bytes.Reshape(-1)
		}
		out := Dequantize(s, w, dt)
		if out.Err() != nil {
			return out
		}
		return out.Reshape(append(slices.Clone(index.Shape), w.Cols)...)
	}
	c := s.begin("TakeQuantized")
	w.in(c)
	c.in("index", index)
	c.attr(int(dt))
	return c.run(func(c *call) (*plan, error) { return planTakeQuantized(c, w, dt) })
}

func planTakeQuantized(c *call, w Quantized, dt nereid.DType) (*plan, error) {
	index := c.ins[1]
	if kindOf(index.DType) != intKind || !dt.IsFloat() {
		return nil, wrong(c.op, "index", "it is of %s, and the result of %s, not of integers and floats",
			index.DType, dt)
	}
	p := &plan{outs: []result{{dt, append(slices.Clone(index.Shape), w.Cols)}}}
	if p.empty() {
		return p, nil
	}
	if c.s.into && c.s.n > 0 && !c.s.outs[0].Contiguous() {
		return nil, wrong(c.op, outNames[0], "it is a view; this op fills tensors without gaps")
	}
	count := w.Cols / smallBlock
	if w.Format.beside {
		return p, p.interleaved(c, "take_interleaved_kernel", index.Len(), []slot{{0, 0}, {1, 1}, {2, c.n}},
			nil, nil, nil, w.Rows, count, w.Format.kernel)
	}
	k, err := c.s.lib.kernel("quantized.py", "take_blocks_kernel")
	if err != nil {
		return nil, err
	}
	block := min(pow2(count), 32)
	p.steps = []step{{kernel: k, slots: []slot{{0, 0}, {1, 1}, {2, c.n}},
		grid: nereid.Grid{index.Len(), nereid.Cdiv(count, block)},
		args: []any{nil, nil, nil, w.Rows, count, w.Format.kernel, block, c.s.overlap,
			nereid.Options{NumWarps: 4, LaunchPDL: c.s.overlap}}}}
	return p, nil
}
