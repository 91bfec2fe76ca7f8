package driver

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// MaxRank is the most dimensions of a tensor map.
const MaxRank = 5

// TensorMap is a CUtensorMap: 128 bytes that only the driver understands, aligned to 64. A kernel takes it as
// an argument; the words of the descriptor that it was made of may be part of that.
type TensorMap struct {
	room [TensorMapBytes + 8*maxWords + paramAlign]byte
	at   *[TensorMapBytes]byte // the map, in room
	skip uintptr               // where it begins
}

// maxWords is the largest number of words of a descriptor: address, sizes, strides, padding.
const maxWords = 2*MaxRank + 2

// Describe puts the words of a descriptor behind the map.
func (m *TensorMap) Describe(words []uint64) {
	to := m.room[m.skip+TensorMapBytes:]
	for i, w := range words {
		binary.NativeEndian.PutUint64(to[8*i:], w)
	}
}

// TensorMapBytes is the size of a tensor map.
const TensorMapBytes = 128

// Bytes returns the map.
func (m *TensorMap) Bytes() *[TensorMapBytes]byte { return m.at }

// Tiled describes a tensor of which kernels copy boxes. Dimensions are in the driver's order: the contiguous
// one first.
type Tiled struct {
	Type    int // CUtensorMapDataType
	Elem    int // bytes of an element
	Rank    int
	Address uint64
	Dims    [MaxRank]uint64     // in elements
	Strides [MaxRank - 1]uint64 // in bytes, of the dimensions behind the first
	Box     [MaxRank]uint32
	Swizzle int  // bytes: 0, 32, 64 or 128
	NaN     bool // what lies outside is NaN, not 0
}

// swizzles holds the numbers of CUtensorMapSwizzle.
var swizzles = map[int]int32{0: 0, 32: 1, 64: 2, 128: 3}

// Check returns an error that says why the hardware cannot describe the tensor, or nil.
func (t *Tiled) Check() error {
	_, swizzled := swizzles[t.Swizzle]
	switch {
	case t.Rank < 1 || t.Rank > MaxRank:
		return fmt.Errorf("a tensor map has 1 to %d dimensions, not %d", MaxRank, t.Rank)
	case t.Address%16 != 0:
		return fmt.Errorf("a tensor map needs an address that is a multiple of 16, not %#x", t.Address)
	case !swizzled:
		return fmt.Errorf("a tensor map has a swizzle of 0, 32, 64 or 128 bytes, not %d", t.Swizzle)
	}
	for i := range t.Rank {
		if t.Dims[i] < 1 || t.Dims[i] > 1<<32 {
			return fmt.Errorf("a tensor map has sizes from 1 to 2^32, not %d", t.Dims[i])
		}
		if t.Box[i] < 1 || t.Box[i] > 256 {
			return fmt.Errorf("a tensor map has boxes of 1 to 256 elements along each dimension, not %d",
				t.Box[i])
		}
	}
	for _, s := range t.Strides[:t.Rank-1] {
		if s%16 != 0 || s == 0 || s >= 1<<40 {
			return fmt.Errorf("a tensor map needs strides that are multiples of 16 bytes, below 2^40, not "+
				"%d bytes",
				s)
		}
	}
	row := int(t.Box[0]) * t.Elem
	if row%16 != 0 || t.Swizzle > 0 && row > t.Swizzle {
		return fmt.Errorf("rows of a box are a multiple of 16 bytes, and not wider than the swizzle of "+
			"%d: not %d bytes", t.Swizzle, row)
	}
	return nil
}

// Encode returns the tensor map of a tensor. The driver refuses to make one on a thread without a context.
func (c *Context) Encode(t *Tiled) (*TensorMap, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	d := c.driver
	if d.raw.tensorMapEncodeTiled == nil {
		return nil, d.unsupported("cuTensorMapEncodeTiled")
	}
	m := &TensorMap{}
	m.skip = -uintptr(unsafe.Pointer(&m.room)) & (paramAlign - 1)
	m.at = (*[TensorMapBytes]byte)(unsafe.Pointer(&m.room[m.skip]))
	const promote128 = 2 // the L2 cache fetches 128 bytes at a time
	steps, fill := [MaxRank]uint32{1, 1, 1, 1, 1}, int32(0)
	if t.NaN {
		fill = 1
	}
	err := c.do("cuTensorMapEncodeTiled", func() Result {
		return d.raw.tensorMapEncodeTiled(m.at, int32(t.Type), uint32(t.Rank), DevicePtr(t.Address),
			&t.Dims, &t.Strides, &t.Box, &steps, 0, swizzles[t.Swizzle], promote128, fill)
	})
	return m, explain(err, "%+v", *t)
}

// HasTensorMaps reports whether the driver makes tensor maps: those from CUDA 12.0 on do.
func (d *Driver) HasTensorMaps() bool { return d.raw.tensorMapEncodeTiled != nil }

// Map makes parameter i the bytes of a tensor map, which stay where they are.
func (a *Args) Map(i int, m *TensorMap) { a.params[i] = unsafe.Pointer(m.at) }
