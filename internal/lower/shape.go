package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

func lowerMakeRange(l *lowering, op *ir.Op) {
	t := op.Result(0).Type
	ll := l.layout(op, t)
	start := op.IntOr("start", 0)
	regs := make([]string, ll.InSize(layout.Register))
	for i := range regs {
		c := l.coordinate(ll, i, "dim0")
		if start != 0 {
			c = l.val("add i32 %s, %d", c, start)
		}
		regs[i] = c
	}
	l.set(op.Result(0), regs)
}

func lowerSplat(l *lowering, op *ir.Op) {
	regs := make([]string, l.numRegs(op, op.Result(0).Type))
	for i := range regs {
		regs[i] = l.scalar(op.Operand(0))
	}
	l.set(op.Result(0), regs)
}

func lowerUnsplat(l *lowering, op *ir.Op) { l.setOne(op.Result(0), l.regs(op.Operand(0))[0]) }

// byCoordinates gives each register of the result the operand's register that holds the element at
// back(coords). The operand's layout is the result's seen through back, so all threads agree and only
// registers are compared.
func (l *lowering) byCoordinates(op *ir.Op, v *ir.Value, back func(coords []int) []int) []string {
	from, to := l.layout(op, v.Type), l.layout(op, op.Result(0).Type)
	where := map[string]int{}
	for r := from.InSize(layout.Register) - 1; r >= 0; r-- {
		where[fmt.Sprint(registerCoords(from, r))] = r
	}
	src := l.regs(v)
	out := make([]string, to.InSize(layout.Register))
	for r := range out {
		c := back(registerCoords(to, r))
		i, ok := where[fmt.Sprint(c)]
		if !ok {
			l.fail(op, "the layouts of operand and result do not agree: no register holds %v", c)
		}
		out[r] = src[i]
	}
	if l.ctas > 1 {
		l.checkThreads(op, from, to, back)
	}
	return out
}

// checkThreads fails unless the layouts also agree on lanes, warps and blocks. Only clusters need it.
func (l *lowering) checkThreads(op *ir.Op, from, to layout.Layout, back func(coords []int) []int) {
	for _, u := range unitPlaces(to) {
		if u.reg == 0 && !slices.Equal(back(coords(to, u)), coords(from, u)) {
			l.fail(op, "num_ctas=%d: the layouts of operand and result put elements into other threads",
				l.ctas)
		}
	}
}

// registerCoords returns the coordinates of register r in the first thread.
func registerCoords(ll layout.Layout, r int) []int {
	in := make([]int, len(ll.InDims()))
	for i, d := range ll.InNames() {
		if d == layout.Register {
			in[i] = r
		}
	}
	return ll.Apply(in...)
}

func lowerExpandDims(l *lowering, op *ir.Op) {
	axis := int(op.IntOr("axis", 0))
	l.set(op.Result(0), l.byCoordinates(op, op.Operand(0), func(c []int) []int {
		return append(append([]int{}, c[:axis]...), c[axis+1:]...)
	}))
}

func lowerBroadcast(l *lowering, op *ir.Op) {
	shape := ir.ShapeOf(op.Operand(0).Type)
	l.set(op.Result(0), l.byCoordinates(op, op.Operand(0), func(c []int) []int {
		out := make([]int, len(c))
		for i := range c {
			if shape[i] != 1 {
				out[i] = c[i]
			}
		}
		return out
	}))
}

func lowerTrans(l *lowering, op *ir.Op) {
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	l.set(op.Result(0), l.byCoordinates(op, op.Operand(0), func(c []int) []int {
		out := make([]int, len(c))
		for i, o := range order {
			out[o] = c[i]
		}
		return out
	}))
}

// lowerReshape matches elements by their row-major position. A reshape that may reorder keeps the registers
// as they are.
func lowerReshape(l *lowering, op *ir.Op) {
	if op.HasAttr("allow_reorder") {
		l.sameFreedom(op, op.Operand(0))
		l.vals[op.Result(0)] = l.vals[op.Operand(0)]
		return
	}
	from, to := ir.ShapeOf(op.Operand(0).Type), ir.ShapeOf(op.Result(0).Type)
	l.set(op.Result(0), l.byCoordinates(op, op.Operand(0), func(c []int) []int {
		flat := 0
		for i := range c {
			flat = flat*int(to[i]) + c[i]
		}
		out := make([]int, len(from))
		for i := len(from) - 1; i >= 0; i-- {
			out[i] = flat % int(from[i])
			flat /= int(from[i])
		}
		return out
	}))
}

// lowerCat appends the registers of the operands: tt.cat may reorder elements.
func lowerCat(l *lowering, op *ir.Op) {
	l.sameFreedom(op, op.Operand(0))
	l.set(op.Result(0), append(append([]string{}, l.regs(op.Operand(0))...), l.regs(op.Operand(1))...))
}

// lowerJoin joins two tensors along a new last dimension.
func lowerJoin(l *lowering, op *ir.Op) {
	lhs := l.byCoordinates(op, op.Operand(0), func(c []int) []int { return c[:len(c)-1] })
	rhs := l.byCoordinates(op, op.Operand(1), func(c []int) []int { return c[:len(c)-1] })
	to := l.layout(op, op.Result(0).Type)
	out := make([]string, len(lhs))
	for r := range out {
		c := registerCoords(to, r)
		if out[r] = lhs[r]; c[len(c)-1] == 1 {
			out[r] = rhs[r]
		}
	}
	l.set(op.Result(0), out)
}

// lowerSplit splits a tensor along its last dimension, which has size two.
func lowerSplit(l *lowering, op *ir.Op) {
	from := l.layout(op, op.Operand(0).Type)
	src := l.regs(op.Operand(0))
	for half, res := range op.Results() {
		to := l.layout(op, res.Type)
		where := map[string]int{}
		for r := len(src) - 1; r >= 0; r-- {
			where[fmt.Sprint(registerCoords(from, r))] = r
		}
		out := make([]string, to.InSize(layout.Register))
		for r := range out {
			i, ok := where[fmt.Sprint(append(registerCoords(to, r), half))]
			if !ok {
				l.fail(op, "the layouts of operand and results do not agree")
			}
			out[r] = src[i]
		}
		l.set(res, out)
	}
}

func lowerAddPtr(l *lowering, op *ir.Op) {
	ptr, off := op.Operand(0), op.Operand(1)
	elem := pointeeType(ptr.Type)
	offType := llvmType(off.Type)
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, a []string) string {
		return l.val("getelementptr %s, %s %s, %s %s", elem, llvmType(ptr.Type), a[0], offType, a[1])
	})(l, op)
}
