package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
)

// split is two lines: in for i in [lo, hi), out for all other i. It is what a choice by bounds makes, or the
// smaller or larger of two:
//
//	tl.where(rows < M, rows, 0)    tl.minimum(rows, M - 1)
//
// An access along such a dimension is up to three pieces.
type split struct {
	lo, hi  expr
	in, out line
}

// line is off + i*step.
type line struct{ off, step expr }

func (s *split) exprs() []expr {
	return []expr{s.lo, s.hi, s.in.off, s.in.step, s.out.off, s.out.step}
}

// scaled returns a split whose lines are multiplied.
func (s *split) scaled(f func(expr) expr) *split {
	return &split{s.lo, s.hi, line{f(s.in.off), f(s.in.step)}, line{f(s.out.off), f(s.out.step)}}
}

// plus returns the sum of two splits at the same places.
func (s *split) plus(t *split, k int64) *split {
	return &split{
		s.lo, s.hi,
		line{s.in.off.plus(t.in.off, k), s.in.step.plus(t.in.step, k)},
		line{s.out.off.plus(t.out.off, k), s.out.step.plus(t.out.step, k)},
	}
}

// chosen returns x where a mask holds and y elsewhere, or nil: the mask must be bounds along one dimension,
// and integers must differ along no other.
func (a *analysis) chosen(m *mask, x, y *state) *state {
	if m == nil || m.bottom || len(m.cs)+len(m.rest) > 0 || !x.known() || !y.known() || x.ptr || y.ptr {
		return nil
	}
	active := -1
	for d, b := range m.dims {
		switch n := len(b.lo) + len(b.hi); {
		case n == 0:
		case active >= 0 || len(b.lo) > 1 || len(b.hi) > 1:
			return nil
		default:
			active = d
		}
	}
	if active < 0 {
		return nil
	}
	// a comparison that overflows is another
	out := &state{shape: x.shape, dims: make([]dim, len(x.dims)), loose: true}
	for d := range x.dims {
		if !x.dims[d].plain() || !y.dims[d].plain() || d != active &&
			!x.dims[d].stride.equal(y.dims[d].stride) {
			return nil
		}
		out.dims[d].stride = x.dims[d].stride
	}
	s := &split{lo: constant(0), hi: constant(x.shape[active]), in: line{x.off, x.dims[active].stride},
		out: line{y.off, y.dims[active].stride}}
	for _, e := range m.dims[active].lo {
		s.lo = e
	}
	for _, e := range m.dims[active].hi {
		s.hi = e
	}
	out.dims[active] = dim{split: s}
	return out
}

// stateExtreme: the larger or smaller of two lines is one of them up to where they meet.
func stateExtreme(larger bool) func(a *analysis, op *ir.Op) *state {
	return func(a *analysis, op *ir.Op) *state {
		x, y := a.stateOf(op.Operand(0)), a.stateOf(op.Operand(1))
		m := a.below(newMask(op.Result(0).Type), y, x, 0) // where x is the larger
		if larger {
			return a.chosen(m, x, y)
		}
		return a.chosen(m, y, x)
	}
}

// splits visits the pieces of a dimension that is split.
func (w *walk) splits(d int) {
	c, x := w.c, w.a.addr.dims[d].split
	zero, size := c.index(0), c.index(w.a.shape[d])
	inside := func(e expr) *ir.Value {
		return c.calc(arith.MaxSI, c.calc(arith.MinSI, c.expr(e), size), zero)
	}
	lo, hi := zero, size
	if k, ok := x.lo.isConst(); !ok || k > 0 {
		lo = inside(x.lo)
	}
	if k, ok := x.hi.isConst(); !ok || k < w.a.shape[d] {
		hi = inside(x.hi)
		if lo != zero {
			hi = c.calc(arith.MaxSI, hi, lo)
		}
	}
	if lo != zero {
		w.segment(d, zero, lo, x.out)
	}
	w.segment(d, lo, hi, x.in)
	if hi != size {
		w.segment(d, hi, size, x.out)
	}
}

// segment emits the part of a dimension between two indices, which lies on one line.
func (w *walk) segment(d int, from, to *ir.Value, l line) {
	c := w.c
	n := c.calc(arith.SubI, to, from)
	if w.n[d] != nil {
		first := w.lo[d]
		if first == nil {
			first = c.index(0)
		} else {
			from = c.calc(arith.MaxSI, from, first)
		}
		to = c.calc(arith.MinSI, to, c.calc(arith.AddI, first, w.n[d]))
		n = c.calc(arith.MaxSI, c.calc(arith.SubI, to, from), c.index(0))
	}
	if k, ok := arith.IntOf(n); ok && k == 0 {
		return
	}
	saved := *w
	w.off = c.calc(arith.AddI, w.off, c.expr(l.off))
	w.stride, w.lo, w.n = cloned(w.stride), cloned(w.lo), cloned(w.n)
	w.stride[d] = w.stride[d].add(l.step)
	w.lo[d], w.n[d] = from, n
	w.dim(d + 1)
	*w = saved
}

// splitAt returns the part that index i of a split dimension has, in an integer type. The scalars are
// computed first, outside the loop nest that the function it returns is called in.
func (c *converter) splitAt(x *split, t ir.Type) func(i *ir.Value) *ir.Value {
	lo, hi := c.scalar(x.lo, t), c.scalar(x.hi, t)
	var parts [2][2]*ir.Value
	for k, l := range []line{x.in, x.out} {
		parts[k] = [2]*ir.Value{c.scalar(l.off, t), c.scalar(l.step, t)}
	}
	return func(i *ir.Value) *ir.Value {
		in := c.both(c.compare(arith.SGE, i, lo), c.compare(arith.SLT, i, hi))
		off := c.b.Val(arith.Select, t, in, parts[0][0], parts[1][0])
		step := c.b.Val(arith.Select, t, in, parts[0][1], parts[1][1])
		return c.b.Val(arith.AddI, t, off, c.b.Val(arith.MulI, t, i, step))
	}
}
