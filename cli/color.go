package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
)

// Colours of a terminal.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	plain  = "\x1b[0m"
)

// paints says what is coloured of a line: the part that the expression's group matches.
var paints = []struct {
	line  *regexp.Regexp
	color string
}{
	{regexp.MustCompile(`^\s+(\^~*)\s*$`), green}, // carets
	// diagnostics
	{regexp.MustCompile(`^\S+:\d+:\d+: (error):`), red},
	{regexp.MustCompile(`^\S+:\d+:\d+: (warning|note|remark):`), yellow}, //
	{regexp.MustCompile(`^(\S+:\d+:\d+):`), bold},                        //
	{regexp.MustCompile(`^nereid: (?:warning: )?(internal error)`), red}, //
	{regexp.MustCompile(`^(FAIL|fail)\b`), red},                          // lists
	{regexp.MustCompile(`^(ok) \S`), green},                              //
	{regexp.MustCompile(`^check +(ok)\b`), green},                        // run
	{regexp.MustCompile(`\b(FAILED)\b`), red},                            //
	{regexp.MustCompile(`^(not checked .*)`), faint},                     //
	// the config that a tuning chose
	{regexp.MustCompile(`^(\* .*)`), green},
	{regexp.MustCompile(`\d\.\d\d +(ok)$`), green},   // ratios
	{regexp.MustCompile(`(\d+\.\d\d +short)$`), red}, //
	// heads of tables
	{regexp.MustCompile(`^(KEY +SIZE.*|kernel +(?:first launch|size).*|file +times.*)$`), bold},
}

// painter colours the lines that are written to a terminal. A table is aligned before it comes here.
type painter struct {
	w    io.Writer
	line []byte // not ended yet
}

// painted returns a writer that colours what goes to w, if colours are wanted there: on a terminal, unless
// NO_COLOR is set, or anywhere if CLICOLOR_FORCE is. flush writes a line without an end.
func painted(w io.Writer) (out io.Writer, flush func()) {
	if !colors(w) {
		return w, func() {}
	}
	p := &painter{w: w}
	return p, p.flush
}

// unpainted returns the writer below a painter, for output that no person reads.
func unpainted(w io.Writer) io.Writer {
	if p, ok := w.(*painter); ok {
		return p.w
	}
	return w
}

// colors follows no-color.org and bixense.com/clicolors.
func colors(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if f := os.Getenv("CLICOLOR_FORCE"); f != "" && f != "0" {
		return true
	}
	return terminal(w) != nil && os.Getenv("TERM") != "dumb"
}

func (p *painter) Write(data []byte) (int, error) {
	n := len(data)
	if len(p.line) == 0 && bytes.IndexByte(data, '\r') >= 0 { // a line of progress
		return p.w.Write(data)
	}
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			p.line = append(p.line, data...)
			return n, nil
		}
		p.line = append(p.line, data[:i]...)
		line := append(paint(p.line), '\n')
		p.line = p.line[:0]
		if _, err := p.w.Write(line); err != nil {
			return 0, err
		}
		data = data[i+1:]
	}
}

func (p *painter) flush() {
	if len(p.line) > 0 {
		p.w.Write(p.line)
		p.line = nil
	}
}

// paint colours a line. Parts that are coloured already are left alone.
func paint(line []byte) []byte {
	if len(line) > 4096 || bytes.IndexByte(line, '\x1b') >= 0 {
		return bytes.Clone(line)
	}
	type part struct {
		from, to int
		color    string
	}
	var parts []part
	for _, rule := range paints {
		at := rule.line.FindSubmatchIndex(line)
		if at == nil {
			continue
		}
		parts = append(parts, part{at[2], at[3], rule.color})
	}
	out := bytes.Clone(line)
	for len(parts) > 0 { // the last first, so that places stay right
		last := 0
		for i, p := range parts {
			if p.from > parts[last].from {
				last = i
			}
		}
		p := parts[last]
		out = append(out[:p.from:p.from], append([]byte(p.color+string(line[p.from:p.to])+plain),
			out[p.to:]...)...)
		kept := parts[:0]
		for i, q := range parts {
			if i != last && q.to <= p.from {
				kept = append(kept, q)
			}
		}
		parts = kept
	}
	return out
}
