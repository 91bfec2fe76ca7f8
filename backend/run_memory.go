package backend

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
)

// Alloc returns memory of zeros that kernels can use.
func (r *runner) Alloc(size int) (device.Buffer, error) {
	if r.mem == nil {
		return device.NewHostBuffer(size)
	}
	b, err := r.alloc(size)
	if err != nil {
		return nil, err
	}
	if err := b.zero(0, size); err != nil {
		return nil, errors.Join(err, b.free())
	}
	return b, nil
}

func (r *runner) alloc(size int) (*buffer, error) {
	addr, err := r.mem.Alloc(max(size, 1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	if addr == 0 || addr%16 != 0 {
		return nil, fmt.Errorf("%s: the back end allocated %d bytes at %#x, which is not aligned", r.name,
			size, addr)
	}
	return &buffer{on: r, addr: addr, size: size}, nil
}

// Wrap lends memory of the caller for the duration of a launch: in place, or as a copy that Close brings
// back.
func (r *runner) Wrap(data []byte) (device.Buffer, error) {
	if r.mem == nil {
		return device.HostBuffer{Data: data}, nil
	}
	b, err := r.alloc(len(data))
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return &mirror{b, data}, nil
	}
	if err := r.mem.Write(b.addr, data); err != nil { // nobody else has the memory yet
		return nil, errors.Join(fmt.Errorf("%s: %w", r.name, err), b.free())
	}
	return &mirror{b, data}, nil
}

// buffer is memory of a device.
type buffer struct {
	on     *runner
	addr   uint64
	size   int
	closed atomic.Bool
	copies sync.RWMutex // copies under way, for which Close waits
}

func (b *buffer) Addr() uint64 { return b.addr }
func (b *buffer) Size() int    { return b.size }
func (b *buffer) Host() []byte { return nil }

// Read waits for all work, because any stream may have written the memory.
func (b *buffer) Read(at int, into []byte) error {
	return b.access("read", at, len(into), func() error {
		return b.on.mem.Read(into, b.addr+uint64(at))
	})
}

// Write waits for all work, which may still read the memory.
func (b *buffer) Write(at int, from []byte) error {
	return b.access("write", at, len(from), func() error {
		return b.on.mem.Write(b.addr+uint64(at), from)
	})
}

// access copies n bytes of the buffer when no launch is under way.
func (b *buffer) access(what string, at, n int, run func() error) error {
	b.copies.RLock()
	defer b.copies.RUnlock()
	if err := device.CheckAccess(what, at, n, b.size, b.closed.Load()); err != nil {
		return err
	}
	if err := b.on.wait(); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if err := run(); err != nil {
		return fmt.Errorf("%s: %w", b.on.name, err)
	}
	return nil
}

// zeros are written in pieces of this size.
const zeroPiece = 1 << 20

// zero writes zeros by way of the host.
func (b *buffer) zero(at, n int) error {
	zeros := make([]byte, min(n, zeroPiece))
	for ; n > 0; n -= len(zeros) {
		zeros = zeros[:min(n, len(zeros))]
		if err := b.on.mem.Write(b.addr+uint64(at), zeros); err != nil {
			return fmt.Errorf("%s: %w", b.on.name, err)
		}
		at += len(zeros)
	}
	return nil
}

func (b *buffer) free() error {
	if err := b.on.mem.Free(b.addr); err != nil {
		return fmt.Errorf("%s: %w", b.on.name, err)
	}
	return nil
}

// Close frees the memory, once, after the launches and copies that use it.
func (b *buffer) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	b.copies.Lock()
	defer b.copies.Unlock()
	_ = b.on.wait() // the error is that of the stream's next Sync
	return b.free()
}

// mirror is a copy of host memory.
type mirror struct {
	*buffer
	host []byte
}

// Close copies the memory back and frees it.
func (m *mirror) Close() error {
	if m.closed.Load() {
		return nil
	}
	return errors.Join(m.Read(0, m.host), m.buffer.Close())
}
