package warm

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// TestScalar holds short cuts to what package args says of an integer.
func TestScalar(t *testing.T) {
	values := []int64{0, 1, 2, 15, 16, 17, 32, -1, -16, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt64, 1 << 40, 1<<40 + 1}
	for _, r := range []args.IntRule{
		{One: args.ClassOne, Align: args.ClassDiv16}, {One: args.ClassInt32, Align: args.ClassDiv16},
		{One: args.ClassOne}, {One: args.ClassInt32},
	} {
		for _, v := range values {
			s := intScalar(r, r.Class(v), 7)
			if s.at() != 7 {
				t.Fatalf("the place is %d", s.at())
			}
			for _, w := range values {
				if fits := s.differs(w) == 0; fits != (r.Class(v) == r.Class(w)) {
					t.Errorf("%+v: bound for %d, %d fits: %v", r, v, w, fits)
				}
			}
		}
	}
	if anyScalar(3).differs(12345) != 0 || anyScalar(3).differs(1) != 0 {
		t.Error("a float's bits have no say")
	}
}
