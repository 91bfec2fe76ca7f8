package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// point is a place on a canvas: points (1/72 inch) from the left and from the top.
type point struct{ x, y float64 }

// align says which part of a text lies at its place.
type align int

const (
	left align = iota
	middle
	right
)

// canvas is what charts are drawn on.
type canvas interface {
	fill(area []point, c color.RGBA)
	stroke(line []point, width float64, c color.RGBA)
	// text writes a line with its middle at the height of a place; one that is upright is read from below.
	text(at point, s string, size float64, a align, upright bool)
	io.WriterTo
}

// newCanvas returns a white canvas.
func newCanvas(format string, width, height float64) (canvas, error) {
	if format == "svg" {
		return newSVG(width, height), nil
	}
	return newRaster(width, height)
}

// rect returns the corners of a rectangle.
func rect(x, y, width, height float64) []point {
	return []point{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}
}

// goRegular is the font of pictures, and the measure of text in both formats.
var goRegular = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// face returns the font at a size, at so many dots per inch.
func face(size, dpi float64) (font.Face, error) {
	f, err := goRegular()
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: dpi, Hinting: font.HintingNone})
}

// widthOf returns the width of a text in points.
func widthOf(s string, size float64) float64 {
	f, err := face(size, 72)
	if err != nil {
		return size * 0.6 * float64(len(s))
	}
	return float64(font.MeasureString(f, s)) / 64
}

// widest returns the width of the widest of some texts.
func widest(texts []string, size float64) (w float64) {
	for _, s := range texts {
		w = max(w, widthOf(s, size))
	}
	return w
}

// svg is a canvas of text.
type svg struct{ bytes.Buffer }

func newSVG(width, height float64) *svg {
	s := &svg{}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0fpt" height="%.0fpt" `+
		"viewBox=\"0 0 %.2f %.2f\" font-family=\"Go, Helvetica, Arial, sans-serif\">\n",
		width, height, width, height)
	s.fill(rect(0, 0, width, height), white)
	return s
}

func (s *svg) fill(area []point, c color.RGBA) {
	fmt.Fprintf(s, "<polygon points=\"%s\" fill=\"%s\"/>\n", places(area), hex(c))
}

func (s *svg) stroke(line []point, width float64, c color.RGBA) {
	fmt.Fprintf(s, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"/>\n",
		places(line), hex(c), width)
}

func (s *svg) text(at point, text string, size float64, a align, upright bool) {
	turn := ""
	if upright {
		turn = fmt.Sprintf(` transform="rotate(-90 %.2f %.2f)"`, at.x, at.y)
	}
	fmt.Fprintf(s, `<text x="%.2f" y="%.2f" font-size="%.1f" fill="%s" text-anchor="%s"%s>`,
		at.x, at.y+0.35*size, size, hex(ink), [...]string{"start", "middle", "end"}[a], turn)
	xml.EscapeText(s, []byte(text))
	s.WriteString("</text>\n")
}

func (s *svg) WriteTo(w io.Writer) (int64, error) {
	s.WriteString("</svg>\n")
	return s.Buffer.WriteTo(w)
}

func places(line []point) string {
	var b strings.Builder
	for i, p := range line {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%.2f,%.2f", p.x, p.y)
	}
	return b.String()
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
