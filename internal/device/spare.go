package device

import (
	"sync"
	"sync/atomic"
)

// Spare holds memory that a launch needs for its duration. A single goroutine gets the same piece again and
// again and reads fewer cache lines for it than with a sync.Pool, because after a call to the driver little
// is left in the caches. Concurrent goroutines get theirs from a pool.
type Spare[T any] struct {
	taken atomic.Uint32 // 1 while one is in use
	one   T
	more  sync.Pool
}

// Get returns memory for the caller alone, as it was put back or zero.
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

// Put gives the memory back.
func (s *Spare[T]) Put(x *T) {
	if x == &s.one {
		s.taken.Store(0)
		return
	}
	s.more.Put(x)
}
