package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

var atomicOps = map[int64]string{
	tt.RMWAnd: "and", tt.RMWOr: "or", tt.RMWXor: "xor", tt.RMWAdd: "add", tt.RMWFAdd: "add", tt.RMWMax: "max", tt.RMWMin: "min",
	tt.RMWUMax: "max", tt.RMWUMin: "min", tt.RMWXchg: "exch",
}

var atomicScopes = map[int64]string{tt.ScopeGPU: ".gpu", tt.ScopeCTA: ".cta", tt.ScopeSys: ".sys"}
var atomicSems = map[int64]string{tt.SemRelaxed: ".relaxed", tt.SemAcquire: ".acquire", tt.SemRelease: ".release", tt.SemAcqRel: ".acq_rel"}

// atomicType returns the type suffix in the name of an atomic instruction.
func atomicType(op *ir.Op, kind int64, t ir.Type) string {
	n := ir.BitWidth(t)
	switch kind {
	case tt.RMWFAdd:
		switch t {
		case ir.F16:
			return ".noftz.f16"
		case ir.BF16:
			return ".noftz.bf16"
		}
		return fmt.Sprintf(".f%d", n)
	case tt.RMWAnd, tt.RMWOr, tt.RMWXor, tt.RMWXchg:
		return fmt.Sprintf(".b%d", n)
	case tt.RMWMax, tt.RMWMin:
		return fmt.Sprintf(".s%d", n)
	}
	return fmt.Sprintf(".u%d", n)
}

// lowerAtomicRMW updates each element once, by the first thread that holds it. If the old values are used,
// the other threads get them through shared memory.
func lowerAtomicRMW(l *lowering, op *ir.Op) {
	ptr, val, mask := op.Slot(0), op.Slot(1), op.Slot(2)
	kind := op.IntOr("atomic_rmw_op", 0)
	t := ir.ElemOf(val.Type)
	name := "atom.global" + atomicSems[op.IntOr("sem", 0)] + atomicScopes[op.IntOr("scope", 0)] + "." + atomicOps[kind] + atomicType(op, kind, t)
	l.atomic(op, ptr, mask, func(i int, p, pred string) string {
		noInstr := kind == tt.RMWMax || kind == tt.RMWMin || kind == tt.RMWFAdd && t == ir.BF16 && l.opts.Capability < 90
		if ir.IsFloat(t) && noInstr {
			return l.atomicFloat(p, "f"+atomicOps[kind], t, l.regs(val)[i], pred)
		}
		a := newAccess(t, 1)
		w := l.pack(a, []string{l.regs(val)[i]})[0]
		c := a.constraint()
		code := fmt.Sprintf("mov.b%d $0, 0; @$3 %s $0, [ $1 + 0 ], $2;", max(a.wordBits, 16), name)
		r := l.asm(a.wordType(), code, "=&"+c+",l,"+c+",b", true, "ptr addrspace(1) "+p, a.wordType()+" "+w, "i1 "+pred)
		return l.unpack(a, []string{r})[0]
	})
}

// atomicFloat emits an atomicrmw for an operation without an instruction of its own: LLVM expands it to a
// compare-and-swap loop.
func (l *lowering) atomicFloat(p, name string, t ir.Type, v, pred string) string {
	typ := llvmType(t)
	from, old := l.writer.block, ""
	l.when(pred, func() { old = l.val("atomicrmw %s ptr addrspace(1) %s, %s %s acq_rel", name, p, typ, v) })
	ph := l.phi(typ)
	ph.from("poison", from)
	ph.from(old, l.lastWhen)
	l.patch(ph)
	return ph.name
}

func lowerAtomicCAS(l *lowering, op *ir.Op) {
	ptr, cmp, val := op.Operand(0), op.Operand(1), op.Operand(2)
	t := ir.ElemOf(val.Type)
	name := "atom.global" + atomicSems[op.IntOr("sem", 0)] + atomicScopes[op.IntOr("scope", 0)] + fmt.Sprintf(".cas.b%d", bitsOf(t))
	l.atomic(op, ptr, nil, func(i int, p, pred string) string {
		a := newAccess(t, 1)
		c := a.constraint()
		old, new_ := l.pack(a, []string{l.regs(cmp)[i]})[0], l.pack(a, []string{l.regs(val)[i]})[0]
		code := fmt.Sprintf("mov.b%d $0, 0; @$4 %s $0, [ $1 + 0 ], $2, $3;", max(a.wordBits, 16), name)
		r := l.asm(a.wordType(), code, "=&"+c+",l,"+c+","+c+",b", true, "ptr addrspace(1) "+p, a.wordType()+" "+old, a.wordType()+" "+new_, "i1 "+pred)
		return l.unpack(a, []string{r})[0]
	})
}

// atomic calls f for each element that this thread owns and passes the result on to every thread that holds
// the element.
func (l *lowering) atomic(op *ir.Op, ptr, mask *ir.Value, f func(i int, p, pred string) string) {
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
	for i, p := range ptrs {
		if i&free != 0 {
			vals[i] = vals[i&^free]
			continue
		}
		pred := owner
		if mask != nil {
			pred = l.both(pred, l.regs(mask)[i])
		}
		if pred == "" {
			pred = "true"
		}
		vals[i] = f(i, p, pred)
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
func (l *lowering) share(op *ir.Op, tensor *ir.TensorType, ll layout.Layout, vals []string, owner string, free int) {
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
