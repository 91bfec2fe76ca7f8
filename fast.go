package nereid

import (
	"math"
	"runtime"
	"runtime/trace"
	"slices"

	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// plan is a specialisation that was launched before: what its arguments looked like, and what runs. A launch whose arguments look the
// same needs no more than to find the plan and copy words.
type plan struct {
	ready driver.Ready // if a GPU's stream takes it as it is, unless somebody wants to hear of launches
	dev   *Device
	exec  target.Executable // that of b, unless somebody wants to hear of launches
	look
	room  [32]class // for its classes
	b     *build
	words int  // of arguments
	meta  Meta // for grids that are functions; never changed
	cut   *cut // to it, if there is one
	args  *argCut
}

// newPlan is a plan for launches with so many words.
func newPlan(dev *Device, b *build, words int) *plan {
	p := &plan{dev: dev, b: b, words: words}
	if b.hooks == nil {
		p.exec = b.exec
		if r, n, ok := nvidia.Ready(b.exec); ok && n == words {
			p.ready = r
		}
	}
	return p
}

// keep keeps what arguments look like.
func (p *plan) keep(l *look) {
	p.look = look{append(p.room[:0], l.classes...), slices.Clone(l.texts), l.opts}
}

// look is what arguments look like: all that their specialisation depends on. Generated code has classes only, since the rest is the same
// for all plans that it chooses from.
type look struct {
	classes []class // of each parameter; after that of a constant its value, two halves
	texts   []string
	opts    Options
}

func (l *look) same(o *look) bool {
	if !sameClasses(l.classes, o.classes) || l.opts != o.opts || len(l.texts) != len(o.texts) {
		return false
	}
	for i, t := range l.texts {
		if t != o.texts[i] {
			return false
		}
	}
	return true
}

// scratch is what a launch needs for a moment.
type scratch struct {
	look
	words []uint64
	host  bool    // there is memory of the host among them, that must be the device's too
	on    *Device // where the others are
	room  room
	vals  []any // by parameter, where the arguments are not in their order
}

// room is for the arguments of most kernels.
type room struct {
	classes [72]class
	words   [24]uint64
}

// grow makes room for n parameters, each with c classes.
func (r *room) grow(n, c int) ([]class, []uint64) {
	if n*c <= len(r.classes) && n <= len(r.words) {
		return r.classes[:n*c], r.words[:n]
	}
	return make([]class, n*c), make([]uint64, n)
}

// replay launches a plan that fits the arguments, if there is one. It does not know every kind of argument: those it does not know go
// the long way.
func (k *Kernel) replay(s *Stream, grid any, args []any) (done bool, err error) {
	if k.plans.empty() {
		return false, nil
	}
	w := k.spare.Get()
	if w.classify(k, args) {
		done, err = w.replay(k, s, grid)
		runtime.KeepAlive(args) // and the memory that they are of
	}
	k.spare.Put(w)
	return done, err
}

// replayAdded is replay with what decorators have added to arguments like these.
func (k *Kernel) replayAdded(s *Stream, grid any, args []any, a *added) (done bool, err error) {
	if k.plans.empty() {
		return false, nil
	}
	w := k.spare.Get()
	ok := w.arrange(k, args, a.byParam) && w.each(k.allParams, w.vals, false)
	clear(w.vals)
	if ok {
		w.opts = a.opts
		done, err = w.replay(k, s, grid)
		runtime.KeepAlive(args)
	}
	k.spare.Put(w)
	return done, err
}

// replay launches the plan that fits the classified arguments.
func (w *scratch) replay(k *Kernel, s *Stream, grid any) (done bool, err error) {
	if w.on != nil && w.on != s.dev || !s.dev.reads(w.host) {
		return false, nil
	}
	p := k.plans.find(&w.look, s.dev)
	if p == nil {
		return false, nil
	}
	g, ok := p.grid(grid)
	if !ok {
		return false, nil
	}
	if p.args != nil && k.last.Load() != p.args {
		k.last.Store(p.args)
	}
	return true, p.launch(s, g, w.words)
}

// reads reports whether the device finds arguments where they are: those in host memory too, which others are handed, or copy.
func (d *Device) reads(host bool) bool {
	if !host {
		return true
	}
	h, ok := d.b.(interface{ SharesHost() bool })
	return ok && h.SharesHost()
}

// grid is the grid of a launch, unless something is wrong with it: the long way says what.
func (p *plan) grid(grid any) (g Grid, ok bool) {
	if g, ok = grid.(Grid); ok { // mostly
		return g, g.common()
	}
	switch f := grid.(type) {
	case GridFunc:
		if f == nil {
			return g, false
		}
		g = f(p.meta)
	case func(Meta) Grid:
		return p.grid(GridFunc(f))
	default:
		return g, false
	}
	return g, g.common()
}

func (p *plan) launch(s *Stream, g Grid, words []uint64) error {
	if g[0] == 0 {
		return nil
	}
	g[1], g[2] = max(g[1], 1), max(g[2], 1)
	if p.exec == nil || trace.IsEnabled() {
		return p.b.launch(s, g, words, nil)
	}
	if p.ready.Is() && len(words) == p.words && g.common() {
		err := p.ready.Launch(nvidia.RawStream(s.s), uint32(g[0]), uint32(g[1]), uint32(g[2]), words)
		runtime.KeepAlive(p)
		return err
	}
	err := p.exec.Launch(s.ctx, s.s, g, words)
	runtime.KeepAlive(p)
	return err
}

// remember adds a plan.
func (k *Kernel) remember(args []any, p *plan) {
	w := k.spare.Get()
	defer k.spare.Put(w)
	if !w.classify(k, args) || !p.dev.reads(w.host) {
		return
	}
	p.keep(&w.look)
	p.args = k.newArgCut(p, args)
	k.plans.add(p)
}

// classify finds the classes and words of arguments. They are mostly in the order of the parameters, with options last if any; else they
// are put in order first.
func (w *scratch) classify(k *Kernel, args []any) bool {
	n := len(k.allParams)
	w.opts = Options{}
	vals := args
	if len(args) == n+1 {
		if o, ok := args[n].(Options); ok {
			w.opts, vals = o, args[:n]
		}
	}
	if len(vals) == n && w.each(k.allParams, vals, true) {
		return true
	}
	ok := w.arrange(k, args, nil) && w.each(k.allParams, w.vals, false)
	clear(w.vals) // keeps nothing alive
	return ok
}

// each finds the class of each argument, and its word. It reports whether all can go the short way. A nil is None where there is none,
// and otherwise an argument that is missing.
func (w *scratch) each(params []kernelParam, vals []any, none bool) bool {
	if cap(w.words) < len(params) {
		w.classes, w.words = w.room.grow(len(params), 3)
	}
	classes, words, n, used, host, on := w.classes[:3*len(params)], w.words[:len(params)], 0, 0, false, (*Device)(nil)
	w.texts = w.texts[:0]
	for i := range params {
		p, v := &params[i], vals[i]
		if v == nil && !none {
			return false
		}
		if p.constexpr {
			x, is := v.(int)
			c, word, ok := classConstInt, uint64(x), true
			if !is {
				c, word, ok = w.constant(v)
			}
			if !ok {
				return false
			}
			to := classes[n : n+3]
			to[0], to[1], to[2] = c, class(word), class(word>>32)
			n += 3
			continue
		}
		var c class
		var word uint64
		ok := true
		if t, is := v.(*Tensor); is {
			c, word, ok = tensorClass(t)
			switch {
			case t == nil:
			case t.dev == nil:
				host = true
			case on == nil:
				on = t.dev
			case on != t.dev:
				return false // the long way says what is wrong with that
			}
		} else if x, is := v.(int); is && !p.float {
			c, word = p.whole(int64(x)), uint64(x)
		} else {
			c, word, ok = p.scalar(v)
		}
		if !ok {
			return false
		}
		classes[n] = c
		n++
		words[used] = word // counts if there is one
		if !c.folded() {
			used++
		}
	}
	w.classes, w.words, w.host, w.on = classes[:n], words[:used], host, on
	return true
}

// constant is the class of a compile-time argument, if it is of a kind that the short way knows, and the bits of its value. It stays out of
// the loop that calls it: code counts like other memory.
//
//go:noinline
func (w *scratch) constant(v any) (c class, bits uint64, ok bool) {
	if text, is := v.(string); is {
		w.texts = append(w.texts, text)
		return classConstText, 0, true
	}
	switch v := v.(type) {
	case int:
		return classConstInt, uint64(v), true
	case bool:
		return classConstBool, boolWord(v), true
	case int64:
		return classConstInt, uint64(v), true
	case int32:
		return classConstInt, uint64(v), true
	case float64:
		return classConstFloat, math.Float64bits(v), true
	case DType:
		return classConstType, uint64(v), true
	case itsDefault:
		return classDefault, 0, true
	case nil:
		return classNone, 0, true
	}
	return 0, 0, false
}

// scalar is the class and the word of a number or a bool; it is like constant.
//
//go:noinline
func (p *kernelParam) scalar(v any) (c class, word uint64, ok bool) {
	switch v := v.(type) {
	case int:
		c, word = p.int(int64(v))
	case int32:
		c, word = p.int(int64(v))
	case int64:
		c, word = p.int(v)
	case float64:
		c, word = p.floating(v)
	case float32:
		c, word = p.floating(float64(v))
	case bool:
		c, word = classBool, boolWord(v)
	case itsDefault:
		c = classDefault
	case nil:
		c = classNone
	default:
		return 0, 0, false
	}
	return c, word, true
}

// arrange sorts arguments by parameter. Those that are left out are what decorators have added, if anything, or else defaults.
func (w *scratch) arrange(k *Kernel, args, added []any) bool {
	w.opts = Options{}
	n := len(k.params)
	w.vals = grow(w.vals, n)
	clear(w.vals)
	pos := 0
	for _, a := range args {
		switch a := a.(type) {
		case Options:
			w.opts = a
			continue
		case Named:
			i := k.param(a.Name)
			if i < 0 || w.vals[i] != nil || a.Value == nil {
				return false
			}
			w.vals[i] = a.Value
			continue
		}
		for pos < n && w.vals[pos] != nil {
			pos++
		}
		if pos == n || a == nil {
			return false
		}
		w.vals[pos] = a
	}
	for i := range w.vals {
		if w.vals[i] == nil && added != nil {
			w.vals[i] = added[i]
		}
		if w.vals[i] == nil {
			w.vals[i] = k.defaults[i]
		}
	}
	return true
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
