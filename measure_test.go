package nereid_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

// Quantiles are those of Triton's do_bench: [1, 2, 3, 10] has 2.5 in the middle.
func TestTimes(t *testing.T) {
	times := nereid.Times{1000, 2000, 3000, 10000}
	for q, want := range map[float64]time.Duration{0: 1000, 0.2: 1600, 0.5: 2500, 0.8: 5800, 1: 10000,
		-1: 1000, 2: 10000} {
		if got := times.Quantile(q); got < want-1 || got > want+1 {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if times.Mean() != 4000 || times.Median() != 2500 {
		t.Error(times.Mean(), times.Median())
	}
	if none := (nereid.Times)(nil); none.Median() != 0 || none.Mean() != 0 {
		t.Error("times of nothing")
	}
}

func TestMeasure(t *testing.T) {
	s := stream(t, "interp")
	runs := 0
	times, err := s.Times(0, 5*time.Millisecond, func() error {
		runs++
		time.Sleep(time.Millisecond)
		return nil
	})
	if err != nil || len(times) == 0 || len(times) > runs || times[0] < time.Millisecond ||
		times.Quantile(1) != times[len(times)-1] {
		t.Errorf("%v of %d runs: %v", times, runs, err)
	}
	broken := errors.New("broken")
	if _, err := s.Measure(0, time.Millisecond, func() error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
