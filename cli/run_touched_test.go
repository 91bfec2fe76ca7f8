package cli

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/target/interp"
)

// TestTouchedSize: a tensor is as large as its accesses under masks reach, however far others go beyond:
// those lack a mask, which the run is to show. Without masks, it is as large as all accesses reach.
func TestTouchedSize(t *testing.T) {
	for _, c := range []struct {
		touched *interp.Touched
		want    int
	}{
		{nil, 1},
		{&interp.Touched{}, 1},
		{&interp.Touched{MaskedEnd: 40}, 10},
		{&interp.Touched{MaskedEnd: 40, PlainEnd: 400, PlainRun: 64}, 10},
		{&interp.Touched{MaskedEnd: 400, PlainEnd: 40, PlainRun: 8}, 100},
		{&interp.Touched{PlainEnd: 400, PlainRun: 64}, 100},
	} {
		z := &sizer{in: &inputs{}}
		if n, note := z.size(c.touched, 4); n != c.want || note != "" {
			t.Errorf("%+v: %d elements, not %d: %s", c.touched, n, c.want, note)
		}
	}
}
