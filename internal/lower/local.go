package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// memory is a buffer in shared memory: where it begins, as an i32 in bytes, and how many elements into it a view starts.
type memory struct{ base string }

// localBytes is the size of a buffer.
func localBytes(t ir.Type) int {
	m, _ := ttg.MemDescOf(t)
	n := bitsOf(m.Elem) / 8
	for _, d := range m.Shape {
		n *= int(d)
	}
	return n
}

func lowerLocalAlloc(l *lowering, op *ir.Op) {
	res := op.Result(0)
	l.vals[res] = value{mem: &memory{fmt.Sprint(l.alloc.scratch(op)[0])}}
	if op.NumOperands() > 0 {
		l.barrier()
		l.localStore(op, op.Operand(0), res)
		l.barrier()
	}
}

// view gives an operation's result the memory of its operand.
func view(l *lowering, op *ir.Op) { l.vals[op.Result(0)] = l.vals[op.Operand(0)] }

// lowerMemDescIndex is one buffer of several.
func lowerMemDescIndex(l *lowering, op *ir.Op) {
	step := localBytes(op.Result(0).Type)
	off := l.val("mul i32 %s, %d", l.scalar(op.Operand(1)), step)
	l.vals[op.Result(0)] = value{mem: &memory{l.val("add i32 %s, %s", l.vals[op.Operand(0)].mem.base, off)}}
}

// lowerMemDescSubslice starts a view at fixed coordinates: those of its first element, through the buffer's layout.
func lowerMemDescSubslice(l *lowering, op *ir.Op) {
	m, _ := ttg.MemDescOf(op.Operand(0).Type)
	ll := l.layout(op, op.Operand(0).Type).Invert()
	var at []int
	for _, o := range op.Attr("offsets").(*ir.DenseArrayAttr).Values {
		at = append(at, int(o))
	}
	off := ll.Apply(at...)[0] * bitsOf(m.Elem) / 8
	l.vals[op.Result(0)] = value{mem: &memory{l.val("add i32 %s, %d", l.vals[op.Operand(0)].mem.base, off)}}
}

// localOffsets maps (register, lane, warp) to the element's place in a buffer.
func (l *lowering) localOffsets(op *ir.Op, tensor, mem ir.Type) layout.Layout {
	cvt, ok := l.layout(op, tensor).TryInvertAndCompose(l.layout(op, mem))
	if !ok {
		l.fail(op, "the layout of the buffer does not cover that of the tensor")
	}
	return cvt
}

// localPtr is the address of element off of a buffer.
func (l *lowering) localPtr(mem *memory, elem ir.Type, off string) string {
	bytes := l.val("mul i32 %s, %d", off, bitsOf(elem)/8)
	return l.val("getelementptr i8, ptr addrspace(3) @global_smem, i32 %s", l.val("add i32 %s, %s", bytes, mem.base))
}

// localVec is how many registers in a row lie in a row in the buffer, up to 16 bytes.
func localVec(cvt layout.Layout, elem ir.Type) int {
	n := 1
	for i := range cvt.InBits(layout.Register) {
		if cvt.BasisAlong(layout.Register, i, layout.Offset) != n || n*bitsOf(elem) >= 128 {
			break
		}
		n *= 2
	}
	return n
}

func (l *lowering) localStore(op *ir.Op, v, dst *ir.Value) {
	elem := ir.ElemOf(v.Type)
	cvt := l.localOffsets(op, v.Type, dst.Type)
	ll := l.layout(op, v.Type)
	owner, free := l.owns(ll), ll.FreeVariablesIn(layout.Register)
	a := newAccess(elem, localVec(cvt, elem))
	regs := l.regs(v)
	for i := 0; i < len(regs); i += a.vec {
		if i&free != 0 {
			continue
		}
		p := l.localPtr(l.vals[dst].mem, elem, l.coordinate(cvt, i, layout.Offset))
		l.storeWords(a, "st.shared", l.pack(a, regs[i:i+a.vec]), p, "ptr addrspace(3)", "r", owner)
	}
}

func lowerLocalStore(l *lowering, op *ir.Op) {
	l.barrier()
	l.localStore(op, op.Operand(0), op.Operand(1))
	l.barrier()
}

func lowerLocalLoad(l *lowering, op *ir.Op) {
	src, t := op.Operand(0), op.Result(0).Type
	elem := ir.ElemOf(t)
	cvt := l.localOffsets(op, t, src.Type)
	a := newAccess(elem, localVec(cvt, elem))
	var out []string
	for i := 0; i < l.numRegs(op, t); i += a.vec {
		p := l.localPtr(l.vals[src].mem, elem, l.coordinate(cvt, i, layout.Offset))
		out = append(out, l.unpack(a, l.loadWords(a, "ld.shared", p, "ptr addrspace(3)", "r", ""))...)
	}
	l.set(op.Result(0), out)
}

// lowerAsyncCopy copies global to shared memory without registers: 4, 8 or 16 bytes at a time, zeros where the mask is false.
func lowerAsyncCopy(l *lowering, op *ir.Op) {
	src, dst, mask, other := op.Slot(0), op.Slot(1), op.Slot(2), op.Slot(3)
	m, _ := ttg.MemDescOf(dst.Type)
	elem := m.Elem
	cvt := l.localOffsets(op, src.Type, dst.Type)
	ll := l.layout(op, src.Type)
	vec := min(localVec(cvt, elem), l.vectorWidth(op, src, mask, bitsOf(elem)))
	if c := int(op.IntOr("contiguity", 1)); l.opts.Contiguity == nil {
		vec = min(localVec(cvt, elem), consecutive(ll), c)
	}
	bytes := vec * bitsOf(elem) / 8
	if bytes < 4 {
		l.fail(op, "an asynchronous copy of %d bytes", bytes)
	}
	_ = other // zero, which is what a copy that is off leaves
	owner, free := l.owns(ll), ll.FreeVariablesIn(layout.Register)
	how := "ca"
	if bytes == 16 {
		how = "cg"
	}
	regs := l.regs(src)
	for i := 0; i < len(regs); i += vec {
		if i&free != 0 {
			continue
		}
		p := l.localPtr(l.vals[dst].mem, elem, l.coordinate(cvt, i, layout.Offset))
		args := []string{"ptr addrspace(3) " + p, "ptr addrspace(1) " + regs[i]}
		code := fmt.Sprintf("cp.async.%s.shared.global [ $0 + 0 ], [ $1 + 0 ], %d", how, bytes)
		constraints := "r,l"
		if mask != nil {
			n := l.val("select i1 %s, i32 %d, i32 0", l.regs(mask)[i], bytes)
			args, constraints, code = append(args, "i32 "+n), constraints+",r", code+", $2"
		}
		code += ";"
		if owner != "" {
			code = fmt.Sprintf("@$%d %s", len(args), code)
			args, constraints = append(args, "i1 "+owner), constraints+",b"
		}
		l.asm("void", code, constraints, true, args...)
	}
	l.vals[op.Result(0)] = value{}
}

func lowerAsyncCommit(l *lowering, op *ir.Op) {
	l.asm("void", "cp.async.commit_group;", "", true)
	l.vals[op.Result(0)] = value{}
}

func lowerAsyncWait(l *lowering, op *ir.Op) {
	l.asm("void", fmt.Sprintf("cp.async.wait_group %d;", op.IntOr("num", 0)), "", true)
	l.barrier()
	l.vals[op.Result(0)] = value{}
}
