package code

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// LaunchHooks are functions called around launches. Either may be nil.
type LaunchHooks struct {
	Before func(Hooked)
	After  func(Hooked, error)
}

// Work is what a launch does besides its code: how many programs, with which arguments.
type Work struct {
	Grid  [3]int
	Words []uint64
	Mem   []device.Memory // memory of arguments, which only bounded builds use
	Held  args.Holder     // tensors of the arguments; nil if there are none
}

// Launch passes a launch to the device, between the hooks.
func (b *Build) Launch(ctx context.Context, s *args.Stream, w *Work) error {
	if b.Labels != nil {
		labelled := pprof.WithLabels(ctx, *b.Labels)
		pprof.SetGoroutineLabels(labelled)
		defer pprof.SetGoroutineLabels(ctx)
		ctx = labelled
	}
	if b.Log != nil {
		return b.recorded(ctx, s, w)
	}
	return b.launch(ctx, s, w)
}

// recorded launches and records the launch.
func (b *Build) recorded(ctx context.Context, s *args.Stream, w *Work) error {
	facts := []timeline.Arg{
		{Key: "grid", Value: fmt.Sprintf("%dx%dx%d", w.Grid[0], w.Grid[1], w.Grid[2])},
		{Key: "signature", Value: b.Variant.Signature}, {Key: "file", Value: b.Variant.File},
	}
	if w.Held != nil {
		facts = append(facts, timeline.Arg{Key: "bytes", Value: w.Held.Bytes()})
	}
	var scopes []device.ReadScopes
	if b.Log.RecordsScopes() {
		ctx = device.WithScopes(ctx, func(r device.ReadScopes) { scopes = append(scopes, r) })
	}
	err := b.Log.Run(timeline.Kernel, b.Variant.Kernel, s.Dev.Backend, s.S, facts, func() error {
		return b.launch(ctx, s, w)
	})
	if b.Log.RecordsScopes() {
		defer b.Log.Release(s.S)
	}
	for _, read := range scopes {
		run, failed := read()
		if failed != nil {
			return errors.Join(err, failed)
		}
		b.Log.Scopes(b.Variant.Kernel, s.Dev.Backend, s.S, run, len(scopes) == 1)
	}
	return err
}

func (b *Build) launch(ctx context.Context, s *args.Stream, w *Work) error {
	if b.Around != nil {
		return b.hooked(ctx, s, w)
	}
	if trace.IsEnabled() {
		defer trace.StartRegion(ctx, "nereid launch "+b.Variant.Kernel).End()
	}
	return b.give(ctx, s, w)
}

// ErrTensor is the error of a launch whose tensor somebody closes.
var ErrTensor = fmt.Errorf("nereid: the tensor is %w", device.ErrClosed)

// Guard calls launch while nothing that it uses is destroyed, unless a tensor is closed already.
func Guard(s *args.Stream, held args.Holder, launch func() error) error {
	if s.Calls == nil {
		return launch()
	}
	defer s.Calls.Begin().End()
	if held != nil && held.Closed(s.Dev) {
		return ErrTensor
	}
	return launch()
}

func (b *Build) give(ctx context.Context, s *args.Stream, w *Work) error {
	err := Guard(s, w.Held, func() error {
		if w.Grid[0] == 0 { // there are no programs
			return nil
		}
		if b.Bounded != nil {
			return b.Bounded.LaunchBounded(ctx, s.S, w.Grid, w.Words, w.Mem)
		}
		return b.Exec.Launch(ctx, s.S, w.Grid, w.Words)
	})
	runtime.KeepAlive(b)
	if err != nil {
		return diag.RefusedBy(err, s.Dev.String())
	}
	return nil
}

func (b *Build) hooked(ctx context.Context, s *args.Stream, w *Work) error {
	defer trace.StartRegion(ctx, "nereid launch "+b.Variant.Kernel).End()
	l := Hooked{b, s, w}
	if b.Around.Before != nil {
		b.Around.Before(l)
	}
	err := b.give(ctx, s, w)
	if b.Around.After != nil {
		b.Around.After(l, err)
	}
	return err
}
