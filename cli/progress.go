package cli

import (
	"fmt"
	"io"
	"time"
)

// progress shows on a terminal how far a command is, once it takes longer than a second. Elsewhere it writes
// nothing.
type progress struct {
	out   io.Writer // nil where nothing is shown
	total int
	count int
	begun time.Time
	shown bool
}

// newProgress returns the progress of so many steps on an output.
func newProgress(out io.Writer, total int) *progress {
	p := &progress{total: total, begun: time.Now()}
	if terminal(out) != nil {
		p.out = out
	}
	return p
}

// step says what is done next.
func (p *progress) step(what string) {
	p.count++
	if p.out == nil || time.Since(p.begun) < progressAfter {
		return
	}
	left := ""
	if p.count > 1 && p.total > 0 {
		rest := time.Since(p.begun) / time.Duration(p.count-1) * time.Duration(p.total-p.count+1)
		left = ", " + timeText(rest) + " left"
	}
	if len(what) > 60 {
		what = what[:57] + "..."
	}
	p.shown = true
	fmt.Fprintf(p.out, "\r\x1b[K%d of %d%s: %s", p.count, p.total, left, what)
}

// progressAfter is how long a command is silent.
const progressAfter = time.Second

// done removes the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
