package nereid

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/trace"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
)

// Launch runs the kernel once for each program of the grid. Arguments are given in the order of the
// parameters or by name (Arg); an Options value among them sets num_warps and the like. An argument may be:
//
//   - for a pointer: a *Tensor, or nil
//   - for a scalar: any integer or float type of Go, a bool, or a Scalar
//   - for a constexpr: an integer, float, bool, string, nil, a DType, a Func, or a slice of these (a tuple)
//   - for a tuple: a slice or array of these, with Const for items that are compiled in; for a named tuple:
//     Fields
//   - for a tensor descriptor: a *Descriptor
//
// Integers become i32 or i64 by value and are specialized on being 1 or divisible by 16, pointers on
// alignment, as in Triton. A new specialization is compiled first, under the stream's context. On a GPU
// Launch returns as soon as the work is queued; Stream.Sync waits for it. On all other devices it returns
// when the kernel has run. A nil stream means a stream of the best device, which Launch waits for.
func (k *Kernel) Launch(s *Stream, grid Programs, arguments ...any) error {
	if k == nil {
		return errNoKernel
	}
	if g := gridOf(&grid); g != nil {
		if done, err := k.last.Load().Launch(s.core(), g, arguments); done {
			return err
		}
	}
	return k.launch(s, grid, arguments, nil)
}

// noting receives the plan by which a launch can be repeated: for all arguments of the same classes or, with
// byValue, for arguments of the same values, because decorators chose by them.
type noting func(p *warm.Plan, byValue bool)

// launch runs the kernel on s, or on the best device if s is nil. note, if not nil, receives the plan.
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
	err := closedMeanwhile(k.launchFrame(f, s, grid, list, note), k.name, list)
	runtime.KeepAlive(list) // also keeps the tensors' memory alive
	f.clear()
	k.spare.Put(f)
	return err
}

// closedMeanwhile returns the error of a launch: ErrClosed if it is a fault and a tensor was closed while the
// kernel ran, whose memory devices with virtual addresses do not find any more.
func closedMeanwhile(err error, kernel string, list []any) error {
	if err == nil || !errors.As(err, new(*Fault)) {
		return err
	}
	for _, v := range list {
		if t, ok := v.(*Tensor); ok && t != nil && t.on() == gone {
			return fmt.Errorf("nereid: %s: %w while the kernel ran", kernel, errClosedTensor)
		}
	}
	return err
}

// launchFrame binds the arguments, then launches by the plan of an earlier launch if there is one, else with
// the arguments that the decorators complete.
func (k *Kernel) launchFrame(f *frame, s *Stream, grid Programs, list []any, note noting) error {
	if x := k.host.Load(); x != nil && note == nil {
		if done, err := k.launchHost(x, f, s, grid, list); done {
			return err
		}
	}
	if err := f.match(k, list); err != nil {
		return err
	}
	if note == nil && !k.plans.Empty() {
		if done, err := k.repeat(f, s, grid, list); done {
			return err
		}
	}
	d, err := k.decorate(s, grid, &f.Matched, false)
	if err != nil {
		return err
	}
	if d.Hooks {
		note = nil // hooks must be called for each launch
	}
	return k.launchLong(s, grid, list, d.Full, note, d.ByValue, false)
}

// repeat launches by the plan that fits the arguments, if there is one. It does not know every kind of
// argument; unknown ones take launchLong.
func (k *Kernel) repeat(f *frame, s *Stream, grid Programs, list []any) (done bool, err error) {
	if !k.tuned.Recall(s.dev.core(), &f.Matched) && f.Missing() || f.Fill() != nil {
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
	k.noteLast(p)
	return true, launchPlan(p, s, g, f.Words, &f.Matched)
}

// noteLast makes the next launch begin with a short cut to p. Code for overlapping arguments has none, since
// the next arguments may not overlap.
func (k *Kernel) noteLast(p *warm.Plan) {
	last := &k.last
	if !p.Ready.Is() {
		last = &k.host
	}
	if p.Args != nil && !p.Overlap && last.Load() != p.Args {
		last.Store(p.Args)
	}
}

// launchHost launches by the short cut of the previous launch on the CPU if the arguments fit it and do not
// overlap.
func (k *Kernel) launchHost(x *warm.ArgCut, f *frame, s *Stream, grid Programs, list []any) (done bool,
	err error) {
	words, ok := x.Words(s.dev.core(), list, &f.cut)
	if !ok {
		return false, nil
	}
	if overlapping(x.Plan.Apart, list) {
		return false, nil
	}
	g, ok := grid.(Grid)
	if ok {
		g, err = g.valid()
	} else { // a function asks for the arguments by name
		if err = f.match(k, list); err != nil {
			return true, err
		}
		f.meta.of = f
		g, err = resolve(grid, &f.meta)
	}
	if err != nil {
		return true, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	return true, launchPlan(x.Plan, s, g, words, nil)
}

// overlapping reports whether tensors of a list, in the order of the parameters, overlap that must not.
func overlapping(apart []target.Apart, list []any) bool {
	for _, a := range apart {
		t, _ := list[a.A].(*Tensor)
		o, _ := list[a.B].(*Tensor)
		if t.overlaps(o, a.OrEqual) {
			return true
		}
	}
	return false
}

// launchPlan launches by a plan. The grid must be valid; held holds the tensors, and may be nil on devices
// that read the host's memory.
func launchPlan(p *warm.Plan, s *Stream, g Grid, words []uint64, held args.Holder) error {
	if s.closed.Load() {
		return errClosedStream
	}
	if p.Exec == nil || trace.IsEnabled() {
		own := p.Owner.(*code.Build)
		return runError(own.Launch(s.ctx, s.core(), &code.Work{Grid: g, Words: words, Held: held}), own)
	}
	err := launchExec(p, s, g, words, held)
	runtime.KeepAlive(p)
	if err != nil {
		return runError(diag.RefusedBy(err, s.dev.String()), p.Owner.(*code.Build))
	}
	return nil
}

// launchExec passes a launch to the device. Devices of the host need no guard, and their launches allocate
// nothing.
func launchExec(p *warm.Plan, s *Stream, g Grid, words []uint64, held args.Holder) error {
	if _, ok := s.s.(target.Guarded); !ok {
		return p.Exec.Launch(s.ctx, s.s, g, words)
	}
	return code.Guard(s.core(), held, func() error { return p.Exec.Launch(s.ctx, s.s, g, words) })
}

// work returns what the launch does.
func (l *launch) work(g Grid) *code.Work {
	return &code.Work{Grid: g, Words: l.frame.Words, Mem: l.mem, Held: &l.frame.Matched}
}

// launchLong launches with arguments of a specialization that has no plan yet, after decorators, and keeps
// the plan that it finds. With ahead, strict mode allows to compile.
func (k *Kernel) launchLong(s *Stream, grid Programs, list []any, m *args.Matched, note noting, byValue,
	ahead bool) error {
	l := &launch{k: k, dev: s.dev, on: s, ahead: ahead}
	defer l.release()
	if err := l.bind(m); err != nil {
		return err
	}
	l.frame.meta.of = &l.frame
	g, err := resolve(grid, &l.frame.meta)
	if err != nil {
		return fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	b, err := l.build(s, g)
	if err != nil {
		return err
	}
	l.plan(b, list, note, byValue)
	if l.overlap(b.Apart) {
		if b, err = l.buildOverlap(s); err != nil {
			return err
		}
		l.plan(b, list, note, byValue)
	}
	return runError(b.Launch(s.ctx, s.core(), l.work(g)), b)
}

// plan keeps the plan by which the launch can be repeated, unless each launch must determine the memory of
// its arguments.
func (l *launch) plan(b *code.Build, list []any, note noting, byValue bool) {
	strict := l.k.code.Set.Strict
	if b.Bounded != nil || l.checked() || l.loosened && !strict ||
		l.general != nil && (!l.general.same || !strict || note != nil) {
		return
	}
	p := newPlan(l.dev, b, len(l.frame.Words))
	l.general.count(p)
	p.Overlap = l.opts.Overlap
	if note != nil {
		p.Consts = l.frame.consts()
		note(p, byValue)
		return
	}
	l.k.remember(p, &l.frame, list)
}

// launchMatched launches with bound arguments. It may be called repeatedly.
func (k *Kernel) launchMatched(s *Stream, grid Programs, m *args.Matched, ahead bool) error {
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
	return k.launchLong(s, grid, nil, m, nil, false, ahead)
}

// newPlan returns a plan for launches with that many words.
func newPlan(dev *Device, b *code.Build, words int) *warm.Plan {
	p := &warm.Plan{Dev: dev.core(), Owner: b, Words: words, Apart: b.Apart}
	if b.Direct() {
		p.Exec = b.Exec
		if r, n, ok := devnvidia.Ready(b.Exec); ok && n == words {
			p.Ready = r
		}
	}
	return p
}

// remember adds a plan for arguments like those of f, if repeat can handle them.
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

// explain returns the error of a compilation that failed because a Go slice, a number, a string or nil was
// passed for a pointer: what the kernel's text says of it helps nobody. Any other error is returned as it is.
func (l *launch) explain(err error) error {
	if !errors.As(err, new(*CompileError)) || len(l.frame.Vals) == 0 {
		return err
	}
	pointers, perr := l.k.m.src.Pointers(l.k.name, compile.TargetOf(l.dev.core()))
	if perr != nil {
		return err
	}
	for i, v := range l.frame.Vals {
		if i >= len(pointers) || !pointers[i] {
			continue
		}
		name := l.k.params.List[i].Name
		if e := noPointer(name, v, err); e != nil {
			return l.k.argError(&args.Error{Param: name, Err: e})
		}
	}
	return err
}

// noPointer says that v, passed for a parameter, cannot be a pointer, which is why a kernel could not be
// compiled; nil if it may be one. None may be: it is to blame if the error is about a None in a line with the
// parameter's name.
func noPointer(name string, v any, err error) error {
	t := reflect.TypeOf(v)
	switch {
	case t == nil && strings.Contains(err.Error(), "None") && strings.Contains(err.Error(), name):
		return fmt.Errorf("nil is None to a kernel, which uses this parameter as a pointer:\n%w", err)
	case t == nil:
		return nil
	case isNumber(t.Kind()) || t.Kind() == reflect.String:
		return fmt.Errorf("%#v is no tensor, and the kernel uses this parameter as a pointer:\n%w", v, err)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && isNumber(t.Elem().Kind()):
		return fmt.Errorf("a %T is a tuple to a kernel, which uses this parameter as a pointer: pass a "+
			"tensor, as nereid.FromSlice makes it of a slice", v)
	}
	return nil
}

func isNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// build returns the kernel compiled for the arguments of a launch.
func (k *Kernel) build(ctx context.Context, l *launch) (*code.Build, error) {
	r := compile.Request{Spec: l.spec(), Ahead: l.ahead, All: l.all, Want: l.want, Way: l.way,
		Launch: l.first}
	if l.on != nil {
		r.Refuse = func() error { return l.on.refuse(k.name, "compiled") }
	}
	b, err := k.code.Build(ctx, r)
	return b, l.explain(compileError(ended(k.name, err)))
}

// share notes what a launch's grid means for its code.
func (l *launch) share(g Grid) {
	if d, ok := l.dev.b.(target.Chooser); ok {
		l.way, l.first = d.WayOf(g), &target.Launch{Grid: g, Words: l.frame.Words}
	}
}

// spec returns the specialization that the launch needs.
func (l *launch) spec() compile.Spec {
	return compile.Spec{Dev: l.dev.core(), Args: l.specs, Opts: l.opts}
}

// launch is the state of a launch without a plan: its arguments, and the memory lent to the device.
type launch struct {
	k       *Kernel
	dev     *Device
	on      *Stream               // nil if nothing is launched yet
	nowhere bool                  // nothing will be launched: only the types of the arguments matter
	ahead   bool                  // strict mode allows to compile
	all     bool                  // the code of all launches is made (compile.Request.All)
	bound   bool                  // later launches may have other numbers
	want    func(device.Way) bool // see compile.Request.Want
	// loosened says that the code knows nothing of numbers under do_not_specialize, because better code would
	// have to be compiled first.
	loosened bool
	general  *general // the code of another specialization that serves the launch, or nil
	frame    frame
	opts     target.Options // options that the kernel is compiled with
	specs    []signature.Arg
	way      device.Way      // of the code for the grid
	first    *target.Launch  // what the compiler is told of the launch; nil if its device does not ask
	mem      []target.Memory // memory of the arguments that are pointers
	lent     []target.Buffer // host memory lent to the device for this launch
	done     []func()        // functions to call at the end of the launch
}

// params returns the parameters that the arguments are specialized for. On GPUs, numbers under
// do_not_specialize that are divisible by 16 have code of their own: without it, masks that depend on them
// split every wide access.
func (l *launch) params() *args.Params {
	if l.general != nil {
		return l.general.params
	}
	if l.bound || !device.AlignsNumbers(l.dev.b) {
		return l.k.loose
	}
	return l.k.params
}

// mayNotCompile reports whether err says that a launch would have to compile and may not.
func mayNotCompile(err error) bool {
	return errors.Is(err, ErrNotCompiled) || errors.Is(err, ErrCapturing)
}

// loosen lets the launch take the code for any number under do_not_specialize, which may be there already. It
// reports false if that is the code that the launch asks for anyway.
func (l *launch) loosen() bool {
	for i, p := range l.k.params.List {
		if p.NoSpecialize && l.specs[i].Div16 {
			l.specs[i].Div16, l.loosened = false, true
		}
	}
	return l.loosened
}

// bind specializes arguments.
func (l *launch) bind(m *args.Matched) error {
	f := &l.frame
	f.Matched = *m
	err := f.Fill()
	if err == nil {
		err = f.Specialize(l.params(), f.Vals, l)
	}
	if err == nil {
		l.specs, err = f.Specs(l.params())
	}
	if err != nil {
		return l.k.argError(err)
	}
	l.opts = f.Opts
	l.opts.Debug = f.Opts.Debug || l.k.debug && !f.Opts.NoDebug
	l.opts.NoDebug = false // the code is the same as without
	return nil
}
