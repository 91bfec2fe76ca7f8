package interp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is the interpreter as a device: it executes Triton IR in Go.
type Device struct {
	mem   *Memory
	opts  DeviceOptions
	lanes int    // see SumInLanes
	ones  bool   // see FillMasked
	touch *Touch // records which bytes a launch reads and writes; may be nil

	record *Record // records accesses; may be nil
	trace  *Trace  // records the execution of a program; may be nil
}

// DeviceOptions says how an interpreter runs kernels; the root package's InterpOptions documents the fields.
type DeviceOptions struct {
	CheckUninit   bool
	CheckRaces    bool
	CheckOverflow bool

	IEEE     bool      // compute products of fp32 in full precision even if the kernel allows tf32
	Workers  int       // goroutines that run programs; 0 means one for each core
	MaxSteps int64     // operations that a program may execute; 0 means no limit
	Stdout   io.Writer // output of tl.device_print; nil means where PrintTo says
}

// NewDevice returns an interpreter with memory of its own.
func NewDevice(o DeviceOptions) *Device { return &Device{mem: NewMemory(), opts: o} }

// SumInLanes makes reductions that sum fp16 or bf16 take another order than that of neighbours: each of n
// lanes sums the elements that lie n apart, one after the other, as the threads of a GPU do, then neighbours
// are summed. n is a power of two. What changes by it in a kernel's results is rounding.
func (d *Device) SumInLanes(n int) { d.lanes = n }

// FillMasked makes the lanes of a load that its mask leaves out, and for which the kernel gives no other
// value, all ones instead of zeros: NaN, or -1. Triton says nothing about them, so no result may change by
// it.
func (d *Device) FillMasked() { d.ones = true }

func (*Device) Name() string        { return "interp" }
func (*Device) Target() lang.Target { return lang.DefaultTarget }
func (*Device) Stages() []string    { return []string{"source", "ttir"} }

func (*Device) Info() string {
	return fmt.Sprintf("interpreter of Triton IR in Go, %d workers, checks every access",
		runtime.GOMAXPROCS(0))
}

// Traits returns what is fixed of the interpreter.
func (*Device) Traits() device.Traits {
	return device.Traits{Certifies: true, HostOnly: true, Interprets: true, ChecksAlways: true,
		ChecksBounds: true, Scopes: true}
}

func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	if d.trace != nil {
		return d.load(in) // as the front end made it: no pass merges lines
	}
	if err := in.TTIR(d.Target()); err != nil || in.Until == "ttir" {
		return nil, err
	}
	return d.load(in)
}

// Restore compiles saved Triton IR.
func (d *Device) Restore(_ context.Context, kernelName string, c target.Code) (target.Executable, error) {
	if c.Stage != "ttir" {
		return nil, fmt.Errorf("%s is no Triton IR", c.Stage)
	}
	in := &target.Input{Kernel: kernelName}
	if len(c.Meta) > 0 {
		if err := json.Unmarshal(c.Meta, &in.Options); err != nil {
			return nil, err
		}
	}
	m, err := ir.Parse(diag.NewFileSet(), kernelName+".ttir", c.Data)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(m.Op); err != nil {
		return nil, err
	}
	in.Module, in.Kernel = m, target.EntryOf(m, kernelName)
	return d.load(in)
}

// load compiles Triton IR to a program of the interpreter.
func (d *Device) load(in *target.Input) (target.Executable, error) {
	passes := []pass.Pass{middle.ExpandInlineAsm}
	if d.opts.CheckOverflow || in.Options.Check {
		passes = append(passes, pass.CheckIndexOverflow)
	}
	if err := in.Run(passes); err != nil {
		return nil, err
	}
	p, err := compileProgram(in.Budget, in.Module, in.Kernel, in.Options.Certify, d.trace != nil)
	if err != nil {
		return nil, err
	}
	return &kernel{d, p}, nil
}

func (d *Device) Alloc(size int) (target.Buffer, error) {
	data, err := device.HostBytes(size)
	if err != nil {
		return nil, err
	}
	alloc := d.mem.Alloc
	if d.opts.CheckUninit {
		alloc = d.mem.AllocUninit
	}
	b := alloc(data, "")
	if b != nil && d.touch != nil {
		d.touch.add(b)
	}
	return newDeviceBuffer(data, d.mem, b)
}

func (d *Device) Wrap(data []byte) (target.Buffer, error) {
	b := d.mem.Alloc(data, "")
	if b != nil && d.opts.CheckUninit {
		b.written = unmarked(data)
	}
	return newDeviceBuffer(data, d.mem, b)
}

// newDeviceBuffer returns a buffer of the interpreter's memory, or an error if b is nil because no address
// was left.
func newDeviceBuffer(data []byte, mem *Memory, b *Buffer) (target.Buffer, error) {
	if b == nil {
		return nil, errors.New("the interpreter has no addresses left: close tensors")
	}
	return &deviceBuffer{target.HostBuffer{Data: data}, mem, b}, nil
}

func (*Device) NewStream() (target.Stream, error) { return target.HostStream{}, nil }

// Describe returns the interpreter's handle for a descriptor.
func (d *Device) Describe(t target.Descriptor) ([]uint64, func(), error) {
	h := d.mem.Descriptor(Descriptor{Base: t.Base, Shape: t.Shape, Strides: t.Strides, NaN: t.NaN})
	return []uint64{h}, func() { d.mem.FreeDescriptor(h) }, nil
}

// deviceBuffer is host memory at a virtual address.
type deviceBuffer struct {
	target.HostBuffer
	mem *Memory
	b   *Buffer
}

func (b *deviceBuffer) Addr() uint64 { return b.b.Addr() }

// SetName implements target.Observed: uninitialised memory is known by what was written.
func (b *deviceBuffer) SetName(name string) { b.b.SetName(name) }

// Narrow returns a part of the buffer with addresses of its own.
func (b *deviceBuffer) Narrow(lo, hi int) (target.Buffer, error) {
	return newDeviceBuffer(b.Data[lo:hi:hi], b.mem, b.mem.AllocPart(b.b, lo, hi))
}

func (b *deviceBuffer) Write(at int, from []byte) error {
	if err := b.HostBuffer.Write(at, from); err != nil {
		return err
	}
	b.b.MarkWritten(at, len(from))
	return nil
}

func (b *deviceBuffer) Close() error {
	b.mem.Free(b.b)
	return nil
}

type kernel struct {
	dev *Device
	p   *Program
}

// Facts tells the name of the kernel's function.
func (k *kernel) Facts() device.Facts { return device.Facts{Entry: k.p.Name} }

func (k *kernel) Launch(ctx context.Context, _ target.Stream, grid [3]int, args []uint64) error {
	o := k.dev.opts
	if o.Stdout == nil {
		o.Stdout = device.Print
	}
	scopes, tell := collector(ctx)
	defer tell()
	return k.p.Run(ctx, k.dev.mem, grid, args, Options{
		Workers: o.Workers, TrackUninit: o.CheckUninit, TrackRaces: o.CheckRaces, TF32: !o.IEEE,
		Stdout: o.Stdout, MaxSteps: o.MaxSteps, SumLanes: k.dev.lanes, MaskedOnes: k.dev.ones,
		Record: k.dev.record, Trace: k.dev.trace, Scopes: scopes,
	})
}

func (*kernel) Close() error { return nil }
