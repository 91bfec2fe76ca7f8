package inflight

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestCaptures: while goroutines capture and wait for the device, no wait is under way during a capture, and
// a thread that captures is told that it cannot wait.
func TestCaptures(t *testing.T) {
	var (
		c         Captures
		capturing atomic.Int32
		waited    atomic.Int32
		all       sync.WaitGroup
	)
	for range 4 {
		all.Go(func() {
			for range 300 {
				if c.Wait(func() {
					if capturing.Load() != 0 {
						t.Error("the device is waited for during a capture")
					}
				}) {
					waited.Add(1)
				}
			}
		})
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range 300 {
				end := c.Begin()
				capturing.Add(1)
				inner := c.Begin() // of another stream
				if c.Wait(func() { t.Error("waited for the device") }) {
					t.Error("a thread that captures waits")
				}
				inner()
				capturing.Add(-1)
				end()
			}
		})
	}
	all.Wait()
	if waited.Load() != 4*300 {
		t.Errorf("%d waits, want %d", waited.Load(), 4*300)
	}
}
