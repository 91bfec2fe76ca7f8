package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Accesses of threads go through the generic proxy, those of the copy engine through the asynchronous one.
// The PTX memory model orders accesses through different proxies only by a proxy fence between them. Machines
// need it even where threads only read: an ldmatrix issued before bar.sync may be under way when the copy
// behind the barrier writes its bytes, since the assembler moves the use of its registers over the barrier.
//
//	ldmatrix …, [buf]                 ldmatrix …, [buf]
//	                                  fence.proxy.async.shared::cta
//	bar.sync 0                   =>   bar.sync 0
//	cp.async.bulk… [buf], …           cp.async.bulk… [buf], …
//
// The fence belongs before the barrier: there all threads execute it, and each waits for its own accesses.

// fences are the fences and barriers that earlier walks over a function have found missing.
type fences struct {
	where map[*ir.Op]proxy // fences, by the barrier that follows
	meet  []*ir.Op         // all threads of the block meet before these
	more  bool             // this walk found one
}

// passFence applies the fence before op, a barrier, to the pending accesses.
func (f *barrierFinder) passFence(op *ir.Op, p *pending) {
	where := f.out.fence[op]
	if where >= sharedProxy {
		p.byThreads = nil
	}
	if where >= anyProxy {
		p.unshown = nil
	}
}

// showShared orders accesses of threads to shared memory before op, a write of the copy engine.
func (f *barrierFinder) showShared(op *ir.Op, p *pending, a accesses) {
	switch {
	case !a.byEngine || f.probe != nil:
	case conflict(a.writes, p.byThreads) > nobody:
		f.fenceBefore(op, p, sharedProxy)
	case conflict(a.writes, p.fenced) > nobody:
		f.meet(op, p, theBlock)
	}
}

// showGlobal orders accesses of threads to global memory before op's accesses by the copy engine, also where
// the threads have met since.
func (f *barrierFinder) showGlobal(op *ir.Op, p *pending, list []touched) {
	for _, now := range list {
		hidden := func(old touched) bool {
			return (old.what >= writes || now.what >= writes) && f.order.at.MayAlias(old.ptr, now.ptr) &&
				!ofPrograms(old.op, op)
		}
		if isDesc(now.ptr) && f.probe == nil && slices.ContainsFunc(p.unshown, hidden) {
			f.fenceBefore(op, p, anyProxy)
		}
	}
	for _, t := range list {
		if !isDesc(t.ptr) {
			p.unshown = add(p.unshown, t)
		}
	}
}

// fenceBefore places a fence before the barriers that the threads have passed last when they reach op, or a
// fence and a barrier before op.
func (f *barrierFinder) fenceBefore(op *ir.Op, p *pending, where proxy) {
	places := p.last
	if f.out.who[op] >= theBlock || len(places) == 0 || slices.Contains(places, nil) {
		at := reachedByAll(op)
		places = []*ir.Op{at}
		if f.out.who[at] < theBlock {
			f.known.meet, f.known.more = append(f.known.meet, at), true
		}
	}
	for _, at := range places {
		if f.known.where[at] < where {
			f.known.where[at], f.known.more = where, true
			f.out.fence[at] = max(f.out.fence[at], where)
		}
		f.passFence(at, p)
	}
}

// reachedByAll returns op, or the outermost branch around it that only some warps take: all threads of the
// block can meet before it.
func reachedByAll(op *ir.Op) *ir.Op {
	at := op
	for up := op.Parent(); up != nil; up = up.Parent() {
		if up.Def == scf.If && ir.Once(byWarp)(up.Operand(0)) {
			at = up
		}
	}
	return at
}

// byWarp reports whether a value depends on the number of the warp; of says so of operands.
func byWarp(v *ir.Value, of func(*ir.Value) bool) bool {
	op := v.Def()
	return op != nil && (op.Def == gpud.SubgroupID || slices.ContainsFunc(op.Operands(), of))
}
