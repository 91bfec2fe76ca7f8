package tunable

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// choice is the candidates to run for a key, the best first.
type choice struct {
	order  []int
	record *autotune.Record // nil if nothing was measured
}

// choice returns the choice for parameters. One goroutine makes it, others wait, each for as long as its own
// context lives; if the first gives up, another goes on.
func (o *Op[P]) choice(s *run.Stream, p P) (*choice, error) {
	if s.Device() == nil {
		return nil, errNilStream
	}
	x := o.keys.make(s.Device(), p)
	if c := x.choice.Load(); c != nil {
		return c, nil
	}
	ctx := s.Context()
	select {
	case x.gate <- struct{}{}:
		defer func() { <-x.gate }()
	case <-ctx.Done():
		return nil, o.cancelled(p, ctx)
	}
	if c := x.choice.Load(); c != nil {
		return c, nil
	}
	c, err := o.choose(s, p)
	if err == nil {
		x.choice.Store(c)
	}
	return c, err
}

func (o *Op[P]) cancelled(p P, ctx context.Context) error {
	return fmt.Errorf("tunable: %s is not tuned yet for %s: %w", o.name, o.keyText(p), ctx.Err())
}

func (o *Op[P]) keyText(p P) string { return strings.Join(o.keys.text(p), " ") }

// supported returns the candidates that support the parameters on a device, or an UnsupportedError.
func (o *Op[P]) supported(dev *run.Device, p P) (list []int, err error) {
	e := &UnsupportedError{Op: o.name, Key: o.keyText(p)}
	for i := range o.candidates {
		c := &o.candidates[i]
		if err := c.supports(dev, p); err != nil {
			e.Reasons = append(e.Reasons, Reason{c.Name, err})
			continue
		}
		list = append(list, i)
	}
	if len(list) == 0 {
		return nil, e
	}
	return list, nil
}

// supports returns an error if the candidate cannot run with the parameters on a device.
func (c *Candidate[P]) supports(dev *run.Device, p P) error {
	if err := c.on(dev); err != nil || c.Supports == nil {
		return err
	}
	return c.Supports(p)
}

// choose makes the choice: by the kept result, by default, or by measurement.
func (o *Op[P]) choose(s *run.Stream, p P) (*choice, error) {
	list, err := o.supported(s.Device(), p)
	if err != nil {
		return nil, err
	}
	if o.opts.Mode == Off || len(list) == 1 {
		return &choice{order: list}, nil
	}
	rec := o.record(s.Device(), p, list)
	o.load(s, rec)
	if o.opts.Mode == Use {
		if c := o.ranked(rec, list); len(c.order) > 0 {
			return c, nil
		}
		return &choice{order: list}, nil
	}
	if c := o.ranked(rec, list); len(o.unknown(rec, list)) == 0 && len(c.order) > 0 {
		return c, nil
	}
	if err := core.Capturing(s, o.name, "tuned"); err != nil {
		return nil, err
	}
	return o.tune(s, p, list, rec)
}

// recordSource tells the records of ops from those of kernels.
const recordSource = "tunable op"

// record returns an empty record for parameters. In the bit-stable mode it also depends on the candidate that
// the others are compared with.
func (o *Op[P]) record(dev *run.Device, p P, list []int) *autotune.Record {
	model, driver, _ := core.Built(dev)
	key := o.keys.text(p)
	if o.opts.BitStable {
		key = append(key, "bits of "+o.candidates[list[0]].Name)
	}
	rec := &autotune.Record{Kernel: o.name, Device: model, Compiler: driver, Source: recordSource, Key: key}
	compares := o.compares(p)
	rec.Accept = func(t autotune.Timing) bool { return o.accept(dev, t, compares) }
	return rec
}

// accept reports whether a kept result is of the code that the candidate has now, and was compared with
// others where that can be done.
func (o *Op[P]) accept(dev *run.Device, t autotune.Timing, compares bool) bool {
	i := slices.IndexFunc(o.candidates, func(c Candidate[P]) bool { return c.Name == t.Config })
	why := ""
	switch {
	case i < 0:
		return true // results of candidates that this op has not stay for the programs that have them
	case o.candidates[i].hash(dev) != t.Hash:
		why = "tunable: a kept result is of other code"
	case compares && t.Checked == "" && t.Failed == "":
		why = "tunable: a kept result is of code whose answer was not compared"
	default:
		return true
	}
	o.opts.Logger.Info(why, "op", o.name, "candidate", t.Config)
	return false
}

// load fills in what is kept.
func (o *Op[P]) load(s *run.Stream, rec *autotune.Record) {
	core.Records(o.opts.Store).Load(s.Context(), rec)
}

// unknown returns the candidates without a result. One that an earlier tuning had no time for counts as known
// as long as there is a budget.
func (o *Op[P]) unknown(rec *autotune.Record, list []int) (todo []int) {
	for _, i := range list {
		t, ok := rec.Find(o.candidates[i].Name)
		if !ok || t.Failed == autotune.TimeUp && o.opts.Budget == 0 {
			todo = append(todo, i)
		}
	}
	return todo
}

// ranked returns the candidates with times, the best first. The record's choice stays the best if it can run:
// all processes run the same candidate.
func (o *Op[P]) ranked(rec *autotune.Record, list []int) *choice {
	best := rec.Best
	if !slices.Contains(o.names(list), best) {
		best = rec.Pick(o.names(list))
	}
	c := &choice{record: rec}
	for _, i := range list {
		if t, ok := rec.Find(o.candidates[i].Name); ok && t.Failed == "" {
			c.order = append(c.order, i)
		}
	}
	rank := func(i int) float64 {
		t, _ := rec.Find(o.candidates[i].Name)
		if t.Config == best {
			return -1
		}
		return t.Median
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		switch x, y := rank(a), rank(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return c
}

func (o *Op[P]) names(list []int) []string {
	out := make([]string, len(list))
	for n, i := range list {
		out[n] = o.candidates[i].Name
	}
	return out
}
