package sim

import (
	"context"
	"errors"
	"fmt"

	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
)

const stagePTX = "ptx"

// Fingerprint names what the PTX depends on.
func (d *Device) Fingerprint() string { return d.Compiler.Fingerprint(0) }

// Runs returns nil if the simulator runs code of a stage that was compiled for a machine: PTX that a GPU
// runs.
func (d *Device) Runs(stage, machine string) error {
	if stage == "cubin" {
		return errors.New("the simulator runs PTX, no cubins")
	}
	return d.Compiler.Runs(stage, machine)
}

// Restore parses PTX.
func (d *Device) Restore(_ context.Context, kernel string, c target.Code) (target.Executable, error) {
	if c.Stage != stagePTX {
		return nil, fmt.Errorf("%s is no PTX", c.Stage)
	}
	code, err := devnvidia.Kept(c)
	if err != nil {
		return nil, err
	}
	code.PTX = c.Data
	return d.load(code)
}

// Facts returns what is known of the code.
func (k *kernel) Facts() target.Facts { return k.code.Facts() }

// Code returns the kernel's PTX.
func (k *kernel) Code() (target.Code, error) { return k.code.Keep(stagePTX, k.code.PTX) }

func (d *Device) load(code *devnvidia.Code) (target.Executable, error) {
	if most := d.SharedPerBlock(); code.Shared > most {
		return nil, diag.Refuse("shared memory", "kernel %s needs %d bytes, sm_%d has %d for a block",
			code.Name, code.Shared, d.Capability,
			most).By(d.Name()).Instead("use smaller blocks or fewer stages")
	}
	parse := ptxsim.Parse
	if code.Certify {
		parse = ptxsim.ParseRing
	}
	m, err := parse(code.PTX)
	if err != nil {
		return nil, err
	}
	if code.Overlap {
		d.overlaps.Store(true)
	}
	return &kernel{dev: d, code: code, module: m}, nil
}
