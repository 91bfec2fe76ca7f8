package nereid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/target"
)

// Tensor is memory of a device with a type and a shape: what a kernel sees as a pointer.
type Tensor struct {
	DType DType
	dev   *Device
	addr  uint64 // of the first element; launches look at no more than this and the above

	Shape   []int
	Strides []int // in elements

	buf    target.Buffer
	offset int // in bytes
}

// FromSlice is a tensor over a Go slice, which it shares: kernels on devices of the host (interp, cpu) read and write the slice
// itself. On a GPU it is copied there for each launch, and back once the launch is done. The shape is that of the slice unless another
// is given; one of another size panics.
func FromSlice[T Element](data []T, shape ...int) *Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	if n := count(shape); n != len(data) {
		panic(fmt.Sprintf("nereid: a slice of %d elements cannot have the shape %v", len(data), shape))
	}
	dt := dtypeFor[T]()
	var bytes []byte
	if len(data) > 0 {
		bytes = unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), len(data)*dt.Size())
	}
	return FromBytes(dt, bytes, shape...)
}

// FromBytes is a tensor over bytes in host memory, which it shares as FromSlice does: for types that Go does not have. Without a shape it
// has one dimension.
func FromBytes(dt DType, data []byte, shape ...int) *Tensor {
	if n := dt.Size(); len(shape) == 0 && n > 0 && len(data) != n {
		shape = []int{len(data) / n}
	}
	buf := hostBuffer{data}
	return &Tensor{DType: dt, Shape: shape, Strides: contiguous(shape), buf: buf, addr: buf.Addr()}
}

// New is a tensor of zeros on a device; the caller closes it.
func New(dev *Device, dt DType, shape ...int) (*Tensor, error) {
	if dev == nil {
		return nil, errors.New("nereid: a tensor needs a device")
	}
	if err := checkShape(dt, shape); err != nil {
		return nil, err
	}
	buf, err := dev.b.Alloc(count(shape) * dt.Size())
	if err != nil {
		return nil, err
	}
	return &Tensor{DType: dt, Shape: shape, Strides: contiguous(shape), dev: dev, buf: buf, addr: buf.Addr()}, nil
}

// checkShape is an error for shapes that no memory has.
func checkShape(dt DType, shape []int) error {
	bytes := dt.Size()
	if bytes == 0 {
		return fmt.Errorf("nereid: there are no tensors of %s", dt)
	}
	for _, n := range shape {
		if n < 0 || n > 0 && bytes > maxTensor/n {
			return fmt.Errorf("nereid: there is no tensor of %s with the shape %v", dt, shape)
		}
		bytes *= n
	}
	return nil
}

// maxTensor bounds the bytes of a tensor: more than any machine has.
const maxTensor = 1 << 46

// Len is the number of elements.
func (t *Tensor) Len() int { return count(t.Shape) }

// Slice is the elements of a tensor in host memory, shared; an error for others and for tensors of another type.
func Slice[T Element](t *Tensor) ([]T, error) {
	if dt := dtypeFor[T](); dt != t.DType {
		return nil, fmt.Errorf("nereid: the tensor holds %s, not %s", t.DType, dt)
	}
	data := t.buf.Host()
	if data == nil {
		return nil, fmt.Errorf("nereid: the tensor is on %s; copy it with Tensor.Read", t.dev)
	}
	data = data[t.offset:]
	switch n := t.Len(); {
	case n == 0:
		return nil, nil
	case n < 0 || n > len(data)/t.DType.Size():
		return nil, fmt.Errorf("nereid: a tensor of shape %v is larger than its memory of %d bytes", t.Shape, len(data))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), t.Len()), nil
}

// Read copies bytes of the tensor, from its first element on, out of its device, once all that was launched there is done.
func (t *Tensor) Read(into []byte) error { return t.buf.Read(t.offset, into) }

// Write copies bytes to the tensor, from its first element on, for what is launched from then on.
func (t *Tensor) Write(from []byte) error { return t.buf.Write(t.offset, from) }

// At is the element at flat position i as a float64, for looking at results.
func (t *Tensor) At(i int) (float64, error) {
	var word [8]byte
	n := t.DType.Size()
	if err := t.buf.Read(t.offset+i*n, word[:n]); err != nil {
		return 0, err
	}
	return t.DType.Decode(binary.LittleEndian.Uint64(word[:])), nil
}

// Offset is a tensor that begins n bytes further into the same memory.
func (t *Tensor) Offset(n int) *Tensor {
	c := *t
	c.offset += n
	c.addr += uint64(n)
	return &c
}

// Close gives device memory back. Tensors over Go slices need none.
func (t *Tensor) Close() error { return t.buf.Close() }

// size is the bytes from the tensor's first element to the end of its shape or of its memory.
func (t *Tensor) size() int { return max(0, min(t.Len()*t.DType.Size(), t.buf.Size()-t.offset)) }

// bytes are a copy of those.
func (t *Tensor) bytes() ([]byte, error) {
	data := make([]byte, t.size())
	return data, t.Read(data)
}

func (t *Tensor) zero() error { return t.Write(make([]byte, t.size())) }

// queue changes memory of the stream's device in order with its work, where the tensor is there and the device can.
func (s *Stream) queue(t *Tensor) (target.Queue, bool) {
	q, ok := s.s.(target.Queue)
	return q, ok && t.dev == s.dev
}

// zero fills a tensor with zeros before what is launched next.
func (s *Stream) zero(t *Tensor) error {
	if q, ok := s.queue(t); ok {
		return q.Zero(t.buf, t.offset, t.size())
	}
	return t.zero()
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func contiguous(shape []int) []int {
	strides := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	return strides
}

// hostBuffer is plain host memory that belongs to no device yet; a launch hands it to the device it runs on.
type hostBuffer struct{ data []byte }

func (b hostBuffer) Addr() uint64 {
	if len(b.data) == 0 {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(&b.data[0])))
}
func (b hostBuffer) Size() int    { return len(b.data) }
func (b hostBuffer) Host() []byte { return b.data }
func (b hostBuffer) Close() error { return nil }

func (b hostBuffer) Read(at int, into []byte) error {
	if at < 0 || at+len(into) > len(b.data) {
		return fmt.Errorf("nereid: read of %d bytes at %d of a tensor of %d bytes", len(into), at, len(b.data))
	}
	copy(into, b.data[at:])
	return nil
}

func (b hostBuffer) Write(at int, from []byte) error {
	if at < 0 || at+len(from) > len(b.data) {
		return fmt.Errorf("nereid: write of %d bytes at %d of a tensor of %d bytes", len(from), at, len(b.data))
	}
	copy(b.data[at:], from)
	return nil
}
