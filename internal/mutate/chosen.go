package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// readChosen reads faults that somebody chose:
//
//	# text that says what breaks
//	internal/lower/barrier.go
//	-the text that is replaced, which the file has once
//	+the text in its place
//	& ./internal/lower=TestBarriers ./internal/conform
//
// Lines with - and + may be several, or there is no +. The last line names the tests to run in turn, instead
// of those that go by the fault's package. A fault whose text is gone is named and left out.
func readChosen(name string) (list []fault, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for _, c := range parseChosen(string(data)) {
		f, err := c.fault()
		if err != nil { // the code has changed since
			fmt.Printf("stale: %s:%d: %v\n", name, c.line, err)
			continue
		}
		list = append(list, f)
	}
	return list, nil
}

// chosen is a fault of a list.
type chosen struct {
	line    int // of the list, where the fault ends
	file    string
	old, by []string
	tests   []string
}

// parseChosen reads a list of faults.
func parseChosen(text string) (list []chosen) {
	var c chosen
	for i, line := range strings.Split(text, "\n") {
		switch mark, text := line[:min(1, len(line))], line[min(1, len(line)):]; mark {
		case "", "#":
		case "-":
			c.old = append(c.old, text)
		case "+":
			c.by = append(c.by, text)
		case "&":
			c.line, c.tests = i+1, strings.Fields(text)
			list, c = append(list, c), chosen{}
		default:
			c.file = line
		}
	}
	return list
}

// fault finds the place of a chosen fault in its file.
func (c chosen) fault() (f fault, err error) {
	src, err := os.ReadFile(c.file)
	if err != nil {
		return f, err
	}
	old := strings.Join(c.old, "\n")
	if n := bytes.Count(src, []byte(old)); n != 1 || old == "" {
		return f, fmt.Errorf("%s has the text %d times, not once: %s", c.file, n, clip(old))
	}
	at := bytes.Index(src, []byte(old))
	f = fault{file: c.file, src: src, line: 1 + bytes.Count(src[:at], []byte("\n")), start: at,
		end: at + len(old), by: strings.Join(c.by, "\n")}
	f.trim()
	for _, t := range c.tests {
		f.run = append(f.run, testArgs(t))
	}
	return f, nil
}

// trim leaves out what a fault does not change of the text that it replaces, which may begin or end outside
// of its function.
func (f *fault) trim() {
	old := string(f.src[f.start:f.end])
	for f.by != "" && old != "" && old[0] == f.by[0] {
		old, f.by, f.start = old[1:], f.by[1:], f.start+1
	}
	for f.by != "" && old != "" && old[len(old)-1] == f.by[len(f.by)-1] {
		old, f.by, f.end = old[:len(old)-1], f.by[:len(f.by)-1], f.end-1
	}
	f.line = 1 + bytes.Count(f.src[:f.start], []byte("\n"))
}

// testArgs returns the arguments of go test for PACKAGE or PACKAGE=PATTERN.
func testArgs(text string) []string {
	pkg, pattern, ok := strings.Cut(text, "=")
	if !ok {
		return []string{pkg}
	}
	return []string{"-run", pattern, pkg}
}

// listed returns a fault as an entry of a list: the lines that it changes, with lines around them until the
// file has the text once.
func (f *fault) listed() string {
	src := string(f.src)
	start, end := lineAround(src, f.start, f.end)
	for strings.Count(src, src[start:end]) > 1 && (start > 0 || end < len(src)) {
		start, end = lineAround(src, max(0, start-1), min(len(src), end+1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n%s\n", f, f.file)
	mark := func(sign, text string) {
		for _, line := range strings.Split(text, "\n") {
			fmt.Fprintf(&b, "%s%s\n", sign, line)
		}
	}
	mark("-", src[start:end])
	mark("+", src[start:f.start]+f.by+src[f.end:end])
	b.WriteString("&")
	for _, args := range f.tests() {
		b.WriteString(" " + args[len(args)-1])
		if len(args) > 1 {
			b.WriteString("=" + args[1])
		}
	}
	return b.String() + "\n"
}

// lineAround returns the whole lines that a part of a text is in, without the last line's end.
func lineAround(src string, start, end int) (from, to int) {
	from = 1 + strings.LastIndexByte(src[:start], '\n')
	to = len(src)
	if i := strings.IndexByte(src[end:], '\n'); i >= 0 {
		to = end + i
	}
	return from, to
}
