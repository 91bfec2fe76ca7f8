package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// inline lowers the only block of a region with the given values for its arguments and returns the operands of its terminator.
func (l *lowering) inline(b *ir.Block, args []string) []string {
	for i, a := range b.Args() {
		l.setOne(a, args[i])
	}
	l.block_(b)
	term := b.Terminator()
	out := make([]string, term.NumOperands())
	for i := range out {
		out[i] = l.scalar(term.Operand(i))
	}
	return out
}

// combine applies the reduction's region to two sets of values.
func (l *lowering) combine(op *ir.Op, a, b []string) []string {
	return l.inline(op.Body(0), append(slices.Clone(a), b...))
}

// lowerReduce reduces along an axis in three steps: the registers of a thread, the lanes of a warp by shuffles, the warps through
// shared memory. Which bits of register, lane and warp move along the axis is read off the layout.
func lowerReduce(l *lowering, op *ir.Op) {
	axis := int(op.IntOr("axis", 0))
	src := l.layout(op, op.Operand(0).Type)
	along := layout.TensorDim(axis)
	r := &reduction{l: l, op: op, axis: axis, ll: src, along: along}
	r.elems = make([]ir.Type, op.NumOperands())
	for i := range r.elems {
		r.elems[i] = ir.ElemOf(op.Operand(i).Type)
	}
	r.registers()
	r.lanes()
	warpBits := r.bits(layout.Warp)
	if len(warpBits) > 0 {
		r.warps(warpBits)
		return
	}
	r.finish(func(coords []int) []string { return r.acc[fmt.Sprint(coords)] })
}

// reduction is a reduction under way: acc holds the partial results of this thread by the coordinates, of its registers alone, that
// are left when the axis is dropped.
type reduction struct {
	l     *lowering
	op    *ir.Op
	axis  int
	along string
	ll    layout.Layout
	elems []ir.Type
	acc   map[string][]string
	keys  [][]int
}

// dropAxis is coords without the axis.
func dropAxis(coords []int, axis int) []int {
	return append(append([]int{}, coords[:axis]...), coords[axis+1:]...)
}

// registers combines what one thread holds.
func (r *reduction) registers() {
	r.acc = map[string][]string{}
	free := r.ll.FreeVariablesIn(layout.Register)
	for i := range r.ll.InSize(layout.Register) {
		if i&free != 0 {
			continue // a copy
		}
		vals := make([]string, len(r.elems))
		for k := range vals {
			vals[k] = r.l.regs(r.op.Operand(k))[i]
		}
		rest := dropAxis(registerCoords(r.ll, i), r.axis)
		key := fmt.Sprint(rest)
		if have, ok := r.acc[key]; ok {
			r.acc[key] = r.l.combine(r.op, have, vals)
			continue
		}
		r.acc[key] = vals
		r.keys = append(r.keys, rest)
	}
}

// bits are the bits of an input dimension that move along the axis. A bit that moves along another dimension too is not handled.
func (r *reduction) bits(in string) []int {
	if !r.ll.HasIn(in) {
		return nil
	}
	var out []int
	for i := range r.ll.InBits(in) {
		basis := r.ll.Basis(in, i)
		if basis[r.axis] == 0 {
			continue
		}
		for d, c := range basis {
			if d != r.axis && c != 0 {
				r.l.fail(r.op, "a layout whose %s bit %d moves along two dimensions", in, i)
			}
		}
		out = append(out, i)
	}
	return out
}

// lanes combines across a warp by butterfly shuffles.
func (r *reduction) lanes() {
	bits := r.bits(layout.Lane)
	for i := len(bits) - 1; i >= 0; i-- {
		for _, key := range r.keys {
			k := fmt.Sprint(key)
			mine := r.acc[k]
			theirs := make([]string, len(mine))
			for e, v := range mine {
				theirs[e] = r.l.shuffleXor(v, r.elems[e], 1<<bits[i])
			}
			r.acc[k] = r.l.combine(r.op, mine, theirs)
		}
	}
}

// shuffleXor is the value that the lane whose number differs in the given bits holds.
func (l *lowering) shuffleXor(v string, t ir.Type, bits int) string {
	return l.byWords(v, t, func(w string) string {
		return l.call("i32", "llvm.nvvm.shfl.sync.bfly.i32", "i32 -1", "i32 "+w, fmt.Sprintf("i32 %d", bits), "i32 31")
	})
}

// byWords applies f to the 32-bit words of a value.
func (l *lowering) byWords(v string, t ir.Type, f func(string) string) string {
	a := newAccess(t, 1)
	switch {
	case a.bits == 64:
		w := l.bitcast(l.toMem(a, v), a.memElem(), "i64")
		lo := l.val("trunc i64 %s to i32", w)
		hi := l.val("trunc i64 %s to i32", l.val("lshr i64 %s, 32", w))
		x := l.val("zext i32 %s to i64", f(lo))
		y := l.val("shl i64 %s, 32", l.val("zext i32 %s to i64", f(hi)))
		return l.fromMem(a, l.bitcast(l.val("or disjoint i64 %s, %s", x, y), "i64", a.memElem()))
	case a.bits == 32:
		return l.bitcast(f(l.bitcast(v, a.memElem(), "i32")), "i32", a.memElem())
	}
	w := l.bitcast(l.toMem(a, v), a.memElem(), fmt.Sprintf("i%d", a.bits))
	w = f(l.val("zext i%d %s to i32", a.bits, w))
	w = l.val("trunc i32 %s to i%d", w, a.bits)
	return l.fromMem(a, l.bitcast(w, fmt.Sprintf("i%d", a.bits), a.memElem()))
}

// warps combines across warps: each writes its partial results to shared memory, and every thread reads those of all warps for the
// elements that it holds.
func (r *reduction) warps(bits []int) {
	l := r.l
	n := 1 << len(bits)
	rest := r.ll.DropTensorDim(r.axis) // coordinates that are left
	shape := make([]int, len(rest.OutDims()))
	total := 1
	for i, d := range rest.OutDims() {
		shape[i] = d.Size
		total *= d.Size
	}
	place := l.warpField(bits)
	bases := l.alloc.scratch(r.op)
	writer := r.writers()
	for _, key := range r.keys {
		off := l.flatOffset(rest, key, shape)
		off = l.val("add i32 %s, %s", l.val("mul i32 %s, %d", off, n), place)
		for e, v := range r.acc[fmt.Sprint(key)] {
			l.storeShared(v, r.elems[e], bases[e], off, writer)
		}
	}
	l.barrier()
	r.finish(func(coords []int) []string {
		off := l.flatOffset(rest, coords, shape)
		off = l.val("mul i32 %s, %d", off, n)
		var acc []string
		for w := range n {
			vals := make([]string, len(r.elems))
			at := off
			if w > 0 {
				at = l.val("add i32 %s, %d", off, w)
			}
			for e, t := range r.elems {
				vals[e] = l.loadShared(t, bases[e], at)
			}
			if acc == nil {
				acc = vals
			} else {
				acc = l.combine(r.op, acc, vals)
			}
		}
		return acc
	})
}

// writers is the condition for writing a warp's partial results: one of the lanes that hold the same.
func (r *reduction) writers() string {
	same := r.ll.FreeVariablesIn(layout.Lane)
	for _, b := range r.bits(layout.Lane) {
		same |= 1 << b
	}
	if same == 0 {
		return ""
	}
	return r.l.val("icmp eq i32 %s, 0", r.l.val("and i32 %s, %d", r.l.ids.lane, same))
}

// warpField gathers bits of the warp's number into a number of their own.
func (l *lowering) warpField(bits []int) string {
	acc := "0"
	for i, b := range bits {
		bit := l.val("and i32 %s, 1", l.val("lshr i32 %s, %d", l.ids.warp, b))
		if i > 0 {
			bit = l.val("shl i32 %s, %d", bit, i)
		}
		if acc == "0" {
			acc = bit
		} else {
			acc = l.val("or disjoint i32 %s, %s", acc, bit)
		}
	}
	return acc
}

// flatOffset is the row-major position of the element whose register part is coords, the thread's part added.
func (l *lowering) flatOffset(ll layout.Layout, coords, shape []int) string {
	acc := "0"
	for i, n := range shape {
		c := l.threadPart(ll, layout.TensorDim(i))
		switch {
		case c == "0":
			c = fmt.Sprint(coords[i])
		case coords[i] != 0:
			c = l.val("xor i32 %s, %d", c, coords[i])
		}
		if i == 0 {
			acc = c
			continue
		}
		acc = l.val("add i32 %s, %s", l.val("mul i32 %s, %d", acc, n), c)
	}
	return acc
}

// finish sets the results: get gives the values for the coordinates of a register.
func (r *reduction) finish(get func(coords []int) []string) {
	l := r.l
	t := r.op.Result(0).Type
	if _, ok := t.(*ir.TensorType); !ok {
		vals := get([]int{})
		for e, res := range r.op.Results() {
			l.setOne(res, vals[e])
		}
		return
	}
	ll := l.layout(r.op, t)
	n := ll.InSize(layout.Register)
	outs := make([][]string, len(r.elems))
	done := map[string][]string{}
	for i := range n {
		c := registerCoords(ll, i)
		vals, ok := done[fmt.Sprint(c)]
		if !ok {
			if vals = get(c); vals == nil {
				l.fail(r.op, "the result's layout is not the operand's without its axis")
			}
			done[fmt.Sprint(c)] = vals
		}
		for e := range outs {
			outs[e] = append(outs[e], vals[e])
		}
	}
	for e, res := range r.op.Results() {
		l.set(res, outs[e])
	}
}
