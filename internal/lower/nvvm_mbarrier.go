package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Barriers in shared memory (mbarrier) that count arrivals and bytes. A barrier is in a phase; the phase ends
// when all arrivals and all bytes that were announced are there. A wait names the parity of the phase that is
// to end. The first thread makes, arms and ends barriers; all threads wait.

// mbarrier returns the address of a barrier.
func (l *lowering) mbarrier(v *ir.Value) string {
	return "ptr addrspace(3) " + l.sharedAt("0", l.regs(v)[0])
}

// first returns a condition that is true in the first thread, where pred is true as well.
func (l *lowering) first(pred string) string {
	return l.both(l.val("icmp eq i32 %s, 0", l.ids.tid), pred)
}

// lowerInitBarrier makes a barrier. Behind the last of several, a fence makes them visible to the copy
// engine, which has nothing to do with those of warps.
func lowerInitBarrier(l *lowering, op *ir.Op) {
	code := fmt.Sprintf("@$0 mbarrier.init.shared::cta.b64 [$1], %d;", op.IntOr("count", 1))
	l.groupAsm("void", code, "b,r", "i1 "+l.first(""), l.mbarrier(op.Operand(0)))
	if ofWarps(op) {
		return
	}
	next := op.Next()
	for next != nil && (next.Effects() == 0 || next.Def == ttg.LocalAlloc && next.NumOperands() == 0 ||
		next.Def == ttng.InitBarrier && ofWarps(next)) {
		next = next.Next()
	}
	if next == nil || next.Def != ttng.InitBarrier {
		l.groupAsm("void", "fence.mbarrier_init.release.cluster;", "")
	}
}

// ofWarps reports whether warps alone use the barrier that an op makes.
func ofWarps(op *ir.Op) bool { return op.HasAttr(ttg.EachWarpAttr) || op.HasAttr(ttg.PingPongAttr) }

// lowerInvalBarrier ends the life of a barrier whose memory has other uses. The others end with the kernel.
func lowerInvalBarrier(l *lowering, op *ir.Op) {
	if !l.sharesBytes(op.Operand(0)) {
		return
	}
	l.groupAsm("void", "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r", "i1 "+l.first(""),
		l.mbarrier(op.Operand(0)))
}

// sharesBytes reports whether the bytes of a buffer's allocation serve others as well.
func (l *lowering) sharesBytes(buf *ir.Value) bool {
	op := buf.Def()
	for op != nil && len(l.alloc.buffers[op]) == 0 && op.NumOperands() > 0 {
		op = op.Operand(0).Def()
	}
	if op == nil || len(l.alloc.buffers[op]) != 1 {
		return true
	}
	mine := l.alloc.buffers[op][0]
	for other, list := range l.alloc.buffers {
		if other != op && slices.ContainsFunc(list, mine.overlaps) {
			return true
		}
	}
	return false
}

// lowerBarrierExpect arrives at a barrier and announces bytes.
func lowerBarrierExpect(l *lowering, op *ir.Op) {
	code := fmt.Sprintf("@$0 mbarrier.arrive.expect_tx.shared.b64 _, [$1], %d;", op.IntOr("size", 0))
	l.groupAsm("void", code, "b,r", "i1 "+l.first(l.scalar(op.Operand(1))), l.mbarrier(op.Operand(0)))
}

// lowerWaitBarrier waits until the phase of a parity has ended. What was copied before is visible then.
func lowerWaitBarrier(l *lowering, op *ir.Op) {
	bar, phase := l.mbarrier(op.Slot(0)), l.scalar(op.Slot(1))
	if op.HasAttr(ttg.PingPongAttr) {
		bar = l.pingPongBarrier(op.Slot(0), 0)
		phase = l.val("xor i32 %s, %s", phase,
			l.val("zext i1 %s to i32", l.val("icmp eq i32 %s, 0", l.groupNumber())))
	}
	args := []string{bar, "i32 " + phase}
	constraints, skip, end := "r,r", "", ""
	if pred := op.Slot(2); pred != nil && l.scalar(pred) != "true" {
		args, constraints = append(args, "i1 "+l.scalar(pred)), constraints+",b"
		skip, end = "@!$2 bra.uni DONE;\n", "DONE:\n"
	}
	code := "{\n.reg .pred complete;\n" + skip +
		"WAIT:\nmbarrier.try_wait.parity.shared.b64 complete, [$0], $1;\n@!complete bra.uni WAIT;\n" +
		end + "}"
	l.groupAsm("void", code, constraints, args...)
}

// lowerArriveBarrier arrives count times: the first thread, or one thread of each warp for all of it.
func lowerArriveBarrier(l *lowering, op *ir.Op) {
	bar, pred := l.mbarrier(op.Operand(0)), ""
	if p := op.Slot(1); p != nil {
		pred = l.scalar(p)
	}
	switch {
	case op.HasAttr(ttg.PingPongAttr):
		bar, pred = l.pingPongBarrier(op.Operand(0), 1), l.both(l.elected(), pred)
	case op.HasAttr(ttg.EachWarpAttr):
		l.vendor.meet(l, theWarp)
		pred = l.both(l.elected(), pred)
	default:
		pred = l.first(pred)
	}
	code := fmt.Sprintf("@$0 mbarrier.arrive.shared::cta.b64 _, [$1], %d;", op.IntOr("count", 1))
	l.groupAsm("void", code, "b,r", "i1 "+pred, bar)
}

// barrierBytes is the size of a barrier.
const barrierBytes = 8

// pingPongBarrier returns the address of the barrier of the warp group that comes ahead groups after this
// one, given that of the first group.
func (l *lowering) pingPongBarrier(first *ir.Value, ahead int) string {
	group := l.groupNumber()
	if ahead > 0 {
		group = l.val("urem i32 %s, %d", l.val("add i32 %s, %d", group, ahead), l.warps/groupWarps)
	}
	return "ptr addrspace(3) " + l.sharedAt(l.val("mul i32 %s, %d", group, barrierBytes), l.regs(first)[0])
}

// lowerSubgroupID returns the warp's number, provably the same in all threads of the warp.
func lowerSubgroupID(l *lowering, op *ir.Op) {
	var images [][]int
	for bit := 1; bit < l.warps; bit *= 2 {
		images = append(images, []int{bit})
	}
	l.setOne(op.Result(0), l.val("zext i32 %s to i64", l.uniformPart(images)))
}

// groupWarps is the number of warps of a warp group.
const groupWarps = 4

// groupNumber returns the number of this warp group, provably the same in all threads of a warp.
func (l *lowering) groupNumber() string {
	var images [][]int
	for bit := 1; bit < l.warps; bit *= 2 {
		images = append(images, []int{bit / groupWarps})
	}
	return l.uniformPart(images)
}
