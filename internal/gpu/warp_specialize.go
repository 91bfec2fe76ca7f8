package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// specializeAttr marks a loop of tl.range(warp_specialize=True). The hint asks that copies run ahead of the
// products without making their warps wait. Bulk copies and barriers in shared memory do that without warps
// of their own, so the hint has two other effects, which Triton's implementation has as well:
//
//   - A program of one warp group gets a second one, which computes half of the rows (SpecializedWarps).
//   - The loop is fused with the loop inside it, so that copies for the next tile run while the current one
//     is stored (FuseNestedLoops).
const specializeAttr = "tt.warp_specialize"

// SpecializedWarps returns the number of warps of a program that is to have n: twice as many if n is one warp
// group, a loop asks for warp specialization, and two groups can divide the rows of all its products.
func SpecializedWarps(m *ir.Module, n int) int {
	if n != groupWarps {
		return n
	}
	for _, loop := range forLoops(m.Op) {
		if loop.HasAttr(specializeAttr) && hasRowsForTwo(loop) {
			return 2 * n
		}
	}
	return n
}

// groupRows is the least number of rows that a warp group computes.
const groupRows = 64

// hasRowsForTwo reports whether a loop has products, all with rows for two warp groups.
func hasRowsForTwo(loop *ir.Op) bool {
	products := 0
	for op := range loop.Ops() {
		if op.Def != tt.Dot {
			continue
		}
		shape := tensorOf(op.Result(0)).Shape
		if len(shape) != 2 || shape[0] < 2*groupRows {
			return false
		}
		products++
	}
	return products > 0
}
