package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// scratchOf holds, for operations that need shared memory while they run, the sizes of their buffers in
// bytes. Such an operation writes its buffers, meets at a barrier, and reads them: barrierFinder.accesses
// relies on this order.
var scratchOf = map[*ir.OpDef]func(l *lowering, op *ir.Op) []int{
	tt.Reduce: reduceScratch, tt.AtomicRMW: atomicScratch, tt.AtomicCAS: atomicScratch,
}

// scratchSizes returns the sizes of op's buffers.
func scratchSizes(l *lowering, op *ir.Op) []int {
	if f := scratchOf[op.Def]; f != nil {
		return f(l, op)
	}
	return nil
}
