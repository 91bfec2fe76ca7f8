package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// access describes a load, store or atomic: where each element of the block lies in memory.
type access struct {
	shape []int64
	elem  ir.Type // element type of the values
	addr  *state
	mask  *mask // nil for none

	full bool // the mask excludes nothing
	none bool // the mask excludes everything
	lo   []*ir.Value
	len  []*ir.Value // nil entries: the whole dimension, from zero
	when *ir.Value   // for a mask that is a scalar; nil for always
}

// piece is a part of the block that lies evenly in memory: the rest of an access once loops have been written
// around it.
type piece struct {
	block box               // in the block
	src   *ir.Value         // the buffer, or nil when addr says all
	off   *ir.Value         // distance of the block's first element, in elements
	size  []int64           // size of the block along the dimensions that are left
	step  []indexlist.Entry // strides along them
	addr  *ir.Value         // the address of a single element, when there is no source
}

// access prepares the access of a block through pointers.
func (c *converter) access(ptr, maskv *ir.Value) *access {
	return c.accessAt(c.stateOf(ptr), ir.ElemOf(tt.Pointee(ptr.Type)), maskv)
}

// accessAt prepares the access of a block of elements at an address.
func (c *converter) accessAt(addr *state, elem ir.Type, maskv *ir.Value) *access {
	a := &access{shape: addr.shape, addr: addr, elem: elem, full: true}
	a.lo, a.len = make([]*ir.Value, len(a.shape)), make([]*ir.Value, len(a.shape))
	if maskv == nil {
		return a
	}
	if _, tensor := maskv.Type.(*ir.TensorType); !tensor {
		a.when = c.val(maskv)
		a.full = false
		return a
	}
	a.mask = c.maskOf(maskv)
	c.bound(a)
	return a
}

// bound turns the mask's bounds and conditions into a box. A condition that fails makes it empty.
func (c *converter) bound(a *access) {
	for d, b := range a.mask.dims {
		if len(b.lo)+len(b.hi) == 0 {
			continue
		}
		lo, n := c.clamp(b, a.shape[d])
		k, known := arith.IntOf(n)
		if !known || k != a.shape[d] {
			a.lo[d], a.len[d], a.full = lo, n, false
		}
		a.none = a.none || known && k == 0
	}
	a.full = a.full && len(a.mask.cs)+len(a.mask.rest) == 0
	if all := c.all(a.mask.cs); all != nil {
		if a.len[0] == nil {
			a.len[0] = c.index(a.shape[0])
		}
		a.len[0] = c.b.Val(arith.Select, ir.Index, all, a.len[0], c.index(0))
	}
}

// clamp limits bounds to [0, size): it returns the first index, nil for zero, and the number of indices.
func (c *converter) clamp(b bounds, size int64) (lo, n *ir.Value) {
	top := c.index(size)
	for _, e := range b.hi {
		if k, ok := e.isConst(); ok && k >= size {
			continue
		}
		top = c.calc(arith.MinSI, c.expr(e), top)
	}
	for _, e := range b.lo {
		if k, ok := e.isConst(); ok && k <= 0 {
			continue
		}
		if lo == nil {
			lo = c.index(0)
		}
		lo = c.calc(arith.MaxSI, c.expr(e), lo)
	}
	if lo == nil {
		return nil, c.calc(arith.MaxSI, top, c.index(0))
	}
	lo = c.calc(arith.MinSI, lo, c.index(size))
	return lo, c.calc(arith.MaxSI, c.calc(arith.SubI, top, lo), c.index(0))
}

// scattered reports whether each element needs an access of its own.
func (a *access) scattered() bool {
	if a.addr.opaque {
		return true
	}
	if a.mask != nil {
		for _, r := range a.mask.rest {
			if r.dim < 0 {
				return true
			}
		}
	}
	return false
}

// pieces writes the loops that an access needs, and calls f for the evenly spaced piece inside them: once for
// each wrap-around and each index along dimensions that are data, and for each element when alone says so or
// nothing is known.
func (c *converter) pieces(a *access, alone bool, f func(p piece)) {
	if a.none {
		return
	}
	if a.when != nil {
		c.ifThen(a.when, func() { c.loops(a, alone, f) })
		return
	}
	c.loops(a, alone, f)
}

func (c *converter) loops(a *access, alone bool, f func(p piece)) {
	w := &walk{c: c, a: a, f: f, each: make([]bool, len(a.shape)), at: make([]*ir.Value, len(a.shape))}
	w.lo, w.n, w.stride = append(w.lo, a.lo...), append(w.n, a.len...), make([]expr, len(a.shape))
	scattered := alone || a.scattered()
	for d := range a.shape {
		w.each[d] = scattered
		if !a.addr.opaque {
			x := a.addr.dims[d]
			w.stride[d] = x.stride
			w.each[d] = scattered || x.index != nil
		}
	}
	if a.mask != nil {
		for _, r := range a.mask.rest {
			if r.dim >= 0 {
				w.each[r.dim] = true
			}
		}
	}
	if !a.addr.opaque {
		w.off = c.expr(a.addr.off)
	}
	w.dim(0)
}

// walk writes the loops of one access, outer dimensions first.
type walk struct {
	c      *converter
	a      *access
	f      func(p piece)
	each   []bool      // dimensions along which each index is visited by itself
	at     []*ir.Value // the indices along them
	lo, n  []*ir.Value // the box along the others
	stride []expr
	off    *ir.Value
}

// dim writes what dimension d needs, and all inside.
func (w *walk) dim(d int) {
	switch {
	case d == len(w.a.shape):
		w.checked(0)
	case w.each[d]:
		w.loop(d)
	case w.a.addr.dims[d].wrap != nil:
		w.turns(d)
	case w.a.addr.dims[d].split != nil:
		w.splits(d)
	default:
		w.dim(d + 1)
	}
}

// loop visits the indices of a dimension.
func (w *walk) loop(d int) {
	c := w.c
	lo, hi := w.lo[d], w.n[d]
	switch {
	case hi == nil:
		lo, hi = c.index(0), c.index(w.a.shape[d])
	case lo == nil:
		lo = c.index(0)
	default:
		hi = c.calc(arith.AddI, lo, hi)
	}
	c.forEach(lo, hi, func(i *ir.Value) {
		w.at[d] = i
		before := w.off
		if !w.a.addr.opaque {
			w.off = w.moved(d, i)
		}
		w.dim(d + 1)
		w.off = before
	})
}

// moved returns the distance of index i along dimension d.
func (w *walk) moved(d int, i *ir.Value) *ir.Value {
	c, x := w.c, w.a.addr.dims[d]
	off := w.off
	add := func(v *ir.Value, scale expr) {
		if !scale.is(1) {
			v = c.calc(arith.MulI, v, c.expr(scale))
		}
		off = c.calc(arith.AddI, off, v)
	}
	if !x.stride.is(0) {
		add(i, x.stride)
	}
	switch {
	case x.index != nil:
		add(c.toIndex(c.elementAlong(x.index.v, x.index.axis, i)), x.index.scale)
	case x.split != nil:
		add(c.splitAt(x.split, ir.Index)(i), constant(1))
	case x.wrap != nil:
		sum := c.calc(arith.AddI, c.expr(x.wrap.start), i)
		add(c.calc(remainder(x.wrap), sum, c.expr(x.wrap.mod)), x.wrap.scale)
	}
	return off
}

func remainder(w *wrap) *ir.OpDef {
	if w.unsigned {
		return arith.RemUI
	}
	return arith.RemSI
}

// elementAlong returns element i of a tensor of the input along its only long dimension.
func (c *converter) elementAlong(v *ir.Value, axis int, i *ir.Value) *ir.Value {
	t := c.val(v)
	at := make([]*ir.Value, len(ir.ShapeOf(t.Type)))
	for d := range at {
		at[d] = i
		if d != axis {
			at[d] = c.index(0)
		}
	}
	return c.extract(t, at)
}

// turns visits the pieces of a dimension that wraps around: index i is at row (start + i) % mod, so turn t is
// the indices from t*mod - start on, the first one cut off at zero and the last at the end of the block. Rows
// have the sign of start + i: the turns of negative ones are counted down from -1, and turn zero has both.
func (w *walk) turns(d int) {
	c, x := w.c, w.a.addr.dims[d].wrap
	mod, start, zero := c.expr(x.mod), c.expr(x.start), c.index(0)
	mod = c.calc(arith.MaxSI, mod, c.calc(arith.SubI, zero, mod)) // its sign says nothing
	lo, hi := w.lo[d], w.n[d]
	switch {
	case hi == nil:
		hi = c.index(w.a.shape[d])
	case lo != nil:
		hi = c.calc(arith.AddI, lo, hi)
	}
	if lo == nil {
		lo = zero
	}
	first := c.calc(arith.DivSI, start, mod)
	last := c.calc(arith.DivSI, c.calc(arith.SubI, c.calc(arith.AddI, start, hi), c.index(1)), mod)
	turns := c.calc(arith.AddI, c.calc(arith.SubI, last, first), c.index(1))
	c.forEach(zero, turns, func(i *ir.Value) {
		t := c.calc(arith.AddI, first, i)
		origin := c.calc(arith.SubI, c.calc(arith.MulI, t, mod), start) // the index at row zero
		begin := c.b.Val(arith.Select, ir.Index, c.compare(arith.SGT, t, zero), origin,
			c.calc(arith.AddI, c.calc(arith.SubI, origin, mod), c.index(1)))
		end := c.b.Val(arith.Select, ir.Index, c.compare(arith.SLT, t, zero),
			c.calc(arith.AddI, origin, c.index(1)), c.calc(arith.AddI, origin, mod))
		from := c.calc(arith.MaxSI, begin, lo)
		n := c.calc(arith.MaxSI, c.calc(arith.SubI, c.calc(arith.MinSI, end, hi), from), zero)
		saved := *w
		shift := c.calc(arith.MulI, origin, c.expr(x.scale))
		w.off = c.calc(arith.SubI, w.off, shift)
		w.stride, w.lo, w.n = cloned(w.stride), cloned(w.lo), cloned(w.n)
		w.stride[d] = w.stride[d].add(x.scale)
		w.lo[d], w.n[d] = from, n
		w.dim(d + 1)
		*w = saved
	})
}

func cloned[T any](s []T) []T { return append([]T(nil), s...) }

// checked puts the piece under the conditions that are data.
func (w *walk) checked(i int) {
	c := w.c
	if w.a.mask == nil || i == len(w.a.mask.rest) {
		w.f(w.piece())
		return
	}
	r := w.a.mask.rest[i]
	var k *ir.Value
	if r.dim < 0 {
		k = c.extract(c.val(r.v), w.at)
	} else {
		k = c.elementAlong(r.v, r.axis, w.at[r.dim])
	}
	c.ifThen(k, func() { w.checked(i + 1) })
}

// piece returns the part of the access that one turn of all loops covers.
func (w *walk) piece() piece {
	c, a := w.c, w.a
	p := piece{off: w.off, block: box{fixed: cloned(w.each)}}
	for d, size := range a.shape {
		off, n := indexlist.Entry{}, indexlist.Entry{Const: size}
		switch {
		case w.each[d]:
			off, n = indexlist.Entry{Value: w.at[d]}, indexlist.Entry{Const: 1}
		case w.n[d] != nil:
			n = entryOf(w.n[d])
			if w.lo[d] != nil {
				off = entryOf(w.lo[d])
			}
		}
		p.block.offsets, p.block.sizes = append(p.block.offsets, off), append(p.block.sizes, n)
		if !w.each[d] {
			p.size = append(p.size, size)
			step := c.entry(w.stride[d])
			if size == 1 && step.IsConst(0) {
				step.Const = 1
			}
			p.step = append(p.step, step)
		}
	}
	if a.addr.opaque {
		data := c.extract(c.val(a.addr.self), w.at)
		if a.addr.src == nil {
			p.addr = data
			return p
		}
		p.off = c.toIndex(data)
		if !a.addr.off.is(0) {
			p.off = c.calc(arith.AddI, p.off, c.expr(a.addr.off))
		}
	}
	p.src = c.memory(a.addr.src)
	return p
}

// forEach emits a loop over the indices from lo up to hi.
func (c *converter) forEach(lo, hi *ir.Value, body func(i *ir.Value)) {
	op := scf.NewFor(c.b, lo, hi, c.index(1), nil)
	c.within(op.Body(0), func() {
		body(op.Body(0).Arg(0))
		scf.MakeYield(c.b)
	})
}

// ifThen emits a branch that runs the body under a condition.
func (c *converter) ifThen(k *ir.Value, body func()) {
	op := scf.NewIf(c.b, k, nil, false)
	c.within(op.Body(0), func() {
		body()
		scf.MakeYield(c.b)
	})
}

// view returns a buffer for a piece in memory, with the shape of its remaining dimensions or of one element.
func (c *converter) view(p piece, elem ir.Type) *ir.Value {
	if p.addr != nil {
		p.src, p.off = c.bufferAt(p.addr, elem), nil
	}
	size, step := p.size, p.step
	if len(size) == 0 {
		size, step = []int64{1}, []indexlist.Entry{{Const: 1}}
	}
	off := indexlist.Entry{}
	if p.off != nil {
		off = entryOf(p.off)
	}
	whole := c.reinterpret(p.src, off, size, step)
	if len(p.size) == 0 || p.block.covers(size) {
		return whole
	}
	return c.subview(whole, p.block.left())
}

// covers reports whether the box, without its fixed dimensions, is all of a shape.
func (x box) covers(shape []int64) bool {
	left := x.left()
	if len(left.sizes) != len(shape) {
		return false
	}
	for d, n := range shape {
		if !left.offsets[d].IsConst(0) || !left.sizes[d].IsConst(n) {
			return false
		}
	}
	return true
}

// left returns the box without its fixed dimensions.
func (x box) left() box {
	var out box
	for d := range x.sizes {
		if x.fixed == nil || !x.fixed[d] {
			out.offsets, out.sizes = append(out.offsets, x.offsets[d]), append(out.sizes, x.sizes[d])
		}
	}
	return out
}

// reinterpret emits a memref.reinterpret_cast of memory to a block.
func (c *converter) reinterpret(src *ir.Value, off indexlist.Entry, size []int64,
	step []indexlist.Entry) *ir.Value {
	if off.Value == nil && off.Const < 0 { // which MLIR does not take as a constant
		off = indexlist.Entry{Value: c.index(off.Const)}
	}
	offs, offAttr := indexlist.Split([]indexlist.Entry{off})
	sizes, sizeAttr := indexlist.Split(indexlist.Consts(size...))
	steps, stepAttr := indexlist.Split(step)
	layout := ir.StridedLayout(offAttr.Values[0], stepAttr.Values...)
	t := ir.MemRef(size, ir.ElemOf(src.Type), layout, nil)
	return c.b.Groups(memref.ReinterpretCast, [][]*ir.Value{{src}, offs, sizes, steps}, []ir.Type{t},
		ir.A("static_offsets", offAttr), ir.A("static_sizes", sizeAttr),
		ir.A("static_strides", stepAttr)).Result(0)
}

// subview emits a memref.subview.
func (c *converter) subview(buf *ir.Value, x box) *ir.Value {
	t := buf.Type.(*ir.MemRefType)
	lists, attrs := x.lists()
	offset, strides := layoutOf(t)
	var left []int64
	for d, s := range strides {
		switch {
		case x.offsets[d].IsConst(0) || s == 0:
		case offset == ir.Dynamic || s == ir.Dynamic || x.offsets[d].Value != nil:
			offset = ir.Dynamic
		default:
			offset += s * x.offsets[d].Const
		}
		if x.fixed == nil || !x.fixed[d] {
			left = append(left, s)
		}
	}
	out := ir.MemRef(x.shape(), t.Elem, ir.StridedLayout(offset, left...), nil)
	return c.b.Groups(memref.SubView, append([][]*ir.Value{{buf}}, lists...), []ir.Type{out},
		attrs...).Result(0)
}

// layoutOf returns the offset and strides of a buffer's type.
func layoutOf(t *ir.MemRefType) (offset int64, strides []int64) {
	if l, ok := t.Layout.(*ir.StridedLayoutAttr); ok {
		return l.Offset, l.Strides
	}
	strides = make([]int64, len(t.Shape))
	n := int64(1)
	for d := len(t.Shape) - 1; d >= 0; d-- {
		strides[d] = n
		n *= t.Shape[d]
	}
	return 0, strides
}
