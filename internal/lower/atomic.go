package lower

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// lowerAtomicRMW updates each element once, by the first thread that holds it. If the old values are used,
// the other threads get them through shared memory.
func lowerAtomicRMW(l *lowering, op *ir.Op) {
	ptr, val, mask := op.Slot(0), op.Slot(1), op.Slot(2)
	l.refuseRingSum(op, ir.ElemOf(val.Type))
	u := update{kind: op.IntOr("atomic_rmw_op", 0), elem: ir.ElemOf(val.Type),
		unused: !op.Result(0).HasUses(), sem: op.IntOr("sem", 0), scope: op.IntOr("scope", 0)}
	vec := min(l.vendor.atomicWidth(u), l.vectorWidth(op, ptr, mask, bitsOf(u.elem)))
	n := len(l.regs(ptr)) / vec
	if _, ok := ptr.Type.(*ir.TensorType); ok {
		n >>= bits.OnesCount(uint(l.layout(op, ptr.Type).FreeVariablesIn(layout.Register)))
	}
	u, end := l.vendor.orderAtomics(l, u, n)
	l.atomic(op, ptr, mask, vec, func(i int, p, pred string) []string {
		u.vals = l.regs(val)[i : i+vec]
		return l.vendor.atomic(l, u, p, pred)
	})
	end()
}

func lowerAtomicCAS(l *lowering, op *ir.Op) {
	ptr, cmp, val := op.Operand(0), op.Operand(1), op.Operand(2)
	u := update{swap: true, elem: ir.ElemOf(val.Type), sem: op.IntOr("sem", 0), scope: op.IntOr("scope", 0)}
	l.atomic(op, ptr, nil, 1, func(i int, p, pred string) []string {
		u.cmp, u.vals = l.regs(cmp)[i], l.regs(val)[i:i+1]
		return l.vendor.atomic(l, u, p, pred)
	})
}

// atomic calls f for each vec elements that this thread owns and passes the results on to every thread that
// holds the elements.
func (l *lowering) atomic(op *ir.Op, ptr, mask *ir.Value, vec int, f func(i int, p, pred string) []string) {
	t := op.Result(0).Type
	tensor, isTensor := t.(*ir.TensorType)
	owner, free := "", 0
	var ll layout.Layout
	if isTensor {
		ll = l.layout(op, ptr.Type)
		owner, free = l.owns(ll), ll.FreeVariablesIn(layout.Register)
	} else {
		owner = l.scalarOwner()
	}
	used := op.Result(0).HasUses()
	ptrs := l.regs(ptr)
	vals := make([]string, len(ptrs))
	for i := 0; i < len(ptrs); i += vec {
		if i&free != 0 {
			copy(vals[i:i+vec], vals[i&^free:])
			continue
		}
		p, pred := ptrs[i], owner
		if mask != nil {
			pred = l.both(pred, l.regs(mask)[i])
		}
		pred = l.both(pred, l.guard(guarded{op, "atomic", ptr, ir.ElemOf(t), vec}, p, "", pred))
		if pred == "" {
			pred = "true"
		}
		copy(vals[i:], f(i, p, pred))
	}
	if !used {
		l.set(op.Result(0), vals)
		return
	}
	if owner == "" {
		l.set(op.Result(0), vals)
		return
	}
	l.share(op, tensor, ll, vals, owner, free)
}

// share copies vals, which only owners have, through shared memory to the threads that hold copies of the
// elements.
func (l *lowering) share(op *ir.Op, tensor *ir.TensorType, ll layout.Layout, vals []string, owner string,
	free int) {
	elem := ir.ElemOf(op.Result(0).Type)
	base := l.alloc.scratch(op)[0]
	crosses, rank := l.crosses(op), ""
	if crosses {
		rank = "0"
		if tensor != nil {
			rank = l.threadPart(ownersOf(ll), layout.Block)
		}
	}
	off := func(i int) string { return "0" }
	if tensor != nil {
		var shape []int
		for _, d := range tensor.Shape {
			shape = append(shape, int(d))
		}
		off = func(i int) string { return l.flatOffset(ll, registerCoords(ll, i), shape) }
	}
	if tensor != nil && l.ctas > 1 {
		own := ownersOf(ll)
		off = func(i int) string {
			return l.xor(l.threadPart(own, layout.Offset), itoa(registerImage(own, i, layout.Offset)))
		}
	}
	for i, v := range vals {
		if i&free == 0 {
			l.storeShared(v, elem, base, off(i), owner)
		}
	}
	l.meet(crosses)
	out := make([]string, len(vals))
	for i := range out {
		out[i] = l.loadFrom(elem, base, off(i), rank)
	}
	if crosses {
		l.clusterBarrier()
	}
	l.set(op.Result(0), out)
}

// ownersOf maps the places of a tensor to (offset, block), where block is the first of the blocks that hold
// the element.
func ownersOf(ll layout.Layout) layout.Layout {
	h := homesOf(ll)
	clear(h.twins)
	return h.find(ll)
}

// sharesBlocks reports whether the result of an atomic travels from the block that executed it to others.
func sharesBlocks(l *lowering, op *ir.Op) bool {
	if !op.Result(0).HasUses() {
		return false
	}
	if _, ok := op.Result(0).Type.(*ir.TensorType); !ok {
		return true
	}
	return l.layout(op, op.Operand(0).Type).FreeVariablesIn(layout.Block) != 0
}

// atomicScratch returns the buffer through which owners share old values: nothing if nobody uses them or
// nobody holds copies.
func atomicScratch(l *lowering, op *ir.Op) []int {
	if !op.Result(0).HasUses() {
		return nil
	}
	t := op.Result(0).Type
	n := 1
	if tensor, ok := t.(*ir.TensorType); ok {
		if !l.repeats(l.layout(op, op.Operand(0).Type)) { // every thread executes its own elements
			return nil
		}
		n = int(tensor.NumElements())
		if l.ctas > 1 {
			n = homesOf(l.layout(op, op.Operand(0).Type)).basis.InSize(layout.Offset)
		}
	}
	return []int{n * bitsOf(t) / 8}
}
