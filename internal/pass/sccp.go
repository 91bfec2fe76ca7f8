package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// SCCP finds values that are constant on every path that can be taken, around loops and through branches,
// and puts the constants in their place (sparse conditional constant propagation, after Wegman and Zadeck).
//
//	%r = scf.for … iter_args(%a = %c0) {                 users of %r use %c0
//	  %b = arith.muli %a, %x       // always 0     =>
//	  scf.yield %b
var SCCP = Pass{
	Name: "sccp",
	Doc:  "propagate constants through loops and branches that are known to be taken or not",
	Run: func(ctx *Context, m *ir.Module) error {
		s := &sccp{
			ctx: ctx, root: m.Op, known: map[*ir.Value]lattice{}, live: map[*ir.Block]bool{},
			queued: map[*ir.Op]bool{},
		}
		for op := range m.Block().Ops() {
			s.enterAll(op)
		}
		s.solve()
		s.replace()
		return nil
	},
}

// lattice is what is known of a value: nothing yet (the zero), one constant, or that it varies.
type lattice struct {
	constant ir.Attr
	varies   bool
}

type sccp struct {
	ctx    *Context
	root   *ir.Op
	known  map[*ir.Value]lattice
	live   map[*ir.Block]bool // blocks that can be reached
	work   []*ir.Op
	queued map[*ir.Op]bool
}

func (s *sccp) queue(op *ir.Op) {
	if !s.queued[op] {
		s.queued[op] = true
		s.work = append(s.work, op)
	}
}

func (s *sccp) solve() {
	for len(s.work) > 0 {
		op := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.queued[op] = false
		s.ctx.At(op)
		if s.live[op.Block()] {
			s.visit(op)
		}
	}
}

// join adds a fact about v. A value only ever goes from unknown to constant to varying, so the work ends.
func (s *sccp) join(v *ir.Value, fact lattice) {
	old := s.known[v]
	switch {
	case old.varies || fact == lattice{}:
		return
	case !fact.varies && (old.constant == nil || old.constant == fact.constant):
		if old == fact {
			return
		}
	default:
		fact = lattice{varies: true}
	}
	s.known[v] = fact
	for u := range v.Users() {
		s.queue(u)
	}
}

func (s *sccp) vary(vs ...*ir.Value) {
	for _, v := range vs {
		s.join(v, lattice{varies: true})
	}
}

// at returns what is known of v as an operand.
func (s *sccp) at(v *ir.Value) lattice {
	if c := constfold.Of(v); c != nil {
		return lattice{constant: c}
	}
	return s.known[v]
}

// enter makes a block reachable.
func (s *sccp) enter(b *ir.Block) {
	if b == nil || s.live[b] {
		return
	}
	s.live[b] = true
	for op := range b.OpsBackward() {
		s.queue(op)
	}
}

// enterAll makes all regions of an op of which nothing is known reachable, with any arguments.
func (s *sccp) enterAll(op *ir.Op) {
	for _, r := range op.Regions() {
		if b := r.First(); b != nil {
			s.vary(b.Args()...)
			s.enter(b)
		}
	}
}

// rules are the operations that do not simply compute results from operands.
var sccpRules map[*ir.OpDef]func(s *sccp, op *ir.Op)

func init() {
	sccpRules = map[*ir.OpDef]func(s *sccp, op *ir.Op){
		scf.For:       (*sccp).forLoop,
		scf.If:        (*sccp).ifElse,
		scf.While:     (*sccp).whileLoop,
		scf.Yield:     (*sccp).toParent,
		scf.Condition: (*sccp).toParent,
		cf.Br:         func(s *sccp, op *ir.Op) { s.take(op, 0) },
		cf.CondBr:     (*sccp).branch,
	}
}

func (s *sccp) visit(op *ir.Op) {
	switch rule := sccpRules[op.Def]; {
	case rule != nil:
		rule(s, op)
	case len(op.Regions()) > 0:
		s.enterAll(op)
		s.vary(op.Results()...)
	case len(op.Successors()) > 0:
		for _, b := range op.Successors() {
			s.vary(b.Args()...)
			s.enter(b)
		}
	default:
		s.compute(op)
	}
}

// compute folds op with what is known of its operands.
func (s *sccp) compute(op *ir.Op) {
	if op.NumResults() == 0 || op.Def.Has(ir.ConstantLike) {
		return
	}
	consts := make([]ir.Attr, op.NumOperands())
	for i := range consts {
		l := s.at(op.Operand(i))
		if l == (lattice{}) {
			return // wait until something is known
		}
		consts[i] = l.constant
	}
	results := foldCopy(op, consts)
	for i, r := range op.Results() {
		switch {
		case i < len(results) && results[i].Const != nil:
			s.join(r, lattice{constant: results[i].Const})
		// op is visited again when that changes
		case i < len(results) && slices.Contains(op.Operands(), results[i].Value):
			s.join(r, s.at(results[i].Value))
		default:
			s.vary(r)
		}
	}
}

// foldCopy asks op's folder without letting it change op.
func foldCopy(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if !op.HasFolder() {
		return nil
	}
	operands, attrs := op.Operands(), slices.Clone(op.Attrs())
	swapped := constantsRight(op, consts)
	results := op.Fold(consts)
	inPlace := len(results) > 0 && results[0].Value == op.Result(0)
	if swapped || inPlace {
		for i, v := range operands {
			op.SetOperand(i, v)
		}
	}
	if !inPlace {
		return results
	}
	for _, a := range slices.Clone(op.Attrs()) {
		op.SetAttr(a.Name, nil)
	}
	for _, a := range attrs {
		op.SetAttr(a.Name, a.Attr)
	}
	return nil
}

// take goes to a successor of a branch.
func (s *sccp) take(op *ir.Op, side int) {
	b := op.Successors()[side]
	for i, v := range successorArgs(op, side) {
		s.join(b.Arg(i), s.at(v))
	}
	s.enter(b)
}

// truth says which sides of a condition can be taken.
func (s *sccp) truth(v *ir.Value) (t, f bool) {
	switch l := s.at(v); {
	case l.varies:
		return true, true
	case l.constant != nil:
		c, ok := constfold.Int(l.constant)
		return !ok || c != 0, !ok || c == 0
	}
	return false, false
}

func (s *sccp) branch(op *ir.Op) {
	t, f := s.truth(op.Operand(0))
	if t {
		s.take(op, 0)
	}
	if f {
		s.take(op, 1)
	}
}

// toParent: what ends a region is for the op around it.
func (s *sccp) toParent(op *ir.Op) {
	p := op.Parent()
	if sccpRules[p.Def] != nil {
		s.queue(p)
	} else {
		s.vary(p.Results()...)
	}
}

func (s *sccp) joinAll(to, from []*ir.Value) {
	for i, v := range to {
		s.join(v, s.at(from[i]))
	}
}

func (s *sccp) forLoop(op *ir.Op) {
	body := op.Body(0)
	s.vary(scf.IV(op))
	s.joinAll(scf.IterArgs(op), scf.Inits(op))
	s.joinAll(op.Results(), scf.Inits(op))
	s.enter(body)
	s.joinAll(scf.IterArgs(op), body.Last().Operands())
	s.joinAll(op.Results(), body.Last().Operands())
}

func (s *sccp) ifElse(op *ir.Op) {
	t, f := s.truth(op.Operand(0))
	for i, taken := range []bool{t, f} {
		if b := op.Body(i); b != nil && taken {
			s.enter(b)
			s.joinAll(op.Results(), b.Last().Operands())
		}
	}
}

func (s *sccp) whileLoop(op *ir.Op) {
	before, after := op.Body(0), op.Body(1)
	s.joinAll(before.Args(), op.Operands())
	s.enter(before)
	cond := before.Last()
	t, f := s.truth(cond.Operand(0))
	if t {
		s.joinAll(after.Args(), cond.Operands()[1:])
		s.enter(after)
		s.joinAll(before.Args(), after.Last().Operands())
	}
	if f {
		s.joinAll(op.Results(), cond.Operands()[1:])
	}
}

// replace puts constants in the place of values that are known to be.
func (s *sccp) replace() {
	rw := newRewriter(s.ctx, s.root)
	rw.start(false) // the constants that are there already serve
	use := func(v *ir.Value, near *ir.Block) {
		c := s.known[v].constant
		if c == nil || !v.HasUses() || rw.exhausted() {
			return
		}
		v.ReplaceAllUses(rw.constAt(c, v.Type, near).Result(0))
		rw.count()
	}
	s.root.Walk(func(op *ir.Op) bool {
		for _, r := range op.Results() {
			use(r, op.Block())
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, a := range b.Args() {
					use(a, b)
				}
			}
		}
		return true
	})
	eraseDead(s.root)
}

// eraseDead erases operations that nobody needs, users before what they use.
func eraseDead(root *ir.Op) {
	for _, r := range root.Regions() {
		for b := r.Last(); b != nil; b = b.Prev() {
			for op := range b.OpsBackward() {
				if op.IsDead() {
					op.Erase()
				} else {
					eraseDead(op)
				}
			}
		}
	}
}
