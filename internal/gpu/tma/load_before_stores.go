package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// LoadBeforeStores starts the loads of a later iteration before the stores of an iteration, or its additions
// to memory. The copy engine of an SM does one thing after the other: a thread that starts loads right behind
// a store waits until most of the tile is gone, and all others wait for it at the next barrier.
//
//	scf.for … {                                    scf.for … {
//	  ttng.warp_group_dot                            ttng.warp_group_dot
//	  ttng.warp_group_dot_wait {pendings = 0}        ttng.warp_group_dot_wait {pendings = 0}
//	  …                                      =>      ttng.async_tma_copy_global_to_local …
//	  ttng.async_tma_reduce …                        …
//	  ttng.async_tma_copy_global_to_local …          ttng.async_tma_reduce …
//	}                                              }
//
// The wait is the first that leaves no product of an earlier iteration under way. So behind it the loads may
// fill slots that such products read, if the iteration itself reads others.
//
// The wait until the engine has read the tile of the iteration before moves, too: before a buffer that
// threads fill on the way, for whose readers all of them meet. They need not meet again for the tile.
var LoadBeforeStores = pass.Pass{
	Name: "nereid-gpu-load-before-stores",
	Doc:  "start loads through the copy engine before an iteration's stores",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			l := &lateLoads{loop: loop, moved: map[*ir.Op]bool{}}
			if l.find() {
				ctx.At(loop)
				l.move()
				l.awaitEarly()
			}
		}
		return nil
	},
}

// lateLoads are the loads of a loop that begin behind a store.
type lateLoads struct {
	loop, wait, store *ir.Op
	fills             []*ir.Op        // the loads, and what tells barriers how many bytes will come
	moved             map[*ir.Op]bool // fills, and what computes their operands
}

// find reports whether loads can move.
func (l *lateLoads) find() bool {
	products := int64(0)
	for op := range ttgir.Body(l.loop) {
		switch op.Def {
		case ttng.WarpGroupDot:
			products++
		case ttng.WarpGroupDotWait:
			if l.wait == nil && op.IntOr("pendings", 0) <= products {
				l.wait = op
			}
		case ttng.AsyncTMAReduce, ttng.AsyncTMACopyLocalToGlobal:
			if l.store == nil {
				l.store = op
			}
		}
	}
	if l.wait == nil || l.store == nil || l.store.Before(l.wait) || ttgir.HasLoop(l.loop) {
		return false
	}
	for op := range l.loop.Ops() {
		switch {
		case op.Def == ttng.BarrierExpect || op.Def == ttng.AsyncTMACopyGlobalToLocal:
			l.fills = append(l.fills, op)
		case mayStore(op):
			return false // a load does not pass it
		}
	}
	return len(l.fills) > 0 && !slices.ContainsFunc(l.fills, func(op *ir.Op) bool { return !l.mayMove(op) })
}

// mayStore reports whether op may write global memory, other than through the copy engine.
func mayStore(op *ir.Op) bool {
	if len(op.Regions()) > 0 || op.Def.Dialect == ttg.Dialect || op.Def.Dialect == ttng.Dialect {
		return false
	}
	return op.Effects()&(ir.EffWrite|ir.EffUnknown) != 0
}

// mayMove reports whether a load behind the store may begin behind the wait, and adds what has to move to
// moved. A load leaves its branch only if the load has the branch's condition as its own mask.
func (l *lateLoads) mayMove(op *ir.Op) bool {
	branch := ttgir.AncestorIn(l.loop.Body(0), op)
	if !l.store.Before(branch) || !l.slotIsFree(op) {
		return false
	}
	if branch != op {
		cond, rest := pipeline.Condition(op)
		if branch.Def != scf.If || op.Block() != branch.Body(0) || cond != branch.Operand(0) || rest != nil {
			return false
		}
	}
	return l.note(op)
}

// note adds op to moved, and the ops behind the wait that compute its operands. It returns false if one of
// them has effects, and so cannot move.
func (l *lateLoads) note(op *ir.Op) bool {
	l.moved[op] = true
	for _, v := range op.Operands() {
		def := v.Def()
		if def == nil || l.moved[def] || !def.Block().IsInside(l.loop) ||
			def.Block() == l.loop.Body(0) && def.Before(l.wait) {
			continue
		}
		if len(def.Regions()) > 0 || def.Effects() != 0 || !l.note(def) {
			return false
		}
	}
	return true
}

// slotIsFree reports whether a load fills a slot of a buffer that its iteration does not read: both slots go
// around with the iterations, always at the same distance.
func (l *lateLoads) slotIsFree(fill *ir.Op) bool {
	index := fill.Slot(pipeline.FillSlots[fill.Def]).DefBy(ttg.MemDescIndex)
	if index == nil {
		return false
	}
	buf := index.Operand(0)
	to, slots := l.counter(index.Operand(1))
	if m, ok := ttg.MemDescOf(buf.Type); !ok || slots != m.Shape[0] {
		return false
	}
	for u := range buf.Users() {
		if !u.Block().IsInside(l.loop) || l.fillsOnly(u) {
			continue
		}
		if u.Def != ttg.MemDescIndex {
			return false
		}
		if from, n := l.counter(u.Operand(1)); n != slots || from == to {
			return false
		}
	}
	return true
}

// fillsOnly reports whether nothing but loads of the loop uses a view of a buffer.
func (l *lateLoads) fillsOnly(view *ir.Op) bool {
	for u := range view.Result(0).Users() {
		if !slices.Contains(l.fills, u) {
			return false
		}
	}
	return true
}

// counter recognizes a value that counts iterations modulo n: it returns n and the value of v in the first
// iteration. For other values, n is 0.
//
//	%next = arith.addi %arg, 1
//	%v = arith.select (%next >= n), 0, %next        (%v is %arg of the next iteration)
func (l *lateLoads) counter(v *ir.Value) (first, n int64) {
	sel := v.DefBy(arith.Select)
	if sel == nil || !ttgir.IsZero(sel.Operand(1)) {
		return 0, 0
	}
	over, next := sel.Operand(0).DefBy(arith.CmpI), sel.Operand(2).DefBy(arith.AddI)
	if over == nil || next == nil || over.Operand(0) != sel.Operand(2) ||
		over.IntOr("predicate", -1) != arith.SGE {
		return 0, 0
	}
	arg := next.Operand(0)
	if !ttgir.IsIterArg(arg, l.loop) || ttgir.Yielded(arg) != v {
		return 0, 0
	}
	one, _ := arith.IntOf(next.Operand(1))
	start, ok := arith.IntOf(scf.Inits(l.loop)[arg.Index()-1])
	n, _ = arith.IntOf(over.Operand(1))
	if one != 1 || !ok || start < -1 || start >= n {
		return 0, 0
	}
	return (start + 1) % n, n
}

// move moves the loads behind the wait, in their order. Those of a branch get a branch there: the assembler
// moves no addresses out of it.
func (l *lateLoads) move() {
	var list []*ir.Op
	for op := range l.loop.Ops() {
		if l.moved[op] {
			list = append(list, op)
		}
	}
	at, ends := l.wait.Next(), map[*ir.Op]*ir.Op{}
	for _, op := range list {
		from := op.Parent()
		if from == l.loop {
			op.MoveBefore(at)
			continue
		}
		if ends[from] == nil {
			branch := scf.NewIf(ir.At(at), from.Operand(0), nil, false)
			ends[from] = scf.MakeYield(ir.NewBuilder(branch.Body(0)))
		}
		op.MoveBefore(ends[from])
		if from.NumResults() == 0 && from.Body(0).First() == from.Body(0).Last() {
			from.Erase()
		}
	}
}

// awaitEarly moves the wait for the stores of the iteration before.
func (l *lateLoads) awaitEarly() {
	var filled *ir.Op
	for op := range ttgir.Body(l.loop) {
		switch {
		case op == l.store:
			return
		case op.Def == ttg.LocalAlloc && op.NumOperands() > 0 && l.wait.Before(op):
			filled = op
		case op.Def == ttng.AsyncTMAStoreWait && filled != nil:
			op.MoveBefore(filled)
			return
		}
	}
}
