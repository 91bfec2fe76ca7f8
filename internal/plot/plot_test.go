package plot

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var timings = BarChart{Title: "matmul", Unit: "ms", Bars: []Bar{
	{Name: "BLOCK=64", Median: 2}, {Name: "BLOCK=128", Median: 1, Best: true},
	{Name: "BLOCK=256", Failed: "out of shared memory"},
}}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// count returns how many dots of a colour the image has.
func count(img image.Image, c color.RGBA) (n int) {
	box := img.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

// A bar is as long as its median: the slower config has twice the area of the one that was chosen, which is
// green.
func TestBars(t *testing.T) {
	var b bytes.Buffer
	if err := Bars(&b, "png", []BarChart{timings, timings}); err != nil {
		t.Fatal(err)
	}
	img := decode(t, b.Bytes())
	slow, best := count(img, blue), count(img, green)
	if best == 0 || float64(slow) < 1.8*float64(best) || float64(slow) > 2.2*float64(best) {
		t.Errorf("%d blue dots and %d green ones", slow, best)
	}
	if err := Bars(&b, "png", nil); err == nil {
		t.Error("no charts are no picture")
	}
}

// One config that is far behind does not make the bars of the others too short to be told apart.
func TestBarsAreCut(t *testing.T) {
	c := BarChart{Bars: []Bar{{Name: "a", Median: 1, Best: true}, {Name: "b", Median: 1000}}}
	var b bytes.Buffer
	if err := Bars(&b, "png", []BarChart{c}); err != nil {
		t.Fatal(err)
	}
	img := decode(t, b.Bytes())
	slow, best := count(img, blue), count(img, green)
	if ratio := float64(slow) / float64(max(1, best)); ratio < cutBar-1 || ratio > cutBar+1 {
		t.Errorf("the bars are as 1 to %.1f", ratio)
	}
}

func TestLines(t *testing.T) {
	c := LineChart{Title: "softmax", XLabel: "columns", YLabel: "GB/s", LogX: true, Series: []Series{
		{"cpu", []float64{256, 1024, 65536}, []float64{1, 4, 8}},
		{"interp", []float64{256, 1024, 65536}, []float64{0.1, 0.1, 0.1}},
	}}
	var b bytes.Buffer
	if err := Lines(&b, "svg", c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"softmax", "columns", "GB/s", "2^8", "2^16", "interp"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	c.Series = []Series{{Name: "empty"}}
	if err := Lines(&b, "svg", c); err == nil {
		t.Error("a series without points is no line")
	}
	c.Series = []Series{{Name: "odd", X: []float64{0, 1}, Y: []float64{1, math.NaN()}}}
	if err := Lines(&b, "svg", c); err == nil {
		t.Error("a line goes through no number")
	}
	c.Series[0].Y[1] = 2 // an axis of powers has no place for 0
	b.Reset()
	if err := Lines(&b, "svg", c); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("a line from 0: %v\n%s", err, b.String())
	}
}

// TestLegend: each series is named beside a piece of its line, in its colour: where the lines themselves are
// not, the picture has the colour of every series.
func TestLegend(t *testing.T) {
	c := LineChart{}
	for range len(hues) {
		c.Series = append(c.Series, Series{"a name", []float64{1, 2}, []float64{1, 1}})
	}
	var b bytes.Buffer
	if err := Lines(&b, "png", c); err != nil {
		t.Fatal(err)
	}
	img := decode(t, b.Bytes()).(interface {
		SubImage(r image.Rectangle) image.Image
	})
	f := c.frame()
	for i, hue := range hues {
		y := f.top + 12 + float64(i)*13
		at := func(x, y float64) image.Point { return image.Pt(int(x*dpi/72), int(y*dpi/72)) }
		key := img.SubImage(image.Rectangle{at(f.left+8, y-6), at(f.left+28, y+6)})
		if n := count(key, hue); n < 20 {
			t.Errorf("%d dots of the colour of series %d beside its name", n, i)
		}
	}
}

// A name that SVG could take for markup is text.
func TestEscaped(t *testing.T) {
	var b bytes.Buffer
	c := BarChart{Title: "a<b & c", Bars: []Bar{{Name: "x", Median: 1}}}
	if err := Bars(&b, "svg", []BarChart{c}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "a&lt;b &amp; c") {
		t.Errorf("the title is not escaped:\n%s", b.String())
	}
}

func TestFormat(t *testing.T) {
	for file, want := range map[string]string{"a.png": "png", "b/c.svg": "svg", "d.jpg": "", "e": ""} {
		if got, err := Format(file); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}

// TestGrid draws 64 by 64 cells: they fit on a page, in both formats.
func TestGrid(t *testing.T) {
	g := GridChart{Title: "a layout", Cols: 64, Cells: make([]Cell, 64*64)}
	for i := range g.Cells {
		g.Cells[i] = Cell{Text: [2]string{"t1", "r2"}, Hue: float64(i%32) / 32, Light: 0.8}
	}
	var b bytes.Buffer
	if err := Grid(&b, "png", g); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X > 1000 || size.Y > 1400 { // a page at 120 dots per inch
		t.Errorf("the picture has %v dots", size)
	}
	if img.At(200, 400) == img.At(240, 400) {
		t.Error("threads have the same colour")
	}
	var svg bytes.Buffer
	if err := Grid(&svg, "svg", g); err != nil || !bytes.Contains(svg.Bytes(), []byte("<svg")) {
		t.Errorf("svg: %v", err)
	}
	if err := Grid(&b, "png", GridChart{Cols: 3, Cells: g.Cells[:4]}); err == nil {
		t.Error("4 cells in rows of 3")
	}
}

// TestGridLabels: the numbers at the edges of a table are half as high as its cells, but can be read and are
// no larger than the text in the cells; where cells are small, not every one has a number.
func TestGridLabels(t *testing.T) {
	for _, cols := range []int{2, 16, 40, 64, 100, 128} {
		g := GridChart{Cols: cols, Cells: make([]Cell, cols)}
		var b bytes.Buffer
		if err := Grid(&b, "svg", g); err != nil {
			t.Fatal(err)
		}
		cell := min(maxCell, max(minCell, (gridWidth-2*gridEdge)/float64(cols)))
		want := min(7, max(4, cell/2))
		labels := svgNumber.FindAllStringSubmatch(b.String(), -1)
		for _, l := range labels {
			if size, err := strconv.ParseFloat(l[1], 64); err != nil || math.Abs(size-want) > 0.05 {
				t.Errorf("%d columns: the number %s has size %s, not %.1f", cols, l[2], l[1], want)
			}
		}
		if n := len(labels); n < 3 || float64(n) > float64(cols)*cell/12+3 && n > cols+1 {
			t.Errorf("%d columns of %.1f: %d numbers", cols, cell, n)
		}
	}
}

// svgNumber finds numbers and their sizes.
var svgNumber = regexp.MustCompile(`font-size="([0-9.]+)"[^>]*>([0-9]+)<`)
