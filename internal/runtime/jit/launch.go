package jit

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/tune"
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
func (k *Kernel) Launch(s *core.Stream, grid core.Programs, arguments ...any) error {
	if k == nil {
		return errNoKernel
	}
	if g := core.GridOf(&grid); g != nil {
		if done, err := k.last.Load().Launch(core.StreamCore(s), g, arguments); done {
			return err
		}
	}
	return k.launch(s, grid, arguments, nil)
}

// noting receives the plan by which a launch can be repeated: for all arguments of the same classes or, with
// byValue, for arguments of the same values, because decorators chose by them.
type noting func(p *warm.Plan, byValue bool)

// launch runs the kernel on s, or on the best device if s is nil. note, if not nil, receives the plan.
func (k *Kernel) launch(s *core.Stream, grid core.Programs, list []any, note noting) error {
	if err := k.usable(); err != nil {
		return err
	}
	if s != nil {
		if err := core.Usable(s); err != nil {
			return err
		}
		return k.launchOn(s, grid, list, note)
	}
	dev, err := core.OpenDevice("")
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

func (k *Kernel) launchOn(s *core.Stream, grid core.Programs, list []any, note noting) error {
	f := k.spare.Get()
	err := core.ClosedMeanwhile(k.launchFrame(f, s, grid, list, note), k.name, list)
	runtime.KeepAlive(list) // also keeps the tensors' memory alive
	f.Clear()
	k.spare.Put(f)
	return err
}

// launchFrame binds the arguments, then launches by the plan of an earlier launch if there is one, else with
// the arguments that the decorators complete.
func (k *Kernel) launchFrame(f *core.Frame, s *core.Stream, grid core.Programs, list []any,
	note noting) error {
	if x := k.last.Load(); x.OnHost() && note == nil {
		if done, err := k.launchHost(x, f, s, grid, list); done {
			return err
		}
	}
	if err := f.Bind(k.name, k.params, list); err != nil {
		return err
	}
	if note == nil && !k.plans.Empty() {
		if done, err := k.repeat(f, s, grid, list); done {
			return err
		}
	}
	d, err := k.decorate(s, grid, &f.Matched, false)
	if errors.Is(err, tune.ErrNothing) {
		return nil
	}
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
func (k *Kernel) repeat(f *core.Frame, s *core.Stream, grid core.Programs, list []any) (done bool,
	err error) {
	if !k.tuned.Recall(core.DeviceCore(s.Device()), &f.Matched) && f.Missing() || f.Fill() != nil {
		return false, nil
	}
	if f.Specialize(k.paramsOn(s.Device()), f.Vals, nil) != nil || !f.Reads(core.DeviceCore(s.Device())) {
		return false, nil
	}
	p := k.plans.Find(&f.Look, &f.Opts, core.DeviceCore(s.Device()))
	if p != nil && p.Apart != nil && core.Overlap(p.Apart, f.Vals) {
		opts := f.Opts
		opts.Overlap = true
		p = k.plans.Find(&f.Look, &opts, core.DeviceCore(s.Device()))
	}
	if p == nil {
		return false, nil
	}
	g, err := f.Resolve(k.name, grid)
	if err != nil {
		return true, err
	}
	k.noteLast(p)
	return true, core.LaunchPlan(p, s, g, f.Words, &f.Matched)
}

// noteLast makes the next launch begin with a short cut to p. Code for overlapping arguments has none, since
// the next arguments may not overlap; nor has code with hooks, which see all arguments.
func (k *Kernel) noteLast(p *warm.Plan) {
	if p.Args != nil && p.Exec != nil && !p.Overlap && k.last.Load() != p.Args {
		k.last.Store(p.Args)
	}
}

// launchHost launches by the short cut of the previous launch on the CPU if the arguments fit it and do not
// overlap.
func (k *Kernel) launchHost(x *warm.ArgCut, f *core.Frame, s *core.Stream, grid core.Programs,
	list []any) (done bool,
	err error) {
	words, ok := x.Words(core.DeviceCore(s.Device()), list, &f.Cut)
	if !ok {
		return false, nil
	}
	if core.Overlapping(x.Plan.Apart, list) {
		return false, nil
	}
	g, ok := grid.(core.Grid)
	if ok {
		g, err = core.ValidGrid(k.name, g)
	} else { // a function asks for the arguments by name
		if err = f.Bind(k.name, k.params, list); err != nil {
			return true, err
		}
		g, err = f.Resolve(k.name, grid)
	}
	if err != nil {
		return true, err
	}
	return true, core.LaunchPlan(x.Plan, s, g, words, nil)
}

// launchLong launches with arguments of a specialization that has no plan yet, after decorators, and keeps
// the plan that it finds. With ahead, strict mode allows to compile.
func (k *Kernel) launchLong(s *core.Stream, grid core.Programs, list []any, m *args.Matched, note noting,
	byValue,
	ahead bool) error {
	l := k.newLaunch(s.Device())
	l.On, l.ahead = s, ahead
	defer l.Release()
	if err := l.bind(m); err != nil {
		return err
	}
	g, err := l.Frame.Resolve(k.name, grid)
	if err != nil {
		return err
	}
	b, err := l.build(s, g)
	if err != nil {
		return err
	}
	l.plan(b, list, note, byValue)
	if l.Overlap(b.Apart) {
		if b, err = l.buildOverlap(s); err != nil {
			return err
		}
		l.plan(b, list, note, byValue)
	}
	return core.RunError(b.Launch(s.Context(), core.StreamCore(s), l.Work(g)), b)
}

// plan keeps the plan by which the launch can be repeated, unless each launch must determine the memory of
// its arguments.
func (l *launch) plan(b *code.Build, list []any, note noting, byValue bool) {
	strict := l.k.code.Set.Strict
	if b.Bounded != nil || l.Checked() || l.loosened && !strict ||
		l.general != nil && (!l.general.same || !strict || note != nil) {
		return
	}
	p := core.NewPlan(l.Dev, b, len(l.Frame.Words))
	l.general.count(p)
	p.Overlap = l.opts.Overlap
	if note != nil {
		p.Consts = l.Frame.Consts()
		note(p, byValue)
		return
	}
	l.k.remember(p, &l.Frame, list)
}

// launchMatched launches with bound arguments. It may be called repeatedly.
func (k *Kernel) launchMatched(s *core.Stream, grid core.Programs, m *args.Matched, ahead bool) error {
	f := k.spare.Get()
	f.Matched = *m.Clone()
	defer func() {
		f.Clear()
		k.spare.Put(f)
	}()
	if !k.plans.Empty() {
		if done, err := k.repeat(f, s, grid, nil); done {
			return err
		}
	}
	return k.launchLong(s, grid, nil, m, nil, false, ahead)
}

// remember adds a plan for arguments like those of f, if repeat can handle them.
func (k *Kernel) remember(p *warm.Plan, f *core.Frame, list []any) {
	var short args.Frame
	params := k.special.params(k.params, p.Dev.Traits.Loose)
	if short.Specialize(params, f.Vals, nil) != nil || !short.Reads(p.Dev) {
		return
	}
	opts := f.Opts
	opts.Overlap = p.Overlap
	p.Keep(&short.Look, opts)
	p.Apart = core.ByParameter(p.Apart, params.Rules, p.Classes)
	p.Args = warm.NewArgCut(p, params.Rules, list, f.Vals)
	k.plans.Add(p)
}

// explain returns the error of a compilation that failed because a Go slice, a number, a string or nil was
// passed for a pointer: what the kernel's text says of it helps nobody. Any other error is returned as it is.
func (l *launch) explain(err error) error {
	if !errors.As(err, new(*CompileError)) || len(l.Frame.Vals) == 0 {
		return err
	}
	pointers, perr := l.k.m.src.Pointers(l.k.name, compile.TargetOf(core.DeviceCore(l.Dev)))
	if perr != nil {
		return err
	}
	for i, v := range l.Frame.Vals {
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
	case isNumbers(v):
		return fmt.Errorf("a tuple of numbers is no tensor, and the kernel uses this parameter as a "+
			"pointer: pass a tensor or a pointer to the elements, in C++ x.data() for a std::vector x:\n%w",
			err)
	case isNumber(t.Kind()) || t.Kind() == reflect.String:
		return fmt.Errorf("%#v is no tensor, and the kernel uses this parameter as a pointer:\n%w", v, err)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && isNumber(t.Elem().Kind()):
		return fmt.Errorf("a %T is a tuple to a kernel, which uses this parameter as a pointer: pass a "+
			"tensor, as nereid.FromSlice makes it of a slice", v)
	}
	return nil
}

// isNumbers reports whether v is a tuple of numbers, as C and C++ pass one.
func isNumbers(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(x any) bool {
		_, typed := x.(args.Scalar)
		return !typed && (x == nil || !isNumber(reflect.TypeOf(x).Kind()))
	})
}

func isNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// build returns the kernel compiled for the arguments of a launch.
func (k *Kernel) build(ctx context.Context, l *launch) (*code.Build, error) {
	r := compile.Request{Spec: l.spec(), Ahead: l.ahead, All: l.all, Want: l.want, Way: l.way,
		Launch: l.first}
	if l.On != nil {
		r.Refuse = func() error { return core.Capturing(l.On, k.name, "compiled") }
	}
	b, err := k.code.Build(ctx, r)
	return b, l.explain(compileError(core.Ended(k.name, err)))
}

// share notes what a launch's grid means for its code.
func (l *launch) share(g core.Grid) {
	if d, ok := core.Backend(l.Dev).(target.Chooser); ok {
		l.way, l.first = d.WayOf(g), &target.Launch{Grid: g, Words: l.Frame.Words}
	}
}

// spec returns the specialization that the launch needs.
func (l *launch) spec() compile.Spec {
	return compile.Spec{Dev: core.DeviceCore(l.Dev), Args: l.specs, Opts: l.opts}
}

// launch is a launch of a kernel without a plan.
type launch struct {
	core.Launch
	k     *Kernel
	ahead bool                  // strict mode allows to compile
	all   bool                  // the code of all launches is made (compile.Request.All)
	bound bool                  // later launches may have other numbers
	want  func(device.Way) bool // see compile.Request.Want
	// loosened says that the code knows nothing of numbers under do_not_specialize, because better code would
	// have to be compiled first.
	loosened bool
	general  *general       // the code of another specialization that serves the launch, or nil
	opts     target.Options // options that the kernel is compiled with
	specs    []signature.Arg
	way      device.Way     // way of the code for the grid
	first    *target.Launch // what the compiler is told of the launch; nil if its device does not ask
}

// newLaunch returns a launch of the kernel on a device.
func (k *Kernel) newLaunch(dev *core.Device) *launch {
	return &launch{Launch: core.Launch{Dev: dev, CheckAll: k.m.conf.Check}, k: k}
}

// params returns the parameters that the arguments are specialized for. On GPUs, numbers under
// do_not_specialize that are divisible by 16 have code of their own: without it, masks that depend on them
// split every wide access.
func (l *launch) params() *args.Params {
	if l.general != nil {
		return l.general.params
	}
	if loose := core.Traits(l.Dev).Loose; loose != (device.Loose{}) {
		return l.k.special.params(l.k.params, loose)
	}
	if l.bound || !core.Traits(l.Dev).AlignsNumbers {
		return l.k.loose
	}
	return l.k.params
}

// mayNotCompile reports whether err says that a launch would have to compile and may not.
func mayNotCompile(err error) bool {
	return errors.Is(err, ErrNotCompiled) || errors.Is(err, core.ErrCapturing)
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
	f := &l.Frame
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
	switch d := f.Opts.Debug; {
	case d == core.DebugDefault && l.k.debug:
		l.opts.Debug = core.DebugOn
	case d == core.DebugOff:
		l.opts.Debug = core.DebugDefault // the code is the same
	}
	return nil
}
