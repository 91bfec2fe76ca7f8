package pass

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Timing is how long one pass took.
type Timing struct {
	Pass string
	Time time.Duration
}

// WriteTimings prints a table of timings with their shares of the whole.
func WriteTimings(w io.Writer, timings []Timing) error {
	var total time.Duration
	for _, t := range timings {
		total += t.Time
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, d time.Duration) {
		share := 100.0
		if total > 0 {
			share = 100 * float64(d) / float64(total)
		}
		fmt.Fprintf(tw, "%.3f ms\t%.1f%%\t  %s\n", float64(d)/1e6, share, name)
	}
	for _, t := range timings {
		row(t.Pass, t.Time)
	}
	row("total", total)
	return tw.Flush()
}
