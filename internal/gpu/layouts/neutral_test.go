package layouts

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestNeutral: what a thread's partial results begin with changes no value that is combined with it, not even
// the sign of a zero, in any format.
func TestNeutral(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1, -1.5, 3e-8, -6e4, math.Inf(1), math.Inf(-1)}
	for def := range neutral {
		for _, f := range []*ir.FloatType{ir.F16, ir.BF16, ir.F32, ir.F64} {
			start, ok := neutralOf(def, f).(*ir.FloatAttr)
			if !ok {
				t.Fatalf("%s has no neutral element of %s", def.Name, f)
			}
			for _, x := range values {
				want := ir.FloatOf(x, f)
				if got := ir.FloatOf(combine(t, def, start.Value(), want.Value()), f); got != want {
					t.Errorf("%s of %v and %v is %v", def.Name, start, want, got)
				}
			}
		}
	}
	for _, def := range []*ir.OpDef{arith.OrI, arith.AndI} {
		start := neutralOf(def, ir.I1).(*ir.IntegerAttr).Value != 0
		for _, x := range []bool{false, true} {
			if got := def == arith.OrI && (start || x) || def == arith.AndI && start && x; got != x {
				t.Errorf("%s of %v and %v is %v", def.Name, start, x, got)
			}
		}
	}
}

// combine computes a combination of floats; Go's operations keep the sign of zeros as the hardware's do.
func combine(t *testing.T, def *ir.OpDef, x, y float64) float64 {
	switch def {
	case arith.AddF:
		return x + y
	case arith.MulF:
		return x * y
	case arith.MaximumF, arith.MaxNumF:
		return math.Max(x, y)
	case arith.MinimumF, arith.MinNumF:
		return math.Min(x, y)
	}
	t.Fatalf("a new combination: %s", def.Name)
	return 0
}
