package nvidia

import (
	"context"
	"fmt"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is an NVIDIA GPU with a compiler.
type Device struct {
	Compiler
	*devnvidia.Device
}

// Both halves of a device have these.
var _ interface {
	target.Backend
	target.Chooser
	device.Keeper
	device.Adopter
	device.Runner
	device.Native
} = (*Device)(nil)

// Devices returns the GPUs of this machine, whether LLVM is installed or not. If there is none, the error
// says why.
func Devices() ([]target.Backend, error) {
	list, err := devnvidia.Devices()
	if err != nil {
		return nil, err
	}
	var out []target.Backend
	for _, d := range list {
		out = append(out, withCompiler(d))
	}
	return out, nil
}

// DeviceOf returns the GPU of a context that somebody else made, as devnvidia.DeviceOf does.
func DeviceOf(handle uintptr) (b target.Backend, release func(), err error) {
	d, release, err := devnvidia.DeviceOf(handle)
	if err != nil {
		return nil, nil, err
	}
	return withCompiler(d), release, nil
}

func withCompiler(d *devnvidia.Device) *Device {
	return &Device{Compiler{Capability: d.GPU.Capability, NoMaps: !d.HasTensorMaps()}, d}
}

// Traits returns those of the compiler and of the GPU.
func (d *Device) Traits() device.Traits {
	t, c := d.Device.Traits(), d.Compiler.Traits()
	t.DefaultStages, t.HasLines, t.AlignsNumbers = c.DefaultStages, c.HasLines, c.AlignsNumbers
	return t
}

// Compile compiles and loads a kernel. Only this needs LLVM: a machine without it runs kernels from the
// cache.
func (d *Device) Compile(ctx context.Context, in *target.Input) (device.Executable, error) {
	if _, err := llvm.Load(); err != nil {
		return nil, fmt.Errorf("%s is not among the compiled kernels, and to compile it takes LLVM: %w",
			in.Kernel, err)
	}
	code, err := d.Compiler.Compile(ctx, in, d.maxPTX())
	if err != nil || code == nil {
		return nil, err
	}
	start := time.Now()
	k, err := d.Load(ctx, code)
	if err != nil {
		return nil, err
	}
	in.Stages.Record("load", time.Since(start), nothing) // mostly the assembler
	return k, nil
}

// nothing returns the text of a stage that has none.
func nothing() []byte { return nil }

// maxPTX returns the newest PTX that the device's assembler reads, 0 if it is not known.
func (d *Device) maxPTX() int {
	if v := d.Assembler().Version; v > 0 {
		return llvm.DriverPTX(v)
	}
	return 0
}

// WayOf returns the way of the code for a grid.
func (d *Device) WayOf(grid [3]int) device.Way { return d.Compiler.WayOf(grid, d.SMs()) }
