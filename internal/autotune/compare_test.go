package autotune

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// encoded returns the bytes of numbers of a type.
func encoded(t dtype.Type, list ...float64) (data []byte) {
	for _, v := range list {
		bits := t.Encode(v)
		for i := range t.Size() {
			data = append(data, byte(bits>>(8*i)))
		}
	}
	return data
}

// TestCompare compares results of two configs: floats may differ by rounding, relative to the largest
// finite one. An infinity or a NaN among them excuses no other element, and nothing excuses theirs.
func TestCompare(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		t         dtype.Type
		got, want []float64
		at        int
	}{
		{"equal", dtype.Float32, []float64{1, 2, inf}, []float64{1, 2, inf}, -1},
		{"rounding", dtype.Float32, []float64{1 + 1e-6, 2, 3}, []float64{1, 2, 3}, -1},
		{"rounding beside a large one", dtype.Float32, []float64{1e-3, 1000}, []float64{0, 1000}, -1},
		{"another value", dtype.Float32, []float64{1, 2.1, 3}, []float64{1, 2, 3}, 1},
		{"beside an infinity", dtype.Float32, []float64{inf, 2.1}, []float64{inf, 2}, 1},
		{"beside a negative infinity", dtype.Float16, []float64{-inf, 7}, []float64{-inf, 2}, 1},
		{"beside a NaN", dtype.Float32, []float64{nan, 2.1}, []float64{nan, 2}, 1},
		{"an infinity for a number", dtype.Float32, []float64{inf, 2}, []float64{1, 2}, 0},
		{"a number for an infinity", dtype.Float32, []float64{1, 2}, []float64{inf, 2}, 0},
		{"the other infinity", dtype.Float32, []float64{-inf, 2}, []float64{inf, 2}, 0},
		{"a NaN for a number", dtype.BFloat16, []float64{1, nan}, []float64{1, 2}, 1},
		{"the other zero", dtype.Float32, []float64{math.Copysign(0, -1), 1}, []float64{0, 1}, -1},
		{"the next number of few bits", dtype.Float8E5, []float64{1.25, 2}, []float64{1, 2}, -1},
		{"one further of few bits", dtype.Float8E5, []float64{4, 2}, []float64{2, 2}, 0},
		{"integers", dtype.Int32, []float64{1 << 30, 5}, []float64{1 << 30, 4}, 1},
	} {
		d := Compare(c.t, encoded(c.t, c.got...), encoded(c.t, c.want...), 0)
		if d == nil && c.at >= 0 || d != nil && d.At != c.at {
			t.Errorf("%s: the first difference is %+v, not at %d", c.name, d, c.at)
		}
	}
}
