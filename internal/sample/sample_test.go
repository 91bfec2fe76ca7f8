package sample

import (
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestAt: an address belongs to the code that was loaded last, and to no code behind its end.
func TestAt(t *testing.T) {
	defer func(was [][]span) { known.loaded = was }(known.loaded)
	known.loaded = [][]span{
		{{100, 200, Place{"old", "a.py", 1}}, {200, 300, Place{"old", "a.py", 2}}},
		{{150, 160, Place{"new", "b.py", 7}}},
	}
	for pc, want := range map[uint64]Place{100: {"old", "a.py", 1}, 149: {"old", "a.py", 1},
		155: {"new", "b.py", 7}, 160: {"old", "a.py", 1}, 299: {"old", "a.py", 2}} {
		if got, ok := At(pc); !ok || got != want {
			t.Errorf("%d is of %+v, want %+v", pc, got, want)
		}
	}
	for _, pc := range []uint64{99, 300} {
		if got, ok := At(pc); ok {
			t.Errorf("%d is of %+v", pc, got)
		}
	}
}

// TestSampler: a thread that computes for 100 ms of its time is found about 400 times.
func TestSampler(t *testing.T) {
	s, err := Start()
	if err != nil {
		txtest.NotHere(t, "%v", err)
	}
	start, x := time.Now(), 1.0
	for n := 0; s.Counts().Other < 300; n++ {
		for range 1_000_000 {
			x = x*1.0000001 + 1e-9
		}
		if err := s.Poll(); err != nil {
			t.Fatal(err)
		}
		if time.Since(start) > 20*time.Second {
			t.Fatalf("%d samples after %v (%v)", s.Counts().Other, time.Since(start), x)
		}
	}
	s.Stop()
	if took := time.Since(start); took < 30*time.Millisecond {
		t.Errorf("%d samples of %v in %v", s.Counts().Other, Period, took)
	}
}
