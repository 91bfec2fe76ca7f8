package hip

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// Alloc returns the address of device memory with arbitrary contents.
func (d *Device) Alloc(size int) (p uint64, err error) {
	err = d.do("hipMalloc", func(r *raw) Result { return r.malloc(&p, uintptr(max(size, 1))) })
	return p, d.sized(err, size)
}

// Free frees memory of Alloc.
func (d *Device) Free(p uint64) error {
	return d.do("hipFree", func(r *raw) Result { return r.free(p) })
}

// Synchronize waits for all work on the device, and before that for the captures of other threads, which it
// would spoil.
func (d *Device) Synchronize() (err error) {
	if !d.live.captures.Wait(func() {
		err = d.do("hipDeviceSynchronize", func(r *raw) Result { return r.synchronize() })
	}) {
		return errWaitInCapture
	}
	return err
}

var errWaitInCapture = fmt.Errorf("hip: it would wait for the device: %w", inflight.ErrCapturing)

// Write copies host memory to the device and waits.
func (d *Device) Write(to uint64, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return d.do("hipMemcpyHtoD", func(r *raw) Result {
		return r.memcpyHtoD(to, unsafe.Pointer(&from[0]), uintptr(len(from)))
	})
}

// Read copies device memory to the host and waits.
func (d *Device) Read(into []byte, from uint64) error {
	if len(into) == 0 {
		return nil
	}
	return d.do("hipMemcpyDtoH", func(r *raw) Result {
		return r.memcpyDtoH(unsafe.Pointer(&into[0]), from, uintptr(len(into)))
	})
}

// Stream is a queue of work.
type Stream struct {
	dev    *Device
	ref    streamRef
	owned  bool
	closed atomic.Bool
	calls  inflight.Count // calls of the runtime under way that use the stream
}

// Calls returns the count of calls that use the stream. A launch begins one: until its End, no stream, code
// or memory that is open now is destroyed. The caller looks afterwards whether the arguments' memory is open;
// code and stream see to themselves.
func (s *Stream) Calls() *inflight.Count { return &s.calls }

// do calls the runtime for the stream, unless it is closed.
func (s *Stream) do(call string, f func(r *raw) Result) error {
	defer s.calls.Begin().End()
	if s.closed.Load() {
		return fmt.Errorf("hip: the stream is %w", inflight.ErrClosed)
	}
	return s.dev.do(call, f)
}

// known makes those who close something wait for calls that use the stream.
func (s *Stream) known() *Stream {
	s.dev.live.streams.Add(s)
	return s
}

// DefaultStream returns the queue that every device has.
func (d *Device) DefaultStream() *Stream { return (&Stream{dev: d}).known() }

// nonBlocking makes a stream that does not wait for the default stream.
const nonBlocking = 1

// NewStream returns a new queue, which does not wait for the default stream.
func (d *Device) NewStream() (*Stream, error) {
	s := (&Stream{dev: d, owned: true}).known()
	return s, d.do("hipStreamCreateWithFlags", func(r *raw) Result {
		return r.streamCreate(&s.ref, nonBlocking)
	})
}

// ExternalStream returns a stream for a hipStream_t that the caller owns.
func (d *Device) ExternalStream(handle uintptr) *Stream {
	return (&Stream{dev: d, ref: streamRef(handle)}).known()
}

// OpenHandle returns the hipStream_t, or an error if the stream is closed.
func (s *Stream) OpenHandle() (uintptr, error) {
	if s.closed.Load() {
		return 0, fmt.Errorf("hip: the stream is %w", inflight.ErrClosed)
	}
	return uintptr(s.ref), nil
}

// Synchronize waits for the stream's work.
func (s *Stream) Synchronize() error {
	return s.do("hipStreamSynchronize", func(r *raw) Result { return r.streamSynchronize(s.ref) })
}

// Close waits for the stream's work and releases it.
func (s *Stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.dev.live.streams.WaitFor(s)
	if !s.owned {
		return nil
	}
	return errors.Join(
		s.dev.do("hipStreamSynchronize", func(r *raw) Result { return r.streamSynchronize(s.ref) }),
		s.dev.do("hipStreamDestroy", func(r *raw) Result { return r.streamDestroy(s.ref) }))
}

// Zero queues a fill with zeros.
func (s *Stream) Zero(p uint64, n int) error {
	if n == 0 {
		return nil
	}
	return s.do("hipMemsetD8Async", func(r *raw) Result {
		return r.memsetD8Async(p, 0, uintptr(n), s.ref)
	})
}

// Copy queues a copy within the device.
func (s *Stream) Copy(to, from uint64, n int) error {
	if n == 0 {
		return nil
	}
	return s.do("hipMemcpyDtoDAsync", func(r *raw) Result {
		return r.memcpyDtoDAsync(to, from, uintptr(n), s.ref)
	})
}

// Capturing reports whether the stream is being captured.
func (s *Stream) Capturing() (bool, error) {
	var status int32
	err := s.do("hipStreamIsCapturing", func(r *raw) Result {
		return r.streamIsCapturing(s.ref, &status)
	})
	return status != 0, err
}

// Graph is captured work.
type Graph struct {
	dev    *Device
	exec   execRef
	closed atomic.Bool // until then its kernels' modules stay loaded
}

// relaxed lets other threads use the device while a stream is captured.
const relaxed = 2

// Capture records the work that f queues on the stream.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer s.dev.live.captures.Begin()()
	s.dev.hold()
	g, err := s.capture(f)
	if err != nil {
		return nil, errors.Join(err, s.dev.release())
	}
	return g, nil
}

// capture records work; the caller holds the modules.
func (s *Stream) capture(f func() error) (*Graph, error) {
	err := s.do("hipStreamBeginCapture", func(r *raw) Result {
		return r.streamBeginCapture(s.ref, relaxed)
	})
	if err != nil {
		return nil, err
	}
	failed := f()
	var g graphRef
	err = errors.Join(failed,
		s.do("hipStreamEndCapture", func(r *raw) Result { return r.streamEndCapture(s.ref, &g) }))
	if g == 0 {
		return nil, err
	}
	out := &Graph{dev: s.dev}
	if err == nil {
		err = s.dev.do("hipGraphInstantiate", func(r *raw) Result {
			return r.graphInstantiate(&out.exec, g, nil, nil, 0)
		})
	}
	err = errors.Join(err, s.dev.do("hipGraphDestroy", func(r *raw) Result { return r.graphDestroy(g) }))
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Launch queues the graph's work.
func (g *Graph) Launch(s *Stream) error {
	defer s.calls.Begin().End()
	if g.closed.Load() {
		return fmt.Errorf("hip: the graph is %w", inflight.ErrClosed)
	}
	return s.do("hipGraphLaunch", func(r *raw) Result { return r.graphLaunch(g.exec, s.ref) })
}

// Close releases the graph, once.
func (g *Graph) Close() error {
	if g.closed.Swap(true) {
		return nil
	}
	g.dev.live.streams.Wait()
	err := g.dev.do("hipGraphExecDestroy", func(r *raw) Result { return r.graphExecDestroy(g.exec) })
	return errors.Join(err, g.dev.release())
}
