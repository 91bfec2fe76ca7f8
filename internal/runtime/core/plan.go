package core

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/trace"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
)

// NewPlan returns a plan for launches with that many words.
func NewPlan(dev *Device, b *code.Build, words int) *warm.Plan {
	p := &warm.Plan{Dev: dev.core(), Owner: b, Words: words, Apart: b.Apart}
	if b.Direct() {
		p.Exec = b.Exec
		if x, ok := b.Exec.(device.Direct); ok {
			p.Launcher = x.Launcher(words)
		}
	}
	return p
}

// LaunchPlan launches by a plan. The grid must be valid; held holds the tensors, and may be nil on devices
// that read the host's memory.
func LaunchPlan(p *warm.Plan, s *Stream, g Grid, words []uint64, held args.Holder) error {
	if s.closed.Load() {
		return ErrClosedStream
	}
	if p.Exec == nil || trace.IsEnabled() {
		own := p.Owner.(*code.Build)
		return RunError(own.Launch(s.ctx, s.core(), &code.Work{Grid: g, Words: words, Held: held}), own)
	}
	err := launchExec(p, s, g, words, held)
	runtime.KeepAlive(p)
	if err != nil {
		return RunError(diag.RefusedBy(err, s.dev.String()), p.Owner.(*code.Build))
	}
	return nil
}

// launchExec passes a launch to the device. Devices of the host need no guard, and their launches allocate
// nothing.
func launchExec(p *warm.Plan, s *Stream, g Grid, words []uint64, held args.Holder) error {
	if g.Empty() {
		return nil
	}
	if s.calls == nil {
		return p.Exec.Launch(s.ctx, s.s, g, words)
	}
	return code.Guard(s.core(), held, func() error { return p.Exec.Launch(s.ctx, s.s, g, words) })
}

// Overlapping reports whether tensors of a list, in the order of the parameters, overlap that must not.
func Overlapping(apart []device.Apart, list []any) bool {
	for _, a := range apart {
		t, _ := list[a.A].(*Tensor)
		o, _ := list[a.B].(*Tensor)
		if t.overlaps(o, a.OrEqual) {
			return true
		}
	}
	return false
}

// ClosedMeanwhile returns the error of a launch: ErrClosed if it is a fault and a tensor was closed while the
// kernel ran, whose memory devices with virtual addresses do not find any more.
func ClosedMeanwhile(err error, kernel string, list []any) error {
	if err == nil || !errors.As(err, new(*Fault)) {
		return err
	}
	for _, v := range list {
		if t, ok := v.(*Tensor); ok && t != nil && t.on() == gone {
			return fmt.Errorf("nereid: %s: %w while the kernel ran", kernel, ErrClosedTensor)
		}
	}
	return err
}
