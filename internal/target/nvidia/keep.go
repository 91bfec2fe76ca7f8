package nvidia

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
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
	if c.pingPong() {
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
	if c.pingPong() && !knob.NoPersist.Get() {
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

// Fingerprint names what code depends on.
func (d *Device) Fingerprint() string {
	made := d.Compiler.Fingerprint(d.maxPTX())
	if made == "" {
		return ""
	}
	return made + d.Assembler().Name
}

// Portable names what code depends on that was compiled for the GPU's architecture without a driver.
func (d *Device) Portable() string { return d.Compiler.Fingerprint(0) }

// Adopts reports whether a fingerprint is that of this device, or of code compiled without a driver, except
// for LLVM's version.
func (d *Device) Adopts(fingerprint string) bool {
	here := d.fingerprint("\n", d.maxPTX()) + d.Assembler().Name
	for _, own := range []string{here, d.fingerprint("\n", 0)} {
		before, after, _ := strings.Cut(own, "\n")
		if strings.HasPrefix(fingerprint, before) && strings.HasSuffix(fingerprint, after) {
			return true
		}
	}
	return false
}
