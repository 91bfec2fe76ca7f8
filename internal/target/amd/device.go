package amd

import (
	"context"

	"github.com/nereid-lang/nereid/internal/device"
	devamd "github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is an AMD GPU with a compiler.
type Device struct {
	Compiler
	*devamd.Device
}

// Both halves of a device have these; the GPU's count.
var _ interface {
	device.Runner
	device.Native
} = (*Device)(nil)

// Devices returns the GPUs of this machine. If there is none, the error says why.
func Devices() ([]target.Backend, error) {
	list, err := devamd.Devices()
	if err != nil {
		return nil, err
	}
	var out []target.Backend
	for _, d := range list {
		out = append(out, &Device{Compiler{Chip: d.Chip}, d})
	}
	return out, nil
}

// Compile compiles and loads a kernel.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	return d.Build(ctx, in, d.Restore)
}

// Runs returns nil if the GPU runs code of a stage that was compiled for a machine.
func (d *Device) Runs(stage, machine string) error { return d.Device.Runs(stage, machine) }

// Machine returns the chip, which alone runs its code.
func (d *Device) Machine() string { return d.Device.Machine() }

// Traits returns those of the compiler and of the GPU.
func (d *Device) Traits() device.Traits {
	t, c := d.Device.Traits(), d.Compiler.Traits()
	t.DefaultStages, t.HasLines, t.AlignsNumbers = c.DefaultStages, c.HasLines, c.AlignsNumbers
	return t
}
