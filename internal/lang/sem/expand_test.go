package sem

import (
	"slices"
	"testing"
)

// TestExpandAxes: the new dimensions of expand_dims are those of the result, in whatever order they are
// given.
func TestExpandAxes(t *testing.T) {
	f := newTestFunc(DefaultOptions("cuda", "90"))
	x := f.param(Block(Float32, 8))
	for _, c := range []struct{ axes, want []int64 }{
		{[]int64{0, 2}, []int64{1, 8, 1}}, {[]int64{2, 0}, []int64{1, 8, 1}},
		{[]int64{1, 0}, []int64{1, 1, 8}}, {[]int64{-1, 0}, []int64{1, 8, 1}},
		{[]int64{-1, -2}, []int64{8, 1, 1}},
	} {
		if got := ShapeOf(f.b.expandAxes(x, c.axes).Type); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.axes, got, c.want)
		}
	}
}
