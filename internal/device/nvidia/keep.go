package nvidia

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Keep returns the code as data in the form of stage.
func (k *Code) Keep(stage string, data []byte) (device.Code, error) {
	rest := *k
	rest.PTX = nil
	meta, err := json.Marshal(rest)
	return device.Code{Stage: stage, Data: data, Meta: meta}, err
}

// Kept returns the code that Keep saved, without its PTX.
func Kept(c device.Code) (*Code, error) {
	k := &Code{guards: &guardTable{}}
	if err := json.Unmarshal(c.Meta, k); err != nil {
		return nil, err
	}
	k.rules = rules.Of(k.Rules)
	if k.Name == "" || k.NumWarps <= 0 {
		return nil, fmt.Errorf("the kernel's description is not complete")
	}
	return k, errors.Join(k.checkMaps(), k.checkCheck(), k.checkDepths(), k.checkShort(),
		k.checkUniform(), k.checkStrides())
}

// StageCubin is the stage in which code is saved if ptxas made it.
const StageCubin = "cubin"

// StagePTX is the stage in which code is saved without a GPU, or if the driver's compiler made it: that
// compiles whole programs only when it loads them, and does not give the result away. It keeps it for itself
// on disk.
const StagePTX = "ptx"

// Values of Code.Assembled.
const (
	fully   = "fully"
	plainly = "plainly" // with fewer optimizations
)

// Assembler describes the assembler of a device's kernels.
type Assembler struct {
	Name    string // as part of a fingerprint
	Version int    // version of CUDA whose PTX it reads, as the driver counts: 12080; 0 if it is not known
	Ptxas   bool   // rather than the driver
}

// assembles returns the assembler of a device with a driver of that version: ptxas if the environment names
// one, or else the driver's compiler.
func assembles(driverVersion int) Assembler {
	if !knob.PTXAS.IsSet() {
		return Assembler{Name: fmt.Sprintf(" by driver %d", driverVersion), Version: driverVersion}
	}
	version, err := AssemblerVersion(context.Background())
	var major, minor int
	if err == nil {
		_, err = fmt.Sscanf(version, "ptxas %d.%d", &major, &minor)
	}
	if err != nil { // which the first compilation will say
		return Assembler{Ptxas: true}
	}
	return Assembler{" by " + version, min(driverVersion, 1000*major+10*minor), true}
}

// Restore loads a cubin, PTX that was compiled without a GPU, or PTX that a GPU has assembled before.
func (d *Device) Restore(ctx context.Context, _ string, c device.Code) (device.Executable, error) {
	code, err := Kept(c)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Stage == StageCubin:
		return d.loaded(code, &assembled{cubin: c.Data})
	case c.Stage != StagePTX:
		return nil, fmt.Errorf("%s is neither a cubin nor PTX", c.Stage)
	}
	code.PTX = c.Data
	if code.Assembled == "" {
		return d.Load(ctx, code)
	}
	cu, err := d.context()
	if err != nil {
		return nil, err
	}
	again, err := byDriver(cu, code.Name)(code.PTX, code.Assembled == plainly)
	if err != nil {
		return nil, err
	}
	return d.loaded(code, again)
}

// Code returns the kernel's cubin, or the PTX that the driver's compiler was given.
func (k *kernel) Code() (device.Code, error) {
	if k.made.cubin != nil {
		return k.code.Keep(StageCubin, k.made.cubin)
	}
	code := *k.code
	code.Assembled = fully
	if k.made.plain {
		code.Assembled = plainly
	}
	return code.Keep(StagePTX, k.made.ptx)
}

// byDriver returns the compiler of a context's driver as an assembler of a kernel.
func byDriver(c *driver.Context, kernel string) assembler {
	return func(ptx []byte, plain bool) (*assembled, error) {
		opts := driver.JITOptions{LineInfo: true, Verbose: true}
		if level := 1; plain {
			opts.OptLevel = &level
		}
		m, err := c.Load(ptx, opts)
		if err != nil {
			return nil, err
		}
		a := &assembled{module: m, ptx: ptx, plain: plain}
		f, err := m.Function(kernel)
		if err != nil {
			return a.drop(nil), err
		}
		a.use = use{f.Registers, f.LocalBytes}
		return a, nil
	}
}
