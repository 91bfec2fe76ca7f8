package nereid

import "sync"

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

// scratch is what a launch needs for a moment.
type scratch struct {
	vals    []any
	classes []class
	words   []uint64
	host    bool // there is memory of the host among them, that must be the device's too
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
	if !ok || !s.dev.reads(w) {
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
	return true, p.launch(s, g, w.words) // w keeps the arguments' memory alive
}

// reads reports whether the device finds the arguments where they are: those in host memory too, which others are handed, or copy.
func (d *Device) reads(w *scratch) bool {
	if !w.host {
		return true
	}
	h, ok := d.b.(interface{ SharesHost() bool })
	return ok && h.SharesHost()
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
	return p.b.launch(s, g, words)
}

// remember adds a plan.
func (k *Kernel) remember(args []any, p *plan) {
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	opts, ok := w.classify(k, args)
	if !ok || !p.dev.reads(w) {
		return
	}
	p.opts, p.classes, p.consts = opts, append([]class(nil), w.classes...), append([]any(nil), w.vals...)
	for i, c := range p.classes {
		if c != classConst {
			p.consts[i] = nil // do not keep tensors alive
		}
	}
	addPlan(&k.plans, p, func(list []*plan) bool { return w.plan(list, p.dev, opts) != nil })
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
	w.vals, w.words, w.host = grow(w.vals, n), w.words[:0], false
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
	w.classes = w.classes[:0]
	for i := range k.params {
		if w.vals[i] == nil || !w.one(k, i, w.vals[i]) { // nil is a default
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

// one adds the class of parameter i's argument, and its word. It reports whether the argument can go the short way.
func (w *scratch) one(k *Kernel, i int, v any) bool {
	p := &k.allParams[i]
	if p.Constexpr {
		switch v.(type) {
		case int, int32, int64, bool, float64, string, DType:
			w.classes = append(w.classes, classConst)
			return true
		}
		return false
	}
	switch v := v.(type) {
	case *Tensor:
		return w.tensor(v)
	case int:
		w.int(p, int64(v))
	case int32:
		w.int(p, int64(v))
	case int64:
		w.int(p, v)
	case float64:
		w.float(p, v)
	case float32:
		w.float(p, float64(v))
	case bool:
		w.bool(v)
	default:
		return false
	}
	return true
}

func (w *scratch) add(o oneWord) {
	w.classes = append(w.classes, o.class)
	if !o.class.folded() {
		w.words = append(w.words, o.word)
	}
}

func (w *scratch) int(p *kernelParam, v int64) {
	var o oneWord
	o.int(p, v)
	w.add(o)
}

func (w *scratch) float(p *kernelParam, v float64) {
	var o oneWord
	o.float(p, v)
	w.add(o)
}

func (w *scratch) bool(v bool) {
	var o oneWord
	o.bool(v)
	w.add(o)
}

// tensor reports whether the tensor can go the short way.
func (w *scratch) tensor(t *Tensor) bool {
	var o oneWord
	ok := o.tensor(t)
	if ok {
		w.add(o)
		w.host = w.host || t != nil && t.dev == nil
	}
	return ok
}
