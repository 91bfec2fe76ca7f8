package nereid

import (
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/backend"
)

// Measure runs f, which launches on the stream, over and over and returns the median time of a run, on the device's own clock where it
// has one, with cold caches each time.
func (s *Stream) Measure(warmup, rep time.Duration, f func() error) (time.Duration, error) {
	times, err := s.times(warmup, rep, f)
	if err != nil || len(times) == 0 {
		return 0, err
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// MeasureGraph records runs of f, which launches on the stream, as a graph and returns the median time of a run when it is replayed: what
// the device needs without the host's part in it, and with warm caches, as Triton's do_bench_cudagraph. Where there are no graphs it is
// Measure.
func (s *Stream) MeasureGraph(rep time.Duration, f func() error) (time.Duration, error) {
	times, err := s.graphTimes(rep, f)
	if err != nil || len(times) == 0 {
		return 0, err
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// graphTimes are those of runs in a graph, each the mean of one replay.
func (s *Stream) graphTimes(rep time.Duration, f func() error) ([]time.Duration, error) {
	if t, ok := s.dev.b.(backend.GraphTimer); ok {
		return t.MeasureGraph(s.s, rep, f)
	}
	return s.times(rep/4, rep, f)
}

// times are those of the runs.
func (s *Stream) times(warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	if t, ok := s.dev.b.(backend.Timer); ok {
		return t.Measure(s.s, warmup, rep, f)
	}
	return s.onHost(warmup, rep, f)
}

// onHost times runs with the host's clock.
func (s *Stream) onHost(warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	var times []time.Duration
	begin := time.Now()
	for time.Since(begin) < warmup+rep || len(times) == 0 {
		start := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		if err := s.Sync(); err != nil {
			return nil, err
		}
		if start.Sub(begin) >= warmup {
			times = append(times, time.Since(start))
		}
	}
	return times, nil
}
