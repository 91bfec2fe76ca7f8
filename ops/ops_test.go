package ops_test

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// on runs f for each device that ops are tested on.
func on(t *testing.T, f func(t *testing.T, s *ops.Stream)) {
	t.Helper()
	for _, name := range []string{"interp", "cpu", "sim:90"} {
		t.Run(name, func(t *testing.T) { f(t, streamOn(t, name)) })
	}
}

func streamOn(t testing.TB, name string) *ops.Stream {
	t.Helper()
	dev := txtest.Device(t, name, nereid.OpenDevice)
	stream := txtest.Open(t, dev.NewStream, t.Context())
	s := ops.On(stream)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// made returns a tensor on the device of s with f of the position of each element.
func made(t testing.TB, s *ops.Stream, dt nereid.DType, f func(i int) float64, shape ...int) *nereid.Tensor {
	t.Helper()
	x := s.New(dt, shape...)
	data := make([]float64, x.Len())
	for i := range data {
		data[i] = f(i)
	}
	if err := nereid.CopyFrom(x, data); err != nil {
		t.Fatal(err)
	}
	return x
}

// values returns the elements of a result.
func values(t testing.TB, x *nereid.Tensor) []float64 {
	t.Helper()
	if err := x.Err(); err != nil {
		t.Fatal(err)
	}
	data := make([]float64, x.Len())
	if err := nereid.CopyTo(data, x); err != nil {
		t.Fatal(err)
	}
	return data
}

// near fails unless a result has a type, a shape and values within a relative tolerance.
func near(t testing.TB, what string, got *nereid.Tensor, want []float64, tol float64) {
	t.Helper()
	have := values(t, got)
	if len(have) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(have), len(want))
		return
	}
	for i, w := range want {
		g := have[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= tol*(1+math.Abs(w)) {
			continue
		}
		t.Errorf("%s: element %d is %v, want %v", what, i, g, w)
		return
	}
}

func wave(i int) float64 { return math.Sin(float64(i)*1.7) * 3 }
