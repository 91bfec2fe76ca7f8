package nvidia

import (
	"context"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
)

// Scopes implements device.Scoped.
func (*Device) Scopes() bool { return true }

// launchScoped launches code that records scopes. If somebody asks for them, it waits for the end of the
// launch; otherwise, as in the capture of a graph, records are written over.
func (k *kernel) launchScoped(ctx context.Context, s device.Stream, grid [3]int, words []uint64) error {
	tell := device.ScopesOf(ctx)
	on := s.(stream)
	if is, err := on.Capturing(); err != nil || is || tell == nil {
		return k.launchAny(s, grid, words, nil)
	}
	at, size, err := k.module.Global(gpucode.ScopesVar)
	if err != nil {
		return err
	}
	if err := on.Sync(); err != nil { // of launches that may still write records
		return err
	}
	c := k.fn.Context()
	if err := c.CopyTo(at, make([]byte, gpucode.ScopesHead)); err != nil {
		return err
	}
	if err := k.launchAny(s, grid, words, nil); err != nil {
		return err
	}
	if err := on.Sync(); err != nil {
		return err
	}
	head := make([]byte, gpucode.ScopesHead)
	if err := c.CopyFrom(head, at); err != nil {
		return err
	}
	data := make([]byte, min(size, gpucode.ScopesHead+gpucode.ScopesFilled(head)))
	if err := c.CopyFrom(data, at); err != nil {
		return err
	}
	tell(k.code.Recorded(data, "cycles"))
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
