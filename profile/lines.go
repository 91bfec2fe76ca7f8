package profile

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Line is a row of the table of lines: how long the processors of the host were in the code of one.
type Line struct {
	Kernel  string // symbol of the native function
	File    string // "" for code that belongs to no line
	Line    int
	Samples int           // times that a thread was found there
	Time    time.Duration // of processors: that of several threads at once is several times as much
	Share   float64       // of the time of all lines, 0 to 1
}

// Lines returns the table of lines, that with the most time first. Processes of one recording are summed up.
func (t *Trace) Lines() []Line {
	type key struct {
		process      int
		kernel, file string
		line         int
	}
	last := map[key]*Event{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Phase == "M" && e.Name == "nereid_line" { // each has the sum since the beginning
			last[key{e.Process, e.text("kernel"), e.text("file"), int(e.number("line"))}] = e
		}
	}
	rows := map[key]*Line{}
	all := 0
	for k, e := range last {
		k.process = 0
		if rows[k] == nil {
			rows[k] = &Line{Kernel: k.kernel, File: k.file, Line: k.line}
		}
		rows[k].Samples += int(e.number("samples"))
		rows[k].Time += time.Duration(e.number("ns"))
		all += int(e.number("samples"))
	}
	var out []Line
	for _, r := range rows {
		r.Share = ratio(float64(r.Samples), float64(all))
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Kernel, b.Kernel),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// mostLines bounds the table of lines that is printed.
const mostLines = 40

// writeLines writes the table of lines, if there are some.
func (t *Trace) writeLines(p *printer) {
	rows := t.Lines()
	if len(rows) > 0 {
		p.printf("%-36s %-28s %9s %11s %7s\n", "line, on the CPU", "place", "samples", "ms", "share")
	}
	for i, r := range rows {
		if i == mostLines {
			p.printf("and %d lines with less\n", len(rows)-i)
			break
		}
		place := "(no line)"
		if r.Line > 0 {
			place = filepath.Base(r.File) + ":" + strconv.Itoa(r.Line)
		}
		p.printf("%-36s %-28s %9d %11.3f %6.1f%%\n", r.Kernel, place, r.Samples, millis(r.Time), 100*r.Share)
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Name == "nereid_lines_refused" {
			p.printf("no lines: %s\n", e.text("why"))
		}
	}
}
