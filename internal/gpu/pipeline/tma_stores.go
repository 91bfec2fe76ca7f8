package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// SharedForRank returns the layout for a tensor with more or fewer leading dimensions of size one.
func SharedForRank(enc ir.Attr, rank int) ir.Attr {
	l, ok := ttg.As[ttg.NVMMAShared](enc)
	if !ok || l.Rank() == rank {
		return enc
	}
	var cga [][]int64
	for _, v := range l.CGALayout {
		if len(v) > rank {
			cga = append(cga, v[len(v)-rank:])
		} else {
			cga = append(cga, append(make([]int64, rank-len(v)), v...))
		}
	}
	l.CGALayout, l.Dims = cga, int64(rank)
	return l.Attr()
}

// SharedOf returns the layout in shared memory of a tensor that is copied through a descriptor.
func SharedOf(desc *ir.Value, t *ir.TensorType) ir.Attr {
	return SharedForRank(tt.DescBlock(desc.Type).Encoding, t.Rank())
}

// StoreBuffer returns the type of the buffer that a store's value goes through.
func StoreBuffer(op *ir.Op, mutable bool) ir.Type {
	t := ttgir.TensorOf(ttgir.DescValue(op))
	return ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: SharedOf(op.Operand(0), t),
		Space: ttg.SharedMemory, Mutable: mutable}.Type()
}

// StoreBlock starts the copy or the reduction of a buffer to a store's block.
func StoreBlock(b *ir.Builder, op *ir.Op, buf *ir.Value) {
	operands := slices.Concat(op.Group(0), op.Group(2), []*ir.Value{buf})
	if op.Def == tt.DescReduce {
		b.Op(ttng.AsyncTMAReduce, operands, nil, ir.A("kind", op.Attr("kind")))
		return
	}
	b.Op(ttng.AsyncTMACopyLocalToGlobal, operands, nil)
}

// overlapStores makes the stores through descriptors of a loop, inner loops aside, asynchronous: the buffer
// lies outside of the loop, and is waited for only before it is written again. Stores of one shape share a
// buffer. It reports whether there were any.
//
//	scf.for … {                                     %buf = ttg.local_alloc
//	  tt.descriptor_store %d[…], %x          =>     scf.for … {
//	}                                                 ttng.async_tma_store_wait {pendings = 0}
//	                                                  ttg.local_store %x, %buf
//	                                                  ttng.fence_async_shared
//	                                                  ttng.async_tma_copy_local_to_global %d[…] %buf
//	                                                }
//	                                                ttng.async_tma_store_wait {pendings = 0}
func overlapStores(loop *ir.Op) bool {
	stores := descStores(loop)
	bufs := map[ir.Type]*ir.Value{}
	after := ir.At(loop)
	after.After(loop)
	for _, op := range stores {
		if len(bufs) == 0 {
			after.Op(ttng.AsyncTMAStoreWait, nil, nil, ir.A("pendings", ir.I32Attr(0)))
		}
		t := StoreBuffer(op, true)
		if bufs[t] == nil {
			b := ir.At(loop)
			b.Loc = op.Loc
			bufs[t] = b.Val(ttg.LocalAlloc, t)
			after.Op(ttg.LocalDealloc, []*ir.Value{bufs[t]}, nil)
		}
		b := ir.At(op)
		b.Op(ttng.AsyncTMAStoreWait, nil, nil, ir.A("pendings", ir.I32Attr(0)))
		b.Op(ttg.LocalStore, []*ir.Value{ttgir.DescValue(op), bufs[t]}, nil)
		b.Op(ttng.FenceAsyncShared, nil, nil, ir.A("bCluster", ir.BoolAttr(false)))
		StoreBlock(b, op, bufs[t])
		op.Erase()
	}
	return len(stores) > 0
}

// descStores returns the stores and reductions through descriptors that a loop makes itself.
func descStores(loop *ir.Op) []*ir.Op {
	var out []*ir.Op
	loop.Walk(func(op *ir.Op) bool {
		if op.Def == tt.DescStore || op.Def == tt.DescReduce {
			out = append(out, op)
		}
		return op == loop || op.Def != scf.For
	})
	return out
}
