package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// memoryOps are loads and stores.
var memoryOps = table{
	tt.Load:  convertLoad,
	tt.Store: convertStore,
}

func (c *converter) alloc(shape []int64, elem ir.Type) *ir.Value {
	t := ir.MemRef(shape, elem, nil, nil)
	return c.b.Groups(memref.Alloc, [][]*ir.Value{nil, nil}, []ir.Type{t}).Result(0)
}

// toTensor returns the contents of a buffer that nothing writes any more.
func (c *converter) toTensor(buf *ir.Value) *ir.Value {
	t := buf.Type.(*ir.MemRefType)
	return c.b.ValA(bufferization.ToTensor, ir.Tensor(t.Shape, t.Elem, nil),
		[]ir.NamedAttr{ir.A("restrict", ir.Unit), ir.A("writable", ir.Unit)}, buf)
}

// materialize writes a tensor to a buffer.
func (c *converter) materialize(t, buf *ir.Value) {
	c.b.Op(bufferization.MaterializeInDestination, []*ir.Value{t, buf}, nil, ir.A("writable", ir.Unit))
}

// fillBuffer writes a scalar to every place of a buffer.
func (c *converter) fillBuffer(v, buf *ir.Value) {
	c.b.Groups(linalg.Fill, [][]*ir.Value{{v}, {buf}}, nil)
}

func convertLoad(c *converter, op *ir.Op) {
	if _, tensor := op.Operand(0).Type.(*ir.TensorType); !tensor {
		c.loadScalar(op)
		return
	}
	c.loadTensor(c.access(op.Operand(0), op.Slot(1)), op.Slot(2), op.Result(0))
}

// loadTensor loads v, a tensor.
func (c *converter) loadTensor(a *access, other, v *ir.Value) {
	if c.addrUndefined(a) {
		c.setVal(v, c.fill(c.zero(dataElem(a.elem)), dataType(v.Type).(*ir.TensorType)))
		return
	}
	loaded := c.loadRepeated(a, other)
	c.setVal(v, c.asValues(loaded, dataElem(a.elem)))
}

// addrUndefined reports whether the pointers are undefined, so that no access may use them.
func (c *converter) addrUndefined(a *access) bool { return a.addr.bottom }

// memElem returns the type that an access finds in memory.
func (a *access) memElem() ir.Type {
	if a.addr.src != nil {
		return a.addr.src.elem
	}
	return memoryElem(a.elem)
}

// loadRepeated loads a block. Where all indices along a dimension are one place in memory, that is loaded
// once.
func (c *converter) loadRepeated(a *access, other *ir.Value) *ir.Value {
	if !a.repeats(c, other) {
		return c.loadBlock(a, other)
	}
	small := &access{elem: a.elem, full: a.full, none: a.none,
		addr: &state{ptr: true, src: a.addr.src, off: a.addr.off}}
	if a.mask != nil {
		small.mask = &mask{}
	}
	var dropped []int64
	kept := make([]int, len(a.shape))
	for d, x := range a.addr.dims {
		if x.zero() && a.shape[d] > 1 {
			dropped = append(dropped, int64(d))
			continue
		}
		kept[d] = len(small.shape)
		small.shape = append(small.shape, a.shape[d])
		small.addr.dims = append(small.addr.dims, x)
		small.lo, small.len = append(small.lo, a.lo[d]), append(small.len, a.len[d])
	}
	if a.mask != nil {
		for _, r := range a.mask.rest {
			r.dim = kept[r.dim]
			small.mask.rest = append(small.mask.rest, r)
		}
	}
	small.addr.shape = small.shape
	t := ir.Tensor(a.shape, a.memElem(), nil)
	if len(small.shape) == 0 {
		return c.fill(c.loadOne(small.addr), t)
	}
	return c.broadcast(c.loadBlock(small, other), t, dropped)
}

// repeats reports whether a load can be made smaller. The mask must not depend on the dimensions that would
// go.
func (a *access) repeats(c *converter, other *ir.Value) bool {
	if a.addr.opaque || a.scattered() {
		return false
	}
	if other != nil {
		if _, ok := c.uniformOf(other); !ok {
			return false
		}
	}
	some := false
	for d, x := range a.addr.dims {
		if !x.zero() || a.shape[d] == 1 {
			continue
		}
		if a.len[d] != nil || a.mask != nil && slices.ContainsFunc(a.mask.rest, func(r rest) bool {
			return r.dim == d
		}) {
			return false
		}
		some = true
	}
	return some
}

// loadBlock copies a block into a buffer of its own. What the mask excludes is other, or zero.
func (c *converter) loadBlock(a *access, other *ir.Value) *ir.Value {
	elem := a.memElem()
	buf := c.alloc(a.shape, elem)
	if !a.full {
		c.preset(a, buf, other)
	}
	c.pieces(a, false, func(p piece) {
		view := c.view(p, elem)
		if len(p.size) == 0 {
			c.store(c.loadElem(view), buf, p.block)
			return
		}
		dst := buf
		if !p.block.covers(a.shape) {
			dst = c.subview(buf, p.block)
		}
		c.b.Op(memref.Copy, []*ir.Value{view, dst}, nil)
	})
	return c.toTensor(buf)
}

// store puts an element into a buffer at the place that a box of one element is.
func (c *converter) store(v, buf *ir.Value, at box) {
	operands := []*ir.Value{v, buf}
	for _, e := range at.offsets {
		operands = append(operands, e.Value)
	}
	c.b.Op(memref.Store, operands, nil)
}

// loadElem returns the only element of a buffer.
func (c *converter) loadElem(view *ir.Value) *ir.Value {
	return c.b.Val(memref.Load, ir.ElemOf(view.Type), view, c.index(0))
}

// preset writes what a masked load gives outside the mask, unless the mask turns out to exclude nothing.
func (c *converter) preset(a *access, buf, other *ir.Value) {
	elem := ir.ElemOf(buf.Type)
	write := func() {
		if other == nil {
			c.fillBuffer(c.zero(elem), buf)
			return
		}
		if v, ok := c.uniform(other); ok {
			c.fillBuffer(c.toMemory(v, elem), buf)
			return
		}
		c.materialize(c.asMemory(c.val(other), elem), buf)
	}
	if a.when != nil || a.mask != nil && len(a.mask.rest) > 0 {
		write()
		return
	}
	var partial *ir.Value
	for d, n := range a.len {
		if n != nil {
			short := c.compare(arith.SLT, n, c.index(a.shape[d]))
			if partial == nil {
				partial = short
			} else {
				partial = c.b.Val(arith.OrI, ir.I1, partial, short)
			}
		}
	}
	c.ifThen(partial, write)
}

// loadOne loads the element that a scalar pointer points to.
func (c *converter) loadOne(s *state) *ir.Value {
	return c.loadElem(c.view(piece{src: c.memory(s.src), off: c.expr(s.off)}, s.src.elem))
}

// loadScalar loads through a scalar pointer.
func (c *converter) loadScalar(op *ir.Op) {
	c.loadAt(c.stateOf(op.Operand(0)), op.Slot(1), op.Slot(2), op.Result(0))
}

// loadAt loads v, a scalar, through a scalar pointer.
func (c *converter) loadAt(s *state, mask, other, v *ir.Value) {
	elem := dataElem(ir.ElemOf(v.Type))
	load := func() *ir.Value {
		if s.bottom {
			return c.zero(elem)
		}
		return c.fromMemory(c.loadOne(s), elem)
	}
	x := (*ir.Value)(nil)
	if mask == nil {
		x = load()
	} else {
		x = c.choose(c.val(mask), elem, load, func() *ir.Value {
			if other != nil && !tt.IsPtr(other.Type) {
				return c.val(other)
			}
			return c.zero(elem)
		})
	}
	if tt.IsPtr(v.Type) {
		c.root(v, x)
		return
	}
	c.setVal(v, x)
}

// choose returns one of two values and computes only that one.
func (c *converter) choose(k *ir.Value, t ir.Type, then, otherwise func() *ir.Value) *ir.Value {
	op := scf.NewIf(c.b, k, []ir.Type{t}, true)
	for i, f := range []func() *ir.Value{then, otherwise} {
		c.within(op.Body(i), func() { scf.MakeYield(c.b, f()) })
	}
	return op.Result(0)
}

func convertStore(c *converter, op *ir.Op) {
	ptr, val := op.Operand(0), op.Operand(1)
	if _, tensor := ptr.Type.(*ir.TensorType); !tensor {
		c.storeScalar(op)
		return
	}
	c.storeBlock(c.access(ptr, op.Slot(2)), val)
}

// storeBlock stores the elements of a tensor.
func (c *converter) storeBlock(a *access, val *ir.Value) {
	if c.addrUndefined(a) {
		return
	}
	elem := a.memElem()
	t := c.val(val)
	if tt.IsPtrLike(val.Type) {
		t = c.absolute(val)
	}
	t = c.asMemory(t, elem)
	c.pieces(a, false, func(p piece) {
		view := c.view(p, elem)
		if len(p.size) == 0 {
			x := c.extract(t, offsetsOf(p.block))
			c.b.Op(memref.Store, []*ir.Value{x, view, c.index(0)}, nil)
			return
		}
		part := t
		if !p.block.covers(a.shape) {
			part = c.slice(t, p.block)
		}
		c.materialize(part, view)
	})
}

func offsetsOf(x box) []*ir.Value {
	var out []*ir.Value
	for _, e := range x.offsets {
		out = append(out, e.Value)
	}
	return out
}

func (c *converter) storeScalar(op *ir.Op) {
	c.storeAt(c.stateOf(op.Operand(0)), op.Operand(1), op.Slot(2))
}

// storeAt stores a scalar through a scalar pointer.
func (c *converter) storeAt(s *state, x, mask *ir.Value) {
	if s.bottom {
		return
	}
	write := func() {
		var v *ir.Value
		if tt.IsPtr(x.Type) {
			v = c.address(c.stateOf(x))
		} else {
			v = c.val(x)
		}
		view := c.view(piece{src: c.memory(s.src), off: c.expr(s.off)}, s.src.elem)
		c.b.Op(memref.Store, []*ir.Value{c.toMemory(v, s.src.elem), view, c.index(0)}, nil)
	}
	if mask != nil {
		c.ifThen(c.val(mask), write)
		return
	}
	write()
}

// fromMemory returns an element as it was in memory, as a value of type t: booleans take a byte there, and
// pointers may have been cast to others of the same width.
func (c *converter) fromMemory(v *ir.Value, t ir.Type) *ir.Value {
	switch {
	case v.Type == t:
		return v
	case t == ir.I1:
		v = c.fromMemory(v, ir.I8)
		return c.b.Val(arith.TruncI, ir.I1, v)
	}
	return c.b.Val(arith.Bitcast, t, v)
}

// toMemory converts back: a value of type t as the element in memory.
func (c *converter) toMemory(v *ir.Value, t ir.Type) *ir.Value {
	switch {
	case v.Type == t:
		return v
	case v.Type == ir.I1:
		return c.toMemory(c.b.Val(arith.ExtUI, ir.I8, v), t)
	}
	return c.b.Val(arith.Bitcast, t, v)
}

// asValues and asMemory apply fromMemory and toMemory to all elements of a tensor.
func (c *converter) asValues(v *ir.Value, t ir.Type) *ir.Value { return c.retyped(v, t, c.fromMemory) }

func (c *converter) asMemory(v *ir.Value, t ir.Type) *ir.Value { return c.retyped(v, t, c.toMemory) }

func (c *converter) retyped(v *ir.Value, t ir.Type, f func(*ir.Value, ir.Type) *ir.Value) *ir.Value {
	from := v.Type.(*ir.TensorType)
	if from.Elem == t {
		return v
	}
	return c.generic([]operand{{v, ir.IdentityMap(from.Rank())}}, from.With(t),
		func(args []*ir.Value) *ir.Value {
			return f(args[0], t)
		})
}
