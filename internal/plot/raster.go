package plot

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// dpi is the resolution of pictures, in dots per inch.
const dpi = 120.0

// raster is a canvas of dots.
type raster struct {
	img   *image.RGBA
	faces map[float64]font.Face
}

func newRaster(width, height float64) (*raster, error) {
	if _, err := goRegular(); err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, dots(width), dots(height)))
	draw.Draw(img, img.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	return &raster{img, map[float64]font.Face{}}, nil
}

// dots returns a length in dots.
func dots(length float64) int { return int(math.Round(length * dpi / 72)) }

func (r *raster) fill(area []point, c color.RGBA) {
	if len(area) < 3 {
		return
	}
	at := image.Pt(dots(area[0].x), dots(area[0].y))
	box := image.Rectangle{at, at}
	for _, p := range area {
		box.Min.X, box.Min.Y = min(box.Min.X, dots(p.x)-1), min(box.Min.Y, dots(p.y)-1)
		box.Max.X, box.Max.Y = max(box.Max.X, dots(p.x)+2), max(box.Max.Y, dots(p.y)+2)
	}
	if box = box.Intersect(r.img.Bounds()); box.Empty() {
		return
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range area {
		x, y := float32(p.x*dpi/72)-float32(box.Min.X), float32(p.y*dpi/72)-float32(box.Min.Y)
		if i == 0 {
			z.MoveTo(x, y)
		} else {
			z.LineTo(x, y)
		}
	}
	z.ClosePath()
	z.Draw(r.img, box, image.NewUniform(c), image.Point{})
}

// stroke fills a rectangle along each part of the line.
func (r *raster) stroke(line []point, width float64, c color.RGBA) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		x, y := (b.x-a.x)/length*width/2, (b.y-a.y)/length*width/2 // half the width, along the line
		r.fill([]point{{a.x - y - x, a.y + x - y}, {b.x - y + x, b.y + x + y}, {b.x + y + x, b.y - x + y},
			{a.x + y - x, a.y - x - y}}, c)
	}
}

func (r *raster) text(at point, s string, size float64, a align, upright bool) {
	f := r.face(size)
	if f == nil || s == "" {
		return
	}
	width := font.MeasureString(f, s)
	high, deep := f.Metrics().Ascent.Ceil(), f.Metrics().Descent.Ceil()
	line := image.NewRGBA(image.Rect(0, 0, width.Ceil()+2, high+deep))
	d := font.Drawer{Dst: line, Src: image.NewUniform(ink), Face: f, Dot: fixed.P(1, high)}
	d.DrawString(s)
	before := [...]int{0, line.Bounds().Dx() / 2, line.Bounds().Dx()}[a]
	if upright {
		turned := turn(line)
		r.place(turned, dots(at.x)-turned.Bounds().Dx()/2, dots(at.y)-turned.Bounds().Dy()+before)
		return
	}
	r.place(line, dots(at.x)-before, dots(at.y)-line.Bounds().Dy()/2)
}

// face returns the font at a size, nil if it has none.
func (r *raster) face(size float64) font.Face {
	if f, ok := r.faces[size]; ok {
		return f
	}
	f, err := face(size, dpi)
	if err != nil {
		f = nil
	}
	r.faces[size] = f
	return f
}

func (r *raster) place(from *image.RGBA, x, y int) {
	draw.Draw(r.img, from.Bounds().Add(image.Pt(x, y)), from, image.Point{}, draw.Over)
}

// turn returns an image turned to the left.
func turn(from *image.RGBA) *image.RGBA {
	size := from.Bounds().Size()
	to := image.NewRGBA(image.Rect(0, 0, size.Y, size.X))
	for y := range size.Y {
		for x := range size.X {
			to.SetRGBA(y, size.X-1-x, from.RGBAAt(x, y))
		}
	}
	return to
}

func (r *raster) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, r.img); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
