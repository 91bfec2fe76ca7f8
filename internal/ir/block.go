package ir

import (
	"iter"
	"slices"
)

// Block is a list of operations with arguments, ended by a terminator.
type Block struct {
	args        []*Value
	first, last *Op
	region      *Region
	prev, next  *Block
	ordered     bool // the ops' order fields are right
}

// Region is a list of blocks; the first is the entry.
type Region struct {
	first, last *Block
	parent      *Op
}

// NewRegion returns a region with the given blocks.
func NewRegion(blocks ...*Block) *Region {
	r := &Region{}
	for _, b := range blocks {
		r.Append(b)
	}
	return r
}

// NewBlock returns a block with arguments of the given types, in no region yet.
func NewBlock(args ...Type) *Block {
	b := &Block{}
	for _, t := range args {
		b.AddArg(t, nil)
	}
	return b
}

// Args and Arg give the arguments.
func (b *Block) Args() []*Value   { return b.args }
func (b *Block) Arg(i int) *Value { return b.args[i] }

// AddArg appends an argument; a nil loc is unknown.
func (b *Block) AddArg(t Type, loc Loc) *Value { return b.InsertArg(len(b.args), t, loc) }

// InsertArg puts an argument at a position.
func (b *Block) InsertArg(i int, t Type, loc Loc) *Value {
	if loc == nil {
		loc = Unknown
	}
	v := &Value{Type: t, Loc: loc, block: b}
	b.args = slices.Insert(b.args, i, v)
	b.renumberArgs(i)
	return v
}

// EraseArg removes an argument, which must have no uses.
func (b *Block) EraseArg(i int) {
	if b.args[i].HasUses() {
		panic("ir: a block argument erased while it is used")
	}
	b.args = slices.Delete(b.args, i, i+1)
	b.renumberArgs(i)
}

// renumberArgs gives the arguments from a position on their indices.
func (b *Block) renumberArgs(from int) {
	for i := from; i < len(b.args); i++ {
		b.args[i].index = i
	}
}

// Region returns the region that b is in; Parent the op around it.
func (b *Block) Region() *Region { return b.region }

func (b *Block) Parent() *Op {
	if b.region == nil {
		return nil
	}
	return b.region.parent
}

// IsInside reports whether the block lies in a region of op, however deep; no block (nil) lies nowhere.
func (b *Block) IsInside(op *Op) bool {
	for b != nil {
		p := b.Parent()
		if p == op {
			return true
		}
		if p == nil {
			return false
		}
		b = p.Block()
	}
	return false
}

// First and Last return the first and last operation, or nil.
func (b *Block) First() *Op { return b.first }
func (b *Block) Last() *Op  { return b.last }

// Prev and Next return the neighbouring blocks in the region.
func (b *Block) Prev() *Block { return b.prev }
func (b *Block) Next() *Block { return b.next }

// Terminator returns the last operation if it is a terminator, else nil.
func (b *Block) Terminator() *Op {
	if b.last != nil && (b.last.Def.Has(Terminator) || b.last.Def.Unregistered) {
		return b.last
	}
	return nil
}

// Empty reports whether the block has no operations.
func (b *Block) Empty() bool { return b.first == nil }

// Ops yields the operations in order. The current one may be erased or moved while iterating.
func (b *Block) Ops() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for op := b.first; op != nil; {
			next := op.next
			if !yield(op) {
				return
			}
			op = next
		}
	}
}

// OpsBackward yields the operations from the last to the first. The current one may be erased or moved.
func (b *Block) OpsBackward() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for op := b.last; op != nil; {
			prev := op.prev
			if !yield(op) {
				return
			}
			op = prev
		}
	}
}

// Append puts op, which is in no block, at the end.
func (b *Block) Append(op *Op) { b.link(op, b.last, nil) }

// Prepend puts op, which is in no block, at the start.
func (b *Block) Prepend(op *Op) { b.link(op, nil, b.first) }

func (b *Block) link(op, prev, next *Op) {
	op.block, op.prev, op.next = b, prev, next
	if prev != nil {
		prev.next = op
	} else {
		b.first = op
	}
	if next != nil {
		next.prev = op
		b.ordered = false
	} else {
		b.last = op
		if prev == nil {
			b.ordered = true
			op.order = 0
		} else {
			op.order = prev.order + 1 // appending keeps the order
		}
	}
}

func (b *Block) unlink(op *Op) {
	if op.prev != nil {
		op.prev.next = op.next
	} else {
		b.first = op.next
	}
	if op.next != nil {
		op.next.prev = op.prev
	} else {
		b.last = op.prev
	}
	op.block, op.prev, op.next = nil, nil, nil
}

func (b *Block) renumber() {
	if b.ordered {
		return
	}
	i := 0
	for op := b.first; op != nil; op = op.next {
		op.order = i
		i++
	}
	b.ordered = true
}

// SplitBefore moves op and all after it to a new block placed after b, and returns that block.
func (b *Block) SplitBefore(op *Op) *Block {
	nb := &Block{}
	if b.region != nil {
		b.region.InsertAfter(nb, b)
	}
	for op != nil {
		next := op.next
		op.MoveToEnd(nb)
		op = next
	}
	return nb
}

// Erase removes b from its region and destroys what is in it. Nothing may use its values from outside.
func (b *Block) Erase() {
	for op := range b.Ops() {
		op.DropAllReferences()
	}
	b.Remove()
}

// Remove takes b out of its region.
func (b *Block) Remove() {
	r := b.region
	if r == nil {
		return
	}
	if b.prev != nil {
		b.prev.next = b.next
	} else {
		r.first = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		r.last = b.prev
	}
	b.region, b.prev, b.next = nil, nil, nil
}

// Successors returns the blocks that b can branch to.
func (b *Block) Successors() []*Block {
	if b.last == nil {
		return nil
	}
	return b.last.successors
}

// Parent returns the operation that r belongs to; First and Last its first and last block.
func (r *Region) Parent() *Op   { return r.parent }
func (r *Region) First() *Block { return r.first }
func (r *Region) Last() *Block  { return r.last }

// Empty reports whether the region has no blocks.
func (r *Region) Empty() bool { return r.first == nil }

// Append puts b at the end of r.
func (r *Region) Append(b *Block) {
	b.region, b.prev, b.next = r, r.last, nil
	if r.last != nil {
		r.last.next = b
	} else {
		r.first = b
	}
	r.last = b
}

// InsertAfter puts b after the block at.
func (r *Region) InsertAfter(b, at *Block) {
	if at.next == nil {
		r.Append(b)
		return
	}
	b.region, b.prev, b.next = r, at, at.next
	at.next.prev = b
	at.next = b
}

// Blocks yields the blocks in order. The current one may be removed while iterating.
func (r *Region) Blocks() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for b := r.first; b != nil; {
			next := b.next
			if !yield(b) {
				return
			}
			b = next
		}
	}
}

// NumBlocks counts the blocks.
func (r *Region) NumBlocks() int {
	n := 0
	for range r.Blocks() {
		n++
	}
	return n
}

// TakeBody moves the blocks of other to the end of r.
func (r *Region) TakeBody(other *Region) {
	for b := range other.Blocks() {
		b.Remove()
		r.Append(b)
	}
}
