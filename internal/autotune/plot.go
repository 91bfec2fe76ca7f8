package autotune

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"
)

// Chart is the timings of one tuning, for a plot.
type Chart struct {
	Title   string
	Timings []Timing
	Best    string
}

// Measures of a plot, in pixels.
const (
	rowHeight  = 22
	titleGap   = 34
	margin     = 14
	barWidth   = 420
	timeWidth  = 150
	letterSize = 2 // pixels for a dot of the font
	letterStep = (glyphWidth + 1) * letterSize
)

// cut is how many times longer than the shortest bar one may be: what goes beyond is cut, or nothing could be told of the others.
const cut = 5

var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{40, 40, 40, 255}
	grey  = color.RGBA{150, 150, 150, 255}
	blue  = color.RGBA{110, 150, 200, 255}
	green = color.RGBA{60, 150, 80, 255}
	red   = color.RGBA{180, 60, 50, 255}
)

// Plot draws charts below each other as a PNG: a bar for each config, as long as its median, with a line from the lower quantile to the
// upper one; a bar with a gap is longer than there is room. The config that was chosen is green; one that failed has the reason in place of a bar.
func Plot(w io.Writer, charts []Chart) error {
	width, height := 0, margin
	for _, c := range charts {
		width = max(width, textWidth(c.Title))
		height += titleGap + len(c.Timings)*rowHeight
	}
	labels := labelWidth(charts)
	width = max(width, labels+margin+barWidth+timeWidth) + 2*margin
	img := image.NewRGBA(image.Rect(0, 0, width, height+margin))
	draw.Draw(img, img.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	y := margin
	for _, c := range charts {
		y = c.draw(img, y, labels)
	}
	return png.Encode(w, img)
}

func labelWidth(charts []Chart) (width int) {
	for _, c := range charts {
		for _, t := range c.Timings {
			width = max(width, textWidth(t.Config))
		}
	}
	return width
}

// draw draws a chart below y, and returns where it ends.
func (c *Chart) draw(img *image.RGBA, y, labels int) int {
	text(img, margin, y, c.Title, ink)
	y += titleGap
	longest, shortest := 0.0, math.Inf(1)
	for _, t := range c.Timings {
		if t.Failed == "" {
			longest, shortest = max(longest, t.High, t.Median), min(shortest, t.Median)
		}
	}
	if shortest > 0 {
		longest = min(longest, cut*shortest)
	}
	left := margin + labels + margin
	for _, t := range c.Timings {
		text(img, margin, y, t.Config, ink)
		if t.Failed != "" {
			text(img, left, y, t.Failed, red)
		} else {
			c.bar(img, left, y, longest, t)
		}
		y += rowHeight
	}
	return y
}

func (c *Chart) bar(img *image.RGBA, left, y int, longest float64, t Timing) {
	at := func(ms float64) int {
		if !(longest > 0) {
			return left
		}
		return left + int(barWidth*min(max(0, ms)/longest, 1))
	}
	paint := blue
	if t.Config == c.Best {
		paint = green
	}
	fill(img, image.Rect(left, y-2, max(left+1, at(t.Median)), y+12), paint)
	fill(img, image.Rect(at(t.Low), y+4, min(at(t.High)+1, left+barWidth), y+6), ink)
	if t.Median > longest {
		fill(img, image.Rect(left+barWidth-14, y-2, left+barWidth-8, y+12), white) // cut
	}
	text(img, left+barWidth+letterStep, y, fmt.Sprintf("%.4g ms", t.Median), ink)
}

func fill(img *image.RGBA, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func textWidth(s string) int { return len([]rune(s)) * letterStep }

// text writes a line; y is its top.
func text(img *image.RGBA, x, y int, s string, c color.Color) {
	for _, r := range s {
		glyph(img, x, y, r, c)
		x += letterStep
	}
}

// glyph draws a letter, or a grey box for one that the font does not have.
func glyph(img *image.RGBA, x, y int, r rune, c color.Color) {
	rows, ok := font[r]
	if !ok {
		rows, c = "vvvvvvv", grey
	}
	for i := range glyphHeight {
		dots, _ := strconv.ParseUint(rows[i:i+1], 32, 8)
		for j := range glyphWidth {
			if dots>>(glyphWidth-1-j)&1 != 0 {
				fill(img, image.Rect(x+j*letterSize, y+i*letterSize, x+(j+1)*letterSize, y+(i+1)*letterSize), c)
			}
		}
	}
}
