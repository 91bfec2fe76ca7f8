package diag

import "testing"

func TestRender(t *testing.T) {
	files := NewFileSet()
	files.AddFile("a.py", []byte("x = 1\n"))
	f := files.AddFile("b.py", []byte("total = é + y\n\tz = 2\r\nlast"))
	l := &List{Files: files}
	l.Add(Diagnostic{Code: "name", Span: Span{f.Pos(23), f.Pos(24)}, Msg: "second"})
	l.Add(Diagnostic{
		Code: "shape-mismatch", Span: Span{f.Pos(8), f.Pos(14)}, Msg: "cannot add",
		Notes: []Note{{At(f.Pos(16)), "made here"}, {Msg: "and that"}}, Hint: "do less",
	})
	l.Add(Diagnostic{Span: At(f.Pos(9)), Msg: "a follow-on of the same line"})
	l.Sort()
	want := `b.py:1:9: error: cannot add [shape-mismatch]
    total = é + y
            ^~~~~
b.py:2:2: note: made here
    	z = 2
    	^
note: and that
hint: do less
b.py:3:1: error: second [name]
    last
    ^
`
	if got := l.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if l.Err() == nil {
		t.Error("a list with errors is no error")
	}
	if err := (&List{Diags: []Diagnostic{{Severity: Warning}}}).Err(); err != nil {
		t.Errorf("a list of warnings is an error: %v", err)
	}
}

// A line of a file that is no text leaves the terminal alone, and the caret stands where it should.
func TestRenderBytes(t *testing.T) {
	files := NewFileSet()
	f := files.AddFile("b.py", []byte("a\x1b[2J\xff\u0085é\tx"))
	d := Diagnostic{Span: At(f.Pos(11)), Msg: "no"}
	want := "b.py:1:10: error: no\n    a?[2J???é\tx\n             \t^\n"
	if got := d.Render(files); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"arange", "program_id", "load", "store", "max"}
	for name, want := range map[string]string{"arrange": "arange", "programid": "program_id", "laod": "load",
		"zzz": "", "load": "", "m": ""} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
