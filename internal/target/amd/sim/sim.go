// Package sim is a simulated AMD GPU: kernels are compiled to code objects, which run in the emulator of
// package gcnsim. It tests the path to machine code on any machine that has LLVM, and finds missing barriers
// and waits, accesses out of bounds, and values that nothing wrote.
package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/device"
	devamd "github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd"
	"github.com/nereid-lang/nereid/internal/target/amd/gcnsim"
	"github.com/nereid-lang/nereid/internal/target/interleave"
	"github.com/nereid-lang/nereid/internal/target/simcount"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// Fault is the error of a kernel that was stopped.
type Fault = gcnsim.Fault

// Device is a simulated GPU.
type Device struct {
	amd.Compiler
	mem *simmem.Memory
}

// chips lists the chips of the simulated devices.
var chips = []string{"gfx942", "gfx90a", "gfx1100"}

// Devices returns the simulated devices, or an error that says why there are none.
func Devices() ([]target.Backend, error) {
	if _, err := llvm.Load(); err != nil {
		return nil, err
	}
	var out []target.Backend
	for _, c := range chips {
		out = append(out, &Device{amd.Compiler{Chip: c, Emulated: true}, simmem.New()})
	}
	return out, nil
}

func (d *Device) Name() string { return "sim:" + d.Chip }

// Traits returns those of the compiler, and that the emulator runs a GPU's code and has Options.Certify.
func (d *Device) Traits() device.Traits {
	t := d.Compiler.Traits()
	t.ChecksAlways, t.ChecksBounds = true, true
	t.Target, t.Certifies = "hip:"+d.Chip, true
	return t
}

func (d *Device) Info() string {
	return fmt.Sprintf("emulator of %s in Go, checks accesses, races and waits", d.Chip)
}

// Compile compiles a kernel to a code object and decodes it.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	return d.Build(ctx, in, d.Restore)
}

// Restore decodes a code object.
func (d *Device) Restore(_ context.Context, _ string, c target.Code) (target.Executable, error) {
	code, err := devamd.Kept(c)
	if err != nil {
		return nil, err
	}
	if code.Shared > gcnsim.MaxLDS {
		return nil, diag.Refuse("shared memory", "kernel %s needs %d bytes, %s has %d for a workgroup",
			code.Name, code.Shared, d.Chip,
			gcnsim.MaxLDS).By(d.Name()).Instead("use smaller blocks or fewer stages")
	}
	load := gcnsim.Load
	if code.Certify {
		load = gcnsim.LoadRing
	}
	m, err := load(c.Data)
	if err != nil {
		return nil, err
	}
	return &kernel{d, code, c, m}, nil
}

func (d *Device) Alloc(size int) (target.Buffer, error) {
	data, err := device.HostBytes(size)
	if err != nil {
		return nil, err
	}
	return d.Wrap(data)
}

func (d *Device) Wrap(data []byte) (target.Buffer, error) { return d.mem.Buffer(data), nil }

func (*Device) NewStream() (target.Stream, error) { return simmem.Stream{}, nil }

// kernel is a code object, decoded.
type kernel struct {
	dev    *Device
	code   *devamd.Code
	kept   target.Code
	module *gcnsim.Module
}

func (k *kernel) Launch(ctx context.Context, _ target.Stream, grid [3]int, args []uint64) error {
	order, _ := gcnsim.ParseOrder(knob.SimOrder.Get()) // which takes no other text
	watch, _ := ctx.Value(watchKey{}).(Watch)
	module := k.module
	if watch.Change != nil {
		var err error
		if module, err = gcnsim.Load(watch.Change(slices.Clone(k.kept.Data))); err != nil {
			return err
		}
	}
	if watch.States > 0 {
		order = gcnsim.Order{States: watch.States}
	}
	return module.Run(ctx,
		&gcnsim.Launch{Kernel: k.code.Name, Grid: grid, Threads: k.code.Lanes() * k.code.NumWarps,
			LDS: k.code.Shared, Args: args, Memory: k.dev.mem, Order: order, NoRaces: watch.Unchecked,
			NoUndef: watch.Unchecked, Explored: watch.Explored, Counts: watch.Counts, Chart: watch.Chart})
}

func (*kernel) Close() error { return nil }

// Facts returns what is known of the code.
func (k *kernel) Facts() target.Facts { return k.code.Facts() }

// Code returns the code object.
func (k *kernel) Code() (target.Code, error) { return k.kept, nil }

// Watch says how launches run.
type Watch struct {
	// Change, if not nil, returns the code object that runs in place of a kernel's own: with a fault planted,
	// which the emulator must find.
	Change func(hsaco []byte) []byte
	// States is gcnsim.Order.States: the limit for exploring all interleavings. Explored, if not nil, is
	// called with the outcome for each workgroup.
	States   int
	Explored func(interleave.Result)
	// Counts, if not nil, is told what each instruction of a launch did, and Chart what the waves of its
	// first workgroup did one after the other (gcnsim.Launch).
	Counts func([]simcount.Count)
	Chart  func(marks []simcount.Mark, cut bool)
	// Unchecked says not to look for races, or values that nothing wrote, while the kernel runs: what
	// interleavings find is wanted alone.
	Unchecked bool
}

type watchKey struct{}

// WithWatch returns a context for streams whose launches run as w says.
func WithWatch(ctx context.Context, w Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}
