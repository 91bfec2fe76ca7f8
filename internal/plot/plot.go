// Package plot draws measurements: bars for the configs of a tuning, lines for what changes with a size or
// with time. In come numbers and their names, out comes a PNG or an SVG. Only the command line and tests
// import it, so that programs which launch kernels do not carry a plotting library.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Format returns the format that a file's name asks for, "png" or "svg".
func Format(file string) (string, error) {
	switch ext := filepath.Ext(file); ext {
	case ".png", ".svg":
		return ext[1:], nil
	default:
		return "", fmt.Errorf("cannot plot to %q: the name must end in .png or .svg", file)
	}
}

var (
	blue  = color.RGBA{110, 150, 200, 255}
	green = color.RGBA{60, 150, 80, 255}
	ink   = color.RGBA{40, 40, 40, 255}
	// lines has the colours of series, in the order in which they are used.
	lines = []color.RGBA{{50, 100, 180, 255}, {200, 90, 40, 255}, {60, 150, 80, 255},
		{140, 80, 160, 255}, ink}
)

// Bar is one measurement: a median with the quantiles around it, or the reason why there is none.
type Bar struct {
	Name              string
	Median, Low, High float64
	Failed            string
	Best              bool
}

// BarChart is bars below each other, in the order given.
type BarChart struct {
	Title, Unit string
	Bars        []Bar
}

// cutBar is how many times longer than the shortest bar one is drawn: a longer one ends there, or nothing
// could be told of the others.
const cutBar = 5

// Bars draws charts below each other.
func Bars(w io.Writer, format string, charts []BarChart) error {
	plots := make([][]*plot.Plot, len(charts))
	height := vg.Length(0)
	for i, c := range charts {
		p, err := c.plot()
		if err != nil {
			return err
		}
		plots[i] = []*plot.Plot{p}
		height += c.height()
	}
	if len(charts) == 0 {
		return fmt.Errorf("nothing was measured, so there is nothing to plot")
	}
	canvas, to := newCanvas(format, 22*vg.Centimeter, height)
	tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadY: vg.Points(8)}
	for i, row := range plot.Align(plots, tiles, draw.New(canvas)) {
		plots[i][0].Draw(row[0])
	}
	_, err := to.WriteTo(w)
	return err
}

func (c *BarChart) height() vg.Length { return vg.Length(len(c.Bars))*18 + 60 }

// reach returns the length of the longest bar that is drawn.
func (c *BarChart) reach() float64 {
	longest, shortest := 0.0, math.Inf(1)
	for _, b := range c.Bars {
		if b.Failed == "" {
			longest, shortest = max(longest, b.Median), min(shortest, b.Median)
		}
	}
	if shortest > 0 {
		longest = min(longest, cutBar*shortest)
	}
	return longest
}

func (c *BarChart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.X.Min = c.Title, c.Unit, 0
	reach := c.reach()
	names := make([]string, len(c.Bars))
	labels := plotter.XYLabels{}
	for i := range c.Bars {
		b := &c.Bars[len(c.Bars)-1-i] // the axis grows upwards
		names[i] = b.Name
		text, at := fmt.Sprintf(" %.4g", b.Median), min(b.Median, reach)
		if b.Failed != "" {
			text, at = b.Failed, 0
		}
		labels.XYs, labels.Labels = append(labels.XYs, plotter.XY{X: at, Y: float64(i)}),
			append(labels.Labels, text)
		bar, err := plotter.NewBarChart(plotter.Values{at}, vg.Points(11))
		if err != nil {
			return nil, err
		}
		bar.Horizontal, bar.XMin, bar.LineStyle.Width, bar.Color = true, float64(i), 0, blue
		if b.Best {
			bar.Color = green
		}
		p.Add(bar)
	}
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	p.Add(text)
	p.NominalY(names...)
	p.X.Max = max(reach*1.2, 1e-9) // room for the numbers behind the bars
	return p, nil
}

// Series is a line through points, given by X in increasing order.
type Series struct {
	Name string
	X, Y []float64
}

// LineChart is lines over a common axis.
type LineChart struct {
	Title, XLabel, YLabel string
	LogX                  bool
	Series                []Series
}

// Lines draws a chart.
func Lines(w io.Writer, format string, c LineChart) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text, p.Y.Min = c.Title, c.XLabel, c.YLabel, 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for i, s := range c.Series {
		if len(s.X) != len(s.Y) || len(s.X) == 0 {
			return fmt.Errorf("series %q has %d and %d coordinates", s.Name, len(s.X), len(s.Y))
		}
		points := make(plotter.XYs, len(s.X))
		for j := range points {
			points[j].X, points[j].Y = s.X[j], s.Y[j]
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("series %q: %w", s.Name, err)
		}
		line.Color, line.Width = lines[i%len(lines)], vg.Points(1.5)
		dots.Color, dots.Radius, dots.Shape = line.Color, vg.Points(2), draw.CircleGlyph{}
		p.Add(line)
		if len(points) <= 40 {
			p.Add(dots)
		}
		p.Legend.Add(s.Name, line)
	}
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powersOfTwo{}
	}
	canvas, to := newCanvas(format, 20*vg.Centimeter, 12*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err := to.WriteTo(w)
	return err
}

// powersOfTwo marks an axis at powers of two: sizes of tensors are such.
type powersOfTwo struct{}

func (powersOfTwo) Ticks(lo, hi float64) (ticks []plot.Tick) {
	from, to := int(math.Floor(math.Log2(lo))), int(math.Ceil(math.Log2(hi)))
	step := max(1, (to-from+7)/8)
	for e := from; e <= to; e += step {
		ticks = append(ticks, plot.Tick{Value: math.Exp2(float64(e)), Label: fmt.Sprintf("2^%d", e)})
	}
	return ticks
}

// newCanvas returns something to draw on, and the same to be written.
func newCanvas(format string, width, height vg.Length) (vg.CanvasSizer, io.WriterTo) {
	if format == "svg" {
		c := vgsvg.New(width, height)
		return c, c
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(120))
	return c, vgimg.PngCanvas{Canvas: c}
}
