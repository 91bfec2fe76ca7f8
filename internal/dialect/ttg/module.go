package ttg

import "github.com/nereid-lang/nereid/internal/ir"

// Attributes of a module in this dialect.
const (
	NumWarpsAttr       = "ttg.num-warps"
	NumCTAsAttr        = "ttg.num-ctas"
	ThreadsPerWarpAttr = "ttg.threads-per-warp"
	TargetAttr         = "ttg.target"
	SharedAttr         = "ttg.shared" // bytes of shared memory, once allocated
	MaxNRegAttr        = "ttg.maxnreg"
)

// Attributes of ours, which Triton ignores.
const (
	// GluonAttr marks the module of a Gluon kernel before its tensors have layouts, LayoutMark the operations
	// whose layouts the program names.
	GluonAttr  = "nereid.gluon"
	LayoutMark = "nereid.layout"
	// GuardedAttr marks an allocation whose readers and writers a barrier in shared memory orders.
	GuardedAttr = "nereid.guarded"
	// EachWarpAttr marks an arrival of each warp; others are of one thread.
	EachWarpAttr = "nereid.each_warp"
	// PingPongAttr marks the barriers by which warp groups ping-pong: a group waits at its own, and each
	// of its warps arrives at that of the next group when its turn ends. The operand is the barrier of the
	// first group, whose first turn waits for nobody.
	PingPongAttr = "nereid.ping_pong"
	// ChainsAttr marks reductions for which a thread keeps several partial results, so that it need not wait
	// for each before the next.
	ChainsAttr = "nereid.chains"
	// ProgramsAttr marks a loop whose iterations are programs of the launch: none sees what another writes.
	ProgramsAttr = "nereid.programs"
	// ByLanesAttr marks a conversion that should take no shared memory if it stays within warps.
	ByLanesAttr = "nereid.by_lanes"
	// BufferAttr marks loads and stores whose pointers are a base and 32-bit offsets within 2 GiB behind it.
	BufferAttr = "nereid.buffer"
	// PrefetchAttr marks a load whose result is not used: it asks the L2 cache for the memory.
	PrefetchAttr = "nereid.prefetch"
	// ProgramAttr numbers the programs that were merged into one, on the memory accesses of each.
	ProgramAttr = "nereid.program"
	// StepsAttr marks a product of warp groups whose steps along k are groups of their own: it is the number
	// of those that may be under way when the next is prepared.
	StepsAttr = "nereid.steps"
)

// NumWarps is the number of warps that run op: that of the partition it is in, or else its module's; 0 when
// unknown.
func NumWarps(op *ir.Op) int {
	for ; op != nil; op = op.Parent() {
		if block := op.Block(); block != nil && op.Parent() != nil &&
			op.Parent().Def == WarpSpecializePartitions {
			return partitionWarps(op.Parent(), block.Region())
		}
		if n, ok := op.Int(NumWarpsAttr); ok {
			return int(n)
		}
	}
	return 0
}

func partitionWarps(holder *ir.Op, r *ir.Region) int {
	ws := holder.Parent()
	if ws == nil {
		return 0
	}
	warps, ok := ws.Attr("partitionNumWarps").(*ir.DenseArrayAttr)
	if !ok {
		return 0
	}
	for i, p := range holder.Regions() {
		if p == r && i < len(warps.Values) {
			return int(warps.Values[i])
		}
	}
	return 0
}

// NumCTAs, ThreadsPerWarp and Target are facts of the module around op, with Triton's defaults.
func NumCTAs(op *ir.Op) int        { return int(moduleInt(op, NumCTAsAttr, 1)) }
func ThreadsPerWarp(op *ir.Op) int { return int(moduleInt(op, ThreadsPerWarpAttr, 32)) }

// Target is "cuda:90" and the like, or "".
func Target(op *ir.Op) string {
	for ; op != nil; op = op.Parent() {
		if t := op.Text(TargetAttr); t != "" {
			return t
		}
	}
	return ""
}

func moduleInt(op *ir.Op, name string, def int64) int64 {
	for ; op != nil; op = op.Parent() {
		if v, ok := op.Int(name); ok {
			return v
		}
	}
	return def
}
