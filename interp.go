package nereid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// interpDevice is the interpreter as a device: it executes Triton IR in Go.
type interpDevice struct {
	mem  *interp.Memory
	opts InterpOptions
}

// InterpOptions says how an interpreter runs kernels. Accesses out of bounds, misaligned accesses and failed
// assertions are always errors.
type InterpOptions struct {
	// CheckUninit makes it an error to load memory that was never written. A tensor made by New is such
	// memory until it is written.
	CheckUninit bool
	// CheckRaces makes it an error if two programs store different values to the same address. Programs then
	// run one after another.
	CheckRaces bool
	// CheckOverflow makes it an error if a sum, difference or product of less than 64 bits wraps around on
	// its way to an address.
	CheckOverflow bool

	IEEE     bool      // compute products of fp32 in full precision even if the kernel allows tf32
	Workers  int       // goroutines that run programs; 0 means one for each core
	MaxSteps int64     // operations that a program may execute; 0 means no limit
	Stdout   io.Writer // output of tl.device_print; nil means standard output
}

// NewInterpreter returns an interpreter with its own options, separate from the device "interp" of Open.
func NewInterpreter(o InterpOptions) *Device { return &Device{&interpDevice{interp.NewMemory(), o}} }

func newInterp() target.Backend {
	return &interpDevice{mem: interp.NewMemory(), opts: InterpOptions{CheckOverflow: knob.Checked.Get()}}
}

func (*interpDevice) Name() string        { return "interp" }
func (*interpDevice) Target() lang.Target { return lang.DefaultTarget }
func (*interpDevice) Stages() []string    { return []string{"source", "ttir"} }

func (*interpDevice) Info() string {
	return fmt.Sprintf("interpreter of Triton IR in Go, %d workers, checks every access", runtime.GOMAXPROCS(0))
}

func (d *interpDevice) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	if err := in.TTIR(d.Target()); err != nil || in.Until == "ttir" {
		return nil, err
	}
	passes := []pass.Pass{middle.ExpandInlineAsm}
	if d.opts.CheckOverflow || in.Options.Check {
		passes = append(passes, pass.CheckIndexOverflow)
	}
	if err := in.Run(passes); err != nil {
		return nil, err
	}
	p, err := interp.CompileWithin(in.Budget, in.Module, in.Kernel)
	if err != nil {
		return nil, err
	}
	return &interpKernel{d, p}, nil
}

func (d *interpDevice) Alloc(size int) (target.Buffer, error) {
	data, err := target.HostBytes(size)
	if err != nil {
		return nil, err
	}
	if d.opts.CheckUninit {
		return newInterpBuffer(data, d.mem, d.mem.AllocUninit(data, ""))
	}
	return d.Wrap(data)
}

func (d *interpDevice) Wrap(data []byte) (target.Buffer, error) {
	return newInterpBuffer(data, d.mem, d.mem.Alloc(data, ""))
}

// newInterpBuffer returns a buffer of the interpreter's memory, or an error if b is nil because no address
// was left.
func newInterpBuffer(data []byte, mem *interp.Memory, b *interp.Buffer) (target.Buffer, error) {
	if b == nil {
		return nil, errors.New("the interpreter has no addresses left: close tensors")
	}
	return &interpBuffer{hostBuffer{data}, mem, b}, nil
}

func (*interpDevice) NewStream() (target.Stream, error) { return hostStream{}, nil }

// Describe returns the interpreter's handle for a descriptor.
func (d *interpDevice) Describe(t target.Descriptor) ([]uint64, func(), error) {
	h := d.mem.Descriptor(interp.Descriptor{Base: t.Base, Shape: t.Shape, Strides: t.Strides, NaN: t.NaN})
	return []uint64{h}, func() { d.mem.FreeDescriptor(h) }, nil
}

// interpBuffer is host memory at a virtual address.
type interpBuffer struct {
	hostBuffer
	mem *interp.Memory
	b   *interp.Buffer
}

func (b *interpBuffer) Addr() uint64 { return b.b.Addr() }

// SetName sets the buffer's name in messages.
func (b *interpBuffer) SetName(name string) { b.b.SetName(name) }

// Narrow returns a part of the buffer with addresses of its own.
func (b *interpBuffer) Narrow(lo, hi int) (target.Buffer, error) {
	return newInterpBuffer(b.data[lo:hi:hi], b.mem, b.mem.AllocPart(b.b, lo, hi))
}

func (b *interpBuffer) Write(at int, from []byte) error {
	if err := b.hostBuffer.Write(at, from); err != nil {
		return err
	}
	b.b.MarkWritten(at, len(from))
	return nil
}

func (b *interpBuffer) Close() error {
	b.mem.Free(b.b)
	return nil
}

type interpKernel struct {
	dev *interpDevice
	p   *interp.Program
}

func (k *interpKernel) Launch(ctx context.Context, _ target.Stream, grid [3]int, args []uint64) error {
	o := k.dev.opts
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	return k.p.Run(ctx, k.dev.mem, grid, args, interp.Options{
		Workers: o.Workers, TrackUninit: o.CheckUninit, TrackRaces: o.CheckRaces, TF32: !o.IEEE, Stdout: o.Stdout, MaxSteps: o.MaxSteps,
	})
}

func (*interpKernel) Close() error { return nil }

// hostStream is the stream of devices that run in the calling goroutine: nothing is ever pending.
type hostStream struct{}

func (hostStream) Sync() error  { return nil }
func (hostStream) Close() error { return nil }
