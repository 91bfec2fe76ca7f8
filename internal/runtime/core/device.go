package core

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// Device runs kernels.
type Device struct {
	b      device.Device
	traits device.Traits // those of b
}

// NewDevice returns the device of a back end.
func NewDevice(b device.Device) *Device { return &Device{b, b.Traits()} }

// Traits returns what is fixed of a device.
func Traits(d *Device) *device.Traits { return &d.traits }

// Backend returns the back end of a device.
func Backend(d *Device) device.Device { return d.b }

// usable returns an error for a device that OpenDevice did not return.
func (d *Device) usable() error {
	if d == nil || d.b == nil {
		return errors.New("nereid: there is no device: nereid.OpenDevice finds one")
	}
	return nil
}

// String returns the device's name: "interp", "cuda:0".
func (d *Device) String() string {
	switch {
	case d == nil:
		return "the host"
	case d.b == nil:
		return "no device"
	}
	return d.b.Name()
}

// Info returns a line about the device.
func (d *Device) Info() string {
	if err := d.usable(); err != nil {
		return "no device"
	}
	return d.b.Info()
}

// Target returns the target for which the device's code is compiled, as Kernel.CompileFor takes it:
// "cuda:90" for a GPU, real or simulated, "cpu" for the CPU.
func (d *Device) Target() string {
	if err := d.usable(); err != nil {
		return ""
	}
	return cmp.Or(d.traits.Target, device.Kind(d.b))
}

// Stages returns the names of the forms that a kernel takes on its way to this device.
func (d *Device) Stages() []string {
	if err := d.usable(); err != nil {
		return nil
	}
	return device.Stages(d.b)
}

// Abilities says what a device is and has, for programs that choose by it. Its name is for users to read.
type Abilities struct {
	GPU        bool // runs code for GPUs: a real one, or a simulated one
	Simulated  bool // its results are those of the hardware, its times are not
	Interprets bool // runs Triton IR itself, some 40 times slower than native code
	HostMemory bool // kernels use the host's memory in place
	Graphs     bool // Stream.Capture records work
}

// Abilities returns what the device is and has.
func (d *Device) Abilities() Abilities {
	if d == nil {
		return Abilities{}
	}
	t := &d.traits
	return Abilities{GPU: t.Hardware || t.Target != "", Simulated: t.Target != "", Interprets: t.Interprets,
		HostMemory: t.SharesHost, Graphs: t.Graphs}
}

// Stream is a queue of launches on a device. Launches on a stream run in order.
type Stream struct {
	dev    *Device
	s      device.Stream
	calls  *inflight.Count // of a device.Guarded stream; else nil
	closed atomic.Bool
	ctx    context.Context
	graph  atomic.Pointer[holds] // of the graph that Capture records, while it does
	// 64 bytes, so that a launch touches a single cache line
}

// Context returns the context that ends what the stream's launches wait for; for the zero value it never
// ends.
func (s *Stream) Context() context.Context {
	if s == nil || s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// NewStream returns a new queue on the device. When ctx ends, compilations and tunings of its launches end,
// and so do kernels on every device but a GPU, within some milliseconds, even in an endless loop.
// Work given to a GPU runs to its end.
func (d *Device) NewStream(ctx context.Context) (*Stream, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	ctx = OrBackground(ctx)
	s, err := d.b.NewStream()
	if err != nil {
		return nil, err
	}
	return d.stream(ctx, s), nil
}

// stream returns the stream for one of the back end.
func (d *Device) stream(ctx context.Context, s device.Stream) *Stream {
	x := &Stream{dev: d, s: s, ctx: ctx}
	if g, ok := s.(device.Guarded); ok {
		x.calls = g.Calls()
	}
	return x
}

// Device returns the device that the stream belongs to.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.dev
}

// Sync waits until everything launched so far is done and returns its first error.
func (s *Stream) Sync() error {
	if err := s.usable(); err != nil {
		return err
	}
	err := s.s.Sync()
	if l := timeline.On(); l != nil {
		l.Drain()
	}
	return err
}

// Close waits for the stream's work and releases it. Using a closed stream is ErrClosed, also for a launch
// that begins meanwhile; closing twice is harmless.
func (s *Stream) Close() error {
	if s == nil || s.s == nil || s.closed.Swap(true) {
		return nil
	}
	if l := timeline.On(); l != nil {
		l.Close(s.s)
	}
	return s.s.Close()
}
