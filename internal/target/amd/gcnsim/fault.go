package gcnsim

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// Fault is the error that stopped a kernel.
type Fault struct {
	Kernel  string
	Program [3]int
	Wave    int // wave of the workgroup
	Lane    int // lane of the wave, -1 where the fault is the whole wave's
	Msg     string
	Race    bool          // two accesses to memory that nothing orders
	Wait    bool          // a register is used before a wait for it
	Other   gcn.Place     // the other of two accesses that nothing orders
	Access  *stray.Access // to global memory; nil when it is about something else

	Addr  uint64 // address of the instruction in the code object
	Text  string // the instruction
	Place gcn.Place
}

func (f *Fault) Error() string {
	place := ""
	if f.Place.Line > 0 {
		place = fmt.Sprintf(" (%s:%d:%d)", f.Place.File, f.Place.Line, f.Place.Column)
	}
	lane := ""
	if f.Lane >= 0 {
		lane = fmt.Sprintf(" lane %d", f.Lane)
	}
	return fmt.Sprintf("gcnsim: %s: workgroup %v wave %d%s: %#x%s: %s: %s", f.Kernel, f.Program, f.Wave, lane,
		f.Addr,
		place, f.Text, f.Msg)
}

// fault stops a wave: it is thrown by an instruction and caught in group.step.
type fault struct {
	lane       int
	msg        string
	race, wait bool
	other      int // the step of another access, and 1
	access     *stray.Access
}

// fail stops the wave.
func (w *wave) fail(lane int, format string, args ...any) {
	panic(&fault{lane: lane, msg: fmt.Sprintf(format, args...)})
}

func argName(i int) string { return fmt.Sprintf("argument %d", i) }

// place returns the line of the step whose number and 1 is given, nothing for 0.
func (r *run) place(w *wave, step int) gcn.Place {
	if step == 0 {
		return gcn.Place{}
	}
	return r.m.Object.Place(w.p.steps[step-1].in.Addr)
}

// Stray implements stray.Reporter.
func (f *Fault) Stray() *stray.Fault {
	out := &stray.Fault{Kernel: f.Kernel, Program: f.Program, Msg: f.Msg, Access: f.Access}
	if f.Place.File != "" {
		out.Locs = []string{fmt.Sprintf("%s:%d:%d", f.Place.File, f.Place.Line, f.Place.Column+1)}
	}
	return out
}
