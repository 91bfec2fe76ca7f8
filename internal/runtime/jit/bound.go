package jit

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/trace"
	"slices"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Bound is a kernel with its arguments bound to one specialization on one stream. The Set methods change
// arguments within the specialization; Launch copies and allocates nothing. A Bound must not be used by
// several goroutines at once.
type Bound struct {
	// A launch on a GPU reads the fields up to seen, which are two cache lines, and no others.
	launcher device.Launcher // p's; nil if p has none, and after Close
	queue    device.Stream   // the device's stream of s
	calls    *inflight.Count // calls of queue that are under way
	closes   *atomic.Uint32  // launcher's counter of closed memory
	words    []uint64
	kept     uniform.Kept
	seen     uint32 // value of closes when the tensors were last seen to be open

	p      *warm.Plan
	s      *core.Stream
	k      *Kernel
	l      *launch
	params []boundParam

	apart   *warm.Plan // plan for arguments that do not overlap
	overlap *warm.Plan // plan for arguments that do, made when first needed
	_       [16]byte   // padded to whole cache lines
}

// boundParam says how a parameter can be changed.
type boundParam struct {
	class args.Class // class of the arguments that fit
	word  int        // index of its word
	fixed string     // why it cannot be changed, or ""
}

var errBoundHooks = errors.New("its config has a pre_hook, which a bound kernel would not call: launch it " +
	"instead")

// Bind compiles the kernel for arguments and keeps them for launches on a stream. Decorators complete the
// arguments as in Launch. Bind launches nothing, so a kernel that has not been tuned for these arguments must
// be launched once before. The caller closes the Bound.
func (k *Kernel) Bind(s *core.Stream, arguments ...any) (*Bound, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	if err := core.Usable(s); err != nil {
		return nil, fmt.Errorf("nereid: %s: Bind needs a stream: %w", k.name, err)
	}
	l := k.newLaunch(s.Device())
	l.bound = true
	b, err := l.prepare(s, arguments)
	if err != nil {
		l.Release()
		return nil, err
	}
	l.Frame.Words = slices.Grow(l.Frame.Words, device.MaxLauncherWords) // room for what the host computes
	x := &Bound{s: s, words: l.Frame.Words, k: k, l: l,
		apart: core.NewPlan(s.Device(), b, len(l.Frame.Words))}
	x.params = l.boundParams()
	if err := x.choose(); err != nil {
		l.Release()
		return nil, err
	}
	return x, nil
}

// choose selects the plan for overlapping arguments if they overlap, else the other. A wrong choice would
// compute wrong results.
func (b *Bound) choose() error {
	if !b.l.Overlap(b.apart.Apart) {
		b.take(b.apart)
		return nil
	}
	if b.overlap == nil {
		l := *b.l
		x, err := l.buildOverlap(b.s)
		if err != nil {
			return err
		}
		b.overlap = core.NewPlan(b.s.Device(), x, len(b.words))
	}
	b.take(b.overlap)
	return nil
}

// take makes launches go by a plan.
func (b *Bound) take(p *warm.Plan) {
	s := core.StreamCore(b.s)
	b.p, b.launcher, b.queue, b.calls = p, p.Launcher, s.S, s.Calls
	if p.Launcher != nil {
		b.closes = p.Launcher.Closes()
	}
}

// prepare specializes arguments and compiles the kernel for them.
func (l *launch) prepare(s *core.Stream, list []any) (*code.Build, error) {
	if err := l.decorated(s, list); err != nil {
		return nil, err
	}
	return l.k.build(s.Context(), l)
}

// boundParams returns, for each parameter, whether and how it can be changed.
func (l *launch) boundParams() []boundParam {
	f := &l.Frame
	out := make([]boundParam, len(f.Params.List))
	classes := f.Classes
	for i := range out {
		x := &out[i]
		x.class, x.word = classes[0], f.At[i]
		classes = classes[1:]
		t := core.TensorOf(f.Vals[i])
		switch {
		case f.Params.Rules[i].Constexpr:
			classes = classes[2:]
			x.fixed = "it is a constexpr"
		case t != nil && core.On(t) == nil:
			x.fixed = "it is memory of the host, which the device has for as long as the kernel is bound: " +
				"make the tensor with NewTensor"
		case x.class&args.ClassKind == args.ClassDesc:
			x.fixed = "it is a descriptor: bind the kernel again"
		case x.class.Folded():
			x.fixed = "its value is compiled in"
		}
	}
	return out
}

// Launch runs the kernel with the current arguments.
func (b *Bound) Launch(grid core.Grid) error {
	if b == nil || b.launcher == nil || trace.IsEnabled() {
		return b.launch(grid)
	}
	x, y, z, bad := warm.GPUGrid((*[3]int)(&grid))
	if bad != 0 {
		return b.launch(grid)
	}
	call := b.calls.Begin() // before anything looks whether a tensor is open
	var err error
	if b.seen == b.closes.Load() || b.holds() {
		err = b.launcher.LaunchWords(b.queue, x, y, z, b.words, &b.kept)
	} else {
		err = core.ErrClosedTensor
	}
	call.End()
	runtime.KeepAlive(b)
	if err != nil && b.usable() != nil {
		return b.usable()
	}
	return err
}

// holds reports whether all tensors are open, now that some tensor of the device was closed.
func (b *Bound) holds() bool {
	closes := b.closes.Load()
	if b.l.Frame.Closed(core.DeviceCore(b.s.Device())) {
		return false
	}
	b.seen = closes
	return true
}

// launch is Launch by the long way.
func (b *Bound) launch(grid core.Grid) error {
	if err := b.usable(); err != nil {
		return err
	}
	g, err := core.ValidGrid(b.k.name, grid)
	if err != nil {
		return err
	}
	if own := b.p.Owner.(*code.Build); own.Bounded != nil {
		return core.RunError(own.Launch(b.s.Context(), core.StreamCore(b.s), b.l.Work(g)), own)
	}
	return core.LaunchPlan(b.p, b.s, g, b.words, &b.l.Frame.Matched)
}

// Param returns the position of a parameter for the Set methods, or -1.
func (b *Bound) Param(name string) int {
	if b.usable() != nil {
		return -1
	}
	return b.k.params.Index(name)
}

// SetInt changes an integer argument within its specialization: if it was divisible by 16, it must stay so
// (except under do_not_specialize); if it was an int32, it must stay one.
func (b *Bound) SetInt(param int, v int64) error {
	if err := b.settable(param); err != nil {
		return err
	}
	c, word := b.l.params().Rules[param].Integer(v)
	return b.put(param, c, word)
}

// SetFloat changes a float argument.
func (b *Bound) SetFloat(param int, v float64) error {
	if err := b.settable(param); err != nil {
		return err
	}
	c, word := b.l.params().Rules[param].Floating(v)
	return b.put(param, c, word)
}

// SetTensor changes a tensor argument to one of the same type and alignment on the same device.
func (b *Bound) SetTensor(param int, t *core.Tensor) error {
	if err := b.settable(param); err != nil {
		return err
	}
	if err := t.Err(); err != nil {
		return b.paramError(param, "%w", err)
	}
	on := core.On(t)
	if on == nil {
		return b.paramError(param, "must be a tensor on %s, but it is memory of the host: make the tensor "+
			"with NewTensor", b.s.Device())
	}
	if on != b.s.Device() {
		return b.paramError(param, "must be a tensor on %s", b.s.Device())
	}
	if err := b.put(param, core.TensorCore(t).Class(), core.TensorCore(t).Addr); err != nil {
		return err
	}
	b.l.Rebind(b.params[param].word, t)
	b.l.Frame.Vals[param] = core.TensorCore(t) // keeps the tensor's memory alive
	return b.choose()
}

func (b *Bound) settable(param int) error {
	if err := b.usable(); err != nil {
		return err
	}
	if param < 0 || param >= len(b.params) {
		return fmt.Errorf("nereid: %s has no parameter %d: Param returns the position of a name, or -1",
			b.k.name, param)
	}
	if why := b.params[param].fixed; why != "" {
		return b.paramError(param, "cannot be changed while the kernel is bound: %s", why)
	}
	return nil
}

func (b *Bound) put(param int, c args.Class, word uint64) error {
	if have := b.params[param].class; c != have && !have.Takes(c) {
		return b.paramError(param, "does not fit the code that the kernel was bound for: %s: bind it again",
			have.Misfit(c))
	}
	b.words[b.params[param].word] = word
	b.kept.Forget()
	return nil
}

func (b *Bound) paramError(param int, format string, list ...any) error {
	name := b.k.params.List[param].Name
	return b.k.argError(&args.Error{Param: name, Err: fmt.Errorf(format, list...)})
}

// Close releases the arguments.
func (b *Bound) Close() error {
	if b == nil || b.p == nil {
		return nil
	}
	b.l.Release()
	b.p, b.launcher = nil, nil
	return nil
}
