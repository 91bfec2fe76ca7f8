package dap

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// call is a function that is being executed, at a line.
type call struct {
	name string
	file string
	line int
}

// stop is a place at which the program can be looked at: before a line is executed.
type stop struct {
	frames []call // innermost first
	event  int    // values of the events before it exist
	depth  int    // of calls
}

// History is a recorded execution.
type History struct {
	trace *interp.Trace
	stops []stop
}

// NewHistory makes stops of a recording. The functions of the language's library have none.
func NewHistory(t *interp.Trace) *History {
	h := &History{trace: t}
	for i, e := range t.Events {
		if e.End {
			continue
		}
		s := stop{event: i, frames: framesOf(e), depth: len(e.Calls)}
		if len(s.frames) == 0 || len(h.stops) > 0 && sameLine(h.stops[len(h.stops)-1].frames, s.frames) {
			continue
		}
		h.stops = append(h.stops, s)
	}
	return h
}

// framesOf returns the functions that an operation is executed in; none for one of the library.
func framesOf(e interp.TraceEvent) (out []call) {
	file, line, ok := placeOf(e.Loc)
	if !ok || strings.Contains(file, "nereid/stdlib/") {
		return nil
	}
	out = append(out, call{e.Func, file, line})
	for i := len(e.Calls) - 1; i >= 0; i-- {
		if file, line, ok := placeOf(e.Calls[i]); ok {
			out = append(out, call{"", file, line})
		}
	}
	return out
}

func placeOf(l ir.Loc) (file string, line int, ok bool) {
	f := ir.FileLocOf(l)
	if f == nil || f.Line <= 0 {
		return "", 0, false
	}
	return f.File, f.Line, true
}

// sameLine reports whether two stops are at the same line of the same calls.
func sameLine(a, b []call) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].line != b[i].line || a[i].file != b[i].file {
			return false
		}
	}
	return true
}

// variables returns the values of names before a stop, in the order of their first appearance: those of the
// function that is executed, or of the one so many calls up, since it was called.
func (h *History) variables(at, up int) (out []interp.TraceValue) {
	s := h.stops[at]
	depth := max(0, s.depth-up)
	events := h.trace.Events[:s.event+1] // the first operation of a function begins with its arguments
	for i := len(events) - 1; i >= 0; i-- {
		if len(events[i].Calls) < depth {
			events = events[i:]
			break
		}
	}
	index := map[string]int{}
	for _, e := range events {
		if len(e.Calls) != depth {
			continue
		}
		for _, v := range e.Values {
			i, ok := index[v.Name]
			if !ok {
				i = len(out)
				index[v.Name], out = i, append(out, v)
			}
			out[i] = v
		}
	}
	return out
}

// reaches reports whether the program comes to a line.
func (h *History) reaches(file string, line int) bool {
	return slices.ContainsFunc(h.stops, func(s stop) bool {
		return s.frames[0].line == line && absolute(s.frames[0].file) == file
	})
}

// accesses returns those to memory of the line at a stop.
func (h *History) accesses(at int) []interp.TraceAccess {
	list := h.trace.Accesses
	find := func(event int) int {
		i, _ := slices.BinarySearchFunc(list, event,
			func(a interp.TraceAccess, e int) int { return a.Event - e })
		return i
	}
	end := len(list)
	if at+1 < len(h.stops) {
		end = find(h.stops[at+1].event)
	}
	return list[find(h.stops[at].event):end]
}
