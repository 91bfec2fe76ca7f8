package autotune

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
)

// The bar of the slowest config is as long as can be, that of one twice as fast half as long and green if it was chosen; a failure has none.
func TestPlot(t *testing.T) {
	var b bytes.Buffer
	timings := []Timing{{Config: "a", Median: 2, Low: 2, High: 2}, {Config: "b", Median: 1, Low: 1, High: 1}, {Config: "c", Failed: "no"}}
	if err := Plot(&b, []Chart{{Title: "k µ", Timings: timings, Best: "b"}, {Title: "empty"}}); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		length int
		color  any
	}{{barWidth, blue}, {barWidth / 2, green}, {0, nil}} {
		y, n := margin+titleGap+i*rowHeight-1, 0
		for x := range img.Bounds().Dx() {
			if c := img.At(x, y); c != any(white) {
				n++
				if c != want.color {
					t.Fatalf("row %d: a dot of %v", i, c)
				}
			}
		}
		if n != want.length {
			t.Errorf("row %d: a bar of %d dots, want %d", i, n, want.length)
		}
	}
}

// Every letter that a name or a number can have is there, and no two look alike.
func TestFont(t *testing.T) {
	seen := map[string]rune{}
	for r, rows := range font {
		if len(rows) != glyphHeight || strings.Trim(rows, "0123456789abcdefghijklmnopqrstuv") != "" {
			t.Errorf("%q is %q", r, rows)
		}
		if other, ok := seen[rows]; ok {
			t.Errorf("%q looks like %q", r, other)
		}
		seen[rows] = r
	}
	for r := ' '; r <= '~'; r++ {
		if font[r] == "" {
			t.Errorf("there is no %q", r)
		}
	}
}

// One config that is far behind does not make the bars of the others too short to be told apart.
func TestPlotCut(t *testing.T) {
	var b bytes.Buffer
	timings := []Timing{{Config: "a", Median: 1, Low: 1, High: 1}, {Config: "b", Median: 1000, Low: 2, High: 2000}}
	if err := Plot(&b, []Chart{{Timings: timings, Best: "a"}}); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{barWidth / cut, barWidth - 6} {
		y, n := margin+titleGap+i*rowHeight-1, 0
		for x := range img.Bounds().Dx() {
			if img.At(x, y) != any(white) {
				n++
			}
		}
		if n != want {
			t.Errorf("row %d: a bar of %d dots, want %d", i, n, want)
		}
	}
}
