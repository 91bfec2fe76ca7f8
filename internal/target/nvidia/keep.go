package nvidia

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/rules"
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
	if c.turns() {
		also += " turns"
	}
	if t := knob.Tiles.Get(); c.tensorMaps() && c.warpGroups() && t != "off" {
		also += " tiles " + t
	}
	if t := knob.TileStores.Get(); c.tensorMaps() && c.warpGroups() && t != "off" {
		also += " stores " + t
	}
	if m := knob.Merge.Get(); m != "auto" {
		also += " merge " + m
	}
	if c.deepens() {
		also += " deeper"
	}
	if c.turns() && !knob.NoPersist.Get() {
		also += " persist"
	}
	if !knob.NoUniform.Get() {
		also += " uniform"
	}
	if c.warpGroups() && knob.CopyFences.Get() {
		also += " copy fences"
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

// stageCubin is the stage in which code is saved if ptxas made it.
const stageCubin = "cubin"

// stagePTX is the stage in which code is saved without a GPU, or if the driver's compiler made it: that
// compiles whole programs only when it loads them, and does not give the result away. It keeps it for itself
// on disk.
const stagePTX = "ptx"

// Values of Code.Assembled.
const (
	fully   = "fully"
	plainly = "plainly" // with fewer optimizations
)

// Fingerprint names what code depends on.
func (d *Device) Fingerprint() string {
	a := d.assembler()
	made := d.Compiler.Fingerprint(a.maxPTX)
	if made == "" {
		return ""
	}
	return made + a.name
}

// assembling describes the assembler of a device's kernels.
type assembling struct {
	name   string // as part of a fingerprint
	maxPTX int    // the newest PTX that it reads
	ptxas  bool   // ptxas assembles, not the driver
}

// assembles returns the assembler of a device with a driver of that version: ptxas if the environment names
// one, or else the driver's compiler.
func assembles(driverVersion int) assembling {
	if !knob.PTXAS.IsSet() {
		return assembling{name: fmt.Sprintf(" by driver %d", driverVersion),
			maxPTX: llvm.DriverPTX(driverVersion)}
	}
	version, err := AssemblerVersion(context.Background())
	var major, minor int
	if err == nil {
		_, err = fmt.Sscanf(version, "ptxas %d.%d", &major, &minor)
	}
	if err != nil { // which the first compilation will say
		return assembling{ptxas: true}
	}
	return assembling{" by " + version, llvm.DriverPTX(min(driverVersion, 1000*major+10*minor)), true}
}

// Adopts reports whether a fingerprint is that of this device except for LLVM's version.
func (d *Device) Adopts(fingerprint string) bool {
	a := d.assembler()
	before, after, _ := strings.Cut(d.fingerprint("\n", a.maxPTX)+a.name, "\n")
	return strings.HasPrefix(fingerprint, before) && strings.HasSuffix(fingerprint, after)
}

// Restore loads a cubin, PTX that was compiled without a GPU, or PTX that a GPU has assembled before.
func (d *Device) Restore(ctx context.Context, _ string, c target.Code) (target.Executable, error) {
	code, err := Kept(c)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Stage == stageCubin:
		return d.loaded(code, &assembled{cubin: c.Data})
	case c.Stage != stagePTX:
		return nil, fmt.Errorf("%s is neither a cubin nor PTX", c.Stage)
	}
	code.PTX = c.Data
	if code.Assembled == "" {
		return d.load(ctx, code)
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
func (k *kernel) Code() (target.Code, error) {
	if k.made.cubin != nil {
		return k.code.Keep(stageCubin, k.made.cubin)
	}
	code := *k.code
	code.Assembled = fully
	if k.made.plain {
		code.Assembled = plainly
	}
	return code.Keep(stagePTX, k.made.ptx)
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
		a := &assembled{module: m, ptx: ptx, plain: plain, log: m.Log}
		f, err := m.Function(kernel)
		if err != nil {
			return a.drop(nil), err
		}
		a.use = use{f.Registers, f.LocalBytes}
		return a, nil
	}
}
