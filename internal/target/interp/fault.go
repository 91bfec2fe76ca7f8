package interp

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Fault is the error that stopped a program of the grid.
type Fault struct {
	Kernel  string
	Program [3]int
	Element []int  // where in the tensor; nil when it is about no element
	Msg     string // what is wrong
	Loc     ir.Loc // location of the operation
	Op      string // its name
	Bug     bool   // the interpreter's fault, not the kernel's
	Arg     string // the name of the buffer that was accessed; "" if it has none, or if it is about no access
	Index   int64  // where in it, in elements as large as the accessed one
	Buffer  uint64 // the address from which Access counts, where there is one

	Uninit bool // a load of memory that nobody has written
	// the program that has stored at the same place, "(0, 0, 0)"; "" if it is about no race
	Race   string
	Access *stray.Access // out of bounds or misaligned; nil when it is about something else
}

// Error returns the place in the kernel's source, the message and the place in the grid, then the calls that
// led there.
//
//	softmax.py:14:9: out of bounds load of 4 bytes at offset 400 of buffer "x" (400 bytes), element (4, 0)
//	    tt.load in softmax_kernel, program (3, 0, 0)
//	    called at softmax.py:30:12
func (e *Fault) Error() string {
	var b strings.Builder
	places := ir.CallChain(e.Loc)
	if len(places) > 0 {
		b.WriteString(places[0] + ": ")
	}
	if e.Bug {
		b.WriteString("internal error: ")
	}
	b.WriteString(e.Msg)
	if e.Element != nil {
		b.WriteString(", element " + tuple(e.Element))
	}
	fmt.Fprintf(&b, "\n    %s in %s, program %s", e.Op, e.Kernel, tuple(e.Program[:]))
	for _, p := range places[min(1, len(places)):] {
		b.WriteString("\n    called at " + p)
	}
	return b.String()
}

func tuple(xs []int) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = fmt.Sprint(x)
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// Stray implements stray.Reporter.
func (e *Fault) Stray() *stray.Fault {
	f := &stray.Fault{Kernel: e.Kernel, Program: e.Program, Msg: e.Msg, Locs: ir.CallChain(e.Loc),
		Access: e.Access}
	switch {
	case e.Race != "":
		f.Explain = func(argument string, index int64) string {
			if e.Access.What == "load" {
				return fmt.Sprintf("race: load of index %d of %s, which program %s has stored", index,
					argument, e.Race)
			}
			return fmt.Sprintf("race: store to index %d of %s, where program %s has stored another value",
				index, argument, e.Race)
		}
	case e.Uninit:
		f.Explain = func(argument string, index int64) string {
			return fmt.Sprintf("load of index %d of %s, which nobody has written", index, argument)
		}
	}
	if e.Bug {
		f.Msg = "internal error: " + f.Msg
	}
	return f
}
