package tune

import (
	"errors"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/target"
)

// A config whose first runs take more than hopeless times the best time is not measured further, nor one that
// takes more than behind times the best after a tenth of a measurement.
const (
	hopeless = 3
	behind   = 1.2
)

// fewest is the number of runs before a config is given up, unless they take too long.
const fewest = 5

// measure returns the timing of a config. Configs far behind the best are not measured to the end.
func (r *run) measure(step int, a *lang.Autotune, g *given, c lang.Config, best float64) (autotune.Timing, error) {
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
		if !errors.Is(err, target.ErrCapturing) {
			return t, err
		}
		r.say("%s: measured without a graph: %s", r.k.Name, firstLine(err))
	}
	warmup, rep := r.durations(a)
	if t, err := r.glance(c, call, best, rep); err != nil || t.Low > hopeless*best {
		return t, err
	}
	begin := time.Now()
	some, err := r.w.Times(warmup/10, rep/10, call)
	for err == nil && len(some) < fewest && time.Since(begin) < rep {
		var more []time.Duration
		more, err = r.w.Times(0, rep/10, call)
		some = append(some, more...)
	}
	if err != nil {
		return autotune.Timing{}, err
	}
	if t := timing(c.String(), some); t.Low > behind*best {
		return t, nil
	}
	// Clearing caches takes longer than small kernels do. Triton counts it in.
	if slower := float64(time.Since(begin)) / float64(warmup/10+rep/10+1); slower > 1 && len(some) > 10 {
		warmup, rep = time.Duration(float64(warmup)/slower), time.Duration(float64(rep)/slower)
	}
	times, err := r.w.Times(warmup, rep, call)
	return timing(c.String(), times), err
}

// glance returns a config's timing by one run, or by three if the first is far behind, because other work on
// the machine distorts single runs. It takes no longer than a measurement.
func (r *run) glance(c lang.Config, call func() error, best float64, rep time.Duration) (autotune.Timing, error) {
	var all []time.Duration
	begin := time.Now()
	for range 3 {
		times, err := r.w.Times(0, 0, call)
		if err != nil || len(times) == 0 {
			return autotune.Timing{Config: c.String()}, err
		}
		all = append(all, times...)
		if float64(slices.Min(all)) <= hopeless*best*float64(time.Millisecond) || time.Since(begin) > rep {
			break
		}
	}
	t := timing(c.String(), all)
	t.Low = float64(slices.Min(all)) / float64(time.Millisecond)
	return t, nil
}

// steady is the largest ratio between the times of a config whose measurement was not disturbed.
const steady = 1.05

// settle measures configs again that were measured during compilations, if their times vary and the choice
// could change. If only the host's clock is available, configs that were given up early are measured again
// too: the compiler may have slowed them.
func (r *run) settle(step int, a *lang.Autotune, g *given, disturbed []lang.Config, best float64, rec *autotune.Record) {
	_, own := r.dev.Backend.(target.Timer)
	for _, c := range disturbed {
		old, ok := rec.Find(c.String())
		behind := old.Low > behind*best
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
func (r *run) measureGraph(a *lang.Autotune, c lang.Config, call func() error, best float64) (autotune.Timing, error) {
	_, rep := r.durations(a)
	some, err := r.w.GraphTimes(rep/10, call)
	if err != nil {
		return autotune.Timing{}, err
	}
	if t := timing(c.String(), some); t.Low > behind*best {
		return t, nil
	}
	times, err := r.w.GraphTimes(rep, call)
	return timing(c.String(), times), err
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

// timing returns the quantiles of measurements.
func timing(config string, times []time.Duration) autotune.Timing {
	if len(times) == 0 {
		return autotune.Timing{Config: config}
	}
	slices.Sort(times)
	at := func(q float64) float64 {
		return float64(times[int(q*float64(len(times)-1)+0.5)]) / float64(time.Millisecond)
	}
	return autotune.Timing{Config: config, Median: at(0.5), Low: at(0.2), High: at(0.8)}
}
