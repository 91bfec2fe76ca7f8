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

// pending are accesses to shared memory, and stores to global memory, since the last barrier. Copies are asynchronous writes that nobody
// has waited for, products what products under way read: a barrier does not end them. Whoever waits has made the access just then, for
// the others.
type pending struct {
	reads, writes, copies, products []interval
	stores                          []stored
}

func (p pending) clone() pending {
	return pending{slices.Clone(p.reads), slices.Clone(p.writes), slices.Clone(p.copies), slices.Clone(p.products), slices.Clone(p.stores)}
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
	p.products, p.stores = add(p.products, q.products...), add(p.stores, q.stores...)
	return p.size() > n
}

func (p *pending) size() int {
	return len(p.reads) + len(p.writes) + len(p.copies) + len(p.products) + len(p.stores)
}

// barrier is one of the block, or of the whole program, which is more where programs have several blocks: those see each other's stores
// only then.
func (p *pending) barrier(program bool) {
	p.reads, p.writes = nil, nil
	if program {
		p.stores = nil
	}
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

// barrierFinder is the walk.
type barrierFinder struct {
	l     *lowering
	alloc *allocation
	roots map[*ir.Value][]*ir.Op
	out   map[*ir.Op]bool
	all   map[*ir.Op]bool // of which the program's barrier
}

// findBarriers are the operations that need a barrier before them, and those of them that need the program's.
func findBarriers(l *lowering, a *allocation, roots map[*ir.Value][]*ir.Op) (barriers, program map[*ir.Op]bool) {
	f := &barrierFinder{l: l, alloc: a, roots: roots, out: map[*ir.Op]bool{}, all: map[*ir.Op]bool{}}
	in := map[*ir.Block]*pending{}
	blocks := l.reachable(l.fn.Region(0))
	for _, b := range blocks {
		in[b] = &pending{}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			p := in[b].clone()
			f.block(b, &p)
			for _, s := range b.Successors() {
				changed = in[s].merge(p) || changed
			}
		}
	}
	return f.out, f.all
}

func (f *barrierFinder) block(b *ir.Block, p *pending) {
	for op := range b.Ops() {
		f.op(op, p)
	}
}

func (f *barrierFinder) op(op *ir.Op, p *pending) {
	switch op.Def {
	case scf.For:
		f.loop(p, op.Body(0))
		return
	case scf.While:
		f.while(p, op.Body(0), op.Body(1))
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
		return
	case ttng.WarpGroupDotWait:
		p.reads = add(p.reads, p.products...)
		if op.IntOr("pendings", 0) == 0 {
			p.products = nil
		}
		return
	}
	a := f.accesses(op)
	back := f.readsBack(op, p)
	if conflict(a.reads, p.writes) || conflict(a.writes, p.writes) || conflict(a.writes, p.reads) || back {
		f.out[op] = true
		f.all[op] = f.all[op] || back
	}
	one := f.l.ctas == 1
	if f.out[op] {
		p.barrier(one || f.all[op])
	}
	if op.Def == tt.Store {
		p.stores = add(p.stores, stored{pointerBase(op.Operand(0)), op.Operand(1).Type})
	}
	if op.Def == ttg.AsyncCopy {
		p.copies = add(p.copies, a.writes...)
		return
	}
	if op.Def == ttng.WarpGroupDot && isAsync(op) {
		p.products = add(p.products, a.reads...)
	}
	p.reads, p.writes = add(p.reads, a.reads...), add(p.writes, a.writes...)
	if a.meets {
		p.barrier(one || f.l.crosses(op))
		p.reads = add(p.reads, a.after...)
	}
}

// loop goes round until what comes back is nothing new.
func (f *barrierFinder) loop(p *pending, body *ir.Block) {
	for {
		q := p.clone()
		f.block(body, &q)
		if !p.merge(q) {
			return
		}
	}
}

func (f *barrierFinder) while(p *pending, cond, body *ir.Block) {
	for {
		q := p.clone()
		f.block(cond, &q)
		end := q.clone()
		f.block(body, &q)
		if !p.merge(q) {
			*p = end
			return
		}
	}
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
