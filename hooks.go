package nereid

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/trace"
	"time"

	"github.com/nereid-lang/nereid/internal/target"
)

// Hooks are functions called around compilations and launches, by the goroutine that compiles or launches.
// Any may be nil; a launch without hooks pays nothing for them.
type Hooks struct {
	// BeforeCompile may return an error, which refuses the compilation and fails the launch.
	BeforeCompile func(ctx context.Context, v Variant) error
	AfterCompile  func(v Variant, took time.Duration, found bool, err error)
	Stage         func(v Variant, s Stage) // called for each stage; Text may be nil
	BeforeLaunch  func(Launching)
	AfterLaunch   func(Launching, error) // called when the work is queued, which may be before it is done
}

// Launching describes a launch to hooks.
type Launching struct {
	Variant Variant
	Device  *Device
	Grid    Grid
}

// compiled reports the end of a compilation, or a hit in the cache, to the hook and the logger.
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

// launch passes a launch to the device, between the hooks. mem is the memory of arguments, which only bounded
// builds use.
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
