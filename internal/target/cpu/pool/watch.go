package pool

import (
	"slices"
	"time"
)

// watch is how contexts end native code: while there are runs that a context may end, a goroutine looks every few milliseconds whether
// one has, and sets its stop word. A run pays for it by one comparison, and no run pays for a goroutine of its own.
type watch struct {
	runs []*run // all there are, running or free; under the pool's lock
	on   bool   // the goroutine is there; likewise
}

const (
	watchEvery = 2 * time.Millisecond
	watchIdle  = 500 // rounds without a run after which the goroutine ends
)

// watched makes sure that somebody watches. The pool's lock is held.
func (p *Pool) watched() {
	if !p.watch.on {
		p.watch.on = true
		go p.watchRuns()
	}
}

func (p *Pool) watchRuns() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for idle := 0; ; idle++ {
		<-tick.C
		p.mu.Lock()
		if p.watch.look() {
			idle = 0
		}
		if idle == watchIdle {
			p.watch.on = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

// look stops the runs whose context has ended, and reports whether there are any that it may end.
func (w *watch) look() (any bool) {
	for _, r := range w.runs {
		if r.done == nil {
			continue
		}
		any = true
		select {
		case <-r.done:
			r.stop.Store(1)
		default:
		}
	}
	return any
}

// forget drops a run that is not used again.
func (w *watch) forget(r *run) {
	if i := slices.Index(w.runs, r); i >= 0 {
		w.runs = slices.Delete(w.runs, i, i+1)
	}
}
