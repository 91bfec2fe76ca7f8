package pool

import "sync"

// places are the processors on which the threads of a launch run. A worker that wakes up may land on the
// processor of the caller, or of another worker, although others are idle: where the system searches for idle
// processors at all, it searches few when most were busy a moment ago. The threads then take turns until the
// system balances its load, often after tens of milliseconds, which is longer than most launches, and the
// next launch finds them where they were.
type places struct {
	mu    sync.Mutex
	taken cpuSet
}

// reset leaves the places of a set alone.
func (p *places) reset(taken *cpuSet) { p.taken = *taken }
