package model

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLargest compares with a sort of all elements, with equal ones among them.
func TestLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 5, 256, 1000, 49152} {
		for _, n := range []int{1, 7, 256} {
			x, want := make([]float32, size), make([]int, size)
			for i := range x {
				x[i], want[i] = float32(r.IntN(size)), i
			}
			if size == 1000 { // the worst order
				slices.Sort(x)
			}
			slices.SortStableFunc(want, func(i, j int) int { return cmp.Compare(x[j], x[i]) })
			if got := largest(x, n); !slices.Equal(got, want[:min(n, size)]) {
				t.Errorf("%d of %d elements: %v, not %v", n, size, got, want[:min(n, size)])
			}
		}
	}
}

func BenchmarkLargest(b *testing.B) {
	r, x := rand.New(rand.NewPCG(1, 2)), make([]float32, 49152)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for b.Loop() {
		largest(x, Candidates)
	}
}
