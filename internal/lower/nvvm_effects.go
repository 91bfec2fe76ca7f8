package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// What the operations of NVIDIA's dialect do to memory. Products of warp groups and the copy engine access
// shared memory while the threads go on.

var (
	productEffects     = effects{touches: touchesProduct, leaves: leavesProduct, until: untilProduct}
	productWaitEffects = effects{settles: settlesProducts}
	fenceEffects       = effects{settles: settlesThreads}

	bulkLoadEffects  = effects{touches: touchesBulkLoad, leaves: leavesNothing, fills: true, global: reads}
	bulkStoreEffects = effects{touches: touchesBulkStore, leaves: leavesStores, until: untilStored,
		global: puts}
	bulkReduceEffects = effects{
		touches: touchesBulkStore, leaves: leavesStores, until: untilStored, global: puts, commutes: sameKind,
	}
	bulkStoreWaitEffects = effects{settles: settlesStores}

	mapAcquireEffects = effects{touches: func(*barrierFinder, *ir.Op) accesses {
		return accesses{meets: true}
	}}

	barrierEffects       = effects{touches: touchesBarrier, leaves: leavesBarrier}
	barrierExpectEffects = effects{touches: armsBarrier, leaves: leavesNothing}
	barrierWaitEffects   = effects{touches: readsBarrier}
)

// isAsync reports whether a product may still run when its operation ends.
func isAsync(op *ir.Op) bool {
	async, _ := op.Int("isAsync")
	return async != 0
}

func touchesProduct(f *barrierFinder, op *ir.Op) accesses {
	return accesses{reads: append(f.unguarded(op.Operand(0)), f.unguarded(op.Operand(1))...), async: true}
}

func leavesProduct(f *barrierFinder, op *ir.Op, p *pending, a accesses) {
	if isAsync(op) {
		p.products = add(p.products, a.reads...)
	}
	f.byThreads(op, p, a)
}

func untilProduct(op *ir.Op) *ir.OpDef {
	if isAsync(op) {
		return ttng.WarpGroupDotWait
	}
	return nil
}

func settlesProducts(p *pending, op *ir.Op) {
	p.reads = add(p.reads, p.products...)
	if op.IntOr("pendings", 0) == 0 {
		p.products = nil
	}
}

// settlesThreads notes a fence between the accesses of threads and those of the copy engine.
func settlesThreads(p *pending, _ *ir.Op) {
	p.fenced, p.byThreads = add(p.fenced, p.byThreads...), nil
}

func touchesBulkLoad(f *barrierFinder, op *ir.Op) accesses {
	return accesses{writes: f.bytes(op.Slot(3)), reads: f.bytes(op.Slot(2)), byEngine: true}
}

func touchesBulkStore(f *barrierFinder, op *ir.Op) accesses {
	return accesses{reads: f.bytes(op.Slot(2))}
}

func leavesStores(_ *barrierFinder, _ *ir.Op, p *pending, a accesses) {
	p.stores = add(p.stores, a.reads...)
}

func untilStored(*ir.Op) *ir.OpDef { return ttng.AsyncTMAStoreWait }

func settlesStores(p *pending, op *ir.Op) {
	p.reads = add(p.reads, p.stores...)
	if op.IntOr("pendings", 0) == 0 {
		p.stores = nil
	}
}

// sameKind holds for reductions of one kind: they combine memory with numbers in any order.
func sameKind(a, b *ir.Op) bool { return a.Attr("kind") == b.Attr("kind") }

func touchesBarrier(f *barrierFinder, op *ir.Op) accesses {
	return accesses{writes: f.bytes(op.Operand(0)), first: true}
}

// armsBarrier asks for a meeting behind the making of a barrier, though the first thread does both: the copy
// that follows would ask for it, and in this place compute-sanitizer finds nothing to warn of.
func armsBarrier(f *barrierFinder, op *ir.Op) accesses {
	return accesses{writes: f.unguarded(op.Operand(0))}
}

func readsBarrier(f *barrierFinder, op *ir.Op) accesses {
	return accesses{reads: f.unguarded(op.Operand(0))}
}

func leavesBarrier(_ *barrierFinder, _ *ir.Op, p *pending, a accesses) {
	p.byFirst, p.byThreads = add(p.byFirst, a.writes...), add(p.byThreads, a.writes...)
}

// leavesNothing is for operations whose accesses the wait of a barrier in memory orders.
func leavesNothing(*barrierFinder, *ir.Op, *pending, accesses) {}
