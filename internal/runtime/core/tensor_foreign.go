package core

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// TensorAt returns a tensor over memory that somebody else has allocated on the device, another library
// say, and that stays allocated for as long as the tensor is used. Close leaves the memory alone. The
// driver must know the address as the device's; how far the allocation goes is for the caller to know.
// Devices that share the host's memory have no addresses of their own: there, use FromBytes, with
// unsafe.Slice for memory that is not Go's. Without elements it may be at 0, which is a null pointer.
func (d *Device) TensorAt(addr uint64, dt DType, shape ...int) (*Tensor, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if err := checkShape(dt, shape); err != nil {
		return nil, err
	}
	on, ok := d.b.(device.Accessible)
	if !ok {
		return nil, d.refuse("TensorAt", d.String()+" has no memory of others",
			"use FromBytes for memory of the host")
	}
	if addr == 0 && count(shape) > 0 || addr%uint64(dt.Size()) != 0 {
		return nil, fmt.Errorf("nereid: at %#x there is no tensor of %s: the address is a multiple of %d, "+
			"and not 0", addr, dt, dt.Size())
	}
	buf, err := on.At(addr, count(shape)*dt.Size())
	if err != nil {
		return nil, fmt.Errorf("nereid: a tensor of %s at %#x on %s: %w", dt, addr, d, err)
	}
	return &Tensor{
		DType: dt, Shape: slices.Clone(shape), Strides: contiguous(shape), dev: args.PlaceOf(d.core()),
		buf: buf, addr: addr, end: addr + uint64(buf.Size()),
	}, nil
}

// Addr returns the address of the first element: on the device, or in the host's memory for a tensor of no
// device. It is 0 for a tensor that cannot be used. It is for handing memory to other libraries, which must
// be done with it before the tensor is closed or collected.
func (t *Tensor) Addr() uint64 {
	if t.Err() != nil {
		return 0
	}
	return t.addr
}
