package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	gridWidth = 19 * vg.Centimeter // of a page, edges included
	gridEdge  = vg.Length(24)
	maxCell   = vg.Length(36)
	minCell   = vg.Length(4)
)

// Grid draws a table so that 64 columns fit on a page.
func Grid(w io.Writer, format string, g GridChart) error {
	if g.Cols <= 0 || len(g.Cells) == 0 || len(g.Cells)%g.Cols != 0 {
		return fmt.Errorf("%d cells do not fill rows of %d", len(g.Cells), g.Cols)
	}
	rows := len(g.Cells) / g.Cols
	size := min(maxCell, max(minCell, (gridWidth-2*gridEdge)/vg.Length(g.Cols)))
	width := max(vg.Length(g.Cols)*size+2*gridEdge, 8*vg.Centimeter)
	height := vg.Length(rows)*size + 2*gridEdge + 12
	canvas, to := newCanvas(format, width, height)
	c := draw.New(canvas)
	c.FillPolygon(color.White, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	c.FillText(gridText(9, draw.XLeft), vg.Point{X: gridEdge, Y: height - 10}, g.Title)
	top := height - gridEdge - 10
	for i, cell := range g.Cells {
		x := gridEdge + vg.Length(i%g.Cols)*size
		y := top - vg.Length(i/g.Cols+1)*size
		box := []vg.Point{{X: x, Y: y}, {X: x + size, Y: y}, {X: x + size, Y: y + size}, {X: x, Y: y + size}}
		c.FillPolygon(cell.color(), box)
		c.StrokeLines(draw.LineStyle{Color: color.White, Width: size / 40}, append(box, box[0]))
		if size > minCell {
			style := gridText(float64(size)/3.4, draw.XCenter)
			c.FillText(style, vg.Point{X: x + size/2, Y: y + size*0.67}, cell.Text[0])
			c.FillText(style, vg.Point{X: x + size/2, Y: y + size*0.28}, cell.Text[1])
		}
	}
	edge := gridText(min(7, max(4, float64(size)/2)), draw.XCenter)
	step := max(1, int(math.Ceil(float64(12/size))))
	for i := 0; i < g.Cols; i += step {
		c.FillText(edge, vg.Point{X: gridEdge + (vg.Length(i)+0.5)*size, Y: top + 5}, fmt.Sprint(i))
	}
	for i := 0; i < rows; i += step {
		c.FillText(edge, vg.Point{X: gridEdge / 2, Y: top - (vg.Length(i)+0.5)*size}, fmt.Sprint(i))
	}
	_, err := to.WriteTo(w)
	return err
}

func gridText(size float64, x text.XAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color: ink, Font: font.From(plot.DefaultFont, font.Length(size)), Handler: plot.DefaultTextHandler,
		XAlign: x, YAlign: draw.YCenter,
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
