package filecheck

import (
	"fmt"
	"slices"
	"strings"
)

// matcher is one run of a script: the input, and what has been captured so far. All positions are offsets
// in input.
type matcher struct {
	input string
	vars  map[string]string
}

// span is a part of the input.
type span struct{ start, end int }

// Match runs the script on an input.
func (s *Script) Match(input string) error {
	m := &matcher{input: canonical(input), vars: map[string]string{}}
	if m.input == "" {
		return &Error{Msg: "the input is empty"}
	}
	// Labels are found first, each after the one before; what lies between two of them is a block of its own.
	block := span{0, 0}
	for first := 0; first < len(s.steps); {
		last := first
		for s.steps[last].kind != label && s.steps[last].kind != end {
			last++
		}
		at, err := m.find(s.steps[last].directive, span{block.end, len(m.input)})
		if err != nil {
			return err
		}
		block = span{block.end, at.end}
		if err := m.block(s.steps[first:last+1], block); err != nil {
			return err
		}
		first = last + 1
	}
	return nil
}

// block matches the steps of one block, the label that ends it included, one after the other.
func (m *matcher) block(steps []step, block span) error {
	for _, st := range steps {
		at, err := m.step(st, block)
		if err != nil {
			return err
		}
		block.start = at.end
	}
	return nil
}

// step matches one directive after the CHECK-DAG lines before it, and sees to the CHECK-NOT lines.
func (m *matcher) step(st step, region span) (span, error) {
	after, nots, err := m.dags(st.before, region)
	if err != nil {
		return span{}, err
	}
	at, err := m.find(st.directive, span{after, region.end})
	if err != nil {
		return span{}, err
	}
	skipped := span{after, at.start}
	if err := m.lines(st.directive, skipped); err != nil {
		return span{}, err
	}
	if err := m.nots(nots, skipped); err != nil {
		return span{}, err
	}
	for range st.times - 1 {
		again, err := m.find(st.directive, span{at.end, region.end})
		if err != nil {
			return span{}, err
		}
		at.end = again.end
	}
	return at, nil
}

// lines checks how many lines lie between the previous match and this one.
func (m *matcher) lines(d directive, skipped span) error {
	n := strings.Count(m.input[skipped.start:skipped.end], "\n")
	switch {
	case d.kind == same && n != 0:
		return m.errorf(d, skipped.end, "is not on the same line as the previous match")
	case (d.kind == next || d.kind == empty) && n == 0:
		return m.errorf(d, skipped.end, "is on the same line as the previous match")
	case (d.kind == next || d.kind == empty) && n > 1:
		return m.errorf(d, skipped.end, "is not on the line after the previous match")
	}
	return nil
}

// dags matches groups of CHECK-DAG lines, which CHECK-NOT lines part. It returns where the last group ends
// and the CHECK-NOT lines after it.
func (m *matcher) dags(list []directive, region span) (after int, nots []directive, err error) {
	after = region.start
	for len(list) > 0 {
		if list[0].kind == not {
			nots, list = append(nots, list[0]), list[1:]
			continue
		}
		n := 0
		for n < len(list) && list[n].kind == dag {
			n++
		}
		group, err := m.group(list[:n], span{after, region.end})
		if err != nil {
			return 0, nil, err
		}
		if err := m.nots(nots, span{after, group.start}); err != nil {
			return 0, nil, err
		}
		after, nots, list = group.end, nil, list[n:]
	}
	return after, nots, nil
}

// group matches CHECK-DAG lines anywhere in the region but not over one another, and returns the part of
// the input that they span.
func (m *matcher) group(list []directive, region span) (span, error) {
	var taken []span // in order
	for _, d := range list {
		search := region
		i := 0
		for {
			at, err := m.find(d, search)
			if err != nil {
				return span{}, err
			}
			for i < len(taken) && at.start >= taken[i].end {
				i++
			}
			if i == len(taken) || taken[i].start >= at.end {
				taken = slices.Insert(taken, i, at)
				break
			}
			search.start = taken[i].end
		}
	}
	return span{taken[0].start, taken[len(taken)-1].end}, nil
}

// nots checks that none of the directives matches in a part of the input.
func (m *matcher) nots(list []directive, region span) error {
	for _, d := range list {
		start, _, err := d.pat.find(m.input[region.start:region.end], m.vars)
		if err == nil {
			return m.errorf(d, region.start+start, "matches, and must not")
		}
		if err != errNoMatch {
			return m.searched(d, region.start, err.Error())
		}
	}
	return nil
}

// find looks for a directive in a part of the input.
func (m *matcher) find(d directive, region span) (span, error) {
	text := m.input[region.start:region.end]
	switch d.kind {
	case end:
		return span{region.end, region.end}, nil
	case empty:
		for i := range len(text) {
			if text[i] == '\n' && (i+1 == len(text) || text[i+1] == '\n') {
				at := region.start + i + 1
				return span{at, at}, nil
			}
		}
		return span{}, m.searched(d, region.start, "finds no empty line")
	}
	start, stop, err := d.pat.find(text, m.vars)
	if err != nil {
		return span{}, m.searched(d, region.start, err.Error())
	}
	return span{region.start + start, region.start + stop}, nil
}

// searched is an error of a directive that was looked for from a place in the input on.
func (m *matcher) searched(d directive, from int, msg string) *Error {
	err := m.errorf(d, from, msg)
	err.InputNote = "the search began here"
	for _, pc := range d.pat.pieces {
		if value, known := m.vars[pc.name]; known && pc.kind == use {
			err.InputNote += fmt.Sprintf(", %s is %q", pc.name, value)
		}
	}
	return err
}

// errorf is an error of a directive at a place in the input.
func (m *matcher) errorf(d directive, at int, msg string) *Error {
	err := d.errorf(msg)
	start := strings.LastIndexByte(m.input[:at], '\n') + 1
	err.InputNote = "here"
	err.InputLine = strings.Count(m.input[:at], "\n") + 1
	err.InputText, _, _ = strings.Cut(m.input[start:], "\n")
	return err
}
