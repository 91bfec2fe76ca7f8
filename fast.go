package nereid

import (
	"math"
	"runtime"
	"sync"
)

// plan is a specialisation that was launched before: what its arguments looked like, and what runs. A launch whose arguments look the
// same needs no more than to find the plan and copy words.
type plan struct {
	dev     *Device
	opts    Options
	classes []class // of each parameter
	consts  []any   // of constexpr parameters, and of others given a constant
	meta    Meta    // for grids that are functions; never changed
	b       *build
}

// class is all that a specialisation depends on in one runtime argument.
type class uint32

const (
	classConst class = iota // compared by value
	classNone
	classInt32
	classInt64
	classUint64
	classOne
	classFloat
	classBool
	classPtr // with the element type in the bits above

	classDiv16 class = 1 << 8
	classElem  class = 1 << 16
)

// scratch is what a launch needs for a moment.
type scratch struct {
	vals    []any
	classes []class
	words   []uint64
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// replay launches a plan that fits the arguments, if there is one. It does not know every kind of argument: those it does not know go
// the long way.
func (k *Kernel) replay(s *Stream, grid any, args []any) (done bool, err error) {
	plans := k.plans.Load()
	if plans == nil {
		return false, nil
	}
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	opts, ok := w.classify(k, args)
	if !ok {
		return false, nil
	}
	p := w.plan(*plans, s.dev, opts)
	if p == nil {
		return false, nil
	}
	g, ok := p.grid(grid)
	if !ok {
		return false, nil
	}
	return true, p.launch(s, g, w.words)
}

// plan is the one that fits the classified arguments, or nil.
func (w *scratch) plan(plans []*plan, dev *Device, opts Options) *plan {
	for _, p := range plans {
		if p.dev == dev && p.opts == opts && w.fits(p) {
			return p
		}
	}
	return nil
}

// grid is the grid of a launch, unless something is wrong with it: the long way says what.
func (p *plan) grid(grid any) (g Grid, ok bool) {
	switch f := grid.(type) {
	case Grid:
		g = f
	case GridFunc:
		g = f(p.meta)
	case func(Meta) Grid:
		g = f(p.meta)
	default:
		return g, false
	}
	return g, g[0] >= 0 && g[1] >= 0 && g[2] >= 0
}

func (p *plan) launch(s *Stream, g Grid, words []uint64) error {
	for i := 1; i < 3; i++ {
		if g[i] == 0 {
			g[i] = 1
		}
	}
	if g[0] == 0 {
		return nil
	}
	err := p.b.exec.Launch(s.ctx, s.s, g, words)
	runtime.KeepAlive(p)
	return err
}

// remember adds a plan.
func (k *Kernel) remember(dev *Device, args []any, meta Meta, b *build) {
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	opts, ok := w.classify(k, args)
	if !ok {
		return
	}
	p := &plan{dev: dev, opts: opts, meta: meta, b: b, classes: append([]class(nil), w.classes...), consts: append([]any(nil), w.vals...)}
	for i, c := range p.classes {
		if c != classConst {
			p.consts[i] = nil // do not keep tensors alive
		}
	}
	for {
		old := k.plans.Load()
		var list []*plan
		if old != nil {
			list = *old
		}
		if w.plan(list, dev, opts) != nil {
			return // another goroutine was faster
		}
		list = append([]*plan{p}, list...)
		if len(list) > maxPlans {
			list = list[:maxPlans]
		}
		if k.plans.CompareAndSwap(old, &list) {
			return
		}
	}
}

// maxPlans bounds the specialisations that are found the short way.
const maxPlans = 32

// fits reports whether the classified arguments are those of the plan.
func (w *scratch) fits(p *plan) bool {
	for i, c := range w.classes {
		if c != p.classes[i] || c == classConst && w.vals[i] != p.consts[i] {
			return false
		}
	}
	return true
}

// classify sorts arguments by parameter and finds their classes and words.
func (w *scratch) classify(k *Kernel, args []any) (opts Options, ok bool) {
	n := len(k.params)
	w.vals, w.classes, w.words = grow(w.vals, n), grow(w.classes, n), w.words[:0]
	clear(w.vals)
	pos := 0
	for _, a := range args {
		switch a := a.(type) {
		case Options:
			opts = a
			continue
		case Named:
			i := k.param(a.Name)
			if i < 0 || w.vals[i] != nil || a.Value == nil {
				return opts, false
			}
			w.vals[i] = a.Value
			continue
		}
		for pos < n && w.vals[pos] != nil {
			pos++
		}
		if pos == n || a == nil {
			return opts, false
		}
		w.vals[pos] = a
	}
	for i := range k.params {
		if w.vals[i] == nil {
			return opts, false // a default
		}
		if !w.class(k, i) {
			return opts, false
		}
	}
	return opts, true
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// class finds the class of argument i, and its word.
func (w *scratch) class(k *Kernel, i int) bool {
	p := &k.params[i]
	if p.Constexpr {
		switch w.vals[i].(type) {
		case int, int32, int64, bool, float64, string, DType:
			w.classes[i] = classConst
			return true
		}
		return false
	}
	if p.Type != "" {
		return false // an annotation decides: the long way
	}
	switch v := w.vals[i].(type) {
	case *Tensor:
		if v == nil || v.dev == nil {
			return false // host memory is handed over for each launch
		}
		addr := v.buf.Addr() + uint64(v.offset)
		c := classPtr + class(v.DType)*classElem
		if addr%16 == 0 {
			c |= classDiv16
		}
		w.classes[i], w.words = c, append(w.words, addr)
	case int:
		w.integer(i, int64(v), p.NoSpecialize)
	case int32:
		w.integer(i, int64(v), p.NoSpecialize)
	case int64:
		w.integer(i, v, p.NoSpecialize)
	case float64:
		w.classes[i], w.words = classFloat, append(w.words, uint64(math.Float32bits(float32(v))))
	case float32:
		w.classes[i], w.words = classFloat, append(w.words, uint64(math.Float32bits(v)))
	default:
		return false
	}
	return true
}

func (w *scratch) integer(i int, v int64, plain bool) {
	c := classInt32
	switch {
	case v == 1 && !plain:
		w.classes[i] = classOne
		return
	case v != int64(int32(v)):
		c = classInt64
	}
	if v%16 == 0 {
		c |= classDiv16
	}
	w.classes[i], w.words = c, append(w.words, uint64(v))
}
