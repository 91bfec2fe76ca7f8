package nvidia

import "testing"

// What is cleared between runs is sized to the device's cache.
func TestFlushBytes(t *testing.T) {
	for l2, want := range map[int]int{0: 256 << 20, 512 << 10: 16 << 20, 4 << 20: 16 << 20, 6 << 20: 32 << 20,
		40 << 20: 256 << 20, 60 << 20: 256 << 20, 126 << 20: 512 << 20} {
		if got := flushBytes(l2); got != want {
			t.Errorf("a cache of %d MiB: %d MiB", l2>>20, got>>20)
		}
	}
}
