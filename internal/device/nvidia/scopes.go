package nvidia

import (
	"context"
	"errors"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
)

// launchScoped launches code that records scopes. If somebody asks for them, it says how they are read;
// otherwise, as in the capture of a graph, records are left for the next launch to clear.
func (k *kernel) launchScoped(ctx context.Context, s device.Stream, grid [3]int, words []uint64) error {
	tell := device.ScopesOf(ctx)
	on := s.(stream)
	if is, err := on.Capturing(); err != nil || is || tell == nil {
		k.recorded.Store(true)
		return k.launchAny(s, grid, words, nil)
	}
	at, size, err := k.module.Global(gpucode.ScopesVar)
	if err != nil {
		return err
	}
	c := k.fn.Context()
	clear := func() error { return c.CopyTo(at, make([]byte, gpucode.ScopesHead)) }
	if k.recorded.Swap(true) { // by launches that nobody asked about
		if err := errors.Join(on.Sync(), clear()); err != nil {
			return err
		}
	}
	if err := k.launchAny(s, grid, words, nil); err != nil {
		return err
	}
	tell(func() (run device.ScopeRun, err error) {
		if err := on.Sync(); err != nil {
			return run, err
		}
		head := make([]byte, gpucode.ScopesHead)
		if err := c.CopyFrom(head, at); err != nil {
			return run, err
		}
		data := make([]byte, min(size, gpucode.ScopesHead+gpucode.ScopesFilled(head)))
		if err := c.CopyFrom(data, at); err != nil {
			return run, err
		}
		if err := clear(); err != nil {
			return run, err
		}
		k.recorded.Store(false)
		return k.code.Recorded(data, "cycles"), nil
	})
	return nil
}

// Recorded returns what code has recorded in its variable.
func (k *Code) Recorded(data []byte, unit string) device.ScopeRun {
	list, lost := gpucode.ReadScopes(data)
	run := device.ScopeRun{Unit: unit, Lost: lost}
	for _, r := range list {
		if r.Name < len(k.Scopes) {
			run.Marks = append(run.Marks, device.ScopeMark{Name: k.Scopes[r.Name], Start: r.Start,
				Block: r.Block, Warp: r.Warp, SM: r.SM, Clock: r.Clock, Time: r.Time})
		}
	}
	return run
}
