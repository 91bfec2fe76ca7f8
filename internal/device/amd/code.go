package amd

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
)

// StageCode is the form of the code that AMD's GPUs run: a code object.
const StageCode = "hsaco"

// Lanes returns the lanes of a wave of a chip, 0 for one that code is not made for.
func Lanes(name string) int {
	if c, ok := chip.HIP(name); ok {
		return c.WarpSize
	}
	return 0
}

// CheckChip returns an error for a chip that code is not made for.
func CheckChip(name string) error {
	if Lanes(name) == 0 {
		return fmt.Errorf("unknown chip %q (have %s)", name, strings.Join(chip.HIPNames(), ", "))
	}
	return nil
}

// Code describes a compiled kernel.
type Code struct {
	Name     string
	Chip     string
	Shared   int // bytes of dynamic shared memory
	NumWarps int
	Params   []int // sizes of the arguments in bytes

	Certify bool `json:",omitempty"` // floats are elements of a ring, which only the emulator has
}

// Facts returns what is known of the code.
func (k *Code) Facts() device.Facts {
	return device.Facts{
		Entry: k.Name, Warps: k.NumWarps, Threads: k.Lanes() * k.NumWarps, Cluster: 1, Shared: k.Shared,
		Params: k.Params,
	}
}

// Kept returns the description of a compiled kernel that is saved with its code object.
func Kept(c device.Code) (*Code, error) {
	k := &Code{}
	if err := json.Unmarshal(c.Meta, k); err != nil {
		return nil, err
	}
	if k.Name == "" || k.NumWarps <= 0 || k.Lanes() == 0 {
		return nil, errors.New("the kernel's description is not complete")
	}
	return k, nil
}

// Lanes returns the lanes of a wave of the kernel's chip.
func (k *Code) Lanes() int { return Lanes(k.Chip) }

// Runs returns nil if a chip runs code of a stage that was compiled for a machine.
func Runs(chip, stage, machine string) error {
	if stage != StageCode || machine != chip {
		return fmt.Errorf("%s runs its own code objects, not %s for %s", chip, stage, machine)
	}
	return nil
}

// Runs returns nil if the GPU runs code of a stage that was compiled for a machine.
func (d *Device) Runs(stage, machine string) error { return Runs(d.Chip, stage, machine) }

// Machine returns the chip, which alone runs its code.
func (d *Device) Machine() string { return d.Chip }
