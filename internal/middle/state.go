package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// desc describes a tensor, or a scalar pointer, by scalars: a state for integers and pointers, a mask for
// booleans.
type desc interface {
	exprs() []expr        // the scalars it is made of, in a fixed order
	conds() []cond        // the conditions
	source() *source      // what pointers point into
	tensors() []*ir.Value // the tensors of the input that it refers to
	itself() *ir.Value    // the value described, when it is all that the description says
	undefined() bool      // nobody may look at the value
	// rebuild is the same form with other parts.
	rebuild(es []expr, cs []cond, src *source) desc
	// sameForm reports whether two descriptions differ in exprs, conds and source alone.
	sameForm(desc) bool
}

// source is memory that pointers point into: an argument of the kernel, an address that was computed or
// loaded, or what a loop or branch chose among several.
type source struct {
	root *ir.Value // the scalar pointer of the input that begins it, or nil
	sym  *symbol   // or what carries it
	elem ir.Type   // type of its elements in memory
}

func (s *source) inside(op *ir.Op) bool {
	if s.sym != nil {
		return s.sym.block.IsInside(op)
	}
	return s.root.Block().IsInside(op)
}

// state describes a tensor of integers, or of pointers into one source: the element at i0, i1, … is off
// plus, for each dimension, what its dim says of i. For pointers it is the distance from the source in
// elements.
type state struct {
	shape []int64
	ptr   bool
	src   *source // base of pointers; nil when they are absolute addresses
	off   expr
	dims  []dim

	// off and dims say nothing: the elements are data (distances, or absolute addresses in bytes)
	opaque bool
	self   *ir.Value // the value that this describes, when its elements are data
	bottom bool      // undefined
	loose  bool      // equal to the value only if nothing overflows: good for addresses, not for data
	apart  bool      // off is carried as its shares along the dimensions
}

// dim is one dimension's part: i*stride, plus at most one of the others. Its share of off is what belongs to
// it rather than to another dimension, as far as the operations tell; the shares add up to off.
type dim struct {
	share  expr
	stride expr
	wrap   *wrap
	index  *index
	split  *split
}

// wrap is ((start + i) % mod) * scale.
type wrap struct {
	start, mod, scale expr
	unsigned          bool
}

// index is v[i] * scale, where v is a tensor and i counts along its only dimension that is not of size one.
type index struct {
	v     *ir.Value
	axis  int
	scale expr
}

func (d dim) plain() bool { return d.wrap == nil && d.index == nil && d.split == nil }
func (d dim) zero() bool  { return d.plain() && d.stride.is(0) }

// uniform reports whether all elements are equal, to off.
func (s *state) uniform() bool {
	return !s.opaque && !s.bottom && !slices.ContainsFunc(s.dims, func(d dim) bool { return !d.zero() })
}

// known reports whether the state says more than that the elements are data.
func (s *state) known() bool { return !s.opaque && !s.bottom }

// isInt reports whether tensors of the type are described as integers.
func isInt(elem ir.Type) bool { return elem == ir.I32 || elem == ir.I64 }

func newState(t ir.Type, off expr) *state {
	s := &state{shape: ir.ShapeOf(t), off: off, ptr: tt.IsPtrLike(t)}
	s.dims = make([]dim, len(s.shape))
	if len(s.dims) > 0 {
		s.dims[0].share = off
	}
	return s
}

// shared returns dimensions that have no share of an offset, but for the first, which has all of it.
func shared(dims []dim, off expr) []dim {
	out := slices.Clone(dims)
	for d := range out {
		out[d].share = expr{}
	}
	if len(out) > 0 {
		out[0].share = off
	}
	return out
}

// selfState says of a value that its elements are data. A tensor with one dimension of more than one element
// can still be part of a larger description.
func (a *analysis) selfState(v *ir.Value, src *source) *state {
	s := newState(v.Type, expr{})
	s.self, s.src = v, src
	axis, n := longAxis(s.shape)
	switch {
	case n > 1 || s.ptr && src == nil || len(s.shape) == 0 || !s.ptr && !isInt(ir.ElemOf(v.Type)):
		s.opaque = true
	case n == 0:
		s.off = a.other(atom{kind: atomFirst, v: v})
		s.dims = shared(s.dims, s.off)
	default:
		s.dims[axis].index = &index{v, axis, constant(1)}
	}
	return s
}

// longAxis returns the last dimension that has more than one element, and how many such there are.
func longAxis(shape []int64) (axis, n int) {
	for d, size := range shape {
		if size != 1 {
			axis = d
			n++
		}
	}
	return axis, n
}

// addStates returns the elementwise sum, or nil when it has no description.
func (a *analysis) addStates(x, y *state, k int64) *state {
	if !x.known() || !y.known() || x.ptr && y.ptr {
		return nil
	}
	out := &state{shape: x.shape, ptr: x.ptr || y.ptr, src: x.src, off: x.off.plus(y.off, k),
		loose: x.loose || y.loose}
	if y.ptr {
		out.src = y.src
	}
	for i := range x.dims {
		d, ok := x.dims[i].plus(y.dims[i], k)
		if !ok {
			return nil
		}
		out.dims = append(out.dims, d)
	}
	return out
}

// plus returns the sum of two parts of one dimension, when that is of the form of one.
func (d dim) plus(e dim, k int64) (dim, bool) {
	out := d
	out.share, out.stride = d.share.plus(e.share, k), d.stride.plus(e.stride, k)
	switch {
	case e.plain():
	case d.plain() && e.split != nil:
		out.split = e.split.scaled(func(x expr) expr { return x.scale(k) })
	case d.split != nil && e.split != nil && d.split.lo.equal(e.split.lo) && d.split.hi.equal(e.split.hi):
		out.split = d.split.plus(e.split, k)
	case d.plain() && e.wrap != nil:
		w := *e.wrap
		w.scale = w.scale.scale(k)
		out.wrap = &w
	case d.plain() && e.index != nil:
		x := *e.index
		x.scale = x.scale.scale(k)
		out.index = &x
	case d.index != nil && e.index != nil && d.index.v == e.index.v:
		out.index = &index{d.index.v, d.index.axis, d.index.scale.plus(e.index.scale, k)}
	case d.wrap != nil && e.wrap != nil && d.wrap.start.equal(e.wrap.start) && d.wrap.mod.equal(e.wrap.mod) &&
		d.wrap.unsigned == e.wrap.unsigned:
		w := *d.wrap
		w.scale = w.scale.plus(e.wrap.scale, k)
		out.wrap = &w
	default:
		return dim{}, false
	}
	return out, true
}

// scaled returns x with all elements multiplied by a scalar.
func (a *analysis) scaled(x *state, by expr) *state {
	if !x.known() || x.ptr {
		return nil
	}
	out := &state{shape: x.shape, off: a.mul(x.off, by), loose: x.loose}
	for _, d := range x.dims {
		e := dim{share: a.mul(d.share, by), stride: a.mul(d.stride, by)}
		if d.wrap != nil {
			w := *d.wrap
			w.scale = a.mul(w.scale, by)
			e.wrap = &w
		}
		if d.index != nil {
			e.index = &index{d.index.v, d.index.axis, a.mul(d.index.scale, by)}
		}
		if d.split != nil {
			e.split = d.split.scaled(func(x expr) expr { return a.mul(x, by) })
		}
		out.dims = append(out.dims, e)
	}
	return out
}

// wrapped returns the remainder of x by a scalar. Only a plain count wraps into few pieces.
func (a *analysis) wrapped(x *state, mod expr, unsigned bool) *state {
	if !x.known() || x.ptr {
		return nil
	}
	if x.uniform() {
		if unsigned {
			return nil
		}
		off := a.rem(x.off, mod)
		return &state{shape: x.shape, off: off, dims: shared(x.dims, off), loose: x.loose}
	}
	active := -1
	for i, d := range x.dims {
		switch {
		case d.zero():
		case active >= 0 || !d.plain() || !d.stride.is(1):
			return nil
		default:
			active = i
		}
	}
	if within(x.off, x.shape[active], mod) {
		return x
	}
	out := &state{shape: x.shape, dims: shared(x.dims, expr{}), loose: x.loose}
	out.dims[active] = dim{wrap: &wrap{start: x.off, mod: mod, scale: constant(1), unsigned: unsigned}}
	return out
}

// within reports whether start, … start+n-1 are known to lie in [0, mod).
func within(start expr, n int64, mod expr) bool {
	s, ok1 := start.isConst()
	m, ok2 := mod.isConst()
	return ok1 && ok2 && s >= 0 && s+n <= m
}

// expanded returns x with a dimension of size one put in.
func (s *state) expanded(shape []int64, axis int) *state {
	out := *s
	out.shape, out.self = shape, nil
	out.dims = slices.Insert(slices.Clone(s.dims), axis, dim{})
	return &out
}

// spread returns x repeated along its dimensions of size one, whose parts are zero.
func (s *state) spread(shape []int64) *state {
	out := *s
	out.shape, out.self = shape, nil
	return &out
}

func (s *state) permuted(shape, order []int64) *state {
	out := *s
	out.shape, out.self, out.dims = shape, nil, nil
	for _, d := range order {
		out.dims = append(out.dims, s.dims[d])
	}
	return &out
}

// reshaped returns x in another shape, or nil when the steps along some dimension are not even.
func (a *analysis) reshaped(x *state, shape []int64) *state {
	groups, ok := regroup(x.shape, shape)
	if !ok || !x.known() {
		return nil
	}
	out := *x
	out.shape, out.self, out.dims = shape, nil, make([]dim, len(shape))
	for _, g := range groups {
		if !out.regroup(x, g) {
			return nil
		}
	}
	out.dims = shared(out.dims, expr{})
	for _, g := range groups {
		out.keepShares(x, g)
	}
	return &out
}

// group is runs of dimensions before and after a reshape that hold the same elements.
type group struct{ from, to []int }

// regroup pairs runs of dimensions of the same number of elements, each as short as can be.
func regroup(from, to []int64) ([]group, bool) {
	var out []group
	i, j := 0, 0
	for i < len(from) || j < len(to) {
		g := group{}
		n, m := int64(1), int64(1)
		for first := true; first || n != m; first = false {
			switch {
			case n <= m && i < len(from) && (n < m || first):
				n *= from[i]
				g.from = append(g.from, i)
				i++
			case j < len(to):
				m *= to[j]
				g.to = append(g.to, j)
				j++
			case i < len(from):
				n *= from[i]
				g.from = append(g.from, i)
				i++
			default:
				return nil, false
			}
		}
		out = append(out, g)
	}
	return out, true
}

// regroup gives the dimensions of one group their parts.
func (s *state) regroup(x *state, g group) bool {
	long := slices.DeleteFunc(slices.Clone(g.from), func(i int) bool { return x.shape[i] == 1 })
	to := slices.DeleteFunc(slices.Clone(g.to), func(j int) bool { return s.shape[j] == 1 })
	if len(long) == 1 && len(to) == 1 {
		s.dims[to[0]] = x.dims[long[0]]
		return true
	}
	step := expr{} // of the whole group as one dimension
	n := int64(1)
	for k := len(long) - 1; k >= 0; k-- {
		d := x.dims[long[k]]
		if !d.plain() {
			return false
		}
		if k == len(long)-1 {
			step = d.stride
		} else if !d.stride.equal(step.scale(n)) {
			return false
		}
		n *= x.shape[long[k]]
	}
	n = 1
	for k := len(to) - 1; k >= 0; k-- {
		s.dims[to[k]] = dim{stride: step.scale(n)}
		n *= s.shape[to[k]]
	}
	return true
}

// keepShares gives the first dimension of a group what the group's dimensions had of the offset.
func (s *state) keepShares(x *state, g group) {
	first := 0
	if len(g.to) > 0 {
		first = g.to[0]
	}
	for _, i := range g.from {
		s.dims[first].share = s.dims[first].share.add(x.dims[i].share)
	}
}

func (s *state) exprs() []expr {
	if !s.known() {
		return nil
	}
	out := []expr{s.off}
	if s.apart && len(s.dims) > 0 {
		out = nil
	}
	for _, d := range s.dims {
		if s.apart {
			out = append(out, d.share)
		}
		out = append(out, d.stride)
		if d.wrap != nil {
			out = append(out, d.wrap.start, d.wrap.mod, d.wrap.scale)
		}
		if d.index != nil {
			out = append(out, d.index.scale)
		}
		if d.split != nil {
			out = append(out, d.split.exprs()...)
		}
	}
	return out
}

func (s *state) rebuild(es []expr, _ []cond, src *source) desc {
	out := *s
	out.src, out.self = src, nil
	if !s.known() {
		out.self = s.self
		return &out
	}
	next := func() expr { e := es[0]; es = es[1:]; return e }
	if s.apart && len(s.dims) > 0 {
		out.off = expr{}
	} else {
		out.off = next()
	}
	out.dims = slices.Clone(s.dims)
	for i := range out.dims {
		d := &out.dims[i]
		if s.apart {
			d.share = next()
			out.off = out.off.add(d.share)
		}
		d.stride = next()
		if d.wrap != nil {
			d.wrap = &wrap{next(), next(), next(), d.wrap.unsigned}
		}
		if d.index != nil {
			d.index = &index{d.index.v, d.index.axis, next()}
		}
		if d.split != nil {
			d.split = &split{next(), next(), line{next(), next()}, line{next(), next()}}
		}
	}
	return &out
}

func (s *state) sameForm(o desc) bool {
	t, ok := o.(*state)
	if !ok || s.opaque || t.opaque || s.bottom || t.bottom {
		return false
	}
	return (s.src == nil) == (t.src == nil) && slices.EqualFunc(s.dims, t.dims, func(d, e dim) bool {
		return (d.wrap == nil) == (e.wrap == nil) && (d.wrap == nil || d.wrap.unsigned == e.wrap.unsigned) &&
			(d.split == nil) == (e.split == nil) && (d.index == nil) == (e.index == nil) &&
			(d.index == nil || d.index.v == e.index.v && d.index.axis == e.index.axis)
	})
}

func (s *state) tensors() []*ir.Value {
	if s.opaque {
		return []*ir.Value{s.self}
	}
	out := tensorsOf(s.exprs())
	for _, d := range s.dims {
		if d.index != nil {
			out = append(out, d.index.v)
		}
	}
	return out
}

// tensorsOf returns the tensors whose element an expr takes.
func tensorsOf(es []expr) []*ir.Value {
	var out []*ir.Value
	for _, e := range es {
		e.leaves(func(a *atom) {
			if a.kind == atomFirst {
				out = append(out, a.v)
			}
		})
	}
	return out
}

func (s *state) conds() []cond     { return nil }
func (s *state) source() *source   { return s.src }
func (s *state) itself() *ir.Value { return s.self }
func (s *state) undefined() bool   { return s.bottom }
