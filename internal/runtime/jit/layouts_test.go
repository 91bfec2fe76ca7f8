package jit

import (
	"testing"
	"unsafe"
)

// TestLines holds what a launch of a Bound reads to two whole cache lines: the allocator puts a struct whose
// size is a multiple of a line's at the beginning of one.
func TestLines(t *testing.T) {
	const line = 64
	var bound Bound
	for name, end := range map[string]uintptr{ // of the last field that is read
		"calls": unsafe.Offsetof(bound.calls) + unsafe.Sizeof(bound.calls),
		"seen":  unsafe.Offsetof(bound.seen) + unsafe.Sizeof(bound.seen),
	} {
		if end > 2*line {
			t.Errorf("%s ends at %d", name, end)
		}
	}
	if size := unsafe.Sizeof(bound); size%line != 0 {
		t.Errorf("a Bound has %d bytes", size)
	}
}
