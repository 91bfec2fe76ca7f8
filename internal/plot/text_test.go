package plot

import (
	"image"
	"testing"
)

// inkBox returns the box of what a text leaves in a picture of 400 dots, with the point of the text for
// origin.
func inkBox(t *testing.T, s string, size float64, a align, upright bool) (box image.Rectangle) {
	t.Helper()
	const middle = 200.0 * 72 / dpi
	r, err := newRaster(2*middle, 2*middle)
	if err != nil {
		t.Fatal(err)
	}
	r.text(point{middle, middle}, s, size, a, upright)
	for y := range r.img.Bounds().Dy() {
		for x := range r.img.Bounds().Dx() {
			if r.img.RGBAAt(x, y) != white {
				box = box.Union(image.Rect(x-200, y-200, x-199, y-199))
			}
		}
	}
	return box
}

// TestUprightText: an upright text lies about its point as the same text does that is turned to the left, up
// to rounding, for each size and alignment.
func TestUprightText(t *testing.T) {
	for _, size := range []float64{6, 9, 14} {
		for a := range align(3) {
			flat, up := inkBox(t, "Wörter 12", size, a, false), inkBox(t, "Wörter 12", size, a, true)
			want := image.Rect(flat.Min.Y, -flat.Max.X, flat.Max.Y, -flat.Min.X)
			for _, d := range []int{up.Min.X - want.Min.X, up.Min.Y - want.Min.Y, up.Max.X - want.Max.X,
				up.Max.Y - want.Max.Y} {
				if d < -1 || d > 1 || flat.Empty() {
					t.Errorf("size %v, alignment %d: upright at %v, turned at %v", size, a, up, want)
					break
				}
			}
		}
	}
}
