package view

import (
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// TestChart: a copy reaches to the wait that ends its group, warps leave a barrier together, and a wait for
// an mbarrier lasts until the other warp has arrived.
func TestChart(t *testing.T) {
	files := NewFiles("k.py", nil, func(string) ([]byte, bool) { return nil, false })
	mark := func(warp, at int, kind, async string, left, object int) simcount.Mark {
		return simcount.Mark{Warp: warp, At: at, Kind: kind, Async: async, Left: left, Object: object,
			File: "k.py", Line: 7}
	}
	got := NewChart([]simcount.Mark{
		mark(0, 0, "copy", "cp", 0, 0), mark(0, 1, "commit", "cp", 0, 0),
		mark(0, 2, "copy", "cp", 0, 0), mark(0, 3, "commit", "cp", 0, 0),
		mark(0, 9, "wait", "cp", 1, 0), // leaves the second group under way
		mark(0, 10, "barrier", "", 0, 0), mark(1, 4, "barrier", "", 0, 0),
		mark(1, 5, "product", "", 0, 0), mark(1, 6, "arrive", "mbarrier", 0, 64),
		mark(0, 11, "wait", "mbarrier", 0, 64), mark(0, 12, "wait", "cp", 0, 0),
	}, false, files)
	bar := func(warp int, kind string, from, to int) ChartBar { return ChartBar{warp, kind, from, to, 7} }
	want := []ChartBar{
		bar(0, "copy", 0, 10), bar(0, "copy", 2, 14), bar(0, "wait", 9, 10), bar(0, "barrier", 10, 11),
		bar(0, "wait", 11, 13), bar(0, "wait", 13, 14),
		bar(1, "barrier", 4, 11), bar(1, "product", 11, 12),
	}
	if !slices.Equal(got.Marks, want) || got.Warps != 2 {
		t.Errorf("got\n%+v\nwant\n%+v", got.Marks, want)
	}
}

// TestCostLines: instructions of one line are one row, the kernel's own rows come first.
func TestCostLines(t *testing.T) {
	files := NewFiles("k.py", nil, func(name string) ([]byte, bool) { return nil, name == "lib.py" })
	list := []Place{{"lib.py", 3}, {"k.py", 9}, {"", 0}, {"k.py", 7}, {"k.py", 9}}
	var counts []simcount.Count
	for i, p := range list {
		counts = append(counts, simcount.Count{File: p.File, Line: p.Line,
			Work: simcount.Work{Issued: 1, Loaded: int64(i)}})
	}
	c := NewCost("sim:90", 32, counts, files)
	var got []string
	for _, l := range c.Lines {
		got = append(got, l.Place)
	}
	if want := []string{"k.py:7", "k.py:9", "lib.py:3", "(no line)"}; !slices.Equal(got, want) {
		t.Errorf("the rows are %v, want %v", got, want)
	}
	if w := c.Lines[1].Work; w != (simcount.Work{Issued: 2, Loaded: 5}) {
		t.Errorf("line 9 has %+v", w)
	}
	if c.Peak == nil || c.Peak.Bytes == 0 {
		t.Error("there is no peak for sim:90")
	}
}
