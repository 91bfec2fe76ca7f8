package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// scratchSizes are the buffers that an operation needs, in bytes.
func scratchSizes(l *lowering, op *ir.Op) []int {
	switch op.Def {
	case tt.Reduce:
		return reduceScratch(l, op)
	case ttg.ConvertLayout:
		t := op.Operand(0).Type.(*ir.TensorType)
		if _, ok := l.registerMove(op); ok {
			return nil
		}
		return []int{int(t.NumElements()) * bitsOf(t) / 8}
	case tt.AtomicRMW, tt.AtomicCAS:
		if op.Result(0).HasUses() {
			t := op.Result(0).Type
			n := 1
			if tt, ok := t.(*ir.TensorType); ok {
				n = int(tt.NumElements())
			}
			return []int{n * bitsOf(t) / 8}
		}
	}
	return nil
}

// reduceScratch is one value for each element that is left and each warp along the axis.
func reduceScratch(l *lowering, op *ir.Op) []int {
	r := &reduction{l: l, op: op, axis: int(op.IntOr("axis", 0)), ll: l.layout(op, op.Operand(0).Type)}
	bits := r.bits(layout.Warp)
	if len(bits) == 0 {
		return nil
	}
	n := 1 << len(bits)
	for i, d := range ir.ShapeOf(op.Operand(0).Type) {
		if i != r.axis {
			n *= int(d)
		}
	}
	var out []int
	for i := range op.NumOperands() {
		out = append(out, n*bitsOf(op.Operand(i).Type)/8)
	}
	return out
}

// barrier waits for all threads of the program.
func (l *lowering) barrier() { l.call("void", "llvm.nvvm.barrier0") }

// sharedPtr is the address of element off of a buffer at base.
func (l *lowering) sharedPtr(t ir.Type, base int, off string) string {
	bytes := off
	if n := bitsOf(t) / 8; n > 1 {
		bytes = l.val("mul i32 %s, %d", off, n)
	}
	if base > 0 {
		bytes = l.val("add i32 %s, %d", bytes, base)
	}
	return l.val("getelementptr i8, ptr addrspace(3) @global_smem, i32 %s", bytes)
}

// storeShared writes one element where pred, which may be "", is true.
func (l *lowering) storeShared(v string, t ir.Type, base int, off, pred string) {
	a := newAccess(t, 1)
	p := l.sharedPtr(t, base, off)
	if pred == "" {
		l.do("store %s %s, ptr addrspace(3) %s", a.memElem(), l.toMem(a, v), p)
		return
	}
	l.storeWords(a, "st.shared", l.pack(a, []string{v}), p, "ptr addrspace(3)", "r", pred)
}

// loadShared reads one element.
func (l *lowering) loadShared(t ir.Type, base int, off string) string {
	a := newAccess(t, 1)
	return l.fromMem(a, l.val("load %s, ptr addrspace(3) %s", a.memElem(), l.sharedPtr(t, base, off)))
}

// registerMove is the permutation by which a conversion only moves values between the registers of each thread.
func (l *lowering) registerMove(op *ir.Op) ([]int, bool) {
	from, to := l.layout(op, op.Operand(0).Type), l.layout(op, op.Result(0).Type)
	cvt, ok := to.TryInvertAndCompose(from)
	if !ok {
		return nil, false
	}
	dims := []string{}
	for _, d := range threadDims {
		if cvt.HasIn(d) && cvt.HasOut(d) {
			dims = append(dims, d)
		}
	}
	if !cvt.IsTrivialOver(dims...) {
		return nil, false
	}
	q, ok := cvt.Quotient(dims...)
	if !ok {
		return nil, false
	}
	out := make([]int, to.InSize(layout.Register))
	for r := range out {
		out[r] = q.Apply(r)[0]
	}
	return out, true
}

// lowerConvertLayout moves values between registers, or through shared memory: each element is written by one of its holders at its
// row-major place and read by all that need it.
func lowerConvertLayout(l *lowering, op *ir.Op) {
	src := l.regs(op.Operand(0))
	if move, ok := l.registerMove(op); ok {
		out := make([]string, len(move))
		for i, r := range move {
			out[i] = src[r]
		}
		l.set(op.Result(0), out)
		return
	}
	from, to := l.layout(op, op.Operand(0).Type), l.layout(op, op.Result(0).Type)
	t := ir.ElemOf(op.Result(0).Type)
	var shape []int
	for _, d := range ir.ShapeOf(op.Result(0).Type) {
		shape = append(shape, int(d))
	}
	base := l.alloc.scratch(op)[0]
	owner, free := l.owns(from), from.FreeVariablesIn(layout.Register)
	for r, v := range src {
		if r&free == 0 {
			l.storeShared(v, t, base, l.flatOffset(from, registerCoords(from, r), shape), owner)
		}
	}
	l.barrier()
	out := make([]string, to.InSize(layout.Register))
	done := map[string]string{}
	for r := range out {
		c := registerCoords(to, r)
		key := fmt.Sprint(c)
		if done[key] == "" {
			done[key] = l.loadShared(t, base, l.flatOffset(to, c, shape))
		}
		out[r] = done[key]
	}
	l.set(op.Result(0), out)
}
