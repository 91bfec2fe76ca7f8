package gomlx

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// memory is a block that one buffer has at a time.
type memory struct {
	t *nereid.Tensor // of bytes
	// host is the block where the device shares the host's memory. A block whose slice was given out (Data)
	// is left to the garbage collector, as somebody may still have the slice.
	host   []byte
	shared bool
}

// pool keeps blocks for later buffers of the same size.
type pool struct {
	dev *nereid.Device
	gpu bool

	mu   sync.Mutex
	free map[int][]*memory
	idle int // bytes of free blocks
	gone bool
}

// maxIdle bounds the bytes that a pool keeps.
const maxIdle = 4 << 30

// blockBytes returns the size of the block for some bytes: rounded up so that blocks serve again, and with
// room for kernels that write whole words.
func blockBytes(n int) int {
	const least = 256
	step := max(least, pow2(n)/8)
	return (n + 16 + step - 1) / step * step
}

// get returns a block for n bytes. Its contents are arbitrary.
func (p *pool) get(n int) (*memory, error) {
	size := blockBytes(n)
	p.mu.Lock()
	if list := p.free[size]; len(list) > 0 {
		m := list[len(list)-1]
		p.free[size] = list[:len(list)-1]
		p.idle -= size
		p.mu.Unlock()
		return m, nil
	}
	p.mu.Unlock()
	if !p.gpu {
		host := make([]byte, size)
		return &memory{t: nereid.FromBytes(nereid.Uint8, host), host: host}, nil
	}
	t, err := nereid.NewTensor(p.dev, nereid.Uint8, size)
	if err != nil {
		return nil, errors.Wrapf(err, "backend %q", Name)
	}
	return &memory{t: t}, nil
}

// put takes a block back.
func (p *pool) put(m *memory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size := m.t.Len()
	if m.shared {
		return
	}
	if p.gone || p.idle+size > maxIdle {
		m.t.Close()
		return
	}
	p.free[size] = append(p.free[size], m)
	p.idle += size
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	for _, list := range p.free {
		for _, m := range list {
			m.t.Close()
		}
	}
	p.free = nil
}

// Buffer is a tensor in the device's memory.
type Buffer struct {
	b     *Backend
	shape shapes.Shape
	own   *holder
}

// holder owns a block until it is released, by Finalize, by donation or by the garbage collector.
type holder struct {
	mu   sync.Mutex
	m    *memory
	pool *pool
}

func (h *holder) take() *memory {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.m
	h.m = nil
	return m
}

func (h *holder) release() {
	if m := h.take(); m != nil {
		h.pool.put(m)
	}
}

var _ compute.Buffer = (*Buffer)(nil)

func (b *Backend) newBuffer(shape shapes.Shape, m *memory) *Buffer {
	buf := &Buffer{b: b, shape: shape, own: &holder{m: m, pool: &b.pool}}
	runtime.AddCleanup(buf, (*holder).release, buf.own)
	return buf
}

var errFinalized = errors.New("the buffer was finalized or donated")

// view returns a block as a tensor.
func (m *memory) view(dt dtypes.DType, dims []int) *nereid.Tensor {
	return typed(m.t, 0, dt, dims)
}

// typed returns a part of a tensor of bytes as a contiguous tensor.
func typed(t *nereid.Tensor, offset int, dt dtypes.DType, dims []int) *nereid.Tensor {
	v := t.Offset(offset)
	if dt.Bits() < 8 {
		dims = []int{bytesOf(dt, product(dims))}
	}
	v.DType, v.Shape, v.Strides = stored[dt], dims, contiguous(dims)
	return v
}

// Backend implements compute.Buffer.
func (x *Buffer) Backend() compute.Backend { return x.b }

// Finalize implements compute.Buffer.
func (x *Buffer) Finalize() error {
	x.own.release()
	return nil
}

// Shape implements compute.Buffer.
func (x *Buffer) Shape() (shapes.Shape, error) { return x.shape, nil }

// DeviceNum implements compute.Buffer.
func (x *Buffer) DeviceNum() (compute.DeviceNum, error) { return 0, nil }

// memory returns the buffer's block.
func (x *Buffer) memory() (*memory, error) {
	x.own.mu.Lock()
	defer x.own.mu.Unlock()
	if x.own.m == nil {
		return nil, errFinalized
	}
	return x.own.m, nil
}

// ToFlatData implements compute.Buffer.
func (x *Buffer) ToFlatData(flat any) error {
	defer runtime.KeepAlive(x) // else its block may have another owner before it is copied
	m, err := x.memory()
	if err != nil {
		return err
	}
	dst, err := flatBytes(flat, x.shape)
	if err != nil {
		return err
	}
	if m.host != nil {
		copy(dst, m.host)
		return nil
	}
	return m.t.CopyBytesTo(dst)
}

// flatBytes returns the bytes of a flat slice, which must fit a shape.
func flatBytes(flat any, shape shapes.Shape) ([]byte, error) {
	data := dtypes.UnsafeByteSliceFromAny(flat)
	if want := bytesOf(shape.DType, shape.Size()); len(data) != want {
		return nil, errors.Errorf("a slice %T of %d bytes for the shape %s of %d", flat, len(data), shape,
			want)
	}
	return data, nil
}

// Data implements compute.Buffer.
func (x *Buffer) Data() (any, error) {
	m, err := x.memory()
	if err != nil {
		return nil, err
	}
	if m.host == nil {
		return nil, errors.Errorf("backend %q shares no buffers on %s", Name, x.b.dev)
	}
	m.shared = true
	return hostSlice(m.host, x.shape), nil
}

// hostSlice returns memory as a flat slice of a shape's type.
func hostSlice(host []byte, shape shapes.Shape) any {
	n := shape.Size()
	if n == 0 {
		return dtypes.MakeAnySlice(shape.DType, 0)
	}
	if shape.DType.Bits() < 8 {
		n = bytesOf(shape.DType, n)
	}
	return dtypes.UnsafeAnySliceFromBytes(unsafe.Pointer(unsafe.SliceData(host)), shape.DType, n)
}

// CopyToDevice implements compute.Buffer.
func (x *Buffer) CopyToDevice(compute.DeviceNum) (compute.Buffer, error) {
	return nil, missing("there is one device")
}

// BufferFromFlatData implements compute.DataInterface.
func (b *Backend) BufferFromFlatData(num compute.DeviceNum, flat any,
	shape shapes.Shape) (compute.Buffer, error) {
	if _, ok := stored[shape.DType]; !ok || num != 0 {
		return nil, missing("a buffer of %s on device %d", shape.DType, num)
	}
	data, err := flatBytes(flat, shape)
	if err != nil {
		return nil, err
	}
	m, err := b.pool.get(len(data))
	if err != nil {
		return nil, err
	}
	if m.host != nil {
		copy(m.host, data)
	} else if len(data) > 0 {
		if err := m.t.CopyBytesFrom(data); err != nil {
			return nil, err
		}
	}
	return b.newBuffer(shape, m), nil
}

// HasSharedBuffers implements compute.DataInterface.
func (b *Backend) HasSharedBuffers() bool { return !b.gpu }

// NewSharedBuffer implements compute.DataInterface.
func (b *Backend) NewSharedBuffer(_ compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	if b.gpu {
		return nil, nil, errors.Errorf("backend %q shares no buffers on %s", Name, b.dev)
	}
	m, err := b.pool.get(bytesOf(shape.DType, shape.Size()))
	if err != nil {
		return nil, nil, err
	}
	clear(m.host)
	m.shared = true
	return b.newBuffer(shape, m), hostSlice(m.host, shape), nil
}
