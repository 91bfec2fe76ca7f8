package inflight

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stream is a stream.
type stream struct {
	calls Count
	_     *stream // the collector looks at it
}

func (s *stream) Calls() *Count { return &s.calls }

// TestWait: memory that is poisoned after its mark and a Wait is never seen poisoned by a call that found no
// mark, while calls of many goroutines follow each other without a gap.
func TestWait(t *testing.T) {
	type object struct{ closed, freed atomic.Bool }
	var (
		group   Group[stream, *stream]
		streams [3]*stream
		now     atomic.Pointer[object]
		done    atomic.Bool
		all     sync.WaitGroup
		used    atomic.Int64
	)
	now.Store(new(object))
	for i := range streams {
		streams[i] = new(stream)
		group.Add(streams[i])
	}
	for i := range 6 {
		all.Go(func() {
			for !done.Load() {
				o := now.Load()
				c := streams[i%len(streams)].calls.Begin()
				if !o.closed.Load() {
					runtime.Gosched()
					if o.freed.Load() {
						t.Error("an object is used that was freed")
						done.Store(true)
					}
					used.Add(1)
				}
				c.End()
			}
		})
	}
	for range 2 {
		all.Go(func() {
			for used.Load() < 20000 && !done.Load() {
				old := now.Swap(new(object))
				old.closed.Store(true)
				group.Wait()
				old.freed.Store(true)
			}
			done.Store(true)
		})
	}
	all.Wait()
}

// TestWaits: a Wait does not return while a call is under way, wherever it is counted, and calls that begin
// meanwhile are counted elsewhere.
func TestWaits(t *testing.T) {
	var group Group[stream, *stream]
	s := new(stream)
	group.Add(s)
	for where, begin := range []func() Call{
		s.calls.Begin,
		s.calls.beginMany,
		func() Call {
			s.calls.phase.Store(second)
			return s.calls.beginMany()
		},
	} {
		call := begin()
		done := make(chan bool)
		go func() {
			group.Wait()
			close(done)
		}()
		select {
		case <-done:
			t.Fatalf("place %d: nobody waited for the call", where)
		case <-time.After(5 * time.Millisecond):
		}
		later := s.calls.Begin()
		if later == call {
			t.Errorf("place %d: calls that begin prolong the waiting", where)
		}
		later.End()
		call.End()
		<-done
	}
	if c := s.calls.Begin(); c.many {
		t.Error("after the waiting, a call does not take the place for one")
	}
}

// TestForget: streams that nobody has are forgotten.
func TestForget(t *testing.T) {
	var group Group[stream, *stream]
	for range 1000 {
		group.Add(new(stream))
	}
	runtime.GC()
	kept := new(stream)
	for range 2000 {
		group.Add(kept)
		if len(group.streams) < 900 {
			return
		}
	}
	t.Errorf("%d streams", len(group.streams))
}
