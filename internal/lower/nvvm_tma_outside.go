package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The copy engine loads boxes that begin at negative coordinates, but stores and reductions there are illegal
// instructions, which end the kernel and take the device's context away. Coordinates are the same in all
// threads of a block, so one test decides: where a coordinate of the block is negative, threads write the
// elements that lie inside of the tensor. For that they need address, sizes and strides. A tensor map hides
// them; so the launch, or the code that makes a map, puts the words of the descriptor behind it (mapWords).
//
//	@!outside cp.async.bulk.tensor… [map, {x, y}], [buf]
//	cp.async.bulk.commit_group
//	if outside: for i = thread; i < elements; i += threads: if inside of the tensor: *place(i) = buf[i]
//
// Stores by tiles need no test: the launch has seen to it that they lie inside.

// outside returns a condition, the same in all threads, that holds if a box of a store begins at a negative
// coordinate, or at one beyond the largest int32. It is empty if that cannot be.
func (l *lowering) outside(op *ir.Op, boxes []box) string {
	if !mayBeOutside(op) {
		return ""
	}
	coords, last := op.Group(1), boxes[len(boxes)-1].at
	any := "0"
	for i, c := range coords {
		v := l.scalar(c)
		any = l.val("or i32 %s, %s", any, v)
		if k := i - (len(coords) - len(last)); k >= 0 && last[k] > 0 {
			any = l.val("or i32 %s, %s", any, l.add(v, itoa(last[k])))
		}
	}
	return l.val("icmp slt i32 %s, 0", any)
}

// storeOutside writes the elements of a buffer that lie inside of the tensor, by threads. The block meets
// behind it: the buffer and the words of the descriptor may change then.
func (l *lowering) storeOutside(op *ir.Op, kind int64) {
	m, _ := ttg.MemDescOf(op.Slot(2).Type)
	n := 1
	for _, d := range m.Shape {
		n *= int(d)
	}
	l.eachElement(n, func(i string) {
		l.storeElement(op, m, kind, i)
	})
	l.groupAsm("void", "fence.proxy.async;", "")
	l.barrier()
}

// eachElement calls f once, with the numbers below n that fall to a thread.
func (l *lowering) eachElement(n int, f func(i string)) {
	head, body, done := l.label("elements"), l.label("element"), l.label("done")
	before := l.writer.block
	l.br(head)
	l.begin(head)
	i := l.phi("i32")
	i.from(l.ids.tid, before)
	l.condBr(l.val("icmp ult i32 %s, %d", i.name, n), body, done)
	l.begin(body)
	f(i.name)
	i.from(l.val("add i32 %s, %d", i.name, l.threads()), l.writer.block)
	l.br(head)
	l.patch(i)
	l.begin(done)
}

// storeElement writes element i of a buffer, counted row by row, if it lies inside of the tensor.
func (l *lowering) storeElement(op *ir.Op, m ttg.MemDesc, kind int64, i string) {
	coords, rank := op.Group(1), len(op.Group(1))
	word := func(k int) string {
		at := l.val("getelementptr i8, ptr %s, i64 %d", l.scalar(op.Slot(0)), TensorMapBytes+8*k)
		return l.asm("i64", "ld.b64 $0, [$1];", "=l,l", true, "ptr "+at)
	}
	inside, at := "", word(0)
	low := 0 // bits of i below the coordinate
	for d := rank - 1; d >= 0; d-- {
		x := l.val("sext i32 %s to i64", l.scalar(coords[d]))
		if k := d - (rank - len(m.Shape)); k >= 0 {
			e := l.field(i, low, log2(int(m.Shape[k])), 1)
			x, low = l.val("add i64 %s, %s", x, l.val("zext i32 %s to i64", e)), low+log2(int(m.Shape[k]))
		}
		inside = l.both(inside, l.val("icmp ult i64 %s, %s", x, word(1+d)))
		step := l.val("mul i64 %s, %s", x, word(1+rank+d))
		at = l.val("add i64 %s, %s", at, l.val("mul i64 %s, %d", step, bitsOf(m.Elem)/8))
	}
	from := l.sharedAt(l.placeOf(op, i), l.regs(op.Slot(2))[0])
	to := l.val("inttoptr i64 %s to ptr addrspace(1)", at)
	l.when(inside, func() { l.putElement(op, m.Elem, kind, from, to) })
}

// placeOf returns the offset in bytes of element i of a store's buffer.
func (l *lowering) placeOf(op *ir.Op, i string) string {
	m, _ := ttg.MemDescOf(op.Slot(2).Type)
	places := l.layout(op, op.Slot(2).Type).PseudoInvert()
	var images []int
	for d := len(m.Shape) - 1; d >= 0; d-- {
		for bit := 1; bit < int(m.Shape[d]); bit *= 2 {
			at := make([]int, len(m.Shape))
			at[d] = bit
			images = append(images, places.Apply(at...)[0]*bitsOf(m.Elem)/8)
		}
	}
	off := "0"
	for _, f := range l.fieldsOf(i, images) {
		off = l.xor(off, f)
	}
	return off
}

// putElement stores an element, or combines it with the one in memory.
func (l *lowering) putElement(op *ir.Op, elem ir.Type, kind int64, from, to string) {
	a := newAccess(elem, 1)
	v := l.val("load %s, ptr addrspace(3) %s", a.memElem(), from)
	if kind == 0 {
		l.do("store %s %s, ptr addrspace(1) %s", a.memElem(), v, to)
		return
	}
	u := update{kind: updateOf(kind, tt.DescBlock(op.Slot(0).Type).Elem), elem: elem, unused: true,
		vals: []string{l.fromMem(a, v)}, sem: tt.SemRelaxed, scope: tt.ScopeGPU}
	l.vendor.atomic(l, u, to, "true")
}

// updatesOf holds the atomic operations that do what reductions of the copy engine do to unsigned numbers.
var updatesOf = map[int64]int64{
	tt.ReduceAdd: tt.RMWAdd, tt.ReduceMin: tt.RMWUMin, tt.ReduceMax: tt.RMWUMax, tt.ReduceAnd: tt.RMWAnd,
	tt.ReduceOr: tt.RMWOr, tt.ReduceXor: tt.RMWXor,
}

// updateOf returns the atomic operation that does what a reduction of the copy engine does to elements of a
// descriptor.
func updateOf(kind int64, elem ir.Type) int64 {
	it, isInt := elem.(*ir.IntegerType)
	signed := !isInt || it.Sign == ir.Signed
	switch {
	case kind == tt.ReduceAdd && !isInt:
		return tt.RMWFAdd
	case kind == tt.ReduceMin && signed:
		return tt.RMWMin
	case kind == tt.ReduceMax && signed:
		return tt.RMWMax
	}
	return updatesOf[kind]
}

// mapElemBytes holds the sizes of the element types of tensormap.replace.
var mapElemBytes = [...]int{1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4}

// words lets the first thread of a warp put the words of a descriptor behind the map that it makes.
func (m *mapWriter) words(op *ir.Op) {
	l, elemBytes := m.l, mapElemBytes[op.IntOr("elem_type", 0)]
	dims, strides := op.Group(3), op.Group(4)
	rank := len(dims)
	to := m.operand("ptr addrspace(1) "+l.scalar(op.Slot(0)), "l")
	put := func(k int, value string) {
		m.code = append(m.code, fmt.Sprintf("st.global.b64 [%s + %d], %s;", to, TensorMapBytes+8*k, value))
	}
	put(0, m.operand("ptr addrspace(1) "+l.scalar(op.Slot(1)), "l"))
	for i := range dims { // the innermost comes first
		d := rank - 1 - i
		size := l.call("i32", "llvm.smax.i32", "i32 "+l.scalar(dims[i]), "i32 0")
		put(1+d, m.operand("i64 "+l.val("zext i32 %s to i64", size), "l"))
		stride := "1"
		if i > 0 {
			stride = l.val("udiv i64 %s, %d", l.scalar(strides[i-1]), elemBytes)
		}
		put(1+rank+d, m.operand("i64 "+stride, "l"))
	}
}
