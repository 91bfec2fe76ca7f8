package device

import (
	"fmt"
	"unsafe"
)

// Observed is a buffer whose device knows which bytes were written: Go code changes its memory through Write
// alone. Errors of launches call it by its name.
type Observed interface{ SetName(name string) }

// HostBuffer is host memory at its own address.
type HostBuffer struct{ Data []byte }

// NewHostBuffer returns a buffer of zeros, aligned to a cache line.
func NewHostBuffer(size int) (HostBuffer, error) {
	const align = 64
	data, err := HostBytes(size + align)
	if err != nil {
		return HostBuffer{}, err
	}
	skip := -uintptr(unsafe.Pointer(&data[0])) & (align - 1)
	return HostBuffer{data[skip : skip+uintptr(size) : skip+uintptr(size)]}, nil
}

func (b HostBuffer) Addr() uint64 {
	if len(b.Data) == 0 {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(&b.Data[0])))
}

func (b HostBuffer) Size() int    { return len(b.Data) }
func (b HostBuffer) Host() []byte { return b.Data }
func (b HostBuffer) Close() error { return nil }

func (b HostBuffer) Read(at int, into []byte) error {
	if at < 0 || at > len(b.Data) || len(into) > len(b.Data)-at {
		return fmt.Errorf("read of %d bytes at %d of a tensor of %d bytes", len(into), at, len(b.Data))
	}
	copy(into, b.Data[at:])
	return nil
}

func (b HostBuffer) Write(at int, from []byte) error {
	if at < 0 || at > len(b.Data) || len(from) > len(b.Data)-at {
		return fmt.Errorf("write of %d bytes at %d of a tensor of %d bytes", len(from), at, len(b.Data))
	}
	copy(b.Data[at:], from)
	return nil
}

// HostStream is the stream of devices that run in the calling goroutine: nothing is ever pending.
type HostStream struct{}

func (HostStream) Sync() error  { return nil }
func (HostStream) Close() error { return nil }
