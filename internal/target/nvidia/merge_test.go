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
