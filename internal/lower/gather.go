package lower

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// lowerGather asks the lanes of the own warp for the elements at the indices where they hold them all.
// Otherwise it writes the source to shared memory in row-major order and reads the elements there.
func lowerGather(l *lowering, op *ir.Op) {
	if l.ctas > 1 {
		l.gatherCluster(op)
		return
	}
	if g, ok := l.newWarpGather(op); ok {
		l.set(op.Result(0), g.lower(op))
		return
	}
	src, idx := op.Operand(0), op.Operand(1)
	axis := int(op.IntOr("axis", 0))
	from, to := l.layout(op, src.Type), l.layout(op, op.Result(0).Type)
	elem := ir.ElemOf(src.Type)
	shape := outShape(from)
	b := scratchAt(l.alloc.scratch(op)[0], elem)
	l.storeAll(b, from.InvertAndCompose(rowMajor(from)), l.regs(src), from.FreeVariablesIn(layout.Register),
		l.ownsInBlock(from))
	l.barrier()
	out := make([]string, to.InSize(layout.Register))
	for r := range out {
		off := "0"
		for d, n := range shape {
			c := ""
			if d == axis {
				c = l.toI32(l.regs(idx)[r], ir.ElemOf(idx.Type))
			} else {
				c = l.coordinate(to, r, layout.TensorDim(d))
			}
			off = l.add(l.mul(off, n), c)
		}
		out[r] = l.loadShared(elem, l.alloc.scratch(op)[0], off)
	}
	l.set(op.Result(0), out)
}

// toI32 converts an index to i32. Narrow indices are unsigned.
func (l *lowering) toI32(x string, t ir.Type) string {
	switch n := ir.BitWidth(t); {
	case n > 32:
		return l.val("trunc i%d %s to i32", n, x)
	case n < 32:
		return l.val("zext i%d %s to i32", n, x)
	}
	return x
}

// rowMajor returns the layout of a tensor that lies in memory in row-major order.
func rowMajor(like layout.Layout) layout.Layout {
	dims := like.OutDims()
	var vectors []int
	start := make([]int, len(dims))
	n := 0
	for d := range dims {
		start[d] = n
		n += log2(dims[d].Size)
	}
	for d := len(dims) - 1; d >= 0; d-- {
		for i := range log2(dims[d].Size) {
			vectors = append(vectors, 1<<(start[d]+i))
		}
	}
	return offsetLayout(vectors, like)
}

// lowerHistogram clears the bins in shared memory, counts with atomic adds, and reads the counts.
func lowerHistogram(l *lowering, op *ir.Op) {
	src, mask := op.Slot(0), op.Slot(1)
	res := op.Result(0).Type.(*ir.TensorType)
	bins := int(res.NumElements())
	base := l.alloc.scratch(op)[0]
	threads := l.threads()
	for i := 0; i < bins; i += threads {
		pred := ""
		if i+threads > bins {
			pred = l.val("icmp ult i32 %s, %d", l.ids.tid, bins-i)
		}
		l.storeShared("0", ir.I32, base, l.add(l.ids.tid, itoa(i)), pred)
	}
	l.barrier()
	ll := l.layout(op, src.Type)
	crosses := l.crosses(op)
	owner, free := l.ownsInBlock(ll), ll.FreeVariablesIn(layout.Register)
	if crosses {
		owner = l.owns(ll)
	}
	for r, x := range l.regs(src) {
		if r&free != 0 {
			continue
		}
		pred := owner
		if mask != nil {
			pred = l.both(pred, l.regs(mask)[r])
		}
		bin := l.val("and i32 %s, %d", l.toI32(x, ir.ElemOf(src.Type)), bins-1)
		l.vendor.countShared(l, l.sharedAt(l.mul(bin, 4), itoa(base)), pred)
	}
	l.meet(crosses)
	to := l.layout(op, res)
	out := l.bins(scratchAt(base, ir.I32), to.InvertAndCompose(rowMajor(to)), crosses)
	if res.Elem != ir.I32 {
		for i, v := range out {
			out[i] = l.val("zext i32 %s to %s", v, llvmType(res.Elem))
		}
	}
	l.set(op.Result(0), out)
}

func gatherScratch(l *lowering, op *ir.Op) []int {
	t := op.Operand(0).Type.(*ir.TensorType)
	if l.ctas > 1 {
		return []int{homesOf(l.layout(op, t)).basis.InSize(layout.Offset) * bitsOf(t) / 8}
	}
	if _, ok := l.newWarpGather(op); ok {
		return nil
	}
	return []int{int(t.NumElements()) * bitsOf(t) / 8}
}

func histogramScratch(_ *lowering, op *ir.Op) []int {
	return []int{int(op.Result(0).Type.(*ir.TensorType).NumElements()) * 4}
}
