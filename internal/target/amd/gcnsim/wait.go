package gcnsim

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// queue is a counter of s_waitcnt: the accesses that are under way, in order.
type queue struct {
	items []access
}

// access is an access to memory under way.
type access struct {
	regs   []int // that it writes
	scalar bool  // a scalar load, which may overtake others
	bytes  []span
}

// span is a part of LDS that an access touches.
type span struct {
	at, n int
	write bool
}

// issue puts an access under way.
func (w *wave) issue(q *queue, a access) {
	q.items = append(q.items, a)
	for _, r := range a.regs {
		w.pending[r]++
		w.busy++
	}
}

// wait takes the oldest accesses off a queue until n are left. Scalar loads come in any order: while one is
// under way, only a wait for all says that any is done.
func (w *wave) wait(q *queue, n int) {
	if n > 0 {
		for _, a := range q.items {
			if a.scalar {
				return
			}
		}
	}
	for len(q.items) > n {
		for _, r := range q.items[0].regs {
			w.pending[r]--
			w.busy--
		}
		q.items = q.items[1:]
	}
	if len(q.items) == 0 {
		q.items = nil
	}
}

// checkBusy stops the wave at an instruction that uses a register which a load under way writes. Loads of one
// queue may write a register one after another.
func (w *wave) checkBusy(s *step) {
	for _, r := range s.uses {
		if w.pending[r] == 0 || w.sameQueue(s, r) {
			continue
		}
		panic(&fault{lane: -1, wait: true,
			msg: fmt.Sprintf("%s is used before the load into it has ended: s_waitcnt is "+
				"missing or waits for too few", registerName(r))})
	}
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
	for _, a := range q.items {
		for _, r := range a.regs {
			if r == reg {
				return !a.scalar
			}
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

// carryOver marks accesses to LDS that are under way at a barrier as accesses after it, too.
func (w *wave) carryOver() {
	for _, a := range w.lgkm.items {
		for _, s := range a.bytes {
			w.g.run.lds.stamp(w, s)
		}
	}
}
