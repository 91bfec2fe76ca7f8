package core

import "testing"

// TestSplitPlace: places have a file, which may have colons or no name, a line and a column, as far as they
// say.
func TestSplitPlace(t *testing.T) {
	for place, want := range map[string]struct {
		file         string
		line, column int
	}{
		"k.py:7:12":       {"k.py", 7, 12},
		`C:\k.py:7:12`:    {`C:\k.py`, 7, 12},
		":7:12":           {"", 7, 12},
		"k.py":            {"k.py", 0, 0},
		"k.py:x:12":       {"k.py:x", 0, 12},
		"dir:3/k.py:10:1": {"dir:3/k.py", 10, 1},
	} {
		file, line, column := splitPlace(place)
		if file != want.file || line != want.line || column != want.column {
			t.Errorf("%q: %q, %d, %d, want %+v", place, file, line, column, want)
		}
	}
}
