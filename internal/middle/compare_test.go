package middle

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
)

// TestCompare: the analysis of masks compares as arith.cmpi does, by every signed predicate, on both sides of
// zero and at it.
func TestCompare(t *testing.T) {
	for pred, holds := range map[int64][3]bool{ // below zero, at it, above
		arith.EQ:  {false, true, false},
		arith.NE:  {true, false, true},
		arith.SLT: {true, false, false},
		arith.SLE: {true, true, false},
		arith.SGT: {false, false, true},
		arith.SGE: {false, true, true},
	} {
		for i, list := range [][]int64{{-1, -7, math.MinInt32}, {0}, {1, 9, math.MaxInt32}} {
			for _, x := range list {
				if got := compare(pred, x); got != holds[i] {
					t.Errorf("predicate %d of %d and 0: %v", pred, x, got)
				}
			}
		}
	}
}
