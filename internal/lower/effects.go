package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// effects says what an operation does to memory, for the allocation of shared memory and for barriers. All
// fields may be missing: such an operation touches nothing but its scratch buffers.
type effects struct {
	// touches returns the bytes of shared memory that the operation touches. An operation without it writes
	// its scratch buffers, meets at a barrier, and reads them.
	touches func(f *barrierFinder, op *ir.Op) accesses
	// leaves records the accesses that are pending when the operation ends. If nil, these are reads and
	// writes of threads, which a barrier ends: barrierFinder.byThreads.
	leaves func(f *barrierFinder, op *ir.Op, p *pending, a accesses)
	// settles applies a barrier, a wait or a fence to the pending accesses. The operation touches nothing.
	settles func(p *pending, op *ir.Op)
	// until returns the wait after which the operation's buffers may be overwritten, or nil if they may be
	// when it ends.
	until func(op *ir.Op) *ir.OpDef
	// fills says that the copy engine writes shared memory.
	fills bool
	// global is what the operation does to the global memory that its first operand leads to.
	global effect
	// commutes reports whether two such operations may be executed in either order.
	commutes func(a, b *ir.Op) bool
}

func (g *program) effects(op *ir.Op) effects { return g.fact(op.Def).effects }

func touchesAlloc(f *barrierFinder, op *ir.Op) accesses {
	if op.NumOperands() == 0 {
		return accesses{}
	}
	return accesses{writes: f.alloc.buffers[op]}
}

func touchesLocalLoad(f *barrierFinder, op *ir.Op) accesses {
	if f.l.crosses(op) { // the cluster meets before and after the load
		return accesses{meets: true}
	}
	return accesses{reads: f.bytes(op.Operand(0))}
}

func touchesLocalStore(f *barrierFinder, op *ir.Op) accesses {
	return accesses{writes: f.bytes(op.Operand(1))}
}

func touchesCopy(f *barrierFinder, op *ir.Op) accesses { return accesses{writes: f.bytes(op.Slot(1))} }

// touchesCall returns the callee's frame, which lies behind ours. Its accesses stay pending for the next
// call.
func touchesCall(f *barrierFinder, op *ir.Op) accesses {
	fr := f.l.frames[f.l.callee(op)]
	if fr.size == 0 {
		return accesses{}
	}
	all := []interval{{lo: fr.base, hi: fr.base + fr.size}}
	return accesses{reads: all, writes: all, byEngine: f.l.callsEngine(op)}
}

// callsEngine reports whether the function that op calls, or one that it calls, has copies of the copy engine
// to shared memory.
func (g *program) callsEngine(op *ir.Op) bool {
	for inner := range g.callee(op).Ops() {
		if g.effects(inner).fills || inner.Def == tt.Call && g.callsEngine(inner) {
			return true
		}
	}
	return false
}

// touchesScratch returns the accesses to the operation's own buffers.
func touchesScratch(f *barrierFinder, op *ir.Op) accesses {
	own := f.alloc.buffers[op]
	switch {
	case len(own) == 0:
		return accesses{}
	case f.l.crosses(op): // the cluster meets at the end of the operation
		return accesses{writes: own, meets: true}
	case own[0].byWarps:
		return accesses{reads: own, writes: own}
	}
	return accesses{writes: own, meets: true, after: own}
}

func leavesCopies(f *barrierFinder, op *ir.Op, p *pending, a accesses) {
	if !f.guarded(op.Slot(1)) {
		p.copies = add(p.copies, a.writes...)
	}
}

func settlesAll(p *pending, op *ir.Op) { p.barrier(op, true) }

// settlesCopies turns copies into writes of the thread, which the next barrier orders for the others.
func settlesCopies(p *pending, op *ir.Op) {
	all := op.IntOr("num", 0) == 0
	p.writes = add(p.writes, p.copies...)
	if all {
		p.copies = nil
	}
	p.waited(all)
}

// commuting lists the atomics whose order does not change the final value.
var commuting = []int64{
	tt.RMWAnd, tt.RMWOr, tt.RMWXor, tt.RMWAdd, tt.RMWFAdd, tt.RMWMax, tt.RMWMin, tt.RMWUMax, tt.RMWUMin,
}

func atomicsCommute(a, b *ir.Op) bool {
	if a.Result(0).HasUses() || b.Result(0).HasUses() {
		return false
	}
	kind := a.IntOr("atomic_rmw_op", 0)
	return kind == b.IntOr("atomic_rmw_op", 0) && slices.Contains(commuting, kind)
}
