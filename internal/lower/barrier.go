package lower

import (
	"maps"
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Barriers in shared memory: an operation that touches bytes needs a barrier before it if another thread may
// have written them since the last barrier or, if the operation writes, may have read them. findBarriers
// walks the function with the pending accesses, loops until a fixed point, and records the operations that
// need a barrier. A missing barrier is a race; a superfluous one only costs time.

// pending holds the accesses since the last barrier. copies are asynchronous writes to shared memory that no
// thread has waited for and products are reads of wgmma still under way: a barrier does not end them. A wait
// turns them into plain writes and reads, which the next barrier orders for the other threads. stores are
// reads of the copy engine under way, in the same way. byFirst is what the first thread alone has written,
// barriers.
//
// The copy engine accesses memory through the asynchronous proxy. A barrier does not order accesses of
// threads before those of that proxy: a load that was issued before the barrier may read what a copy issued
// behind it has written. Every thread must execute a proxy fence first, and then meet the others. byThreads
// is the shared memory that threads have read or written without a fence since, whether a barrier followed or
// not: the copy engine must not write it. fenced are the bytes of byThreads with a fence and no barrier
// behind it. unshown is the same as byThreads for global memory: the copy engine must not touch what threads
// wrote, nor write what they read.
type pending struct {
	reads, writes, copies, products, stores, byThreads, fenced, byFirst []interval

	global, unshown []touched

	last []*ir.Op // the last barriers on the paths to here; nil is one that takes no fence before it
}

// intervals returns the lists of intervals.
func (p *pending) intervals() []*[]interval {
	return []*[]interval{&p.reads, &p.writes, &p.copies, &p.products, &p.stores, &p.byThreads, &p.fenced,
		&p.byFirst}
}

func (p pending) clone() pending {
	for _, list := range p.intervals() {
		*list = slices.Clone(*list)
	}
	p.global, p.unshown, p.last = slices.Clone(p.global), slices.Clone(p.unshown), slices.Clone(p.last)
	return p
}

func add[T comparable](list []T, more ...T) []T {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// merge adds the accesses of q, which arrive along another path, and reports whether any was new.
func (p *pending) merge(q pending) bool {
	n := p.size()
	from := q.intervals()
	for i, list := range p.intervals() {
		*list = add(*list, *from[i]...)
	}
	p.global, p.unshown = add(p.global, q.global...), add(p.unshown, q.unshown...)
	p.last = add(p.last, q.last...)
	return p.size() > n
}

func (p *pending) size() int {
	n := len(p.global) + len(p.unshown) + len(p.last)
	for _, list := range p.intervals() {
		n += len(*list)
	}
	return n
}

// barrier ends the pending accesses to shared memory at a barrier before op; op is nil if no fence can be
// placed before that barrier. program says whether the whole cluster met: with several blocks in a program,
// stores to global memory of one block are visible to another only then.
func (p *pending) barrier(op *ir.Op, program bool) {
	p.reads, p.writes, p.byFirst, p.fenced = nil, nil, nil, nil
	p.last = []*ir.Op{op}
	if program {
		p.met(theProgram)
	} else {
		p.met(theBlock)
	}
}

// met records a barrier of a level for the accesses to global memory. Copies that nobody has waited for stay
// pending.
func (p *pending) met(by level) {
	var rest []touched
	for _, t := range p.global {
		if t.what != copies && t.what != puts {
			t.met = max(t.met, by)
		}
		if t.met < theProgram {
			rest = add(rest, t)
		}
	}
	p.global = rest
}

// waited turns asynchronous copies into reads, which are complete now. Unless all copies were waited for,
// they stay pending as copies too.
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

// flushed turns stores of the copy engine into plain writes, which are complete now.
func (p *pending) flushed() {
	for i, t := range p.global {
		if t.what == puts {
			p.global[i].what = writes
		}
	}
}

// next records that another iteration of loop, which has number n, begins.
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

// conflict returns the threads that must meet between accesses to a and to b.
func conflict(a, b []interval) level {
	need := nobody
	for _, x := range a {
		for _, y := range b {
			switch {
			case x.divided(y):
				need = max(need, theWarp)
			case x.overlaps(y):
				return theBlock
			}
		}
	}
	return need
}

// accesses lists the bytes of shared memory that an operation touches.
type accesses struct {
	reads, writes []interval
	meets         bool       // the operation contains a barrier, behind reads and writes
	after         []interval // bytes read behind that barrier
	first         bool       // only the first thread does it
	byEngine      bool       // the copy engine does it
	async         bool       // through the asynchronous proxy, until a wait
}

// barriers says, by operation, which threads must meet before it.
type barriers struct {
	who   map[*ir.Op]level
	drain map[*ir.Op]bool  // wait for asynchronous copies before the barrier
	flush map[*ir.Op]bool  // wait for stores of the copy engine before the barrier
	fence map[*ir.Op]proxy // order accesses of threads and of the copy engine before the barrier
	first map[*ir.Op]bool  // loads executed only by the first of the threads that hold an element

	unless map[*ir.Op][]address.Condition // the block meets unless all hold
}

// proxy says where accesses of threads come before those of the copy engine.
type proxy uint8

const (
	noProxy proxy = iota
	sharedProxy
	anyProxy
)

// note raises the level that op needs to who.
func (b barriers) note(op *ir.Op, who level) { b.who[op] = max(b.who[op], who) }

// barrierFinder walks a function and collects its barriers.
type barrierFinder struct {
	l     *lowering
	alloc *allocation
	roots map[*ir.Value][]*ir.Op
	order *orderer
	out   barriers
	probe *ir.Op // loop that is walked ahead of time to find its needs, nil outside of such a walk
	hit   level  // level that an access in probe needs because of an access before the loop
	known fences
}

// barriersOf returns the barriers of l's function. All threads of the block also meet before the operations
// of early. A walk may find that a fence is missing before a barrier that it has passed; then it begins anew.
func barriersOf(l *lowering, a *allocation, roots map[*ir.Value][]*ir.Op, early []*ir.Op) barriers {
	known := fences{where: map[*ir.Op]proxy{}, meet: slices.Clone(early)}
	for {
		f := &barrierFinder{l: l, alloc: a, roots: roots, order: newOrderer(l), known: known, out: barriers{
			who: map[*ir.Op]level{}, drain: map[*ir.Op]bool{}, flush: map[*ir.Op]bool{},
			fence: maps.Clone(known.where), unless: map[*ir.Op][]address.Condition{},
		}}
		f.out.first = f.order.first
		for _, op := range known.meet {
			f.out.note(op, theBlock)
		}
		f.walk()
		if !f.known.more {
			return f.out
		}
		known = fences{where: f.known.where, meet: f.known.meet}
	}
}

// walk visits the blocks of the function until a fixed point.
func (f *barrierFinder) walk() {
	in, number := map[*ir.Block]*pending{}, map[*ir.Block]int{}
	blocks := f.l.reachable(f.l.fn.Region(0))
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
				if number[s] <= i { // a branch backwards: any value may have changed
					q.next(f.l.fn, anyLoop)
				}
				changed = in[s].merge(q) || changed
			}
		}
	}
}

func (f *barrierFinder) block(b *ir.Block, p *pending) {
	for op := range b.Ops() {
		f.op(op, p)
	}
}

func (f *barrierFinder) op(op *ir.Op, p *pending) {
	e := f.l.effects(op)
	switch {
	case isLoop(op):
		f.loop(op, p)
		return
	case op.Def == scf.If:
		f.meet(op, p, nobody)
		f.branches(op, p)
		return
	case e.settles != nil:
		f.passFence(op, p)
		e.settles(p, op)
		return
	}
	a := f.accesses(op)
	clash := max(conflict(a.reads, p.writes), conflict(a.writes, p.writes), conflict(a.writes, p.reads))
	if !a.first {
		clash = max(clash, conflict(a.reads, p.byFirst), conflict(a.writes, p.byFirst))
	}
	f.meet(op, p, clash)
	f.showShared(op, p, a)
	f.global(op, p)
	if e.leaves != nil {
		e.leaves(f, op, p, a)
		return
	}
	f.byThreads(op, p, a)
}

// accesses returns the bytes of shared memory that op touches.
func (f *barrierFinder) accesses(op *ir.Op) accesses {
	if touches := f.l.effects(op).touches; touches != nil {
		return touches(f, op)
	}
	return touchesScratch(f, op)
}

// byThreads makes op's accesses pending until the next barrier.
func (f *barrierFinder) byThreads(op *ir.Op, p *pending, a accesses) {
	p.reads, p.writes = add(p.reads, a.reads...), add(p.writes, a.writes...)
	if !a.async {
		p.byThreads = add(add(p.byThreads, a.reads...), a.writes...)
	}
	if a.meets {
		p.barrier(nil, f.l.ctas == 1 || f.l.crosses(op))
		p.reads, p.byThreads = add(p.reads, a.after...), add(p.byThreads, a.after...)
	}
}

// meet records a barrier of level who before op and applies it to p. A barrier found earlier at the same op
// counts as well: the walk may pass op several times.
func (f *barrierFinder) meet(op *ir.Op, p *pending, who level) {
	if f.probe == nil {
		f.out.note(op, who)
	}
	who = max(who, f.out.who[op])
	if f.out.drain[op] {
		p.waited(true)
	}
	if f.out.flush[op] {
		p.flushed()
	}
	switch {
	case who >= theBlock:
		f.passFence(op, p)
		p.barrier(op, f.l.ctas == 1 || who == theProgram)
	case who == theWarp:
		p.met(theWarp)
	}
}

// global adds the barrier that op's accesses to global memory need and makes the accesses pending.
func (f *barrierFinder) global(op *ir.Op, p *pending) {
	list := f.order.accessesOf(op)
	need := nobody
	for _, now := range list {
		for _, old := range p.global {
			who := f.order.needs(old, now)
			if who <= old.met || who == theBlock && f.meetUnless(op, old, now) {
				continue
			}
			need = max(need, who)
			if old.what == copies && now.what >= writes && f.probe == nil {
				f.out.drain[op] = true
			}
			if old.what == puts && f.probe == nil {
				f.out.flush[op] = true
				if f.order.byThreads(old.ptr) {
					f.out.fence[op] = anyProxy
				}
			}
			if old.what != puts && isDesc(now.ptr) && !isDesc(old.ptr) && f.probe == nil {
				f.out.fence[op] = anyProxy
			}
			if f.probe != nil && !old.op.Block().IsInside(f.probe) {
				f.hit = max(f.hit, who)
			}
		}
	}
	if need > nobody {
		f.meet(op, p, need)
	}
	f.showGlobal(op, p, list)
	p.global = add(p.global, list...)
}

// meetUnless records a barrier before op that old and now need only for some arguments, and reports whether
// there is such a condition. Other accesses cannot count on that barrier.
func (f *barrierFinder) meetUnless(op *ir.Op, old, now touched) bool {
	c, ok := f.order.apartIf(old, now)
	if ok && f.probe == nil && !slices.ContainsFunc(f.out.unless[op], c.Equal) {
		f.out.unless[op] = append(f.out.unless[op], c)
	}
	return ok
}

// loop walks a loop to a fixed point. A barrier for accesses before the loop goes in front of it rather than
// inside: it runs once, and all threads reach it, also where they spin in the loop waiting for another
// program.
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
		if op.HasAttr(ttg.ProgramsAttr) { // nothing orders programs
			q.global = slices.DeleteFunc(q.global, func(t touched) bool { return t.op.Block().IsInside(op) })
		}
		if !p.merge(q) {
			*p = end
			return
		}
	}
}

// round walks one iteration and returns the accesses pending where the loop ends.
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

// bytes returns the intervals of all allocations that v may be a view of.
func (f *barrierFinder) bytes(v *ir.Value) []interval {
	var out []interval
	for _, root := range f.roots[v] {
		out = append(out, f.alloc.buffers[root]...)
	}
	return out
}

// unguarded returns the bytes of v, without those whose readers and writers a barrier in memory orders.
func (f *barrierFinder) unguarded(v *ir.Value) []interval {
	if f.guarded(v) {
		return nil
	}
	return f.bytes(v)
}

func (f *barrierFinder) guarded(v *ir.Value) bool {
	return slices.ContainsFunc(f.roots[v], func(r *ir.Op) bool { return r.HasAttr(ttg.GuardedAttr) })
}
