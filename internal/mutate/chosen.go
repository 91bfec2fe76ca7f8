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
	for _, t := range c.tests {
		f.run = append(f.run, testArgs(t))
	}
	return f, nil
}

// testArgs returns the arguments of go test for PACKAGE or PACKAGE=PATTERN.
func testArgs(text string) []string {
	pkg, pattern, ok := strings.Cut(text, "=")
	if !ok {
		return []string{pkg}
	}
	return []string{"-run", pattern, pkg}
}
