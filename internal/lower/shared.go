package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// scratchOf are, for operations that need shared memory while they run, the sizes of their buffers in bytes. Such an operation writes
// its buffers, meets at a barrier, and reads them.
var scratchOf = map[*ir.OpDef]func(l *lowering, op *ir.Op) []int{
	tt.Reduce: reduceScratch, tt.AtomicRMW: atomicScratch, tt.AtomicCAS: atomicScratch,
}

// scratchSizes are the buffers that an operation needs.
func scratchSizes(l *lowering, op *ir.Op) []int {
	if f := scratchOf[op.Def]; f != nil {
		return f(l, op)
	}
	return nil
}
