package peers

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// clock is how long some runs took, and how much processor time, which is 0 if it is not known.
type clock struct{ wall, cpu time.Duration }

// timed runs a function in this process.
func timed(f func() error) func(n int) (clock, error) {
	return func(n int) (clock, error) {
		ids := threads() // others that begin meanwhile are missed
		work := cpuTime(ids)
		start := time.Now()
		for range n {
			if err := f(); err != nil {
				return clock{}, err
			}
		}
		wall := time.Since(start)
		return clock{wall, max(0, cpuTime(ids)-work)}, nil
	}
}

const (
	turn       = 20 * time.Millisecond // of a competitor, if a run does not take longer
	pause      = 20 * time.Millisecond // between turns; OpenMP's threads wait in loops for a while
	leastTurns = 9                     // of each competitor
)

// compare lets the competitors of a line take turns, every other round backwards, and adds its rows.
func (s *Suite) compare(ctx context.Context, l *line) error {
	all := append([]competitor{{name: "nereid", run: timed(l.ours)}}, l.peers...)
	counts, err := l.warmUp(all)
	if err != nil {
		return err
	}
	times := make([][]clock, len(all))
	span := s.Rep * time.Duration(len(all))
	for start := time.Now(); time.Since(start) < span || len(times[0]) < leastTurns; {
		if err := ctx.Err(); err != nil {
			return err
		}
		back := len(times[0])%2 == 1
		for i := range all {
			if back {
				i = len(all) - 1 - i
			}
			time.Sleep(max(l.rest, pause))
			t, err := all[i].turn(counts[i])
			if err != nil {
				return err
			}
			times[i] = append(times[i], t)
		}
	}
	s.addRows(l, times)
	return nil
}

// warmUp runs all competitors twice, so that code is compiled and caches and pages are warm, checks that they
// agree, and returns how often each can run in a turn.
func (l *line) warmUp(all []competitor) ([]int, error) {
	counts := make([]int, len(all))
	for range 2 {
		for i, c := range all {
			t, err := c.turn(1)
			if err != nil {
				return nil, err
			}
			counts[i] = int(max(1, turn/max(1, t.wall)))
		}
	}
	if l.check != nil {
		return counts, l.check()
	}
	return counts, nil
}

// turn runs a competitor n times and returns what one of the runs took.
func (c competitor) turn(n int) (clock, error) {
	t, err := c.run(n)
	if err != nil {
		return t, fmt.Errorf("%s: %w", c.name, err)
	}
	return clock{t.wall / time.Duration(n), t.cpu / time.Duration(n)}, nil
}

func (s *Suite) addRows(l *line, times [][]clock) {
	ours := l.rate(times[0])
	for i, c := range l.peers {
		s.rows = append(s.rows, row{line: l.name, what: l.what, ours: ours, peer: c.name,
			theirs: l.rate(times[i+1]), ratios: versus(times[0], times[i+1]), least: c.least})
	}
	if len(l.peers) == 0 {
		s.rows = append(s.rows, row{line: l.name, what: l.what, ours: ours, peer: "nobody"})
	}
}

// rate returns the rate of the median turn.
func (l *line) rate(turns []clock) string {
	t := median(turns, func(i int) float64 { return turns[i].wall.Seconds() })
	return fmt.Sprintf("%.1f %s", l.work/1e9/t, l.unit)
}

// ratios are our rate to theirs.
type ratios struct {
	clock float64 // the median of the rounds, in which turns lie side by side
	best  float64 // of the best turns, which noise disturbs less
	// median processor time of the rounds: other processes do not lengthen it; 0 if unknown
	cpu   float64
	cores [2]float64 // that we and they had, medians
}

// versus compares turns of the same rounds, which have the same index.
func versus(ours, theirs []clock) (r ratios) {
	r.clock = median(ours, func(i int) float64 { return theirs[i].wall.Seconds() / ours[i].wall.Seconds() })
	r.best = least(theirs).Seconds() / least(ours).Seconds()
	for i := range ours {
		if ours[i].cpu <= 0 || theirs[i].cpu <= 0 {
			return r
		}
	}
	r.cpu = median(ours, func(i int) float64 { return theirs[i].cpu.Seconds() / ours[i].cpu.Seconds() })
	for k, turns := range [2][]clock{ours, theirs} {
		r.cores[k] = median(turns, func(i int) float64 {
			return turns[i].cpu.Seconds() / turns[i].wall.Seconds()
		})
	}
	return r
}

// verdict compares the ratio by the clock with the least that is wanted. Where one side had more cores and
// processor time says the opposite, the verdict is open: perhaps that side makes better use of the cores,
// perhaps the system gave it more.
func (r ratios) verdict(least float64) string {
	fast, cheap := r.clock >= least, r.cpu >= least
	if more := r.cores[0] / r.cores[1]; r.cpu > 0 && fast != cheap && (more > 1.25 || more < 0.8) {
		return "uneven"
	}
	if fast {
		return "ok"
	}
	return "short"
}

// median returns the median of a figure that each turn has.
func median(turns []clock, figure func(i int) float64) float64 {
	all := make([]float64, len(turns))
	for i := range turns {
		all[i] = figure(i)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func least(turns []clock) time.Duration {
	return slices.MinFunc(turns, func(a, b clock) int { return int(a.wall - b.wall) }).wall
}
