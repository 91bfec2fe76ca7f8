package ptxsim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/device/stray"
)

// Fault is the error that stopped a kernel.
type Fault struct {
	Kernel  string
	Program [3]int // position in the grid, in programs: a cluster of blocks is one
	Block   [3]int
	Thread  int
	Msg     string
	Other   int           // the other thread of a race
	Race    bool          // another access that nothing orders
	Access  *stray.Access // to global memory; nil when it is about something else

	PTXLine int
	PTX     string // the instruction

	// The place in the kernel's file; File is "" and Line 0 if the code says no lines.
	File         string
	Line, Column int // from 1
}

func (f *Fault) Error() string {
	place := ""
	if f.Line > 0 {
		place = fmt.Sprintf(" (%s:%d:%d)", f.File, f.Line, f.Column)
	}
	return fmt.Sprintf("ptxsim: %s: block %v thread %d: line %d%s: %s: %s", f.Kernel, f.Block, f.Thread,
		f.PTXLine, place, f.PTX, f.Msg)
}

// faultOf returns the error of a fault in a cluster of so many blocks.
func (m *Module) faultOf(l *Launch, x *fault, cluster int) *Fault {
	in := &m.code[x.block.at]
	f := &Fault{Kernel: l.Kernel, Block: x.block.id, Thread: int(x.thread), Msg: x.msg, Race: x.race,
		Other: int(x.other), Access: x.access, PTXLine: in.line, PTX: in.text}
	f.Program = f.Block
	f.Program[0] /= cluster
	f.File, f.Line, f.Column = m.place(in.loc)
	return f
}

// place returns the place that a directive names: ".loc 1 12 9", with a tail for inlined functions.
func (m *Module) place(loc string) (file string, line, column int) {
	words := strings.Fields(loc)
	if len(words) < 4 {
		return "", 0, 0
	}
	line, _ = strconv.Atoi(words[2])
	column, _ = strconv.Atoi(words[3])
	return m.files[words[1]], line, column
}

// where names an instruction: its line in the PTX and, if the code says it, its place in the kernel's file.
func (m *Module) where(at int32) string {
	in := &m.code[at]
	if file, line, column := m.place(in.loc); line > 0 {
		return fmt.Sprintf("line %d, %s:%d:%d", in.line, file, line, column+1) // PTX counts columns from 0
	}
	return fmt.Sprintf("line %d", in.line)
}

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// assertion matches the message of a failed assertion in GPU code.
var assertion = regexp.MustCompile("Assertion `(?s:(.*))` failed")

// Stray implements stray.Reporter.
func (f *Fault) Stray() *stray.Fault {
	out := &stray.Fault{Kernel: f.Kernel, Program: f.Program, Msg: f.Msg, Access: f.Access}
	if f.File != "" { // columns count from 0 in PTX, as Triton's do
		out.Locs = []string{fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column+1)}
	}
	if m := assertion.FindStringSubmatch(f.Msg); m != nil {
		out.Msg = "assertion failed: " + m[1]
	}
	if f.Race {
		out.Explain = func(argument string, index int64) string {
			return fmt.Sprintf("race: thread %d and thread %d access index %d of %s, and no barrier lies "+
				"between", f.Other, f.Thread, index, argument)
		}
	}
	return out
}
