package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Global memory is sequential within a program: a load sees the stores before it by the same argument, and none after it, and the later of
// two stores wins, whatever threads make them. Two accesses of which one writes are in order without a barrier if
//
//	their arguments differ                                     x and y
//	their elements differ                                      x + i and x + 64 + i, i < 64; x + 2*i and x + 2*i + 1
//	both go to the same elements, each thread to its own       load x + i, store x + i
//	both are atomics that commute and whose results nobody wants
//
// Where one thread stores what others of its warp have copies of, the warp meets (bar.warp.sync); else the block does, or the cluster where
// blocks have each other's elements. What elements an access has is said by package address, which thread has them by the layout: of threads
// with the same element the first stores, and all load. Masks are not looked at.
//
//	tl.store(t + i, x)                          each thread stores its own elements
//	y = tl.load(t + i)                          no barrier: each thread reads its own
//	z = tl.load(t + (i + 1) % 64)               a barrier: they are a neighbour's
//
// What is left to chance: arguments that overlap, several elements of one store with one address, the order of atomics among themselves.

// level is who has to meet for two accesses to be in order.
type level uint8

const (
	nobody level = iota
	theWarp
	theBlock
	theProgram
)

// effect is what an access does.
type effect uint8

const (
	reads  effect = iota
	copies        // reads until it is waited for
	writes
	updates // atomically
)

// touched is an access to global memory. Loops has a bit for each loop whose next iteration has begun since, met is the largest barrier since.
type touched struct {
	op    *ir.Op // the access, or a call of a function that makes it
	ptr   *ir.Value
	what  effect
	loops uint64
	met   level
}

// anyLoop is the number of loops without one of their own.
const anyLoop = 63

func isLoop(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.While }

// orderer finds where the accesses of a function to global memory need barriers.
type orderer struct {
	l     *lowering
	at    *address.Analysis
	loops map[*ir.Op]int // by number

	private private
	first   map[*ir.Op]bool // loads that only the first thread with an element makes
}

func newOrderer(l *lowering) *orderer {
	o := &orderer{l: l, at: l.program.addresses(), loops: map[*ir.Op]int{}, private: private{}, first: map[*ir.Op]bool{}}
	for op := range l.fn.Ops() {
		if isLoop(op) {
			o.loops[op] = min(len(o.loops), anyLoop)
		}
	}
	return o
}

// accessesOf are those of an operation: of a call, all that the function makes.
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
	switch op.Def {
	case tt.Load:
		return []touched{{op: op, ptr: op.Operand(0), what: reads}}
	case ttg.AsyncCopy:
		return []touched{{op: op, ptr: op.Operand(0), what: copies}}
	case tt.Store:
		return []touched{{op: op, ptr: op.Operand(0), what: writes}}
	case tt.AtomicRMW, tt.AtomicCAS:
		return []touched{{op: op, ptr: op.Operand(0), what: updates}}
	}
	return nil
}

// needs is who has to meet between an access and one that comes now.
func (o *orderer) needs(old, now touched) level {
	if old.what < writes && now.what < writes || !o.at.MayAlias(old.ptr, now.ptr) || commute(old, now) {
		return nobody
	}
	if old.op.Def == tt.Call || now.op.Def == tt.Call {
		return o.everybody()
	}
	switch o.at.Relate(o.place(old), now.ptr) {
	case address.Apart:
		return nobody
	case address.Same:
		if old.what == copies { // it may not have read yet
			return o.everybody()
		}
		return o.holders(old, now)
	}
	return o.everybody()
}

// place is where an access went, seen from now.
func (o *orderer) place(old touched) address.Place {
	if old.loops == 0 {
		return address.Place{Ptr: old.ptr}
	}
	return address.Place{Ptr: old.ptr, Changed: func(s address.Symbol) bool {
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

// isArgument reports whether a symbol is an argument of the function: those stay what they are.
func isArgument(s address.Symbol, fn *ir.Op) bool {
	return s.Value != nil && s.Value.IsArg() && s.Value.Block() == fn.Region(0).First()
}

// everybody are all threads of the program.
func (o *orderer) everybody() level {
	switch {
	case o.l.ctas > 1:
		return theProgram
	case o.l.warps > 1:
		return theBlock
	}
	return theWarp
}

// commuting are the kinds of atomics that give the same in any order.
var commuting = []int64{tt.RMWAnd, tt.RMWOr, tt.RMWXor, tt.RMWAdd, tt.RMWFAdd, tt.RMWMax, tt.RMWMin, tt.RMWUMax, tt.RMWUMin}

func commute(old, now touched) bool {
	a, b := old.op, now.op
	if a.Def != tt.AtomicRMW || b.Def != tt.AtomicRMW || a.Result(0).HasUses() || b.Result(0).HasUses() {
		return false
	}
	kind := a.IntOr("atomic_rmw_op", 0)
	return kind == b.IntOr("atomic_rmw_op", 0) && slices.Contains(commuting, kind)
}

// private are the loads of which each copy is wanted by its own thread alone.
type private map[*ir.Op]bool

// has reports whether a load's value only goes into stores, by way of elementwise operations: of threads with copies of an element the first
// stores, and what the others have loaded is of no use.
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

// sameThreads reports whether tensors have the same layout and shape, or both are scalars.
func sameThreads(a, b ir.Type) bool {
	x, ok := a.(*ir.TensorType)
	y, ok2 := b.(*ir.TensorType)
	if !ok || !ok2 {
		return ok == ok2
	}
	return x.With(ir.I8) == y.With(ir.I8)
}

// holders compares the threads that have an element in two accesses to the same elements. A load that nobody else wants is made by the
// first of them alone where that is enough.
func (o *orderer) holders(old, now touched) level {
	from, to := old, now // to writes
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

// sharing is how far the threads with an element in one access, or the first of them, are from the first with it in another.
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
		if x.dim == layout.Warp && !first && src.InSize(layout.Warp) < o.l.warps { // the others repeat them
			return theBlock
		}
	}
	return nobody
}

// staysIn reports whether places keep a dimension: each bit of it goes to itself, all others to none of it. With first, bits in which from
// repeats itself do not count.
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
