package target

import (
	"sync"
	"sync/atomic"
)

// Spare is memory that launches need for a moment. One goroutine at a time gets the same piece again and again, and looks at less for it
// than a sync.Pool does: after a call to the driver little is left in the caches, and each line counts. The others' comes from a pool.
type Spare[T any] struct {
	taken atomic.Uint32 // 1 while somebody has the one
	one   T
	more  sync.Pool
}

// Get is memory for the caller alone, as it was given back or zero.
func (s *Spare[T]) Get() *T {
	if s.taken.CompareAndSwap(0, 1) {
		return &s.one
	}
	return s.another()
}

func (s *Spare[T]) another() *T {
	if x, ok := s.more.Get().(*T); ok {
		return x
	}
	return new(T)
}

// Put gives it back.
func (s *Spare[T]) Put(x *T) {
	if x == &s.one {
		s.taken.Store(0)
		return
	}
	s.more.Put(x)
}
