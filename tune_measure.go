package nereid

import (
	"errors"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun"
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
func (r *tuneRun) measure(step int, a *lang.Autotune, g *given, c lang.Config, best float64) (autotune.Timing, error) {
	full, err := r.complete(step, g, c)
	if err != nil {
		return autotune.Timing{}, err
	}
	if r.k.m.conf.Tune.Verify {
		if err := r.check(step, a, g, c); err != nil {
			return autotune.Timing{}, err
		}
	}
	call := func() error { return r.hooked(a, c, full) }
	if a.Graph && r.graphs(a, c) {
		t, err := r.measureGraph(a, c, call, best)
		if !errors.Is(err, ErrCapturing) {
			return t, err
		}
		r.say("%s: measured without a graph: %s", r.k.name, firstLine(err))
	}
	warmup, rep := r.durations(a)
	if t, err := r.glance(c, call, best, rep); err != nil || t.Low > hopeless*best {
		return t, err
	}
	begin := time.Now()
	some, err := r.s.times(warmup/10, rep/10, call)
	for err == nil && len(some) < fewest && time.Since(begin) < rep {
		var more []time.Duration
		more, err = r.s.times(0, rep/10, call)
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
	times, err := r.s.times(warmup, rep, call)
	return timing(c.String(), times), err
}

// glance returns a config's timing by one run, or by three if the first is far behind, because other work on
// the machine distorts single runs. It takes no longer than a measurement.
func (r *tuneRun) glance(c lang.Config, call func() error, best float64, rep time.Duration) (autotune.Timing, error) {
	var all []time.Duration
	begin := time.Now()
	for range 3 {
		times, err := r.s.times(0, 0, call)
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
func (r *tuneRun) settle(step int, a *lang.Autotune, g *given, disturbed []lang.Config, best float64, rec *autotune.Record) {
	_, own := r.s.dev.b.(target.Timer)
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
func (r *tuneRun) graphs(a *lang.Autotune, c lang.Config) bool {
	_, ok := r.s.dev.b.(target.GraphTimer)
	return ok && a.PreHook == nil && a.PostHook == nil && c.PreHook == nil
}

// measureGraph measures like measure, with runs that are captured and replayed: use_cuda_graph.
func (r *tuneRun) measureGraph(a *lang.Autotune, c lang.Config, call func() error, best float64) (autotune.Timing, error) {
	_, rep := r.durations(a)
	some, err := r.s.graphTimes(rep/10, call)
	if err != nil {
		return autotune.Timing{}, err
	}
	if t := timing(c.String(), some); t.Low > behind*best {
		return t, nil
	}
	times, err := r.s.graphTimes(rep, call)
	return timing(c.String(), times), err
}

// durations returns how long to warm up and to measure.
func (r *tuneRun) durations(a *lang.Autotune) (warmup, rep time.Duration) {
	pick := func(decorator float64, option, usual time.Duration) time.Duration {
		switch {
		case decorator > 0:
			return time.Duration(decorator * float64(time.Millisecond))
		case option > 0:
			return option
		}
		return usual
	}
	o := &r.k.m.conf.Tune
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

// hooked launches once with everything that the decorator wants before and after.
func (r *tuneRun) hooked(a *lang.Autotune, c lang.Config, g *given) error {
	var nargs pyrun.Value
	if c.PreHook != nil || a.PreHook != nil || a.PostHook != nil {
		d := r.dict(g)
		for _, k := range c.AllKwargs() {
			d.SetStr(k.Name, k.Value)
		}
		nargs = d
	}
	if c.PreHook != nil {
		if _, err := r.t.Call(c.PreHook, []pyrun.Value{nargs}, nil); err != nil {
			return err
		}
	}
	restore, err := r.before(a, g, nargs, false)
	if err != nil {
		return err
	}
	err = r.k.launchMatched(r.s, r.grid, g.Matched)
	return errors.Join(err, r.after(a, nargs, err, restore))
}

// before runs autotune's pre-hook: the file's, or else it resets and saves the tensors that the decorator
// names. restore undoes it.
func (r *tuneRun) before(a *lang.Autotune, g *given, nargs pyrun.Value, resetOnly bool) (restore func() error, err error) {
	if a.PreHook != nil {
		_, err := r.t.Call(a.PreHook, []pyrun.Value{nargs}, []pyrun.Keyword{{Name: "reset_only", Value: pyrun.Bool(resetOnly)}})
		return nil, err
	}
	for _, n := range a.ResetToZero {
		if t := g.tensor(n); t != nil {
			if err := r.s.zero(t); err != nil {
				return nil, err
			}
		}
	}
	if resetOnly || len(a.RestoreValue) == 0 {
		return nil, nil
	}
	var undo []func() error
	for _, n := range a.RestoreValue {
		if t := g.tensor(n); t != nil {
			back, err := r.save(t)
			if err != nil {
				return nil, err
			}
			undo = append(undo, back)
		}
	}
	return func() (err error) {
		for _, back := range undo {
			err = errors.Join(err, back())
		}
		return err
	}, nil
}

func (r *tuneRun) after(a *lang.Autotune, nargs pyrun.Value, failed error, restore func() error) error {
	if a.PostHook == nil {
		if restore != nil {
			return restore()
		}
		return nil
	}
	var exception pyrun.Value = pyrun.None
	if failed != nil {
		exception = pyrun.Str(failed.Error())
	}
	_, err := r.t.Call(a.PostHook, []pyrun.Value{nargs}, []pyrun.Keyword{{Name: "exception", Value: exception}})
	return err
}

// resetAll leaves tensors as the launch after a tuning expects them.
func (r *tuneRun) resetAll(a *lang.Autotune, g *given) error {
	var nargs pyrun.Value
	if a.PreHook != nil {
		nargs = r.dict(g)
	}
	_, err := r.before(a, g, nargs, true)
	return err
}

// save saves the contents of a tensor and returns a function that restores them: in order with the stream's
// work where the device can, in memory that all runs share.
func (r *tuneRun) save(t *Tensor) (back func() error, err error) {
	q, ok := r.s.queue(t)
	if !ok {
		data, err := t.bytes()
		if err != nil {
			return nil, err
		}
		return func() error { return errors.Join(r.s.Sync(), t.Write(data)) }, nil
	}
	n := t.size()
	copied := r.saved[t]
	if copied == nil {
		if copied, err = r.s.dev.b.Alloc(n); err != nil {
			return nil, err
		}
		if r.saved == nil {
			r.saved = map[*Tensor]target.Buffer{}
		}
		r.saved[t] = copied
	}
	if err := q.Copy(copied, 0, t.buf, t.offset, n); err != nil {
		return nil, err
	}
	return func() error { return q.Copy(t.buf, t.offset, copied, 0, n) }, nil
}

// closeSaved frees the memory of save.
func (r *tuneRun) closeSaved() {
	if len(r.saved) > 0 {
		r.s.Sync()
	}
	for _, b := range r.saved {
		b.Close()
	}
	r.saved = nil
}
