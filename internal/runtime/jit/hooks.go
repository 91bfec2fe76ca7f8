package jit

import (
	"context"
	"log/slog"
	"strings"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Hooks are functions called around compilations and launches, by the goroutine that compiles or launches.
// Any may be nil; a launch without hooks pays nothing for them.
type Hooks struct {
	// BeforeCompile may return an error, which refuses the compilation and fails the launch.
	BeforeCompile func(ctx context.Context, v Variant) error
	// AfterCompile is called with the outcome; found reports that the cache had the kernel.
	AfterCompile func(v Variant, took time.Duration, found bool, err error)
	Stage        func(v Variant, s core.Stage) // called for each stage; Text may be nil
	// ReplaceStage is called with the text of each stage from which a compilation can go on (source, ttir,
	// ttgir, llir, ptx) and returns another text to go on from, or nil. The cache does not keep what is
	// compiled with it.
	ReplaceStage func(v Variant, stage string, text []byte) []byte

	// General is called when a launch that may not compile first runs code of a more general specialization;
	// Module.General counts such launches.
	General func(GeneralRun)
	// Late is called before each compilation that a launch waits for after Module.Warmup, with its cause:
	// "parameter n was 16-divisible before, and is not". The module need not be strict.
	Late func(v Variant, cause string)

	// Unload is called when nobody can launch a compiled kernel any more (its module was collected) and its
	// code is given back to the device, by a goroutine of the garbage collector's, which it must not keep
	// waiting.
	Unload func(v Variant, device string)
	// Tuned is called with each choice of a config, measured now or found.
	Tuned func(Choice)

	BeforeLaunch func(Launching)        // called before the work is queued
	AfterLaunch  func(Launching, error) // called when the work is queued, which may be before it is done
}

// Choice is what tuning has chosen for arguments, as Triton's AutotuneListener sees it.
type Choice struct {
	Kernel string        // name of the kernel
	Key    []string      // values that the choice depends on
	Best   string        // config, as Triton writes it; "" if none works
	All    []Tuned       // timings of all configs, measured now or before
	Took   time.Duration // time that measuring took; 0 if nothing was measured
	Found  bool          // all timings were found, and nothing was measured
}

// Launching describes a launch to hooks.
type Launching struct {
	Variant Variant      // specialization that is launched
	Device  *core.Device // where it runs
	Stream  *core.Stream // queue of its work
	Grid    core.Grid    // its programs, without zeros unless there are none

	Entry     string // name of the function in the code, which @triton.jit(repr=…) may choose
	Shared    int    // bytes of shared memory of a block
	Registers int    // registers of a thread; 0 if they are not known
	Spills    int    // bytes of local memory of a thread; 0 if they are not known

	of code.Hooked
}

// LaunchArg is an argument of a launch.
type LaunchArg struct {
	Name  string // name of the parameter
	Value any    // a *Tensor, a *Descriptor, a number, a bool, nil for None, and so on
}

// Args returns the arguments of the launch, compile-time ones among them, by parameter. A generated function
// passes no compile-time arguments, and its pointers are of type uintptr. The tensors must not be used once
// the hook has returned.
func (l *Launching) Args() []LaunchArg {
	if l.of.Work == nil {
		return nil
	}
	var list []LaunchArg
	for _, a := range l.of.Args() {
		list = append(list, LaunchArg{a.Name, core.PublicValue(a.Value)})
	}
	return list
}

// Metadata returns the dict of the function under @triton.jit(launch_metadata=…), which is called now with
// the grid, a description of the code and the arguments, as for Triton's hooks; nil if there is none.
func (l *Launching) Metadata() (map[string]any, error) {
	if l.of.Build == nil || l.of.Build.Metadata == nil {
		return nil, nil
	}
	return l.of.Build.Metadata(l.of)
}

// launching describes a launch to the program.
func launching(l code.Hooked) Launching {
	f := device.FactsOf(l.Build.Exec)
	return Launching{Variant: variantOf(l.Build.Variant),
		Device: (*core.Device)(unsafe.Pointer(l.Stream.Dev)),
		Stream: (*core.Stream)(unsafe.Pointer(l.Stream)), Grid: l.Work.Grid, Entry: l.Build.Entry(),
		Shared: f.Shared, Registers: f.Registers, Spills: f.Spills, of: l}
}

// settings returns the configuration in the form of package compile.
func (c *Config) settings() *compile.Settings {
	return &compile.Settings{
		Store: c.store(), Dump: c.Dump, Override: c.Override, AlwaysCompile: c.AlwaysCompile, Debug: c.Debug,
		Rules: c.Rules, Check: c.Check, NoLines: c.NoLines, Isolate: c.Isolate, Strict: c.Strict,
		Print: c.PrintStages, Timing: c.Timing,
		Printer: c.printer, Passes: pass.Options{Verify: c.Verify, DumpAfter: c.DumpPasses,
			Reproducers: c.Reproducers},
		Budget: budget.Limits(c.Budget),
		Hooks:  c.compileHooks(),
		Around: c.launchHooks(), Profile: c.Profile,
	}
}

// compileHooks returns the hooks of compilations: the program's, the logger and the recorder.
func (c *Config) compileHooks() (h compile.Hooks) {
	if f := c.Hooks.BeforeCompile; f != nil {
		h.Before = func(ctx context.Context, v code.Variant) error { return f(ctx, variantOf(v)) }
	}
	if c.Hooks.AfterCompile != nil || c.Logger != nil {
		h.After = c.compiled
	}
	if f := c.Hooks.Stage; f != nil {
		h.Stage = func(v code.Variant, s code.Stage) { f(variantOf(v), core.Stage(s)) }
	}
	if f := c.Hooks.Unload; f != nil {
		h.Unload = func(v code.Variant, dev string) { f(variantOf(v), dev) }
	}
	if f := c.Hooks.ReplaceStage; f != nil {
		h.Replace = func(v code.Variant, stage string, text []byte) []byte {
			return f(variantOf(v), stage, text)
		}
	}
	if c.Hooks.Late != nil || c.Logger != nil {
		h.Late = c.late
	}
	if r := c.Record; r != nil {
		h.Built = func(v code.Variant) {
			if err := r.add(v); err != nil { // no reason to fail a launch
				c.warn("nereid: what is launched is not recorded in "+r.File, err)
			}
		}
	}
	return h
}

// launchHooks returns the hooks of launches, or nil if there are none.
func (c *Config) launchHooks() *code.LaunchHooks {
	if c.Hooks.BeforeLaunch == nil && c.Hooks.AfterLaunch == nil {
		return nil
	}
	h := &code.LaunchHooks{}
	if f := c.Hooks.BeforeLaunch; f != nil {
		h.Before = func(l code.Hooked) { f(launching(l)) }
	}
	if f := c.Hooks.AfterLaunch; f != nil {
		h.After = func(l code.Hooked, err error) { f(launching(l), core.RunError(err, nil)) }
	}
	return h
}

// late reports a compilation after the warm-up to the hook and the logger.
func (c *Config) late(v code.Variant, cause string) {
	if f := c.Hooks.Late; f != nil {
		f(variantOf(v), cause)
	}
	if c.Logger != nil {
		c.Logger.Warn("nereid: a launch compiles after the warm-up", "kernel", v.Kernel, "file", v.File,
			"signature", v.Signature, "cause", cause)
	}
}

// compiled reports the end of a compilation, or a hit in the cache, to the hook and the logger.
func (c *Config) compiled(v code.Variant, dev *args.Device, took time.Duration, found bool, err error) {
	if c.Hooks.AfterCompile != nil {
		c.Hooks.AfterCompile(variantOf(v), took, found, compileError(err))
	}
	if c.Logger == nil {
		return
	}
	level, msg := slog.LevelDebug, "nereid: compiled"
	switch {
	case err != nil && compile.IsCancelled(err):
		msg = "nereid: not compiled, nobody waits any more"
	case err != nil:
		level, msg = slog.LevelWarn, "nereid: not compiled"
	case found:
		msg = "nereid: found in the cache"
	}
	attrs := []slog.Attr{
		slog.String("kernel", v.Kernel), slog.String("file", v.File), slog.String("signature", v.Signature),
		slog.String("device", dev.String()), slog.Duration("took", took),
	}
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		attrs = append(attrs, slog.String("err", line))
	}
	c.Logger.LogAttrs(context.Background(), level, msg, attrs...)
}
