package pool

import (
	"slices"
	"time"
)

// watch ends native code when contexts end: while there are runs whose context can end, a goroutine checks
// them every few milliseconds and sets their stop words. A run pays a comparison for it, not a goroutine of
// its own.
type watch struct {
	runs []*run // all runs, running or free; guarded by the pool's lock
	on   bool   // the goroutine is running; guarded likewise
}

const (
	watchEvery = 2 * time.Millisecond
	watchIdle  = 500 // rounds without a run after which the goroutine ends
)

// watched starts the goroutine unless it is running. The pool's lock must be held.
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

// look stops the runs whose context has ended and reports whether any run's context can end.
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
