package autotune

import (
	"slices"
	"time"
)

// behind is how much slower than the best a config is, after a tenth of a measurement, if it is given up.
const behind = 1.2

// fewest is the number of runs before a config is given up, unless they take too long.
const fewest = 5

// Meter measures configs, the less thoroughly the further they are behind.
type Meter struct {
	// Times returns the durations of runs of f for a while, after a warm-up.
	Times       func(warmup, rep time.Duration, f func() error) ([]time.Duration, error)
	Warmup, Rep time.Duration
	// Hopeless is how many times slower than the best the first runs are if a config is given up after them.
	Hopeless float64
}

// Measure returns the timing of a config whose run is call. best is the least median so far in milliseconds,
// or infinity, which measures to the end.
func (m *Meter) Measure(config string, best float64, call func() error) (Timing, error) {
	warmup, rep := m.Warmup, m.Rep
	if t, err := m.glance(config, call, best); err != nil || t.Low > m.Hopeless*best {
		return t, err
	}
	begin := time.Now()
	some, err := m.Times(warmup/10, rep/10, call)
	for err == nil && len(some) < fewest && time.Since(begin) < rep {
		var more []time.Duration
		more, err = m.Times(0, rep/10, call)
		some = append(some, more...)
	}
	if err != nil {
		return Timing{}, err
	}
	if t := NewTiming(config, some); t.Behind(best) {
		return t, nil
	}
	// Clearing caches takes longer than small kernels do. Triton counts it in.
	if slower := float64(time.Since(begin)) / float64(warmup/10+rep/10+1); slower > 1 && len(some) > 10 {
		warmup, rep = time.Duration(float64(warmup)/slower), time.Duration(float64(rep)/slower)
	}
	times, err := m.Times(warmup, rep, call)
	return NewTiming(config, times), err
}

// glance returns a config's timing by one run, or by three if the first is far behind, because other work on
// the machine distorts single runs. It takes no longer than a measurement.
func (m *Meter) glance(config string, call func() error, best float64) (Timing, error) {
	var all []time.Duration
	begin := time.Now()
	for range 3 {
		times, err := m.Times(0, 0, call)
		if err != nil || len(times) == 0 {
			return Timing{Config: config}, err
		}
		all = append(all, times...)
		if float64(slices.Min(all)) <= m.Hopeless*best*float64(time.Millisecond) ||
			time.Since(begin) > m.Rep {
			break
		}
	}
	t := NewTiming(config, all)
	t.Low = float64(slices.Min(all)) / float64(time.Millisecond)
	return t, nil
}

// Behind reports whether a config is so far behind the best that more runs would not change the choice.
func (t Timing) Behind(best float64) bool { return t.Low > behind*best }

// NewTiming returns the quantiles of measurements.
func NewTiming(config string, times []time.Duration) Timing {
	if len(times) == 0 {
		return Timing{Config: config}
	}
	slices.Sort(times)
	at := func(q float64) float64 {
		return float64(times[int(q*float64(len(times)-1)+0.5)]) / float64(time.Millisecond)
	}
	return Timing{Config: config, Median: at(0.5), Low: at(0.2), High: at(0.8)}
}
