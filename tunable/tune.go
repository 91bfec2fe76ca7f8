package tunable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

const (
	// hopeless is how many times slower than the best the first runs are if a candidate is not measured
	// further.
	hopeless = 2
	// finalist is how much slower than the best median the shorter runs of a candidate may be, so that it is
	// measured again in turn with the best.
	finalist = 1.05
	// rounds is how often the finalists are measured.
	rounds = 3

	usualWarmup = 25 * time.Millisecond
	usualRep    = 100 * time.Millisecond
)

// tuning is one tuning of an op.
type tuning[P any] struct {
	o     *Op[P]
	key   string
	ctx   context.Context // context of the caller
	s     *run.Stream     // runs the candidates; ends with the caller's context and with the budget
	x     *proxy[P]
	rec   *autotune.Record
	meter autotune.Meter

	best   float64 // least median so far, in milliseconds
	ready  map[int]error
	errs   map[string]error // errors of the candidates that failed now
	answer *answer          // with which results are compared
}

// tune measures the candidates without a result, and keeps and returns the choice.
func (o *Op[P]) tune(s *run.Stream, p P, list []int, rec *autotune.Record) (*choice, error) {
	ctx := s.Context()
	if err := s.Sync(); err != nil { // work on the way writes what the candidates read
		return nil, err
	}
	limited, cancel := o.limit(ctx)
	defer cancel()
	own, err := s.Device().NewStream(limited)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	end, nested, err := autotune.Begin(ctx, s, own)
	if err != nil {
		return nil, o.cancelled(p, ctx)
	}
	defer end()
	store := core.Records(o.opts.Store)
	if !nested { // the tuning around this one may have the lock
		unlock := store.Lock(ctx, rec)
		defer unlock()
		o.load(s, rec) // somebody else may have tuned meanwhile
	}
	if todo := o.unknown(rec, list); len(todo) > 0 {
		if err := o.measure(ctx, own, p, list, todo, rec); err != nil {
			return nil, err
		}
	}
	c := o.ranked(rec, list)
	if len(c.order) == 0 { // there was no time for any
		return &choice{order: list}, nil
	}
	return c, nil
}

// limit returns the context of a tuning, which ends with the budget.
func (o *Op[P]) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.opts.Budget > 0 {
		return context.WithTimeout(ctx, o.opts.Budget)
	}
	return context.WithCancel(ctx)
}

// newTuning returns a tuning for parameters, which the caller closes.
func (o *Op[P]) newTuning(ctx context.Context, own *run.Stream, p P, rec *autotune.Record) (*tuning[P],
	error) {
	x, err := o.proxy(p)
	if err != nil {
		return nil, err
	}
	t := &tuning[P]{o: o, key: o.keyText(p), ctx: ctx, s: own, x: x, rec: rec, best: math.Inf(1),
		errs: map[string]error{}}
	t.meter = autotune.Meter{Times: t.times, Warmup: o.opts.Warmup, Rep: o.opts.Rep, Hopeless: hopeless}
	if t.meter.Warmup <= 0 {
		t.meter.Warmup = usualWarmup
	}
	if t.meter.Rep <= 0 {
		t.meter.Rep = usualRep
	}
	return t, nil
}

// close adds to err that tensors of the caller could not be given the contents that they had.
func (t *tuning[P]) close(err *error) {
	t.s.Sync()
	if failed := t.x.close(); failed != nil {
		*err = errors.Join(*err, fmt.Errorf("tunable: %s: restoring tensors: %w", t.o.name, failed))
	}
}

func (t *tuning[P]) times(warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	return t.s.Times(warmup, rep, f)
}

// measure measures candidates and keeps the record. If the caller gives up, it keeps the times so far without
// a choice.
func (o *Op[P]) measure(ctx context.Context, own *run.Stream, p P, list, todo []int,
	rec *autotune.Record) (err error) {
	begin := time.Now()
	t, err := o.newTuning(ctx, own, p, rec)
	if err != nil {
		return err
	}
	defer t.close(&err)
	t.best = t.least(list)
	t.reference(list)
	t.prepare(todo)
	for _, i := range todo {
		t.candidate(i)
	}
	if ctx.Err() != nil {
		rec.Best = ""
		t.keep()
		return o.cancelled(p, ctx)
	}
	t.finals(list, finalist)
	rec.Best = rec.Pick(o.names(list))
	o.opts.Logger.Info("tunable: tuned", "op", o.name, "key", t.key, "best", rec.Best, "took",
		time.Since(begin))
	if rec.Best == "" {
		return t.nothing(list)
	}
	t.keep()
	return nil
}

// least returns the least median of the record's results.
func (t *tuning[P]) least(list []int) float64 {
	least := math.Inf(1)
	for _, i := range list {
		if r, ok := t.rec.Find(t.o.candidates[i].Name); ok && r.Failed == "" {
			least = min(least, r.Median)
		}
	}
	return least
}

// nothing returns the error of a tuning without any result, or nil if the time was up.
func (t *tuning[P]) nothing(list []int) error {
	e := &FailedError{Op: t.o.name, Key: t.key}
	for _, name := range t.o.names(list) {
		r, _ := t.rec.Find(name)
		if r.Failed == autotune.TimeUp {
			return nil
		}
		err := t.errs[name]
		if err == nil {
			err = errors.New(r.Failed)
		}
		e.Reasons = append(e.Reasons, Reason{name, err})
	}
	return e
}

// keep saves the record.
func (t *tuning[P]) keep() {
	if err := core.Records(t.o.opts.Store).Save(t.rec); err != nil {
		t.o.opts.Logger.Warn("tunable: results are not kept", "op", t.o.name, "err", err)
	}
}

// prepare compiles or loads candidates, several at once, until the time is up.
func (t *tuning[P]) prepare(todo []int) {
	var mu sync.Mutex
	t.ready = map[int]error{}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for _, i := range todo {
		c := &t.o.candidates[i]
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			err := t.s.Context().Err()
			if err == nil && c.Prepare != nil {
				err = guarded(func() error { return c.Prepare(t.s, t.x.p) })
			}
			mu.Lock()
			defer mu.Unlock()
			t.ready[i] = err
		})
	}
	all.Wait()
}

// candidate measures a candidate and notes the result. Of one that the time was up for, nothing is known.
func (t *tuning[P]) candidate(i int) {
	c := &t.o.candidates[i]
	r := autotune.Timing{}
	err := t.ready[i]
	if err == nil {
		err = t.once(i)
	}
	if err == nil {
		r, err = t.meter.Measure(c.Name, t.best, func() error { return t.run(i) })
	}
	r.Config, r.Hash, r.Checked = c.Name, c.hash(t.s.Device()), t.answer.by
	switch {
	case err == nil:
		t.best = min(t.best, r.Median)
	case t.ctx.Err() != nil:
		return
	case t.s.Context().Err() != nil:
		r.Failed = autotune.TimeUp
	default:
		r.Failed = firstLine(err)
		t.errs[c.Name] = err
		t.o.opts.Logger.Info("tunable: a candidate fails", "op", t.o.name, "candidate", c.Name, "err", err)
	}
	t.rec.Set(r)
}

// run runs a candidate, unless the time is up.
func (t *tuning[P]) run(i int) error {
	if err := t.s.Context().Err(); err != nil {
		return err
	}
	return guarded(func() error { return t.o.candidates[i].Run(t.s, t.x.p) })
}

// guarded calls a function of the user's: its panic fails the candidate, not the tuning.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	return f()
}

// once runs a candidate with the contents that all candidates find, and compares its results with the answer.
func (t *tuning[P]) once(i int) error {
	got, err := t.results(func() error { return t.run(i) })
	if err != nil || t.answer.want == nil || t.answer.of == i {
		return err
	}
	return t.differ(got)
}

// finals measures the candidates again, in turn, whose shorter runs take at most so many times the best
// median: they may be as fast, and may have been disturbed. The median of several measurements decides.
func (t *tuning[P]) finals(list []int, most float64) {
	least := t.least(list)
	medians := map[int][]float64{}
	for _, i := range list {
		if r, ok := t.rec.Find(t.o.candidates[i].Name); ok && r.Failed == "" && r.Low <= most*least {
			medians[i] = []float64{r.Median}
		}
	}
	if len(medians) < 2 {
		return
	}
	for range rounds - 1 {
		for _, i := range list {
			if medians[i] == nil || t.s.Context().Err() != nil {
				continue
			}
			times, err := t.meter.Times(t.meter.Warmup/10, t.meter.Rep/2, func() error { return t.run(i) })
			if err == nil {
				medians[i] = append(medians[i], autotune.NewTiming("", times).Median)
			}
		}
	}
	for i, m := range medians {
		r, _ := t.rec.Find(t.o.candidates[i].Name)
		slices.Sort(m)
		r.Median = m[len(m)/2]
		r.Low, r.High = min(r.Low, r.Median), max(r.High, r.Median)
		t.rec.Set(r)
	}
}
