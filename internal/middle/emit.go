package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// This file writes symbolic scalars and descriptions as operations of the output.

func (c *converter) index(n int64) *ir.Value { return arith.ConstInt(c.b, n, ir.Index) }

// expr computes a scalar of type index.
func (c *converter) expr(e expr) *ir.Value {
	var sum *ir.Value
	for _, t := range e.terms { // what is added first, then what is taken off
		if t.k < 0 {
			continue
		}
		if x := c.multiple(t.a, t.k); sum == nil {
			sum = x
		} else {
			sum = c.b.Val(arith.AddI, ir.Index, sum, x)
		}
	}
	rest := e.c
	if sum == nil {
		sum, rest = c.index(e.c), 0
	}
	for _, t := range e.terms {
		if t.k < 0 {
			sum = c.b.Val(arith.SubI, ir.Index, sum, c.multiple(t.a, -t.k))
		}
	}
	if rest != 0 {
		return c.b.Val(arith.AddI, ir.Index, sum, c.index(rest))
	}
	return sum
}

func (c *converter) multiple(a *atom, k int64) *ir.Value {
	return c.calc(arith.MulI, c.atom(a), c.index(k))
}

// atoms are computed by kind.
var atomEmitters [atomTurn + 1]func(c *converter, a *atom) *ir.Value

func init() {
	atomEmitters = [...]func(c *converter, a *atom) *ir.Value{
		atomValue:  func(c *converter, a *atom) *ir.Value { return c.toIndex(c.val(a.v)) },
		atomSymbol: func(c *converter, a *atom) *ir.Value { return c.sym(a.sym) },
		atomFirst:  emitFirst,
		atomMul:    func(c *converter, a *atom) *ir.Value { return c.binary(arith.MulI, a) },
		atomRem:    func(c *converter, a *atom) *ir.Value { return c.binary(arith.RemSI, a) },
		atomCeil:   func(c *converter, a *atom) *ir.Value { return c.binary(arith.CeilDivSI, a) },
		atomLow:    emitLow,
		atomInt32: func(c *converter, a *atom) *ir.Value {
			return c.toIndex(c.b.Val(arith.IndexCast, ir.I32, c.expr(a.x)))
		},
		atomSelect: func(c *converter, a *atom) *ir.Value {
			return c.b.Val(arith.Select, ir.Index, c.val(a.v), c.expr(a.x), c.expr(a.y))
		},
		atomOp:       emitOp,
		atomQuotient: emitQuotient,
		atomTurn: func(c *converter, a *atom) *ir.Value {
			none := c.compare(arith.EQ, c.expr(a.x), c.index(0))
			return c.b.Val(arith.Select, ir.Index, none, c.index(1<<62), emitQuotient(c, a))
		},
	}
}

func (c *converter) atom(a *atom) *ir.Value { return atomEmitters[a.kind](c, a) }

func (c *converter) binary(def *ir.OpDef, a *atom) *ir.Value {
	return c.b.Val(def, ir.Index, c.expr(a.x), c.expr(a.y))
}

func emitFirst(c *converter, a *atom) *ir.Value { return c.toIndex(c.firstOf(a.v)) }

// firstOf returns the only element of a tensor of the input.
func (c *converter) firstOf(v *ir.Value) *ir.Value {
	t := c.val(v)
	zeros := make([]*ir.Value, len(ir.ShapeOf(t.Type)))
	for i := range zeros {
		zeros[i] = c.index(0)
	}
	return c.extract(t, zeros)
}

func (c *converter) extract(t *ir.Value, at []*ir.Value) *ir.Value {
	return c.b.Val(tensor.Extract, ir.ElemOf(t.Type), append([]*ir.Value{t}, at...)...)
}

func emitLow(c *converter, a *atom) *ir.Value {
	bits := a.y.c
	if bits >= 64 {
		return c.expr(a.x)
	}
	return c.b.Val(arith.AndI, ir.Index, c.expr(a.x), c.index(1<<bits-1))
}

// emitOp does an operation on tensors once, on scalars of their element types.
func emitOp(c *converter, a *atom) *ir.Value {
	args := make([]*ir.Value, len(a.args))
	for i, e := range a.args {
		args[i] = c.scalar(e, ir.ElemOf(a.op.Operand(i).Type))
	}
	vs, err := c.payload(a.op, args)
	if err != nil {
		c.fail(err)
		return c.index(0)
	}
	return c.toIndex(vs[0])
}

func emitQuotient(c *converter, a *atom) *ir.Value {
	x, y := c.expr(a.x), c.expr(a.y)
	by := c.b.Val(arith.Select, ir.Index, c.compare(arith.EQ, y, c.index(0)), c.index(1), y)
	return c.b.Val(arith.DivSI, ir.Index, x, by)
}

// toIndex returns an integer as an index, with its sign.
func (c *converter) toIndex(v *ir.Value) *ir.Value {
	if v.Type == ir.Index {
		return v
	}
	return c.b.Val(arith.IndexCast, ir.Index, v)
}

// scalar computes an expr in an integer type.
func (c *converter) scalar(e expr, t ir.Type) *ir.Value {
	if k, ok := e.isConst(); ok {
		return arith.ConstInt(c.b, k, t)
	}
	if len(e.terms) == 1 && e.c == 0 && e.terms[0].k == 1 && e.terms[0].a.kind == atomValue &&
		e.terms[0].a.v.Type == t {
		return c.val(e.terms[0].a.v)
	}
	if t == ir.Index {
		return c.expr(e)
	}
	return c.b.Val(arith.IndexCast, t, c.expr(e))
}

// entryOf returns an index as an offset, size or stride.
func entryOf(v *ir.Value) indexlist.Entry {
	if k, ok := arith.IntOf(v); ok {
		return indexlist.Entry{Const: k}
	}
	return indexlist.Entry{Value: v}
}

// calc computes with indices. Constants are folded here, since the shapes of buffers depend on what is one.
func (c *converter) calc(def *ir.OpDef, x, y *ir.Value) *ir.Value {
	a, ok1 := arith.IntOf(x)
	b, ok2 := arith.IntOf(y)
	if ok1 && ok2 {
		if k, ok := folded(def, a, b); ok {
			return c.index(k)
		}
	}
	switch {
	case ok2 && b == 0 && (def == arith.AddI || def == arith.SubI), ok2 && b == 1 && def == arith.MulI:
		return x
	case ok1 && a == 0 && def == arith.AddI, ok1 && a == 1 && def == arith.MulI:
		return y
	}
	return c.b.Val(def, ir.Index, x, y)
}

func folded(def *ir.OpDef, a, b int64) (int64, bool) {
	switch def {
	case arith.AddI:
		return a + b, true
	case arith.SubI:
		return a - b, true
	case arith.MulI:
		return a * b, true
	case arith.MinSI:
		return min(a, b), true
	case arith.MaxSI:
		return max(a, b), true
	case arith.DivSI:
		return a / max(b, 1), b > 0
	case arith.RemSI, arith.RemUI:
		return a % max(b, 1), a >= 0 && b > 0
	case arith.CeilDivSI:
		return (a + b - 1) / max(b, 1), a >= 0 && b > 0
	}
	return 0, false
}

// entry returns an expr as an offset, size or stride: a constant where it is one.
func (c *converter) entry(e expr) indexlist.Entry {
	if k, ok := e.isConst(); ok {
		return indexlist.Entry{Const: k}
	}
	return indexlist.Entry{Value: c.expr(e)}
}

// cond computes a condition.
func (c *converter) cond(k cond) *ir.Value {
	var v *ir.Value
	switch {
	case k.sym != nil:
		v = c.sym(k.sym)
	case k.first:
		v = c.firstOf(k.v)
	case k.v != nil:
		v = c.val(k.v)
	default:
		v = c.compare(k.pred, c.expr(k.x), c.index(0))
	}
	if k.not {
		v = c.b.Val(arith.XOrI, ir.I1, v, arith.Const(c.b, ir.BoolAttr(true)))
	}
	return v
}

func (c *converter) compare(pred int64, x, y *ir.Value) *ir.Value {
	return c.b.ValA(arith.CmpI, arith.BoolOf(x.Type),
		[]ir.NamedAttr{ir.A("predicate", ir.I64Attr(pred))}, x, y)
}

// all returns the conjunction of conditions, or nil for none.
func (c *converter) all(cs []cond) *ir.Value {
	var v *ir.Value
	for _, k := range cs {
		v = c.both(v, c.cond(k))
	}
	return v
}

// both returns the conjunction of two conditions, either of which may be nil.
func (c *converter) both(x, y *ir.Value) *ir.Value {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return c.b.Val(arith.AndI, ir.I1, x, y)
}

// elements computes the tensor that a description stands for: integers, distances of pointers, or booleans.
func (c *converter) elements(v *ir.Value) *ir.Value {
	if m, ok := c.descs[v].(*mask); ok {
		return c.maskElements(m)
	}
	s := c.descs[v].(*state)
	elem := dataElem(ir.ElemOf(v.Type))
	t := ir.Tensor(s.shape, elem, nil)
	if s.uniform() {
		return c.fill(c.scalar(s.off, elem), t)
	}
	var ins []operand
	for d, x := range s.dims {
		if x.index != nil {
			ins = append(ins, c.along(x.index, d, len(s.shape)))
		}
	}
	element := c.element(s, elem)
	return c.generic(ins, t, element)
}

// element prepares the scalars that the elements of a description need, and returns what computes one inside
// a loop nest over the tensor, given the elements of its index tensors.
func (c *converter) element(s *state, elem ir.Type) func(args []*ir.Value) *ir.Value {
	off := c.scalar(s.off, elem)
	parts := c.dimParts(s, elem)
	return func(args []*ir.Value) *ir.Value {
		var sum *ir.Value
		for d := range s.dims {
			x := parts[d](c, &args)
			switch {
			case x == nil:
			case sum == nil:
				sum = x
			default:
				sum = c.b.Val(arith.AddI, elem, sum, x)
			}
		}
		if s.off.is(0) {
			return sum
		}
		return c.b.Val(arith.AddI, elem, sum, off)
	}
}

// dimParts prepares the scalars that each dimension's part needs outside the loop nest, and returns what
// computes the part inside.
func (c *converter) dimParts(s *state, elem ir.Type) []func(c *converter, args *[]*ir.Value) *ir.Value {
	out := make([]func(c *converter, args *[]*ir.Value) *ir.Value, len(s.dims))
	for d, x := range s.dims {
		var stride, start, mod, scale *ir.Value
		stride = c.scalar(x.stride, elem)
		switch {
		case x.wrap != nil:
			start, mod, scale = c.scalar(x.wrap.start, elem), c.scalar(x.wrap.mod, elem),
				c.scalar(x.wrap.scale, elem)
		case x.index != nil:
			scale = c.scalar(x.index.scale, elem)
		}
		var part func(i *ir.Value) *ir.Value
		if x.split != nil {
			part = c.splitAt(x.split, elem)
		}
		out[d] = func(c *converter, args *[]*ir.Value) *ir.Value {
			var sum *ir.Value
			if !x.stride.is(0) {
				sum = c.b.Val(arith.MulI, elem, c.count(d, elem), stride)
			}
			var y *ir.Value
			switch {
			case x.wrap != nil:
				rem := arith.RemSI
				if x.wrap.unsigned {
					rem = arith.RemUI
				}
				y = c.b.Val(rem, elem, c.b.Val(arith.AddI, elem, c.count(d, elem), start), mod)
			case x.index != nil:
				y = c.resize((*args)[0], elem)
				*args = (*args)[1:]
			case part != nil:
				y = part(c.count(d, elem))
			default:
				return sum
			}
			if scale != nil {
				y = c.b.Val(arith.MulI, elem, y, scale)
			}
			if sum != nil {
				y = c.b.Val(arith.AddI, elem, sum, y)
			}
			return y
		}
	}
	return out
}

// resize returns an integer in another width, with its sign.
func (c *converter) resize(v *ir.Value, t ir.Type) *ir.Value {
	switch from, to := ir.BitWidth(v.Type), ir.BitWidth(t); {
	case from < to:
		return c.b.Val(arith.ExtSI, t, v)
	case from > to:
		return c.b.Val(arith.TruncI, t, v)
	}
	return v
}

// along returns the tensor of an index as an operand of a loop nest that reads it along one dimension.
func (c *converter) along(x *index, dim, rank int) operand {
	v := c.val(x.v)
	shape := ir.ShapeOf(v.Type)
	m := &ir.AffineMap{NumDims: rank}
	for d := range shape {
		if d == x.axis {
			m.Results = append(m.Results, &ir.AffineExpr{Kind: ir.AffineDim, N: int64(dim)})
		} else {
			m.Results = append(m.Results, &ir.AffineExpr{Kind: ir.AffineConst})
		}
	}
	return operand{v, m}
}

// maskElements computes a tensor of booleans from bounds.
func (c *converter) maskElements(m *mask) *ir.Value {
	t := ir.Tensor(m.shape, ir.I1, nil)
	all := c.all(m.cs)
	bounds := make([][2][]*ir.Value, len(m.dims))
	for d, b := range m.dims {
		for _, e := range b.lo {
			bounds[d][0] = append(bounds[d][0], c.expr(e))
		}
		for _, e := range b.hi {
			bounds[d][1] = append(bounds[d][1], c.expr(e))
		}
	}
	var ins []operand
	for _, r := range m.rest {
		if r.dim < 0 {
			ins = append(ins, operand{c.val(r.v), ir.IdentityMap(len(m.shape))})
		} else {
			ins = append(ins, c.along(&index{v: r.v, axis: r.axis}, r.dim, len(m.shape)))
		}
	}
	return c.generic(ins, t, func(args []*ir.Value) *ir.Value {
		v := all
		for d := range bounds {
			for _, lo := range bounds[d][0] {
				v = c.both(v, c.compare(arith.SGE, c.count(d, ir.Index), lo))
			}
			for _, hi := range bounds[d][1] {
				v = c.both(v, c.compare(arith.SLT, c.count(d, ir.Index), hi))
			}
		}
		for _, x := range args[:len(ins)] {
			v = c.both(v, x)
		}
		if v == nil {
			v = arith.Const(c.b, ir.BoolAttr(true))
		}
		return v
	})
}
