package tune

import (
	"errors"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/target"
)

// hopeless is how many times slower than the best the first runs are if a config is not measured further.
const hopeless = 3

// measure returns the timing of a config. Configs far behind the best are not measured to the end.
func (r *run) measure(step int, a *lang.Autotune, g *given, c lang.Config,
	best float64) (autotune.Timing, error) {
	full, err := r.complete(step, g, c)
	if err != nil {
		return autotune.Timing{}, err
	}
	if r.k.Opts.Verify {
		if err := r.check(step, a, g, c); err != nil {
			return autotune.Timing{}, err
		}
	}
	call := func() error { return r.hooked(a, c, full) }
	if a.Graph && r.graphs(a, c) {
		t, err := r.measureGraph(a, c, call, best)
		if !errors.Is(err, device.ErrCapturing) {
			return t, err
		}
		r.say("%s: measured without a graph: %s", r.k.Name, firstLine(err))
	}
	warmup, rep := r.durations(a)
	m := autotune.Meter{Times: r.w.Times, Warmup: warmup, Rep: rep, Hopeless: hopeless}
	return m.Measure(c.String(), best, call)
}

// steady is the largest ratio between the times of a config whose measurement was not disturbed.
const steady = 1.05

// settle measures configs again that were measured during compilations, if their times vary and the choice
// could change. If only the host's clock is available, configs that were given up early are measured again
// too: the compiler may have slowed them.
func (r *run) settle(step int, a *lang.Autotune, g *given, disturbed []lang.Config, best float64,
	rec *autotune.Record) {
	_, own := r.dev.Backend.(target.Timer)
	for _, c := range disturbed {
		old, ok := rec.Find(c.String())
		behind := old.Behind(best)
		if !ok || old.Failed != "" || behind && own || !behind && old.High <= steady*old.Low {
			continue
		}
		if t, err := r.measure(step, a, g, c, best); err == nil {
			rec.Set(t)
			best = min(best, t.Median)
		}
	}
}

// graphs reports whether runs of a config can be captured: the device has graphs, and the file has no hooks,
// which could do anything.
func (r *run) graphs(a *lang.Autotune, c lang.Config) bool {
	_, ok := r.dev.Backend.(target.GraphTimer)
	return ok && a.PreHook == nil && a.PostHook == nil && c.PreHook == nil
}

// measureGraph measures like measure, with runs that are captured and replayed: use_cuda_graph.
func (r *run) measureGraph(a *lang.Autotune, c lang.Config, call func() error,
	best float64) (autotune.Timing, error) {
	_, rep := r.durations(a)
	some, err := r.w.GraphTimes(rep/10, call)
	if err != nil {
		return autotune.Timing{}, err
	}
	if t := autotune.NewTiming(c.String(), some); t.Behind(best) {
		return t, nil
	}
	times, err := r.w.GraphTimes(rep, call)
	return autotune.NewTiming(c.String(), times), err
}

// durations returns how long to warm up and to measure.
func (r *run) durations(a *lang.Autotune) (warmup, rep time.Duration) {
	pick := func(decorator float64, option, usual time.Duration) time.Duration {
		switch {
		case decorator > 0:
			return time.Duration(decorator * float64(time.Millisecond))
		case option > 0:
			return option
		}
		return usual
	}
	o := r.k.Opts
	return pick(a.Warmup, o.Warmup, 25*time.Millisecond), pick(a.Rep, o.Rep, 100*time.Millisecond)
}
