// Package inflight counts the calls of a driver that are under way, so that whoever destroys a stream, code
// or memory can wait for the calls that still use it.
//
// Its input is the beginning and the end of each call, its output the moment after which no call that began
// before is left. A call costs an atomic operation on memory that its own stream has; only those who close
// something wait, and no call ever waits for them. What makes it safe is the order: a call begins, and then
// looks whether anything that it uses is closed; whoever closes marks it closed, and then waits.
package inflight

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// ErrClosed is wrapped by errors of using something after its Close.
var ErrClosed = errors.New("closed already")

// Count counts the calls of one stream. A call that is alone on its stream takes a place of its own, which it
// gives back by an ordinary store. Calls that begin while somebody waits are counted apart, so that waiting
// ends however many calls follow each other.
type Count struct {
	alone int32 // 1 while its call is under way
	calls [2]int32
	phase atomic.Uint32
}

// Bits of a phase.
const (
	second = 1 // calls are counted in the second place
	waited = 2 // somebody waits: no call takes the place for one
)

// Call is a call under way.
type Call struct {
	n    *int32
	many bool // n counts calls
}

// Begin begins a call. Nothing that is open from here on is destroyed before End.
func (c *Count) Begin() Call {
	if c.phase.Load() == 0 && atomic.CompareAndSwapInt32(&c.alone, 0, 1) {
		return Call{n: &c.alone}
	}
	return c.beginMany()
}

// beginMany begins a call that is not alone.
func (c *Count) beginMany() Call {
	n := &c.calls[c.phase.Load()&second]
	atomic.AddInt32(n, 1)
	return Call{n, true}
}

// End ends the call.
func (c Call) End() {
	if c.many {
		atomic.AddInt32(c.n, -1)
	} else {
		release(c.n)
	}
}

// wait returns when all calls that had begun have ended. One goroutine waits at a time.
func (c *Count) wait() {
	c.phase.Store(waited)
	for try := 0; atomic.LoadInt32(&c.alone) != 0; try++ {
		pause(try)
	}
	for i := range c.calls {
		for try := 0; atomic.LoadInt32(&c.calls[i]) != 0; try++ {
			c.phase.Store(waited | uint32(1-i))
			pause(try)
		}
	}
	c.phase.Store(0)
}

// pause waits a little: a call that queues work takes microseconds, one that waits for the device longer.
func pause(try int) {
	if try < 100 {
		runtime.Gosched()
		return
	}
	time.Sleep(20 * time.Microsecond)
}

// Counted is a stream that counts its calls.
type Counted[S any] interface {
	*S
	Calls() *Count
}

// Group holds all streams of a device. The zero Group is empty.
type Group[S any, P Counted[S]] struct {
	mu      sync.Mutex
	streams []weak.Pointer[S]

	waiting sync.Mutex
}

// Add adds a stream, for as long as somebody has it.
func (g *Group[S, P]) Add(s P) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.streams) == cap(g.streams) { // as seldom as it grows
		g.streams = slices.DeleteFunc(g.streams, func(p weak.Pointer[S]) bool { return p.Value() == nil })
	}
	g.streams = append(g.streams, weak.Make((*S)(s)))
}

// All returns the streams.
func (g *Group[S, P]) All() (list []P) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.streams {
		if s := p.Value(); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Wait returns when all calls that had begun on streams of the device have ended. It must not be called
// within one.
func (g *Group[S, P]) Wait() { g.WaitFor(g.All()...) }

// WaitFor is Wait for some streams.
func (g *Group[S, P]) WaitFor(list ...P) {
	g.waiting.Lock()
	defer g.waiting.Unlock()
	for _, s := range list {
		s.Calls().wait()
	}
}
