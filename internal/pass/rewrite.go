package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Pattern replaces operations of one kind by something better.
type Pattern struct {
	Op *ir.OpDef // nil: operations of every kind
	// Rewrite changes the IR and returns true, or leaves it alone and returns false. The rewriter inserts
	// before op, with op's location. After a true, op may be gone.
	Rewrite func(rw *Rewriter, op *ir.Op) bool
}

// Patterns is a set of patterns ready for use. It is not changed after it is made, and may be shared.
type Patterns struct {
	byOp map[*ir.OpDef][]Pattern
	any  []Pattern
}

// NewPatterns joins lists of patterns. Those of one op are tried in the order given, before those of any op.
func NewPatterns(lists ...[]Pattern) *Patterns {
	ps := &Patterns{byOp: map[*ir.OpDef][]Pattern{}}
	for _, list := range lists {
		for _, p := range list {
			if p.Op == nil {
				ps.any = append(ps.any, p)
			} else {
				ps.byOp[p.Op] = append(ps.byOp[p.Op], p)
			}
		}
	}
	return ps
}

// GreedyOptions choose what Greedy does besides applying patterns.
type GreedyOptions struct {
	MergeBlocks bool // merge blocks that are equal, as MLIR's aggressive region simplification does
	// begin at the end, where a pattern that reaches far up sees the most; otherwise at the start
	BottomUp bool
}

// Limits on a run of Greedy. Real kernels settle in two or three rounds; the limits end a dispute between
// patterns.
const (
	maxRounds       = 10
	rewritesPerOp   = 64
	rewritesAtLeast = 4096
)

// Greedy folds operations and applies patterns to everything inside root until nothing changes. On the way,
// operations without uses or effects go, constants move to the head of their function, one of each, and
// regions are simplified. It reports whether anything changed.
//
// Work is proportional to the number of rewrites and of operations: each operation is looked at once a round,
// and again only when something near it changed.
func Greedy(ctx *Context, root *ir.Op, ps *Patterns, opts GreedyOptions) bool {
	rw := newRewriter(ctx, root)
	changed := false
	for round := range maxRounds {
		rw.changed = false
		rw.start(opts.BottomUp)
		if round == 0 {
			rw.budget = max(rewritesAtLeast, rewritesPerOp*len(rw.work.stack))
		}
		rw.drain(ps)
		if simplifyRegions(rw, opts.MergeBlocks) {
			rw.changed = true
		}
		if !rw.changed {
			return changed
		}
		changed = true
		if rw.exhausted() {
			break
		}
	}
	if ctx.RewriteLimit == 0 {
		ctx.unsettled = append(ctx.unsettled, root.Name())
	}
	return changed
}

// Rewriter is how patterns change IR, so that what they touch is looked at again. Its builder inserts before
// the operation that is being rewritten.
type Rewriter struct {
	*ir.Builder
	ctx     *Context
	root    *ir.Op
	work    worklist
	pool    constPool
	flow    []*ir.Op // the operations with regions of several blocks
	changed bool
	budget  int       // rewrites left
	consts  []ir.Attr // scratch for fold
}

func newRewriter(ctx *Context, root *ir.Op) *Rewriter {
	rw := &Rewriter{ctx: ctx, root: root, Builder: &ir.Builder{Loc: ir.Unknown}}
	rw.pool.init()
	rw.OnCreate = rw.work.add
	rw.budget = rewritesAtLeast
	return rw
}

// start fills the worklist with everything inside root, so that the first operation comes off first, or the
// last one, and moves the constants to their place.
func (rw *Rewriter) start(bottomUp bool) {
	rw.work.reset()
	rw.flow = rw.flow[:0]
	var dups []*ir.Op
	rw.root.Walk(func(op *ir.Op) bool {
		for _, r := range op.Regions() {
			if r.First() != r.Last() {
				rw.flow = append(rw.flow, op)
			}
		}
		if op == rw.root {
			return true
		}
		if op.Def.Has(ir.ConstantLike) {
			if rw.pool.adopt(op) {
				dups = append(dups, op)
				return false
			}
		}
		rw.work.stack = append(rw.work.stack, op)
		return true
	})
	for _, op := range dups {
		rw.changed = true
		op.ReplaceWith(rw.pool.known(op).Result(0))
	}
	if !bottomUp {
		slices.Reverse(rw.work.stack)
	}
	rw.work.number()
}

// exhausted reports whether no rewrite is allowed any more.
func (rw *Rewriter) exhausted() bool {
	c := rw.ctx
	return rw.budget <= 0 || c.RewriteLimit > 0 && c.rewrites >= c.RewriteLimit
}

// count notes one rewrite.
func (rw *Rewriter) count() {
	rw.changed = true
	rw.budget--
	rw.ctx.rewrites++
}

func (rw *Rewriter) drain(ps *Patterns) {
	for op := rw.work.pop(); op != nil && !rw.exhausted(); op = rw.work.pop() {
		rw.ctx.At(op)
		if rw.step(op, ps) {
			rw.count()
		}
	}
	rw.ctx.at = nil
}

// step does the first thing that can be done to op, and reports whether there was one.
func (rw *Rewriter) step(op *ir.Op, ps *Patterns) bool {
	if op.IsDead() {
		rw.Erase(op)
		return true
	}
	if op.Def.Has(ir.ConstantLike) {
		return false
	}
	if rw.fold(op) {
		return true
	}
	for _, p := range ps.byOp[op.Def] {
		if rw.apply(p, op) {
			return true
		}
	}
	for _, p := range ps.any {
		if rw.apply(p, op) {
			return true
		}
	}
	return false
}

func (rw *Rewriter) apply(p Pattern, op *ir.Op) bool {
	rw.Before(op)
	rw.Loc = op.Loc
	return p.Rewrite(rw, op)
}

// Replace makes all users of op's results use vs, one for each result, and erases op.
func (rw *Rewriter) Replace(op *ir.Op, vs ...*ir.Value) {
	for i, r := range op.Results() {
		if r.HasUses() {
			rw.ReplaceUses(r, vs[i])
		}
	}
	rw.Erase(op)
}

// ReplaceUses makes all users of v use w instead.
func (rw *Rewriter) ReplaceUses(v, w *ir.Value) {
	for user := range v.Users() {
		rw.work.add(user)
	}
	v.ReplaceAllUses(w)
}

// Erase destroys op, whose results have no uses, with everything inside.
func (rw *Rewriter) Erase(op *ir.Op) {
	op.Walk(func(o *ir.Op) bool {
		rw.forget(o)
		return true
	})
	operands := op.Operands()
	op.Erase()
	for _, v := range operands {
		rw.lessUsed(v)
	}
}

// forget takes op, which is about to go, off the worklist and out of the pool.
func (rw *Rewriter) forget(op *ir.Op) {
	rw.work.remove(op)
	if op.Def.Has(ir.ConstantLike) {
		rw.pool.forget(op)
	}
}

// lessUsed looks again at what defines v, since v has lost a use: it may be dead, or have one user left.
func (rw *Rewriter) lessUsed(v *ir.Value) {
	if def := v.Def(); def != nil && def.Block() != nil && (!v.HasUses() || v.HasOneUse()) {
		rw.work.add(def)
	}
}

// Modified says that op was changed in place.
func (rw *Rewriter) Modified(op *ir.Op) { rw.work.add(op) }

// SetOperand puts v into an operand of op.
func (rw *Rewriter) SetOperand(op *ir.Op, i int, v *ir.Value) {
	old := op.Operand(i)
	op.SetOperand(i, v)
	rw.lessUsed(old)
	rw.work.add(op)
}

// setOperands replaces all operands of an op without segments.
func (rw *Rewriter) setOperands(op *ir.Op, vs []*ir.Value) {
	old := op.Operands()
	op.SetOperands(vs, nil)
	for _, v := range old {
		rw.lessUsed(v)
	}
	rw.work.add(op)
}

// Const returns a constant, at the head of the function around the insertion point.
func (rw *Rewriter) Const(a ir.Attr, t ir.Type) *ir.Value {
	return rw.constAt(a, t, rw.Block()).Result(0)
}

func (rw *Rewriter) constAt(a ir.Attr, t ir.Type, near *ir.Block) *ir.Op {
	op, isNew := rw.pool.get(a, t, near, rw.Loc)
	if isNew {
		rw.work.add(op)
	}
	return op
}

// InlineBefore moves the operations of b before at, giving its arguments the values args. The block is left
// empty.
func (rw *Rewriter) InlineBefore(b *ir.Block, at *ir.Op, args []*ir.Value) {
	for i, a := range b.Args() {
		rw.ReplaceUses(a, args[i])
	}
	for op := range b.Ops() {
		op.MoveBefore(at)
		rw.work.add(op)
	}
}

// worklist is a stack of operations, each at most once. The place of an operation on it is in its Scratch,
// counted from 1; what an earlier worklist left there is told apart by looking.
type worklist struct{ stack []*ir.Op }

func (w *worklist) reset() { w.stack = w.stack[:0] }

// number tells the operations where they are.
func (w *worklist) number() {
	for i, op := range w.stack {
		op.Scratch = i + 1
	}
}

func (w *worklist) has(op *ir.Op) bool {
	i := op.Scratch
	return i > 0 && i <= len(w.stack) && w.stack[i-1] == op
}

func (w *worklist) add(op *ir.Op) {
	if !w.has(op) {
		w.stack = append(w.stack, op)
		op.Scratch = len(w.stack)
	}
}

func (w *worklist) remove(op *ir.Op) {
	if w.has(op) {
		w.stack[op.Scratch-1] = nil
	}
}

func (w *worklist) pop() *ir.Op {
	for n := len(w.stack); n > 0; n = len(w.stack) {
		op := w.stack[n-1]
		w.stack = w.stack[:n-1]
		if op != nil {
			return op
		}
	}
	return nil
}
