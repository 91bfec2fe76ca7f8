package compile

import (
	"context"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// LaunchHooks are functions called around launches. Either may be nil.
type LaunchHooks struct {
	Before func(v Variant, dev *args.Device, grid [3]int)
	After  func(v Variant, dev *args.Device, grid [3]int, err error)
}

// Launch passes a launch to the device, between the hooks. mem is the memory of arguments, which only bounded
// builds use.
func (b *Build) Launch(ctx context.Context, s *args.Stream, grid [3]int, words []uint64,
	mem []target.Memory) error {
	if b.labels != nil {
		labelled := pprof.WithLabels(ctx, *b.labels)
		pprof.SetGoroutineLabels(labelled)
		defer pprof.SetGoroutineLabels(ctx)
		ctx = labelled
	}
	if b.Around != nil {
		return b.hooked(ctx, s, grid, words, mem)
	}
	if trace.IsEnabled() {
		defer trace.StartRegion(ctx, "nereid launch "+b.Variant.Kernel).End()
	}
	return b.give(ctx, s, grid, words, mem)
}

func (b *Build) give(ctx context.Context, s *args.Stream, grid [3]int, words []uint64,
	mem []target.Memory) (err error) {
	if b.Bounded != nil {
		err = b.Bounded.LaunchBounded(ctx, s.S, grid, words, mem)
	} else {
		err = b.Exec.Launch(ctx, s.S, grid, words)
	}
	runtime.KeepAlive(b)
	if err != nil {
		return diag.RefusedBy(err, s.Dev.String())
	}
	return nil
}

func (b *Build) hooked(ctx context.Context, s *args.Stream, grid [3]int, words []uint64,
	mem []target.Memory) error {
	defer trace.StartRegion(ctx, "nereid launch "+b.Variant.Kernel).End()
	if b.Around.Before != nil {
		b.Around.Before(b.Variant, s.Dev, grid)
	}
	err := b.give(ctx, s, grid, words, mem)
	if b.Around.After != nil {
		b.Around.After(b.Variant, s.Dev, grid, err)
	}
	return err
}
