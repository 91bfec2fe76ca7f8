package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// runs tells, for each register, the register with the first element of its run, and the element's place in
// the run.
type runs struct {
	length       int
	first, place []int
}

// runOf returns the runs of an op, at most so long, in which one operand counts up from a multiple of their
// length, and the other is one number. It returns nil if there are none of more than one element.
func (l *lowering) runOf(op *ir.Op, counts, fixed *ir.Value, most int64) *runs {
	t, ok := op.Result(0).Type.(*ir.TensorType)
	if !ok || l.opts.Runs == nil {
		return nil
	}
	ll, equal := l.layout(op, t), l.opts.Constancy(fixed)
	most = min(lowestBit(most), 1<<30)
	dim, length := 0, 1
	for d, n := range l.opts.Runs(counts) {
		if n := inThread(ll, d, int(min(lowestBit(n), lowestBit(equal[d]), most))); n > length {
			dim, length = d, n
		}
	}
	if length == 1 {
		return nil
	}
	return groupRuns(ll, dim, length)
}

// lowestBit returns the largest power of two that divides n.
func lowestBit(n int64) int64 { return n & -n }

// inThread returns the length of the longest runs, at most n, that lie in a thread: no other thread's place
// along the dimension differs by less.
func inThread(ll layout.Layout, dim, n int) int {
	for _, in := range ll.InNames() {
		for b := range ll.InBits(in) {
			if c := ll.Basis(in, b)[dim]; in != layout.Register && c != 0 {
				n = min(n, c&-c)
			}
		}
	}
	return n
}

// groupRuns finds the runs of a length along a dimension, nil if a thread does not hold them whole.
func groupRuns(ll layout.Layout, dim, length int) *runs {
	holder := map[string]int{}
	coords := make([][]int, ll.InSize(layout.Register))
	for r := range coords {
		coords[r] = registerCoords(ll, r)
		if key := fmt.Sprint(coords[r]); holder[key] == 0 {
			holder[key] = r + 1
		}
	}
	out := &runs{length: length}
	for _, c := range coords {
		place := c[dim] % length
		c[dim] -= place
		first, ok := holder[fmt.Sprint(c)]
		if !ok {
			return nil
		}
		out.first, out.place = append(out.first, first-1), append(out.place, place)
	}
	return out
}

// lowerEqualRuns compares runs of indices with a scalar, as the columns of a row with a label: a + i equals b
// where b - a is i. A thread then needs the run's first index alone. LLVM does not see the
// difference: in a loop over the row, its strength reduction would keep b - i in a register for each i.
//
// Indices that were widened to 64 bits are compared in 32: whether b fits is found out once. It reports
// whether there are such runs.
func (l *lowering) lowerEqualRuns(op *ir.Op, pred string) bool {
	if pred != "eq" && pred != "ne" {
		return false
	}
	counts, fixed := 0, 1
	run := l.runOf(op, op.Operand(counts), op.Operand(fixed), 1<<30)
	if run == nil {
		counts, fixed = fixed, counts
		run = l.runOf(op, op.Operand(counts), op.Operand(fixed), 1<<30)
	}
	narrow := run != nil && widened(op.Operand(counts))
	if run == nil || op.Operand(fixed).DefBy(tt.Splat) == nil ||
		!narrow && (ir.ElemOf(op.Operand(0).Type) != ir.I32 ||
			!rules.Holds(l.rules, rules.ShortRun, run.length)) {
		return false
	}
	regs := make([]string, len(run.first))
	known := map[string]difference{} // by operands
	for r, first := range run.first {
		args := l.elementArgs(op, first)
		key := args[0] + " " + args[1]
		d, ok := known[key]
		if !ok {
			d = l.differ(args[fixed], args[counts], pred, narrow)
			known[key] = d
		}
		regs[r] = l.val("icmp %s i32 %s, %d", pred, d.gap, run.place[r])
		if narrow {
			regs[r] = l.val("%s i1 %s, %s", map[string]string{"eq": "and", "ne": "or"}[pred], d.high, regs[r])
		}
	}
	l.set(op.Result(0), regs)
	return true
}

// difference holds b - a in 32 bits, and the comparison of b's upper half with the sign of its lower one.
type difference struct{ gap, high string }

func (l *lowering) differ(b, a, pred string, narrow bool) (d difference) {
	if narrow {
		low := l.val("trunc i64 %s to i32", b)
		d.high = l.val("icmp %s i64 %s, %s", pred, l.val("sext i32 %s to i64", low), b)
		b, a = low, l.val("trunc i64 %s to i32", a)
	}
	d.gap = l.vendor.difference(l, b, a)
	return d
}

// widened reports whether the elements of v were sign-extended from 32 bits to 64.
func widened(v *ir.Value) bool {
	ext := throughShapes(v).DefBy(arith.ExtSI)
	return ext != nil && ir.ElemOf(ext.Operand(0).Type) == ir.I32 && ir.ElemOf(v.Type) == ir.I64
}

// throughShapes returns the value whose elements v repeats or arranges in another way.
func throughShapes(v *ir.Value) *ir.Value {
	for op := v.Def(); op != nil; op = v.Def() {
		switch op.Def {
		case tt.Splat, tt.Broadcast, tt.ExpandDims, ttg.ConvertLayout:
			v = op.Operand(0)
		default:
			return v
		}
	}
	return v
}
