package ttglayout

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/layout"
)

// TestClusterParts: each block of a cluster has its part of a tensor as a program without a cluster has a
// tensor of that size: every fact about registers, lanes and warps is the same, for random blocked layouts.
func TestClusterParts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	split := func(bits int) []int64 {
		n := r.IntN(bits + 1)
		return []int64{1 << n, 1 << (bits - n)}
	}
	for range 300 {
		enc := ttg.Blocked{SizePerThread: split(r.IntN(4)), ThreadsPerWarp: split(5), WarpsPerCTA: split(2),
			Order: [][]int64{{0, 1}, {1, 0}}[r.IntN(2)]}
		part := []int64{1 << r.IntN(9), 1 << r.IntN(9)}
		alone := mustFor(t, enc.Attr(), part...)
		cluster := split(1 + r.IntN(2))
		for d, n := range cluster {
			for at := int64(1); at < n; at *= 2 {
				v := make([]int64, 2)
				v[d] = at
				enc.CGALayout = append(enc.CGALayout, v)
			}
		}
		whole := mustFor(t, enc.Attr(), part[0]*cluster[0], part[1]*cluster[1])
		for name, fact := range map[string]func(layout.Layout) []int{
			"SizePerThread": layout.Layout.SizePerThread, "ContigPerThread": layout.Layout.ContigPerThread,
			"ContigPerWarp": layout.Layout.ContigPerWarp, "Order": layout.Layout.Order,
			"ThreadOrder": layout.Layout.ThreadOrder, "WarpOrder": layout.Layout.WarpOrder,
			"lanes": func(l layout.Layout) []int { return l.CountPerDim(layout.Lane) },
			"warps": func(l layout.Layout) []int { return l.CountPerDim(layout.Warp) },
		} {
			if got, want := fact(whole), fact(alone); !slices.Equal(got, want) {
				t.Errorf("%s is %v, without a cluster %v:\n%s of %v", name, got, want, enc.Attr(), part)
			}
		}
	}
}
