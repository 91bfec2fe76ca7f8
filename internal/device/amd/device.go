package amd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/amd/hip"
	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/diag"
)

// Device is an AMD GPU.
type Device struct {
	Chip string // LLVM's name: "gfx942"
	dev  *hip.Device
}

// Devices returns the GPUs of this machine. If there is none, the error says why.
func Devices() ([]*Device, error) {
	r, err := hip.Load()
	if err != nil {
		return nil, err
	}
	var out []*Device
	var unknown error
	for _, dev := range r.Devices() {
		if err := CheckChip(dev.Chip); err != nil {
			unknown = errors.Join(unknown, fmt.Errorf("%s: %w", dev.Name, err))
			continue
		}
		out = append(out, &Device{dev.Chip, dev})
	}
	if len(out) == 0 {
		return nil, unknown
	}
	return out, nil
}

// Name returns "hip:0" and the like.
func (d *Device) Name() string { return fmt.Sprintf("hip:%d", d.dev.Ordinal) }

// Traits returns what is fixed of the GPU; its kind is the target in Triton's notation.
func (d *Device) Traits() device.Traits {
	return device.Traits{Kind: "hip:" + d.Chip, Hardware: true, Graphs: true, Collectives: "rccl",
		CopiesHost: true, WordDescriptors: true}
}

// Info returns a line about the GPU.
func (d *Device) Info() string {
	return fmt.Sprintf("%s, %s, %d CUs, %d MiB", d.dev.Name, d.Chip, d.dev.Units, d.dev.Memory>>20)
}

// Model returns the GPU and the version of its runtime.
func (d *Device) Model() (model, driver string) {
	return d.Info(), fmt.Sprintf("HIP %d", d.dev.Version())
}

// Restore loads a code object.
func (d *Device) Restore(_ context.Context, _ string, c device.Code) (device.Executable, error) {
	code, err := Kept(c)
	if err != nil {
		return nil, err
	}
	f, err := d.dev.Load(c.Data, code.Name)
	if err != nil {
		return nil, err
	}
	return &kernel{d, code, c, f}, nil
}

// Alloc returns zeroed device memory.
func (d *Device) Alloc(size int) (device.Buffer, error) {
	b, err := d.alloc(size)
	if err != nil {
		return nil, err
	}
	s := d.dev.DefaultStream()
	if err := errors.Join(s.Zero(b.addr, size), s.Synchronize()); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (d *Device) alloc(size int) (*buffer, error) {
	p, err := d.dev.Alloc(size)
	if err != nil {
		return nil, err
	}
	return &buffer{dev: d.dev, addr: p, size: size, free: func() error { return d.dev.Free(p) }}, nil
}

// At returns a buffer of memory that somebody else has allocated on the GPU, and frees. At 0 there is none.
func (d *Device) At(addr uint64, size int) (device.Buffer, error) {
	if addr != 0 || size != 0 {
		for _, p := range []uint64{addr, addr + uint64(max(size, 1)) - 1} {
			on, err := d.dev.PointerDevice(p)
			if err != nil {
				return nil, err
			}
			if on != d.dev.Ordinal {
				return nil, fmt.Errorf("the address %#x is memory of hip:%d, not of %s", p, on, d.Name())
			}
		}
	}
	return &buffer{dev: d.dev, addr: addr, size: size, free: func() error { return nil }}, nil
}

// Wrap copies host memory to the device for the duration of a launch; Close copies it back. The memory is the
// pool's, where the device has one.
func (d *Device) Wrap(data []byte) (device.Buffer, error) {
	s := d.dev.DefaultStream()
	p, err := s.Alloc(len(data))
	if err != nil {
		return nil, err
	}
	b := &buffer{dev: d.dev, addr: p, size: len(data), free: func() error { return s.Free(p) }}
	if err := b.Write(0, data); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &mirror{b, data}, nil
}

// NewStream returns a stream of the runtime's.
func (d *Device) NewStream() (device.Stream, error) {
	s, err := d.dev.NewStream()
	if err != nil {
		return nil, err
	}
	return stream{s}, nil
}

// ExternalStream returns a stream for a hipStream_t that the caller owns.
func (d *Device) ExternalStream(handle uintptr) (device.Stream, error) {
	return stream{d.dev.ExternalStream(handle)}, nil
}

// Current implements device.Accessible.
func (d *Device) Current(f func() error) error { return d.dev.Current(f) }

type stream struct{ s *hip.Stream }

// Handle implements device.Handled.
func (s stream) Handle() (uintptr, error) { return s.s.OpenHandle() }

// Calls implements device.Guarded.
func (s stream) Calls() *inflight.Count { return s.s.Calls() }

func (s stream) Sync() error              { return s.s.Synchronize() }
func (s stream) Close() error             { return s.s.Close() }
func (s stream) Capturing() (bool, error) { return s.s.Capturing() }

// Zero queues a fill with zeros.
func (s stream) Zero(b device.Buffer, at, n int) error {
	defer s.Calls().Begin().End()
	if err := usable(b, at, n); err != nil {
		return err
	}
	return s.s.Zero(b.Addr()+uint64(at), n)
}

// Copy queues a copy within the GPU's memory.
func (s stream) Copy(to device.Buffer, toAt int, from device.Buffer, fromAt, n int) error {
	defer s.Calls().Begin().End()
	if err := errors.Join(usable(to, toAt, n), usable(from, fromAt, n)); err != nil {
		return err
	}
	return s.s.Copy(to.Addr()+uint64(toAt), from.Addr()+uint64(fromAt), n)
}

// usable returns an error for bytes that a buffer does not have, or has no longer.
func usable(b device.Buffer, at, n int) error {
	closed := false
	if own, ok := b.(*buffer); ok {
		closed = own.closed.Load()
	}
	return device.CheckAccess("use", at, n, b.Size(), closed)
}

// Capture records work as a graph.
func (s stream) Capture(f func() error) (device.Graph, error) {
	g, err := s.s.Capture(f)
	if err != nil {
		return nil, err
	}
	return graph{g}, nil
}

type graph struct{ g *hip.Graph }

func (g graph) Launch(s device.Stream) error { return g.g.Launch(s.(stream).s) }
func (g graph) Close() error                 { return g.g.Close() }

// buffer is memory of the GPU.
type buffer struct {
	dev    *hip.Device
	addr   uint64
	size   int
	free   func() error
	closed atomic.Bool
	copies sync.RWMutex // copies under way, for which Close waits
}

func (b *buffer) Addr() uint64 { return b.addr }
func (b *buffer) Size() int    { return b.size }
func (b *buffer) Host() []byte { return nil }

// Read waits for all launched work, because any stream may have written the memory.
func (b *buffer) Read(at int, into []byte) error {
	b.copies.RLock()
	defer b.copies.RUnlock()
	if err := device.CheckAccess("read", at, len(into), b.size, b.closed.Load()); err != nil {
		return err
	}
	if err := b.dev.Synchronize(); err != nil {
		return err
	}
	return b.dev.Read(into, b.addr+uint64(at))
}

// Write waits for all launched work, which may still read the memory.
func (b *buffer) Write(at int, from []byte) error {
	b.copies.RLock()
	defer b.copies.RUnlock()
	if err := device.CheckAccess("write", at, len(from), b.size, b.closed.Load()); err != nil {
		return err
	}
	if err := b.dev.Synchronize(); err != nil {
		return err
	}
	return b.dev.Write(b.addr+uint64(at), from)
}

// Close frees the memory, once, after the launches that use it.
func (b *buffer) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	b.copies.Lock()
	defer b.copies.Unlock()
	b.dev.Closing()
	return b.free()
}

// mirror is a copy of host memory.
type mirror struct {
	*buffer
	host []byte
}

// Close copies the memory back and frees it.
func (m *mirror) Close() error {
	if m.closed.Load() {
		return nil
	}
	return errors.Join(m.Read(0, m.host), m.buffer.Close())
}

// kernel is a loaded code object.
type kernel struct {
	dev  *Device
	code *Code
	kept device.Code
	fn   *hip.Function
}

func (k *kernel) Launch(_ context.Context, s device.Stream, grid [3]int, args []uint64) error {
	n, err := device.CountPrograms(grid, [3]int{math.MaxInt32, math.MaxUint16, math.MaxUint16})
	if err != nil || n == 0 {
		return err
	}
	threads := k.code.Lanes() * k.code.NumWarps
	if most := uint64(math.MaxUint32); uint64(grid[0])*uint64(threads) > most {
		return diag.Refuse(fmt.Sprintf("the grid %v", grid), "%s counts %d threads at most along x",
			k.dev.Name(), most)
	}
	packed, err := hip.Pack(k.code.Params, args)
	if err != nil {
		return fmt.Errorf("%s: %w", k.code.Name, err)
	}
	if err := k.fn.Launch(s.(stream).s, grid, threads, k.code.Shared, packed); err != nil {
		return fmt.Errorf("%s: %w", k.code.Name, err)
	}
	return nil
}

func (k *kernel) Close() error { return k.fn.Close() }

// Facts returns what is known of the code.
func (k *kernel) Facts() device.Facts { return k.code.Facts() }

// Code returns the code object.
func (k *kernel) Code() (device.Code, error) { return k.kept, nil }
