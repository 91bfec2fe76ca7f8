// Package plot draws measurements: bars for the configs of a tuning, lines for what changes with a size or
// with time, tables of coloured cells. In come numbers and their names, out comes a PNG or an SVG. Only the
// command line and tests import it, so that programs which launch kernels do not carry fonts.
//
// The files:
//
//	plot.go     formats, colours
//	canvas.go   what charts are drawn on, and its form as SVG
//	raster.go   … and as PNG
//	axis.go     the numbers at an axis
//	bars.go     bars below each other
//	lines.go    lines over a common axis
//	grid.go     a table of coloured cells
package plot

import (
	"fmt"
	"image/color"
	"path/filepath"
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
	faint = color.RGBA{210, 210, 210, 255}
	white = color.RGBA{255, 255, 255, 255}
	// hues has the colours of series, in the order in which they are used.
	hues = []color.RGBA{{50, 100, 180, 255}, {200, 90, 40, 255}, {60, 150, 80, 255}, {140, 80, 160, 255}, ink}
)

// Sizes of text and gaps, in points.
const (
	titleSize  = 12.0
	textSize   = 9.0
	gap        = 6.0
	centimetre = 72 / 2.54
)
