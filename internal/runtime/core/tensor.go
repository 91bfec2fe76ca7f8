package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Tensor is device or host memory with a type and a shape. Kernels see it as a pointer.
type Tensor struct {
	DType DType // type of the elements
	dev   args.Place
	addr  uint64 // address of the first element; launches on GPUs read only the fields up to this one
	end   uint64 // address behind the memory

	Shape   []int // size of each dimension
	Strides []int // in elements

	buf    device.Buffer
	offset int   // bytes from the start of buf to the first element
	err    error // why the tensor cannot be used, or nil
}

// Err returns the error of a tensor that could not be made: by FromSlice or FromBytes with a shape that does
// not fit, or by Offset beyond either end of the memory. Every use of such a tensor returns this error. For
// all others Err returns nil.
func (t *Tensor) Err() error {
	switch {
	case t == nil:
		return errNilTensor
	case t.err != nil:
		return t.err
	case t.on() == gone:
		return ErrClosedTensor
	case t.buf == nil:
		return errNoMemory
	}
	return nil
}

// on returns the device of the tensor's memory, nil for the host.
func (t *Tensor) on() *Device { return (*Device)(unsafe.Pointer(t.dev.Load())) }

// same returns another tensor for the same memory. A goroutine may close t meanwhile.
func (t *Tensor) same() *Tensor {
	return &Tensor{DType: t.DType, dev: args.PlaceOf(t.on().core()), addr: t.addr, end: t.end, Shape: t.Shape,
		Strides: t.Strides, buf: t.buf, offset: t.offset, err: t.err}
}

var (
	errNilTensor = errors.New("nereid: the tensor is nil")
	errNoMemory  = errors.New("nereid: the tensor has no memory: make it with NewTensor, FromSlice or FromBytes")
)

// nowhere is the device of tensors with an error: a launch sees that it is not its own device and then finds
// the reason.
var nowhere = &Device{}

// gone is the device of closed tensors.
var gone = &Device{}

// broken returns a tensor with an error.
func broken(dt DType, shape []int, err error) *Tensor {
	return &Tensor{DType: dt, Shape: shape, dev: args.PlaceOf(nowhere.core()), buf: device.HostBuffer{},
		err: err}
}

// FromSlice returns a tensor that shares a Go slice: kernels on host devices (interp, cpu) read and write the
// slice itself. For a GPU it is copied there for each launch and back after it. The shape defaults to the
// slice's length; a shape of another size makes a tensor with an error, see Err.
func FromSlice[T Element](data []T, shape ...int) *Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	dt := dtypeFor[T]()
	if err := checkShape(dt, shape); err != nil {
		return broken(dt, shape, err)
	}
	if n := count(shape); n != len(data) {
		return broken(dt, shape, fmt.Errorf("nereid: a slice of %d elements cannot have the shape %v, "+
			"which has %d", len(data), shape, n))
	}
	var bytes []byte
	if len(data) > 0 {
		bytes = unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), len(data)*dt.Size())
	}
	return FromBytes(dt, bytes, shape...)
}

// FromBytes returns a tensor that shares bytes in host memory, as FromSlice does, for types that Go does not
// have. Without a shape it has one dimension. There may be more bytes than the shape needs; fewer make a
// tensor with an error, see Err.
func FromBytes(dt DType, data []byte, shape ...int) *Tensor {
	if n := dt.Size(); len(shape) == 0 && n > 0 && len(data) != n {
		shape = []int{len(data) / n}
	}
	if err := checkShape(dt, shape); err != nil {
		return broken(dt, shape, err)
	}
	if n := count(shape) * dt.Size(); n > len(data) {
		return broken(dt, shape, fmt.Errorf("nereid: a tensor of %s with the shape %v needs %d bytes, not %d",
			dt, shape, n, len(data)))
	}
	buf := device.HostBuffer{Data: data}
	return &Tensor{DType: dt, Shape: shape, Strides: contiguous(shape), buf: buf, addr: buf.Addr(),
		end: buf.Addr() + uint64(len(data))}
}

// NewTensor returns a tensor of zeros on a device; the caller closes it. It fails if there is not enough
// memory.
func NewTensor(dev *Device, dt DType, shape ...int) (*Tensor, error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	if err := checkShape(dt, shape); err != nil {
		return nil, err
	}
	buf, err := dev.b.Alloc(count(shape) * dt.Size())
	if err != nil {
		return nil, fmt.Errorf("nereid: a tensor of %s with the shape %v on %s: %w", dt, shape, dev, err)
	}
	return &Tensor{DType: dt, Shape: slices.Clone(shape), Strides: contiguous(shape),
		dev: args.PlaceOf(dev.core()), buf: buf,
		addr: buf.Addr(), end: buf.Addr() + uint64(buf.Size())}, nil
}

// checkShape returns an error for shapes that no memory can hold.
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

// Len returns the number of elements.
func (t *Tensor) Len() int {
	if t == nil {
		return 0
	}
	return count(t.Shape)
}

// AsSlice returns the elements of a contiguous tensor in host memory, shared. It fails for other tensors and
// other types; CopyTo copies them.
func AsSlice[T Element](t *Tensor) ([]T, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if dt := dtypeFor[T](); dt != t.DType {
		return nil, fmt.Errorf("nereid: the tensor holds %s, not %s", t.DType, dt)
	}
	if !t.Contiguous() {
		return nil, fmt.Errorf("nereid: the tensor of shape %v has the strides %v and is no slice; copy "+
			"it with CopyTo", t.Shape, t.Strides)
	}
	data := t.buf.Host()
	if data == nil && t.buf.Size() > 0 {
		return nil, fmt.Errorf("nereid: the tensor is on %s; copy it with CopyTo", t.on())
	}
	data = data[t.offset:]
	if err := checkShape(t.DType, t.Shape); err != nil {
		return nil, err
	}
	switch n := t.Len(); {
	case n == 0:
		return nil, nil
	case n > len(data)/t.DType.Size():
		return nil, fmt.Errorf("nereid: a tensor of shape %v is larger than its memory of %d bytes",
			t.Shape, len(data))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), t.Len()), nil
}

// CopyBytesTo copies bytes of the tensor, from its first element on, once all work launched on its device is
// done.
func (t *Tensor) CopyBytesTo(dst []byte) error {
	if err := t.Err(); err != nil {
		return err
	}
	return t.recordCopy(false, int64(len(dst)), func() error { return t.buf.Read(t.offset, dst) })
}

// CopyBytesFrom copies bytes to the tensor, from its first element on. Work launched afterwards sees them.
func (t *Tensor) CopyBytesFrom(src []byte) error {
	if err := t.Err(); err != nil {
		return err
	}
	return t.recordCopy(true, int64(len(src)), func() error { return t.buf.Write(t.offset, src) })
}

// At returns the element at flat position i, in the order of the indices, as a float64, for looking at
// results. In a contiguous tensor i may lie behind the shape as long as it is in the memory.
func (t *Tensor) At(i int) (float64, error) {
	if err := t.Err(); err != nil {
		return 0, err
	}
	if !t.Contiguous() {
		return t.atStrided(i)
	}
	var word [8]byte
	n := t.DType.Size()
	if n == 0 || i < 0 || i >= (t.buf.Size()-t.offset)/n {
		return 0, fmt.Errorf("nereid: there is no element %d in a tensor of %d bytes of %s", i,
			t.buf.Size()-t.offset, t.DType)
	}
	if err := t.buf.Read(t.offset+i*n, word[:n]); err != nil {
		return 0, err
	}
	return t.DType.Decode(binary.LittleEndian.Uint64(word[:])), nil
}

// Offset returns a tensor that begins n bytes further into the same memory, or before if n is negative.
// Outside the memory it returns a tensor with an error, see Err.
func (t *Tensor) Offset(n int) *Tensor {
	if err := t.Err(); err != nil {
		return broken(Invalid, nil, err)
	}
	at, size := t.offset+n, t.buf.Size()
	if (n > 0) != (at > t.offset) && n != 0 || at < 0 || at > size {
		return broken(t.DType, t.Shape, fmt.Errorf("nereid: an offset of %d bytes from byte %d of a "+
			"tensor leaves its memory of %d bytes", n, t.offset, size))
	}
	c := t.same()
	c.offset = at
	c.addr += uint64(n)
	return c
}

// Close releases device memory. Tensors over Go slices need no Close. Using a closed tensor is ErrClosed; a
// view of it must not be used either, which is not detected. A launch that uses the tensor while it is closed
// runs to its end with the memory, or fails with ErrClosed; on a GPU, Close waits for the work under way.
// Closing twice is harmless.
func (t *Tensor) Close() error {
	if t == nil || t.buf == nil || t.err != nil || t.dev.Swap(gone.core()) == gone.core() {
		return nil
	}
	return t.buf.Close()
}

// extent returns the range of bytes of the memory in which the elements lie, by shape and strides, cut to the
// memory.
func (t *Tensor) extent() (lo, hi int) {
	size, strides := t.buf.Size(), t.Strides
	if len(strides) != len(t.Shape) { // the caller changed Shape
		strides = contiguous(t.Shape)
	}
	lo, hi = t.offset, t.offset+t.DType.Size()
	for i, n := range t.Shape {
		if n <= 0 {
			return t.offset, t.offset
		}
		switch reach := times(times(n-1, strides[i]), t.DType.Size()); {
		case reach < 0:
			lo = max(lo+reach, 0)
		default:
			hi = min(hi+reach, size)
		}
	}
	return min(lo, size), min(hi, size)
}

// times returns a·b, limited to values beyond any memory size, so that sums of two do not overflow.
func times(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	const most = 4 * maxTensor
	if p := a * b; p/b == a && -most < p && p < most {
		return p
	}
	if (a < 0) != (b < 0) {
		return -most
	}
	return most
}

// size returns the bytes from the first element to the end of the last, or of the memory.
func (t *Tensor) size() int {
	if !t.Contiguous() {
		_, hi := t.extent()
		return max(0, hi-t.offset)
	}
	return max(0, min(t.Len()*t.DType.Size(), t.buf.Size()-t.offset))
}

// bytes returns a copy of those bytes.
func (t *Tensor) bytes() ([]byte, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	data := make([]byte, t.size())
	return data, t.CopyBytesTo(data)
}

// clone returns a tensor with the same contents, shape, strides and alignment in memory of its own: of the
// host or of the same device. The caller closes it.
func (t *Tensor) clone() (*Tensor, error) {
	data, err := t.bytes()
	if err != nil {
		return nil, err
	}
	shift := int(t.addr % 16)
	c := FromBytes(Uint8, make([]byte, len(data)+shift+64))
	if on := t.on(); on != nil {
		if c, err = NewTensor(on, Uint8, len(data)+shift+64); err != nil {
			return nil, err
		}
	}
	c = c.Offset((shift - int(c.addr%16) + 16) % 16)
	c.DType, c.Shape, c.Strides = t.DType, t.Shape, t.Strides
	return c, errors.Join(c.Err(), c.CopyBytesFrom(data))
}

func (t *Tensor) zero() error {
	if err := t.Err(); err != nil {
		return err
	}
	if !t.Contiguous() {
		return t.zeroStrided()
	}
	return t.CopyBytesFrom(make([]byte, t.size()))
}

// queue returns the stream's queue for memory operations in order with its work; ok is false if the tensor is
// elsewhere or the device has none.
func (s *Stream) queue(t *Tensor) (device.Queue, bool) {
	q, ok := s.s.(device.Queue)
	return q, ok && t.on() == s.dev
}

// zero fills a tensor with zeros before the next launch.
func (s *Stream) zero(t *Tensor) error {
	if q, ok := s.queue(t); ok && t.Contiguous() {
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
