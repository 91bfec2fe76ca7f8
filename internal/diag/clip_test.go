package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongLines: a message quotes a few hundred bytes of a line of megabytes, and the caret stands under the
// place that is meant.
func TestLongLines(t *testing.T) {
	for _, unit := range []string{"x=1;", "é=1;", "\t"} {
		text := strings.Repeat(unit, 1<<20) + "HERE" + strings.Repeat(unit, 1<<20)
		files := NewFileSet()
		f := files.AddFile("t.py", []byte(text))
		at := strings.Index(text, "HERE")
		d := Diagnostic{Msg: strings.Repeat("long ", 1<<18), Span: Span{f.Pos(at), f.Pos(at + 4)},
			Hint: strings.Repeat("é", 1<<20)}
		got := d.Render(files)
		if len(got) > 4000 || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		lines := strings.Split(got, "\n")
		quoted, caret := []rune(lines[1]), []rune(lines[2])
		from := strings.Index(string(caret), "^")
		if col := utf8.RuneCountInString(string(caret)[:from]); string(quoted[col:col+4]) != "HERE" ||
			string(caret)[from:] != "^~~~" {
			t.Errorf("the caret is not under HERE:\n%s\n%s", lines[1], lines[2])
		}
	}
}

// TestLongLineOfBytes: a line need not be UTF-8, wherever the place in it is.
func TestLongLineOfBytes(t *testing.T) {
	files := NewFileSet()
	f := files.AddFile("t.py", []byte(strings.Repeat("\x80", 1000)))
	for i := range 1001 {
		d := Diagnostic{Msg: "this is not valid utf-8", Span: Span{f.Pos(i), f.Pos(min(i+1, 1000))}}
		if got := d.Render(files); len(got) > 1000 {
			t.Fatalf("%d bytes at %d", len(got), i)
		}
	}
}

// TestManyErrorsOnALine: sorting a list of errors is not quadratic in the length of a line.
func TestManyErrorsOnALine(t *testing.T) {
	files := NewFileSet()
	f := files.AddFile("t.py", []byte(strings.Repeat("?", 1<<17)))
	l := &List{Files: files}
	for i := range 1 << 17 {
		l.Errorf(Span{f.Pos(i), f.Pos(i + 1)}, "syntax", "no")
	}
	l.Sort()
	if len(l.Diags) != 1 {
		t.Errorf("%d errors", len(l.Diags))
	}
}
