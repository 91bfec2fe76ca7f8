package jit

import (
	"io"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// InterpOptions says how an interpreter runs kernels. Accesses out of bounds, misaligned accesses and failed
// assertions are always errors.
type InterpOptions struct {
	// CheckUninit makes it an error to load memory that was never written. A tensor made by NewTensor is such
	// memory until it is written.
	CheckUninit bool
	// CheckRaces makes it an error if two programs store different values to the same address, or if one
	// loads what another has stored, unless atomics order them. Programs then run one after another.
	CheckRaces bool
	// CheckOverflow makes it an error if a sum, difference or product of less than 64 bits wraps around on
	// its way to an address.
	CheckOverflow bool

	IEEE     bool      // compute products of fp32 in full precision even if the kernel allows tf32
	Workers  int       // goroutines that run programs; 0 means one for each core
	MaxSteps int64     // operations that a program may execute; 0 means no limit
	Stdout   io.Writer // output of tl.device_print; nil means where PrintTo says
}

// NewInterpreter returns an interpreter with its own options, separate from the device "interp" that
// OpenDevice returns.
func NewInterpreter(o InterpOptions) *core.Device {
	return core.NewDevice(interp.NewDevice(interp.DeviceOptions(o)))
}

func newInterp() target.Backend {
	return interp.NewDevice(interp.DeviceOptions{
		CheckOverflow: knob.Checked.Get(), CheckRaces: knob.CheckRaces.Get(),
		CheckUninit: knob.CheckUninit.Get(),
	})
}
