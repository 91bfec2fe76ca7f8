package core

import (
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
)

// Measure runs f, which launches on the stream, repeatedly and returns the median time of a run. A GPU
// measures with its own clock and with cold caches, as Triton's do_bench does; other devices use the host's
// clock.
func (s *Stream) Measure(warmup, rep time.Duration, f func() error) (time.Duration, error) {
	times, err := s.Times(warmup, rep, f)
	return times.Median(), err
}

// Times returns the duration of every run that Measure would make, sorted, shortest first.
func (s *Stream) Times(warmup, rep time.Duration, f func() error) (Times, error) {
	times, err := s.times(warmup, rep, f)
	if err != nil {
		return nil, err
	}
	slices.Sort(times)
	return times, nil
}

// Times is a list of durations, sorted, shortest first.
type Times []time.Duration

// Median returns the middle duration, 0 for an empty list.
func (t Times) Median() time.Duration { return t.Quantile(0.5) }

// Mean returns the mean duration, 0 for an empty list.
func (t Times) Mean() time.Duration {
	var sum time.Duration
	for _, x := range t {
		sum += x
	}
	return sum / time.Duration(max(1, len(t)))
}

// Quantile returns the duration below which a share q, from 0 to 1, of the runs lie. It interpolates
// linearly, as Triton's do_bench does.
func (t Times) Quantile(q float64) time.Duration {
	if len(t) == 0 || q != q {
		return 0
	}
	at := min(max(q, 0), 1) * float64(len(t)-1)
	low := int(at)
	high := min(low+1, len(t)-1)
	return t[low] + time.Duration((at-float64(low))*float64(t[high]-t[low]))
}

// MeasureGraph captures runs of f, which launches on the stream, in a graph and returns the median time of a
// run when the graph is replayed: the device's time without the host's part, with warm caches, as Triton's
// do_bench_cudagraph does. On devices without graphs it is Measure.
func (s *Stream) MeasureGraph(rep time.Duration, f func() error) (time.Duration, error) {
	times, err := s.graphTimes(rep, f)
	if err != nil {
		return 0, err
	}
	slices.Sort(times)
	return Times(times).Median(), nil
}

// graphTimes returns the durations of runs in a graph, each the mean of a replay.
func (s *Stream) graphTimes(rep time.Duration, f func() error) ([]time.Duration, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errNoFunc
	}
	if t, ok := s.dev.b.(device.GraphTimer); ok {
		return t.MeasureGraph(s.s, rep, f)
	}
	return s.times(rep/4, rep, f)
}

// times returns the durations of runs by the device's clock, or the host's if it has none.
func (s *Stream) times(warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errNoFunc
	}
	if t, ok := s.dev.b.(device.Timer); ok {
		return t.Measure(s.s, warmup, rep, f)
	}
	return s.onHost(warmup, rep, f)
}

// onHost returns the durations of runs by the host's clock.
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
