package dtype

import (
	"math"
	"testing"
)

func TestRows(t *testing.T) {
	spelled := map[string]Type{}
	for dt := range All() {
		r := dt.Row()
		if r.Name == "" || r.TL == "" || r.Bits == 0 || r.Kind == None ||
			(r.Kind == Float) != (r.Format != nil) {
			t.Errorf("row %d is not whole: %+v", dt, *r)
		}
		if (r.Kind == Float) != (r.Tolerance > 0) {
			t.Errorf("%s: the tolerance %g does not fit the kind", dt, r.Tolerance)
		}
		for _, name := range append([]string{r.Name, r.TL, r.Torch}, r.Aliases...) {
			if other, ok := spelled[name]; ok && name != "" && other != dt {
				t.Errorf("%q names %s and %s", name, other, dt)
			}
			spelled[name] = dt
			if got, ok := Parse(name); name != "" && (!ok || got != dt) {
				t.Errorf("Parse(%q) = %s, %v", name, got, ok)
			}
		}
	}
	if got := Type(200); got.Size() != 0 || got.String() != "DType(200)" {
		t.Errorf("no type: size %d, %s", got.Size(), got)
	}
}

func TestRoundTrip(t *testing.T) {
	for dt := range All() {
		for _, v := range []float64{0, 1, 0.5, 1.75, -1.5} {
			if !dt.IsFloat() && (v < 0 || v != math.Trunc(v)) {
				continue
			}
			if got := dt.Decode(dt.Encode(v)); got != v {
				t.Errorf("%s: %g becomes %g", dt, v, got)
			}
		}
	}
	for _, c := range []struct {
		t    Type
		v    float64
		want float64
	}{
		{Int8, -3, -3}, {Int16, -300, -300}, {Int64, -1 << 40, -1 << 40},
		{Float8E4B15, 100, 1.75}, {Float8E4B15, -100, -1.75}, {Float8E4B15, math.Inf(1), 1.75},
		{Float8E4B15, 1.0625, 1.125}, // halves round away from zero, as Triton's conversion does
	} {
		if got := c.t.Decode(c.t.Encode(c.v)); got != c.want {
			t.Errorf("%s: %g becomes %g, want %g", c.t, c.v, got, c.want)
		}
	}
}
