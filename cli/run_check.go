package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// checkNames are the checks of --check: what is not checked without one, and what a run without a finding
// shows.
var checkNames = []struct{ name, missing, clean string }{
	{"bounds", "", ""}, // the interpreter, which judges every run, always looks at them
	{"overflow", "overflow of indices", "no index overflows"},
	{"uninit", "reads of memory that nobody wrote", "no read of what nobody wrote"},
	{"races", "races between programs", "no two programs at odds"},
	{"nan", "NaN in results", ""}, // noNaN says what it found
}

// checks is the set of checks of a run.
type checks []string

// valid returns an error for a check that there is not.
func (c checks) valid() error {
	names := make([]string, len(checkNames))
	for i, n := range checkNames {
		names[i] = n.name
	}
	for _, name := range c {
		if !slices.Contains(names, name) {
			return usagef("there is no check %q: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

func (c checks) has(name string) bool { return slices.Contains(c, name) }

// interpreter returns an interpreter that makes these checks, and prints nothing.
func (c checks) interpreter() *interp.Device { return interp.NewDevice(c.options()) }

func (c checks) options() interp.DeviceOptions {
	return interp.DeviceOptions{
		Stdout: io.Discard, CheckUninit: c.has("uninit"), CheckRaces: c.has("races"),
		CheckOverflow: c.has("overflow") || knob.Checked.Get(),
	}
}

// open opens a device that makes as many of the checks as it can. The interpreter, which judges its results,
// makes all of them.
func (c checks) open(device string) (*nereid.Device, error) {
	if err := c.valid(); err != nil {
		return nil, err
	}
	if device == "" && (c.has("uninit") || c.has("races")) {
		device = "interp"
	}
	switch {
	case len(c) == 0:
		return nereid.OpenDevice(device)
	case jit.TraitsFor(device).Interprets:
		o := c.options()
		o.Stdout = nil // this one is the device, and its kernels print
		return core.NewDevice(interp.NewDevice(o)), nil
	}
	if c.has("races") {
		if err := os.Setenv(knob.CheckRaces.Name(), "1"); err != nil { // before devices are looked for
			return nil, err
		}
	}
	if c.has("bounds") || c.has("overflow") {
		return openBounds(device, c.has("bounds"))
	}
	return nereid.OpenDevice(device)
}

// clean says what was looked for and not found.
func (c checks) clean() string {
	text := "no access out of bounds"
	for _, n := range checkNames {
		if c.has(n.name) && n.clean != "" {
			text += ", " + n.clean
		}
	}
	return text
}

// missing says what was not looked for, and how to have it; "" if nothing is left.
func (c checks) missing(programs int) string {
	var what, names []string
	for _, n := range checkNames {
		if c.has(n.name) || n.missing == "" || n.name == "races" && programs < 2 {
			continue
		}
		what, names = append(what, n.missing), append(names, n.name)
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, ", ") + ": --check " + strings.Join(names, ",")
}

// suspect names what may make a result differ.
func (r *runner) suspect(c *replay.Case) (text string) {
	if c.ShortSums {
		text = "; it sums in fp16 or bf16, which rounds at each step, in an order of the device's own: " +
			"sum in fp32, x.to(tl.float32)"
	}
	if r.gridSize[0]*r.gridSize[1]*r.gridSize[2] > 1 && !r.flags.check.has("races") {
		text += "; if programs race, --check races shows where"
	}
	return text
}

// located returns the error of a launch. A GPU, or a process that died, does not say where a kernel went
// wrong: if the interpreter finds a fault in it, that says so, and the device's error follows.
func (r *runner) located(err error) error {
	for _, known := range []any{new(*nereid.Fault), new(*nereid.CompileError), new(*nereid.ArgumentError),
		new(*nereid.Refusal), new(*nereid.BudgetError)} {
		if errors.As(err, known) {
			return err
		}
	}
	var fault *nereid.Fault
	if _, judged := r.judged(); !errors.As(judged, &fault) {
		return err
	}
	return fmt.Errorf("%w\n    found by the interpreter; on %s: %s", fault, r.dev,
		strings.TrimPrefix(err.Error(), "nereid: "))
}

// openBounds opens a device that checks indices for overflow, and accesses if bounds is set: the CPU where
// nothing else is said.
func openBounds(device string, bounds bool) (*nereid.Device, error) {
	if err := os.Setenv(knob.Checked.Name(), "1"); err != nil { // before devices are looked for
		return nil, err
	}
	if device == "" {
		device = "cpu"
	}
	dev, err := nereid.OpenDevice(device)
	if err == nil && bounds && !core.Traits(dev).ChecksBounds {
		return nil, usagef("--check bounds is for cpu, interp, sim, cuda, not for %s", device)
	}
	return dev, err
}
