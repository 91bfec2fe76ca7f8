// Package diag is the leaf that everybody reports through: source files, positions, spans and diagnostics.
//
// A Pos is a small integer into a FileSet; line, column, source line and caret are derived only when a
// diagnostic is printed. Lines and columns shown to people start at 1.
package diag

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Pos is a byte position in one file of a FileSet. The zero Pos is no position.
type Pos int32

// NoPos is the position of something that has none.
const NoPos Pos = 0

// IsValid reports whether p is a position at all.
func (p Pos) IsValid() bool { return p != NoPos }

// Span is a range of source text, End exclusive. A Span with an equal or invalid End is a single point.
type Span struct{ Start, End Pos }

// At is the span of a single point.
func At(p Pos) Span { return Span{p, p} }

// File is one source text with its place in a FileSet.
type File struct {
	Name string
	Src  []byte

	base  Pos
	lines []int32 // byte offset of each line's start
}

// Pos is the position of a byte offset in f.
func (f *File) Pos(offset int) Pos { return f.base + Pos(offset) }

// Offset is the byte offset in f of a position that lies in f.
func (f *File) Offset(p Pos) int { return int(p - f.base) }

// LineCol is the line of a byte offset, counted from 1, and its column in bytes, counted from 0.
func (f *File) LineCol(offset int) (line, col int) {
	i := sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > offset }) - 1
	return i + 1, offset - int(f.lines[i])
}

// Line is the text of a line, counted from 1, without its end.
func (f *File) Line(line int) string { return string(f.line(line)) }

// line is Line without a copy: lines of machine-made files have megabytes.
func (f *File) line(line int) []byte {
	if line < 1 || line > len(f.lines) {
		return nil
	}
	start, end := int(f.lines[line-1]), len(f.Src)
	if line < len(f.lines) {
		end = int(f.lines[line])
	}
	return bytes.TrimRight(f.Src[start:end], "\r\n\f")
}

// FileSet gives every byte of a group of files its own Pos. It may be used from several goroutines.
type FileSet struct {
	mu    sync.RWMutex
	files []*File
	next  Pos
}

// NewFileSet is an empty set.
func NewFileSet() *FileSet { return &FileSet{next: 1} }

// AddFile adds a text under a name. A line ends at \n, \r\n or a lone \r, as in Python.
func (s *FileSet) AddFile(name string, src []byte) *File {
	f := &File{Name: name, Src: src, lines: []int32{0}}
	for i, c := range src {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			f.lines = append(f.lines, int32(i+1))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.base = s.next
	s.next += Pos(len(src)) + 2 // the end of a file is a position too
	s.files = append(s.files, f)
	return f
}

// Fork is a set that begins with the files of s and grows on its own.
func (s *FileSet) Fork() *FileSet {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &FileSet{files: slices.Clone(s.files), next: s.next}
}

// File is the file that holds p, or nil.
func (s *FileSet) File(p Pos) *File {
	if s == nil || !p.IsValid() {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := sort.Search(len(s.files), func(i int) bool { return s.files[i].base > p }) - 1
	if i < 0 {
		return nil
	}
	return s.files[i]
}

// Place is a position as people read it.
type Place struct {
	File      string
	Line, Col int // from 1; Col counts characters
}

func (p Place) String() string {
	if p.Line == 0 {
		return cmp.Or(p.File, "-")
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Place is where p is.
func (s *FileSet) Place(p Pos) Place {
	f := s.File(p)
	if f == nil {
		return Place{}
	}
	line, col := f.LineCol(f.Offset(p))
	text := f.line(line)
	return Place{f.Name, line, utf8.RuneCount(text[:min(col, len(text))]) + 1}
}

// Severity says how bad a diagnostic is.
type Severity uint8

const (
	Error Severity = iota
	Warning
	Remark
)

func (s Severity) String() string { return [...]string{"error", "warning", "remark"}[s] }

// Note is a second place that explains a diagnostic, or, without a span, a remark of its own.
type Note struct {
	Span Span
	Msg  string
}

// Diagnostic is one message about a place in a source text.
type Diagnostic struct {
	Severity Severity
	Code     string // a short stable word, "shape-mismatch"; may be empty
	Span     Span
	Msg      string // lower case, no full stop
	Notes    []Note
	Hint     string // what to do about it; may be empty
}

// List collects diagnostics. The zero List is ready to use; it is an error when it holds an error.
type List struct {
	Files *FileSet
	Diags []Diagnostic
}

// Add appends a diagnostic.
func (l *List) Add(d Diagnostic) { l.Diags = append(l.Diags, d) }

// Errorf appends an error at a span.
func (l *List) Errorf(span Span, code, format string, args ...any) {
	l.Add(Diagnostic{Code: code, Span: span, Msg: fmt.Sprintf(format, args...)})
}

// HasErrors reports whether any diagnostic is an error.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.Diags, func(d Diagnostic) bool { return d.Severity == Error })
}

// Err is l itself when it holds an error, and nil otherwise.
func (l *List) Err() error {
	if l == nil || !l.HasErrors() {
		return nil
	}
	return l
}

// Sort puts the diagnostics in the order of their places and drops follow-on errors: of several errors that
// begin on one line of one file only the first is kept.
func (l *List) Sort() {
	slices.SortStableFunc(l.Diags, func(a, b Diagnostic) int {
		return cmp.Compare(a.Span.Start, b.Span.Start)
	})
	type line struct {
		file *File
		line int
	}
	seen := map[line]bool{}
	l.Diags = slices.DeleteFunc(l.Diags, func(d Diagnostic) bool {
		f := l.Files.File(d.Span.Start)
		if d.Severity != Error || f == nil {
			return false
		}
		n, _ := f.LineCol(f.Offset(d.Span.Start))
		k := line{f, n}
		dup := seen[k]
		seen[k] = true
		return dup
	})
}

// Error is the whole list as people read it.
func (l *List) Error() string { return strings.TrimSuffix(l.String(), "\n") }

// String renders every diagnostic with its line and caret.
func (l *List) String() string {
	var b strings.Builder
	for _, d := range l.Diags {
		d.render(&b, l.Files)
	}
	return b.String()
}

// Render is one diagnostic as people read it: place, severity, message, code, line, caret, notes, hint.
func (d Diagnostic) Render(files *FileSet) string {
	var b strings.Builder
	d.render(&b, files)
	return b.String()
}

func (d Diagnostic) render(b *strings.Builder, files *FileSet) {
	msg := Clip(d.Msg)
	if d.Code != "" {
		msg += " [" + d.Code + "]"
	}
	message(b, files, d.Span, d.Severity.String(), msg)
	for _, n := range d.Notes {
		message(b, files, n.Span, "note", Clip(n.Msg))
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "hint: %s\n", Clip(d.Hint))
	}
}

func message(b *strings.Builder, files *FileSet, span Span, kind, msg string) {
	f := files.File(span.Start)
	if f == nil {
		fmt.Fprintf(b, "%s: %s\n", kind, msg)
		return
	}
	fmt.Fprintf(b, "%s: %s: %s\n", files.Place(span.Start), kind, msg)
	line, col := f.LineCol(f.Offset(span.Start))
	text, col, end := excerpt(f.line(line), col, max(int(span.End-span.Start), 0))
	text = printable(text)
	fmt.Fprintf(b, "    %s\n    %s%s\n", text, blank(text[:col]), marker(text[col:end]))
}

// Limits of what a message quotes, in bytes. A line that a program wrote may have megabytes, and so may a
// name or a number in it.
const (
	maxText = 1000 // of a message
	maxLine = 240  // of a line of the source
	before  = 80   // of that, before the column that is meant
)

// Clip shortens a text that is too long for a message: its middle goes, and the number of bytes that went
// stands in its place.
func Clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	head, tail := runeEnd(s, maxText/2), runeEnd(s, len(s)-maxText/4)
	return fmt.Sprintf("%s… (%d bytes left out) …%s", s[:head], tail-head, s[tail:])
}

// excerpt is the part of a line around the n bytes at a column, with the column and the end of the n bytes
// in it. An ellipsis stands for what is left out.
func excerpt(line []byte, col, n int) (text string, from, to int) {
	col = min(col, len(line))
	end := min(col+n, len(line))
	if len(line) <= maxLine {
		return string(line), col, end
	}
	const dots = "…"
	start, stop := 0, len(line)
	if col > before {
		start = runeEnd(line, col-before)
	}
	if start+maxLine < len(line) {
		stop = runeEnd(line, start+maxLine)
	}
	text, from, to = string(line[start:stop]), col-start, min(end, stop)-start
	if start > 0 {
		text, from, to = dots+text, from+len(dots), to+len(dots)
	}
	if stop < len(line) {
		text += dots
	}
	return text, from, to
}

// printable replaces bytes that would change the terminal, or are no text, by as many question marks: a file
// that is not Python may hold anything.
func printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && r != '\t' {
			b.WriteString("??"[:n])
		} else {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// runeEnd is the first end of a character at or before an offset of UTF-8 text. In other text, which has no
// characters, it stays near.
func runeEnd[T string | []byte](s T, at int) int {
	for i := at; i > at-utf8.UTFMax && i > 0 && i < len(s); i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return at
}

// blank is white space as wide as s, tabs kept so that the caret stands under its character.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

func marker(s string) string {
	return "^" + strings.Repeat("~", max(utf8.RuneCountInString(s)-1, 0))
}

// Nearest is the known name that is most like a wrong one, or "" when none is near: at most a third of its
// letters differ.
func Nearest(name string, known []string) string {
	best, least := "", len(name)/3+1
	if len(name) < 3 {
		least = 1
	}
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(name, k); d > 0 && d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with a neighbour to get from a to b.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 99
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
