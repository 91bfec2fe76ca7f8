package hip

import (
	"errors"
	"time"
)

// Event marks a point in a stream.
type Event struct {
	dev *Device
	ref eventRef
}

// NewEvent returns an event that records the time. The caller closes it.
func (d *Device) NewEvent() (*Event, error) {
	e := &Event{dev: d}
	err := d.do("hipEventCreateWithFlags", func(r *raw) Result { return r.eventCreate(&e.ref, 0) })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Record puts the event at the end of a stream's queue.
func (e *Event) Record(s *Stream) error {
	return s.do("hipEventRecord", func(r *raw) Result { return r.eventRecord(e.ref, s.ref) })
}

// Synchronize waits until the stream has reached the event.
func (e *Event) Synchronize() error {
	return e.dev.do("hipEventSynchronize", func(r *raw) Result { return r.eventSynchronize(e.ref) })
}

// Done reports whether the stream has reached the event.
func (e *Event) Done() (bool, error) {
	return ready(e.dev.do("hipEventQuery", func(r *raw) Result { return r.eventQuery(e.ref) }))
}

// Since returns the time on the device from another event to this one. Both must be done.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms float32
	err := e.dev.do("hipEventElapsedTime", func(r *raw) Result {
		return r.eventElapsedTime(&ms, start.ref, e.ref)
	})
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Close destroys the event, once.
func (e *Event) Close() error {
	if e.ref == 0 {
		return nil
	}
	ref := e.ref
	e.ref = 0
	return e.dev.do("hipEventDestroy", func(r *raw) Result { return r.eventDestroy(ref) })
}

// Wait makes later work of the stream wait for an event, without blocking the caller.
func (s *Stream) Wait(e *Event) error {
	return s.do("hipStreamWaitEvent", func(r *raw) Result { return r.streamWaitEvent(s.ref, e.ref, 0) })
}

// Done reports whether the queued work is done.
func (s *Stream) Done() (bool, error) {
	return ready(s.do("hipStreamQuery", func(r *raw) Result { return r.streamQuery(s.ref) }))
}

// ready converts the result of a query to yes or no.
func ready(err error) (bool, error) {
	if e := (*Error)(nil); errors.As(err, &e) && e.Result == notReady {
		return false, nil
	}
	return err == nil, err
}
