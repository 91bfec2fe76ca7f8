package plot

import (
	"fmt"
	"io"
	"math"
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

const (
	barsWidth = 22 * centimetre
	barPitch  = 18.0 // from one bar to the next
	barHeight = 11.0
)

// Bars draws charts below each other.
func Bars(w io.Writer, format string, charts []BarChart) error {
	if len(charts) == 0 {
		return fmt.Errorf("nothing was measured, so there is nothing to plot")
	}
	height, names := gap, 0.0
	for i := range charts {
		height += charts[i].height()
		names = max(names, widest(charts[i].names(), textSize))
	}
	c, err := newCanvas(format, barsWidth, height)
	if err != nil {
		return err
	}
	top := gap
	for i := range charts {
		charts[i].draw(c, top, names)
		top += charts[i].height()
	}
	_, err = c.WriteTo(w)
	return err
}

func (c *BarChart) names() (names []string) {
	for _, b := range c.Bars {
		names = append(names, b.Name)
	}
	return names
}

func (c *BarChart) height() float64 { return float64(len(c.Bars))*barPitch + 60 }

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

// draw draws the chart below top, with room for names of a width.
func (c *BarChart) draw(to canvas, top, names float64) {
	reach := c.reach()
	scale := axis{hi: max(reach*1.2, 1e-9)} // room for the numbers behind the bars
	from := names + 2*gap
	width := barsWidth - from - 2*gap
	to.text(point{barsWidth / 2, top + titleSize}, c.Title, titleSize, middle, false)
	y := top + 2*titleSize
	for _, b := range c.Bars {
		text, end := fmt.Sprintf("%.4g", b.Median), from+width*scale.place(min(b.Median, reach))
		if b.Failed != "" {
			text, end = b.Failed, from
		}
		fill := blue
		if b.Best {
			fill = green
		}
		to.fill(rect(from, y+(barPitch-barHeight)/2, end-from, barHeight), fill)
		to.text(point{end + gap, y + barPitch/2}, text, textSize, left, false)
		to.text(point{from - gap, y + barPitch/2}, b.Name, textSize, right, false)
		y += barPitch
	}
	to.stroke([]point{{from, y}, {from + width, y}}, 0.7, ink)
	for _, t := range scale.ticks(6) {
		x := from + width*scale.place(t.at)
		to.stroke([]point{{x, y}, {x, y + 4}}, 0.7, ink)
		to.text(point{x, y + 10}, t.name, textSize-1, middle, false)
	}
	to.text(point{from + width/2, y + 22}, c.Unit, textSize, middle, false)
}
