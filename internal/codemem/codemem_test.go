package codemem

import "testing"

// Pages that are given back in any order become one run again.
func TestSlabCoalesces(t *testing.T) {
	s := &slab{free: []pages{{0, 64}}}
	var taken []pages
	for _, n := range []int{8, 16, 4, 12, 24} {
		at, ok := s.take(n)
		if !ok {
			t.Fatal("no room")
		}
		taken = append(taken, pages{at, n})
	}
	if _, ok := s.take(1); ok {
		t.Error("more than there is")
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		s.put(taken[i])
	}
	if len(s.free) != 1 || s.free[0] != (pages{0, 64}) {
		t.Errorf("left: %v", s.free)
	}
}
