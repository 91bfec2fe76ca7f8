package nvidia

import "testing"

// TestMerges: a launch has as many programs as one as keep the SMs busy, and fewer where there are strides,
// above all if these are not all 1.
func TestMerges(t *testing.T) {
	const few = 8 * 132
	strided := &Code{Merge: 8, Strides: []int{1, 3}, Params: []int{8, 4, 8, 8}}
	plain := &Code{Merge: 8, Params: []int{8}}
	ones, others := []uint64{9, 1, 9, 1}, []uint64{9, 1, 9, 2}
	for _, c := range []struct {
		code  *Code
		x     int
		words []uint64
		merge int
		unit  bool
	}{
		{strided, 8 * few, ones, 4, true},
		{strided, 8 * few, others, 2, false},
		{strided, 4*few + 2, ones, 2, true},
		{strided, 4*few + 1, ones, 1, false},
		{strided, 2*few - 2, others, 1, false},
		{plain, 8 * few, ones, 8, false},
		{plain, 2 * few, ones, 2, false},
	} {
		if merge, unit := c.code.Merges(c.x, c.words, 132); merge != c.merge || unit != c.unit {
			t.Errorf("%d programs and %v: %d become one, strides of 1: %v; want %d, %v", c.x, c.words, merge,
				unit, c.merge, c.unit)
		}
	}
}

// TestCheckStrides: a description whose strides are no parameters is damaged.
func TestCheckStrides(t *testing.T) {
	for i, want := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		k := &Code{Params: []int{8, 4}, Strides: []int{i}}
		if got := k.checkStrides() == nil; got != want {
			t.Errorf("a stride at %d: %v", i, got)
		}
	}
}

// TestUnitStrides: all strides of a launch have to be 1, in as many bits as the parameter has.
func TestUnitStrides(t *testing.T) {
	k := &Code{Params: []int{8, 4, 8}, Strides: []int{1, 2}}
	for _, test := range []struct {
		words []uint64
		want  bool
	}{
		{[]uint64{0, 1, 1}, true},
		{[]uint64{0, 7<<32 | 1, 1}, true},
		{[]uint64{0, 1, 7<<32 | 1}, false},
		{[]uint64{0, 2, 1}, false},
	} {
		if got := k.UnitStrides(test.words); got != test.want {
			t.Errorf("%v: %v", test.words, got)
		}
	}
	if (&Code{Params: []int{8}}).UnitStrides([]uint64{1}) {
		t.Error("a kernel without strides has strides of 1")
	}
}
