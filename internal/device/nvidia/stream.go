package nvidia

import (
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// NewStream returns a CUDA stream.
func (d *Device) NewStream() (device.Stream, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	s, err := c.NewStream()
	if err != nil {
		return nil, err
	}
	return stream{s}, nil
}

// ExternalStream returns a stream for a CUstream that the caller owns.
func (d *Device) ExternalStream(handle uintptr) (device.Stream, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	return stream{c.ExternalStream(handle)}, nil
}

// Current implements device.Accessible.
func (d *Device) Current(f func() error) error {
	c, err := d.context()
	if err != nil {
		return err
	}
	return c.Current(f)
}

type stream struct{ s *driver.Stream }

// Handle implements device.Handled.
func (s stream) Handle() (uintptr, error) { return s.s.OpenHandle() }

// Calls implements device.Guarded.
func (s stream) Calls() *inflight.Count { return s.s.Calls() }

func (s stream) Capturing() (bool, error) { return s.s.Capturing() }

// Capture records work as a CUDA graph.
func (s stream) Capture(f func() error) (device.Graph, error) {
	g, err := s.s.Capture(f)
	if err != nil {
		return nil, err
	}
	return graph{g}, nil
}

// Launched returns what the code of the last launch takes, which may be other code than the kernel's first.
func (s stream) Launched() (f device.Facts) {
	if fn, shared := s.s.LastLaunch(); fn != nil {
		f.Registers, f.Spills, f.Shared = fn.Registers, fn.LocalBytes, fn.SharedBytes+shared
	}
	return f
}

// Mark implements device.Clocked by an event.
func (s stream) Mark(old device.Mark) (device.Mark, error) {
	m, ok := old.(mark)
	if !ok {
		e, err := s.s.Context().NewEvent()
		if err != nil {
			return nil, err
		}
		m = mark{e}
	}
	return m, m.Record(s.s)
}

type mark struct{ *driver.Event }

// Since implements device.Mark.
func (m mark) Since(from device.Mark) (time.Duration, error) { return m.Event.Since(from.(mark).Event) }

type graph struct{ g *driver.Graph }

func (g graph) Launch(s device.Stream) error { return g.g.Launch(s.(stream).s) }
func (g graph) Close() error                 { return g.g.Close() }
func (s stream) Sync() error                 { return s.s.Synchronize() }
func (s stream) Close() error                { return s.s.Close() }

// Zero queues a fill with zeros.
func (s stream) Zero(b device.Buffer, at, n int) error {
	defer s.Calls().Begin().End()
	p, err := place(b, at, n)
	if err != nil {
		return err
	}
	return s.s.Fill(p, 0, 1, n)
}

// Copy queues a copy within the GPU's memory.
func (s stream) Copy(to device.Buffer, toAt int, from device.Buffer, fromAt, n int) error {
	defer s.Calls().Begin().End()
	dst, err := place(to, toAt, n)
	if err != nil {
		return err
	}
	src, err := place(from, fromAt, n)
	if err != nil {
		return err
	}
	return s.s.Copy(dst, src, n)
}

// RawStream returns a GPU's stream, or nil.
func RawStream(s device.Stream) *driver.Stream {
	own, _ := s.(stream)
	return own.s
}
