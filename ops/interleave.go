package ops

import "github.com/nereid-lang/nereid"

// lanes is how many rows of an interleaved matrix lie side by side: a vector of a CPU has a weight of each.
const lanes = 16

// Interleave returns w with the weights of 16 rows side by side, which the cores of a CPU multiply two to
// three times as fast as rows one after the other: no sum runs across a vector, and memory is read in one
// stream. It is the same matrix, of the same size, for all ops. On other devices, and where rows do not come
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

// interleavedRows plans a product of vectors for interleaved weights: a program computes 16 columns of a row.
func (p *product) interleavedRows(out *plan, w Quantized) error {
	k, err := p.quantizedKernel("interleaved_kernel")
	if err != nil {
		return err
	}
	out.steps = []step{{kernel: k, grid: nereid.Grid{p.n / lanes, p.m},
		slots: append([]slot{{0, 0}, {1, 1}, {2, p.c.n}}, p.optionSlots()...),
		args: []any{nil, nil, nil, nil, nil, p.n, p.k, p.row[0], p.col[0], p.row[2], p.col[2], p.bias,
			p.row[3], p.col[3], w.Format.kernel, p.o.gated}}}
	return nil
}

// dequantizeInterleaved adds the launch that writes a matrix, an operand, to another one with any strides.
func (p *plan) dequantizeInterleaved(c *call, w Quantized, from, to, rowStride, colStride int) error {
	return p.interleaved(c, "dequantize_interleaved_kernel", w.Rows/lanes, []slot{{0, from}, {1, to}},
		nil, nil, w.Cols/smallBlock, rowStride, colStride, w.Format.kernel)
}
