package pass

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// CSE replaces an operation by an earlier one that computes the same, where the earlier one dominates it.
// Operations that only read memory are merged within a block when nothing between them writes. Dead
// operations go.
//
//	%1 = arith.addi %a, %b : i32          %1 = arith.addi %a, %b : i32
//	%2 = arith.addi %a, %b : i32    =>    %3 = arith.muli %1, %1 : i32
//	%3 = arith.muli %1, %2 : i32
var CSE = Pass{
	Name: "cse",
	Doc:  "merge operations that compute the same",
	Run: func(ctx *Context, m *ir.Module) error {
		runCSE(ctx, m.Op)
		return nil
	},
}

func runCSE(ctx *Context, root *ir.Op) {
	c := &cse{ctx: ctx, dom: ir.NewDominance()}
	c.regions(root)
	for len(c.dead) > 0 {
		op := c.dead[len(c.dead)-1]
		c.dead = c.dead[:len(c.dead)-1]
		if isWithin(op, root) && op.IsDead() {
			c.drop(op)
		}
	}
}

// isWithin reports whether op is still part of root: neither it nor anything around it was erased.
func isWithin(op, root *ir.Op) bool {
	for op != nil && op != root {
		op = op.Parent()
	}
	return op == root
}

// cse is one run. The table holds the operations seen in the blocks that dominate the current one, by hash;
// scopes are undone by the log.
type cse struct {
	ctx   *Context
	dom   *ir.Dominance
	table map[uint64][]known
	log   []uint64
	dead  []*ir.Op // operations that lost their last use after the walk had passed them
	epoch int      // counts the writes met so far; reads are equal only within one epoch
}

type known struct {
	op    *ir.Op
	epoch int
}

func (c *cse) regions(op *ir.Op) {
	if len(op.Regions()) == 0 {
		return
	}
	if op.Def.Has(ir.Isolated) || c.table == nil {
		table, log := c.table, c.log
		c.table, c.log = map[uint64][]known{}, nil
		defer func() { c.table, c.log = table, log }()
	}
	for _, r := range op.Regions() {
		c.region(r)
	}
}

func (c *cse) region(r *ir.Region) {
	if r.Empty() {
		return
	}
	if r.First() == r.Last() {
		mark := len(c.log)
		c.block(r.First())
		c.undo(mark)
		return
	}
	children := domChildren(c.dom, r)
	type frame struct {
		b    *ir.Block
		mark int // -1 before the block is entered
	}
	stack := []frame{{r.First(), -1}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.mark >= 0 {
			c.undo(f.mark)
			stack = stack[:len(stack)-1]
			continue
		}
		f.mark = len(c.log)
		c.block(f.b)
		kids := children[f.b]
		for i := len(kids) - 1; i >= 0; i-- {
			stack = append(stack, frame{kids[i], -1})
		}
	}
}

// domChildren returns the dominator tree of a region with several blocks.
func domChildren(dom *ir.Dominance, r *ir.Region) map[*ir.Block][]*ir.Block {
	children := map[*ir.Block][]*ir.Block{}
	for b := range r.Blocks() {
		if p := dom.Idom(b); p != nil {
			children[p] = append(children[p], b)
		}
	}
	return children
}

func (c *cse) undo(mark int) {
	for len(c.log) > mark {
		h := c.log[len(c.log)-1]
		c.log = c.log[:len(c.log)-1]
		list := c.table[h]
		if len(list) == 1 {
			delete(c.table, h)
		} else {
			c.table[h] = list[:len(list)-1]
		}
	}
}

func (c *cse) block(b *ir.Block) {
	for op := range b.Ops() {
		c.op(op)
	}
}

func (c *cse) op(op *ir.Op) {
	c.ctx.At(op)
	if op.IsDead() {
		if c.ctx.Rewrite() {
			c.drop(op)
		}
		return
	}
	c.regions(op)
	if op.Def.Has(ir.Terminator) {
		return
	}
	effects := op.Effects()
	if effects&^ir.EffRead != 0 {
		c.epoch++
		return
	}
	if op.NumResults() == 0 || !mergeable(op) {
		return
	}
	h := opHash(op)
	if old := c.find(h, op, effects); old != nil && c.ctx.Rewrite() {
		for i, r := range op.Results() {
			r.ReplaceAllUses(old.Result(i))
		}
		c.drop(op)
		return
	}
	c.table[h] = append(c.table[h], known{op, c.epoch})
	c.log = append(c.log, h)
}

// drop erases op. What only it used is left to the end of the walk: a later operation may still be merged
// with it.
func (c *cse) drop(op *ir.Op) {
	operands := op.Operands()
	op.Erase()
	for _, v := range operands {
		if def := v.Def(); def != nil && !v.HasUses() {
			c.dead = append(c.dead, def)
		}
	}
}

// mergeable refuses operations whose regions have several blocks, which are not compared.
func mergeable(op *ir.Op) bool {
	for _, r := range op.Regions() {
		if r.First() != r.Last() {
			return false
		}
	}
	return true
}

func (c *cse) find(h uint64, op *ir.Op, effects ir.Effect) *ir.Op {
	for _, k := range c.table[h] {
		if effects != 0 && (k.epoch != c.epoch || k.op.Block() != op.Block()) {
			continue
		}
		if sameOp(k.op, op) {
			return k.op
		}
	}
	return nil
}
