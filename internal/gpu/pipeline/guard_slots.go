package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// guardSlots replaces the barriers of the block in the loop by those in shared memory.
func (t *pingPongLoop) guardSlots() {
	tokens := t.dropWaits()
	before, after := ir.At(t.loop), ir.At(t.loop)
	after.After(t.wait)
	ring := t.engineRing()
	bars, free := makeBarriers(before, ring.slots, int64(ttg.NumWarps(t.loop)), ttg.EachWarpAttr)
	for _, token := range tokens {
		t.waitAhead(before, after, token)
	}
	after.Op(ttng.ArriveBarrier, []*ir.Value{ring.of(after, bars)}, nil, ir.A("count", ir.I32Attr(1)),
		ir.A(ttg.EachWarpAttr, ir.Unit))
	phase := ttgir.Carry(t.loop, arith.ConstInt(before, 0, ir.I32))
	b := ir.At(t.fills[0])
	if ring.phase != nil {
		b = ir.At(t.fillByFew())
		b.Groups(ttng.WaitBarrier, [][]*ir.Value{{ring.of(b, bars)}, {ring.phase}, nil, nil}, nil)
	} else {
		b.Groups(ttng.WaitBarrier, [][]*ir.Value{{bars[0]}, {phase}, nil, nil}, nil)
	}
	b.ToStart(t.loop.Body(0))
	t.parity = b.Val(arith.XOrI, ir.I32, phase, arith.ConstInt(b, 1, ir.I32))
	t.loop.Body(0).Last().SetOperand(phase.Index()-1, t.parity)
	for _, r := range t.rings {
		r.SetAttr(ttg.GuardedAttr, ir.Unit)
	}
	if t.filledByThreads() {
		before.Op(ttng.FenceAsyncShared, nil, nil, ir.A("bCluster", ir.BoolAttr(false)))
	}
	t.enter = before.Op(ttg.LocalBarrier, nil, nil)
	b.Before(t.firstRelease())
	t.leave = b.Op(ttg.LocalBarrier, nil, nil)
	free(b)
}

// slotRing says which slot an iteration reads, and the parity of the round through the slots.
type slotRing struct {
	slots        int64
	index, phase *ir.Value // nil if one barrier serves all slots
}

// of returns the barrier of the slot.
func (r slotRing) of(b *ir.Builder, bars []*ir.Value) *ir.Value {
	if r.phase == nil {
		return bars[0]
	}
	all := bars[0].Def().Operand(0)
	return b.Val(ttg.MemDescIndex, bars[0].Type, all, r.index)
}

// engineRing returns the ring of slots that the copy engine fills. Then only the warps that start its copies
// wait for free slots, and others may run ahead: each slot has a barrier of its own, at which a warp arrives
// again only after the slot was filled again. With slots that threads fill, all warps wait in each iteration,
// at one barrier.
func (t *pingPongLoop) engineRing() slotRing {
	one, r := slotRing{slots: 1}, slotRing{}
	for _, op := range t.fills {
		m, _ := ttg.MemDescOf(op.Slot(FillSlots[op.Def]).Def().Operand(0).Type)
		if op.Def == ttg.AsyncCopy || r.slots != 0 && r.slots != m.Shape[0] {
			return one
		}
		r.slots = m.Shape[0]
	}
	for op := range ttgir.Body(t.loop) {
		if op.Def != ttng.WaitBarrier || !op.Before(t.leading) {
			continue
		}
		if slot := op.Operand(0).DefBy(ttg.MemDescIndex); slot != nil {
			r.index, r.phase = slot.Operand(1), op.Operand(1)
			return r
		}
	}
	return one
}

// fillByFew puts the ops that fill slots behind a branch that only the warps take which start copies. It
// returns the first op of the branch.
func (t *pingPongLoop) fillByFew() *ir.Op {
	warps := int64(1)
	for _, op := range t.fills {
		if op.Def == ttng.AsyncTMACopyGlobalToLocal {
			warps = max(warps, NumBoxes(op.Slot(3)))
		}
	}
	b := ir.At(t.fills[len(t.fills)-1])
	less := []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.ULT))}
	warp := b.Val(arith.IndexCast, ir.I32, b.Val(gpud.SubgroupID, ir.Index))
	few := b.ValA(arith.CmpI, ir.I1, less, warp, arith.ConstInt(b, warps, ir.I32))
	g := copyGroup{cond: few, ops: t.fills, copies: len(t.fills)}
	g.branch()
	return t.fills[0].Block().First()
}

// NumBoxes returns the number of copies that fill a buffer.
func NumBoxes(buf *ir.Value) int64 {
	m, _ := ttg.MemDescOf(buf.Type)
	n := int64(1)
	for i, size := range ttglayout.Box(m.Encoding, m.Shape) {
		n *= max(1, m.Shape[i]/int64(size))
	}
	return n
}

// filledByThreads reports whether products of the loop read shared memory that threads fill.
func (t *pingPongLoop) filledByThreads() bool {
	for op := range ttgir.Body(t.loop) {
		if op.Def == ttg.AsyncCopy {
			return true
		}
		if op.Def != ttng.WarpGroupDot {
			continue
		}
		for _, v := range op.Operands() {
			for v.Def() != nil && isBufferView(v.Def()) {
				v = v.Def().Operand(0)
			}
			alloc := v.DefBy(ttg.LocalAlloc)
			if ttg.IsMemDesc(v.Type) && !slices.Contains(t.rings, alloc) &&
				(alloc == nil || alloc.NumOperands() == 0 || alloc.Operand(0).DefBy(tt.DescLoad) == nil) {
				return true
			}
		}
	}
	return false
}

// makeBarriers makes n barriers of a kind, and a function that ends their life.
func makeBarriers(b *ir.Builder, n, count int64, kind string) ([]*ir.Value, func(b *ir.Builder)) {
	m := ttg.MemDesc{Shape: []int64{n, 1}, Elem: ir.I64, Encoding: BarrierEncoding(), Space: ttg.SharedMemory,
		Mutable: true}
	bars := b.Val(ttg.LocalAlloc, m.Type())
	m.Shape = m.Shape[1:]
	list := make([]*ir.Value, n)
	for i := range list {
		list[i] = b.Val(ttg.MemDescIndex, m.Type(), bars, arith.ConstInt(b, int64(i), ir.I32))
		b.Op(ttng.InitBarrier, []*ir.Value{list[i]}, nil, ir.A("count", ir.I32Attr(count)),
			ir.A(kind, ir.Unit))
	}
	return list, func(b *ir.Builder) {
		for _, bar := range list {
			b.Op(ttng.InvalBarrier, []*ir.Value{bar}, nil)
		}
		b.Op(ttg.LocalDealloc, []*ir.Value{bars}, nil)
	}
}

// waitAhead moves the wait for an iteration's copies to the iteration before, or before the loop.
func (t *pingPongLoop) waitAhead(before, after *ir.Builder, token *ir.Value) {
	attrs := []ir.NamedAttr{ir.A("num", ir.I32Attr(0))}
	before.ValA(ttg.AsyncWait, ttg.Token, attrs, scf.Inits(t.loop)[token.Index()-1])
	after.ValA(ttg.AsyncWait, ttg.Token, attrs, ttgir.Yielded(token))
}

// dropWaits erases the waits for copies and returns their tokens.
func (t *pingPongLoop) dropWaits() (tokens []*ir.Value) {
	for _, w := range t.waits {
		tokens = append(tokens, w.Operand(0))
		w.Erase()
	}
	return tokens
}

// firstRelease returns the first op behind the loop that releases slots or their barriers.
func (t *pingPongLoop) firstRelease() *ir.Op {
	op := t.loop.Next()
	for op.Def != ttg.LocalDealloc && op.Def != ttng.InvalBarrier {
		op = op.Next()
	}
	return op
}
