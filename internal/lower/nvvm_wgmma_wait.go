package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// groupWait is a wait or a fence with the registers that pass through it.
type groupWait struct {
	l     *lowering
	types []string
	regs  []string // register constraints of vals
	vals  []string
	uses  []string // 32-bit registers that must be live but are not changed
}

func newGroupWait(l *lowering) *groupWait { return &groupWait{l: l} }

func (w *groupWait) add(typ, reg, val string) {
	w.types, w.regs, w.vals = append(w.types, typ), append(w.regs, reg), append(w.vals, val)
}

func (w *groupWait) emit(code string) []string {
	c := &asmCall{types: w.types}
	for _, r := range w.regs {
		c.constraints = append(c.constraints, "="+r)
	}
	for i, v := range w.vals {
		c.in(w.types[i]+" "+v, itoa(i))
	}
	seen := map[string]bool{}
	for _, v := range w.uses {
		if !seen[v] {
			seen[v] = true
			c.in("i32 "+v, "r")
		}
	}
	return c.emit(w.l, code)
}

// lowerWarpGroupWait emits the wait and passes the operands through it, so that no instruction that uses them
// can come earlier.
func lowerWarpGroupWait(l *lowering, op *ir.Op) {
	w := newGroupWait(l)
	for _, v := range op.Operands() {
		if !ttg.IsMemDesc(v.Type) {
			w.tensor(ir.ElemOf(v.Type), l.regs(v))
		}
	}
	got := w.emit(waitGroup(int(op.IntOr("pendings", 0))))
	for i, v := range op.Operands() {
		if ttg.IsMemDesc(v.Type) {
			l.vals[op.Result(i)] = l.vals[v]
			continue
		}
		var regs []string
		regs, got = w.back(ir.ElemOf(v.Type), len(l.regs(v)), got)
		l.set(op.Result(i), regs)
	}
}

// chunk returns how elements of a type narrower than a register are packed to pass through a wait.
func chunk(elem ir.Type, n int) access { return newAccess(elem, min(n, max(1, 32/bitsOf(elem)))) }

// tensor adds the registers of a tensor.
func (w *groupWait) tensor(elem ir.Type, regs []string) {
	if elem == ir.F32 {
		for _, r := range regs {
			w.add("float", "f", r)
		}
		return
	}
	a := chunk(elem, len(regs))
	for part := range slices.Chunk(regs, a.vec) {
		for _, word := range w.l.pack(a, part) {
			w.add(a.wordType(), a.constraint(), word)
		}
	}
}

// back takes the n registers of a tensor off the words that came out of the wait.
func (w *groupWait) back(elem ir.Type, n int, words []string) (regs, rest []string) {
	if elem == ir.F32 {
		return words[:n], words[n:]
	}
	a := chunk(elem, n)
	for len(regs) < n {
		regs = append(regs, w.l.unpack(a, words[:a.words])...)
		words = words[a.words:]
	}
	return regs, words
}

// groupFence is the instruction that orders writes to registers before the products behind it that use them.
const groupFence = "wgmma.fence.sync.aligned;"

// commitGroup is the instruction that makes a group of the products since the last one.
const commitGroup = "wgmma.commit_group.sync.aligned;"

// waitGroup returns the instruction that waits until at most pendings groups are under way.
func waitGroup(pendings int) string {
	return fmt.Sprintf("wgmma.wait_group.sync.aligned %d;", pendings)
}

// lowerFenceAsync makes the threads' stores to shared memory visible to wgmma, which reads through the
// asynchronous proxy.
func lowerFenceAsync(l *lowering, op *ir.Op) {
	space := "shared::cta"
	if cluster, _ := op.Int("bCluster"); cluster != 0 {
		space = "shared::cluster"
	}
	l.asm("void", "fence.proxy.async."+space+";", "", true)
}

// productsReadCopies reports whether products of warp groups that can follow a wait for copies read shared
// memory that cp.async writes. cp.async belongs to the generic proxy, the reads of wgmma to the asynchronous
// one, so the PTX manual wants a proxy fence between, as for stores. It comes right behind the wait: there
// each thread shows its own copies, before the barrier that follows in any case. Triton has none.
func productsReadCopies(fn, wait *ir.Op) bool {
	roots := memRoots(fn)
	copied, behind := map[*ir.Op]bool{}, false
	var read []*ir.Op
	for op := range fn.Ops() {
		switch {
		case op == wait:
			behind = true
		case op.Def == ttg.AsyncCopy:
			for _, root := range roots[op.Operand(1)] {
				copied[root] = true
			}
		case op.Def == ttng.WarpGroupDot && (behind || inLoopOf(op, wait)):
			read = append(append(read, roots[op.Operand(0)]...), roots[op.Operand(1)]...)
		}
	}
	return slices.ContainsFunc(read, func(root *ir.Op) bool { return copied[root] })
}

// inLoopOf reports whether a loop is around both op and other.
func inLoopOf(op, other *ir.Op) bool {
	for at := op.Parent(); at != nil; at = at.Parent() {
		if (at.Def == scf.For || at.Def == scf.While) && other.IsInside(at) {
			return true
		}
	}
	return false
}
