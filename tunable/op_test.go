package tunable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/tunable"
)

// params are of an op that counts: each run of a candidate adds to x.
type params struct {
	X *nereid.Tensor
	N int
}

type key struct{ N int }

func keyOf(p params) key { return key{p.N} }

func outputs(p *params) []**nereid.Tensor { return []**nereid.Tensor{&p.X} }

// stream returns a stream of a device, or skips where it is absent.
func stream(t testing.TB, device string) *nereid.Stream {
	t.Helper()
	dev := txtest.Device(t, device, nereid.OpenDevice)
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// quick are options for tests.
func quick(o tunable.Options[params]) tunable.Options[params] {
	o.Warmup, o.Rep = time.Millisecond, 6*time.Millisecond
	return o
}

// counted is a candidate that takes a time and counts its runs.
type counted struct {
	name, version string
	takes         time.Duration
	runs          atomic.Int64
	err           error
}

func (c *counted) candidate() tunable.Candidate[params] {
	return tunable.Func(c.name, c.version, func(s *nereid.Stream, p params) error {
		c.runs.Add(1)
		for end := time.Now().Add(c.takes); time.Now().Before(end); {
			if err := s.Context().Err(); err != nil {
				return err
			}
		}
		return c.err
	})
}

func newOp(t *testing.T, o tunable.Options[params], list ...*counted) *tunable.Op[params] {
	t.Helper()
	var all []tunable.Candidate[params]
	for _, c := range list {
		all = append(all, c.candidate())
	}
	op, err := tunable.New("count", keyOf, quick(o), all...)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func (c *counted) reset() int64 { return c.runs.Swap(0) }

// abc are three candidates, of which the second is the fastest.
func abc() (a, b, c *counted) {
	return &counted{name: "a", version: "1", takes: 20 * time.Millisecond},
		&counted{name: "b", version: "1", takes: 20 * time.Microsecond},
		&counted{name: "c", version: "1", takes: 10 * time.Millisecond}
}

func picked(t *testing.T, op *tunable.Op[params], s *nereid.Stream, n int) string {
	t.Helper()
	name, err := op.Picked(s, params{N: n})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// The first call measures, the next ones run the fastest candidate alone.
func TestCall(t *testing.T) {
	s := stream(t, "interp")
	a, b, c := abc()
	op := newOp(t, tunable.Options[params]{}, a, b, c)
	if err := op.Call(s, params{N: 1}); err != nil {
		t.Fatal(err)
	}
	if a.reset() == 0 || b.reset() == 0 || c.reset() == 0 {
		t.Error("a candidate was not measured")
	}
	for range 3 {
		if err := op.Call(s, params{N: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.reset(); n != 3 || a.reset()+c.reset() != 0 {
		t.Errorf("the fastest ran %d times of 3", n)
	}
	list, err := op.Results(s, params{N: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := list[0]; len(list) != 3 || !r.Picked || r.Candidate != "b" || r.Median < 20*time.Microsecond ||
		list[1].Candidate != "c" || list[1].Median < list[0].Median {
		t.Errorf("%+v", list)
	}
}

// Off runs the first candidate, Use what is kept or else the first; neither measures.
func TestModes(t *testing.T) {
	s := stream(t, "interp")
	file := filepath.Join(t.TempDir(), "tuned.json")
	store := func() *nereid.TuneStore { return openStore(t, nereid.TuneStoreOptions{File: file}) }
	a, b, c := abc()
	for mode, want := range map[tunable.Mode]string{tunable.Off: "a", tunable.Use: "a"} {
		op := newOp(t, tunable.Options[params]{Mode: mode, Store: store()}, a, b, c)
		if got := picked(t, op, s, 1); got != want || a.reset()+b.reset()+c.reset() != 0 {
			t.Errorf("%v picks %s", mode, got)
		}
	}
	if got := picked(t, newOp(t, tunable.Options[params]{Store: store()}, a, b, c), s, 1); got != "b" {
		t.Errorf("tuning picks %s", got)
	}
	a.reset()
	b.reset()
	c.reset()
	for mode, want := range map[tunable.Mode]string{tunable.Off: "a", tunable.Use: "b", tunable.Tune: "b"} {
		op := newOp(t, tunable.Options[params]{Mode: mode, Store: store()}, a, b, c)
		if got := picked(t, op, s, 1); got != want || a.reset()+b.reset()+c.reset() != 0 {
			t.Errorf("%v picks %s with a kept result, or measures", mode, got)
		}
	}
	if _, err := tunable.ParseMode("tuen"); err == nil {
		t.Error("a mode that is none is read")
	}
}

// Many goroutines that need the same choice wait for one tuning; another key is another tuning.
func TestOneTuning(t *testing.T) {
	a, b, _ := abc()
	var tunings atomic.Int64
	count := func(c *counted) tunable.Candidate[params] {
		x := c.candidate()
		x.Prepare = func(*nereid.Stream, params) error { tunings.Add(1); return nil }
		return x
	}
	op, err := tunable.New("count", keyOf, quick(tunable.Options[params]{}), count(a), count(b))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 16 {
		s := stream(t, "interp")
		all.Go(func() {
			if err := op.Call(s, params{N: i % 2}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := tunings.Load(); n != 4 { // two keys, two candidates
		t.Errorf("%d candidates were prepared", n)
	}
}

// A candidate that fails, panics or is slow by 100 times is passed over inside the budget, and the result
// says why.
func TestBadCandidates(t *testing.T) {
	s := stream(t, "interp")
	_, b, _ := abc()
	slow := &counted{name: "slow", takes: 30 * time.Millisecond}
	fails := &counted{name: "fails", err: errors.New("out of registers\nand more")}
	bad := tunable.Func("panics", "", func(*nereid.Stream, params) error { panic("no such block") })
	unready := b.candidate()
	unready.Name = "unready"
	unready.Prepare = func(*nereid.Stream, params) error { return errors.New("does not compile") }
	op, err := tunable.New("count", keyOf, quick(tunable.Options[params]{Budget: 5 * time.Second}),
		fails.candidate(), bad, b.candidate(), slow.candidate(), unready)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	list, err := op.Results(s, params{N: 1})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	got := map[string]string{}
	for _, r := range list {
		got[r.Candidate] = r.Failed
	}
	if list[0].Candidate != "b" || got["fails"] != "out of registers" ||
		got["panics"] != "it panics: no such block" || got["slow"] != "" ||
		got["unready"] != "does not compile" {
		t.Errorf("%+v", list)
	}
	if n := slow.runs.Load(); n > 4 {
		t.Errorf("the slow candidate ran %d times", n)
	}
}

// A candidate that does not end by itself ends with the budget; those behind it are passed over, and measured
// by an op without a budget.
func TestBudget(t *testing.T) {
	s := stream(t, "interp")
	a, b, _ := abc()
	hangs := &counted{name: "hangs", takes: time.Hour}
	store := openStore(t, nereid.TuneStoreOptions{})
	op := newOp(t, tunable.Options[params]{Budget: 200 * time.Millisecond, Store: store}, a, hangs, b)
	begin := time.Now()
	if got := picked(t, op, s, 1); got != "a" || time.Since(begin) > 5*time.Second {
		t.Errorf("%s is picked after %v", got, time.Since(begin))
	}
	hangs.takes = 30 * time.Millisecond
	if got := picked(t, newOp(t, tunable.Options[params]{Store: store}, a, hangs, b), s, 1); got != "b" {
		t.Errorf("without a budget, %s is picked", got)
	}
	hangs.takes = time.Hour
	op = newOp(t, tunable.Options[params]{Budget: 50 * time.Millisecond}, hangs, b)
	if got := picked(t, op, s, 1); got != "hangs" {
		t.Errorf("%s is picked though nothing was measured", got)
	}
}

// When the caller's context ends, so does the tuning, and the next caller goes on with the times so far.
func TestCancel(t *testing.T) {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := dev.NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, b, c := abc()
	stop := tunable.Func("stop", "", func(s *nereid.Stream, p params) error { cancel(); return nil })
	op, err := tunable.New("count", keyOf, quick(tunable.Options[params]{}), a.candidate(), stop,
		b.candidate(), c.candidate())
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Call(s, params{N: 1}); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "count is not tuned yet for n=1") {
		t.Fatal(err)
	}
	if a.reset() == 0 || b.reset()+c.reset() != 0 {
		t.Error("it did not end where the context ended")
	}
	if got := picked(t, op, stream(t, "interp"), 1); got != "stop" || a.reset() > 3 || b.reset() == 0 {
		t.Errorf("%s is picked; the first one is measured again", got)
	}
}

// Parameters that no candidate supports, and candidates that all fail, are typed errors that say why.
func TestErrors(t *testing.T) {
	s := stream(t, "interp")
	a, b, _ := abc()
	small := b.candidate()
	small.Supports = func(p params) error {
		if p.N > 8 {
			return fmt.Errorf("%d is more than 8", p.N)
		}
		return nil
	}
	op, err := tunable.New("count", keyOf, quick(tunable.Options[params]{}), small)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err = op.Call(s, params{N: 9})
		if e := (*tunable.UnsupportedError)(nil); !errors.As(err, &e) || e.Op != "count" || e.Key != "n=9" ||
			len(e.Reasons) != 1 || e.Reasons[0].Err.Error() != "9 is more than 8" {
			t.Errorf("%v", err)
		}
	}
	if err := op.Call(s, params{N: 8}); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	a.err, b.err = broken, broken
	err = newOp(t, tunable.Options[params]{}, a, b).Call(s, params{N: 1})
	if e := (*tunable.FailedError)(nil); !errors.As(err, &e) || !errors.Is(err, broken) ||
		len(e.Reasons) != 2 {
		t.Errorf("%v", err)
	}
	if err := op.Call(nil, params{}); err == nil {
		t.Error("called without a stream")
	}
	for _, none := range []*tunable.Op[params]{nil, {}} {
		for what, err := range map[string]error{
			"Call": none.Call(s, params{}), "Tune": none.Tune(s, params{}),
			"Picked": second(none.Picked(s, params{})), "Explore": second(none.Explore(s, params{})),
		} {
			if err == nil || none.Name() != "" {
				t.Errorf("%s of an op that is nil or empty works", what)
			}
		}
		if _, err := tunable.New("x", keyOf, quick(tunable.Options[params]{}),
			tunable.Nested(none, func(p params) params { return p })); err == nil {
			t.Error("an op that is nil or empty is a candidate")
		}
	}
	o := quick(tunable.Options[params]{})
	stable := o
	stable.BitStable = true
	type make = func() (*tunable.Op[params], error)
	for what, make := range map[string]make{
		"no name":       func() (*tunable.Op[params], error) { return tunable.New("", keyOf, o, small) },
		"no candidates": func() (*tunable.Op[params], error) { return tunable.New("x", keyOf, o) },
		"two of a name": func() (*tunable.Op[params], error) {
			return tunable.New("x", keyOf, o, small, small)
		},
		"nothing to run": func() (*tunable.Op[params], error) {
			return tunable.New("x", keyOf, o, tunable.Candidate[params]{Name: "c"})
		},
		"bits": func() (*tunable.Op[params], error) { return tunable.New("x", keyOf, stable, small) },
		"a pointer": func() (*tunable.Op[params], error) {
			return tunable.New("x", func(p params) *nereid.Tensor { return p.X }, o, small)
		},
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s: an op was made", what)
		}
	}
}

// Parameters of one key may differ in what the key does not say: the next candidate that supports them runs.
func TestSupportsEachCall(t *testing.T) {
	s := stream(t, "interp")
	a, b, _ := abc()
	odd := b.candidate()
	odd.Supports = func(p params) error {
		if p.N%2 == 0 {
			return errors.New("even")
		}
		return nil
	}
	op, err := tunable.New("count", func(params) int { return 0 }, quick(tunable.Options[params]{}),
		a.candidate(), odd)
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Tune(s, params{N: 1}); err != nil {
		t.Fatal(err)
	}
	a.reset()
	b.reset()
	for _, n := range []int{1, 2, 3} {
		if err := op.Call(s, params{N: n}); err != nil {
			t.Fatal(err)
		}
	}
	if a.reset() != 1 || b.reset() != 2 {
		t.Error("a candidate ran with parameters that it does not support")
	}
}

// An op that works in place is tuned without harm: the caller's tensor is changed once.
func TestInPlace(t *testing.T) {
	for _, device := range []string{"interp", "cpu"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			x, err := nereid.NewTensor(s.Device(), nereid.Int32, 4)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			for what, x := range map[string]*nereid.Tensor{"device": x,
				"host": nereid.FromSlice(make([]int32, 4)),
				"view": nereid.FromSlice(make([]int32, 8), 4, 2).Slice(1, 0, 1, 1)} {
				if err := nereid.CopyFrom(x, []int32{1, 2, 3, 4}); err != nil {
					t.Fatal(err)
				}
				double := func(name string, takes time.Duration) tunable.Candidate[params] {
					return tunable.Func(name, "", func(s *nereid.Stream, p params) error {
						time.Sleep(takes)
						v := make([]int32, 4)
						if err := nereid.CopyTo(v, p.X); err != nil {
							return err
						}
						for i := range v {
							v[i] *= 2
						}
						return nereid.CopyFrom(p.X, v)
					})
				}
				o := quick(tunable.Options[params]{Outputs: outputs})
				op, err := tunable.New("double", keyOf, o, double("slow", 6*time.Millisecond),
					double("fast", 0))
				if err != nil {
					t.Fatal(err)
				}
				if err := op.Call(s, params{X: x}); err != nil {
					t.Fatal(err)
				}
				got := make([]int32, 4)
				if err := nereid.CopyTo(got, x); err != nil {
					t.Fatal(err)
				}
				if want := []int32{2, 4, 6, 8}; !slices.Equal(got, want) {
					t.Errorf("%s: %v", what, got)
				}
			}
		})
	}
}

// Tensors that cannot be given back their contents are an error, of Call as of Explore.
func TestRestoring(t *testing.T) {
	s := stream(t, "cpu")
	for name, call := range map[string]func(*tunable.Op[params], params) error{
		"Call": func(op *tunable.Op[params], p params) error { return op.Call(s, p) },
		"Explore": func(op *tunable.Op[params], p params) error {
			_, err := op.Explore(s, p)
			return err
		},
	} {
		x, err := nereid.NewTensor(s.Device(), nereid.Int32, 4)
		if err != nil {
			t.Fatal(err)
		}
		var runs atomic.Int64
		closes := tunable.Func("closes", "", func(*nereid.Stream, params) error {
			if runs.Add(1) == 1 {
				return x.Close()
			}
			return nil
		})
		plain := tunable.Func("plain", "", func(*nereid.Stream, params) error { return nil })
		op, err := tunable.New("restored", keyOf, quick(tunable.Options[params]{}), closes, plain)
		if err != nil {
			t.Fatal(err)
		}
		if err := call(op, params{X: x}); err == nil || !strings.Contains(err.Error(), "restoring tensors") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A candidate whose results are not those of the first is passed over; in the bit-stable mode also one that
// differs in a zero's sign.
func TestBitStable(t *testing.T) {
	s := stream(t, "interp")
	store := openStore(t, nereid.TuneStoreOptions{})
	write := func(name string, takes time.Duration, v float32) tunable.Candidate[params] {
		return tunable.Func(name, "", func(s *nereid.Stream, p params) error {
			time.Sleep(takes)
			return nereid.CopyFrom(p.X, []float32{v})
		})
	}
	list := []tunable.Candidate[params]{
		write("first", 20*time.Millisecond, 0), write("other", 0, 1),
		write("negative", 0, float32(negativeZero())), write("same", 5*time.Millisecond, 0),
	}
	for stable, want := range map[bool]string{false: "negative", true: "same"} {
		o := quick(tunable.Options[params]{Store: store, BitStable: stable, Outputs: outputs})
		op, err := tunable.New("bits", keyOf, o, list...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := op.Results(s, params{X: nereid.FromSlice(make([]float32, 1))})
		if err != nil {
			t.Fatal(err)
		}
		if name := got[0].Candidate; name != want {
			t.Errorf("stable %v: %+v", stable, got)
		}
		says := map[bool]string{false: "differ from those of first: output 0[0] is 1, there 0",
			true: "differ in bits from those of first"}[stable]
		if !strings.Contains(got[3].Failed, says) {
			t.Errorf("%+v", got)
		}
	}
}

// writes returns a candidate that writes a number to every element but the first ones, which it leaves.
func writes(name string, takes time.Duration, v float32, leaves int) tunable.Candidate[params] {
	return tunable.Func(name, "", func(s *nereid.Stream, p params) error {
		time.Sleep(takes)
		x := make([]float32, p.N)
		if err := nereid.CopyTo(x, p.X); err != nil {
			return err
		}
		for i := range x[leaves:] {
			x[leaves+i] = v
		}
		return nereid.CopyFrom(p.X, x)
	})
}

// A candidate that does nothing, one that does half of the work, and one that computes something else are
// never chosen, even if the output held the answer before; the result file says which and why. A reference
// overrules the first candidate.
func TestWrongCandidates(t *testing.T) {
	s := stream(t, "interp")
	const n = 8
	list := []tunable.Candidate[params]{
		writes("slow", 20*time.Millisecond, 3, 0), writes("nothing", 0, 3, n), writes("half", 0, 3, n/2),
		writes("other", 0, 4, 0), writes("right", 4*time.Millisecond, 3, 0),
	}
	reference := func(s *nereid.Stream, p params) error { return writes("", 0, 4, 0).Run(s, p) }
	for _, c := range []struct {
		what   string
		o      tunable.Options[params]
		before float32
		want   string
		wrong  int
	}{
		{"copies", tunable.Options[params]{Outputs: outputs}, 0, "right", 3},
		{"found", tunable.Options[params]{}, 0, "right", 3},
		{"held the answer", tunable.Options[params]{Outputs: outputs}, 3, "right", 3},
		{"found, held the answer", tunable.Options[params]{}, 3, "right", 3},
		{"reference", tunable.Options[params]{Reference: reference}, 4, "other", 4},
		{"wide", tunable.Options[params]{Tolerance: 0.5}, 0, "other", 2},
		{"exact", tunable.Options[params]{Outputs: outputs, BitStable: true}, 0, "right", 3},
	} {
		store := openStore(t, nereid.TuneStoreOptions{})
		c.o.Store = store
		op, err := tunable.New("wrong", keyOf, quick(c.o), list...)
		if err != nil {
			t.Fatal(err)
		}
		x := nereid.FromSlice(slices.Repeat([]float32{c.before}, n))
		got, err := op.Results(s, params{x, n})
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Candidate != c.want {
			t.Errorf("%s: %+v", c.what, got)
		}
		if n := strings.Count(string(written(t, store)), `"failed": "the results differ`); n != c.wrong {
			t.Errorf("%s: %d of %d are out: %s", c.what, n, c.wrong, written(t, store))
		}
		after := make([]float32, n)
		if err := nereid.CopyTo(after, x); err != nil || slices.ContainsFunc(after, func(v float32) bool {
			return v != c.before
		}) {
			t.Errorf("%s: the tuning leaves %v, %v", c.what, after, err)
		}
	}
	op, err := tunable.New("wrong", keyOf, quick(tunable.Options[params]{Unchecked: true}), list...)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := op.Results(s, params{nereid.FromSlice(make([]float32, n)), n}); err != nil ||
		got[4].Failed != "" {
		t.Errorf("unchecked: %+v, %v", got, err)
	}
}

// Results that were kept before answers were compared are measured again.
func TestUncheckedRecord(t *testing.T) {
	s := stream(t, "interp")
	list := []tunable.Candidate[params]{writes("a", time.Millisecond, 3, 0), writes("b", 0, 4, 0)}
	p := params{nereid.FromSlice(make([]float32, 4)), 4}
	store := openStore(t, nereid.TuneStoreOptions{})
	for _, c := range []struct {
		unchecked bool
		want      string
	}{{true, "b"}, {false, "a"}} {
		op, err := tunable.New("old", keyOf,
			quick(tunable.Options[params]{Store: store, Unchecked: c.unchecked}), list...)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := op.Picked(s, p); got != c.want {
			t.Errorf("unchecked %v: %s, %v", c.unchecked, got, err)
		}
	}
}

func negativeZero() float64 { return math.Copysign(0, -1) }

// An op is a candidate of another: it is tuned when the outer one is, and both run their best.
func TestNested(t *testing.T) {
	s := stream(t, "interp")
	a, b, c := abc()
	dir := t.TempDir()
	for range 2 { // the second time by what is kept
		store := openStore(t, nereid.TuneStoreOptions{Dir: dir})
		inner := newOp(t, tunable.Options[params]{Store: store}, a, b)
		outer, err := tunable.New("outer", keyOf, quick(tunable.Options[params]{Store: store}), c.candidate(),
			tunable.Nested(inner, func(p params) params { return params{N: p.N + 1} }))
		if err != nil {
			t.Fatal(err)
		}
		if got := picked(t, outer, s, 1); got != "count" {
			t.Errorf("%s is picked", got)
		}
		if got := picked(t, inner, s, 2); got != "b" {
			t.Errorf("inside, %s is picked", got)
		}
		a.reset()
		b.reset()
		if err := outer.Call(s, params{N: 1}); err != nil || b.reset() != 1 || a.reset() != 0 {
			t.Error(err)
		}
	}
}

// Explore measures every candidate to the end and changes no choice.
func TestExplore(t *testing.T) {
	s := stream(t, "interp")
	a, b, _ := abc()
	slow := &counted{name: "slow", takes: 50 * time.Millisecond}
	op := newOp(t, tunable.Options[params]{}, a, b, slow)
	if err := op.Tune(s, params{N: 1}); err != nil {
		t.Fatal(err)
	}
	b.takes = time.Millisecond
	list, err := op.Explore(s, params{N: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !list[0].Picked || list[0].Candidate != "b" || list[0].Median < b.takes || list[1].Candidate != "a" ||
		list[2].Median < slow.takes {
		t.Errorf("%+v", list)
	}
}

func openStore(t *testing.T, o nereid.TuneStoreOptions) *nereid.TuneStore {
	t.Helper()
	return txtest.Open(t, nereid.OpenTuneStore, o)
}

// written returns a store's text.
func written(t *testing.T, s *nereid.TuneStore) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func second[T any](_ T, err error) error { return err }

// TestArgsWithoutCode: arguments that no Code made refuse to launch.
func TestArgsWithoutCode(t *testing.T) {
	s := stream(t, "interp")
	if err := new(tunable.Args).Int(1).Float(2).Launch(s, nereid.Grid{1}); err == nil {
		t.Error("no error")
	}
}
