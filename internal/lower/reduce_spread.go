package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// A thread that holds parts of several elements of the result, as one of a matrix whose rows lie across the
// lanes does, need not take part in all of them: two lanes share the elements out and send each other the
// parts of those that the other keeps.
//
//	lane 0: a0 b0    a0 + a1           lanes 0 and 1 both:    a0 + a1, b0 + b1
//	lane 1: a1 b1    b0 + b1           by butterflies
//
// A warp combines 32 rows by 31 exchanges instead of 160, in the same order. Each lane then has its own row,
// which suits a result that goes through shared memory anyway.

// spreads reports whether lanes may share out the elements.
func (r *reduction) spreads() bool {
	if _, ok := r.to.(*ir.TensorType); !ok || r.l.ctas > 1 || !r.needsShared() {
		return false
	}
	return !slices.ContainsFunc(r.dirs.along, func(s step) bool { return s.bit.lane != 0 && s.reg != 0 })
}

// wanted returns the type of all conversions that take the results, nil if there are others or something else
// takes them. What comes of shared memory can come in any layout.
func (r *reduction) wanted() ir.Type {
	if r.l.ctas > 1 {
		return nil
	}
	var enc ir.Attr
	var first ir.Type
	for _, v := range r.op.Results() {
		for u := range v.Uses() {
			op := u.Owner()
			if op.Def != ttg.ConvertLayout || op.Block() != r.op.Block() {
				return nil
			}
			t := op.Result(0).Type.(*ir.TensorType)
			if first != nil && t.Encoding != enc {
				return nil
			}
			first, enc = t, t.Encoding
		}
	}
	return first
}

// sharesOutFor reports whether lanes share out elements that a conversion to type t would take through shared
// memory: a warp along the axis has all parts of them.
func (r *reduction) sharesOutFor(t ir.Type) bool {
	lanes := slices.ContainsFunc(r.dirs.along, func(s step) bool { return s.bit.lane != 0 })
	from, to := r.l.layout(r.op, r.to), r.l.layout(r.op, t)
	return lanes && len(r.keys) > 1 && newConversion(r.l.rules, from, to, r.elems[0]).how == byShared
}

// arrivesIn returns the layout in which v, the operand of a conversion, is.
func (l *lowering) arrivesIn(op *ir.Op, v *ir.Value) layout.Layout {
	if def := v.Def(); def != nil && def.Def == tt.Reduce {
		return l.layout(op, newReduction(l, def).to)
	}
	return l.layout(op, v.Type)
}

// shareOut makes a step among lanes by which each keeps half of its elements; false if it has only one.
func (r *reduction) shareOut(s step) bool {
	bit := r.outermost()
	if bit == 0 {
		return false
	}
	l := r.l
	upper := l.laneHas(log2(s.bit.lane))
	next, keys := map[int][]string{}, []int{}
	for _, k := range r.keys {
		if k&bit != 0 {
			continue
		}
		low, high := r.acc[k], r.acc[k|bit]
		mine, theirs := make([]string, len(low)), make([]string, len(low))
		for e, t := range r.elems {
			mine[e] = l.choose(upper, t, high[e], low[e])
			theirs[e] = l.shuffleXor(l.choose(upper, t, low[e], high[e]), t, s.lane)
		}
		next[k], keys = l.combine(r.op, mine, theirs), append(keys, k)
	}
	r.acc, r.keys = next, keys
	r.moveBit(bit, s.bit.lane)
	return true
}

// choose returns a where the condition is true, else b.
func (l *lowering) choose(cond string, t ir.Type, a, b string) string {
	return l.val("select i1 %s, %s %s, %s %s", cond, llvmType(t), a, llvmType(t), b)
}

// outermost returns the bit of the registers' numbers between whose elements most others of the result lie, 0
// if a thread has only one element. Elements that stay in a thread are neighbours then.
func (r *reduction) outermost() int {
	best, most, clear := 0, 0, r.canonicalBits()
	for i := range r.ll.InBits(layout.Register) {
		if n := r.restAt(r.ll, place{reg: 1 << i}); clear>>i&1 == 0 && n > most {
			best, most = 1<<i, n
		}
	}
	return best
}

// moveBit tells the layout of the partial results that a bit of the lanes now decides what one of the
// registers decided.
func (r *reduction) moveBit(reg, lane int) {
	regs, lanes := r.ll.Bases(layout.Register), r.ll.Bases(layout.Lane)
	from, to := regs[log2(reg)], lanes[log2(lane)]
	for d := range from {
		if d != r.axis {
			to[d] ^= from[d]
		}
		from[d] = 0
	}
	r.ll = r.ll.WithBases(layout.Register, regs).WithBases(layout.Lane, lanes)
	r.dirs = directionsAlong(r.ll, r.axis)
}
