package ops

import (
	"errors"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Stream is where ops run: a stream of a device, with an arena in which results and scratch memory lie. A
// result lives until Reset, or until Release of an earlier Mark. A Stream must not be used by several
// goroutines at once.
type Stream struct {
	*state
	outs [maxOuts]*nereid.Tensor // of Into; nil elsewhere
	n    int                     // how many of them
	into bool
}

// state is what a Stream and its Into forms share.
type state struct {
	lib    *Library
	stream *nereid.Stream
	arena  arena
	plans  map[string]*plan
	call   call
	plain  *Stream   // without Into
	spare  []*Stream // for Into
	chip   chip
	// overlap reports that kernels may begin before the one before them has ended, and wait in between.
	overlap bool
	// copies reports that the device has a copy engine for blocks of tensors, TMA.
	copies bool
	// scratch is memory that ops use between their launches; outgrown has it and all before it, which graphs
	// may still use.
	scratch  *nereid.Tensor
	outgrown []*nereid.Tensor
	counters *nereid.Tensor // zeros, which kernels leave as they were
}

const (
	maxIns  = 8
	maxOuts = 3
	// maxPlans bounds what a Stream remembers of calls. A program with more kinds of calls than this plans
	// some of them again.
	maxPlans = 1 << 14
)

// On returns a Stream for ops on a device's stream, with the kernels that all such Streams share.
func On(s *nereid.Stream) *Stream { return shared().On(s) }

// On returns a Stream for ops on a device's stream, with kernels of the library.
func (l *Library) On(s *nereid.Stream) *Stream {
	st := &state{lib: l, stream: s, plans: map[string]*plan{}}
	if s != nil {
		st.arena.dev, st.chip = s.Device(), chipOf(s.Device())
		st.overlap, st.copies = engines(s.Device())
	}
	st.plain = &Stream{state: st}
	return st.plain
}

// Stream returns the device's stream, for launches of other kernels between ops.
func (s *Stream) Stream() *nereid.Stream { return s.stream }

// Close frees the arena; the device's stream stays open.
func (s *Stream) Close() error {
	err := s.arena.close()
	for _, t := range s.outgrown {
		err = errors.Join(err, t.Close())
	}
	s.scratch, s.outgrown, s.counters = nil, nil, nil
	clear(s.plans) // they have views of the memory
	return err
}

// New returns a tensor in the arena. Its contents are arbitrary.
func (s *Stream) New(dt nereid.DType, shape ...int) *nereid.Tensor {
	t, err := s.alloc(dt, shape)
	if err != nil {
		return failed(&Error{Op: "New", Err: err})
	}
	return t
}

// alloc returns a tensor in the arena.
func (s *state) alloc(dt nereid.DType, shape []int) (*nereid.Tensor, error) {
	if s == nil || s.stream == nil {
		return nil, errNoStream
	}
	if err := core.CheckShape(dt, shape); err != nil {
		return nil, err
	}
	return s.arena.alloc(dt, shape)
}

var errNoStream = errors.New("the stream is nil")

// Mark returns the state of the arena, for Release.
func (s *Stream) Mark() Mark { return s.arena.at }

// Release gives back the memory of all results since a Mark: later ops overwrite it.
func (s *Stream) Release(m Mark) { s.arena.at = m }

// Reset gives back the memory of all results: later ops overwrite it.
func (s *Stream) Reset() { s.Release(Mark{}) }

// Sync waits for the work of the stream.
func (s *Stream) Sync() error { return s.stream.Sync() }

// Into returns s for one call of an op that writes its result to a tensor instead of the arena. The tensor
// has the shape of the result; values are rounded to its type where the op says so. An op with several
// results takes several tensors.
//
//	err := ops.Add(s.Into(out), x, y).Err()
//
// A call like an earlier one, in types, shapes and strides, allocates nothing then.
func (s *Stream) Into(outs ...*nereid.Tensor) *Stream {
	var x *Stream
	if n := len(s.spare); n > 0 {
		x = s.spare[n-1]
		s.spare = s.spare[:n-1]
	} else {
		x = &Stream{state: s.state}
	}
	x.n, x.into = copy(x.outs[:], outs), true
	if len(outs) > maxOuts {
		x.n = len(outs) // more than any op has: an error
	}
	return x
}

// done ends the use of an Into form.
func (s *Stream) done() {
	if !s.into {
		return
	}
	s.outs, s.into, s.n = [maxOuts]*nereid.Tensor{}, false, 0
	s.spare = append(s.spare, s)
}
