package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

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
		t := storeBuffer(op, true)
		if bufs[t] == nil {
			b := ir.At(loop)
			b.Loc = op.Loc
			bufs[t] = b.Val(ttg.LocalAlloc, t)
			after.Op(ttg.LocalDealloc, []*ir.Value{bufs[t]}, nil)
		}
		b := ir.At(op)
		b.Op(ttng.AsyncTMAStoreWait, nil, nil, ir.A("pendings", ir.I32Attr(0)))
		b.Op(ttg.LocalStore, []*ir.Value{descValue(op), bufs[t]}, nil)
		b.Op(ttng.FenceAsyncShared, nil, nil, ir.A("bCluster", ir.BoolAttr(false)))
		storeBlock(b, op, bufs[t])
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
