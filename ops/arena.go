package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
)

// arena gives out memory of a device front to back, and takes it back in the reverse order. Memory that was
// taken back is given out again while the kernels that used it may still run: later work of the same stream
// runs after them.
type arena struct {
	dev    *nereid.Device
	chunks []*nereid.Tensor // of bytes
	at     Mark
}

// Mark is a state of a stream's arena.
type Mark struct {
	chunk int // chunks before it are full
	used  int // bytes of that chunk
}

const (
	arenaAlign = 256     // bytes; every tensor begins at a multiple, for loads of whole vectors
	firstChunk = 1 << 20 // bytes; every further chunk is as large as all before
)

// alloc returns memory for a tensor. Its contents are arbitrary.
func (a *arena) alloc(dt nereid.DType, shape []int) (*nereid.Tensor, error) {
	n := rounded(dt, shape)
	if err := a.room(n); err != nil {
		return nil, err
	}
	t := a.chunks[a.at.chunk].Offset(a.at.used)
	a.at.used += n
	t.DType, t.Shape, t.Strides = dt, slices.Clone(shape), contiguous(shape)
	return t, nil
}

// room moves to a chunk with n free bytes.
func (a *arena) room(n int) error {
	total := 0
	for i, c := range a.chunks {
		total += c.Len()
		if i == a.at.chunk && a.at.used+n <= c.Len() {
			return nil
		}
		if i > a.at.chunk && n <= c.Len() {
			a.at = Mark{chunk: i}
			return nil
		}
	}
	c, err := nereid.NewTensor(a.dev, nereid.Uint8, max(n, total, firstChunk))
	if err != nil {
		return err
	}
	a.chunks = append(a.chunks, c)
	a.at = Mark{chunk: len(a.chunks) - 1}
	return nil
}

// scratchFor finds memory for what a plan keeps between its steps. All plans of a stream share it: their
// launches run one after the other.
func (s *state) scratchFor(p *plan) error {
	if p.scratch == nil || p.views != nil && p.base == s.scratch {
		return nil
	}
	total := 0
	for _, r := range p.scratch {
		total += rounded(r.dt, r.shape)
	}
	if s.scratch == nil || s.scratch.Len() < total {
		t, err := nereid.NewTensor(s.arena.dev, nereid.Uint8, max(total, firstChunk))
		if err != nil {
			return err
		}
		s.outgrown = append(s.outgrown, t)
		s.scratch = t
	}
	p.base, p.views = s.scratch, nil
	at := 0
	for _, r := range p.scratch {
		t := s.scratch.Offset(at)
		t.DType, t.Shape, t.Strides = r.dt, r.shape, contiguous(r.shape)
		p.views = append(p.views, t)
		at += rounded(r.dt, r.shape)
	}
	return nil
}

// zeros returns n integers of i32 that are zero whenever no kernel runs that uses them.
func (s *state) zeros(n int) (*nereid.Tensor, error) {
	if s.counters != nil && s.counters.Len() >= n {
		return s.counters, nil
	}
	t, err := nereid.NewTensor(s.arena.dev, nereid.Int32, max(n, 1024))
	if err != nil {
		return nil, err
	}
	s.outgrown, s.counters = append(s.outgrown, t), t // graphs may still use the one before
	return t, t.Fill(0)
}

// rounded returns the bytes of a tensor, rounded up to the alignment of the next one.
func rounded(dt nereid.DType, shape []int) int {
	return (dt.Size()*count(shape) + arenaAlign - 1) / arenaAlign * arenaAlign
}

// close frees all memory.
func (a *arena) close() (err error) {
	for _, c := range a.chunks {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	a.chunks, a.at = nil, Mark{}
	return err
}
