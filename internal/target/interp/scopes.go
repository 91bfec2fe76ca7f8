package interp

import (
	"context"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
)

// collector returns what takes the marks of a launch's scopes, nil if nobody asks for them, and what tells
// them at its end.
func collector(ctx context.Context) (take func(device.ScopeMark), tell func()) {
	f := device.ScopesOf(ctx)
	if f == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	run := device.ScopeRun{Unit: "steps"}
	take = func(m device.ScopeMark) {
		mu.Lock()
		defer mu.Unlock()
		run.Marks = append(run.Marks, m)
	}
	return take, func() {
		if run.Marks != nil {
			f(func() (device.ScopeRun, error) { return run, nil })
		}
	}
}
