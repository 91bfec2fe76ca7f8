package autotune

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// TestMeasureTakes: a measurement takes about as long as it was asked to, also where clearing caches between
// runs takes longer than the runs, which alone are counted.
func TestMeasureTakes(t *testing.T) {
	const run, warmup, rep = 10 * time.Microsecond, 100 * time.Millisecond, 300 * time.Millisecond
	for _, c := range []struct {
		name    string
		runs    int           // in a while, at most
		between time.Duration // before each run
	}{
		{"no pause", 1 << 20, 0}, {"pauses", 1 << 20, 9 * run}, {"long pauses", 1 << 20, 99 * run},
		{"few runs", 2, 99 * run}, // which do not tell what a run takes: nothing is shortened
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked [2]time.Duration
			var last time.Duration
			m := &Meter{Warmup: warmup, Rep: rep, Hopeless: 3,
				Times: func(warmup, rep time.Duration, f func() error) (list []time.Duration, err error) {
					begin := time.Now()
					for done := time.Duration(0); done < warmup; done += run {
						time.Sleep(c.between + run)
					}
					for len(list) == 0 || len(list) < c.runs && time.Duration(len(list))*run < rep {
						time.Sleep(c.between + run)
						list = append(list, run)
					}
					asked, last = [2]time.Duration{warmup, rep}, time.Since(begin)
					return list, nil
				}}
			timing, err := m.Measure("c", math.Inf(1), func() error { return nil })
			if err != nil || timing.Median != 0.01 {
				t.Errorf("%s: %+v: %v", c.name, timing, err)
			}
			if off := last - (warmup + rep); c.runs > 2 && off.Abs() > (warmup+rep)/10 ||
				c.runs == 2 && asked != [2]time.Duration{warmup, rep} {
				t.Errorf("%s: measuring took %v, asked for %v", c.name, last, asked)
			}
		})
	}
}
