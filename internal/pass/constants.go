package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// constPool keeps the constants of each function at the head of its entry block, one of each.
type constPool struct {
	ops  map[constKey]*ir.Op
	last map[*ir.Block]*ir.Op // the last constant of the pool in a block; the next one goes after it
}

type constKey struct {
	block *ir.Block
	def   *ir.OpDef
	attr  ir.Attr
	typ   ir.Type
}

func (p *constPool) init() {
	p.ops = map[constKey]*ir.Op{}
	p.last = map[*ir.Block]*ir.Op{}
}

// constHome returns the block where constants used in b live: the entry of the function around it.
func constHome(b *ir.Block) *ir.Block {
	for {
		r := b.Region()
		if r == nil || r.Parent() == nil {
			return b
		}
		p := r.Parent()
		if p.Def.Has(ir.Isolated) || p.Def.Unregistered || p.Block() == nil {
			return r.First()
		}
		b = p.Block()
	}
}

func (p *constPool) key(op *ir.Op) constKey {
	return constKey{constHome(op.Block()), op.Def, op.Attr("value"), op.Result(0).Type}
}

// known returns the pool's constant equal to op, or nil.
func (p *constPool) known(op *ir.Op) *ir.Op { return p.ops[p.key(op)] }

// adopt takes a constant into the pool and moves it to its place. It returns true, and does nothing, when the
// pool has another one like it.
func (p *constPool) adopt(op *ir.Op) (duplicate bool) {
	k := p.key(op)
	if old := p.ops[k]; old != nil {
		if old == op {
			return false
		}
		if old.Loc != op.Loc {
			old.Loc = ir.Unknown // it serves several places
		}
		return true
	}
	p.ops[k] = op
	op.Remove()
	p.place(op, k.block)
	return false
}

func (p *constPool) place(op *ir.Op, home *ir.Block) {
	if last := p.last[home]; last != nil {
		op.MoveAfter(last)
	} else {
		home.Prepend(op)
	}
	p.last[home] = op
}

// get returns the constant of a value, made when there is none.
func (p *constPool) get(a ir.Attr, t ir.Type, near *ir.Block, loc ir.Loc) (op *ir.Op, isNew bool) {
	home := constHome(near)
	k := constKey{home, constDef(a), a, t}
	if op := p.ops[k]; op != nil {
		if op.Loc != loc {
			op.Loc = ir.Unknown
		}
		return op, false
	}
	op = newConst(a, t, loc)
	p.ops[k] = op
	p.place(op, home)
	return op, true
}

// forget takes a constant that is about to be erased out of the pool.
func (p *constPool) forget(op *ir.Op) {
	k := p.key(op)
	if p.ops[k] != op {
		return
	}
	delete(p.ops, k)
	if p.last[k.block] != op {
		return
	}
	prev := op.Prev()
	if prev != nil && prev.Def.Has(ir.ConstantLike) && p.known(prev) == prev {
		p.last[k.block] = prev
	} else {
		delete(p.last, k.block)
	}
}

// constDef returns the kind of operation that makes a constant of an attribute.
func constDef(a ir.Attr) *ir.OpDef {
	if constfold.IsPoison(a) {
		return ub.Poison
	}
	return arith.Constant
}

func newConst(a ir.Attr, t ir.Type, loc ir.Loc) *ir.Op {
	return ir.NewOp(ir.State{Def: constDef(a), Loc: loc, Results: []ir.Type{t},
		Attrs: []ir.NamedAttr{ir.A("value", a)}})
}

// fold asks op's folder, and the rules that follow from its traits, what its results are.
func (rw *Rewriter) fold(op *ir.Op) bool {
	rw.consts = rw.consts[:0]
	for i := range op.NumOperands() {
		rw.consts = append(rw.consts, constfold.Of(op.Operand(i)))
	}
	swapped := constantsRight(op, rw.consts)
	results := op.Fold(rw.consts)
	if results == nil {
		results = foldTraits(op)
	}
	if results == nil {
		if swapped {
			rw.Modified(op)
		}
		return swapped
	}
	return rw.useFold(op, results) || swapped
}

// useFold puts the results of the folder in the place of op.
func (rw *Rewriter) useFold(op *ir.Op, results []ir.FoldResult) bool {
	if len(results) > 0 && results[0].Value != nil && results[0].Value == op.Result(0) {
		rw.Modified(op) // changed in place
		return true
	}
	rw.Before(op)
	rw.Loc = op.Loc
	vs := make([]*ir.Value, len(results))
	all := true
	for i, r := range results {
		switch {
		case r.Value != nil:
			vs[i] = r.Value
		case r.Const != nil:
			vs[i] = rw.Const(r.Const, op.Result(i).Type)
		default:
			all = false
		}
	}
	if all {
		rw.Replace(op, vs...)
		return true
	}
	return rw.replaceSome(op, vs)
}

// replaceSome replaces those results for which there is a value.
func (rw *Rewriter) replaceSome(op *ir.Op, vs []*ir.Value) bool {
	changed := false
	for i, v := range vs {
		if v != nil && op.Result(i).HasUses() {
			rw.ReplaceUses(op.Result(i), v)
			changed = true
		}
	}
	return changed
}

// constantsRight moves a constant operand of a commutative operation to the right, where patterns look for
// it.
func constantsRight(op *ir.Op, consts []ir.Attr) bool {
	if !op.Def.Has(ir.Commutative) || len(consts) != 2 || consts[0] == nil || consts[1] != nil {
		return false
	}
	a, b := op.Operand(0), op.Operand(1)
	op.SetOperand(0, b)
	op.SetOperand(1, a)
	consts[0], consts[1] = consts[1], consts[0]
	return true
}

// foldTraits folds by the traits alone: f(f(x)) and f(x, x).
func foldTraits(op *ir.Op) []ir.FoldResult {
	d := op.Def
	if op.NumResults() != 1 {
		return nil
	}
	switch op.NumOperands() {
	case 1:
		inner := op.Operand(0).DefBy(d)
		if inner == nil {
			return nil
		}
		if d.Has(ir.Involution) && inner.Operand(0).Type == op.Result(0).Type {
			return []ir.FoldResult{{Value: inner.Operand(0)}}
		}
		if d.Has(ir.Idempotent) && op.Operand(0).Type == op.Result(0).Type {
			return []ir.FoldResult{{Value: op.Operand(0)}}
		}
	case 2:
		if d.Has(ir.Idempotent) && op.Operand(0) == op.Operand(1) && op.Operand(0).Type == op.Result(0).Type {
			return []ir.FoldResult{{Value: op.Operand(0)}}
		}
	}
	return nil
}
