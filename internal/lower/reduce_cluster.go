package lower

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// sources says which blocks of a cluster hold partial results of an element.
type sources struct {
	first layout.Layout // maps places of the result to the first such block; the zero layout for a scalar
	steps []int         // changes of the block number that lead to the other blocks; all sums of them do
	// for each bit of a block number, the change that leads to a block with the same elements, or 0
	same []int
}

// sources returns the blocks that the results come from, or nil if each block holds all it needs.
func (r *reduction) sources() *sources {
	l := r.l
	if l.ctas == 1 {
		return nil
	}
	s := &sources{same: make([]int, log2(l.ctas))}
	for _, b := range r.blockSteps() {
		s.steps = append(s.steps, b.block)
	}
	for _, b := range r.dirs.same {
		if b.bit.block != 0 {
			s.same[log2(b.bit.block)] = b.block
		}
	}
	t, ok := r.to.(*ir.TensorType)
	if !ok {
		if len(s.steps) == 0 {
			return nil
		}
		return s
	}
	s.first = r.homes().find(l.layout(r.op, t))
	if len(s.steps) == 0 && !crossing(s.first) {
		return nil
	}
	return s
}

// homes returns the homes of partial results.
func (r *reduction) homes() homes {
	h := homesOf(r.ll.DropTensorDim(r.axis))
	clear(h.twins) // blocks with equal other coordinates may differ along the axis, so they are no twins
	for _, b := range r.dirs.same {
		if b.bit.block != 0 {
			h.twins[log2(b.bit.block)] = b.block
		}
	}
	return h
}

// blockPlaces returns the places of the partial results that a block holds.
func (r *reduction) blockPlaces() places {
	l := r.l
	t, ok := r.to.(*ir.TensorType)
	if !ok {
		return places{func(int) string { return "0" }, func(int, []int) string { return "0" }, 1}
	}
	h := r.homes()
	have, want := h.find(r.ll.DropTensorDim(r.axis)), h.find(l.layout(r.op, t))
	offset := func(ll layout.Layout, reg int) string {
		return l.xor(l.threadPart(ll, layout.Offset), itoa(registerImage(ll, reg, layout.Offset)))
	}
	return places{
		func(reg int) string { return offset(have, reg) },
		func(reg int, _ []int) string { return offset(want, reg) },
		h.basis.InSize(layout.Offset),
	}
}

// fromBlocks combines, for each element of the result, the partial results of all blocks and warps, n in each
// block. All blocks combine in the same order, so that their results are equal to the last bit.
func (r *reduction) fromBlocks(s sources, at places, n int, bases []int) {
	l := r.l
	var to layout.Layout
	rank := r.sameBlocks(s)
	if t, ok := r.to.(*ir.TensorType); ok {
		to = l.layout(r.op, t)
		rank = l.threadPart(s.first, layout.Block)
	}
	split := 1
	if n >= 4 && sameInLanes(to) && rules.Holds(l.rules, rules.SplitPartials, n<<len(s.steps)) {
		split = 4
	}
	r.finishAt(func(reg int, c []int) []string {
		off := l.mul(at.read(reg, c), n)
		fixed := 0
		if len(c) > 0 {
			fixed = registerImage(s.first, reg, layout.Block)
		}
		var acc []string
		for i := range 1 << len(s.steps) {
			block := fixed
			for k, step := range s.steps {
				if i>>k&1 != 0 {
					block ^= step
				}
			}
			vals := r.gather(off, n, split, bases, l.xor(rank, itoa(block)))
			if acc != nil {
				vals = l.combine(r.op, acc, vals)
			}
			acc = vals
		}
		return acc
	})
}

// sameBlocks returns the part of a block number that selects the nearest of several blocks with the same
// elements.
func (r *reduction) sameBlocks(s sources) string {
	l := r.l
	acc := "0"
	for k, change := range s.same {
		if change != 0 {
			acc = l.xor(acc, l.field(l.ids.block, k, 1, change))
		}
	}
	return acc
}

func reduceCrosses(l *lowering, op *ir.Op) bool { return newReduction(l, op).sources() != nil }
