package nereid

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/trace"
	"time"

	"github.com/nereid-lang/nereid/internal/target"
)

// Hooks are called around compilations and launches, by the goroutine that compiles or launches. Any may be nil; a launch without hooks
// pays nothing for them.
type Hooks struct {
	BeforeCompile func(ctx context.Context, v Variant) error // an error refuses the compilation, and is the launch's
	AfterCompile  func(v Variant, took time.Duration, found bool, err error)
	Stage         func(v Variant, s Stage) // each stage with its time, and its text where it is at hand
	BeforeLaunch  func(Launching)
	AfterLaunch   func(Launching, error) // it was given to the device; it need not be done
}

// Launching is a launch, for hooks.
type Launching struct {
	Variant Variant
	Device  *Device
	Grid    Grid
}

// compiled tells of the end of a compilation, or of finding its result in the cache.
func (j *job) compiled(begin time.Time, found bool, err error) {
	c, took := j.k.m.conf, time.Since(begin)
	if c.Hooks.AfterCompile != nil {
		c.Hooks.AfterCompile(j.variant, took, found, err)
	}
	if c.Logger == nil {
		return
	}
	level, msg := slog.LevelDebug, "nereid: compiled"
	switch {
	case err != nil && isCancelled(err):
		msg = "nereid: not compiled, nobody waits any more"
	case err != nil:
		level, msg = slog.LevelWarn, "nereid: not compiled"
	case found:
		msg = "nereid: found in the cache"
	}
	attrs := []slog.Attr{
		slog.String("kernel", j.variant.Kernel), slog.String("file", j.variant.File), slog.String("signature", j.variant.Signature),
		slog.String("device", j.dev.String()), slog.Duration("took", took),
	}
	if err != nil {
		attrs = append(attrs, slog.String("err", firstLine(err)))
	}
	c.Logger.LogAttrs(context.Background(), level, msg, attrs...)
}

// launch gives a launch to the device, between the hooks. mem is the memory of arguments, which a bounded build must be told.
func (b *build) launch(s *Stream, g [3]int, words []uint64, mem []target.Memory) error {
	if b.hooks != nil {
		return b.hooked(b.hooks, s, g, words, mem)
	}
	if trace.IsEnabled() {
		defer trace.StartRegion(s.ctx, "nereid launch "+b.variant.Kernel).End()
	}
	return b.give(s, g, words, mem)
}

func (b *build) give(s *Stream, g [3]int, words []uint64, mem []target.Memory) (err error) {
	if b.bounded != nil {
		err = b.bounded.LaunchBounded(s.ctx, s.s, g, words, mem)
	} else {
		err = b.exec.Launch(s.ctx, s.s, g, words)
	}
	runtime.KeepAlive(b)
	if err != nil {
		return runError(err)
	}
	return nil
}

func (b *build) hooked(h *Hooks, s *Stream, g [3]int, words []uint64, mem []target.Memory) error {
	defer trace.StartRegion(s.ctx, "nereid launch "+b.variant.Kernel).End()
	l := Launching{b.variant, s.dev, Grid(g)}
	if h.BeforeLaunch != nil {
		h.BeforeLaunch(l)
	}
	err := b.give(s, g, words, mem)
	if h.AfterLaunch != nil {
		h.AfterLaunch(l, err)
	}
	return err
}
