package driver

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// Stream is a queue of work: copies, launches, events, in order. A launch reads one cache line of it.
type Stream struct {
	ref    streamRef
	last   lastLaunch
	calls  inflight.Count // calls of the driver under way that use the stream
	owned  bool
	closed atomic.Bool
	silent atomic.Bool // see Silence
	ctx    *Context
	_      [8]byte // padded to 64 bytes so that a launch touches a single cache line
	room   room    // for launches that need memory of their own
}

// Calls returns the count of calls that use the stream. A launch begins one: until its End, no stream, code
// or memory that is open now is destroyed. The caller looks afterwards whether the arguments' memory is open;
// code and stream see to themselves.
func (s *Stream) Calls() *inflight.Count { return &s.calls }

// do calls the driver for the stream, unless it is closed.
func (s *Stream) do(call string, f func() Result) error {
	defer s.calls.Begin().End()
	if s.closed.Load() {
		return errClosed
	}
	return s.ctx.do(call, f)
}

// lastLaunch remembers the last launch on a stream for the error of a later wait: the driver does not say
// which kernel failed. It is a hint, because launches from several goroutines may mix.
type lastLaunch struct {
	function atomic.Pointer[Function]
	xy       atomic.Uint64 // of the grid
	zShared  atomic.Uint64
}

// is reports whether the last launch was this one. It mostly was, and reading is cheaper than writing.
func (l *lastLaunch) is(f *Function, xy, zShared uint64) bool {
	return l.function.Load() == f && l.xy.Load() == xy && l.zShared.Load() == zShared
}

// errClosed is the error of a launch on a closed stream.
var errClosed = fmt.Errorf("cuda: the stream is %w", inflight.ErrClosed)

// note records a launch, which a closed stream and closed code refuse: the last launch of a stream is none of
// closed code, and of a closed stream no function's, so that all such launches come here.
func (s *Stream) note(f *Function, xy, zShared uint64) error {
	if s.closed.Load() {
		return errClosed
	}
	if f.module.closed.Load() {
		return fmt.Errorf("cuda: the code of %s is %w", f.name, inflight.ErrClosed)
	}
	if s.last.function.Load() != f {
		s.last.function.Store(f)
		s.ctx.latest.Store(s) // approximate: it is a hint
	}
	s.last.xy.Store(xy)
	s.last.zShared.Store(zShared)
	return nil
}

// LastLaunch returns the function of the stream's last launch, nil if there was none, and the bytes of shared
// memory that the launch added to the function's own.
func (s *Stream) LastLaunch() (f *Function, shared int) {
	return s.last.function.Load(), int(s.last.zShared.Load() >> 32)
}

func pair(low, high uint32) uint64 { return uint64(low) | uint64(high)<<32 }

// DefaultStream returns the stream that waits for everything on the device and that everything waits for.
func (c *Context) DefaultStream() *Stream { return c.null }

// NewStream returns a stream that does not wait for the default stream. The caller closes it.
func (c *Context) NewStream() (*Stream, error) { return c.NewStreamWithPriority(0) }

// NewStreamWithPriority returns a stream. A lower number goes first; the device clamps it to its range.
func (c *Context) NewStreamWithPriority(priority int) (*Stream, error) {
	const nonBlocking = 1
	s := &Stream{ctx: c, owned: true}
	err := c.do("cuStreamCreateWithPriority", func() Result {
		return c.driver.raw.streamCreate(&s.ref, nonBlocking, int32(priority))
	})
	if err != nil {
		return nil, err
	}
	c.known.Add(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams = append(c.streams, s)
	return s, nil
}

// forget removes a stream that is closed.
func (c *Context) forget(s *Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams = slices.DeleteFunc(c.streams, func(o *Stream) bool { return o == s })
}

// ExternalStream returns a stream for a CUstream that the caller owns. From then on, modules stay loaded
// until somebody unloads them.
func (c *Context) ExternalStream(handle uintptr) *Stream {
	c.holdForGood()
	s := &Stream{ctx: c, ref: streamRef(handle)}
	c.known.Add(s)
	return s
}

// Silence makes errors of the stream name no launch: others launch on it, too, and their launches are not
// known here.
func (s *Stream) Silence() { s.silent.Store(true) }

// OpenHandle returns the CUstream, or an error if the stream is closed.
func (s *Stream) OpenHandle() (uintptr, error) {
	if s.closed.Load() {
		return 0, errClosed
	}
	return s.Handle(), nil
}

// Handle returns the CUstream.
func (s *Stream) Handle() uintptr { return uintptr(s.ref) }

// Context returns the stream's context.
func (s *Stream) Context() *Context { return s.ctx }

// Synchronize waits until the queued work is done. It returns the error of a kernel on the stream.
func (s *Stream) Synchronize() error {
	return s.blame(s.do("cuStreamSynchronize", func() Result {
		return s.ctx.driver.raw.streamSynchronize(s.ref)
	}))
}

// Done reports whether the queued work is done.
func (s *Stream) Done() (bool, error) {
	return ready(s.do("cuStreamQuery", func() Result { return s.ctx.driver.raw.streamQuery(s.ref) }))
}

// ready converts the result of a query to yes or no.
func ready(err error) (bool, error) {
	if e, ok := err.(*Error); ok && e.Result == ErrNotReady {
		return false, nil
	}
	return err == nil, err
}

// Wait makes later work of the stream wait for an event, without blocking the caller.
func (s *Stream) Wait(e *Event) error {
	return s.do("cuStreamWaitEvent", func() Result {
		return s.ctx.driver.raw.streamWaitEvent(s.ref, e.ref, 0)
	})
}

// Close destroys the stream once its work is done, without waiting for that, but for launches that are being
// queued. An external stream is left alone. Nothing can be launched on either any more.
func (s *Stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.ctx.known.WaitFor(s) // a launch that found the stream open may yet write what was launched last
	s.last.function.Store(nil)
	s.ctx.known.WaitFor(s)
	if !s.owned {
		return nil
	}
	s.ctx.forget(s)
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return errors.Join(s.endRoom(),
		s.ctx.do("cuStreamDestroy", func() Result { return s.ctx.driver.raw.streamDestroy(s.ref) }))
}

// blame adds to a sticky error the last launch, and those on other streams, since the driver does not say
// which kernel failed.
func (s *Stream) blame(err error) error {
	e, ok := err.(*Error)
	if !ok || !e.Result.Sticky() {
		return err
	}
	last := s.last.describe()
	if last == "" || s.silent.Load() {
		return err
	}
	e.Detail = "the last launch on the stream was " + last
	if others := s.ctx.lastLaunches(s); len(others) > 0 {
		e.Detail += "; on other streams: " + strings.Join(others, "; ")
	}
	return e
}

// lastLaunches describes the last launches on open streams but s.
func (c *Context) lastLaunches(s *Stream) (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.streams {
		if text := o.last.describe(); o != s && text != "" {
			out = append(out, text)
		}
	}
	return out
}

// describe returns the kernel and its grid, "" without a launch.
func (l *lastLaunch) describe() string {
	f := l.function.Load()
	if f == nil {
		return ""
	}
	xy, zShared := l.xy.Load(), l.zShared.Load()
	grid := Dim3{uint32(xy), uint32(xy >> 32), uint32(zShared)}
	return fmt.Sprintf("kernel %s, grid %v, %d bytes of shared memory", f.name, grid, zShared>>32)
}

// Event marks a point in a stream.
type Event struct {
	ctx *Context
	ref eventRef
}

// NewEvent returns an event that records the time. The caller closes it.
func (c *Context) NewEvent() (*Event, error) { return c.newEvent(0) }

// NewMarker returns an event without a time, which is cheaper to wait for.
func (c *Context) NewMarker() (*Event, error) {
	const disableTiming = 2
	return c.newEvent(disableTiming)
}

func (c *Context) newEvent(flags uint32) (*Event, error) {
	e := &Event{ctx: c}
	if err := c.do("cuEventCreate", func() Result {
		return c.driver.raw.eventCreate(&e.ref, flags)
	}); err != nil {
		return nil, err
	}
	return e, nil
}

// Record puts the event at the end of a stream's queue.
func (e *Event) Record(s *Stream) error {
	return s.do("cuEventRecord", func() Result { return e.ctx.driver.raw.eventRecord(e.ref, s.ref) })
}

// Synchronize waits until the stream has reached the event.
func (e *Event) Synchronize() error {
	return e.ctx.do("cuEventSynchronize", func() Result { return e.ctx.driver.raw.eventSynchronize(e.ref) })
}

// Done reports whether the stream has reached the event.
func (e *Event) Done() (bool, error) {
	return ready(e.ctx.do("cuEventQuery", func() Result { return e.ctx.driver.raw.eventQuery(e.ref) }))
}

// Since returns the time on the device from another event to this one. Both must be done.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms float32
	err := e.ctx.do("cuEventElapsedTime", func() Result {
		return e.ctx.driver.raw.eventElapsedTime(&ms, start.ref, e.ref)
	})
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

// Graph is work that was captured once and is launched as a whole.
type Graph struct {
	ctx    *Context
	ref    graphRef
	exec   execRef
	closed atomic.Bool // until then its functions' modules stay loaded
}

// Capture records the work that f queues on the stream instead of running it. f runs on this goroutine, which
// stays on its thread meanwhile, and must not wait for the device. Work on other streams and threads is not
// affected.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	raw := &s.ctx.driver.raw
	if raw.graphInstantiate == nil {
		return nil, s.ctx.driver.unsupported("cuGraphInstantiateWithFlags")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer s.ctx.captures.Begin()()
	s.ctx.hold()
	g := &Graph{ctx: s.ctx}
	const threadLocal = 1
	err := s.do("cuStreamBeginCapture", func() Result {
		return raw.streamBeginCapture(s.ref, threadLocal)
	})
	if err != nil {
		_ = g.Close()
		return nil, err
	}
	failed := f()
	err = s.do("cuStreamEndCapture", func() Result { return raw.streamEndCapture(s.ref, &g.ref) })
	if failed != nil {
		err = failed
	}
	if err == nil {
		err = s.ctx.do("cuGraphInstantiateWithFlags", func() Result {
			return raw.graphInstantiate(&g.exec, g.ref, 0)
		})
	}
	if err != nil {
		_ = g.Close()
		return nil, err
	}
	return g, nil
}

// Capturing reports whether the stream is being captured.
func (s *Stream) Capturing() (bool, error) {
	const none = 0
	var status int32
	err := s.do("cuStreamIsCapturing", func() Result {
		return s.ctx.driver.raw.streamIsCapturing(s.ref, &status)
	})
	return status != none, err
}

// Launch queues the graph's work on a stream.
func (g *Graph) Launch(s *Stream) error {
	defer s.calls.Begin().End()
	if g.closed.Load() {
		return errClosedGraph
	}
	return s.do("cuGraphLaunch", func() Result { return g.ctx.driver.raw.graphLaunch(g.exec, s.ref) })
}

var errClosedGraph = fmt.Errorf("cuda: the graph is %w", inflight.ErrClosed)

// Nodes returns the number of operations of the graph.
func (g *Graph) Nodes() (int, error) {
	var n uintptr
	err := g.ctx.do("cuGraphGetNodes", func() Result {
		return g.ctx.driver.raw.graphGetNodes(g.ref, nil, &n)
	})
	return int(n), err
}

// Close destroys the graph, once. Work of it that is under way goes on.
func (g *Graph) Close() error {
	if g.closed.Swap(true) {
		return nil
	}
	g.ctx.known.Wait()
	defer g.ctx.release()
	var err error
	if g.exec != 0 {
		err = g.ctx.do("cuGraphExecDestroy", func() Result {
			return g.ctx.driver.raw.graphExecDestroy(g.exec)
		})
	}
	if g.ref != 0 {
		if e := g.ctx.do("cuGraphDestroy", func() Result {
			return g.ctx.driver.raw.graphDestroy(g.ref)
		}); err == nil {
			err = e
		}
	}
	return err
}
