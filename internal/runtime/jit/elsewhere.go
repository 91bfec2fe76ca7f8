package jit

import (
	"context"
	"fmt"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
)

// OpenTarget returns a device that compiles for a target which this machine need not have: "cuda:90",
// "hip:gfx942". It launches nothing. Module.Warmup with it fills a cache for machines that have such a
// device: their programs find what was compiled, if they are built with the same sources of Nereid and the
// same version of LLVM. GPUs of NVIDIA's assemble the code when they load it.
func OpenTarget(name string) (*core.Device, error) {
	b, err := compilerFor(name)
	if err != nil {
		return nil, err
	}
	if _, ok := b.(offline); !ok || b.(offline).Fingerprint() == "" {
		return nil, fmt.Errorf("nereid: code for the target %s is not kept: there is no LLVM, or it is made in "+
			"a moment", name)
	}
	return core.NewDevice(b), nil
}

// Fingerprint names what code for the target depends on; a device that has the target looks for it.
func (c offline) Fingerprint() string { return c.Generator() }

// Begins returns the ways of the code with which launches may begin, nil if there is only one.
func (c offline) Begins() []device.Way {
	if b, ok := c.compiler.(interface{ Begins() []device.Way }); ok {
		return b.Begins()
	}
	return nil
}

// Located reports whether code has source positions.
func (c offline) Located() bool {
	l, ok := c.compiler.(interface{ Located() bool })
	return ok && l.Located()
}

// Restore returns code that was compiled before. It cannot be launched.
func (c offline) Restore(_ context.Context, _ string, code target.Code) (target.Executable, error) {
	return device.NewUnloaded(c.name, code, device.Facts{}), nil
}
