package lower

import (
	"slices"
	"sort"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// lowerDot multiplies on the hardware's units for products if the accumulator has their layout, else by fused
// multiply-adds.
func lowerDot(l *lowering, op *ir.Op) {
	if !l.vendor.dot(l, op) {
		l.dotFMA(op)
	}
}

// operand is a tensor whose registers can be found by coordinates.
type operand struct {
	regs  []string
	where map[[3]int]int
	coord [][]int
	elem  ir.Type
}

func (l *lowering) operand(op *ir.Op, v *ir.Value) operand {
	ll := l.layout(op, v.Type)
	o := operand{regs: l.regs(v), where: map[[3]int]int{}, elem: ir.ElemOf(v.Type)}
	for r := range ll.InSize(layout.Register) {
		c := registerCoords(ll, r)
		o.coord = append(o.coord, c)
		if _, ok := o.where[key3(c)]; !ok {
			o.where[key3(c)] = r
		}
	}
	return o
}

// key3 returns coordinates as (batch, row, column).
func key3(c []int) [3]int {
	if len(c) == 3 {
		return [3]int{c[0], c[1], c[2]}
	}
	return [3]int{0, c[0], c[1]}
}

// offsets returns the distinct values of a coordinate, sorted.
func (o operand) offsets(dim int) []int {
	seen := map[int]bool{}
	for _, c := range o.coord {
		seen[key3(c)[dim]] = true
	}
	var out []int
	for n := range seen {
		out = append(out, n)
	}
	sort.Ints(out)
	return out
}

func (o operand) at(l *lowering, op *ir.Op, b, i, j int) string {
	r, ok := o.where[[3]int{b, i, j}]
	if !ok {
		l.fail(op, "an operand's layout does not go with the accumulator's: no register at (%d, %d, %d)",
			b, i, j)
	}
	return o.regs[r]
}

// dotFMA computes each element that the thread holds as a chain of multiply-adds along k. The chains advance
// together: for one k, they need one column of a and one row of b. Chain after chain, all of both operands
// would have to stay in registers until the last chain, and the assembler would keep them on the stack.
func (l *lowering) dotFMA(op *ir.Op) {
	a, b, c := l.operand(op, op.Operand(0)), l.operand(op, op.Operand(1)), l.operand(op, op.Operand(2))
	typ := llvmType(c.elem)
	out := slices.Clone(c.regs)
	for _, k := range a.offsets(2) {
		for r, coord := range c.coord {
			p := key3(coord)
			x := l.widen(a.at(l, op, p[0], p[1], k), a.elem, c.elem)
			y := l.widen(b.at(l, op, p[0], k, p[2]), b.elem, c.elem)
			if ir.IsFloat(c.elem) {
				out[r] = l.call(typ, "llvm.fma."+suffix(c.elem), typ+" "+x, typ+" "+y, typ+" "+out[r])
			} else {
				out[r] = l.val("add %s %s, %s", typ, out[r], l.val("mul %s %s, %s", typ, x, y))
			}
		}
	}
	l.set(op.Result(0), out)
}

func (l *lowering) widen(x string, from, to ir.Type) string {
	switch {
	case from == to:
		return x
	case ir.IsFloat(to):
		return l.extend(x, from, to)
	}
	return l.val("sext %s %s to %s", llvmType(from), x, llvmType(to))
}

func (o operand) index(l *lowering, op *ir.Op, b, i, j int) int {
	r, ok := o.where[[3]int{b, i, j}]
	if !ok {
		l.fail(op, "the accumulator has no element (%d, %d, %d)", b, i, j)
	}
	return r
}

// fragment packs the elements at ks into a register: 32 bits, or 64 for f64.
func (l *lowering) fragment(ks []int, t ir.Type, at func(k int) string) string {
	if t == ir.F64 {
		return at(ks[0])
	}
	elems := make([]string, len(ks))
	for i, k := range ks {
		elems[i] = at(k)
	}
	return l.pack(newAccess(t, len(ks)), elems)[0]
}

func typed(typ string, vals []string) []string {
	out := make([]string, len(vals))
	for i, v := range vals {
		out[i] = typ + " " + v
	}
	return out
}
