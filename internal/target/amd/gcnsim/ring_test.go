package gcnsim

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/num"
)

// TestRingQuotient: the last step of a division in the ring gives the quotient of the steps before for finite
// numbers, and that of IEEE's arithmetic where one is infinite or NaN, of which the steps make NaN.
func TestRingQuotient(t *testing.T) {
	fixup := ringOps["v_div_fixup"]
	inf, nan := math.Inf(1), math.NaN()
	for _, f := range []*num.Format{num.F16, num.F32, num.F64} {
		if got := fixup(f, [3]float64{7, 2, 3}); got != 7 {
			t.Errorf("%s: the quotient 7 became %v", f.Name, got)
		}
		for _, c := range []struct{ above, below, want float64 }{{2, inf, 0}, {inf, 2, inf}, {inf, -2, -inf},
			{-inf, 2, -inf}, {2, nan, nan}, {nan, 2, nan}, {inf, inf, nan}, {nan, inf, nan}} {
			got := fixup(f, [3]float64{7, c.below, c.above})
			if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
				t.Errorf("%s: %v / %v is %v", f.Name, c.above, c.below, got)
			}
		}
	}
}
