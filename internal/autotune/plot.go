package autotune

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"strings"
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
	timeWidth  = 110
	letterSize = 2 // pixels for a dot of the font
	letterStep = 4 * letterSize
)

var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{40, 40, 40, 255}
	grey  = color.RGBA{150, 150, 150, 255}
	blue  = color.RGBA{110, 150, 200, 255}
	green = color.RGBA{60, 150, 80, 255}
	red   = color.RGBA{180, 60, 50, 255}
)

// Plot draws charts below each other as a PNG: a bar for each config, as long as its median, with a line from the lower quantile to the
// upper one. The config that was chosen is green; one that failed has the reason in place of a bar.
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
	longest := 0.0
	for _, t := range c.Timings {
		if t.Failed == "" {
			longest = max(longest, t.High, t.Median)
		}
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
		return left + int(barWidth*max(0, ms)/longest)
	}
	paint := blue
	if t.Config == c.Best {
		paint = green
	}
	fill(img, image.Rect(left, y-2, max(left+1, at(t.Median)), y+12), paint)
	fill(img, image.Rect(at(t.Low), y+4, at(t.High)+1, y+6), ink)
	text(img, left+barWidth+letterStep, y, fmt.Sprintf("%.4g ms", t.Median), ink)
}

func fill(img *image.RGBA, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func textWidth(s string) int { return len([]rune(s)) * letterStep }

// text writes a line in capitals; y is its top.
func text(img *image.RGBA, x, y int, s string, c color.Color) {
	for _, r := range strings.ToUpper(s) {
		glyph(img, x, y, r, c)
		x += letterStep
	}
}

// glyph draws a letter, or a grey box for one that the font does not have.
func glyph(img *image.RGBA, x, y int, r rune, c color.Color) {
	rows, ok := font[r]
	if !ok {
		rows, c = "77777", grey
	}
	for i, digit := range rows {
		for j := range 3 {
			if (digit-'0')>>(2-j)&1 != 0 {
				fill(img, image.Rect(x+j*letterSize, y+i*letterSize, x+(j+1)*letterSize, y+(i+1)*letterSize), c)
			}
		}
	}
}

// font is letters of 3 by 5 dots: a digit for each row, its bits the dots.
var font = map[rune]string{
	' ': "00000", '.': "00002", ',': "00024", ':': "02020", '-': "00700", '_': "00007", '=': "07070", '+': "02720", '*': "05250", '/': "11244",
	'(': "12221", ')': "42224", '[': "32223", ']': "62226", '<': "12421", '>': "42124", '\'': "22000", '"': "55000", '%': "51245", '!': "22202", '?': "61202",
	'0': "75557", '1': "26227", '2': "71747", '3': "71317", '4': "55711", '5': "74717", '6': "74757", '7': "71122", '8': "75757", '9': "75717",
	'A': "25755", 'B': "65656", 'C': "34443", 'D': "65556", 'E': "74647", 'F': "74644", 'G': "34553", 'H': "55755", 'I': "72227", 'J': "11152",
	'K': "55655", 'L': "44447", 'M': "57755", 'N': "65555", 'O': "25552", 'P': "65644", 'Q': "25563", 'R': "65655", 'S': "34216", 'T': "72222",
	'U': "55557", 'V': "55552", 'W': "55775", 'X': "55255", 'Y': "55222", 'Z': "71247",
}
