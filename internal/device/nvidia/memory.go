package nvidia

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/device/stray"
)

// Alloc returns zeroed device memory.
func (d *Device) Alloc(size int) (device.Buffer, error) {
	b, err := d.alloc(size)
	if err != nil {
		return nil, err
	}
	// Streams do not wait for the default stream: without waiting here, a kernel could run before its memory
	// is cleared.
	s := b.ctx.DefaultStream()
	if err := errors.Join(s.Fill(b.ptr, 0, 1, size), s.Synchronize()); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// alloc returns device memory with arbitrary contents.
func (d *Device) alloc(size int) (*buffer, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	p, err := c.Alloc(max(size, 1))
	if err != nil {
		return nil, err
	}
	return d.recorded(&buffer{ctx: c, ptr: p, size: size}), nil
}

// At returns a buffer of memory that somebody else has allocated on the GPU, and frees. At 0 there is none.
func (d *Device) At(addr uint64, size int) (device.Buffer, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	for _, p := range []uint64{addr, addr + uint64(max(size, 1)) - 1} {
		if addr == 0 && size == 0 {
			break
		}
		on, err := c.PointerDevice(driver.DevicePtr(p))
		if err != nil {
			return nil, err
		}
		if on != d.dev.Ordinal {
			return nil, fmt.Errorf("the address %#x is memory of cuda:%d, not of %s", p, on, d.Name())
		}
	}
	return d.recorded(&buffer{ctx: c, ptr: driver.DevicePtr(addr), size: size, foreign: true}), nil
}

// Wrap copies host memory to the device for the duration of a launch; Close copies it back.
func (d *Device) Wrap(data []byte) (device.Buffer, error) {
	b, err := d.alloc(len(data))
	if err != nil {
		return nil, err
	}
	if err := b.Write(0, data); err != nil {
		b.Close()
		return nil, err
	}
	return &mirror{b, data}, nil
}

// place returns the address of n bytes of a buffer.
func place(b device.Buffer, at, n int) (driver.DevicePtr, error) {
	closed := false
	if own, ok := b.(*buffer); ok {
		closed = own.closed.Load()
	}
	if err := device.CheckAccess("use", at, n, b.Size(), closed); err != nil {
		return 0, err
	}
	return driver.DevicePtr(b.Addr()) + driver.DevicePtr(at), nil
}

// buffer is memory of the GPU.
type buffer struct {
	ctx  *driver.Context
	ptr  driver.DevicePtr
	size int

	foreign bool // its owner outside of this package frees it
	closed  atomic.Bool
	copies  sync.RWMutex // copies under way, for which Close waits

	of *stray.Spans // where the buffer is recorded
	id uint64
}

// recorded records a buffer until it is closed. One of somebody else's memory is forgotten when it is
// collected, since nobody need close it.
func (d *Device) recorded(b *buffer) *buffer {
	b.of, b.id = &d.memory, d.memory.Add(b.Addr(), uint64(b.size))
	if b.foreign {
		runtime.AddCleanup(b, d.memory.Remove, b.id)
	}
	return b
}

func (b *buffer) Addr() uint64 { return uint64(b.ptr) }
func (b *buffer) Size() int    { return b.size }
func (b *buffer) Host() []byte { return nil }

// Close frees the memory, once, after the launches that use it.
func (b *buffer) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	b.copies.Lock()
	defer b.copies.Unlock()
	b.ctx.Closing()
	return b.free()
}

// free frees memory that nobody uses.
func (b *buffer) free() error {
	b.of.Remove(b.id)
	if b.foreign {
		return nil
	}
	return b.ctx.Free(b.ptr)
}

// Read waits for all launched work, because any stream may have written the memory.
func (b *buffer) Read(at int, into []byte) error {
	b.copies.RLock()
	defer b.copies.RUnlock()
	if err := device.CheckAccess("read", at, len(into), b.size, b.closed.Load()); err != nil {
		return err
	}
	if err := b.ctx.Synchronize(); err != nil {
		return err
	}
	return b.ctx.CopyFrom(into, b.ptr+driver.DevicePtr(at))
}

func (b *buffer) Write(at int, from []byte) error {
	b.copies.RLock()
	defer b.copies.RUnlock()
	if err := device.CheckAccess("write", at, len(from), b.size, b.closed.Load()); err != nil {
		return err
	}
	return b.ctx.CopyTo(b.ptr+driver.DevicePtr(at), from)
}

// mirror is device memory that stands for host memory during a launch.
type mirror struct {
	*buffer
	data []byte
}

func (m *mirror) Host() []byte { return m.data }

// Close waits for the launches that may use the memory and copies it back. Only the launch that it was lent
// to has its address.
func (m *mirror) Close() error {
	err := m.Read(0, m.data)
	if m.closed.Swap(true) {
		return err
	}
	return errors.Join(err, m.free())
}
