package jit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/tune"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// TuneOptions says how kernels under @triton.autotune are tuned. The zero value measures as Triton does and
// keeps nothing.
type TuneOptions struct {
	Dir         string          // folder for timings, used by later runs and other processes; "" keeps none
	ReadOnly    bool            // do not write to Dir
	Store       *core.TuneStore // keeps timings instead of Dir, for other machines say; may be nil
	Warmup, Rep time.Duration   // for each config, unless the decorator says otherwise; 0 means 25 and 100 ms
	// Budget is the time limit of a tuning: configs not measured by then are skipped. 0 means none.
	Budget time.Duration
	Again  bool      // measure configs even if their timings are kept
	Print  io.Writer // receives a line for each config and each choice; may be nil

	// Verify launches each config once more and compares its results with those of the first config. A config
	// that differs by more than rounding is skipped.
	Verify bool

	// Journal saves each timing at once and records a config as fatal while it is measured: after a crash,
	// another process continues behind the config that caused it. A lost device ends the tuning.
	Journal bool

	// Done is called with each choice and the timings of all configs, measured now or before; may be nil.
	Done func(best string, all []Tuned)

	// Progress is called for each config that was measured or failed. Without it and Print, a tuning of more
	// than a second is logged (Config.Logger, or slog's default logger): that it goes on, and its end.
	Progress func(Tuned)
}

// Tuned is the result of measuring a config.
type Tuned struct {
	Kernel       string        // name of the kernel
	Key          []string      // values that the choice depends on
	Config       string        // as Triton writes it
	Median       time.Duration // median of the runs
	Low, High    time.Duration // quantiles 0.2 and 0.8
	Failed       string        // why there is no timing, or ""
	Index, Count int           // position among the configs to measure, and their number
}

// tuning returns the configuration in the form of package tune.
func (c *Config) tuning() *tune.Options {
	o := c.Tune
	out := &tune.Options{
		Store: &autotune.Folder{Dir: o.Dir, ReadOnly: o.ReadOnly}, Warmup: o.Warmup, Rep: o.Rep,
		Budget: o.Budget, Again: o.Again, Print: o.Print,
		Verify: o.Verify, Journal: o.Journal, Strict: c.Strict, Warn: c.warn,
	}
	if o.Store != nil {
		out.Store = core.Records(o.Store)
	}
	if o.Progress == nil && o.Print == nil {
		out.Inform = cmp.Or(c.Logger, slog.Default()).Info
	}
	if o.Progress != nil {
		out.Progress = func(r tune.Result) { o.Progress(Tuned(r)) }
	}
	if hook := c.Hooks.Tuned; o.Done != nil || hook != nil || timeline.On() != nil {
		out.Done = func(choice tune.Choice) {
			recordTuning(choice)
			var all []Tuned
			for _, r := range choice.All {
				all = append(all, Tuned(r))
			}
			if o.Done != nil {
				o.Done(choice.Best, all)
			}
			if hook != nil {
				hook(Choice{choice.Kernel, choice.Key, choice.Best, all, choice.Took, choice.Found})
			}
		}
	}
	return out
}

// recordTuning puts a tuning on the process's timeline, if it has one.
func recordTuning(c tune.Choice) {
	l := timeline.On()
	if l == nil || c.Found {
		return
	}
	end := time.Now()
	l.Span(timeline.Tune, c.Kernel, end.Add(-c.Took), end, timeline.Arg{Key: "best", Value: c.Best},
		timeline.Arg{Key: "key", Value: strings.Join(c.Key, " ")},
		timeline.Arg{Key: "configs", Value: int64(len(c.All))})
}

// decorate completes the arguments of a launch as the kernel's decorators say.
func (k *Kernel) decorate(s *core.Stream, grid core.Programs, m *args.Matched,
	ahead bool) (tune.Decorated, error) {
	w := &tuneWork{k: k, s: s, grid: grid, ahead: ahead}
	d, err := k.tuned.Complete(w.start(), m)
	return d, compileError(err)
}

// Tune chooses the kernel's config for arguments, as their first launch would, and compiles the kernel with
// it, even in strict mode: a service tunes and compiles before it takes requests. Configs are launched to be
// measured, so tensors hold arbitrary results afterwards unless the decorator restores them. A kernel without
// decorators is compiled. Launches with arguments of the same key then find the choice.
func (k *Kernel) Tune(s *core.Stream, grid core.Programs, arguments ...any) error {
	if err := k.usable(); err != nil {
		return err
	}
	if err := core.Usable(s); err != nil {
		return fmt.Errorf("nereid: %s: Tune needs a stream: %w", k.name, err)
	}
	var f core.Frame
	if err := f.Bind(k.name, k.params, arguments); err != nil {
		return err
	}
	d, err := k.decorate(s, grid, &f.Matched, true)
	if err != nil {
		return err
	}
	return (&tuneWork{k: k, s: s, grid: grid, ahead: true}).Compile(s.Context(), d.Full)
}

// LaunchConfig launches with a config of the kernel's @triton.autotune, by its name (TuneConfig.Name),
// instead of the one that a tuning chooses, and calls the config's hook.
func (k *Kernel) LaunchConfig(s *core.Stream, grid core.Programs, config string, arguments ...any) error {
	return k.launchConfig(s, grid, arguments, config, false)
}

// CompileConfig compiles what LaunchConfig with these arguments launches.
func (k *Kernel) CompileConfig(s *core.Stream, grid core.Programs, config string, arguments ...any) error {
	return k.launchConfig(s, grid, arguments, config, true)
}

// launchConfig launches with a config or, with ahead, compiles what the launch needs.
func (k *Kernel) launchConfig(s *core.Stream, grid core.Programs, list []any, config string,
	ahead bool) error {
	if err := errors.Join(k.usable(), core.Usable(s)); err != nil {
		return err
	}
	var f core.Frame
	if err := f.Bind(k.name, k.params, list); err != nil {
		return err
	}
	w := &tuneWork{k: k, s: s, grid: grid, ahead: ahead}
	start := w.start()
	start.Config = config
	d, err := k.tuned.Complete(start, &f.Matched)
	if err != nil {
		return compileError(err)
	}
	if ahead {
		return w.Compile(s.Context(), d.Full)
	}
	return core.ClosedMeanwhile(k.launchMatched(s, grid, d.Full, false), k.name, list)
}

// tuneWork implements tune.Work: launches of a kernel on a stream.
type tuneWork struct {
	k     *Kernel
	s     *core.Stream
	grid  core.Programs
	ahead bool       // strict mode allows to compile
	saved core.Saver // contents of restore_value tensors
}

// start says where and for whom the launch is completed.
func (w *tuneWork) start() tune.Start {
	return tune.Start{Ctx: w.s.Context(), Dev: core.DeviceCore(w.s.Device()), Work: w, Stream: w.s,
		Ahead: w.ahead}
}

func (w *tuneWork) Launch(m *args.Matched) error { return w.k.launchMatched(w.s, w.grid, m, w.ahead) }
func (w *tuneWork) Sync() error                  { return w.s.Sync() }
func (w *tuneWork) Refuse() error                { return core.Capturing(w.s, w.k.name, "tuned") }

// Nothing reports whether a launch with these arguments has no programs.
func (w *tuneWork) Nothing(m *args.Matched) bool {
	f := core.Frame{Matched: *m}
	g, err := f.Resolve(w.k.name, w.grid)
	return err == nil && g.Empty()
}

func (w *tuneWork) Tensor(t *args.Tensor) tune.Tensor { return tuneTensor{core.TensorOf(t), w} }

func (w *tuneWork) Times(warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	return core.TimesOn(w.s, warmup, rep, f)
}

func (w *tuneWork) GraphTimes(rep time.Duration, f func() error) ([]time.Duration, error) {
	return core.GraphTimesOn(w.s, rep, f)
}

// Compile compiles the kernel as a launch with these arguments would.
func (w *tuneWork) Compile(ctx context.Context, m *args.Matched) error {
	l := w.k.newLaunch(w.s.Device())
	l.ahead = w.ahead
	defer l.Release()
	if err := l.bind(m); err != nil {
		return err
	}
	if g, err := l.Frame.Resolve(w.k.name, w.grid); err == nil { // if not, the launch says so
		l.share(g)
	}
	_, err := w.k.build(ctx, l)
	return err
}

// Release frees the memory of saved tensors.
func (w *tuneWork) Release() { w.saved.Release() }

// tuneTensor implements tune.Tensor.
type tuneTensor struct {
	*core.Tensor
	w *tuneWork
}

func (t tuneTensor) Bytes() ([]byte, error)      { return core.Bytes(t.Tensor) }
func (t tuneTensor) Zero() error                 { return core.ZeroOn(t.w.s, t.Tensor) }
func (t tuneTensor) Value() *lang.TensorValue    { return hostValue(t.Tensor) }
func (t tuneTensor) Save() (func() error, error) { return t.w.saver().Save(t.Tensor) }

// saver returns what saves the contents of restore_value tensors.
func (w *tuneWork) saver() *core.Saver {
	w.saved.S = w.s
	return &w.saved
}

// hostValue returns the tensor as functions of a kernel's file see it.
func hostValue(t *core.Tensor) *lang.TensorValue {
	v := &lang.TensorValue{DType: dtype.Type(t.DType).Row().Torch, Ptr: int64(core.TensorCore(t).Addr),
		Zero: func() error { return core.Zero(t) }}
	for i, stride := range core.Strides(t) {
		v.Shape, v.Strides = append(v.Shape, int64(t.Shape[i])), append(v.Strides, int64(stride))
	}
	v.Clone = func() (*lang.TensorValue, error) {
		data, err := core.Bytes(t)
		if err != nil {
			return nil, err
		}
		c := core.FromBytes(t.DType, data)
		c.Shape, c.Strides = t.Shape, t.Strides
		return hostValue(c), nil
	}
	v.Copy = func(from *lang.TensorValue) error {
		data, err := from.Bytes()
		if err != nil {
			return err
		}
		return t.CopyBytesFrom(data)
	}
	v.Bytes = func() ([]byte, error) { return core.Bytes(t) }
	return v
}

// envTuneStore returns the store of the environment's settings, the same for the same settings, or nil if it
// cannot be opened; the cache warns of that.
func envTuneStore(o core.TuneStoreOptions) *core.TuneStore {
	type key struct {
		dir, redis, secret string
		readOnly           bool
	}
	open, _ := envTuneStores.LoadOrStore(key{o.Dir, o.Redis, o.Key, o.ReadOnly},
		sync.OnceValue(func() *core.TuneStore {
			o.Logger = slog.Default()
			s, err := core.OpenTuneStore(o)
			if err != nil {
				return nil
			}
			return s
		}))
	return open.(func() *core.TuneStore)()
}

var envTuneStores sync.Map // settings to func() *TuneStore

// Configs returns the configs of the kernel's @triton.autotune for a device, before any pruning. A kernel
// without the decorator has none.
func (k *Kernel) Configs(dev *core.Device) ([]core.TuneConfig, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	if err := core.Usable(dev); err != nil {
		return nil, err
	}
	list, err := k.tuned.Configs(core.DeviceCore(dev))
	if err != nil {
		return nil, compileError(err)
	}
	var out []core.TuneConfig
	for _, c := range list {
		t := core.TuneConfig{Name: c.Name, Options: core.Options(c.Options), Hook: c.Hook}
		for _, a := range c.Args {
			t.Args = append(t.Args, core.Named(a))
		}
		out = append(out, t)
	}
	return out, nil
}
