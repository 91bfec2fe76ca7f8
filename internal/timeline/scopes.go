package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Scopes of a launch are drawn on tracks of their warps, below those of the device. The device's clocks give
// their lengths; that the last of them ends with the kernel gives their places.

// maxScopes bounds the scopes of a launch that are written: a timeline of more cannot be read.
const maxScopes = 20000

// RecordsScopes reports whether scopes are recorded, too.
func (l *Log) RecordsScopes() bool { return l != nil && knob.TraceScopes.Get() }

// scope is a scope that has ended.
type scope struct {
	name       string
	warp       warpKey
	from, to   uint64  // by the clock of its SM
	start, end float64 // in nanoseconds
}

// warpKey names a warp of a launch.
type warpKey struct{ sm, block, warp int }

// Scopes records what the scopes of a launch took, which has ended. If the code that recorded them was all of
// the launch, its clock tells the launch's time, too.
func (l *Log) Scopes(kernel string, dev device.Device, s device.Stream, run device.ScopeRun, all bool) {
	list, open := pair(run.Marks)
	if len(list) == 0 && open == 0 {
		return
	}
	rate := clockRate(run.Marks)
	place(list, run.Marks, rate)
	list, own := withoutWhole(list)
	if !all || run.Lost > 0 || run.Unit != "cycles" { // the end of the last warp may be among what was lost
		own = 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ended := time.Now()
	if q := l.queues[s]; q != nil {
		q.release(own)
		l.drain(q, true)
		ended = q.at
	}
	last := 0.0
	for _, x := range list {
		last = max(last, x.end)
	}
	begin := ended.Add(-time.Duration(last)).Sub(l.begin)
	written := min(len(list), maxScopes)
	tracks := l.scopeTracks(dev, list[:written], begin)
	for _, x := range list[:written] {
		l.write(&event{phase: 'X', category: Scope, name: x.name, track: tracks[x.warp],
			start: begin + time.Duration(x.start), took: time.Duration(x.end - x.start),
			args: []Arg{{"kernel", kernel}, {"device", dev.Name()}, {"block", int64(x.warp.block)},
				{"warp", int64(x.warp.warp)}, {"sm", int64(x.warp.sm)}, {run.Unit, int64(x.to - x.from)}}})
	}
	if lost := run.Lost + len(list) - written; lost > 0 || open > 0 {
		l.write(&event{phase: 'M', name: "nereid_scopes_lost", args: []Arg{{"kernel", kernel},
			{"lost", int64(lost)}, {"open", int64(open)}}})
	}
}

// withoutWhole takes the scopes that are all of the kernel out of a list, and returns the time from the
// beginning of the first to the end of the last: the kernel's own.
func withoutWhole(list []scope) (rest []scope, own time.Duration) {
	first, last := math.Inf(1), math.Inf(-1)
	for _, x := range list {
		if x.name != "" {
			rest = append(rest, x)
			continue
		}
		first, last = min(first, x.start), max(last, x.end)
	}
	return rest, time.Duration(max(0, last-first))
}

// pair makes scopes of marks, in the order of their beginnings. open counts marks without another end.
func pair(marks []device.ScopeMark) (list []scope, open int) {
	begun := map[warpKey][]device.ScopeMark{}
	marks = slices.Clone(marks)
	// A warp's records need not lie in the order in which it made them.
	slices.SortStableFunc(marks, func(a, b device.ScopeMark) int { return cmp.Compare(a.Clock, b.Clock) })
	for _, m := range marks {
		k := warpKey{m.SM, m.Block, m.Warp}
		if m.Start {
			begun[k] = append(begun[k], m)
			continue
		}
		i := len(begun[k]) - 1
		for i >= 0 && begun[k][i].Name != m.Name {
			i--
		}
		if i < 0 {
			open++
			continue
		}
		list = append(list, scope{name: m.Name, warp: k, from: begun[k][i].Clock, to: m.Clock})
		begun[k] = slices.Delete(begun[k], i, i+1)
	}
	for _, rest := range begun {
		open += len(rest)
	}
	slices.SortStableFunc(list, func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.warp.block, b.warp.block), cmp.Compare(a.warp.warp, b.warp.warp),
			cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return list, open
}

// clockRate returns how many nanoseconds a unit of the clock takes: as many as the shared clock says over all
// multiprocessors, or one.
func clockRate(marks []device.ScopeMark) float64 {
	type span struct{ first, last device.ScopeMark }
	spans := map[int]span{}
	for _, m := range marks {
		s, ok := spans[m.SM]
		if !ok {
			s = span{m, m}
		}
		if m.Clock < s.first.Clock {
			s.first = m
		}
		if m.Clock > s.last.Clock {
			s.last = m
		}
		spans[m.SM] = s
	}
	var units, nanos float64
	for _, s := range spans {
		units += float64(s.last.Clock - s.first.Clock)
		nanos += float64(s.last.Time - s.first.Time)
	}
	if units == 0 || nanos <= 0 {
		return 1
	}
	return nanos / units
}

// place gives scopes their times in nanoseconds from the first mark on. The shared clock has coarse steps, so
// that it places an SM by the mean over all of its marks.
func place(list []scope, marks []device.ScopeMark, rate float64) {
	if len(marks) == 0 {
		return
	}
	sums, counts := map[int]float64{}, map[int]float64{}
	origin, clock := marks[0].Time, map[int]uint64{}
	for _, m := range marks {
		if c, ok := clock[m.SM]; !ok || m.Clock < c {
			clock[m.SM] = m.Clock
		}
		origin = min(origin, m.Time)
	}
	for _, m := range marks {
		sums[m.SM] += float64(m.Time-origin) - float64(m.Clock-clock[m.SM])*rate
		counts[m.SM]++
	}
	first := 0.0
	for i := range list {
		x := &list[i]
		base := sums[x.warp.sm] / counts[x.warp.sm]
		if marks[0].Time == 0 { // no clock is shared: all begin at once
			base = 0
		}
		x.start = base + float64(x.from-clock[x.warp.sm])*rate
		x.end = base + float64(x.to-clock[x.warp.sm])*rate
		first = min(first, x.start)
	}
	for i := range list { // the mean may lie before the origin
		list[i].start -= first
		list[i].end -= first
	}
}

// scopeTracks returns the track of each warp: one of its multiprocessor that is free from its first scope on.
func (l *Log) scopeTracks(dev device.Device, list []scope, begin time.Duration) map[warpKey]int {
	type life struct {
		warp       warpKey
		start, end float64
	}
	var lives []life
	at := map[warpKey]int{}
	for _, x := range list {
		i, ok := at[x.warp]
		if !ok {
			i = len(lives)
			at[x.warp] = i
			lives = append(lives, life{x.warp, x.start, x.end})
		}
		lives[i].start, lives[i].end = min(lives[i].start, x.start), max(lives[i].end, x.end)
	}
	slices.SortStableFunc(lives, func(a, b life) int { return cmp.Compare(a.start, b.start) })
	out := map[warpKey]int{}
	for _, v := range lives {
		category := fmt.Sprintf("%s, SM %d", dev.Name(), v.warp.sm)
		start := l.begin.Add(begin + time.Duration(v.start))
		out[v.warp] = l.free(category, start, l.begin.Add(begin+time.Duration(v.end)))
	}
	return out
}
