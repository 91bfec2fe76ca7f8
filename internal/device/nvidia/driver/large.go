package driver

import (
	"math"
	"sync"
	"sync/atomic"
)

// Large is code for launches with many blocks along x, of which one does the work of several.
type Large struct {
	From, By uint32                // it is for From blocks and more, in multiples of By
	Ones     Ones                  // and for launches in which these words are 1
	Make     func() (Ready, error) // called once; the launch that needs it waits
	Less     *Large                // code for launches that this is not for, merging fewer blocks, or nil

	once  sync.Once
	ready atomic.Pointer[Ready]
}

// Ones are words of a launch that are 1.
type Ones []One

// One is a word of which the bits of Mask count.
type One struct {
	Word int
	Mask uint64
}

// In reports whether the words of a launch are 1.
func (o Ones) In(words []uint64) bool {
	for _, one := range o {
		if words[one.Word]&one.Mask != 1 {
			return false
		}
	}
	return true
}

// of returns the code that is for launches with x blocks and these words, or nil.
func (l *Large) of(x uint32, words []uint64) *Large {
	for l != nil && (x < l.From || x%l.By != 0 || !l.Ones.In(words)) {
		l = l.Less
	}
	return l
}

// get returns the code, or nil if there is none. A stream that records cannot wait for a compilation.
func (l *Large) get(s *Stream) *Ready {
	if r := l.ready.Load(); r != nil {
		return r
	}
	if on, err := s.Capturing(); on || err != nil {
		return nil
	}
	l.once.Do(func() {
		if r, err := l.Make(); err == nil && r.Is() { // the ordinary code serves all launches
			l.ready.Store(&r)
		}
	})
	return l.ready.Load()
}

// below returns the least number of blocks along x for which there may be other code.
func (f *Function) below() uint32 {
	if f.Other != nil {
		return 0
	}
	below := uint32(math.MaxUint32)
	for l := f.Large; l != nil; l = l.Less {
		below = min(below, l.From)
	}
	return below
}
