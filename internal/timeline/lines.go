package timeline

import (
	"time"

	"github.com/nereid-lang/nereid/internal/sample"
)

// How often samples are taken out of their rings, and how often what they come to is written: a process may
// end at any time.
const (
	samplesEvery = 20 * time.Millisecond
	linesEvery   = 10 // of these
)

// sample counts in which lines of kernels the threads of the process are, until the recording ends. An event
// has what the samples of a line have come to since the beginning; a later one takes its place.
func (l *Log) sample() {
	s, err := sample.Start()
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.write(&event{phase: 'M', name: "nereid_lines_refused", args: []Arg{{"why", err.Error()}}})
		return
	}
	defer s.Stop()
	written := map[sample.Place]int{}
	t := time.NewTicker(samplesEvery)
	defer t.Stop()
	for n := 1; ; n++ {
		select {
		case <-l.ended:
			s.Stop()
			l.writeLines(s.Counts(), written)
			return
		case <-t.C:
			if s.Poll() != nil {
				return
			}
		}
		if n%linesEvery == 0 {
			l.writeLines(s.Counts(), written)
		}
	}
}

// writeLines writes the lines whose samples have become more.
func (l *Log) writeLines(c *sample.Counts, written map[sample.Place]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range c.List() {
		if written[n.Place] == n.Samples {
			continue
		}
		written[n.Place] = n.Samples
		l.write(&event{phase: 'M', name: "nereid_line", args: []Arg{{"kernel", n.Kernel}, {"file", n.File},
			{"line", int64(n.Line)}, {"samples", int64(n.Samples)},
			{"ns", int64(n.Samples) * sample.Period.Nanoseconds()}}})
	}
}
