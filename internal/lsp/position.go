package lsp

import (
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// Position is a place in a document: line and column from 0, the column in UTF-16 code units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a part of a document; End is behind it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// lines has the offsets at which the lines of a text begin.
type lines struct {
	text  string
	start []int
}

func newLines(text string) *lines {
	l := &lines{text: text, start: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			l.start = append(l.start, i+1)
		}
	}
	return l
}

// position returns the position of an offset.
func (l *lines) position(offset int) Position {
	offset = max(0, min(offset, len(l.text)))
	i := sort.SearchInts(l.start, offset+1) - 1
	n := 0
	for _, r := range l.text[l.start[i]:offset] {
		n += utf16.RuneLen(r)
	}
	return Position{i, n}
}

// offset returns the offset of a position; one behind a line's end is that end.
func (l *lines) offset(p Position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(l.start) {
		return len(l.text)
	}
	at, end := l.start[p.Line], len(l.text)
	if p.Line+1 < len(l.start) {
		end = l.start[p.Line+1] - 1
	}
	for n := p.Character; n > 0 && at < end; {
		r, size := utf8.DecodeRuneInString(l.text[at:])
		n -= max(1, utf16.RuneLen(r))
		at += size
	}
	return at
}

func (l *lines) span(start, end int) Range { return Range{l.position(start), l.position(end)} }
