package gcnsim

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// queue is a counter of s_waitcnt: the transfers that are under way, in order.
type queue struct {
	items []*transfer
}

// issue puts a transfer under way. It ends at once if the launch's order says so.
func (w *wave) issue(t *transfer, queues ...*queue) {
	if y := w.g.run.tally; y != nil {
		y.access(w, t)
	}
	for _, q := range queues {
		q.items = append(q.items, t)
		t.queues++
		for _, r := range t.regs {
			w.pending[r]++
			w.busy++
		}
	}
	if w.g.record != nil {
		w.g.record.begins(w, t)
	}
	if w.g.run.Order.Ends == Earliest {
		w.finish(t)
	}
}

// wait takes the oldest transfers off a queue until n are left, and ends them. Scalar loads and flat accesses
// come in any order: while one is under way, only a wait for all says that any is done.
func (w *wave) wait(q *queue, n int) {
	if n > 0 && slices.ContainsFunc(q.items, func(t *transfer) bool { return t.anyOrder }) {
		return
	}
	for len(q.items) > n {
		t := q.items[0]
		w.finish(t)
		for _, r := range t.regs {
			w.pending[r]--
			w.busy--
		}
		if t.toLDS {
			w.toLDS--
		}
		w.release(t)
		q.items = q.items[1:]
	}
	if len(q.items) == 0 {
		q.items = nil
	}
}

// drain ends all transfers of a wave.
func (w *wave) drain() {
	w.wait(&w.vm, 0)
	w.wait(&w.lgkm, 0)
	w.wait(&w.stores, 0)
}

// checkBusy stops the wave at an instruction that uses a register which a load under way writes. Loads of one
// queue may write a register one after another.
func (w *wave) checkBusy(s *step) {
	for _, r := range s.uses {
		if w.pending[r] == 0 || w.sameQueue(s, r) {
			continue
		}
		from := w.loader(r)
		panic(&fault{lane: -1, wait: true, other: from + 1,
			msg: fmt.Sprintf("%s is used before the load into it at %s has ended: s_waitcnt is missing or "+
				"waits for too few", registerName(r), w.where(from))})
	}
}

// loader returns the step of a load under way into a register.
func (w *wave) loader(reg int) int {
	for _, q := range []*queue{&w.vm, &w.lgkm} {
		for _, t := range q.items {
			if slices.Contains(t.regs, reg) {
				return t.from
			}
		}
	}
	return w.at
}

// sameQueue reports whether the step is a vector load that writes a register, and does not read it, behind
// others in its queue.
func (w *wave) sameQueue(s *step, r int) bool {
	q := w.queueOf(s.in)
	if q == nil {
		return false
	}
	for _, a := range s.in.Args[1:] {
		if slices.Contains(registersOf(a), r) {
			return false
		}
	}
	return slices.Contains(registersOf(s.in.Args[0]), r) && q.writes(r)
}

func (q *queue) writes(reg int) bool {
	for _, t := range q.items {
		if slices.Contains(t.regs, reg) {
			return !t.anyOrder
		}
	}
	return false
}

// queueOf returns the queue of a load's results, nil for other instructions.
func (w *wave) queueOf(in *gcn.Inst) *queue {
	result := "vdst"
	if in.Encoding() == "MUBUF" {
		if s, ok := shapeOf(in.Base); !ok || s.store {
			return nil
		}
		result = "vdata"
	}
	if d, ok := in.Arg(result); !ok || d.Field != in.Args[0].Field {
		return nil
	}
	switch in.Encoding() {
	case "GLOBAL", "SCRATCH", "MUBUF":
		return &w.vm
	case "DS":
		return &w.lgkm
	}
	return nil
}

func registerName(r int) string {
	switch {
	case r < sgprs:
		return fmt.Sprintf("s%d", r)
	case r < sgprs+vectors:
		return fmt.Sprintf("v%d", r-sgprs)
	}
	return fmt.Sprintf("a%d", r-sgprs-vectors)
}

// passBarrier keeps the order of a wave's transfers at a barrier. Those to global memory pass it before any
// that another wave begins behind it, unless the waves of a workgroup have caches apart.
func (w *wave) passBarrier() {
	if !w.p.apart {
		for _, t := range w.vm.items {
			if !t.toLDS {
				w.finish(t)
			}
		}
	}
	for _, q := range []*queue{&w.vm, &w.lgkm, &w.stores} {
		for _, t := range q.items {
			w.carryOver(t)
		}
	}
}

// checkMixed stops the wave at an access to LDS that another of the wave's, of the other queue, may overtake
// or be overtaken by: loads from global memory to LDS end with vmcnt, all others with lgkmcnt.
func (w *wave) checkMixed(q *queue, lane int, addr uint64, n int, how access) {
	for _, t := range q.items {
		if (how != reads || t.how != reads) && t.overlaps(addr, n) {
			panic(&fault{lane: lane, race: true, other: t.from + 1,
				msg: fmt.Sprintf("LDS address %#x: the wave's access at %s is still under way: s_waitcnt is "+
					"missing or waits for too few", addr, w.where(t.from))})
		}
	}
}
