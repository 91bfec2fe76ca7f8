package nereid_test

import (
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestMake makes and fills tensors of the host and of a device, and views of them.
func TestMake(t *testing.T) {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	elements := func(x *nereid.Tensor) []float64 {
		t.Helper()
		out := make([]float64, x.Len())
		if err := nereid.CopyTo(out, x); err != nil {
			t.Fatal(err)
		}
		return out
	}
	on := func(x *nereid.Tensor, d *nereid.Device) *nereid.Tensor {
		t.Helper()
		y, err := x.To(d)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { y.Close() })
		return y
	}
	host := nereid.Arange(nereid.Float16, 6).Reshape(2, 3)
	there := on(host.Transpose(0, 1), dev)
	if got := elements(on(there, nil)); !slices.Equal(got, []float64{0, 3, 1, 4, 2, 5}) ||
		there.Shape[0] != 3 {
		t.Errorf("%v of the shape %v", got, there.Shape)
	}
	if err := there.Select(1, 1).Fill(-1.5); err != nil {
		t.Fatal(err)
	}
	if got := elements(there); !slices.Equal(got, []float64{0, -1.5, 1, -1.5, 2, -1.5}) {
		t.Errorf("a column was filled: %v", got)
	}
	if err := host.Fill(7); err != nil || !slices.Equal(elements(host), []float64{7, 7, 7, 7, 7, 7}) {
		t.Error(err, elements(host))
	}
	a, b := nereid.Rand(nereid.Float32, 1, 1000), nereid.Rand(nereid.Float32, 1, 10, 100)
	c := nereid.Rand(nereid.Float32, 2, 1000)
	if x := elements(a); !slices.Equal(x, elements(b)) || slices.Equal(x, elements(c)) || slices.Min(x) < 0 ||
		slices.Max(x) > 1 || slices.Max(x)-slices.Min(x) < 0.9 {
		t.Error("random floats", slices.Min(x), slices.Max(x))
	}
	if x := elements(nereid.Rand(nereid.Int8, 3, 1000)); slices.Min(x) > -120 || slices.Max(x) < 120 {
		t.Error("random integers", slices.Min(x), slices.Max(x))
	}
	for name, err := range map[string]error{
		"Arange(-1)": nereid.Arange(nereid.Int32, -1).Err(),
		"Rand":       nereid.Rand(nereid.Invalid, 1, 3).Err(),
		"Fill":       (*nereid.Tensor)(nil).Fill(1),
	} {
		if err == nil {
			t.Errorf("%s works", name)
		}
	}
	if _, err := (*nereid.Tensor)(nil).To(dev); err == nil {
		t.Error("To of nothing works")
	}
}
