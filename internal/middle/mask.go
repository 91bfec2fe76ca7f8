package middle

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// mask describes a tensor of booleans: an element is true when its index is within all bounds, all conditions
// hold, and the elements of rest that belong to it are true.
type mask struct {
	shape []int64
	dims  []bounds
	cs    []cond
	rest  []rest

	self   *ir.Value // the value that this describes, when that is in rest, alone
	bottom bool
}

// bounds of an index: not below any of lo, below all of hi.
type bounds struct{ lo, hi []expr }

// rest is a tensor of booleans that is data. It has the mask's shape, or, when dim is not negative, depends
// on the index along dim only, which is its own index along axis.
type rest struct {
	v         *ir.Value
	dim, axis int
}

// cond is a scalar condition: a boolean of the input, what a loop carries, the only element of a tensor, or a
// comparison.
type cond struct {
	v     *ir.Value
	first bool // v is a tensor of one element
	sym   *symbol
	pred  int64 // predicate of arith.cmpi, x against zero
	x     expr
	not   bool
}

func (c cond) key() string {
	return fmt.Sprintf("%p %v %p %d %s %v", c.v, c.first, c.sym, c.pred, c.x.key(), c.not)
}

func (c cond) inside(op *ir.Op) bool {
	return c.v != nil && c.v.Block().IsInside(op) || c.sym != nil && c.sym.block.IsInside(op) ||
		c.x.inside(op)
}

// holds reports whether the condition is known to hold.
func (c cond) holds() bool {
	if c.v != nil && !c.first {
		b, ok := constfold.IntOf(c.v)
		return ok && (b != 0) != c.not
	}
	x, ok := c.x.isConst()
	return ok && c.v == nil && c.sym == nil &&
		arith.CmpIRows[c.pred].Holds(constfold.Ints{X: x}) != c.not
}

func newMask(t ir.Type) *mask {
	shape := ir.ShapeOf(t)
	return &mask{shape: shape, dims: make([]bounds, len(shape))}
}

// selfMask describes a tensor of booleans as data.
func selfMask(v *ir.Value) *mask {
	m := newMask(v.Type)
	m.self = v
	switch axis, n := longAxis(m.shape); n {
	case 0:
		m.cs = []cond{{v: v, first: true}}
	case 1:
		m.rest = []rest{{v, axis, axis}}
	default:
		m.rest = []rest{{v, -1, -1}}
	}
	return m
}

// maskOf returns the description of a mask.
func (a *analysis) maskOf(v *ir.Value) *mask {
	if m, ok := a.descs[v].(*mask); ok {
		return m
	}
	return selfMask(v)
}

var maskOps = map[*ir.OpDef]func(a *analysis, op *ir.Op) *mask{
	arith.Constant: maskConstant,
	arith.CmpI:     maskCompare,
	arith.AndI:     maskAnd,
	arith.XOrI:     maskNot,
	tt.Splat:       maskSplat,
	tt.Broadcast:   func(a *analysis, op *ir.Op) *mask { return a.maskOf(op.Operand(0)).spread(op) },
	tt.ExpandDims:  maskExpand,
	tt.Trans:       maskTrans,
	tt.Reshape:     maskReshape,
}

func (m *mask) when(c cond) *mask {
	if !c.holds() {
		m.cs = append(m.cs, c)
	}
	return m
}

func maskConstant(a *analysis, op *ir.Op) *mask {
	c, ok := constfold.Int(op.Attr("value"))
	if !ok {
		return nil
	}
	m := newMask(op.Result(0).Type)
	if c == 0 {
		m.when(cond{pred: arith.NE})
	}
	return m
}

func maskSplat(a *analysis, op *ir.Op) *mask {
	return newMask(op.Result(0).Type).when(cond{v: op.Operand(0)})
}

// maskCompare describes a comparison of integers whose difference grows evenly along one dimension: it bounds
// the index there.
func maskCompare(a *analysis, op *ir.Op) *mask {
	pred, _ := op.Int("predicate")
	if m := a.maskChoice(op, pred); m != nil {
		return m
	}
	x, y := a.stateOf(op.Operand(0)), a.stateOf(op.Operand(1))
	if wide := ir.ElemOf(op.Operand(0).Type) == ir.I64; x.mixes(wide) || y.mixes(wide) {
		return nil
	}
	m := newMask(op.Result(0).Type)
	switch pred {
	case arith.EQ:
		if x.known() && y.known() && x.uniform() && y.uniform() {
			return m.when(cond{pred: arith.EQ, x: x.off.sub(y.off)})
		}
		return a.below(a.below(m, x, y, 0), y, x, 0)
	case arith.NE:
		if x.known() && y.known() && x.uniform() && y.uniform() {
			return m.when(cond{pred: arith.NE, x: x.off.sub(y.off)})
		}
		return nil
	case arith.SLT:
		return a.below(m, x, y, -1)
	case arith.SLE:
		return a.below(m, x, y, 0)
	case arith.SGT:
		return a.below(m, y, x, -1)
	case arith.SGE:
		return a.below(m, y, x, 0)
	case arith.ULT:
		return a.belowUnsigned(m, x, y, -1, ir.ElemOf(op.Operand(0).Type))
	case arith.ULE:
		return a.belowUnsigned(m, x, y, 0, ir.ElemOf(op.Operand(0).Type))
	case arith.UGT:
		return a.belowUnsigned(m, y, x, -1, ir.ElemOf(op.Operand(0).Type))
	case arith.UGE:
		return a.belowUnsigned(m, y, x, 0, ir.ElemOf(op.Operand(0).Type))
	}
	return nil
}

// mixes reports whether integers, of 64 bits if wide, are computed with factors or constants that are too
// large for indices. Hash functions have such factors, and are meant to wrap around; indices are not.
func (s *state) mixes(wide bool) bool {
	if !s.known() {
		return false
	}
	factor, step := int64(1)<<16, int64(1)<<30
	if wide && !s.loose { // loose ones were computed in 32 bits before
		factor, step = 1<<40, 1<<62
	}
	far := func(k, limit int64) bool { return k > limit || k < -limit }
	for i, d := range s.dims {
		k, ok := d.stride.isConst()
		if ok && (far(k, factor) || far(k*(s.shape[i]-1), step)) {
			return true
		}
	}
	for _, t := range s.off.terms {
		if far(t.k, factor) {
			return true
		}
	}
	_, known := s.off.isConst()
	return far(s.off.c, step) && !(known && s.uniform())
}

// maskChoice: a comparison of a number that a mask chose with another is that mask, its negation, or known.
//
//	%i = arith.select %m, 1, 0        %m, for
//	%k = arith.cmpi ne, %i, 0         which Triton has no other word
func (a *analysis) maskChoice(op *ir.Op, pred int64) *mask {
	m, yes, no := a.choice(op.Operand(0))
	c, ok := constfold.IntOf(op.Operand(1))
	if m == nil || !ok || pred > arith.SGE {
		return nil
	}
	t := op.Result(0).Type
	holds := arith.CmpIRows[pred].Holds
	switch yes, no := holds(constfold.Ints{X: yes, Y: c}), holds(constfold.Ints{X: no, Y: c}); {
	case yes && no:
		return newMask(t)
	case yes:
		out := *m
		out.self = nil
		if len(m.rest) == 1 && m.rest[0].dim < 0 && m.self != nil {
			return nil // data, and no better than this comparison
		}
		return &out
	case no:
		return m.negated(t)
	}
	return newMask(t).when(cond{pred: arith.NE})
}

// choice finds out whether the elements of a tensor are one number where a mask holds, and another where not.
func (a *analysis) choice(v *ir.Value) (m *mask, yes, no int64) {
	op := v.Def()
	if op == nil || op.NumOperands() == 0 || ir.ElemOf(op.Operand(0).Type) != ir.I1 {
		return nil, 0, 0
	}
	if _, tensor := op.Operand(0).Type.(*ir.TensorType); !tensor {
		return nil, 0, 0
	}
	switch op.Def {
	case arith.ExtUI:
		return a.maskOf(op.Operand(0)), 1, 0
	case arith.ExtSI:
		return a.maskOf(op.Operand(0)), -1, 0
	case arith.Select:
		yes, ok1 := constfold.IntOf(op.Operand(1))
		no, ok2 := constfold.IntOf(op.Operand(2))
		if ok1 && ok2 {
			return a.maskOf(op.Operand(0)), yes, no
		}
	}
	return nil, 0, 0
}

// below adds x <= y + slack to a mask, or gives nil.
func (a *analysis) below(m *mask, x, y *state, slack int64) *mask {
	if m == nil {
		return nil
	}
	d := a.addStates(x, y, -1) // must not exceed slack
	if d == nil {
		return nil
	}
	active := -1
	for i, e := range d.dims {
		if e.zero() {
			continue
		}
		if active >= 0 || !e.plain() {
			return nil
		}
		active = i
	}
	if active < 0 {
		return m.when(cond{pred: arith.SLE, x: d.off.offset(-slack)})
	}
	step, ok := d.dims[active].stride.isConst()
	if !ok {
		return nil
	}
	b := &m.dims[active]
	room := constant(slack).sub(d.off) // step*i must not exceed this
	if step > 0 {                      // i < (room+1) / step, rounded up
		b.hi = appendNew(b.hi, a.ceilDiv(room.offset(1), step))
	} else { // i >= -room / -step, rounded up
		b.lo = appendNew(b.lo, a.ceilDiv(room.scale(-1), -step))
	}
	return m
}

// belowUnsigned adds x <= y + slack for unsigned numbers, where y is one number for all.
func (a *analysis) belowUnsigned(m *mask, x, y *state, slack int64, elem ir.Type) *mask {
	if !x.known() || !y.known() || !y.uniform() || x.uniform() {
		return nil
	}
	zero := newState(ir.Tensor(x.shape, elem, nil), expr{})
	top := *y
	if c, ok := y.off.isConst(); !ok || c < 0 {
		top.off = a.low(y.off, ir.BitWidth(elem))
	}
	return a.below(a.below(m, zero, x, 0), x, &top, slack)
}

func appendNew(list []expr, e expr) []expr {
	if slices.ContainsFunc(list, e.equal) {
		return list
	}
	return append(list, e)
}

// maskAnd describes a conjunction: the bounds of both operands.
func maskAnd(a *analysis, op *ir.Op) *mask {
	x, y := a.maskOf(op.Operand(0)), a.maskOf(op.Operand(1))
	if x.bottom || y.bottom {
		return nil
	}
	m := newMask(op.Result(0).Type)
	for _, part := range []*mask{x, y} {
		for i, b := range part.dims {
			for _, e := range b.lo {
				m.dims[i].lo = appendNew(m.dims[i].lo, e)
			}
			for _, e := range b.hi {
				m.dims[i].hi = appendNew(m.dims[i].hi, e)
			}
		}
		for _, c := range part.cs {
			if !slices.ContainsFunc(m.cs, func(d cond) bool { return c.key() == d.key() }) {
				m.cs = append(m.cs, c)
			}
		}
		for _, r := range part.rest {
			if !slices.Contains(m.rest, r) {
				m.rest = append(m.rest, r)
			}
		}
	}
	return m
}

// maskNot describes the negation of one bound or one condition.
func maskNot(a *analysis, op *ir.Op) *mask {
	x, c := a.maskOf(op.Operand(0)), constfold.Of(op.Operand(1))
	if c == nil {
		x, c = a.maskOf(op.Operand(1)), constfold.Of(op.Operand(0))
	}
	if !constfold.IsInt(c, 1) {
		return nil
	}
	return x.negated(op.Result(0).Type)
}

// negated returns the mask of the other elements, or nil when that is no conjunction of bounds and
// conditions.
func (x *mask) negated(t ir.Type) *mask {
	if x.bottom || len(x.rest) > 0 {
		return nil
	}
	m := newMask(t)
	n := len(x.cs)
	for i, b := range x.dims {
		n += len(b.lo) + len(b.hi)
		m.dims[i] = bounds{lo: b.hi, hi: b.lo}
	}
	if n != 1 {
		return nil
	}
	for _, k := range x.cs {
		k.not = !k.not
		m.cs = append(m.cs, k)
	}
	return m
}

// moved returns m in the shape of op's result, its dimensions gone where to says; data of all dimensions is
// the result itself.
func (m *mask) moved(op *ir.Op, to func(dim int) int) *mask {
	if m.bottom {
		return nil
	}
	out := newMask(op.Result(0).Type)
	out.cs = m.cs
	for i, b := range m.dims {
		if len(b.lo)+len(b.hi) > 0 {
			out.dims[to(i)] = b
		}
	}
	for _, r := range m.rest {
		if r.dim < 0 {
			r = rest{op.Result(0), -1, -1}
		} else {
			r.dim = to(r.dim)
		}
		if !slices.Contains(out.rest, r) {
			out.rest = append(out.rest, r)
		}
	}
	if len(out.rest) == 1 && out.rest[0].v == op.Result(0) {
		return nil // nothing but itself
	}
	return out
}

func (m *mask) spread(op *ir.Op) *mask { return m.moved(op, func(d int) int { return d }) }

func maskExpand(a *analysis, op *ir.Op) *mask {
	axis := int(op.IntOr("axis", 0))
	return a.maskOf(op.Operand(0)).moved(op, func(d int) int {
		if d >= axis {
			return d + 1
		}
		return d
	})
}

func maskTrans(a *analysis, op *ir.Op) *mask {
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	return a.maskOf(op.Operand(0)).moved(op, func(d int) int { return slices.Index(order, int64(d)) })
}

// maskReshape describes a reshape that keeps the dimensions that have bounds.
func maskReshape(a *analysis, op *ir.Op) *mask {
	m := a.maskOf(op.Operand(0))
	shape := ir.ShapeOf(op.Result(0).Type)
	groups, ok := regroup(m.shape, shape)
	if !ok || m.bottom {
		return nil
	}
	to := map[int]int{}
	for _, g := range groups {
		from := slices.DeleteFunc(slices.Clone(g.from), func(i int) bool { return m.shape[i] == 1 })
		into := slices.DeleteFunc(slices.Clone(g.to), func(j int) bool { return shape[j] == 1 })
		if len(from) == 1 && len(into) == 1 {
			to[from[0]] = into[0]
		}
	}
	for i, b := range m.dims {
		if _, ok := to[i]; !ok && len(b.lo)+len(b.hi) > 0 {
			return nil
		}
	}
	for _, r := range m.rest {
		if _, ok := to[r.dim]; !ok && r.dim >= 0 {
			return nil
		}
	}
	return m.moved(op, func(d int) int { return to[d] })
}

func (m *mask) exprs() []expr {
	var out []expr
	for _, b := range m.dims {
		out = append(append(out, b.lo...), b.hi...)
	}
	return out
}

func (m *mask) rebuild(es []expr, cs []cond, _ *source) desc {
	out := *m
	out.self, out.cs, out.dims = nil, cs, make([]bounds, len(m.dims))
	for i, b := range m.dims {
		out.dims[i].lo, es = es[:len(b.lo)], es[len(b.lo):]
		out.dims[i].hi, es = es[:len(b.hi)], es[len(b.hi):]
	}
	return &out
}

func (m *mask) sameForm(o desc) bool {
	n, ok := o.(*mask)
	return ok && !m.bottom && !n.bottom && len(m.cs) == len(n.cs) && slices.Equal(m.rest, n.rest) &&
		slices.EqualFunc(m.dims, n.dims, func(b, c bounds) bool {
			return len(b.lo) == len(c.lo) && len(b.hi) == len(c.hi)
		})
}

func (m *mask) tensors() []*ir.Value {
	out := tensorsOf(m.exprs())
	for _, c := range m.cs {
		if c.first {
			out = append(out, c.v)
		}
		out = append(out, tensorsOf([]expr{c.x})...)
	}
	for _, r := range m.rest {
		out = append(out, r.v)
	}
	return out
}

func (m *mask) conds() []cond     { return m.cs }
func (m *mask) source() *source   { return nil }
func (m *mask) itself() *ir.Value { return m.self }
func (m *mask) undefined() bool   { return m.bottom }
