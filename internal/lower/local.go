package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// localBytes returns the size of a block's part of a buffer.
func localBytes(t ir.Type) int {
	m, _ := ttg.MemDescOf(t)
	shape := m.Alloc()
	if part, err := ttglayout.ShapePerCTA(m.Encoding, shape); err == nil {
		shape = part
	}
	n := 1
	for _, d := range shape {
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

// view makes the result another name for the operand's memory.
func view(l *lowering, op *ir.Op) { l.vals[op.Result(0)] = l.vals[op.Operand(0)] }

func lowerMemDescReinterpret(l *lowering, op *ir.Op) {
	if l.regs(op.Operand(0))[1] != "0" {
		l.fail(op, "a part of a buffer as another type")
	}
	view(l, op)
}

// lowerMemDescIndex returns a buffer of a multi-buffered allocation.
func lowerMemDescIndex(l *lowering, op *ir.Op) {
	src := l.regs(op.Operand(0))
	step := localBytes(op.Result(0).Type)
	off := l.val("mul i32 %s, %d", l.scalar(op.Operand(1)), step)
	l.set(op.Result(0), []string{l.val("add i32 %s, %s", src[0], off), src[1]})
}

// lowerMemDescSubslice starts a view at fixed coordinates. The layout is linear over bits, so the offset of
// any element of the view is its own offset in the buffer xored with the offset of the first element.
func lowerMemDescSubslice(l *lowering, op *ir.Op) {
	ll := l.layout(op, op.Operand(0).Type).PseudoInvert()
	var at []int
	for _, o := range op.Attr("offsets").(*ir.DenseArrayAttr).Values {
		at = append(at, int(o))
	}
	src := l.regs(op.Operand(0))
	place := ll.Apply(at...)
	if len(place) > 1 && place[1] != 0 {
		l.refuseOnCluster(op, "a view of what another block has")
	}
	start := fmt.Sprint(place[0])
	if src[1] != "0" && start != "0" {
		start = l.val("xor i32 %s, %s", src[1], start)
	} else if start == "0" {
		start = src[1]
	}
	l.set(op.Result(0), []string{src[0], start})
}

// localOffsets maps (register, lane, warp) to the element's offset in a buffer and, on a cluster, to the
// block whose buffer it is.
func (l *lowering) localOffsets(op *ir.Op, tensor, mem ir.Type) layout.Layout {
	if l.ctas > 1 {
		ll := l.layout(op, mem)
		if ll.FreeVariablesIn(layout.Offset) != 0 {
			l.refuseOnCluster(op, "a buffer that has an element twice")
		}
		h := homesOf(ll)
		if _, ok := l.layout(op, tensor).TryInvertAndCompose(h.basis); !ok {
			l.fail(op, "the layout of the buffer does not cover that of the tensor")
		}
		return h.find(l.layout(op, tensor))
	}
	cvt, ok := l.layout(op, tensor).TryInvertAndCompose(l.layout(op, mem))
	if !ok {
		l.fail(op, "the layout of the buffer does not cover that of the tensor")
	}
	return cvt
}

// ownOffsets returns the layout of localOffsets for writing: each block must hold exactly the elements of its
// own buffer.
func (l *lowering) ownOffsets(op *ir.Op, tensor, mem ir.Type) layout.Layout {
	cvt := l.localOffsets(op, tensor, mem)
	if l.ctas == 1 {
		return cvt
	}
	own := offsets(cvt)
	if crossing(cvt) || !own.Sublayout(withoutName(own.InNames(), layout.Block),
		own.OutNames()).IsSurjective() {
		l.refuseOnCluster(op, "a buffer of which blocks hold other parts than of the tensor")
	}
	return own
}

func (l *lowering) localStore(op *ir.Op, v, dst *ir.Value) {
	ll := l.layout(op, v.Type)
	b, cvt := l.buffer(dst), l.ownOffsets(op, v.Type, dst.Type)
	owner := l.storer(ll, ir.ElemOf(v.Type), copiesAlike(v))
	regs, cvt := l.spreadStore(b, cvt, l.regs(v))
	l.storeRows(b, cvt, regs, ll.FreeVariablesIn(layout.Register), owner)
}

func lowerLocalStore(l *lowering, op *ir.Op) { l.localStore(op, op.Operand(0), op.Operand(1)) }

func lowerLocalLoad(l *lowering, op *ir.Op) {
	src, t := op.Operand(0), op.Result(0).Type
	b, cvt := l.buffer(src), l.localOffsets(op, t, src.Type)
	if l.crosses(op) {
		l.clusterBarrier()
		l.set(op.Result(0), l.loadAll(b, cvt))
		l.clusterBarrier()
		return
	}
	if l.ctas > 1 {
		cvt = offsets(cvt)
	}
	regs, ok := l.vendor.loadMatrices(l, b, cvt)
	if !ok {
		regs = l.loadAll(b, cvt)
	}
	l.set(op.Result(0), regs)
}

// lowerAsyncCopy copies global to shared memory without registers: 4, 8 or 16 bytes at a time, zeros where
// the mask is false.
func lowerAsyncCopy(l *lowering, op *ir.Op) {
	src, dst, mask, other := op.Slot(0), op.Slot(1), op.Slot(2), op.Slot(3)
	b := l.buffer(dst)
	cvt := l.ownOffsets(op, src.Type, dst.Type)
	ll := l.layout(op, src.Type)
	groups := l.opts.MaskPrefix
	if groups == nil {
		groups = l.opts.MaskAlign
	}
	vec := min(cvt.NumConsecutive(), b.most(), l.widthUnder(groups, op, src, mask, bitsOf(b.elem)))
	if c := int(op.IntOr("contiguity", 1)); l.opts.Contiguity == nil {
		vec = min(cvt.NumConsecutive(), b.most(), consecutive(ll), c)
	}
	bytes := vec * bitsOf(b.elem) / 8
	if bytes < 4 {
		l.fail(op, "an asynchronous copy of %d bytes", bytes)
	}
	_ = other // other must be zero, which the copy writes where the mask is false
	owner, free := l.ownsInBlock(ll), ll.FreeVariablesIn(layout.Register)
	regs := l.regs(src)
	to := l.pointers(b, cvt)
	for i := 0; i < len(regs); i += vec {
		if i&free != 0 {
			continue
		}
		at, valid := to.at(i), validity{}
		if mask != nil {
			valid = l.validBytes(mask, i, vec, bytes)
		}
		valid = l.guardCopy(guarded{op, "load", src, b.elem, vec}, regs[i], valid, owner)
		l.vendor.copyAsync(l, at, regs[i], bytes, valid, owner)
	}
	l.set(op.Result(0), nil)
}

func lowerAsyncCommit(l *lowering, op *ir.Op) {
	l.vendor.commitCopies(l)
	l.set(op.Result(0), nil)
}

// lowerAsyncWait waits for this thread's copies. findBarriers adds the barrier that makes them visible to
// other threads, before the first read.
func lowerAsyncWait(l *lowering, op *ir.Op) {
	l.vendor.waitCopies(l, int(op.IntOr("num", 0)))
	l.vendor.showCopies(l, op)
	l.set(op.Result(0), nil)
}

func lowerBarrier(l *lowering, _ *ir.Op) { l.programBarrier() }

func localLoadCrosses(l *lowering, op *ir.Op) bool {
	return crossing(l.localOffsets(op, op.Result(0).Type, op.Operand(0).Type))
}
