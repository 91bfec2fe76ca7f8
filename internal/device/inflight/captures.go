package inflight

import (
	"errors"
	"sync"
)

// ErrCapturing is wrapped by errors of what cannot be done while a stream is being captured.
var ErrCapturing = errors.New("the stream is being captured")

// Captures keeps captures of streams and waits for the whole device apart: a driver that is asked to wait for
// the device while a stream is being captured refuses, and spoils the capture. Its zero value is ready.
type Captures struct {
	mu      sync.Mutex
	changed sync.Cond
	threads map[int]int // captures under way, by the thread that began them
	waits   int         // waits for the device, under way or to come
}

// Begin begins a capture, after the waits for the device that are under way. The caller stays on its thread
// until the capture ends, by a call of the result.
func (c *Captures) Begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	me := thread()
	for c.waits > 0 && c.threads[me] == 0 { // a capture inside of another one must not wait for that
		c.cond().Wait()
	}
	if c.threads == nil {
		c.threads = map[int]int{}
	}
	c.threads[me]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.threads[me]--; c.threads[me] == 0 {
			delete(c.threads, me)
		}
		c.cond().Broadcast()
	}
}

// Wait calls wait, which waits for the device, while there is no capture. It reports whether it did: on a
// thread that is capturing it cannot.
func (c *Captures) Wait(wait func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.threads[thread()] > 0 {
		return false
	}
	c.waits++
	for len(c.threads) > 0 {
		c.cond().Wait()
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.waits--
		c.cond().Broadcast()
	}()
	wait()
	return true
}

// cond returns the condition of any change. The caller holds the lock.
func (c *Captures) cond() *sync.Cond {
	if c.changed.L == nil {
		c.changed.L = &c.mu
	}
	return &c.changed
}
