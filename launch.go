package nereid

import (
	"context"
	"fmt"
	"runtime"
	"runtime/trace"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
)

// Launch runs the kernel once for each program of the grid. Arguments are given in the order of the parameters, or by name (Arg);
// an Options value among them sets num_warps and the like. What an argument may be:
//
//   - for a pointer: a *Tensor, or nil
//   - for a scalar: any integer or float type of Go, or a bool
//   - for a constexpr: an integer, float, bool, string, nil, a DType, a Func, or a slice of these (a tuple)
//   - for a tuple: a slice or array of these, with Const for items that are compiled in; for a named tuple: Fields
//   - for a tensor descriptor: a *Descriptor
//
// Integers become i32 or i64 by value and are specialized on being 1 or divisible by 16, pointers on alignment, as in Triton. What
// is not compiled yet is compiled first, under the stream's context. On a GPU Launch returns as soon as the work is queued: Stream.Sync
// waits for it. On all other devices it returns when the kernel has run. A nil stream is one of the best device, waited for before
// Launch returns.
func (k *Kernel) Launch(s *Stream, grid Programs, list ...any) error {
	if k == nil {
		return errNoKernel
	}
	if g, ok := grid.(Grid); ok {
		if done, err := k.last.Load().Launch(s.core(), (*[3]int)(&g), list); done {
			return err
		}
	}
	return k.launch(s, grid, list, nil)
}

// noting is told the plan by which a launch can be repeated: for all arguments of the same classes, or, where decorators had a say
// in it, for those of the same values.
type noting func(p *warm.Plan, byValue bool)

// launch launches; note, if it is not nil, is told of the plan.
func (k *Kernel) launch(s *Stream, grid Programs, list []any, note noting) error {
	if err := k.usable(); err != nil {
		return err
	}
	if s != nil {
		if err := s.usable(); err != nil {
			return err
		}
		return k.launchOn(s, grid, list, note)
	}
	dev, err := Open("")
	if err != nil {
		return err
	}
	if s, err = dev.NewStream(context.Background()); err != nil {
		return err
	}
	defer s.Close()
	if err := k.launchOn(s, grid, list, note); err != nil {
		return err
	}
	return s.Sync()
}

func (k *Kernel) launchOn(s *Stream, grid Programs, list []any, note noting) error {
	f := k.spare.Get()
	err := k.launchFrame(f, s, grid, list, note)
	runtime.KeepAlive(list) // and the memory that they are of
	f.clear()
	k.spare.Put(f)
	return err
}

// launchFrame binds the arguments, then launches by a plan of an earlier launch, or as the decorators say, or as they are.
func (k *Kernel) launchFrame(f *frame, s *Stream, grid Programs, list []any, note noting) error {
	if err := f.match(k, list); err != nil {
		return err
	}
	if note == nil && !k.plans.Empty() {
		if done, err := k.repeat(f, s, grid, list); done {
			return err
		}
	}
	d, err := k.decorate(s, grid, &f.Matched)
	if err != nil {
		return err
	}
	if d.hooks {
		note = nil // they want to be called for each launch
	}
	return k.launchLong(s, grid, list, d.full, note, d.byValue)
}

// repeat launches by the plan that fits the arguments, if there is one. It does not know every kind of argument: those go the
// long way.
func (k *Kernel) repeat(f *frame, s *Stream, grid Programs, list []any) (done bool, err error) {
	if !k.memo.complete(s.dev, &f.Matched) && f.Missing() || f.Fill() != nil {
		return false, nil
	}
	if f.Specialize(k.params, f.Vals, nil) != nil || !f.Reads(s.dev.core()) {
		return false, nil
	}
	p := k.plans.Find(&f.Look, &f.Opts, s.dev.core())
	if p != nil && p.Apart != nil && overlap(p.Apart, f.Vals) {
		opts := f.Opts
		opts.Overlap = true
		p = k.plans.Find(&f.Look, &opts, s.dev.core())
	}
	if p == nil {
		return false, nil
	}
	f.meta.of = f
	g, err := resolve(grid, &f.meta)
	if err != nil {
		return true, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	if p.Args != nil && k.last.Load() != p.Args {
		k.last.Store(p.Args)
	}
	return true, launchPlan(p, s, g, f.Words)
}

// launchPlan launches by a plan, on a grid that is valid.
func launchPlan(p *warm.Plan, s *Stream, g Grid, words []uint64) error {
	if p.Exec == nil || trace.IsEnabled() {
		return p.Owner.(*build).launch(s, g, words, nil)
	}
	err := p.Exec.Launch(s.ctx, s.s, g, words)
	runtime.KeepAlive(p)
	if err != nil {
		return runError(err)
	}
	return nil
}

// launchLong launches with arguments that nothing is known of yet; decorators are done with. What it finds out becomes a plan.
func (k *Kernel) launchLong(s *Stream, grid Programs, list []any, m *args.Matched, note noting, byValue bool) error {
	l := &launch{k: k, dev: s.dev, on: s}
	defer l.release()
	if err := l.bind(m); err != nil {
		return err
	}
	l.frame.meta.of = &l.frame
	g, err := resolve(grid, &l.frame.meta)
	if err != nil {
		return fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	b, err := k.build(s.ctx, s.dev, l)
	if err != nil {
		return err
	}
	l.plan(b, list, note, byValue)
	if l.overlap(b.apart) {
		if b, err = l.buildOverlap(s); err != nil {
			return err
		}
		l.plan(b, list, note, byValue)
	}
	return b.launch(s, g, l.frame.Words, l.mem)
}

// plan keeps the plan by which the launch can be repeated, unless each launch has to sort out the memory of its arguments.
func (l *launch) plan(b *build, list []any, note noting, byValue bool) {
	if b.bounded != nil || l.checked() {
		return
	}
	p := newPlan(l.dev, b, len(l.frame.Words))
	p.Overlap = l.opts.Overlap
	if note != nil {
		p.Consts = l.frame.consts()
		note(p, byValue)
		return
	}
	l.k.remember(p, &l.frame, list)
}

// launchMatched launches with arguments that are bound already, again and again as it may be.
func (k *Kernel) launchMatched(s *Stream, grid Programs, m *args.Matched) error {
	f := k.spare.Get()
	f.Matched = *m.Clone()
	defer func() {
		f.clear()
		k.spare.Put(f)
	}()
	if !k.plans.Empty() {
		if done, err := k.repeat(f, s, grid, nil); done {
			return err
		}
	}
	return k.launchLong(s, grid, nil, m, nil, false)
}

// newPlan returns a plan for launches with so many words.
func newPlan(dev *Device, b *build, words int) *warm.Plan {
	p := &warm.Plan{Dev: dev.core(), Owner: b, Words: words, Apart: b.apart}
	if b.hooks == nil {
		p.Exec = b.exec
		if r, n, ok := nvidia.Ready(b.exec); ok && n == words {
			p.Ready = r
		}
	}
	return p
}

// remember adds a plan for arguments like those of a frame, if they can go the short way.
func (k *Kernel) remember(p *warm.Plan, f *frame, list []any) {
	var short args.Frame
	if short.Specialize(k.params, f.Vals, nil) != nil || !short.Reads(p.Dev) {
		return
	}
	opts := f.Opts
	opts.Overlap = p.Overlap
	p.Keep(&short.Look, opts)
	p.Apart = byParameter(p.Apart, k.params.Rules, p.Classes)
	p.Args = warm.NewArgCut(p, k.params.Rules, list, f.Vals)
	k.plans.Add(p)
}

// launch is one launch that goes the long way: its arguments, and what the device is lent for it.
type launch struct {
	k       *Kernel
	dev     *Device
	on      *Stream // nil if nothing is launched yet
	nowhere bool    // nothing is going to be: only what the arguments are counts
	frame   frame
	opts    Options // under which the kernel is compiled
	specs   []lang.ArgSpec
	mem     []target.Memory // behind the arguments that are pointers
	lent    []target.Buffer // memory of the host that the device has for this launch
	done    []func()        // what else ends with it
}

// bind specializes arguments.
func (l *launch) bind(m *args.Matched) error {
	f := &l.frame
	f.Matched = *m
	err := f.Fill()
	if err == nil {
		err = f.Specialize(l.k.params, f.Vals, l)
	}
	if err == nil {
		l.specs, err = f.Specs(l.k.params)
	}
	if err != nil {
		return l.k.argError(err)
	}
	l.opts = f.Opts
	l.opts.Debug = f.Opts.Debug || l.k.debug && !f.Opts.NoDebug
	l.opts.NoDebug = false // the code is the same as without
	return nil
}
