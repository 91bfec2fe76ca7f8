package interp

import (
	"slices"
	"testing"
	"unsafe"
)

// TestUnmarked looks for words without a value: whole ones at multiples of 8, and most of one at an end.
func TestUnmarked(t *testing.T) {
	words := make([]uint64, 4) // so that the bytes begin at a multiple of 8
	data := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	for i := range data {
		data[i] = mark[i%len(mark)]
	}
	copy(data[8:], "a value ")
	for _, c := range []struct {
		lo, hi int
		want   []int // the first and the last byte without a value; nil if there is none
	}{
		{0, 32, []int{0, 31}}, {8, 16, nil}, {4, 16, []int{0, 3}}, {5, 16, nil}, {8, 20, []int{8, 11}},
		{8, 19, nil}, {0, 0, nil}, {16, 24, []int{0, 7}},
	} {
		got := unmarked(data[c.lo:c.hi])
		if c.want == nil {
			if got != nil {
				t.Errorf("unmarked(%d:%d) = %v, want nil", c.lo, c.hi, got)
			}
			continue
		}
		first := slices.Index(got, 0)
		last := len(got) - 1
		for last > 0 && got[last] != 0 {
			last--
		}
		if first != c.want[0] || last != c.want[1] {
			t.Errorf("unmarked(%d:%d) has no value at %d to %d, want %v", c.lo, c.hi, first, last, c.want)
		}
	}
	if got := unmarked(data); got[8] != 1 || got[15] != 1 {
		t.Errorf("the word with a value counts as none: %v", got)
	}
}
