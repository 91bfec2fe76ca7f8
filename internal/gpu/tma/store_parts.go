package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// HasApart reports whether a kernel has a loop whose warps are apart (pingPong). Other warps would not gain:
// they reach the stores at the same time.
func HasApart(fn *ir.Op) bool {
	guarded := func(op *ir.Op) bool { return op.HasAttr(ttg.GuardedAttr) }
	return slices.ContainsFunc(ttgir.OpsOf(fn, ttg.LocalAlloc), guarded)
}

// StoreInParts lets the copy engine store the first columns of a tile while threads still write the others to
// shared memory. A part is as wide as a box of the copy engine.
//
//	%buf = ttg.local_alloc %x                        %x0, %x1 = columns of %x
//	ttng.fence_async_shared                     =>   %b0 = ttg.local_alloc %x0; ttng.fence_async_shared
//	ttng.async_tma_copy_local_to_global %buf         ttng.async_tma_copy_local_to_global %b0
//	ttng.async_tma_store_wait                        %b1 = ttg.local_alloc %x1; ttng.fence_async_shared
//	                                                 ttng.async_tma_copy_local_to_global %b1
//	                                                 ttng.async_tma_store_wait; ttg.local_dealloc %b0, %b1
//
// Threads hold the columns of each part already, so that parting the tensor costs nothing. Warps that are
// apart (pingPong) would meet for each part, and keep what they have.
var StoreInParts = pass.Pass{
	Name: "nereid-gpu-store-in-parts",
	Doc:  "store the first columns of a tile while the others are written to shared memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
			if HasApart(fn) {
				continue
			}
			for _, copied := range ttgir.OpsOf(fn, ttng.AsyncTMACopyLocalToGlobal) {
				if s := findWholeStore(copied); s != nil {
					ctx.At(copied)
					s.part()
				}
			}
		}
		return nil
	},
}

// wholeStore is the store of a tile through a buffer that nothing else uses.
type wholeStore struct {
	alloc, fence, copy, wait *ir.Op
	columns                  int64 // columns of one part of the tile
}

// findWholeStore returns the store that a copy is part of, nil if it has one part.
func findWholeStore(copied *ir.Op) *wholeStore {
	s := &wholeStore{copy: copied, fence: copied.Prev(), wait: copied.Next()}
	if s.fence == nil || s.fence.Def != ttng.FenceAsyncShared || s.wait.Def != ttng.AsyncTMAStoreWait {
		return nil
	}
	buf := copied.Slot(2)
	s.alloc = s.fence.Prev()
	if s.alloc == nil || s.alloc != buf.DefBy(ttg.LocalAlloc) || s.alloc.NumOperands() != 1 ||
		!buf.HasOneUse() {
		return nil
	}
	m, _ := ttg.MemDescOf(buf.Type)
	box := ttglayout.Box(m.Encoding, m.Shape)
	if len(box) != 2 || int64(box[0]) != m.Shape[0] || int64(box[1]) == m.Shape[1] {
		return nil
	}
	s.columns = int64(box[1])
	return s
}

// part stores one part after the other, if threads hold the columns of each.
func (s *wholeStore) part() {
	b := ir.At(s.alloc)
	parts := columnParts(b, s.alloc.Operand(0), s.columns)
	if parts == nil {
		return
	}
	after := ir.At(s.wait)
	after.After(s.wait)
	m, _ := ttg.MemDescOf(s.copy.Slot(2).Type)
	m.Shape = ttgir.TensorOf(parts[0]).Shape
	at := slices.Clone(s.copy.Group(1)) // with as many leading dimensions as the descriptor has
	last := len(at) - 1
	first := at[last]
	for i, x := range parts {
		buf := b.Val(ttg.LocalAlloc, m.Type(), x)
		b.Op(ttng.FenceAsyncShared, nil, nil, s.fence.Attrs()...)
		at[last] = b.Val(arith.AddI, ir.I32, first, arith.ConstInt(b, int64(i)*s.columns, ir.I32))
		b.Groups(ttng.AsyncTMACopyLocalToGlobal, [][]*ir.Value{{s.copy.Slot(0)}, at, {buf}}, nil)
		after.Op(ttg.LocalDealloc, []*ir.Value{buf}, nil)
	}
	s.copy.Erase()
	s.fence.Erase()
	s.alloc.Erase()
}

// columnParts returns the parts of a tensor of two dimensions with so many columns each, in order; nil where
// a thread does not hold the same columns of all of them.
func columnParts(b *ir.Builder, x *ir.Value, columns int64) []*ir.Value {
	if ttgir.TensorOf(x).Shape[1] == columns {
		return []*ir.Value{x}
	}
	left, right := columnHalves(b, x)
	if left == nil {
		return nil
	}
	first, second := columnParts(b, left, columns), columnParts(b, right, columns)
	if first == nil || second == nil {
		return nil
	}
	return slices.Concat(first, second)
}

// columnHalves returns both halves of a tensor, nil where a thread does not hold the same columns of them.
func columnHalves(b *ir.Builder, x *ir.Value) (left, right *ir.Value) {
	t := ttgir.TensorOf(x)
	m, n := t.Shape[0], t.Shape[1]/2
	apart, pairs := []int64{m, 2, n}, []int64{m, n, 2}
	reshaped := ttglayout.Reshape(t.Encoding, t.Shape, apart)
	if reshaped == nil {
		return nil, nil
	}
	turned := ttglayout.Trans(reshaped, apart, []int64{0, 2, 1})
	half := ttglayout.Split(turned, pairs)
	if half == nil {
		return nil, nil
	}
	x = b.Val(tt.Reshape, ir.Tensor(apart, t.Elem, reshaped), x)
	swap := []ir.NamedAttr{ir.A("order", ir.I32Array(0, 2, 1))}
	x = b.ValA(tt.Trans, ir.Tensor(pairs, t.Elem, turned), swap, x)
	typ := ir.Tensor([]int64{m, n}, t.Elem, half)
	split := b.Op(tt.Split, []*ir.Value{x}, []ir.Type{typ, typ})
	return split.Result(0), split.Result(1)
}
