package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
)

// Cell is an element of a GridChart: up to two lines of text on a colour.
type Cell struct {
	Text  [2]string
	Hue   float64 // 0 to 1, around the circle of colours
	Light float64 // 0 to 1
}

// GridChart is a table of coloured cells, row by row, with the numbers of rows and columns at its edges.
type GridChart struct {
	Title string
	Cols  int
	Cells []Cell
}

const (
	gridWidth = 19 * centimetre // of a page, edges included
	gridEdge  = 24.0
	maxCell   = 36.0
	minCell   = 4.0
)

// Grid draws a table so that 64 columns fit on a page.
func Grid(w io.Writer, format string, g GridChart) error {
	if g.Cols <= 0 || len(g.Cells) == 0 || len(g.Cells)%g.Cols != 0 {
		return fmt.Errorf("%d cells do not fill rows of %d", len(g.Cells), g.Cols)
	}
	rows := len(g.Cells) / g.Cols
	size := min(maxCell, max(minCell, (gridWidth-2*gridEdge)/float64(g.Cols)))
	width := max(float64(g.Cols)*size+2*gridEdge, 8*centimetre)
	c, err := newCanvas(format, width, float64(rows)*size+2*gridEdge+12)
	if err != nil {
		return err
	}
	c.text(point{gridEdge, 10}, g.Title, textSize, left, false)
	top := gridEdge + 10
	for i, cell := range g.Cells {
		cell.draw(c, point{gridEdge + float64(i%g.Cols)*size, top + float64(i/g.Cols)*size}, size)
	}
	small, step := min(7, max(4, size/2)), max(1, int(math.Ceil(12/size)))
	for i := 0; i < g.Cols; i += step {
		c.text(point{gridEdge + (float64(i)+0.5)*size, top - 5}, strconv.Itoa(i), small, middle, false)
	}
	for i := 0; i < rows; i += step {
		c.text(point{gridEdge / 2, top + (float64(i)+0.5)*size}, strconv.Itoa(i), small, middle, false)
	}
	_, err = c.WriteTo(w)
	return err
}

// draw draws a cell with its upper left corner at a place.
func (c Cell) draw(to canvas, at point, size float64) {
	box := rect(at.x, at.y, size, size)
	to.fill(box, c.color())
	to.stroke(append(box, box[0]), size/40, white)
	if size > minCell {
		to.text(point{at.x + size/2, at.y + size*0.33}, c.Text[0], size/3.4, middle, false)
		to.text(point{at.x + size/2, at.y + size*0.72}, c.Text[1], size/3.4, middle, false)
	}
}

// color returns the cell's colour, pale enough for dark text.
func (c Cell) color() color.RGBA {
	channel := func(at float64) uint8 {
		k := math.Mod(at+c.Hue*12, 12)
		a := 0.45 * min(c.Light, 1-c.Light)
		return uint8(255 * (c.Light - a*max(-1, min(k-3, 9-k, 1))))
	}
	return color.RGBA{channel(0), channel(8), channel(4), 255}
}
