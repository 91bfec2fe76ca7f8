package cpu

import (
	"fmt"

	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
)

// Fingerprint names what native code depends on: the processor and its features, LLVM, and the compiler's
// options. It is "" without LLVM.
func (d *Device) Fingerprint() string {
	h, err := d.host()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %s llvm %s check %v lines %v tiles %v vector %d",
		h.target.Triple, h.target.CPU, h.target.Features, h.lib.Version(), d.Check, d.Compiler.Lines,
		devcpu.Tiles(), d.vector)
}

// Generator names what code compiled without a device depends on.
func (c Compiler) Generator() string {
	lib, err := c.library()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s llvm %s check %v lines %v", c.Machine(), lib.Version(), c.Check, c.Lines)
}

// Located reports whether code contains source positions.
func (d *Device) Located() bool { return d.Check || d.Compiler.Lines }
