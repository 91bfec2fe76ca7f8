package backend

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// NewStream returns a queue. On a device without streams, launches are done when they return.
func (r *runner) NewStream() (device.Stream, error) {
	if r.mem == nil {
		return device.HostStream{}, nil
	}
	s := &stream{on: r}
	if r.streams != nil {
		var err error
		if s.s, err = r.streams.NewStream(); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
	}
	r.mu.Lock()
	r.open[s] = true
	r.mu.Unlock()
	if _, ok := s.s.(Events); ok {
		return clocked{s}, nil
	}
	return s, nil
}

// wait waits until no call of a launch is under way and everything queued is done. The error is one that no
// Sync has returned yet; its stream keeps it.
func (r *runner) wait() error {
	r.mu.Lock()
	list := make([]*stream, 0, len(r.open))
	for s := range r.open {
		list = append(list, s)
	}
	r.mu.Unlock()
	r.calls.WaitFor(list...)
	var errs []error
	for _, s := range list {
		errs = append(errs, s.wait())
	}
	return errors.Join(errs...)
}

// stream is a queue of a device with memory of its own.
type stream struct {
	on    *runner
	s     Stream // nil if the device has no streams
	count inflight.Count

	mu     sync.Mutex
	failed error // of work that is done, until Sync returns it
	closed bool
}

// queued is a stream of this package.
type queued interface{ queue() *stream }

func (s *stream) queue() *stream { return s }

// Calls implements device.Guarded.
func (s *stream) Calls() *inflight.Count { return &s.count }

// wait waits for the queue and returns the first error that no Sync has returned yet.
func (s *stream) wait() error {
	if s.s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waitLocked()
}

func (s *stream) waitLocked() error {
	if s.closed {
		return nil
	}
	if err := s.s.Sync(); err != nil && s.failed == nil {
		s.failed = fmt.Errorf("%s: %w", s.on.name, err)
	}
	return s.failed
}

// Sync waits for the queue and returns the first error since the last Sync.
func (s *stream) Sync() error {
	if s.s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.waitLocked()
	s.failed = nil
	return err
}

// Close waits for the queue and frees it.
func (s *stream) Close() error {
	s.on.calls.WaitFor(s)
	err := s.Sync()
	s.on.mu.Lock()
	delete(s.on.open, s)
	s.on.mu.Unlock()
	if s.s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return errors.Join(err, s.s.Close())
}

// Zero fills memory with zeros in order with the queue.
func (s *stream) Zero(b device.Buffer, at, n int) error {
	defer s.count.Begin().End()
	own, err := s.usable(b, at, n)
	if err != nil || n == 0 {
		return err
	}
	if c, ok := s.s.(Copies); ok {
		return c.Zero(own.addr+uint64(at), n)
	}
	if err := s.wait(); err != nil {
		return err
	}
	return own.zero(at, n)
}

// Copy copies memory in order with the queue.
func (s *stream) Copy(to device.Buffer, toAt int, from device.Buffer, fromAt, n int) error {
	defer s.count.Begin().End()
	dst, err := s.usable(to, toAt, n)
	src, srcErr := s.usable(from, fromAt, n)
	if err := errors.Join(err, srcErr); err != nil || n == 0 {
		return err
	}
	if c, ok := s.s.(Copies); ok {
		return c.Copy(dst.addr+uint64(toAt), src.addr+uint64(fromAt), n)
	}
	if err := s.wait(); err != nil {
		return err
	}
	data := make([]byte, n)
	if err := s.on.mem.Read(data, src.addr+uint64(fromAt)); err != nil {
		return fmt.Errorf("%s: %w", s.on.name, err)
	}
	return s.on.mem.Write(dst.addr+uint64(toAt), data)
}

// usable returns the memory of a buffer, or an error for bytes that it does not have, or has no longer.
func (s *stream) usable(b device.Buffer, at, n int) (*buffer, error) {
	own, ok := b.(*buffer)
	if m, is := b.(*mirror); is {
		own, ok = m.buffer, true
	}
	if !ok || own.on != s.on {
		return nil, fmt.Errorf("the memory is not one of %s", s.on.name)
	}
	return own, device.CheckAccess("use", at, n, own.size, own.closed.Load())
}

// clocked is a stream with Events.
type clocked struct{ *stream }

// Mark implements device.Clocked.
func (c clocked) Mark(old device.Mark) (device.Mark, error) {
	if m, ok := old.(mark); ok {
		_ = m.Event.Close()
	}
	e, err := c.s.(Events).Record()
	if err != nil {
		return nil, err
	}
	return mark{e}, nil
}

// mark is an event of a stream.
type mark struct{ Event }

// Since returns the time on the device from another mark of the stream.
func (m mark) Since(earlier device.Mark) (time.Duration, error) {
	e, ok := earlier.(mark)
	if !ok {
		return 0, errors.New("the mark is not of the same device")
	}
	return m.Event.Since(e.Event)
}

var (
	_ device.Guarded = (*stream)(nil)
	_ device.Queue   = (*stream)(nil)
	_ device.Clocked = clocked{}
)
