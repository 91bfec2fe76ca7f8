package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Warp groups can only be apart if no barrier of the block lies in the loop. It would have two tasks: all
// threads' copies for an iteration have arrived, and all products that read a slot are complete before it is
// filled again. A barrier in shared memory does both. Each warp arrives there when its products and copies
// are complete, and goes on. It waits for the others only before it fills slots.
//
//	scf.for … {                               ttg.local_barrier, and wait for the group's turn
//	  async_wait for the copies for i         scf.for … {
//	  %s = warp_group_dot …                     %s = warp_group_dot …
//	  warp_group_dot_wait {pendings = 0}        warp_group_dot_wait {pendings = 0}
//	  %p = f(%s)                          =>    end of the group's turn
//	  %d = warp_group_dot %p, …                 async_wait for the copies for i+1
//	  copies for i+2                            arrive_barrier %bar
//	}                                           %p = f(%s)
//	                                            wait for the group's turn
//	                                            %d = warp_group_dot %p, …
//	                                            wait_barrier %bar
//	                                            copies for i+2
//	                                          }
//	                                          end of the group's turn, and ttg.local_barrier
//
// A turn holds the products behind the wait and the leading one of the next iteration. Bytes that the copy
// engine brings have barriers of their own; %bar then only says that slots are free.

// turnLoop is a loop whose warp groups are to be apart.
type turnLoop struct {
	loop    *ir.Op
	leading *ir.Op
	wait    *ir.Op // for all products
	behind  *ir.Op // the first product behind it
	fill    *ir.Op // the first op that fills a slot
	waits   []*ir.Op
	rings   []*ir.Op // allocations of the slots and of the barriers that count their bytes
	enter   *ir.Op   // barriers of the block before and behind the loop
	leave   *ir.Op
	parity  *ir.Value // of the next iteration's number
}

// takeTurns lets the warp groups of a marked loop apart, if it has the right form.
func takeTurns(loop *ir.Op) {
	if !loop.HasAttr(apartAttr) {
		return
	}
	loop.SetAttr(apartAttr, nil)
	t := &turnLoop{loop: loop, leading: leadingProduct(loop)}
	if t.leading == nil || !t.find() || !t.onlyProductsRead() || slices.ContainsFunc(t.waits, t.isLate) {
		return
	}
	t.guardSlots()
	t.fillLate()
	if t.worthTurns() {
		t.divide()
	}
}

// find finds the parts of the loop and reports whether they are in order: the leading product, one wait for
// all products, other products; and behind the wait, copies.
func (t *turnLoop) find() bool {
	for op := range t.loop.Ops() {
		ok := op.Block() == t.loop.Body(0)
		switch op.Def {
		case ttng.WarpGroupDotWait:
			ok = ok && t.wait == nil && op.IntOr("pendings", 0) == 0
			t.wait = op
		case ttng.WarpGroupDot:
			ok = ok && (op == t.leading) == (t.wait == nil)
			if op != t.leading && t.behind == nil {
				t.behind = op
			}
		case ttg.AsyncWait:
			ok = ok && !op.HasUses()
			t.waits = append(t.waits, op)
		case ttg.AsyncCopy, ttng.BarrierExpect, ttng.AsyncTMACopyGlobalToLocal:
			ok = ok && t.wait != nil && t.noteFill(op)
		default:
			continue
		}
		if !ok {
			return false
		}
	}
	return t.behind != nil && t.fill != nil
}

// fillSlots holds, for ops that fill a slot or announce that, the operand that says which.
var fillSlots = map[*ir.OpDef]int{ttg.AsyncCopy: 1, ttng.AsyncTMACopyGlobalToLocal: 3, ttng.BarrierExpect: 0}

// noteFill notes an op that fills a slot, and reports whether the slot is one of an allocation whose copies
// never overwrite what products of their iteration read.
func (t *turnLoop) noteFill(op *ir.Op) bool {
	if t.fill == nil {
		t.fill = op
	}
	index := op.Slot(fillSlots[op.Def]).DefBy(ttg.MemDescIndex)
	if index == nil {
		return false
	}
	ring := index.Operand(0).DefBy(ttg.LocalAlloc)
	if ring != nil && !slices.Contains(t.rings, ring) {
		t.rings = append(t.rings, ring)
	}
	return ring != nil && (op.Def == ttng.BarrierExpect || ring.HasAttr(roomyAttr))
}

// slotUsers lists the ops that may use a slot or its barrier, besides products and views.
var slotUsers = []*ir.OpDef{
	ttng.WarpGroupDotWait, ttg.LocalDealloc, ttg.AsyncCopy, ttng.AsyncTMACopyGlobalToLocal,
	ttng.InitBarrier, ttng.InvalBarrier, ttng.BarrierExpect, ttng.WaitBarrier,
}

// onlyProductsRead reports whether only products of the loop read the slots.
func (t *turnLoop) onlyProductsRead() bool {
	var ok func(v *ir.Value) bool
	ok = func(v *ir.Value) bool {
		for u := range v.Users() {
			product := u.Def == ttng.WarpGroupDot && u.Block() == t.loop.Body(0)
			if !product && !slices.Contains(slotUsers, u.Def) && (!isBufferView(u) || !ok(u.Result(0))) {
				return false
			}
		}
		return true
	}
	return !slices.ContainsFunc(t.rings, func(r *ir.Op) bool { return !ok(r.Result(0)) })
}

// isLate reports whether a wait is for copies that the iteration before has started, not an earlier one.
func (t *turnLoop) isLate(w *ir.Op) bool {
	return slices.ContainsFunc(w.Operands(), func(token *ir.Value) bool {
		return !isIterArg(token, t.loop) || !isIterArg(yielded(token), t.loop)
	})
}

// guardSlots replaces the barriers of the block in the loop by one in shared memory.
func (t *turnLoop) guardSlots() {
	before, after := ir.At(t.loop), ir.At(t.loop)
	after.After(t.wait)
	bar, free := makeBarriers(before, 1, int64(ttg.NumWarps(t.loop)), ttg.EachWarpAttr)
	for _, w := range t.waits {
		t.waitAhead(before, after, w)
	}
	after.Op(ttng.ArriveBarrier, []*ir.Value{bar}, nil, ir.A("count", ir.I32Attr(1)),
		ir.A(ttg.EachWarpAttr, ir.Unit))
	phase := carry(t.loop, arith.ConstInt(before, 0, ir.I32))
	b := ir.At(t.fill)
	b.Groups(ttng.WaitBarrier, [][]*ir.Value{{bar}, {phase}, nil, nil}, nil)
	b.ToStart(t.loop.Body(0))
	t.parity = b.Val(arith.XOrI, ir.I32, phase, arith.ConstInt(b, 1, ir.I32))
	t.loop.Body(0).Last().SetOperand(phase.Index()-1, t.parity)
	for _, r := range t.rings {
		r.SetAttr(ttg.GuardedAttr, ir.Unit)
	}
	before.Op(ttng.FenceAsyncShared, nil, nil, ir.A("bCluster", ir.BoolAttr(false)))
	t.enter = before.Op(ttg.LocalBarrier, nil, nil)
	b.Before(t.firstRelease())
	t.leave = b.Op(ttg.LocalBarrier, nil, nil)
	free(b)
}

// makeBarriers makes n barriers of a kind and returns the first, and a function that ends their life.
func makeBarriers(b *ir.Builder, n, count int64, kind string) (*ir.Value, func(b *ir.Builder)) {
	m := ttg.MemDesc{Shape: []int64{n, 1}, Elem: ir.I64, Encoding: barrierEncoding(), Space: ttg.SharedMemory,
		Mutable: true}
	bars := b.Val(ttg.LocalAlloc, m.Type())
	m.Shape = m.Shape[1:]
	list := make([]*ir.Value, n)
	for i := range list {
		list[i] = b.Val(ttg.MemDescIndex, m.Type(), bars, arith.ConstInt(b, int64(i), ir.I32))
		b.Op(ttng.InitBarrier, []*ir.Value{list[i]}, nil, ir.A("count", ir.I32Attr(count)),
			ir.A(kind, ir.Unit))
	}
	return list[0], func(b *ir.Builder) {
		for _, bar := range list {
			b.Op(ttng.InvalBarrier, []*ir.Value{bar}, nil)
		}
		b.Op(ttg.LocalDealloc, []*ir.Value{bars}, nil)
	}
}

// waitAhead moves the wait for an iteration's copies to the iteration before, or before the loop.
func (t *turnLoop) waitAhead(before, after *ir.Builder, w *ir.Op) {
	token := w.Operand(0)
	attrs := []ir.NamedAttr{ir.A("num", ir.I32Attr(0))}
	before.ValA(ttg.AsyncWait, ttg.Token, attrs, scf.Inits(t.loop)[token.Index()-1])
	after.ValA(ttg.AsyncWait, ttg.Token, attrs, yielded(token))
	w.Erase()
}

// firstRelease returns the first op behind the loop that releases slots or their barriers.
func (t *turnLoop) firstRelease() *ir.Op {
	op := t.loop.Next()
	for op.Def != ttg.LocalDealloc && op.Def != ttng.InvalBarrier {
		op = op.Next()
	}
	return op
}

// fillLate moves buffers that are filled from loads before the loop behind the copies for the first
// iterations, which need not wait for these loads.
func (t *turnLoop) fillLate() {
	for op := t.loop.Block().First(); op != t.enter; {
		next := op.Next()
		if op.Def == ttg.LocalAlloc && op.NumOperands() > 0 && loadsDirectly(op.Operand(0)) &&
			firstUse(op) == t.loop {
			op.MoveBefore(t.enter.Prev())
		}
		op = next
	}
}

// loadsDirectly reports whether v is what a load gives, in this layout or another.
func loadsDirectly(v *ir.Value) bool {
	for v.DefBy(ttg.ConvertLayout) != nil {
		v = v.Def().Operand(0)
	}
	return v.DefBy(tt.Load) != nil
}

// manySums is the number of a thread's registers for results of products from which on an SM runs one program
// of two warp groups at a time.
const manySums = 80

// worthTurns reports whether groups are to take turns: two groups that are alone on an SM. More groups
// overlap by chance, and would wait for each other.
func (t *turnLoop) worthTurns() bool {
	sums := 0
	for op := range body(t.loop) {
		if op.Def == ttng.WarpGroupDot {
			sums += elementsOfThread(op)
		}
	}
	return ttg.NumWarps(t.loop) == 2*groupWarps && sums > manySums
}

// elementsOfThread returns how many elements of op's result a thread has.
func elementsOfThread(op *ir.Op) int {
	n := 1
	for _, d := range tensorOf(op.Result(0)).Shape {
		n *= int(d)
	}
	return n / max(1, ttg.NumWarps(op)*ttg.ThreadsPerWarp(op)*ttg.NumCTAs(op))
}

// divide divides the loop into turns. Each group has a barrier, at which the group before it arrives when its
// turn ends. The first group's first turn needs none.
func (t *turnLoop) divide() {
	b := ir.At(t.enter)
	bar, free := makeBarriers(b, int64(ttg.NumWarps(t.loop)/groupWarps), groupWarps, ttg.TurnAttr)
	take := func(b *ir.Builder, parity *ir.Value) {
		b.Groups(ttng.WaitBarrier, [][]*ir.Value{{bar}, {parity}, nil, nil}, nil, ir.A(ttg.TurnAttr, ir.Unit))
	}
	pass := func(b *ir.Builder) {
		b.Op(ttng.ArriveBarrier, []*ir.Value{bar}, nil, ir.A("count", ir.I32Attr(1)),
			ir.A(ttg.TurnAttr, ir.Unit))
	}
	b.After(t.enter)
	take(b, arith.ConstInt(b, 0, ir.I32))
	b.After(t.wait)
	pass(b)
	take(ir.At(t.behind), t.parity)
	pass(ir.At(t.leave))
	b.After(t.leave)
	free(b)
}
