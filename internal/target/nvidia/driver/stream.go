package driver

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// Stream is a queue of work: copies, launches, events, in order. A launch reads one line of it.
type Stream struct {
	ref   streamRef
	last  lastLaunch
	ctx   *Context
	owned bool
	_     [23]byte // as large as a line, so that it is one
}

// lastLaunch remembers the latest launch on a stream, for the error that comes when somebody waits: the driver does
// not say which kernel failed. Launches from several goroutines may mix; it is a hint.
type lastLaunch struct {
	function atomic.Pointer[Function]
	xy       atomic.Uint64 // of the grid
	zShared  atomic.Uint64
}

// is reports whether it is this one: mostly it is, and reading is cheaper than writing.
func (l *lastLaunch) is(f *Function, xy, zShared uint64) bool {
	return l.function.Load() == f && l.xy.Load() == xy && l.zShared.Load() == zShared
}

// note takes note of a launch.
func (s *Stream) note(f *Function, xy, zShared uint64) {
	if s.last.function.Load() != f {
		s.last.function.Store(f)
		s.ctx.latest.Store(s) // roughly: it is a hint
	}
	s.last.xy.Store(xy)
	s.last.zShared.Store(zShared)
}

func pair(low, high uint32) uint64 { return uint64(low) | uint64(high)<<32 }

// DefaultStream is the stream that everything of the device waits for and that waits for everything.
func (c *Context) DefaultStream() *Stream { return c.null }

// NewStream makes a stream that does not wait for the default one. The caller closes it.
func (c *Context) NewStream() (*Stream, error) { return c.NewStreamWithPriority(0) }

// NewStreamWithPriority makes a stream; a lower number goes first, the device rounds it to what it has.
func (c *Context) NewStreamWithPriority(priority int) (*Stream, error) {
	const nonBlocking = 1
	s := &Stream{ctx: c, owned: true}
	err := c.do("cuStreamCreateWithPriority", func() Result {
		return c.driver.raw.streamCreate(&s.ref, nonBlocking, int32(priority))
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ExternalStream wraps a CUstream that somebody else made and keeps.
func (c *Context) ExternalStream(handle uintptr) *Stream {
	return &Stream{ctx: c, ref: streamRef(handle)}
}

// Handle is the CUstream.
func (s *Stream) Handle() uintptr { return uintptr(s.ref) }

// Context is where the stream belongs.
func (s *Stream) Context() *Context { return s.ctx }

// Synchronize waits until the work that was queued is done. An error of a kernel on the stream comes out here.
func (s *Stream) Synchronize() error {
	return s.blame(s.ctx.do("cuStreamSynchronize", func() Result { return s.ctx.driver.raw.streamSynchronize(s.ref) }))
}

// Done reports whether the work that was queued is done.
func (s *Stream) Done() (bool, error) {
	return ready(s.ctx.do("cuStreamQuery", func() Result { return s.ctx.driver.raw.streamQuery(s.ref) }))
}

// ready makes a yes or no of a query.
func ready(err error) (bool, error) {
	if e, ok := err.(*Error); ok && e.Result == ErrNotReady {
		return false, nil
	}
	return err == nil, err
}

// Wait has later work of the stream wait for an event, without blocking the caller.
func (s *Stream) Wait(e *Event) error {
	return s.ctx.do("cuStreamWaitEvent", func() Result { return s.ctx.driver.raw.streamWaitEvent(s.ref, e.ref, 0) })
}

// Close destroys the stream once its work is done, without waiting. A stream that is not ours is left alone.
func (s *Stream) Close() error {
	if !s.owned {
		return nil
	}
	s.owned = false
	return s.ctx.do("cuStreamDestroy", func() Result { return s.ctx.driver.raw.streamDestroy(s.ref) })
}

// blame adds to a sticky error what ran last.
func (s *Stream) blame(err error) error {
	e, ok := err.(*Error)
	if !ok || !e.Result.Sticky() {
		return err
	}
	l := &s.last
	f := l.function.Load()
	if f == nil {
		return err
	}
	xy, zShared := l.xy.Load(), l.zShared.Load()
	grid := Dim3{uint32(xy), uint32(xy >> 32), uint32(zShared)}
	e.Detail = fmt.Sprintf("the last launch on the stream was kernel %s, grid %v, %d bytes of shared memory", f.name, grid, zShared>>32)
	return e
}

// Event marks a point in a stream.
type Event struct {
	ctx *Context
	ref eventRef
}

// NewEvent makes an event that takes the time. The caller closes it.
func (c *Context) NewEvent() (*Event, error) { return c.newEvent(0) }

// NewMarker makes an event that takes no time, which is cheaper to wait for.
func (c *Context) NewMarker() (*Event, error) {
	const disableTiming = 2
	return c.newEvent(disableTiming)
}

func (c *Context) newEvent(flags uint32) (*Event, error) {
	e := &Event{ctx: c}
	if err := c.do("cuEventCreate", func() Result { return c.driver.raw.eventCreate(&e.ref, flags) }); err != nil {
		return nil, err
	}
	return e, nil
}

// Record puts the event at the end of a stream's queue.
func (e *Event) Record(s *Stream) error {
	return e.ctx.do("cuEventRecord", func() Result { return e.ctx.driver.raw.eventRecord(e.ref, s.ref) })
}

// Synchronize waits until the stream has come to the event.
func (e *Event) Synchronize() error {
	return e.ctx.do("cuEventSynchronize", func() Result { return e.ctx.driver.raw.eventSynchronize(e.ref) })
}

// Done reports whether the stream has come to the event.
func (e *Event) Done() (bool, error) {
	return ready(e.ctx.do("cuEventQuery", func() Result { return e.ctx.driver.raw.eventQuery(e.ref) }))
}

// Since is the time on the device from another event to this one. Both must be done.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms float32
	err := e.ctx.do("cuEventElapsedTime", func() Result { return e.ctx.driver.raw.eventElapsedTime(&ms, start.ref, e.ref) })
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Close destroys the event.
func (e *Event) Close() error {
	if e.ref == 0 {
		return nil
	}
	ref := e.ref
	e.ref = 0
	return e.ctx.do("cuEventDestroy", func() Result { return e.ctx.driver.raw.eventDestroy(ref) })
}

// Graph is work that was recorded once and is launched as a whole.
type Graph struct {
	ctx  *Context
	ref  graphRef
	exec execRef
}

// Capture records what f queues on the stream, instead of doing it. f runs on this goroutine, which is kept on its
// thread meanwhile, and must not wait for the device. Work on other streams and threads is not affected.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	raw := &s.ctx.driver.raw
	if raw.graphInstantiate == nil {
		return nil, s.ctx.driver.unsupported("cuGraphInstantiateWithFlags")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const threadLocal = 1
	err := s.ctx.do("cuStreamBeginCapture", func() Result { return raw.streamBeginCapture(s.ref, threadLocal) })
	if err != nil {
		return nil, err
	}
	g := &Graph{ctx: s.ctx}
	failed := f()
	err = s.ctx.do("cuStreamEndCapture", func() Result { return raw.streamEndCapture(s.ref, &g.ref) })
	if failed != nil {
		err = failed
	}
	if err == nil {
		err = s.ctx.do("cuGraphInstantiateWithFlags", func() Result { return raw.graphInstantiate(&g.exec, g.ref, 0) })
	}
	if err != nil {
		_ = g.Close()
		return nil, err
	}
	return g, nil
}

// Capturing reports whether what is queued on the stream is being recorded.
func (s *Stream) Capturing() (bool, error) {
	const none = 0
	var status int32
	err := s.ctx.do("cuStreamIsCapturing", func() Result { return s.ctx.driver.raw.streamIsCapturing(s.ref, &status) })
	return status != none, err
}

// Launch queues the graph's work on a stream.
func (g *Graph) Launch(s *Stream) error {
	return g.ctx.do("cuGraphLaunch", func() Result { return g.ctx.driver.raw.graphLaunch(g.exec, s.ref) })
}

// Nodes is how many operations the graph has.
func (g *Graph) Nodes() (int, error) {
	var n uintptr
	err := g.ctx.do("cuGraphGetNodes", func() Result { return g.ctx.driver.raw.graphGetNodes(g.ref, nil, &n) })
	return int(n), err
}

// Close destroys the graph.
func (g *Graph) Close() error {
	var err error
	if g.exec != 0 {
		err = g.ctx.do("cuGraphExecDestroy", func() Result { return g.ctx.driver.raw.graphExecDestroy(g.exec) })
	}
	if g.ref != 0 {
		if e := g.ctx.do("cuGraphDestroy", func() Result { return g.ctx.driver.raw.graphDestroy(g.ref) }); err == nil {
			err = e
		}
	}
	g.exec, g.ref = 0, 0
	return err
}
