package pool

import "time"

// watch ends native code when contexts end: while there are runs whose context can end, a goroutine checks
// them every few milliseconds and sets their stop words. A run pays a comparison for it, not a goroutine of
// its own.
type watch struct {
	runs []*run // runs whose context can end; guarded by the pool's lock
	on   bool   // the goroutine is running; guarded likewise
}

const (
	watchEvery = 2 * time.Millisecond
	watchIdle  = 500 // rounds without a run after which the goroutine ends
)

// begin watches a run until end: done is the channel of its context.
func (w *watch) begin(p *Pool, r *run, done <-chan struct{}) {
	r.watched = true
	p.mu.Lock()
	r.done = done
	r.place = len(w.runs)
	w.runs = append(w.runs, r)
	if !w.on {
		w.on = true
		go p.watchRuns()
	}
	p.mu.Unlock()
}

// end stops watching a run, whose stop word is 0 then.
func (w *watch) end(p *Pool, r *run) {
	p.mu.Lock()
	last := len(w.runs) - 1
	w.runs[r.place] = w.runs[last]
	w.runs[r.place].place = r.place
	w.runs[last] = nil
	w.runs = w.runs[:last]
	p.mu.Unlock()
	r.watched, r.done = false, nil
	if r.stop.Load() != 0 {
		r.stop.Store(0)
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

// look stops the runs whose context has ended and reports whether there are any runs.
func (w *watch) look() bool {
	for _, r := range w.runs {
		select {
		case <-r.done:
			r.stop.Store(1)
		default:
		}
	}
	return len(w.runs) > 0
}
