package lower

import (
	"fmt"

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

// lowerInitBarrier makes a barrier. Behind the last of several, a fence makes them visible to the copy engine.
func lowerInitBarrier(l *lowering, op *ir.Op) {
	code := fmt.Sprintf("@$0 mbarrier.init.shared::cta.b64 [$1], %d;", op.IntOr("count", 1))
	l.groupAsm("void", code, "b,r", "i1 "+l.first(""), l.mbarrier(op.Operand(0)))
	next := op.Next()
	for next != nil && (next.Effects() == 0 || next.Def == ttg.LocalAlloc && next.NumOperands() == 0) {
		next = next.Next()
	}
	if next == nil || next.Def != ttng.InitBarrier {
		l.groupAsm("void", "fence.proxy.async.shared::cta;", "")
	}
}

func lowerInvalBarrier(l *lowering, op *ir.Op) {
	l.groupAsm("void", "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r", "i1 "+l.first(""), l.mbarrier(op.Operand(0)))
}

// lowerBarrierExpect arrives at a barrier and announces bytes.
func lowerBarrierExpect(l *lowering, op *ir.Op) {
	code := fmt.Sprintf("@$0 mbarrier.arrive.expect_tx.shared.b64 _, [$1], %d;", op.IntOr("size", 0))
	l.groupAsm("void", code, "b,r", "i1 "+l.first(l.scalar(op.Operand(1))), l.mbarrier(op.Operand(0)))
}

// lowerWaitBarrier waits until the phase of a parity has ended. What was copied before is visible then.
func lowerWaitBarrier(l *lowering, op *ir.Op) {
	args := []string{l.mbarrier(op.Slot(0)), "i32 " + l.scalar(op.Slot(1))}
	constraints, skip, end := "r,r", "", ""
	if pred := op.Slot(2); pred != nil && l.scalar(pred) != "true" {
		args, constraints = append(args, "i1 "+l.scalar(pred)), constraints+",b"
		skip, end = "@!$2 bra.uni DONE;\n", "DONE:\n"
	}
	code := "{\n.reg .pred complete;\n" + skip +
		"WAIT:\nmbarrier.try_wait.parity.shared.b64 complete, [$0], $1;\n@!complete bra.uni WAIT;\n" + end + "}"
	l.groupAsm("void", code, constraints, args...)
}

// lowerArriveBarrier arrives count times.
func lowerArriveBarrier(l *lowering, op *ir.Op) {
	pred := ""
	if p := op.Slot(1); p != nil {
		pred = l.scalar(p)
	}
	code := fmt.Sprintf("@$0 mbarrier.arrive.shared::cta.b64 _, [$1], %d;", op.IntOr("count", 1))
	l.groupAsm("void", code, "b,r", "i1 "+l.first(pred), l.mbarrier(op.Operand(0)))
}
