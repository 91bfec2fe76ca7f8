package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/plot"
	"github.com/nereid-lang/nereid/tunable"
)

// exploreShow shows what was measured: a table, objects or a picture.
type exploreShow struct {
	flags  *exploreFlags
	out    io.Writer
	title  string
	series []plot.Series
	xName  string
}

// explored is a line of the JSON output.
type explored struct {
	Op        string           `json:"op"`
	Device    string           `json:"device"`
	Shape     map[string]int64 `json:"shape"`
	Candidate string           `json:"candidate"`
	Median    float64          `json:"median_us,omitempty"`
	Low       float64          `json:"low_us,omitempty"`
	High      float64          `json:"high_us,omitempty"`
	Rate      float64          `json:"rate,omitempty"`
	Unit      string           `json:"unit,omitempty"`
	Picked    bool             `json:"picked"`
	Failed    string           `json:"failed,omitempty"`
}

// work returns the bytes or operations of a run, and the unit of their rate.
func (s *exploreShow) work(c *exploreCall) (n float64, unit string, err error) {
	f := s.flags
	switch {
	case f.flops != "":
		n, err = c.with(nil).number(f.flops)
		return n, "FLOP/s", err
	case f.bytes != "":
		n, err = c.with(nil).number(f.bytes)
		return n, "B/s", err
	}
	for _, t := range c.in.tensors {
		n += float64(t.len() * t.dtype.Size())
	}
	return n, "B/s", nil
}

// add shows the candidates of a shape: the op first, then the candidates by time.
func (s *exploreShow) add(dev *nereid.Device, c *exploreCall, list []tunable.Result) error {
	work, unit, err := s.work(c)
	if err != nil {
		return usagef("--bytes or --flops: %v", err)
	}
	rate := func(d time.Duration) float64 { return work / max(d.Seconds(), 1e-12) }
	s.plotted(c, list, rate)
	if s.flags.json {
		return s.objects(dev, c, list, rate, unit)
	}
	shape := c.text()
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s on %s, tunable\t%s\t%s, %s -> %s\n", s.title, dev, shape, timeText(list[0].Median),
		rateText(rate(list[0].Median), unit), list[0].Candidate)
	for _, r := range fastest(list) {
		what := r.Failed
		if what == "" {
			what = timeText(r.Median) + ", " + rateText(rate(r.Median), unit)
		}
		mark := " "
		if r.Picked {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, r.Candidate, shape, printable(what))
	}
	return w.Flush()
}

// fastest returns results by time alone: the picked one is not always the first.
func fastest(list []tunable.Result) []tunable.Result {
	out := append([]tunable.Result(nil), list...)
	for i := 0; i+1 < len(out) && out[i+1].Failed == "" && out[i+1].Median < out[i].Median; i++ {
		out[i], out[i+1] = out[i+1], out[i]
	}
	return out
}

// text returns the values of the shape.
func (c *exploreCall) text() string {
	var parts []string
	for _, n := range c.names {
		parts = append(parts, fmt.Sprintf("%s=%d", n, c.shape[n]))
	}
	return strings.Join(parts, " ")
}

func (s *exploreShow) objects(dev *nereid.Device, c *exploreCall, list []tunable.Result,
	rate func(time.Duration) float64, unit string) error {
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	e := json.NewEncoder(s.out)
	for _, r := range fastest(list) {
		x := explored{Op: s.title, Device: dev.String(), Shape: c.shape, Candidate: r.Candidate,
			Picked: r.Picked, Failed: r.Failed}
		if r.Failed == "" {
			x.Median, x.Low, x.High, x.Rate, x.Unit = us(r.Median), us(r.Low), us(r.High),
				rate(r.Median), unit
		}
		if err := e.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

// plotted adds points to the curves: over the last value of the shapes.
func (s *exploreShow) plotted(c *exploreCall, list []tunable.Result, rate func(time.Duration) float64) {
	s.xName = c.names[len(c.names)-1]
	x := float64(c.shape[s.xName])
	point := func(name string, y float64) {
		for i := range s.series {
			if s.series[i].Name == name {
				s.series[i].X, s.series[i].Y = append(s.series[i].X, x), append(s.series[i].Y, y)
				return
			}
		}
		s.series = append(s.series, plot.Series{Name: name, X: []float64{x}, Y: []float64{y}})
	}
	point("tunable", rate(list[0].Median)/1e9)
	for _, r := range list {
		if r.Failed == "" {
			point(r.Candidate, rate(r.Median)/1e9)
		}
	}
}

// draw writes the picture.
func (s *exploreShow) draw(file string) error {
	format, err := plot.Format(file)
	if err != nil {
		return err
	}
	unit := "GB/s"
	if s.flags.flops != "" {
		unit = "GFLOP/s"
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = plot.Lines(f, format, plot.LineChart{Title: s.title, XLabel: s.xName, YLabel: unit,
		Series: s.series})
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
