package tunable

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/run"
)

// Result is what is known of a candidate for some parameters.
type Result struct {
	Candidate string        // its name
	Median    time.Duration // median of a run; 0 if it was not measured
	Low, High time.Duration // quantiles 0.2 and 0.8
	Failed    string        // why there is no time, or ""
	Picked    bool          // calls run this candidate
}

// Results makes the choice for parameters, as a call would, and returns what it rests on: the picked
// candidate first, then the others by time, then those without a time.
func (o *Op[P]) Results(s *run.Stream, p P) ([]Result, error) {
	if !o.usable() {
		return nil, errNil
	}
	c, err := o.choice(s, p)
	if err != nil {
		return nil, err
	}
	return o.results(s.Device(), p, c, c.record), nil
}

// Picked returns the name of the candidate that a call runs. It makes the choice if there is none.
func (o *Op[P]) Picked(s *run.Stream, p P) (string, error) {
	list, err := o.Results(s, p)
	if err != nil {
		return "", err
	}
	return list[0].Candidate, nil
}

// Explore measures every candidate to the end, without an early stop and without the budget, and returns the
// results in the order of Results. The choice, which it makes if there is none, and the store stay as they
// are.
func (o *Op[P]) Explore(s *run.Stream, p P) (found []Result, err error) {
	if !o.usable() {
		return nil, errNil
	}
	c, err := o.choice(s, p)
	if err != nil {
		return nil, err
	}
	list, err := o.supported(s.Device(), p)
	if err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	own, err := s.Device().NewStream(s.Context())
	if err != nil {
		return nil, err
	}
	defer own.Close()
	end, _, err := autotune.Begin(s.Context(), s, own)
	if err != nil {
		return nil, err
	}
	defer end()
	rec := o.record(s.Device(), p, list)
	t, err := o.newTuning(s.Context(), own, p, rec)
	if err != nil {
		return nil, err
	}
	defer t.close(&err)
	t.reference(list)
	t.prepare(list)
	for _, i := range list {
		t.best = math.Inf(1)
		t.candidate(i)
	}
	if err := s.Context().Err(); err != nil {
		return nil, err
	}
	t.finals(list, math.Inf(1))
	return o.results(s.Device(), p, c, rec), nil
}

// results returns what a record knows of the candidates, with the choice that was made.
func (o *Op[P]) results(dev *run.Device, p P, c *choice, rec *autotune.Record) []Result {
	var out []Result
	for i := range o.candidates {
		x := &o.candidates[i]
		r := Result{Candidate: x.Name, Picked: len(c.order) > 0 && c.order[0] == i}
		var t autotune.Timing
		if rec != nil {
			t, _ = rec.Find(x.Name)
		}
		if err := x.supports(dev, p); err != nil {
			r.Failed = firstLine(err)
		} else {
			r.Median, r.Low, r.High, r.Failed = duration(t.Median), duration(t.Low),
				duration(t.High), t.Failed
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Result) int {
		return cmp.Or(first(b.Picked, a.Picked), first(b.Failed == "", a.Failed == ""),
			cmp.Compare(a.Median, b.Median))
	})
	return out
}

// first orders true before false.
func first(b, a bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
