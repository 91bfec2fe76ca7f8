package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// specializeAttr marks a loop of tl.range(warp_specialize=True). The hint asks that copies run ahead of the
// products without making their warps wait. Bulk copies and barriers in shared memory do that without warps
// of their own, so the hint has two other effects, which Triton's implementation has as well:
//
//   - A program of one warp group that cannot hold the accumulators of its products gets a second one, which
//     computes half of the rows (SpecializedWarps).
//   - The loop is fused with the loop inside it, so that copies for the next tile run while the current one
//     is stored (FuseNestedLoops).
const specializeAttr = "tt.warp_specialize"

// SpecializedWarps returns the number of warps of a program for which the author asked for n: twice as many
// if n is one warp group, a loop has more accumulators than one group can hold, and there are rows for two
// groups. A loop that asks for warp specialization gets the second group as soon as that is faster, other
// loops if the accumulators alone exceed all registers: the assembler would spill them and serialize the
// products.
func SpecializedWarps(m *ir.Module, n int) int {
	if n != ttgir.GroupWarps {
		return n
	}
	for _, loop := range ttgir.ForLoops(m.Op) {
		if needsTwoGroups(loop) {
			return 2 * n
		}
	}
	return n
}

const (
	// groupRows is the least number of rows that a warp group computes.
	groupRows = 64
	// ThreadRegisters is the number of registers that a thread can have.
	ThreadRegisters = 255
)

// needsTwoGroups reports whether the accumulators exceed the registers of one warp group, and two can divide
// them.
func needsTwoGroups(loop *ir.Op) bool {
	registers := int64(0)
	for op := range loop.Ops() {
		if op.Def != tt.Dot {
			continue
		}
		shape := ttgir.TensorOf(op.Result(0)).Shape
		if len(shape) != 2 || shape[0] < 2*groupRows {
			return false
		}
		registers += shape[0] * shape[1] / (ttgir.GroupWarps * 32)
	}
	return registers > ThreadRegisters ||
		registers > 0 && loop.HasAttr(specializeAttr) &&
			ttgir.Satisfies(loop, rules.SpecializeAccumulators, registers)
}
