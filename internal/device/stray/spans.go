package stray

import "sync"

// Spans records the live buffers of a device: memory that a pointer may point into that a checked kernel has
// loaded from memory. Pointers derived from arguments are checked without it.
type Spans struct {
	mu   sync.Mutex
	last uint64
	live map[uint64]Span // by a number of their own: an address may be reused before its former owner is gone
}

// Span is a piece of memory: its first byte and its size.
type Span struct{ Lo, Size uint64 }

// Add records memory and returns its number.
func (a *Spans) Add(lo, size uint64) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	if a.live == nil {
		a.live = map[uint64]Span{}
	}
	a.live[a.last] = Span{lo, size}
	return a.last
}

// Remove forgets the memory of a number.
func (a *Spans) Remove(id uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, id)
}

// Spans returns the memory of all buffers.
func (a *Spans) Spans() []Span {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]Span, 0, len(a.live))
	for _, s := range a.live {
		out = append(out, s)
	}
	return out
}
