package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Where threads have to meet: an operation that touches bytes of shared memory needs a barrier before it when another thread may have
// written them since the last barrier, or, if it writes, may have read them. findBarriers walks the function with the accesses that
// are pending, through loops until nothing changes, and notes the operations that need one.

// pending are accesses to shared memory, and to global memory, since the last barrier. Copies are asynchronous writes that nobody
// has waited for, products what products under way read: a barrier does not end them. Whoever waits has made the access just then, for
// the others.
type pending struct {
	reads, writes, copies, products []interval
	global                          []touched
}

func (p pending) clone() pending {
	return pending{slices.Clone(p.reads), slices.Clone(p.writes), slices.Clone(p.copies), slices.Clone(p.products), slices.Clone(p.global)}
}

func add[T comparable](list []T, more ...T) []T {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// merge adds what another way brings, and says whether that was anything new.
func (p *pending) merge(q pending) bool {
	n := p.size()
	p.reads, p.writes, p.copies = add(p.reads, q.reads...), add(p.writes, q.writes...), add(p.copies, q.copies...)
	p.products, p.global = add(p.products, q.products...), add(p.global, q.global...)
	return p.size() > n
}

func (p *pending) size() int {
	return len(p.reads) + len(p.writes) + len(p.copies) + len(p.products) + len(p.global)
}

// barrier is one of the block, or of the whole program, which is more where programs have several blocks: those see each other's stores
// only then.
func (p *pending) barrier(program bool) {
	p.reads, p.writes = nil, nil
	if program {
		p.met(theProgram)
	} else {
		p.met(theBlock)
	}
}

// met notes a barrier. Copies that nobody has waited for go on.
func (p *pending) met(by level) {
	var rest []touched
	for _, t := range p.global {
		if t.what != copies {
			t.met = max(t.met, by)
		}
		if t.met < theProgram {
			rest = add(rest, t)
		}
	}
	p.global = rest
}

// waited ends the asynchronous copies: they have read by now.
func (p *pending) waited(all bool) {
	for i, t := range p.global {
		if t.what == copies {
			t.what = reads
			if all {
				p.global[i] = t
			} else {
				p.global = add(p.global, t)
			}
		}
	}
}

// next notes that another iteration of a loop begins.
func (p *pending) next(loop *ir.Op, n int) {
	var out []touched
	for _, t := range p.global {
		if t.op.Block().IsInside(loop) {
			t.loops |= 1 << n
		}
		out = add(out, t)
	}
	p.global = out
}

func conflict(a, b []interval) bool {
	for _, x := range a {
		for _, y := range b {
			if x.overlaps(y) {
				return true
			}
		}
	}
	return false
}

// accesses are what an operation does to shared memory: first it reads and writes; if it meets inside, it then reads after.
type accesses struct {
	reads, writes []interval
	meets         bool       // it has a barrier of its own between the first and the last accesses
	after         []interval // read after that
}

// barriers are where threads meet before an operation.
type barriers struct {
	who   map[*ir.Op]level
	drain map[*ir.Op]bool // asynchronous copies are waited for before that
	first map[*ir.Op]bool // loads that only the first of the threads with an element makes
}

// note raises what an operation needs.
func (b barriers) note(op *ir.Op, who level) { b.who[op] = max(b.who[op], who) }

// barrierFinder is the walk.
type barrierFinder struct {
	l     *lowering
	alloc *allocation
	roots map[*ir.Value][]*ir.Op
	order *orderer
	out   barriers
	probe *ir.Op // the loop that is looked into, before it is walked
	hit   level  // what an access there needs for one from before the loop
}

// findBarriers are the operations that need a barrier before them.
func findBarriers(l *lowering, a *allocation, roots map[*ir.Value][]*ir.Op) barriers {
	f := &barrierFinder{l: l, alloc: a, roots: roots, order: newOrderer(l), out: barriers{who: map[*ir.Op]level{}, drain: map[*ir.Op]bool{}}}
	f.out.first = f.order.first
	in, number := map[*ir.Block]*pending{}, map[*ir.Block]int{}
	blocks := l.reachable(l.fn.Region(0))
	for i, b := range blocks {
		in[b], number[b] = &pending{}, i
	}
	for changed := true; changed; {
		changed = false
		for i, b := range blocks {
			p := in[b].clone()
			f.block(b, &p)
			for _, s := range b.Successors() {
				q := p.clone()
				if number[s] <= i { // round a loop without a name: all may have changed
					q.next(l.fn, anyLoop)
				}
				changed = in[s].merge(q) || changed
			}
		}
	}
	return f.out
}

func (f *barrierFinder) block(b *ir.Block, p *pending) {
	for op := range b.Ops() {
		f.op(op, p)
	}
}

func (f *barrierFinder) op(op *ir.Op, p *pending) {
	switch op.Def {
	case scf.For, scf.While:
		f.loop(op, p)
		return
	case scf.If:
		f.branches(op, p)
		return
	case gpud.Barrier, ttg.LocalBarrier:
		p.barrier(true)
		return
	case ttg.AsyncWait:
		p.writes = add(p.writes, p.copies...)
		if op.IntOr("num", 0) == 0 {
			p.copies = nil
		}
		p.waited(op.IntOr("num", 0) == 0)
		return
	case ttng.WarpGroupDotWait:
		p.reads = add(p.reads, p.products...)
		if op.IntOr("pendings", 0) == 0 {
			p.products = nil
		}
		return
	}
	a := f.accesses(op)
	if conflict(a.reads, p.writes) || conflict(a.writes, p.writes) || conflict(a.writes, p.reads) {
		f.meet(op, p, theBlock)
	}
	f.global(op, p)
	if op.Def == ttg.AsyncCopy {
		p.copies = add(p.copies, a.writes...)
		return
	}
	if op.Def == ttng.WarpGroupDot && isAsync(op) {
		p.products = add(p.products, a.reads...)
	}
	p.reads, p.writes = add(p.reads, a.reads...), add(p.writes, a.writes...)
	if a.meets {
		p.barrier(f.l.ctas == 1 || f.l.crosses(op))
		p.reads = add(p.reads, a.after...)
	}
}

// meet puts a barrier before an operation. Where one was found to be needed before, it is there.
func (f *barrierFinder) meet(op *ir.Op, p *pending, who level) {
	if f.probe == nil {
		f.out.note(op, who)
	}
	who = max(who, f.out.who[op])
	if f.out.drain[op] {
		p.waited(true)
	}
	switch {
	case who >= theBlock:
		p.barrier(f.l.ctas == 1 || who == theProgram)
	case who == theWarp:
		p.met(theWarp)
	}
}

// global puts the barrier that the accesses of an operation to global memory need, and notes these.
func (f *barrierFinder) global(op *ir.Op, p *pending) {
	f.meet(op, p, nobody)
	list := f.order.accessesOf(op)
	need := nobody
	for _, now := range list {
		for _, old := range p.global {
			who := f.order.needs(old, now)
			if who <= old.met {
				continue
			}
			need = max(need, who)
			if old.what == copies && now.what >= writes && f.probe == nil {
				f.out.drain[op] = true
			}
			if f.probe != nil && !old.op.Block().IsInside(f.probe) {
				f.hit = max(f.hit, who)
			}
		}
	}
	if need > nobody {
		f.meet(op, p, need)
	}
	p.global = add(p.global, list...)
}

// loop walks a loop. What its accesses need for those before the loop is better had before it: once, and by all threads together also where
// they wait in the loop for another program.
func (f *barrierFinder) loop(op *ir.Op, p *pending) {
	if f.probe == nil {
		q := p.clone()
		f.probe, f.hit = op, nobody
		f.round(op, &q)
		who := f.hit
		f.probe = nil
		f.meet(op, p, who)
	}
	for {
		q := p.clone()
		end := f.round(op, &q)
		q.next(op, f.order.loops[op])
		if !p.merge(q) {
			*p = end
			return
		}
	}
}

// round walks an iteration and returns what is pending where the loop ends.
func (f *barrierFinder) round(op *ir.Op, p *pending) (end pending) {
	end = p.clone()
	f.block(op.Body(0), p)
	if op.Def == scf.While {
		end = p.clone()
		f.block(op.Body(1), p)
	}
	return end
}

func (f *barrierFinder) branches(op *ir.Op, p *pending) {
	out := pending{}
	if len(op.Regions()) < 2 || op.Region(1).Empty() {
		out = p.clone()
	}
	for _, r := range op.Regions() {
		if r.Empty() {
			continue
		}
		q := p.clone()
		f.block(r.First(), &q)
		out.merge(q)
	}
	*p = out
}

// bytes are the bytes of the allocations that a view may be of.
func (f *barrierFinder) bytes(v *ir.Value) []interval {
	var out []interval
	for _, root := range f.roots[v] {
		out = append(out, f.alloc.buffers[root]...)
	}
	return out
}

// accesses of an operation.
func (f *barrierFinder) accesses(op *ir.Op) accesses {
	own := f.alloc.buffers[op]
	switch op.Def {
	case ttg.LocalAlloc:
		if op.NumOperands() == 0 {
			return accesses{}
		}
		return accesses{writes: own}
	case ttg.LocalLoad:
		if f.l.crosses(op) { // the cluster meets before and after
			return accesses{meets: true}
		}
		return accesses{reads: f.bytes(op.Operand(0))}
	case ttg.LocalStore:
		return accesses{writes: f.bytes(op.Operand(1))}
	case ttg.AsyncCopy:
		return accesses{writes: f.bytes(op.Slot(1))}
	case ttng.WarpGroupDot:
		return accesses{reads: append(f.bytes(op.Operand(0)), f.bytes(op.Operand(1))...)}
	case tt.Call:
		// The callee's frame lies behind ours; what it leaves pending there matters to the next call.
		fr := f.l.frames[f.l.callee(op)]
		all := interval{fr.base, fr.base + fr.size}
		if fr.size == 0 {
			return accesses{}
		}
		return accesses{reads: []interval{all}, writes: []interval{all}}
	}
	if len(own) > 0 {
		if f.l.crosses(op) { // the cluster has met at its end
			return accesses{writes: own, meets: true}
		}
		return accesses{writes: own, meets: true, after: own}
	}
	return accesses{}
}
