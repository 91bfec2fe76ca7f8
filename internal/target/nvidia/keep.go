package nvidia

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// Fingerprint names what PTX depends on: the architecture, LLVM, the newest allowed version of PTX, and
// whether products use wgmma, descriptors become tensor maps, and indices are checked.
func (c Compiler) Fingerprint(maxPTX int) string {
	v, err := llvm.Installed()
	if err != nil {
		return ""
	}
	return c.fingerprint(v.String(), maxPTX)
}

// Generator names what code compiled without a device depends on.
func (c Compiler) Generator() string { return c.Fingerprint(0) }

func (c Compiler) fingerprint(version string, maxPTX int) string {
	also := ""
	if c.warpGroups() {
		also += " wgmma"
	}
	if c.tensorMaps() {
		also += " tma"
	}
	if checked() {
		also += " check"
	}
	return fmt.Sprintf("%s llvm %s ptx %d%s", c.Arch(), version, maxPTX, also)
}

// Located reports that code contains source positions: PTX has line information, as Triton's has.
func (Compiler) Located() bool { return true }

// Keep returns the code as data in the form of stage.
func (k *Code) Keep(stage string, data []byte) (target.Code, error) {
	rest := *k
	rest.PTX = nil
	meta, err := json.Marshal(rest)
	return target.Code{Stage: stage, Data: data, Meta: meta}, err
}

// Kept returns the code that Keep saved, without its PTX.
func Kept(c target.Code) (*Code, error) {
	k := &Code{}
	if err := json.Unmarshal(c.Meta, k); err != nil {
		return nil, err
	}
	if k.Name == "" || k.NumWarps <= 0 {
		return nil, fmt.Errorf("the kernel's description is not complete")
	}
	return k, errors.Join(k.checkMaps(), k.checkCheck())
}

// stageCubin is the stage in which a GPU's code is saved. The driver's compiler makes it, so the driver is
// part of the fingerprint.
const stageCubin = "cubin"

// stagePTX is the stage in which code is saved without a GPU.
const stagePTX = "ptx"

// Fingerprint names what a cubin depends on.
func (d *Device) Fingerprint() string {
	made := d.Compiler.Fingerprint(llvm.DriverPTX(d.dev.Driver().Version()))
	if made == "" {
		return ""
	}
	return made + d.assembler()
}

// assembler returns the driver's part of a fingerprint.
func (d *Device) assembler() string {
	return fmt.Sprintf(" cubin of driver %d", d.dev.Driver().Version())
}

// Adopts reports whether a fingerprint is that of this device except for LLVM's version.
func (d *Device) Adopts(fingerprint string) bool {
	before, after, _ := strings.Cut(d.fingerprint("\n", llvm.DriverPTX(d.dev.Driver().Version()))+d.assembler(), "\n")
	return strings.HasPrefix(fingerprint, before) && strings.HasSuffix(fingerprint, after)
}

// Restore loads a cubin, or PTX that was compiled without a GPU.
func (d *Device) Restore(_ context.Context, _ string, c target.Code) (target.Executable, error) {
	code, err := Kept(c)
	if err != nil {
		return nil, err
	}
	switch c.Stage {
	case stageCubin:
		k, err := d.loadImage(code, c.Data)
		if err == nil {
			k.(*kernel).cubin = c.Data
		}
		return k, err
	case stagePTX:
		code.PTX = c.Data
		return d.load(code)
	}
	return nil, fmt.Errorf("%s is neither a cubin nor PTX", c.Stage)
}

// Code returns the kernel's cubin.
func (k *kernel) Code() (target.Code, error) {
	if k.cubin == nil {
		return target.Code{}, fmt.Errorf("%s was loaded as PTX", k.code.Name)
	}
	return k.code.Keep(stageCubin, k.cubin)
}

// assemble returns the cubin of a kernel, or nil if the driver cannot make one; then the PTX is loaded.
func (d *Device) assemble(c *driver.Context, code *Code) []byte {
	cubin, err := d.assembleBest(code, func(ptx []byte, plain bool) ([]byte, string, error) {
		opts := driver.JITOptions{LineInfo: true, Verbose: true}
		if level := 1; plain {
			opts.OptLevel = &level
		}
		cubin, log, err := c.Assemble(ptx, opts)
		if err == nil && callsOut(ptx, cubin) {
			err = errCallsOut
		}
		return cubin, log, err
	})
	if err != nil {
		return nil
	}
	return cubin
}
