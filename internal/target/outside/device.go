package outside

import (
	"context"
	"fmt"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is a device of a back end, with its compiler.
type Device struct {
	Compiler
	running
}

// running is a device of a back end that runs compiled code: package backend makes them.
type running interface {
	device.Device
	device.Restorer
	device.Native
	device.Runner
}

// Devices returns the devices of a back end, or why there is none.
func Devices(o core.Outsider) ([]target.Backend, error) {
	c, err := CompilerFor(o.Name, "")
	if err != nil {
		return nil, err
	}
	found, err := o.Find()
	if err != nil {
		return nil, err
	}
	var list []target.Backend
	for _, d := range found {
		r, ok := d.(running)
		if !ok {
			return nil, fmt.Errorf("%s loads no code", d.Name())
		}
		list = append(list, &Device{c, r})
	}
	return list, nil
}

// Both halves of a device have these; the device's count.

func (d *Device) Name() string          { return d.running.Name() }
func (d *Device) Machine() string       { return d.running.Machine() }
func (d *Device) Traits() device.Traits { return d.running.Traits() }

// Compile passes a kernel to the back end and loads the result.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	made, err := d.CompileOnly(ctx, in)
	if err != nil || made == nil || in.Until != "" {
		return made, err
	}
	code, err := made.(*target.Unloaded).Code()
	if err != nil {
		return nil, err
	}
	return d.Restore(ctx, in.Kernel, code)
}

var _ target.Keeper = (*Device)(nil)
