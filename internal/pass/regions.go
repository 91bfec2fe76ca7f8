package pass

import (
	"hash/maphash"

	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// simplifyRegions tidies the control flow of the regions that have several blocks: blocks that cannot be
// reached go, branches are shortened, block arguments that nothing needs, or that always have the same value,
// go, and with merge, so do copies of a block. A region of one block has nothing to tidy that the worklist
// has not found.
func simplifyRegions(rw *Rewriter, merge bool) bool {
	changed := false
	for _, op := range rw.flow {
		if !isWithin(op, rw.root) {
			continue
		}
		for _, r := range op.Regions() {
			if r.First() != r.Last() && !rw.exhausted() {
				changed = simplifyRegion(rw, r, merge) || changed
			}
		}
	}
	return changed
}

func simplifyRegion(rw *Rewriter, r *ir.Region, merge bool) bool {
	changed := eraseUnreachable(rw, r)
	for b := range r.Blocks() {
		if t := b.Terminator(); t == nil || !knownBranch(t) {
			return changed
		}
	}
	changed = simplifyBranches(rw, r) || changed
	changed = eraseDeadArgs(rw, r) || changed
	changed = forwardArgs(rw, r) || changed
	if merge {
		changed = mergeBlocks(rw, r) || changed
	}
	return changed
}

// eraseUnreachable destroys the blocks that control cannot reach from the entry.
func eraseUnreachable(rw *Rewriter, r *ir.Region) bool {
	seen := map[*ir.Block]bool{r.First(): true}
	work := []*ir.Block{r.First()}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Successors() {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	var gone []*ir.Block
	for b := range r.Blocks() {
		if !seen[b] {
			gone = append(gone, b)
		}
	}
	for _, b := range gone {
		for op := range b.Ops() {
			op.Walk(func(o *ir.Op) bool { rw.forget(o); return true })
		}
	}
	for _, b := range gone {
		b.Erase()
	}
	return len(gone) > 0
}

// knownBranch reports whether we know which operands of a terminator go to which successor.
func knownBranch(t *ir.Op) bool {
	return len(t.Successors()) == 0 || t.Def == cf.Br || t.Def == cf.CondBr
}

// successorSlot returns the operand slot that holds the arguments for successor i of a known branch.
func successorSlot(t *ir.Op, i int) int {
	if t.Def == cf.CondBr {
		return 1 + i
	}
	return 0
}

// successorArgs returns the values that a known branch passes to successor i.
func successorArgs(t *ir.Op, i int) []*ir.Value { return t.Group(successorSlot(t, i)) }

// edge is a way into a block.
type edge struct {
	from *ir.Op // the branch
	succ int    // which of its successors
}

func predecessors(r *ir.Region) map[*ir.Block][]edge {
	preds := map[*ir.Block][]edge{}
	for b := range r.Blocks() {
		for i, s := range b.Successors() {
			preds[s] = append(preds[s], edge{b.Last(), i})
		}
	}
	return preds
}

// eraseDeadArgs finds the block arguments that no effect depends on, even around a loop, and erases them with
// all that only they need.
func eraseDeadArgs(rw *Rewriter, r *ir.Region) bool {
	preds := predecessors(r)
	live := liveness{preds: preds, entry: r.First(), ops: map[*ir.Op]bool{}, args: map[*ir.Value]bool{}}
	live.region(r)
	var dead []*ir.Value
	for b := range r.Blocks() {
		if b == r.First() {
			continue
		}
		for _, a := range b.Args() {
			if !live.args[a] {
				dead = append(dead, a)
			}
		}
	}
	if len(dead) == 0 {
		return false
	}
	for i := len(dead) - 1; i >= 0; i-- {
		dropIncoming(preds[dead[i].Block()], dead[i].Index())
	}
	live.eraseDead(rw, r)
	for i := len(dead) - 1; i >= 0; i-- {
		dead[i].Block().EraseArg(dead[i].Index())
	}
	return true
}

// dropIncoming removes operand i of all edges into a block.
func dropIncoming(edges []edge, i int) {
	for _, e := range edges {
		args := successorArgs(e.from, e.succ)
		e.from.SetGroup(successorSlot(e.from, e.succ), append(args[:i:i], args[i+1:]...))
	}
}

// liveness marks what effects and exits of a region depend on.
type liveness struct {
	preds map[*ir.Block][]edge
	entry *ir.Block
	ops   map[*ir.Op]bool
	args  map[*ir.Value]bool
	work  []*ir.Value
}

func (l *liveness) region(r *ir.Region) {
	for b := range r.Blocks() {
		for op := range b.Ops() {
			if op.Def.Has(ir.Terminator) || op.Effects()&^(ir.EffRead|ir.EffAlloc) != 0 {
				l.op(op)
			}
		}
	}
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		l.value(v)
	}
}

// op marks an operation and queues what it needs: of a branch, only the condition.
func (l *liveness) op(op *ir.Op) {
	if l.ops[op] {
		return
	}
	l.ops[op] = true
	if len(op.Successors()) > 0 {
		if op.Def == cf.CondBr {
			l.work = append(l.work, op.Operand(0))
		}
		return
	}
	op.Walk(func(o *ir.Op) bool {
		l.work = append(l.work, o.Operands()...)
		return true
	})
}

func (l *liveness) value(v *ir.Value) {
	if def := v.Def(); def != nil {
		l.op(def)
		return
	}
	if l.args[v] {
		return
	}
	l.args[v] = true
	for _, e := range l.preds[v.Block()] {
		l.work = append(l.work, successorArgs(e.from, e.succ)[v.Index()])
	}
}

// eraseDead destroys the operations of r that were not marked.
func (l *liveness) eraseDead(rw *Rewriter, r *ir.Region) {
	var dead []*ir.Op
	for b := range r.Blocks() {
		for op := range b.Ops() {
			if !l.ops[op] {
				dead = append(dead, op)
			}
		}
	}
	for _, op := range dead {
		op.Walk(func(o *ir.Op) bool { rw.forget(o); return true })
	}
	for _, op := range dead {
		op.DropAllReferences()
	}
	for _, op := range dead {
		op.Remove()
	}
}

// forwardArgs replaces block arguments that receive the same value on every way in. That value dominates all
// the branches, hence the block.
func forwardArgs(rw *Rewriter, r *ir.Region) bool {
	preds := predecessors(r)
	changed := false
	for b := range r.Blocks() {
		if b == r.First() {
			continue
		}
		for i := len(b.Args()) - 1; i >= 0; i-- {
			v := commonIncoming(b.Arg(i), preds[b])
			if v == nil {
				continue
			}
			rw.ReplaceUses(b.Arg(i), v)
			dropIncoming(preds[b], i)
			b.EraseArg(i)
			changed = true
		}
	}
	return changed
}

func commonIncoming(a *ir.Value, edges []edge) *ir.Value {
	var common *ir.Value
	for _, e := range edges {
		v := successorArgs(e.from, e.succ)[a.Index()]
		switch {
		case v == a || v == common:
		case common == nil:
			common = v
		default:
			return nil
		}
	}
	return common
}

// mergeBlocks sends the branches to a copy of a block to the original.
func mergeBlocks(rw *Rewriter, r *ir.Region) bool {
	preds := predecessors(r)
	seen := map[uint64][]*ir.Block{}
	changed := false
	for b := range r.Blocks() {
		if b == r.First() || escapes(b) {
			continue
		}
		h := blockHash(b)
		rw.ctx.At(b.First())
		orig := findBlock(seen[h], b)
		if orig == nil {
			seen[h] = append(seen[h], b)
			continue
		}
		for _, e := range preds[b] {
			e.from.SetSuccessor(e.succ, orig)
			rw.Modified(e.from)
		}
		changed = true
	}
	return changed && eraseUnreachable(rw, r)
}

// escapes reports whether a value of b is used outside it.
func escapes(b *ir.Block) bool {
	outside := func(v *ir.Value) bool {
		for u := range v.Users() {
			if o := u; !inBlock(o, b) {
				return true
			}
		}
		return false
	}
	for _, a := range b.Args() {
		if outside(a) {
			return true
		}
	}
	for op := range b.Ops() {
		for _, r := range op.Results() {
			if outside(r) {
				return true
			}
		}
	}
	return false
}

func inBlock(op *ir.Op, b *ir.Block) bool {
	for op != nil && op.Block() != b {
		op = op.Parent()
	}
	return op != nil
}

func blockHash(b *ir.Block) uint64 {
	h := uint64(len(b.Args()))
	for op := range b.Ops() {
		h = mix(h, maphash.Comparable(seed, op.Def))
		h = mix(h, uint64(op.NumOperands()))
		for _, a := range op.Attrs() {
			if !isDefault(op, a) {
				h = mix(h, maphash.Comparable(seed, a))
			}
		}
	}
	return h
}

func findBlock(list []*ir.Block, b *ir.Block) *ir.Block {
	for _, o := range list {
		var e equivalence
		if e.block(o, b) {
			return o
		}
	}
	return nil
}
