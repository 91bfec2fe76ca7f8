package autotune

import (
	"bytes"
	"image/png"
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

func TestFont(t *testing.T) {
	for r, rows := range font {
		if len(rows) != 5 {
			t.Errorf("%q has %d rows", r, len(rows))
		}
	}
}
