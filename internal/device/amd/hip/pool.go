package hip

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Results that this package looks at.
const (
	outOfMemory Result = 2
	notReady    Result = 600
)

// findPool finds the device's pool and has it keep all memory that is returned to it. Older runtimes and some
// devices have no pools.
func (d *Device) findPool() {
	r := &d.rt.raw
	if r.deviceGetPool == nil || r.poolSetAttribute == nil || r.mallocAsync == nil || r.freeAsync == nil {
		return
	}
	var pool poolRef
	if r.deviceGetPool(&pool, int32(d.Ordinal)) != 0 || pool == 0 {
		return
	}
	const releaseThreshold = 4
	all := uint64(math.MaxUint64)
	d.Pools = r.poolSetAttribute(pool, releaseThreshold, &all) == 0
}

// Alloc allocates from the device's pool, in stream order: work queued later on this stream may use the
// memory. On a device without pools, it is an ordinary allocation.
func (s *Stream) Alloc(size int) (p uint64, err error) {
	if !s.dev.Pools {
		return s.dev.Alloc(size)
	}
	err = s.do("hipMallocAsync", func(r *raw) Result {
		return r.mallocAsync(&p, uintptr(max(size, 1)), s.ref)
	})
	return p, s.dev.sized(err, size)
}

// Free returns memory of Stream.Alloc to the pool once the work queued so far is done.
func (s *Stream) Free(p uint64) error {
	if !s.dev.Pools {
		return s.dev.Free(p)
	}
	return s.dev.do("hipFreeAsync", func(r *raw) Result { return r.freeAsync(p, s.ref) })
}

// sized adds the requested and the available memory to an out-of-memory error.
func (d *Device) sized(err error, n int) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) || e.Result != outOfMemory {
		return err
	}
	var free, total uintptr
	if d.do("hipMemGetInfo", func(r *raw) Result { return r.memGetInfo(&free, &total) }) != nil {
		return fmt.Errorf("%w: %d bytes on %s", err, n, d.Name)
	}
	return fmt.Errorf("%w: %d bytes on %s, %d of %d are free", err, n, d.Name, free, total)
}

// PointerDevice returns the number of the device whose memory contains an address.
func (d *Device) PointerDevice(p uint64) (int, error) {
	if d.rt.raw.pointerGet == nil {
		return 0, errors.New("AMD's runtime is too old to tell whose memory an address is")
	}
	const deviceOrdinal = 9
	var ordinal int32
	err := d.do("hipPointerGetAttribute", func(r *raw) Result {
		return r.pointerGet(unsafe.Pointer(&ordinal), deviceOrdinal, p)
	})
	if err != nil {
		return 0, fmt.Errorf("address %#x: %w", p, err)
	}
	return int(ordinal), nil
}
