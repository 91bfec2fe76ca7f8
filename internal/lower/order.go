package lower

import (
	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Global memory is sequential within a program: a load sees the stores before it through the same argument
// and none after it, and the later of two stores wins, whichever threads execute them. Two accesses of which
// one writes are in order without a barrier if
//
//	their arguments differ                                       x and y
//	their elements differ                                        x + i and x + 64 + i, i < 64;
//	                                                             x + 2*i and x + 2*i + 1
//	both go to the same elements, each thread to its own         load x + i, store x + i
//	both are atomics that commute and whose results are unused
//	they belong to different programs that were merged into one
//
// Otherwise a barrier goes between them. Where arguments decide, as in x + k*stride + i of iteration k,
// threads compare them when the kernel starts and meet only if they must. If a thread stores an element of
// which only threads of its warp hold copies, the warp meets (bar.warp.sync); else the block meets, or the
// cluster if blocks hold each other's elements. Package address says which elements an access touches, the
// layout which thread holds them: of the threads that hold an element the first stores and all load. Masks
// are ignored.
//
//	tl.store(t + i, x)                          each thread stores its own elements
//	y = tl.load(t + i)                          no barrier: each thread reads its own
//	z = tl.load(t + (i + 1) % 64)               a barrier: they are a neighbour's
//
// Not ordered: arguments that overlap, several elements of one store with the same address, and atomics among
// themselves.

// level says which threads must meet for two accesses to be in order.
type level uint8

const (
	nobody level = iota
	theWarp
	theBlock
	theProgram
)

// effect says what an access does to memory. Effects from writes on change it.
type effect uint8

const (
	untouched effect = iota
	reads
	copies // asynchronous: reads until it is waited for
	writes
	updates // reads and writes atomically
	puts    // writes by the copy engine, which are complete when they have been waited for
)

// touched is an access to global memory. loops has a bit for each loop whose next iteration has begun since;
// met is the highest barrier since.
type touched struct {
	op    *ir.Op // the access, or the call of a function that contains it
	ptr   *ir.Value
	what  effect
	loops uint64
	met   level
}

// anyLoop is the bit in touched.loops for loops without a bit of their own.
const anyLoop = 63

func isLoop(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.While }

// orderer finds where a function's accesses to global memory need barriers.
type orderer struct {
	l     *lowering
	at    *address.Analysis
	loops map[*ir.Op]int // number of each loop

	private private
	first   map[*ir.Op]bool // loads executed only by the first of the threads that hold an element
	threads map[*ir.Value]bool
}

func newOrderer(l *lowering) *orderer {
	o := &orderer{l: l, at: l.program.addresses(), loops: map[*ir.Op]int{}, private: private{},
		first: map[*ir.Op]bool{}, threads: map[*ir.Value]bool{}}
	for op := range l.fn.Ops() {
		if isLoop(op) {
			o.loops[op] = min(len(o.loops), anyLoop)
		}
	}
	return o
}

// accessesOf returns the accesses of op. A call has all accesses of its callee.
func (o *orderer) accessesOf(op *ir.Op) []touched {
	if op.Def == tt.Call {
		var out []touched
		for inner := range o.l.callee(op).Ops() {
			for _, t := range o.accessesOf(inner) {
				t.op = op
				out = add(out, t)
			}
		}
		return out
	}
	if what := o.l.effects(op).global; what != untouched && !op.HasAttr(ttg.PrefetchAttr) {
		return []touched{{op: op, ptr: op.Operand(0), what: what}}
	}
	return nil
}

// byThreads reports whether threads, rather than the copy engine, may access the memory behind a descriptor
// somewhere in the function.
func (o *orderer) byThreads(desc *ir.Value) bool {
	is, ok := o.threads[desc]
	if ok {
		return is
	}
	for op := range o.l.fn.Ops() {
		for _, t := range o.accessesOf(op) {
			is = is || op.Def == tt.Call || !isDesc(t.ptr) && o.at.MayAlias(t.ptr, desc)
		}
	}
	o.threads[desc] = is
	return is
}

// needs returns the level that must meet between old and now.
func (o *orderer) needs(old, now touched) level {
	if old.what < writes && now.what < writes || !o.at.MayAlias(old.ptr, now.ptr) || o.commute(old, now) ||
		ofPrograms(old.op, now.op) {
		return nobody
	}
	if old.op.Def == tt.Call || now.op.Def == tt.Call {
		return o.everybody()
	}
	if isDesc(old.ptr) || isDesc(now.ptr) {
		if old.loops == 0 && apartBlocks(old.op, now.op) {
			return nobody
		}
		return o.everybody()
	}
	switch o.at.Relate(o.place(old), now.ptr) {
	case address.Apart:
		return nobody
	case address.Same:
		if old.what == copies { // the copy may not have read yet
			return o.everybody()
		}
		return o.holders(old, now)
	}
	return o.everybody()
}

// apartIf returns a condition, known when the kernel starts, under which old and now need no barrier.
// Accesses of the copy engine have none.
func (o *orderer) apartIf(old, now touched) (address.Condition, bool) {
	plain := func(t touched) bool {
		return t.op.Def != tt.Call && !isDesc(t.ptr) &&
			(t.what == reads || t.what == writes || t.what == updates)
	}
	if o.l.ctas > 1 || !plain(old) || !plain(now) {
		return address.Condition{}, false
	}
	return o.at.ApartIf(o.place(old), now.ptr, func(s address.Symbol) bool { return isArgument(s, o.l.fn) })
}

// onlyLoop returns the loop of which iterations lie between an access and now, if it is the only one.
func (o *orderer) onlyLoop(old touched) *ir.Op {
	for loop, n := range o.loops {
		if n != anyLoop && old.loops == 1<<n {
			return loop
		}
	}
	return nil
}

// place returns the place of an earlier access, seen from now: symbols that change in a loop whose next
// iteration has begun have other values.
func (o *orderer) place(old touched) address.Place {
	if old.loops == 0 {
		return address.Place{Ptr: old.ptr}
	}
	return address.Place{Ptr: old.ptr, Loop: o.onlyLoop(old), Changed: func(s address.Symbol) bool {
		if old.loops>>anyLoop&1 != 0 && s.ChangesIn(o.l.fn) && !isArgument(s, o.l.fn) {
			return true
		}
		for loop, n := range o.loops {
			if old.loops>>n&1 != 0 && s.ChangesIn(loop) {
				return true
			}
		}
		return false
	}}
}

// isArgument reports whether s is an argument of fn, which never changes.
func isArgument(s address.Symbol, fn *ir.Op) bool {
	return s.Value != nil && s.Value.IsArg() && s.Value.Block() == fn.Region(0).First()
}

// everybody returns the level of all threads of the program.
func (o *orderer) everybody() level {
	switch {
	case o.l.ctas > 1:
		return theProgram
	case o.l.warps > 1:
		return theBlock
	}
	return theWarp
}

func (o *orderer) commute(old, now touched) bool {
	commutes := o.l.effects(old.op).commutes
	return commutes != nil && old.op.Def == now.op.Def && commutes(old.op, now.op)
}

// ofPrograms reports whether two accesses were in different programs before those were merged into one.
// Programs run in any order.
func ofPrograms(a, b *ir.Op) bool {
	return a.HasAttr(ttg.ProgramAttr) && b.HasAttr(ttg.ProgramAttr) &&
		a.IntOr(ttg.ProgramAttr, 0) != b.IntOr(ttg.ProgramAttr, 0)
}

// apartBlocks reports whether two accesses go through one descriptor to blocks that do not overlap: along a
// dimension their coordinates differ by a constant of at least the size of the block.
func apartBlocks(a, b *ir.Op) bool {
	if a.Operand(0) != b.Operand(0) || !isDesc(a.Operand(0)) {
		return false
	}
	block, from, to := tt.DescBlock(a.Operand(0).Type).Shape, a.Group(1), b.Group(1)
	for i := range block {
		x, m := arith.PlusConstant(from[i])
		y, n := arith.PlusConstant(to[i])
		if x == y && max(m-n, n-m) >= block[i] {
			return true
		}
	}
	return false
}

// private caches, by load, whether each thread uses only its own copy of the loaded elements.
type private map[*ir.Op]bool

// has reports whether a load's value only goes into stores, by way of elementwise operations. Of the threads
// that hold an element only the first stores it, so the copies of the others are unused.
func (p private) has(load *ir.Op) bool {
	is, ok := p[load]
	if !ok {
		is = load.Def == tt.Load && staysInThread(load.Result(0), map[*ir.Value]bool{})
		p[load] = is
	}
	return is
}

func staysInThread(v *ir.Value, seen map[*ir.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for u := range v.Users() {
		switch {
		case u.Def == tt.Store:
			if !sameThreads(u.Operand(0).Type, v.Type) {
				return false
			}
		case u.Def.Has(ir.Elementwise), u.Def == tt.FpToFp, u.Def == tt.Bitcast:
			for _, r := range u.Results() {
				if tt.IsPtr(ir.ElemOf(r.Type)) || !sameThreads(r.Type, v.Type) || !staysInThread(r, seen) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// sameThreads reports whether two tensors have the same layout and shape, or both are scalars.
func sameThreads(a, b ir.Type) bool {
	x, ok := a.(*ir.TensorType)
	y, ok2 := b.(*ir.TensorType)
	if !ok || !ok2 {
		return ok == ok2
	}
	return x.With(ir.I8) == y.With(ir.I8)
}

// holders compares the threads that hold an element in two accesses to the same elements. If a private load
// would need a barrier only because of copies, it is marked in first instead: then only the first holder
// loads.
func (o *orderer) holders(old, now touched) level {
	from, to := old, now // to is the access that writes
	if to.what < writes {
		from, to = now, old
	}
	who := o.sharing(from, to, from.what >= writes)
	if who != nobody && o.private.has(from.op) && o.sharing(from, to, true) == nobody {
		o.first[from.op] = true
		return nobody
	}
	return who
}

// sharing returns how far the threads that hold an element in from, or only the first of them, are from the
// first holder in to.
func (o *orderer) sharing(from, to touched, first bool) level {
	ft, ok := from.ptr.Type.(*ir.TensorType)
	tensor, ok2 := to.ptr.Type.(*ir.TensorType)
	if !ok || !ok2 { // a scalar is stored by one thread and loaded by all
		if ok == ok2 && first {
			return nobody
		}
		return o.everybody()
	}
	src := o.l.layout(from.op, ft)
	places, ok := src.FirstPlaces(o.l.layout(to.op, tensor))
	if !ok {
		return o.everybody()
	}
	for _, x := range []struct {
		dim string
		far level
	}{{layout.Block, theProgram}, {layout.Warp, theBlock}, {layout.Lane, theWarp}} {
		if !staysIn(src, places, x.dim, first) {
			return x.far
		}
		// the warps that the layout does not mention repeat the elements
		if x.dim == layout.Warp && !first && src.InSize(layout.Warp) < o.l.warps {
			return theBlock
		}
	}
	return nobody
}

// staysIn reports whether places keeps dim: each bit of dim maps to itself and all other bits to none of it.
// With first, bits over which from repeats elements are ignored.
func staysIn(from, places layout.Layout, dim string, first bool) bool {
	if !places.HasOut(dim) {
		return !from.HasIn(dim) || from.InSize(dim) == 1
	}
	free := from.FreeVariables()
	for d, in := range from.InNames() {
		for i := range from.InBits(in) {
			want := 0
			if in == dim {
				want = 1 << i
			}
			if first && free[d]>>i&1 != 0 {
				continue
			}
			if places.BasisAlong(in, i, dim) != want {
				return false
			}
		}
	}
	return true
}
