package driver

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// DevicePtr is an address in a device's memory.
type DevicePtr uint64

// Alloc allocates memory of the device. Zero bytes give the null pointer.
func (c *Context) Alloc(n int) (DevicePtr, error) {
	if n == 0 {
		return 0, nil
	}
	var p DevicePtr
	err := c.do("cuMemAlloc", func() Result { return c.driver.raw.memAlloc(&p, uintptr(n)) })
	return p, c.sized(err, n)
}

// Closing is called when memory of the context is closed, and before it is freed: it waits for launches that
// are being queued and did not see that. The next launches of kernels bound to memory look whether it is
// theirs, as Closes tells them.
func (c *Context) Closing() {
	c.driver.closes.Add(1)
	c.known.Wait()
}

// Closes returns a counter that changes whenever memory of a context is closed.
func (r *Ready) Closes() *atomic.Uint32 { return &r.state.closes }

// Free frees memory of Alloc, after the work that is under way.
func (c *Context) Free(p DevicePtr) error {
	if p == 0 {
		return nil
	}
	return c.do("cuMemFree", func() Result { return c.driver.raw.memFree(p) })
}

// sized adds the requested and the available memory to an out-of-memory error.
func (c *Context) sized(err error, n int) error {
	e, ok := err.(*Error)
	if !ok || e.Result != ErrOutOfMemory {
		return err
	}
	free, total, infoErr := c.MemInfo()
	if infoErr != nil {
		return explain(e, "%d bytes on %s", n, c.device)
	}
	return explain(e, "%d bytes on %s, %d of %d are free", n, c.device, free, total)
}

// MemInfo returns the free and the total memory of the device.
func (c *Context) MemInfo() (free, total int64, err error) {
	var f, t uintptr
	err = c.do("cuMemGetInfo", func() Result { return c.driver.raw.memGetInfo(&f, &t) })
	return int64(f), int64(t), err
}

// Alloc allocates from the device's pool, in stream order: work queued later on this stream may use the
// memory. If the driver or the device has no pools, it is an ordinary allocation.
func (s *Stream) Alloc(n int) (DevicePtr, error) {
	raw := &s.ctx.driver.raw
	if n == 0 || !s.ctx.device.MemoryPools || raw.memAllocAsync == nil {
		return s.ctx.Alloc(n)
	}
	var p DevicePtr
	err := s.do("cuMemAllocAsync", func() Result { return raw.memAllocAsync(&p, uintptr(n), s.ref) })
	return p, s.ctx.sized(err, n)
}

// Free returns memory of Stream.Alloc to the pool once the work queued so far is done.
func (s *Stream) Free(p DevicePtr) error {
	raw := &s.ctx.driver.raw
	if p == 0 || !s.ctx.device.MemoryPools || raw.memFreeAsync == nil {
		return s.ctx.Free(p)
	}
	return s.ctx.do("cuMemFreeAsync", func() Result { return raw.memFreeAsync(p, s.ref) })
}

// HostBuffer is pinned host memory that the device accesses directly: copies from and to it run at full speed
// and do not block. It is not Go's memory: a slice of it must not be used after Close.
type HostBuffer struct {
	ctx *Context
	ptr unsafe.Pointer
	n   int
}

// AllocHost allocates pinned memory. The caller closes it.
func (c *Context) AllocHost(n int) (*HostBuffer, error) {
	const portable = 1 // pinned for every context
	b := &HostBuffer{ctx: c, n: n}
	if n == 0 {
		return b, nil
	}
	err := c.do("cuMemHostAlloc", func() Result {
		return c.driver.raw.memHostAlloc(&b.ptr, uintptr(n), portable)
	})
	if err != nil {
		return nil, explain(err, "%d bytes of pinned memory", n)
	}
	return b, nil
}

// Addr returns the address of the memory, for the host and the device.
func (b *HostBuffer) Addr() uint64 { return uint64(uintptr(b.ptr)) }

// Bytes returns the memory.
func (b *HostBuffer) Bytes() []byte { return unsafe.Slice((*byte)(b.ptr), b.n) }

// Close frees the memory.
func (b *HostBuffer) Close() error {
	if b.ptr == nil {
		return nil
	}
	p := b.ptr
	b.ptr, b.n = nil, 0
	return b.ctx.do("cuMemFreeHost", func() Result { return b.ctx.driver.raw.memFreeHost(p) })
}

// CopyTo copies from the host to the device and waits. The driver's call may return early with a copy of the
// data, and streams do not wait for the default stream, so CopyTo waits for it: any kernel launched
// afterwards sees the data.
func (c *Context) CopyTo(dst DevicePtr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	defer runtime.KeepAlive(src)
	return c.blame(copied(len(src), c.do("cuMemcpyHtoD", func() Result {
		if r := c.driver.raw.memcpyHtoD(dst, unsafe.Pointer(&src[0]), uintptr(len(src))); r != success {
			return r
		}
		return c.driver.raw.streamSynchronize(c.null.ref)
	})))
}

// CopyFrom copies from the device to the host and waits.
func (c *Context) CopyFrom(dst []byte, src DevicePtr) error {
	if len(dst) == 0 {
		return nil
	}
	defer runtime.KeepAlive(dst)
	return c.blame(copied(len(dst), c.do("cuMemcpyDtoH", func() Result {
		return c.driver.raw.memcpyDtoH(unsafe.Pointer(&dst[0]), src, uintptr(len(dst)))
	})))
}

// Copy copies within the device's memory, or between two devices, and waits.
func (c *Context) Copy(dst, src DevicePtr, n int) error {
	if n == 0 {
		return nil
	}
	return copied(n, c.do("cuMemcpyDtoD", func() Result {
		if r := c.driver.raw.memcpyDtoD(dst, src, uintptr(n)); r != success {
			return r
		}
		return c.driver.raw.streamSynchronize(c.null.ref)
	}))
}

func copied(n int, err error) error { return explain(err, "%d bytes", n) }

// CopyTo queues a copy from the host to the device. src must not change until the stream has done it. Memory
// of a HostBuffer is copied while the program goes on; the driver first copies any other memory.
func (s *Stream) CopyTo(dst DevicePtr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	defer runtime.KeepAlive(src)
	return copied(len(src), s.do("cuMemcpyHtoDAsync", func() Result {
		return s.ctx.driver.raw.memcpyHtoDAsync(dst, unsafe.Pointer(&src[0]), uintptr(len(src)), s.ref)
	}))
}

// CopyFrom queues a copy from the device to the host. dst must be kept and not read until the stream has done
// it: use a HostBuffer.
func (s *Stream) CopyFrom(dst []byte, src DevicePtr) error {
	if len(dst) == 0 {
		return nil
	}
	defer runtime.KeepAlive(dst)
	return copied(len(dst), s.do("cuMemcpyDtoHAsync", func() Result {
		return s.ctx.driver.raw.memcpyDtoHAsync(unsafe.Pointer(&dst[0]), src, uintptr(len(dst)), s.ref)
	}))
}

// Copy queues a copy within the device's memory, or between two devices.
func (s *Stream) Copy(dst, src DevicePtr, n int) error {
	if n == 0 {
		return nil
	}
	return copied(n, s.do("cuMemcpyDtoDAsync", func() Result {
		return s.ctx.driver.raw.memcpyDtoDAsync(dst, src, uintptr(n), s.ref)
	}))
}

// Fill queues writing a pattern of 1, 2 or 4 bytes count times.
func (s *Stream) Fill(p DevicePtr, pattern uint32, width, count int) error {
	if count == 0 {
		return nil
	}
	raw := &s.ctx.driver.raw
	switch width {
	case 1:
		return s.do("cuMemsetD8Async", func() Result {
			return raw.memsetD8Async(p, uint8(pattern), uintptr(count), s.ref)
		})
	case 2:
		return s.do("cuMemsetD16Async", func() Result {
			return raw.memsetD16Async(p, uint16(pattern), uintptr(count), s.ref)
		})
	case 4:
		return s.do("cuMemsetD32Async", func() Result {
			return raw.memsetD32Async(p, pattern, uintptr(count), s.ref)
		})
	}
	return fmt.Errorf("cuda: a pattern has 1, 2 or 4 bytes, not %d", width)
}

// PointerDevice returns the number of the device whose memory contains an address. It fails for an address
// that no device knows.
func (c *Context) PointerDevice(p DevicePtr) (int, error) {
	const deviceOrdinal = 9 // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
	var ordinal int32
	err := c.do("cuPointerGetAttribute", func() Result {
		return c.driver.raw.pointerGetAttribute(unsafe.Pointer(&ordinal), deviceOrdinal, p)
	})
	return int(ordinal), explain(err, "address %#x", uint64(p))
}
