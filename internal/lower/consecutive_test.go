package lower

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/layout"
)

// TestConsecutive: registers hold adjacent elements as long as each next bit of their number steps by as many
// elements along the same dimension, whichever that is. A register that repeats an element ends them.
func TestConsecutive(t *testing.T) {
	for _, c := range []struct {
		bits [][]int
		want int
	}{
		{nil, 1},
		{[][]int{{0, 1}}, 2},
		{[][]int{{1, 0}}, 2},
		{[][]int{{0, 2}, {0, 1}}, 1},
		{[][]int{{0, 1}, {0, 2}, {0, 4}}, 8},
		{[][]int{{1, 0}, {2, 0}, {4, 0}}, 8},
		{[][]int{{1, 0}, {0, 2}}, 2}, // into the other dimension
		{[][]int{{0, 1}, {2, 0}}, 2},
		{[][]int{{1, 0}, {2, 0}, {0, 4}}, 4},
		{[][]int{{0, 1}, {0, 4}, {0, 2}}, 2}, // a gap
		{[][]int{{1, 1}, {2, 2}}, 1},         // two dimensions at a time
		{[][]int{{0, 0}, {0, 1}}, 1},         // the next register has the same element
		{[][]int{{0, 1}, {0, 0}, {0, 4}}, 2},
	} {
		l, err := layout.New([]layout.Bases{{Name: layout.Register, Vectors: c.bits}},
			[]layout.Dim{{Name: "dim0", Size: 16}, {Name: "dim1", Size: 16}})
		if err != nil {
			t.Fatal(err)
		}
		if got := consecutive(l); got != c.want {
			t.Errorf("%v: %d, want %d", c.bits, got, c.want)
		}
	}
}
