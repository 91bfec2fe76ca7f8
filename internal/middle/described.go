package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/tts"
	"github.com/nereid-lang/nereid/internal/ir"
)

// This file converts accesses of the dialect tts: their addresses need no analysis, since the operations
// describe them.

var describedOps = table{
	tts.Load: func(c *converter, op *ir.Op) {
		if a := c.blockAccess(op, 1); a != nil {
			c.loadTensor(a, op.Slot(2), op.Result(0))
		}
	},
	tts.Store: func(c *converter, op *ir.Op) {
		if a := c.blockAccess(op, 2); a != nil {
			c.storeBlock(a, op.Operand(1))
		}
	},
	tts.Gather:  convertGatherAt,
	tts.Scatter: convertScatterAt,
}

// entryExpr returns an entry of a list as a symbolic scalar.
func (a *analysis) entryExpr(e indexlist.Entry) expr {
	if e.Value == nil {
		return constant(e.Const)
	}
	return a.value(e.Value)
}

// stateTPtr is the description that a tts.make_tptr or tts.make_gather_scatter_tptr gives.
func stateTPtr(a *analysis, op *ir.Op) *state {
	base := a.stateOf(op.Operand(0))
	lists := 1
	if op.Def == tts.MakeGatherScatterTPtr {
		lists = 2
	}
	t, ok := op.Result(0).Type.(*ir.TensorType)
	if !ok || !base.known() || base.src == nil {
		return nil
	}
	strides := indexlist.Of(op, lists, tts.StaticStrides)
	offsets := indexlist.Of(op, lists+1, tts.StaticOffsets)
	s := newState(t, base.off)
	s.src = base.src
	for d := range s.dims {
		off := a.entryExpr(offsets[d])
		s.dims[d].stride = a.entryExpr(strides[d])
		s.dims[d].share = s.dims[d].share.add(off)
		s.off = s.off.add(off)
	}
	if op.Def == tts.MakeGatherScatterTPtr {
		d := &s.dims[op.IntOr("gather_scatter_dim", 0)]
		d.index = &index{v: op.Operand(1), scale: d.stride}
		d.stride = expr{}
		return s
	}
	for d, e := range indexlist.Of(op, 3, tts.StaticShape) {
		if !e.IsConst(0) {
			a.wrapAt(s, d, a.entryExpr(offsets[d]), a.entryExpr(e))
		}
	}
	return s
}

// wrapAt has a dimension wrap around at a distance in memory.
func (a *analysis) wrapAt(s *state, d int, off, shape expr) {
	stride := s.dims[d].stride
	s.off = s.off.sub(off)
	s.dims[d].share = s.dims[d].share.sub(off)
	s.dims[d].stride = expr{}
	w := &wrap{scale: stride}
	w.start = a.other(atom{kind: atomQuotient, x: off, y: stride})
	w.mod = a.other(atom{kind: atomTurn, x: shape, y: stride})
	s.dims[d].wrap = w
}

// blockAccess prepares the access of a described block. The mask is the list at a slot.
func (c *converter) blockAccess(op *ir.Op, slot int) *access {
	ptr := op.Operand(0)
	made := ptr.Def()
	if made == nil || made.Def != tts.MakeTPtr && made.Def != tts.MakeGatherScatterTPtr ||
		c.stateOf(ptr).src == nil {
		c.failAt(op, "is not of a block that is described here")
		return nil
	}
	a := c.accessAt(c.stateOf(ptr), tts.Block(ptr.Type).Elem, nil)
	dims, picked := indexlist.Of(op, slot, tts.StaticMask), pickedMask(ptr)
	if len(dims) == 0 && picked == nil {
		return a
	}
	a.mask = newMask(ptr.Type)
	for d, e := range dims {
		a.mask.dims[d].hi = []expr{c.entryExpr(e)}
	}
	if picked != nil {
		a.mask.restrict(c.maskOf(picked), int(made.IntOr("gather_scatter_dim", 0)))
	}
	c.bound(a)
	return a
}

// pickedMask returns the mask that a description has along its dimension of data, or nil.
func pickedMask(ptr *ir.Value) *ir.Value {
	if op := ptr.DefBy(tts.MakeGatherScatterTPtr); op != nil {
		return op.Slot(4)
	}
	return nil
}

// restrict adds a mask of one dimension to m, along one of its own.
func (m *mask) restrict(x *mask, dim int) {
	m.cs = append(m.cs, x.cs...)
	m.dims[dim].lo = append(m.dims[dim].lo, x.dims[0].lo...)
	m.dims[dim].hi = append(m.dims[dim].hi, x.dims[0].hi...)
	for _, r := range x.rest {
		r.dim = dim
		m.rest = append(m.rest, r)
	}
}

// stateAt describes the addresses of a tts.gather or tts.scatter.
func (a *analysis) stateAt(op *ir.Op) *state {
	base, offset := a.stateOf(op.Operand(0)), op.Operand(1)
	s := &state{shape: ir.ShapeOf(offset.Type), ptr: true, src: base.src, off: base.off}
	if _, tensor := offset.Type.(*ir.TensorType); !tensor {
		s.off = s.off.add(a.value(offset))
		return s
	}
	o := a.stateOf(offset)
	if !o.known() {
		s.opaque, s.self = true, offset
		return s
	}
	s.off, s.dims = s.off.add(o.off), o.dims
	return s
}

func convertGatherAt(c *converter, op *ir.Op) {
	v, s := op.Result(0), c.stateAt(op)
	switch _, tensor := v.Type.(*ir.TensorType); {
	case s.src == nil:
		c.failAt(op, "begins with a pointer that is not known")
	case tensor:
		c.loadTensor(c.accessAt(s, ir.ElemOf(v.Type), op.Slot(2)), op.Slot(3), v)
	default:
		c.loadAt(s, op.Slot(2), op.Slot(3), v)
	}
}

func convertScatterAt(c *converter, op *ir.Op) {
	v, s := op.Operand(2), c.stateAt(op)
	switch _, tensor := v.Type.(*ir.TensorType); {
	case s.src == nil:
		c.failAt(op, "begins with a pointer that is not known")
	case tensor:
		c.storeBlock(c.accessAt(s, ir.ElemOf(v.Type), op.Slot(3)), v)
	default:
		c.storeAt(s, v, op.Slot(3))
	}
}

// described says what an access of the dialect tts needs.
func (u *uses) described(op *ir.Op) {
	switch op.Def {
	case tts.Load, tts.Store:
		u.needDesc(u.descs[op.Operand(0)])
		u.need(op.Operands()[1:]...)
		if v := pickedMask(op.Operand(0)); v != nil {
			u.needDesc(u.descs[v])
		}
	case tts.Gather:
		u.needDesc(u.stateAt(op))
		u.access(op.Operand(0), op.Slot(2))
		u.need(op.Group(3)...)
	case tts.Scatter:
		u.needDesc(u.stateAt(op))
		u.access(op.Operand(0), op.Slot(3))
		u.need(op.Operand(2))
	}
}
