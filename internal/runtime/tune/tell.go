package tune

import (
	"sync"
	"sync/atomic"
	"time"
)

// A program that waits for a tuning says so: after tellAfter, and then every tellEvery.
var (
	tellAfter = time.Second
	tellEvery = 10 * time.Second
)

// telling tells how a long tuning goes on.
type telling struct {
	inform   func(msg string, args ...any) // nil tells nothing
	kernel   string
	count    int // count of configs
	begin    time.Time
	measured atomic.Int64

	mu    sync.Mutex
	timer *time.Timer
	told  bool
	ended bool
}

// tell begins to tell of a tuning of so many configs.
func (r *run) tell(count int) *telling {
	t := &telling{inform: r.k.Opts.Inform, kernel: r.k.Name, count: count, begin: time.Now()}
	if t.inform != nil && count > 0 {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.timer = time.AfterFunc(tellAfter, t.say)
	}
	return t
}

func (t *telling) say() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.told = true
	t.inform("nereid: tuning", "kernel", t.kernel, "configs", t.count, "measured", t.measured.Load())
	t.timer.Reset(tellEvery)
}

// end ends the telling; best is the config that was chosen, "" for none. What was told of is told to its end.
func (t *telling) end(best string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended = true; t.timer != nil {
		t.timer.Stop()
	}
	if t.told {
		took := time.Since(t.begin).Round(10 * time.Millisecond)
		t.inform("nereid: tuned", "kernel", t.kernel, "seconds", took.Seconds(), "config", best)
	}
}
