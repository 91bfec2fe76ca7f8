package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Warp groups can only be apart if no barrier of the block lies in the loop. It would have two tasks: all
// threads' copies for an iteration have arrived, and all products that read a slot are complete before it is
// filled again. A barrier in shared memory does both. Each warp arrives there when its products and copies
// are complete, and goes on. It waits for the others only before it fills slots.
//
//	scf.for … {                               ttg.local_barrier, and wait for the group's turn
//	  async_wait for the copies for i         scf.for … {
//	  %s = warp_group_dot …                     %s = warp_group_dot …
//	  warp_group_dot_wait {pendings = 0}        end of the group's turn
//	  %p = f(%s)                          =>    warp_group_dot_wait {pendings = 0}
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
// A turn of the ping-pong starts the products behind the wait and the leading product of the next iteration.
// It ends when they are started, so that the tensor cores get the next group's work before they run dry.
// Bytes that the copy engine brings have barriers of their own; %bar then only says that slots are free
// (guard_slots.go). What threads compute between the products is put in order in ping_pong_order.go.

// pingPongLoop is a loop whose warp groups are to be apart.
type pingPongLoop struct {
	loop    *ir.Op
	leading *ir.Op
	wait    *ir.Op   // for all products
	behind  *ir.Op   // the first product behind it
	fills   []*ir.Op // copies into slots, and the expects of their bytes
	waits   []*ir.Op
	rings   []*ir.Op // allocations of the slots and of the barriers that count their bytes
	enter   *ir.Op   // barriers of the block before and behind the loop
	leave   *ir.Op
	parity  *ir.Value // parity of the next iteration's number
}

// pingPong makes the warp groups of a marked loop alternate on the tensor cores, if the loop has the right
// form.
func pingPong(loop *ir.Op) {
	if !loop.HasAttr(apartAttr) {
		return
	}
	loop.SetAttr(apartAttr, nil)
	t := &pingPongLoop{loop: loop, leading: leadingProduct(loop)}
	if t.leading == nil || !t.find() || !t.onlyProductsRead() || slices.ContainsFunc(t.waits, t.isLate) {
		return
	}
	t.guardSlots()
	t.fillLate()
	if t.paysPingPong() {
		t.waitEarly()
		t.accumulateFirst()
		t.inChains()
		t.divide()
	}
}

// find sets the parts of the loop and reports whether they come in the order that ping-pong needs: the
// leading product, the only wait for products, then the other products, with copies only after the wait.
func (t *pingPongLoop) find() bool {
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
	return t.behind != nil && len(t.fills) > 0
}

// FillSlots holds, for ops that fill a slot or announce that, the operand that says which.
var FillSlots = map[*ir.OpDef]int{ttg.AsyncCopy: 1, ttng.AsyncTMACopyGlobalToLocal: 3, ttng.BarrierExpect: 0}

// noteFill notes an op that fills a slot, and reports whether the slot is one of an allocation whose copies
// never overwrite what products of their iteration read.
func (t *pingPongLoop) noteFill(op *ir.Op) bool {
	t.fills = append(t.fills, op)
	index := op.Slot(FillSlots[op.Def]).DefBy(ttg.MemDescIndex)
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
func (t *pingPongLoop) onlyProductsRead() bool {
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
func (t *pingPongLoop) isLate(w *ir.Op) bool {
	return slices.ContainsFunc(w.Operands(), func(token *ir.Value) bool {
		return !ttgir.IsIterArg(token, t.loop) || !ttgir.IsIterArg(ttgir.Yielded(token), t.loop)
	})
}

// paysPingPong reports whether groups should ping-pong: there are two, and their accumulators take so many
// registers that an SM runs no other block. More groups overlap by chance; ping-pong would only make them
// wait. A barrier of the whole block within a group's turn would be a deadlock: the other group waits for the
// end of the turn.
func (t *pingPongLoop) paysPingPong() bool {
	registers := 0
	for op := range t.loop.Ops() {
		if MeetsWarps(op) {
			return false
		}
		if op.Def == ttng.WarpGroupDot {
			registers += ttgir.ElementsOfThread(op)
		}
	}
	return ttg.NumWarps(t.loop) == 2*ttgir.GroupWarps &&
		ttgir.Satisfies(t.loop, rules.PingPongAccumulators, registers)
}

// meeting lists ops at which the warps of a block meet, whatever the layouts of their operands.
var meeting = []*ir.OpDef{
	tt.Scan, tt.Gather, tt.Histogram, tt.AtomicRMW, tt.AtomicCAS, tt.Assert, tt.DescStore, tt.DescReduce,
	tt.DescScatter, ttg.LocalStore, ttg.LocalBarrier, ttng.TensormapCreate, gpud.Barrier,
}

// MeetsWarps reports whether the warps of a block may have to meet for an op: they exchange elements through
// shared memory.
func MeetsWarps(op *ir.Op) bool {
	switch op.Def {
	case tt.Reduce:
		l, err := ttglayout.Of(ttgir.TensorOf(op.Operand(0)))
		return err != nil || l.CountPerDim(layout.Warp)[op.IntOr("axis", 0)] > 1
	case ttg.ConvertLayout:
		c, err := ttglayout.Conversion(op.Operand(0).Type, op.Result(0).Type)
		return err != nil || !ttglayout.OnlyLanes(c) ||
			!ttglayout.OnlyRegisters(c) && !ttgir.Satisfies(op, rules.WarpWords, ttgir.WordsOf(op.Result(0)))
	case ttg.LocalAlloc:
		return op.NumOperands() > 0
	}
	return slices.Contains(meeting, op.Def)
}

// divide divides the loop into the turns of the ping-pong. Each group has a barrier, at which the other group
// arrives when its turn ends. The first turn of the first group waits for nobody.
func (t *pingPongLoop) divide() {
	b := ir.At(t.enter)
	groups := int64(ttg.NumWarps(t.loop) / ttgir.GroupWarps)
	bars, free := makeBarriers(b, groups, ttgir.GroupWarps, ttg.PingPongAttr)
	bar := bars[0]
	take := func(b *ir.Builder, parity *ir.Value) {
		b.Groups(ttng.WaitBarrier, [][]*ir.Value{{bar}, {parity}, nil, nil}, nil,
			ir.A(ttg.PingPongAttr, ir.Unit))
	}
	pass := func(b *ir.Builder) {
		b.Op(ttng.ArriveBarrier, []*ir.Value{bar}, nil, ir.A("count", ir.I32Attr(1)),
			ir.A(ttg.PingPongAttr, ir.Unit))
	}
	b.After(t.enter)
	take(b, arith.ConstInt(b, 0, ir.I32))
	b.After(t.leading)
	pass(b)
	take(ir.At(t.behind), t.parity)
	b.After(t.loop)
	pass(b)
	b.After(t.leave)
	free(b)
}
