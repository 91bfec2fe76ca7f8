package ops

import "github.com/nereid-lang/nereid"

// lanes is how many rows of an interleaved matrix lie side by side: a vector of a CPU has a weight of each.
const lanes = 16

// Interleave returns w with the weights of 16 rows side by side, which the cores of a CPU multiply two to
// three times as fast as rows one after the other: no sum runs across a vector, and memory is read in one
// stream. It is the same matrix, of the same size, for all ops, and a row of a product is the same, to the
// bit, among up to 64 rows as alone. On other devices, and where rows do not come
// in whole groups or blocks have 256 weights, it is w itself.
func Interleave(s *Stream, w Quantized) Quantized {
	if w.Data.Err() == nil && (s.chip == gpuChip || w.Rows%(2*lanes) != 0 || !w.small() || w.Format.beside) {
		s.done()
		return w
	}
	c := s.begin("Interleave")
	w.in(c)
	w.Data = c.run(func(c *call) (*plan, error) {
		if err := c.withoutGaps(); err != nil {
			return nil, err
		}
		p := &plan{outs: []result{{nereid.Uint8, []int{w.Format.Bytes(w.Rows, w.Cols)}}}}
		return p, p.interleaved(c, "interleave_kernel", w.Rows/lanes, []slot{{0, 0}, {1, c.n}},
			nil, nil, w.Cols/smallBlock, w.Format.kernel)
	})
	w.Format.beside = true
	return w
}

// interleaved adds a launch of a kernel for interleaved weights, on so many programs.
func (p *plan) interleaved(c *call, name string, programs int, slots []slot, args ...any) error {
	k, err := c.s.lib.kernel("quantized.py", name)
	p.steps = append(p.steps, step{kernel: k, slots: slots, grid: nereid.Grid{programs}, args: args})
	return err
}

// interleavedRows plans a product with interleaved weights, which are read as they are: a program computes 32
// columns, or 16 with what they are gated with, of one row or of four.
func (p *product) interleavedRows(out *plan, w Quantized) error {
	name, programs := "interleaved_kernel", nereid.Grid{w.Rows / (2 * lanes), p.m}
	sizes := []any{p.n, p.k}
	if p.m > 1 {
		name, programs = "interleaved_rows_kernel", nereid.Grid{nereid.Cdiv(p.m, 4), w.Rows / (2 * lanes)}
		sizes = []any{p.m, p.n, p.k}
	}
	k, err := p.quantizedKernel(name)
	if err != nil {
		return err
	}
	args := append([]any{nil, nil, nil, nil, nil}, sizes...)
	out.steps = []step{{kernel: k, grid: programs,
		slots: append([]slot{{0, 0}, {1, 1}, {2, p.c.n}}, p.optionSlots()...),
		args: append(args, p.row[0], p.col[0], p.row[2], p.col[2], p.bias, p.row[3], p.col[3],
			w.Format.kernel, p.o.gated)}}
	return nil
}

// dequantizeInterleaved adds the launch that writes a matrix, an operand, to another one with any strides.
func (p *plan) dequantizeInterleaved(c *call, w Quantized, from, to, rowStride, colStride int) error {
	return p.interleaved(c, "dequantize_interleaved_kernel", w.Rows/lanes, []slot{{0, from}, {1, to}},
		nil, nil, w.Cols/smallBlock, rowStride, colStride, w.Format.kernel)
}
