package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/tts"
	"github.com/nereid-lang/nereid/internal/ir"
)

// uses is use analysis: it finds the scalars and tensors whose elements somebody needs, going backward from
// what has an effect. An address or a mask needs only what its description is made of, so tensors that serve
// nothing else are not converted. One that serves both is described for the one and computed for the other.
type uses struct {
	*analysis
	needed map[*ir.Value]bool
	seen   map[*carry]bool
	work   []*ir.Value
}

func findUses(a *analysis, fn *ir.Op) *uses {
	u := &uses{analysis: a, needed: map[*ir.Value]bool{}, seen: map[*carry]bool{}}
	u.effects(fn.Body(0))
	for len(u.work) > 0 {
		v := u.work[len(u.work)-1]
		u.work = u.work[:len(u.work)-1]
		u.elements(v)
	}
	return u
}

// effects starts with what a block does, rather than computes.
func (u *uses) effects(b *ir.Block) {
	for op := range b.Ops() {
		switch {
		case op.Def == scf.For:
			u.need(op.Operands()[:3]...)
		case op.Def == scf.If || op.Def == scf.Condition:
			u.need(op.Operand(0))
		case op.Def == scf.Yield || op.Def == scf.While:
		case hasEffect(op):
			u.operands(op)
		}
		if isFlow(op.Def) {
			for _, r := range op.Regions() {
				for inner := range r.Blocks() {
					u.effects(inner)
				}
			}
		}
	}
}

func isFlow(d *ir.OpDef) bool { return d == scf.For || d == scf.While || d == scf.If }

// hasEffect reports whether an operation must be converted whether or not its results are used.
func hasEffect(op *ir.Op) bool {
	return op.Def.Has(ir.Terminator) || op.Effects()&^(ir.EffRead|ir.EffAlloc) != 0
}

// need says that the elements of values are needed.
func (u *uses) need(vs ...*ir.Value) {
	for _, v := range vs {
		if tt.IsPtr(v.Type) {
			u.needDesc(u.descs[v])
			continue
		}
		if !u.needed[v] {
			u.needed[v] = true
			u.work = append(u.work, v)
		}
	}
}

// elements says what the elements of v are computed from.
func (u *uses) elements(v *ir.Value) {
	if tt.IsPtrLike(v.Type) { // distances may be turned into addresses
		u.needSource(u.descs[v].source())
	}
	if u.fromDesc(v) {
		u.needDesc(u.descs[v])
		return
	}
	if c := u.carryOf(v); c != nil {
		u.needCarry(c)
	}
	if op := v.Def(); op != nil && !isFlow(op.Def) {
		u.operands(op)
	}
}

// fromDesc reports whether the elements of v are computed from its description, rather than as the operation
// says that makes it.
func (a *analysis) fromDesc(v *ir.Value) bool {
	d := a.descs[v]
	if d == nil || d.itself() != nil || d.undefined() {
		return false
	}
	made := v.Def() != nil && !isFlow(v.Def().Def)
	s, ok := d.(*state)
	if !ok {
		return !made
	}
	return !made || s.ptr || !s.loose
}

// carryOf returns how v goes through the loop or branch that it is an argument or a result of, or nil.
func (a *analysis) carryOf(v *ir.Value) *carry {
	if op := v.Def(); op != nil {
		f := a.flows[op]
		switch {
		case f == nil:
			return nil
		case op.Def == scf.For:
			return f.args[v.Index()]
		}
		return f.results[v.Index()]
	}
	f := a.flows[v.Block().Parent()]
	switch {
	case f == nil:
		return nil
	case v.Block().Parent().Def == scf.For:
		if v.Index() == 0 {
			return nil
		}
		return f.args[v.Index()-1]
	case v.Block() == v.Block().Parent().Body(1):
		return f.results[v.Index()]
	}
	return f.args[v.Index()]
}

// needCarry says that what a loop or branch carries is needed.
func (u *uses) needCarry(c *carry) {
	if u.seen[c] {
		return
	}
	u.seen[c] = true
	for _, v := range c.from() {
		if c.data {
			u.need(v)
		}
		if d := u.descs[v]; d != nil {
			u.needSource(d.source())
			if !c.data {
				u.needDesc(d)
			}
		}
	}
}

// needDesc says that an address or a mask is needed.
func (u *uses) needDesc(d desc) {
	if d.undefined() {
		return
	}
	u.needSource(d.source())
	for _, e := range d.exprs() {
		u.needExpr(e)
	}
	for _, c := range d.conds() {
		switch {
		case c.v != nil:
			u.need(c.v)
		case c.sym != nil:
			u.needCarry(c.sym.owner)
		}
		u.needExpr(c.x)
	}
	u.need(d.tensors()...)
}

func (u *uses) needExpr(e expr) {
	e.leaves(func(a *atom) {
		switch {
		case a.v != nil:
			u.need(a.v)
		case a.sym != nil:
			u.needCarry(a.sym.owner)
		}
	})
}

func (u *uses) needSource(s *source) {
	switch {
	case s == nil:
	case s.sym != nil:
		u.needCarry(s.sym.owner)
	case s.root.Def() != nil && !u.needed[s.root]:
		u.needed[s.root] = true
		u.operands(s.root.Def())
	}
}

// operands says that the operands of op are needed, each in its way.
func (u *uses) operands(op *ir.Op) {
	switch op.Def {
	case tt.Load:
		u.access(op.Operand(0), op.Slot(1))
		if v := op.Slot(2); v != nil {
			if _, ok := u.uniformOf(v); ok {
				u.spread(v)
			} else {
				u.need(v)
			}
		}
	case tt.Store, tt.AtomicRMW:
		u.access(op.Operand(0), op.Slot(2))
		u.need(op.Operand(1))
	case tt.AtomicCAS:
		u.access(op.Operand(0), nil)
		u.need(op.Operands()[1:]...)
	case tts.Load, tts.Store, tts.Gather, tts.Scatter:
		u.described(op)
	default:
		for _, v := range op.Operands() {
			if op.Def.Has(ir.Elementwise) {
				u.spread(v)
			} else {
				u.need(v)
			}
		}
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				u.captured(o, op)
			}
		}
	}
}

// captured says that what an operation inside op uses from outside is needed.
func (u *uses) captured(o, op *ir.Op) {
	for _, v := range o.Operands() {
		if !v.Block().IsInside(op) {
			u.need(v)
		}
	}
	for _, r := range o.Regions() {
		for b := range r.Blocks() {
			for inner := range b.Ops() {
				u.captured(inner, op)
			}
		}
	}
}

func (u *uses) access(ptr, mask *ir.Value) {
	u.needDesc(u.descs[ptr])
	switch {
	case mask == nil:
	case u.descs[mask] != nil:
		u.needDesc(u.descs[mask])
	default:
		u.need(mask)
	}
}

// counted returns the description of integers that grow evenly or wrap around. Their elements are computed at
// each use.
func (a *analysis) counted(v *ir.Value) *state {
	s, ok := a.descs[v].(*state)
	if !ok || s.ptr || !a.fromDesc(v) || slices.ContainsFunc(s.dims, func(d dim) bool {
		return d.index != nil
	}) {
		return nil
	}
	return s
}

// spread says that v is needed, but, if its elements are all equal, only one of them, and if they count,
// none.
func (u *uses) spread(v *ir.Value) {
	x, ok := u.uniformOf(v)
	switch {
	case !ok && u.counted(v) != nil:
		u.needDesc(u.descs[v])
	case !ok:
		u.need(v)
	case x.v != nil:
		u.need(x.v)
	case x.attr == nil:
		u.needExpr(x.e)
	}
}

// uniform is the element of a tensor whose elements are all equal: a constant, a scalar of the input, or an
// integer.
type uniform struct {
	attr ir.Attr
	v    *ir.Value
	e    expr
}

// uniformOf finds out whether the elements of a tensor are known to be equal. A scalar is such a tensor.
func (a *analysis) uniformOf(v *ir.Value) (uniform, bool) {
	if _, tensor := v.Type.(*ir.TensorType); !tensor {
		return uniform{v: v}, true
	}
	if tt.IsPtrLike(v.Type) { // as data, all of their distances
		return uniform{}, false
	}
	switch op := v.Def(); {
	case op == nil:
	case op.Def == arith.Constant:
		x := constfold.Scalar(op.Attr("value"))
		return uniform{attr: x}, x != nil
	case op.Def == tt.Splat:
		return uniform{v: op.Operand(0)}, true
	case op.Def.Has(ir.View):
		if x, ok := a.uniformOf(op.Operand(0)); ok {
			return x, true
		}
	}
	if s, ok := a.descs[v].(*state); ok && s.uniform() && !s.loose {
		return uniform{e: s.off}, true
	}
	return uniform{}, false
}
