package core

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// ExternalStream returns a stream for a driver handle (CUstream) that the caller owns. Close does not destroy
// the handle.
func (d *Device) ExternalStream(ctx context.Context, handle uintptr) (*Stream, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	f, ok := d.b.(device.Accessible)
	if !ok {
		return nil, d.refuse("ExternalStream", d.String()+" has no streams of others", "use NewStream")
	}
	ctx = OrBackground(ctx)
	s, err := f.ExternalStream(handle)
	if err != nil {
		return nil, err
	}
	return d.stream(ctx, s), nil
}

// Graph is work that was captured once and is launched as a whole: a CUDA graph.
type Graph struct {
	dev    *Device
	g      device.Graph
	closed atomic.Bool
	holds  holds
}

// holds are functions that Close of a graph calls, for what its work needs.
type holds []func()

// release calls them.
func (h *holds) release() {
	for _, f := range *h {
		f()
	}
	*h = nil
}

// Capture records the launches that f makes on the stream instead of running them. Tensors must be on the
// device and stay there as long as the graph is launched; a tensor in host memory, which would be copied, is
// refused with ErrCapturing.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errNoFunc
	}
	r, ok := s.s.(device.Recording)
	if !ok {
		return nil, s.dev.refuse("Capture", s.dev.String()+" has no graphs", "launch the kernels one by one")
	}
	start := time.Now()
	var held holds
	g, err := r.Capture(func() error {
		defer s.graph.Store(s.graph.Swap(&held))
		return f()
	})
	if l := timeline.On(); l != nil {
		l.Span(timeline.Graph, "capture", start, time.Now(),
			timeline.Arg{Key: "device", Value: s.dev.String()})
	}
	if err != nil {
		held.release()
		return nil, err
	}
	return &Graph{dev: s.dev, g: g, holds: held}, nil
}

// Launch queues the graph's work on a stream of its device.
func (g *Graph) Launch(s *Stream) error {
	switch {
	case g == nil || g.dev == nil:
		return errNoGraph
	case g.closed.Load():
		return errClosedGraph
	}
	if err := s.usable(); err != nil {
		return err
	}
	if s.dev != g.dev {
		return fmt.Errorf("nereid: a graph of %s cannot be launched on %s", g.dev, s.dev)
	}
	launch := func() error { return g.g.Launch(s.s) }
	if l := timeline.On(); l != nil {
		return l.Run(timeline.Graph, "graph", g.dev.b, s.s, nil, launch)
	}
	return launch()
}

// Close releases the graph, after launches that are being queued. Launching it then is ErrClosed; closing
// twice is harmless.
func (g *Graph) Close() error {
	if g == nil || g.g == nil || g.closed.Swap(true) {
		return nil
	}
	defer g.holds.release()
	return g.g.Close()
}

// lends returns an error if the stream is being captured and lending host memory to the device would copy it:
// the copies would not be part of the graph.
func (l *Launch) lends() error {
	if l.On == nil || !l.Dev.traits.CopiesHost {
		return nil
	}
	return l.On.recorded("memory of the host would have to be copied to the device, which takes no part " +
		"in a graph")
}

// Capturing returns an error that wraps ErrCapturing if the stream is being captured, by Capture or by
// somebody else. what names the work that the kernel needs.
func Capturing(s *Stream, kernel, what string) error {
	return s.recorded(fmt.Sprintf("nereid: %s would have to be %s", kernel, what))
}

// recorded returns an error that wraps ErrCapturing if the stream is being captured.
func (s *Stream) recorded(why string) error {
	r, ok := s.s.(device.Recording)
	if !ok {
		return nil
	}
	if on, err := r.Capturing(); err != nil || on {
		return errors.Join(fmt.Errorf("%s: %w", why, ErrCapturing), err)
	}
	return nil
}
