package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/plot"
)

// tuneShow shows a tuning while it runs and afterwards.
type tuneShow struct {
	line     io.Writer // gets the line of progress; nil: nobody looks
	measured int
	quickest time.Duration
	best     string
	all      []nereid.Tuned
	charts   []plot.BarChart
}

// terminal is the writer if it is a terminal, else nil.
func terminal(w io.Writer) io.Writer {
	if p, ok := w.(*painter); ok {
		w = p.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 || f.Name() == os.DevNull {
		return nil
	}
	return w
}

// begin starts over for another tuning.
func (s *tuneShow) begin() { s.measured, s.quickest, s.best, s.all = 0, 0, "", nil }

// progress draws the line of progress anew after a config.
func (s *tuneShow) progress(t nereid.Tuned) {
	s.measured++
	if t.Failed == "" && (s.quickest == 0 || t.Median < s.quickest) {
		s.quickest = t.Median
	}
	if s.line == nil {
		return
	}
	const width = 30
	full := width * (t.Index + 1) / max(1, t.Count)
	fmt.Fprintf(s.line, "\r\x1b[K%s [%s%s] %d of %d", t.Kernel, strings.Repeat("#", full),
		strings.Repeat(".", width-full), t.Index+1, t.Count)
	if s.quickest > 0 {
		fmt.Fprintf(s.line, ", best %v", timeText(s.quickest))
	}
}

// done takes the line away and keeps what is known for the table and the plot.
func (s *tuneShow) done(best string, all []nereid.Tuned) {
	s.best, s.all = best, all
	if s.line != nil {
		fmt.Fprint(s.line, "\r\x1b[K")
	}
}

// table prints all configs, the one that was chosen with a star.
func (s *tuneShow) table(out io.Writer, title string, took time.Duration) {
	fmt.Fprintf(out, "%s: %d configs measured in %s\n", title, s.measured, timeText(took))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	chart := plot.BarChart{Title: title, Unit: "ms"}
	for _, t := range s.all {
		mark, what := " ", fmt.Sprintf("%s\t(%s to %s)", timeText(t.Median), timeText(t.Low),
			timeText(t.High))
		if t.Config == s.best {
			mark = "*"
		}
		if t.Failed != "" {
			what = t.Failed
		}
		fmt.Fprintf(w, "%s %s\t%s\n", mark, t.Config, what)
		ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
		chart.Bars = append(chart.Bars, plot.Bar{
			Name: t.Config, Median: ms(t.Median), Low: ms(t.Low), High: ms(t.High), Failed: t.Failed,
			Best: t.Config == s.best,
		})
	}
	w.Flush()
	s.charts = append(s.charts, chart)
}

// plot writes the picture of all tunings.
func (s *tuneShow) plot(file string) error {
	format, err := plot.Format(file)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = plot.Bars(f, format, s.charts)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
