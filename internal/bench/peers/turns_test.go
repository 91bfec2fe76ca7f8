package peers

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// turns are turns of milliseconds by the clock and of processor time.
func turns(ms ...[2]int) (out []clock) {
	for _, t := range ms {
		wall, cpu := time.Duration(t[0]), time.Duration(t[1])
		out = append(out, clock{wall * time.Millisecond, cpu * time.Millisecond})
	}
	return out
}

// TestVersus: a machine that is slow for a while, for both sides, does not change the ratios; nor do turns in
// which only one side was disturbed.
func TestVersus(t *testing.T) {
	ours := turns([2]int{10, 20}, [2]int{30, 60}, [2]int{90, 20}, [2]int{10, 20}, [2]int{20, 40})
	theirs := turns([2]int{12, 12}, [2]int{36, 36}, [2]int{12, 12}, [2]int{48, 12}, [2]int{24, 24})
	r := versus(ours, theirs)
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"by the clock", r.clock, 1.2}, {"of the best", r.best, 1.2}, {"of processor time", r.cpu, 0.6},
		{"our cores", r.cores[0], 2}, {"their cores", r.cores[1], 1},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
	if got := versus(turns([2]int{10, 0}), turns([2]int{20, 20})); got.cpu != 0 || got.clock != 2 {
		t.Errorf("processor time that is not known: %+v", got)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		r    ratios
		want string
	}{
		{ratios{clock: 1.1, cpu: 1.1, cores: [2]float64{2, 2}}, "ok"},
		{ratios{clock: 1.1, cpu: 0.8, cores: [2]float64{2, 2}}, "ok"},
		{ratios{clock: 0.9, cpu: 1.1, cores: [2]float64{2, 2}}, "short"},
		{ratios{clock: 0.9, cpu: 0.9, cores: [2]float64{1, 2}}, "short"},
		{ratios{clock: 0.6, cpu: 1.1, cores: [2]float64{1, 2}}, "uneven"},
		{ratios{clock: 1.4, cpu: 0.7, cores: [2]float64{2, 1}}, "uneven"},
		{ratios{clock: 1.4, cpu: 1.1, cores: [2]float64{2, 1}}, "ok"},
		{ratios{clock: 0.9}, "short"},
	} {
		if got := c.r.verdict(1); got != c.want {
			t.Errorf("%+v is %s, want %s", c.r, got, c.want)
		}
	}
}

// TestTurns: competitors run as often as each other, in turns that every other round go backwards.
func TestTurns(t *testing.T) {
	var order []string
	run := func(name string) func(int) (clock, error) {
		return func(n int) (clock, error) {
			order = append(order, name)
			return clock{wall: time.Duration(n) * 30 * time.Millisecond}, nil
		}
	}
	s := &Suite{Rep: time.Nanosecond}
	l := &line{name: "line", work: 1e9, unit: "GFLOP/s", ours: func() error { return nil },
		peers: []competitor{{name: "a", run: run("a")}, {name: "b", run: run("b")}}}
	if err := s.compare(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if len(s.rows) != 2 || s.rows[0].theirs != "33.3 GFLOP/s" {
		t.Errorf("rows: %+v", s.rows)
	}
	if got := order[4:]; len(got) != 2*leastTurns || got[0] != "a" || got[2] != "b" || got[4] != "a" {
		t.Errorf("order: %v", got)
	}
	l.check = func() error { return errors.New("results differ") }
	if err := s.compare(context.Background(), l); err == nil {
		t.Error("results that differ are compared")
	}
}
