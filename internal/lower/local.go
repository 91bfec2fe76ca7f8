package lower

import (
	"fmt"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// localBytes is the size of a buffer.
func localBytes(t ir.Type) int {
	m, _ := ttg.MemDescOf(t)
	n := 1
	for _, d := range m.Alloc() {
		n *= int(d)
	}
	if p, ok := ttg.As[ttg.Padded](m.Encoding); ok {
		n = ttglayout.PaddedSize(p, n)
	}
	return n * bitsOf(m.Elem) / 8
}

func lowerLocalAlloc(l *lowering, op *ir.Op) {
	res := op.Result(0)
	l.set(res, []string{fmt.Sprint(l.alloc.scratch(op)[0]), "0"})
	if op.NumOperands() > 0 {
		l.localStore(op, op.Operand(0), res)
	}
}

// view gives an operation's result the memory of its operand.
func view(l *lowering, op *ir.Op) { l.vals[op.Result(0)] = l.vals[op.Operand(0)] }

func lowerMemDescReinterpret(l *lowering, op *ir.Op) {
	if l.regs(op.Operand(0))[1] != "0" {
		l.fail(op, "a part of a buffer as another type")
	}
	view(l, op)
}

// lowerMemDescIndex is one buffer of several.
func lowerMemDescIndex(l *lowering, op *ir.Op) {
	src := l.regs(op.Operand(0))
	step := localBytes(op.Result(0).Type)
	off := l.val("mul i32 %s, %d", l.scalar(op.Operand(1)), step)
	l.set(op.Result(0), []string{l.val("add i32 %s, %s", src[0], off), src[1]})
}

// lowerMemDescSubslice starts a view at fixed coordinates: those of its first element, through the buffer's layout. The layout is
// linear over bits, so the offset of any element of the view is its own offset in the buffer xored with that of the first.
func lowerMemDescSubslice(l *lowering, op *ir.Op) {
	ll := l.layout(op, op.Operand(0).Type).Invert()
	var at []int
	for _, o := range op.Attr("offsets").(*ir.DenseArrayAttr).Values {
		at = append(at, int(o))
	}
	src := l.regs(op.Operand(0))
	start := fmt.Sprint(ll.Apply(at...)[0])
	if src[1] != "0" && start != "0" {
		start = l.val("xor i32 %s, %s", src[1], start)
	} else if start == "0" {
		start = src[1]
	}
	l.set(op.Result(0), []string{src[0], start})
}

// localOffsets maps (register, lane, warp) to the element's place in a buffer.
func (l *lowering) localOffsets(op *ir.Op, tensor, mem ir.Type) layout.Layout {
	cvt, ok := l.layout(op, tensor).TryInvertAndCompose(l.layout(op, mem))
	if !ok {
		l.fail(op, "the layout of the buffer does not cover that of the tensor")
	}
	return cvt
}

// buffer is a buffer in shared memory with what its addresses are made of.
type buffer struct {
	base, start string // bytes; elements, xored
	elem        ir.Type
	pad         *ttg.Padded
}

func (l *lowering) buffer(v *ir.Value) buffer {
	m, _ := ttg.MemDescOf(v.Type)
	b := buffer{base: l.regs(v)[0], start: l.regs(v)[1], elem: m.Elem}
	if p, ok := ttg.As[ttg.Padded](m.Encoding); ok {
		b.pad = &p
	}
	return b
}

// at is the address of element off of a buffer.
func (b buffer) at(l *lowering, off string) string {
	if b.start != "0" {
		off = l.val("xor i32 %s, %s", off, b.start)
	}
	if b.pad != nil {
		sum := off
		for i, n := range b.pad.Intervals {
			k := l.val("lshr i32 %s, %d", off, bits.Len(uint(n))-1)
			sum = l.val("add i32 %s, %s", sum, l.val("mul i32 %s, %d", k, b.pad.Paddings[i]))
		}
		off = sum
	}
	return l.sharedAt(l.scale(off, bitsOf(b.elem)/8), b.base)
}

// scale multiplies an offset by a power of two.
func (l *lowering) scale(off string, n int) string {
	if n == 1 || off == "0" {
		return off
	}
	return l.val("shl i32 %s, %d", off, bits.Len(uint(n))-1)
}

// sharedAt is the address of byte off behind base.
func (l *lowering) sharedAt(off, base string) string {
	if base != "0" {
		off = l.val("add i32 %s, %s", off, base)
	}
	return l.val("getelementptr i8, ptr addrspace(3) @global_smem, i32 %s", off)
}

// localVec is how many registers in a row lie in a row in the buffer, up to 16 bytes.
func (b buffer) vec(cvt layout.Layout) int {
	most := 128 / bitsOf(b.elem)
	if b.pad != nil {
		for _, n := range b.pad.Intervals {
			most = min(most, int(n))
		}
	}
	n := 1
	for i := range cvt.InBits(layout.Register) {
		if cvt.BasisAlong(layout.Register, i, layout.Offset) != n || n >= most {
			break
		}
		n *= 2
	}
	return n
}

func (l *lowering) localStore(op *ir.Op, v, dst *ir.Value) {
	b := l.buffer(dst)
	cvt := l.localOffsets(op, v.Type, dst.Type)
	ll := l.layout(op, v.Type)
	owner, free := l.owns(ll), ll.FreeVariablesIn(layout.Register)
	a := newAccess(b.elem, b.vec(cvt))
	regs := l.regs(v)
	for i := 0; i < len(regs); i += a.vec {
		if i&free != 0 {
			continue
		}
		p := b.at(l, l.coordinate(cvt, i, layout.Offset))
		l.storeWords(a, "st.shared", l.pack(a, regs[i:i+a.vec]), p, "ptr addrspace(3)", "r", owner)
	}
}

func lowerLocalStore(l *lowering, op *ir.Op) { l.localStore(op, op.Operand(0), op.Operand(1)) }

func lowerLocalLoad(l *lowering, op *ir.Op) {
	src, t := op.Operand(0), op.Result(0).Type
	b := l.buffer(src)
	cvt := l.localOffsets(op, t, src.Type)
	a := newAccess(b.elem, b.vec(cvt))
	var out []string
	for i := 0; i < l.numRegs(op, t); i += a.vec {
		p := b.at(l, l.coordinate(cvt, i, layout.Offset))
		out = append(out, l.unpack(a, l.loadWords(a, "ld.shared", p, "ptr addrspace(3)", "r", ""))...)
	}
	l.set(op.Result(0), out)
}

// lowerAsyncCopy copies global to shared memory without registers: 4, 8 or 16 bytes at a time, zeros where the mask is false.
func lowerAsyncCopy(l *lowering, op *ir.Op) {
	src, dst, mask, other := op.Slot(0), op.Slot(1), op.Slot(2), op.Slot(3)
	b := l.buffer(dst)
	cvt := l.localOffsets(op, src.Type, dst.Type)
	ll := l.layout(op, src.Type)
	vec := min(b.vec(cvt), l.vectorWidth(op, src, mask, bitsOf(b.elem)))
	if c := int(op.IntOr("contiguity", 1)); l.opts.Contiguity == nil {
		vec = min(b.vec(cvt), consecutive(ll), c)
	}
	bytes := vec * bitsOf(b.elem) / 8
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
		p := b.at(l, l.coordinate(cvt, i, layout.Offset))
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
	l.set(op.Result(0), nil)
}

func lowerAsyncCommit(l *lowering, op *ir.Op) {
	l.asm("void", "cp.async.commit_group;", "", true)
	l.set(op.Result(0), nil)
}

// lowerAsyncWait waits for this thread's copies; the barrier that shows them to others is where they are read.
func lowerAsyncWait(l *lowering, op *ir.Op) {
	l.asm("void", fmt.Sprintf("cp.async.wait_group %d;", op.IntOr("num", 0)), "", true)
	l.set(op.Result(0), nil)
}

func lowerBarrier(l *lowering, _ *ir.Op) { l.barrier() }
