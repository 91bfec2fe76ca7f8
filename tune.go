package nereid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/tune"
	"github.com/nereid-lang/nereid/internal/target"
)

// TuneOptions says how kernels under @triton.autotune are tuned. The zero value measures as Triton does and
// keeps nothing.
type TuneOptions struct {
	Dir         string        // folder for timings, used by later runs and other processes; "" keeps none
	ReadOnly    bool          // do not write to Dir
	Store       *TuneStore    // keeps timings instead of Dir, for other machines say; may be nil
	Warmup, Rep time.Duration // for each config, unless the decorator says otherwise; 0 means 25 and 100 ms
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
	Median       time.Duration // of the runs
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
		out.Store = o.Store.layers
	}
	if o.Progress == nil && o.Print == nil {
		out.Inform = cmp.Or(c.Logger, slog.Default()).Info
	}
	if o.Progress != nil {
		out.Progress = func(r tune.Result) { o.Progress(Tuned(r)) }
	}
	if o.Done != nil {
		out.Done = func(best string, list []tune.Result) {
			var all []Tuned
			for _, r := range list {
				all = append(all, Tuned(r))
			}
			o.Done(best, all)
		}
	}
	return out
}

// decorate completes the arguments of a launch as the kernel's decorators say.
func (k *Kernel) decorate(s *Stream, grid Programs, m *args.Matched, ahead bool) (tune.Decorated, error) {
	w := &tuneWork{k: k, s: s, grid: grid, ahead: ahead}
	d, err := k.tuned.Complete(tune.Start{Ctx: s.ctx, Dev: s.dev.core(), Work: w, Stream: s, Ahead: ahead}, m)
	return d, compileError(err)
}

// Tune chooses the kernel's config for arguments, as their first launch would, and compiles the kernel with
// it, even in strict mode: a service tunes and compiles before it takes requests. Configs are launched to be
// measured, so tensors hold arbitrary results afterwards unless the decorator restores them. A kernel without
// decorators is compiled. Launches with arguments of the same key then find the choice.
func (k *Kernel) Tune(s *Stream, grid Programs, arguments ...any) error {
	if err := k.usable(); err != nil {
		return err
	}
	if err := s.usable(); err != nil {
		return fmt.Errorf("nereid: %s: Tune needs a stream: %w", k.name, err)
	}
	var f frame
	if err := f.match(k, arguments); err != nil {
		return err
	}
	d, err := k.decorate(s, grid, &f.Matched, true)
	if err != nil {
		return err
	}
	return (&tuneWork{k: k, s: s, grid: grid, ahead: true}).Compile(s.ctx, d.Full)
}

// launchConfig launches with a config of the kernel's @triton.autotune, by its name, instead of the one that
// a tuning chooses. With ahead it compiles what the launch needs.
func (k *Kernel) launchConfig(s *Stream, grid Programs, list []any, config string, ahead bool) error {
	if err := errors.Join(k.usable(), s.usable()); err != nil {
		return err
	}
	var f frame
	if err := f.match(k, list); err != nil {
		return err
	}
	w := &tuneWork{k: k, s: s, grid: grid, ahead: ahead}
	d, err := k.tuned.Complete(tune.Start{Ctx: s.ctx, Dev: s.dev.core(), Work: w, Stream: s, Ahead: ahead,
		Config: config}, &f.Matched)
	if err != nil {
		return compileError(err)
	}
	if ahead {
		return w.Compile(s.ctx, d.Full)
	}
	return closedMeanwhile(k.launchMatched(s, grid, d.Full, false), k.name, list)
}

// tuneWork implements tune.Work: launches of a kernel on a stream.
type tuneWork struct {
	k     *Kernel
	s     *Stream
	grid  Programs
	ahead bool                      // strict mode allows to compile
	saved map[*Tensor]target.Buffer // contents of restore_value tensors, on the device
}

func (w *tuneWork) Launch(m *args.Matched) error { return w.k.launchMatched(w.s, w.grid, m, w.ahead) }
func (w *tuneWork) Sync() error                  { return w.s.Sync() }
func (w *tuneWork) Refuse() error                { return w.s.refuse(w.k.name, "tuned") }

func (w *tuneWork) Tensor(t *args.Tensor) tune.Tensor { return tuneTensor{tensorOf(t), w} }

func (w *tuneWork) Times(warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	return w.s.times(warmup, rep, f)
}

func (w *tuneWork) GraphTimes(rep time.Duration, f func() error) ([]time.Duration, error) {
	return w.s.graphTimes(rep, f)
}

// Compile compiles the kernel as a launch with these arguments would.
func (w *tuneWork) Compile(ctx context.Context, m *args.Matched) error {
	l := &launch{k: w.k, dev: w.s.dev, ahead: w.ahead}
	defer l.release()
	if err := l.bind(m); err != nil {
		return err
	}
	l.frame.meta.of = &l.frame
	if g, err := resolve(w.grid, &l.frame.meta); err == nil { // if not, the launch says so
		l.share(g)
	}
	_, err := w.k.build(ctx, l)
	return err
}

// Release frees the memory of saved tensors.
func (w *tuneWork) Release() {
	if len(w.saved) > 0 {
		w.s.Sync()
	}
	for _, b := range w.saved {
		b.Close()
	}
	w.saved = nil
}

// tuneTensor implements tune.Tensor.
type tuneTensor struct {
	*Tensor
	w *tuneWork
}

func (t tuneTensor) Bytes() ([]byte, error)   { return t.bytes() }
func (t tuneTensor) Zero() error              { return t.w.s.zero(t.Tensor) }
func (t tuneTensor) Value() *lang.TensorValue { return t.hostValue() }

// Save saves the contents of a tensor and returns a function that restores them: in order with the stream's
// work where the device can, in memory that all runs share.
func (t tuneTensor) Save() (back func() error, err error) {
	w := t.w
	q, ok := w.s.queue(t.Tensor)
	if !ok {
		data, err := t.bytes()
		if err != nil {
			return nil, err
		}
		return func() error { return errors.Join(w.s.Sync(), t.Write(data)) }, nil
	}
	n := t.size()
	copied := w.saved[t.Tensor]
	if copied == nil {
		if copied, err = w.s.dev.b.Alloc(n); err != nil {
			return nil, err
		}
		if w.saved == nil {
			w.saved = map[*Tensor]target.Buffer{}
		}
		w.saved[t.Tensor] = copied
	}
	if err := q.Copy(copied, 0, t.buf, t.offset, n); err != nil {
		return nil, err
	}
	return func() error { return q.Copy(t.buf, t.offset, copied, 0, n) }, nil
}

// hostValue returns the tensor as functions of a kernel's file see it.
func (t *Tensor) hostValue() *lang.TensorValue {
	v := &lang.TensorValue{DType: dtype.Type(t.DType).Row().Torch, Ptr: int64(t.addr), Zero: t.zero}
	for i, stride := range t.strides() {
		v.Shape, v.Strides = append(v.Shape, int64(t.Shape[i])), append(v.Strides, int64(stride))
	}
	v.Clone = func() (*lang.TensorValue, error) {
		data, err := t.bytes()
		if err != nil {
			return nil, err
		}
		c := FromBytes(t.DType, data)
		c.Shape, c.Strides = t.Shape, t.Strides
		return c.hostValue(), nil
	}
	v.Copy = func(from *lang.TensorValue) error {
		data, err := from.Bytes()
		if err != nil {
			return err
		}
		return t.Write(data)
	}
	v.Bytes = t.bytes
	return v
}
