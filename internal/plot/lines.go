package plot

import (
	"fmt"
	"io"
	"math"
	"slices"
)

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

const (
	linesWidth  = 20 * centimetre
	linesHeight = 12 * centimetre
	// mostDots is the number of points up to which each is marked.
	mostDots = 40
)

// Lines draws a chart.
func Lines(w io.Writer, format string, c LineChart) error {
	for _, s := range c.Series {
		if len(s.X) != len(s.Y) || len(s.X) == 0 {
			return fmt.Errorf("series %q has %d and %d coordinates", s.Name, len(s.X), len(s.Y))
		}
		if i := slices.IndexFunc(s.Y, isNoNumber); i >= 0 {
			return fmt.Errorf("series %q has no number at %g", s.Name, s.X[i])
		}
	}
	to, err := newCanvas(format, linesWidth, linesHeight)
	if err != nil {
		return err
	}
	f := c.frame()
	f.draw(to, c)
	for i, s := range c.Series {
		line := make([]point, len(s.X))
		for j := range line {
			line[j] = f.at(s.X[j], s.Y[j])
		}
		colour := hues[i%len(hues)]
		to.stroke(line, 1.5, colour)
		if len(line) <= mostDots {
			for _, p := range line {
				to.fill(circle(p, 2), colour)
			}
		}
		y := f.top + 12 + float64(i)*13
		to.stroke([]point{{f.left + 8, y}, {f.left + 28, y}}, 1.5, colour)
		to.text(point{f.left + 34, y}, s.Name, textSize, left, false)
	}
	_, err = to.WriteTo(w)
	return err
}

func isNoNumber(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// frame is the part of the canvas with the lines, and its axes.
type frame struct {
	x, y                     axis
	left, top, width, height float64
}

func (c *LineChart) frame() frame {
	f := frame{x: axis{math.Inf(1), math.Inf(-1), c.LogX}}
	for _, s := range c.Series {
		for i := range s.X {
			f.x.lo, f.x.hi = min(f.x.lo, s.X[i]), max(f.x.hi, s.X[i])
			f.y.lo, f.y.hi = min(f.y.lo, s.Y[i]), max(f.y.hi, s.Y[i])
		}
	}
	f.x.log = f.x.log && f.x.lo > 0
	f.y.hi = max(f.y.hi*1.05, 1e-9)
	names := make([]string, 0, 8)
	for _, t := range f.y.ticks(6) {
		names = append(names, t.name)
	}
	f.left = 2*gap + textSize + widest(names, textSize-1) + gap
	f.top = 2 * titleSize
	f.width, f.height = linesWidth-f.left-3*gap, linesHeight-f.top-36
	return f
}

// at returns the place of a pair of numbers.
func (f frame) at(x, y float64) point {
	return point{f.left + f.width*f.x.place(x), f.top + f.height*(1-f.y.place(y))}
}

// draw draws the grid with its numbers and names.
func (f frame) draw(to canvas, c LineChart) {
	bottom := f.top + f.height
	for _, t := range f.x.ticks(8) {
		p := f.at(t.at, 0)
		to.stroke([]point{{p.x, f.top}, {p.x, bottom}}, 0.4, faint)
		to.text(point{p.x, bottom + 9}, t.name, textSize-1, middle, false)
	}
	for _, t := range f.y.ticks(6) {
		y := f.top + f.height*(1-f.y.place(t.at))
		to.stroke([]point{{f.left, y}, {f.left + f.width, y}}, 0.4, faint)
		to.text(point{f.left - gap, y}, t.name, textSize-1, right, false)
	}
	to.stroke([]point{{f.left, f.top}, {f.left, bottom}, {f.left + f.width, bottom}}, 0.7, ink)
	to.text(point{linesWidth / 2, titleSize}, c.Title, titleSize, middle, false)
	to.text(point{f.left + f.width/2, bottom + 24}, c.XLabel, textSize, middle, false)
	to.text(point{gap + textSize/2, f.top + f.height/2}, c.YLabel, textSize, middle, true)
}

// circle returns the corners of a polygon that looks like a circle.
func circle(at point, radius float64) (out []point) {
	for i := range 16 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 8)
		out = append(out, point{at.x + radius*cos, at.y + radius*sin})
	}
	return out
}
