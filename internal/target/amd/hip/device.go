package hip

import (
	"errors"
	"unsafe"
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

// Synchronize waits for all work on the device.
func (d *Device) Synchronize() error {
	return d.do("hipDeviceSynchronize", func(r *raw) Result { return r.synchronize() })
}

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
	dev   *Device
	ref   streamRef
	owned bool
}

// DefaultStream returns the queue that every device has.
func (d *Device) DefaultStream() *Stream { return &Stream{dev: d} }

// nonBlocking makes a stream that does not wait for the default stream.
const nonBlocking = 1

// NewStream returns a new queue, which does not wait for the default stream.
func (d *Device) NewStream() (*Stream, error) {
	s := &Stream{dev: d, owned: true}
	return s, d.do("hipStreamCreateWithFlags", func(r *raw) Result {
		return r.streamCreate(&s.ref, nonBlocking)
	})
}

// ExternalStream returns a stream for a hipStream_t that the caller owns.
func (d *Device) ExternalStream(handle uintptr) *Stream {
	return &Stream{dev: d, ref: streamRef(handle)}
}

// Synchronize waits for the stream's work.
func (s *Stream) Synchronize() error {
	return s.dev.do("hipStreamSynchronize", func(r *raw) Result { return r.streamSynchronize(s.ref) })
}

// Close waits for the stream's work and releases it.
func (s *Stream) Close() error {
	if !s.owned {
		return nil
	}
	s.owned = false
	return errors.Join(s.Synchronize(),
		s.dev.do("hipStreamDestroy", func(r *raw) Result { return r.streamDestroy(s.ref) }))
}

// Zero queues a fill with zeros.
func (s *Stream) Zero(p uint64, n int) error {
	if n == 0 {
		return nil
	}
	return s.dev.do("hipMemsetD8Async", func(r *raw) Result {
		return r.memsetD8Async(p, 0, uintptr(n), s.ref)
	})
}

// Copy queues a copy within the device.
func (s *Stream) Copy(to, from uint64, n int) error {
	if n == 0 {
		return nil
	}
	return s.dev.do("hipMemcpyDtoDAsync", func(r *raw) Result {
		return r.memcpyDtoDAsync(to, from, uintptr(n), s.ref)
	})
}

// Capturing reports whether the stream is being captured.
func (s *Stream) Capturing() (bool, error) {
	var status int32
	err := s.dev.do("hipStreamIsCapturing", func(r *raw) Result {
		return r.streamIsCapturing(s.ref, &status)
	})
	return status != 0, err
}

// Graph is captured work.
type Graph struct {
	dev  *Device
	exec execRef
}

// relaxed lets other threads use the device while a stream is captured.
const relaxed = 2

// Capture records the work that f queues on the stream.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	err := s.dev.do("hipStreamBeginCapture", func(r *raw) Result {
		return r.streamBeginCapture(s.ref, relaxed)
	})
	if err != nil {
		return nil, err
	}
	failed := f()
	var g graphRef
	err = errors.Join(failed,
		s.dev.do("hipStreamEndCapture", func(r *raw) Result { return r.streamEndCapture(s.ref, &g) }))
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
	return g.dev.do("hipGraphLaunch", func(r *raw) Result { return r.graphLaunch(g.exec, s.ref) })
}

// Close releases the graph, once.
func (g *Graph) Close() error {
	if g.exec == 0 {
		return nil
	}
	x := g.exec
	g.exec = 0
	return g.dev.do("hipGraphExecDestroy", func(r *raw) Result { return r.graphExecDestroy(x) })
}
