package device

import (
	"sync"
	"testing"
)

// TestSpare has goroutines write to what they get: no two have the same at once, which the race detector
// sees too.
func TestSpare(t *testing.T) {
	var s Spare[[4]int]
	if a, b := s.Get(), s.Get(); a == b {
		t.Fatal("two callers got the same memory")
	} else {
		s.Put(b)
		s.Put(a)
		if c := s.Get(); c != a {
			t.Error("what was given back first is not what comes next")
		} else {
			s.Put(c)
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 1000 {
				x := s.Get()
				for i := range x {
					x[i] = g
				}
				for i := range x {
					if x[i] != g {
						t.Errorf("goroutine %d finds what %d has written", g, x[i])
						return
					}
				}
				s.Put(x)
			}
		})
	}
	wg.Wait()
	if n := testing.AllocsPerRun(100, func() { s.Put(s.Get()) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
