package driver

import (
	"errors"
	"sync"
)

// keptRoom is the most scratch memory, in bytes, that a stream keeps from one launch to the next.
const keptRoom = 4 << 20

// room is memory that launches on a stream use one after the other.
type room struct {
	mu   sync.Mutex
	at   DevicePtr
	size int
}

// WithRoom calls launch, which may queue work that uses n bytes of device memory with arbitrary contents. The
// stream keeps the memory for the next call: what it queues runs in order, and an allocation and its end in
// the stream would take time between two kernels. A graph has memory of its own, since it may run on any
// stream; so has a stream of somebody else, which may be a different one for each thread.
func (s *Stream) WithRoom(n int, launch func(DevicePtr) error) error {
	recording, err := s.Capturing()
	switch {
	case err != nil:
		return err
	case recording || !s.owned || n > keptRoom:
		return s.withOwnRoom(n, launch)
	}
	s.room.mu.Lock() // until the work is queued: another call may need more, and end this memory behind it
	defer s.room.mu.Unlock()
	if s.room.size < n {
		if err := s.endRoom(); err != nil {
			return err
		}
		p, err := s.Alloc(n)
		if err != nil {
			return err
		}
		s.room.at, s.room.size = p, n
	}
	return launch(s.room.at)
}

// withOwnRoom calls launch with memory that ends behind what it queues.
func (s *Stream) withOwnRoom(n int, launch func(DevicePtr) error) error {
	p, err := s.Alloc(n)
	if err != nil {
		return err
	}
	return errors.Join(launch(p), s.Free(p))
}

// endRoom gives the memory back behind the work queued so far.
func (s *Stream) endRoom() error {
	if s.room.size == 0 {
		return nil
	}
	p := s.room.at
	s.room.at, s.room.size = 0, 0
	return s.Free(p)
}
