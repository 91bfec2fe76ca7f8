package nereid

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Typed is a kernel as generated code launches it (`nereid gen`): its compile-time arguments and options are a struct, its others come
// one by one with their Go types, and a launch whose arguments look like those of an earlier one allocates nothing.
type Typed[C comparable] struct {
	name   string
	kernel func() (*Kernel, error)
	consts func(C) []any
	sets   atomic.Pointer[[]typedSet[C]]
}

// typedSet is what was launched with one value of the struct.
type typedSet[C comparable] struct {
	c   C
	set *constSet
}

// constSet is a kernel with its compile-time arguments given.
type constSet struct {
	k     *Kernel
	args  []any // the compile-time arguments by name, and options
	err   error // the kernel is not to be had
	plans atomic.Pointer[[]*plan]
}

// NewTyped is a kernel of a module that is loaded when it is first needed. consts are the struct's values by name.
func NewTyped[C comparable](load func() (*Module, error), name string, consts func(C) []any) *Typed[C] {
	kernel := sync.OnceValues(func() (*Kernel, error) {
		m, err := load()
		if err != nil {
			return nil, err
		}
		return m.Kernel(name)
	})
	return &Typed[C]{name: name, kernel: kernel, consts: consts}
}

// Kernel is the kernel itself.
func (t *Typed[C]) Kernel() (*Kernel, error) { return t.kernel() }

// Call begins a launch. The arguments that are not compile-time follow in the order of the parameters, then Launch.
func (t *Typed[C]) Call(c C) *Call {
	call := calls.Get().(*Call)
	call.set = t.set(c)
	call.args.reset()
	return call
}

func (t *Typed[C]) set(c C) *constSet {
	sets := t.sets.Load()
	if sets != nil {
		for i := range *sets {
			if s := &(*sets)[i]; s.c == c {
				return s.set
			}
		}
	}
	return t.newSet(c)
}

func (t *Typed[C]) newSet(c C) *constSet {
	k, err := t.kernel()
	set := &constSet{k: k, err: err, args: t.consts(c)}
	if err != nil {
		return set
	}
	for {
		old := t.sets.Load()
		list := []typedSet[C]{{c, set}}
		if old != nil {
			list = append(list, (*old)[:min(len(*old), maxPlans-1)]...)
		}
		if t.sets.CompareAndSwap(old, &list) {
			return set
		}
	}
}

var calls = sync.Pool{New: func() any { return &Call{} }}

// Call is a launch in the making; see Typed.Call. It is used up by Launch.
type Call struct {
	set  *constSet
	args callArgs
}

// callArgs are arguments with their classes and words, and as they were given.
type callArgs struct {
	scratch
	given []givenArg
	slow  bool // one of them has no class
}

// givenArg is an argument for the long way.
type givenArg struct {
	kind   class
	bits   int64
	float  float64
	tensor *Tensor
	any    any
}

func (a *callArgs) reset() {
	a.classes, a.words, a.slow = a.classes[:0], a.words[:0], false
	a.host = false
	clear(a.given)
	a.given = a.given[:0]
}

// param is the parameter that the next argument is for, or nil where there are too many.
func (c *Call) param() *kernelParam {
	if c.set.err != nil || len(c.args.given) >= len(c.set.k.runtimeParams) {
		return nil
	}
	return &c.set.k.runtimeParams[len(c.args.given)]
}

// Tensor gives a tensor, or nil where the kernel takes None.
func (c *Call) Tensor(t *Tensor) {
	if p := c.param(); p != nil {
		c.args.slow = !c.args.tensor(t) || c.args.slow
	}
	c.args.given = append(c.args.given, givenArg{kind: classPtr, tensor: t})
}

// Int gives an integer.
func (c *Call) Int(v int64) {
	if p := c.param(); p != nil {
		c.args.int(p, v)
	}
	c.args.given = append(c.args.given, givenArg{kind: classInt64, bits: v})
}

// Float gives a float.
func (c *Call) Float(v float64) {
	if p := c.param(); p != nil {
		c.args.float(p, v)
	}
	c.args.given = append(c.args.given, givenArg{kind: classFloat, float: v})
}

// Number is what a parameter takes that may be an integer or a float.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64
}

// Give gives an integer or a float, whichever it is.
func Give[T Number](c *Call, v T) {
	if half := 0.5; T(half) != 0 {
		c.Float(float64(v))
		return
	}
	c.Int(int64(v))
}

// Bool gives a bool.
func (c *Call) Bool(v bool) {
	if c.param() != nil {
		c.args.bool(v)
	}
	g := givenArg{kind: classBool}
	if v {
		g.bits = 1
	}
	c.args.given = append(c.args.given, g)
}

// Any gives whatever Kernel.Launch takes; launches with such an argument go the long way.
func (c *Call) Any(v any) {
	c.args.slow = true
	c.args.given = append(c.args.given, givenArg{any: v})
}

// Launch runs the kernel. A nil stream is one of the best device, waited for before Launch returns.
func (c *Call) Launch(s *Stream, grid Grid) error {
	err := c.launch(s, grid, nil)
	c.set = nil
	c.args.reset()
	calls.Put(c)
	return err
}

// LaunchFunc runs the kernel with a grid that depends on the meta-parameters.
func (c *Call) LaunchFunc(s *Stream, grid GridFunc) error {
	err := c.launch(s, Grid{}, grid)
	c.set = nil
	c.args.reset()
	calls.Put(c)
	return err
}

var errTooMany = errors.New("more arguments than the kernel has parameters: generate the code again")

func (c *Call) launch(s *Stream, grid Grid, f GridFunc) error {
	set := c.set
	switch {
	case set.err != nil:
		return set.err
	case len(c.args.given) > len(set.k.runtimeParams):
		return fmt.Errorf("nereid: %s: %w", set.k.name, errTooMany)
	}
	if c.short(s) {
		if plans := set.plans.Load(); plans != nil {
			if p := c.args.find(*plans, s.dev); p != nil {
				if f != nil {
					grid = f(p.meta)
				}
				if grid[0] >= 0 && grid[1] >= 0 && grid[2] >= 0 {
					return p.launch(s, grid, c.args.words)
				}
			}
		}
	}
	return c.long(s, grid, f)
}

// short reports whether the arguments can go the short way.
func (c *Call) short(s *Stream) bool { return s != nil && !c.args.slow && s.dev.reads(&c.args.scratch) }

// find is the plan of the arguments' classes, or nil.
func (a *callArgs) find(plans []*plan, dev *Device) *plan {
next:
	for _, p := range plans {
		if p.dev != dev || len(p.classes) != len(a.classes) {
			continue
		}
		for i, c := range a.classes {
			if c != p.classes[i] {
				continue next
			}
		}
		return p
	}
	return nil
}

// long launches through Kernel.Launch and remembers how.
func (c *Call) long(s *Stream, grid Grid, f GridFunc) error {
	k := c.set.k
	args := append([]any(nil), c.set.args...)
	for i, g := range c.args.given {
		args = append(args, Arg(k.runtimeParams[i].Name, g.value()))
	}
	var g any = grid
	if f != nil {
		g = f
	}
	var note func(*plan)
	if c.short(s) {
		classes := append([]class(nil), c.args.classes...)
		note = func(p *plan) {
			p.classes = classes
			addPlan(&c.set.plans, p, func(list []*plan) bool { return c.args.find(list, s.dev) != nil })
		}
	}
	return k.launch(s, g, args, note)
}

// value is the argument as Launch takes it.
func (g givenArg) value() any {
	switch g.kind {
	case classPtr:
		if g.tensor == nil {
			return nil
		}
		return g.tensor
	case classInt64:
		return g.bits
	case classFloat:
		return g.float
	case classBool:
		return g.bits != 0
	}
	return g.any
}

// addPlan puts a plan first in a list, unless has says that it is there.
func addPlan(to *atomic.Pointer[[]*plan], p *plan, has func([]*plan) bool) {
	for {
		old := to.Load()
		list := []*plan{p}
		if old != nil {
			if has(*old) {
				return
			}
			list = append(list, (*old)[:min(len(*old), maxPlans-1)]...)
		}
		if to.CompareAndSwap(old, &list) {
			return
		}
	}
}

// Bound is a kernel frozen for one specialisation on one stream. Set changes arguments within it; Launch copies nothing and allocates
// nothing. It belongs to one goroutine.
type Bound struct {
	k       *Kernel
	s       *Stream
	l       *launch
	b       *build
	classes []class // of the parameters that Set can change; 0 for others
	at      []int   // of each parameter, its first word
}

// Bind compiles the kernel for arguments and keeps them for launches to come. The caller closes it.
func (k *Kernel) Bind(s *Stream, args ...any) (*Bound, error) {
	l := &launch{k: k, dev: s.dev, meta: Meta{}}
	if err := l.bind(args); err != nil {
		l.release()
		return nil, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	b, err := k.build(s.ctx, s.dev, l)
	if err != nil {
		l.release()
		return nil, err
	}
	x := &Bound{k: k, s: s, l: l, b: b, at: l.at, classes: make([]class, len(k.params))}
	for i := range k.params {
		var w scratch
		if w.one(k, i, l.vals[i]) && !w.host {
			x.classes[i] = w.classes[0]
		}
	}
	return x, nil
}

// Launch runs the kernel with the arguments as they are now.
func (b *Bound) Launch(grid Grid) error {
	for i := 1; i < 3; i++ {
		if grid[i] == 0 {
			grid[i] = 1
		}
	}
	if grid[0] == 0 {
		return nil
	}
	if grid[0] < 0 || grid[1] < 0 || grid[2] < 0 {
		return fmt.Errorf("nereid: %s: the grid %v has a negative dimension", b.k.name, grid)
	}
	return b.b.launch(b.s, grid, b.l.words)
}

// Param is the position of a parameter for the Set functions, or -1.
func (b *Bound) Param(name string) int { return b.k.param(name) }

// SetInt changes an integer argument, within its specialisation: what was divisible by 16 stays so.
func (b *Bound) SetInt(param int, v int64) error {
	p, err := b.settable(param)
	if err != nil {
		return err
	}
	var w oneWord
	w.int(p, v)
	return b.put(param, w)
}

// SetFloat changes a float argument.
func (b *Bound) SetFloat(param int, v float64) error {
	p, err := b.settable(param)
	if err != nil {
		return err
	}
	var w oneWord
	w.float(p, v)
	return b.put(param, w)
}

// SetTensor changes a tensor argument, to one of the same type and alignment that lies on the device.
func (b *Bound) SetTensor(param int, t *Tensor) error {
	if _, err := b.settable(param); err != nil {
		return err
	}
	var w oneWord
	if !w.tensor(t) || t != nil && t.dev == nil {
		return fmt.Errorf("nereid: %s: argument %q must be a tensor on the device", b.k.name, b.k.params[param].Name)
	}
	return b.put(param, w)
}

func (b *Bound) settable(param int) (*kernelParam, error) {
	if param < 0 || param >= len(b.classes) {
		return nil, fmt.Errorf("nereid: %s has no parameter %d", b.k.name, param)
	}
	if c := b.classes[param]; c == classConst || c == classOne || c == classNone {
		return nil, fmt.Errorf("nereid: %s: argument %q is fixed in the code that was compiled", b.k.name, b.k.params[param].Name)
	}
	return &b.k.allParams[param], nil
}

func (b *Bound) put(param int, w oneWord) error {
	if w.class != b.classes[param] {
		return fmt.Errorf("nereid: %s: argument %q does not fit what the kernel was bound for: bind it again", b.k.name, b.k.params[param].Name)
	}
	b.l.words[b.at[param]] = w.word
	return nil
}

// Close gives back what the arguments hold.
func (b *Bound) Close() error {
	b.l.release()
	b.l.lent, b.l.done = nil, nil
	return nil
}
