package nvidia

import "testing"

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
