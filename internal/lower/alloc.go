package lower

import (
	"sort"

	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// sharedAlign is the alignment in bytes of scratch buffers, bufferAlign of buffers of ttg.local_alloc unless
// the vendor asks for more.
const (
	sharedAlign = 16
	bufferAlign = 128
)

// allocation holds the places of a function's buffers in shared memory and the barriers that the accesses to
// them need.
type allocation struct {
	size     int // bytes of the function's own frame, callees not included
	buffers  map[*ir.Op][]interval
	barriers barriers
}

// interval is the range [lo, hi) of bytes of shared memory. byWarps says that it is divided evenly among the
// warps, in order, and each touches its own part alone.
type interval struct {
	lo, hi  int
	byWarps bool
}

func (a interval) overlaps(b interval) bool { return a.lo < b.hi && b.lo < a.hi }

// divided reports whether no warp touches bytes of both that another warp touches.
func (a interval) divided(b interval) bool { return a.byWarps && a == b }

// scratch returns the first byte of each buffer of op.
func (a *allocation) scratch(op *ir.Op) []int {
	var out []int
	for _, b := range a.buffers[op] {
		out = append(out, b.lo)
	}
	return out
}

// need describes a buffer to be placed. It lives from operation number from to operation number to, both
// included.
type need struct {
	op          *ir.Op
	index       int // position among the buffers of op
	size, align int
	from, to    int
}

// allocate places the buffers of l's function from byte base on and finds the barriers. It reads the frames
// of callees, so program.place must have run for all functions.
func allocate(l *lowering, base int) *allocation {
	roots := memRoots(l.fn)
	a := placeBuffers(l, roots, base)
	a.barriers = findBarriers(l, a, roots)
	return a
}

// placeBuffers gives buffers that live at the same time disjoint intervals.
func placeBuffers(l *lowering, roots map[*ir.Value][]*ir.Op, base int) *allocation {
	needs := l.needs(roots)
	a := &allocation{buffers: map[*ir.Op][]interval{}}
	// The largest first: small buffers then fill the gaps.
	order := make([]int, len(needs))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return needs[order[i]].size > needs[order[j]].size })
	placed := make([]interval, len(needs))
	for k, i := range order {
		placed[i] = fit(needs, placed, order[:k], i, base)
		a.size = max(a.size, placed[i].hi-base)
	}
	for i, n := range needs {
		if n.op.Def == ttg.ConvertLayout && l.ctas == 1 {
			placed[i] = l.moreRoom(needs, placed, i, interval{lo: base, hi: base + a.size})
		}
		placed[i].byWarps = n.op.Def == ttg.ConvertLayout && l.staysInWarps(l.conversion(n.op))
		a.buffers[n.op] = append(a.buffers[n.op], placed[i])
	}
	return a
}

// moreRoom returns a larger interval for the layout conversion needs[i] if memory next to it is unused while
// it runs: a conversion with more room takes fewer rounds. all is the function's whole frame, which does not
// grow.
func (l *lowering) moreRoom(needs []need, placed []interval, i int, all interval) interval {
	op, most := needs[i].op, all
	for j, m := range needs {
		if j == i || m.from > needs[i].to || needs[i].from > m.to {
			continue
		}
		if placed[j].lo >= placed[i].hi {
			most.hi = min(most.hi, placed[j].lo)
		}
		if placed[j].hi <= placed[i].lo {
			most.lo = max(most.lo, placed[j].hi)
		}
	}
	full := l.conversion(op).bytes(ir.ElemOf(op.Result(0).Type))
	size := placed[i].hi - placed[i].lo
	lo := align(most.lo, sharedAlign)
	for size < full && lo+2*size <= most.hi {
		size *= 2
	}
	if size == placed[i].hi-placed[i].lo {
		return placed[i]
	}
	return interval{lo: lo, hi: lo + size}
}

// fit returns the lowest interval at which buffer i overlaps no buffer of done that lives at the same time.
func fit(needs []need, placed []interval, done []int, i, base int) interval {
	n := needs[i]
	at := align(base, n.align)
	for moved := true; moved; {
		moved = false
		for _, j := range done {
			m := needs[j]
			if m.from <= n.to && n.from <= m.to && (interval{lo: at, hi: at + n.size}).overlaps(placed[j]) {
				at, moved = align(placed[j].hi, n.align), true
			}
		}
	}
	return interval{lo: at, hi: at + n.size}
}

func align(n, to int) int { return (n + to - 1) / to * to }

// opNumbers numbers the operations of blocks in the order of the list.
func opNumbers(blocks []*ir.Block) map[*ir.Op]int {
	number := map[*ir.Op]int{}
	for _, b := range blocks {
		for top := range b.Ops() {
			for op := range top.Ops() {
				number[op] = len(number)
			}
		}
	}
	return number
}

// needs returns the buffers of the function with their lifetimes.
func (l *lowering) needs(roots map[*ir.Value][]*ir.Op) []need {
	blocks := l.reachable(l.fn.Region(0)) // in an order in which they run, unless they loop
	number, last := opNumbers(blocks), map[*ir.Op]int{}
	l.fn.WalkPost(func(op *ir.Op) { // last[op] is the number of the last operation nested in op
		last[op] = max(last[op], number[op])
		if p := op.Parent(); p != nil {
			last[p] = max(last[p], last[op])
		}
	})
	ends := l.lastUses(roots, last, hasBackEdge(blocks))
	var out []need
	for op := range l.fn.Ops() {
		if op.Def == ttg.LocalAlloc {
			size := localBytes(op.Result(0).Type)
			m, _ := ttg.MemDescOf(op.Result(0).Type)
			a := l.vendor.bufferAlign(m)
			from, to := number[op], max(number[op], ends[op])
			for p := op.Parent(); p != nil && p != l.fn; p = p.Parent() {
				// the buffer is still used in the next iteration
				if (p.Def == scf.For || p.Def == scf.While) && (last[p] < to || carries(p, op, roots)) {
					from, to = number[p], max(to, last[p])
				}
			}
			out = append(out, need{op: op, size: size, align: a, from: from, to: to})
			continue
		}
		for i, size := range scratchSizes(l, op) {
			out = append(out, need{op: op, index: i, size: size,
				align: max(sharedAlign, l.fact(op.Def).align), from: number[op], to: number[op]})
		}
	}
	return out
}

// carries reports whether a loop hands a buffer that it allocates to its next iteration.
func carries(loop, alloc *ir.Op, roots map[*ir.Value][]*ir.Op) bool {
	for _, arg := range loop.Body(0).Args() {
		if containsOp(roots[arg], alloc) {
			return true
		}
	}
	return false
}

// lastUses returns, for each allocation, the number of the last operation that needs it. A use inside a loop
// keeps a buffer allocated outside until the loop ends. Branches backwards between blocks keep every buffer
// until the function ends, because blocks have no nesting to read lifetimes from.
func (l *lowering) lastUses(roots map[*ir.Value][]*ir.Op, last map[*ir.Op]int, loops bool) map[*ir.Op]int {
	ends := map[*ir.Op]int{}
	for v, rs := range roots {
		for user := range v.Users() {
			for _, root := range rs {
				end := last[l.done(user)]
				for p := user.Parent(); p != nil && p != l.fn && !root.IsInside(p); p = p.Parent() {
					if p.Def == scf.For || p.Def == scf.While {
						end = max(end, last[p])
					}
				}
				if loops {
					end = last[l.fn]
				}
				ends[root] = max(ends[root], end)
			}
		}
	}
	return ends
}

// done returns the operation after which op's operands may be overwritten: op itself, or for an asynchronous
// product or store the wait that leaves none pending.
func (l *lowering) done(op *ir.Op) *ir.Op {
	var wait *ir.OpDef
	if until := l.effects(op).until; until != nil {
		wait = until(op)
	}
	if wait == nil {
		return op
	}
	for at := op; at != l.fn; at = at.Parent() {
		for next := at.Next(); next != nil; next = next.Next() {
			if next.Def == wait && next.IntOr("pendings", 0) == 0 {
				return next
			}
		}
	}
	return l.fn
}

// hasBackEdge reports whether a block branches to itself or to an earlier one of the list.
func hasBackEdge(blocks []*ir.Block) bool {
	seen := map[*ir.Block]bool{}
	for _, b := range blocks {
		seen[b] = true
		for _, s := range b.Successors() {
			if seen[s] {
				return true
			}
		}
	}
	return false
}

// memRoots maps each memory descriptor to the allocations that it may be a view of. Loops, ifs and branches
// pass views on, so a value can have several roots.
func memRoots(fn *ir.Op) map[*ir.Value][]*ir.Op {
	roots := map[*ir.Value][]*ir.Op{}
	changed := false
	join := func(to *ir.Value, from ...*ir.Value) {
		if !ttg.IsMemDesc(to.Type) {
			return
		}
		for _, f := range from {
			for _, r := range roots[f] {
				if !containsOp(roots[to], r) {
					roots[to], changed = append(roots[to], r), true
				}
			}
		}
	}
	for op := range fn.Ops() {
		if op.Def == ttg.LocalAlloc {
			roots[op.Result(0)] = []*ir.Op{op}
		}
	}
	if len(roots) == 0 {
		return roots
	}
	for changed = true; changed; {
		changed = false
		for op := range fn.Ops() {
			joinRoots(op, join)
		}
	}
	return roots
}

func containsOp(list []*ir.Op, op *ir.Op) bool {
	for _, o := range list {
		if o == op {
			return true
		}
	}
	return false
}

// joinRoots calls join for every value that op defines and the operands it may stand for.
func joinRoots(op *ir.Op, join func(to *ir.Value, from ...*ir.Value)) {
	switch op.Def {
	case scf.For:
		body := op.Body(0)
		yield := body.Terminator()
		for i, init := range op.Operands()[3:] {
			join(body.Arg(i+1), init, yield.Operand(i))
			join(op.Result(i), init, yield.Operand(i))
		}
	case scf.While:
		cond, body := op.Body(0), op.Body(1)
		for i, init := range op.Operands() {
			join(cond.Arg(i), init, body.Terminator().Operand(i))
		}
		for i, v := range cond.Terminator().Operands()[1:] {
			join(body.Arg(i), v)
			join(op.Result(i), v)
		}
	case scf.If:
		for i, r := range op.Results() {
			join(r, op.Body(0).Terminator().Operand(i), op.Body(1).Terminator().Operand(i))
		}
	case cf.Br:
		for i, v := range op.Operands() {
			join(op.Successors()[0].Arg(i), v)
		}
	case cf.CondBr:
		for k, to := range op.Successors() {
			for i, v := range op.Group(k + 1) {
				join(to.Arg(i), v)
			}
		}
	default:
		if op.NumResults() > 0 && op.NumOperands() > 0 && op.Def != ttg.LocalAlloc {
			for _, r := range op.Results() {
				if ttg.IsMemDesc(r.Type) {
					join(r, op.Operands()...)
				}
			}
		}
	}
}
