package core

import (
	"fmt"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
)

// CopyFrom copies a slice to a tensor with the same number of elements, in the order of their indices, and
// converts between the types: floats are rounded to nearest, as DType.Encode does; floats become integers
// by rounding; integers wrap around. The tensor may be a view, and on any device. A view on a GPU that is
// not contiguous is read, changed and written back as a whole.
func CopyFrom[T Element](t *Tensor, src []T) error {
	if err := t.fits(); err != nil {
		return err
	}
	if len(src) != t.Len() {
		return fmt.Errorf("nereid: %d elements cannot be copied to a tensor of the shape %v, which has %d",
			len(src), t.Shape, t.Len())
	}
	return t.copy(dtype.Type(dtypeFor[T]()), bytesOf(src), true)
}

// CopyTo copies the elements of a tensor, in the order of their indices, to a slice of the same length, and
// converts between the types as CopyFrom does. It waits for all work launched on the tensor's device.
func CopyTo[T Element](dst []T, t *Tensor) error {
	if err := t.fits(); err != nil {
		return err
	}
	if len(dst) != t.Len() {
		return fmt.Errorf("nereid: a tensor of the shape %v, which has %d elements, cannot be copied to %d",
			t.Shape, t.Len(), len(dst))
	}
	return t.copy(dtype.Type(dtypeFor[T]()), bytesOf(dst), false)
}

// FromFloats returns a tensor in host memory of its own with floats rounded to a type. The shape defaults
// to the slice's length; a shape of another size makes a tensor with an error, see Err.
func FromFloats[F float32 | float64](dt DType, data []F, shape ...int) *Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	if err := checkShape(dt, shape); err != nil {
		return broken(dt, shape, err)
	}
	if n := count(shape); n != len(data) {
		err := fmt.Errorf("nereid: a slice of %d elements cannot have the shape %v, which has %d", len(data),
			shape, n)
		return broken(dt, shape, err)
	}
	t := FromBytes(dt, make([]byte, len(data)*dt.Size()), shape...)
	if err := CopyFrom(t, data); err != nil {
		return broken(dt, shape, err)
	}
	return t
}

func bytesOf[T Element](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// copying is a copy between packed elements of one type and the elements of a tensor.
type copying struct {
	in         bool // the tensor is the destination
	own        dtype.Type
	other      dtype.Type
	mem        []byte // memory of the tensor's elements
	packed     []byte // memory of the packed elements
	scratch    [1 << 12]byte
	packedSize int
	ownSize    int
}

// copy copies packed elements of a type to the tensor, or with in false from it. The tensor must fit its
// memory.
func (t *Tensor) copy(other dtype.Type, packed []byte, in bool) error {
	if t.Len() == 0 {
		return nil
	}
	return t.recordCopy(in, int64(t.size()), func() error { return t.convert(other, packed, in) })
}

// convert is copy of some elements.
func (t *Tensor) convert(other dtype.Type, packed []byte, in bool) error {
	c := &copying{in: in, own: dtype.Type(t.DType), other: other, packed: packed}
	c.ownSize, c.packedSize = c.own.Size(), c.other.Size()
	if mem := t.hostMemory(); mem != nil {
		c.mem = mem
		c.all(t, t.offset)
		return nil
	}
	if t.Contiguous() {
		return c.pieces(t)
	}
	lo, hi := t.extent()
	c.mem = make([]byte, hi-lo)
	if err := t.buf.Read(lo, c.mem); err != nil {
		return err
	}
	c.all(t, t.offset-lo)
	if !in {
		return nil
	}
	return t.buf.Write(lo, c.mem)
}

// hostMemory returns the memory of a tensor that Go code may access directly, or nil. The interpreter's is
// not: it must be told of writes.
func (t *Tensor) hostMemory() []byte {
	if _, ok := t.buf.(device.Observed); ok {
		return nil
	}
	return t.buf.Host()
}

// pieces copies a contiguous tensor of a device, 2^20 elements at a time.
func (c *copying) pieces(t *Tensor) error {
	const piece = 1 << 20
	n := t.Len()
	c.mem = make([]byte, min(n, piece)*c.ownSize)
	for i := 0; i < n; i += piece {
		m := min(piece, n-i)
		part := c.mem[:m*c.ownSize]
		if c.in {
			c.run(0, i, m)
			if err := t.buf.Write(t.offset+i*c.ownSize, part); err != nil {
				return err
			}
			continue
		}
		if err := t.buf.Read(t.offset+i*c.ownSize, part); err != nil {
			return err
		}
		c.run(0, i, m)
	}
	return nil
}

// all copies a tensor whose first element is at byte at of c.mem.
func (c *copying) all(t *Tensor, at int) {
	shape, strides := collapse(t.Shape, t.strides())
	last := len(shape) - 1
	if last < 0 {
		c.run(at, 0, 1)
		return
	}
	index := make([]int, last)
	for first := 0; ; first += shape[last] {
		if strides[last] == 1 {
			c.run(at, first, shape[last])
		} else {
			c.strided(at, first, shape[last], strides[last]*c.ownSize)
		}
		d := last - 1
		for ; d >= 0; d-- {
			at += strides[d] * c.ownSize
			if index[d]++; index[d] < shape[d] {
				break
			}
			at -= shape[d] * strides[d] * c.ownSize
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// collapse merges dimensions that can be walked as one.
func collapse(shape, strides []int) (s, st []int) {
	for i, n := range shape {
		last := len(s) - 1
		switch {
		case n == 1:
		case last >= 0 && st[last] == strides[i]*n:
			s[last], st[last] = s[last]*n, strides[i]
		default:
			s, st = append(s, n), append(st, strides[i])
		}
	}
	return s, st
}

// run copies n adjacent elements from byte at of c.mem on; first is the position of the first packed
// element.
func (c *copying) run(at, first, n int) {
	mem, packed := c.mem[at:], c.packed[first*c.packedSize:]
	if c.in {
		dtype.Convert(c.own, mem, c.other, packed, n)
	} else {
		dtype.Convert(c.other, packed, c.own, mem, n)
	}
}

// strided copies n elements that are step bytes apart, through a buffer in which they are adjacent.
func (c *copying) strided(at, first, n, step int) {
	piece := len(c.scratch) / c.ownSize
	for i := 0; i < n; i += piece {
		m := min(piece, n-i)
		tmp, packed := c.scratch[:m*c.ownSize], c.packed[(first+i)*c.packedSize:]
		if c.in {
			dtype.Convert(c.own, tmp, c.other, packed, m)
		}
		for j := 0; j < m; j++ {
			k := at + (i+j)*step
			if c.in {
				copy(c.mem[k:k+c.ownSize], tmp[j*c.ownSize:])
			} else {
				copy(tmp[j*c.ownSize:], c.mem[k:k+c.ownSize])
			}
		}
		if !c.in {
			dtype.Convert(c.other, packed, c.own, tmp, m)
		}
	}
}
