package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// fillLate moves buffers that are filled from loads before the loop behind the copies for the first
// iterations, which need not wait for these loads.
func (t *pingPongLoop) fillLate() {
	var copies *ir.Op // the first
	for op := t.enter; op != nil; op = op.Prev() {
		if op.Def == ttng.BarrierExpect {
			copies = op
		}
	}
	for op := t.loop.Block().First(); op != t.enter; {
		next := op.Next()
		if op.Def == tt.DescLoad && copies != nil && op.Before(copies) && loadsBuffer(op) {
			op.MoveBefore(copies)
		}
		if op.Def == ttg.LocalAlloc && op.NumOperands() > 0 && loadsDirectly(op.Operand(0)) &&
			ttgir.FirstUse(op) == t.loop {
			op.MoveBefore(t.enter.Prev())
		}
		op = next
	}
}

// waitEarly moves the waits for bytes behind the wait for products up to it: what threads compute is then in
// one piece, which the assembler can reorder. Their copies began when those for the leading product did.
func (t *pingPongLoop) waitEarly() {
	var list []*ir.Op
	for op := t.wait.Next(); op != t.behind; op = op.Next() {
		if op.Def == ttng.WaitBarrier {
			list = append(list, op)
		}
	}
	at := t.wait.Next()
	for _, w := range list {
		for _, v := range w.Operands() {
			if op := v.Def(); op != nil && op.Block() == w.Block() && t.wait.Before(op) {
				op.MoveBefore(at)
			}
		}
		w.MoveBefore(at)
	}
}

// accumulateFirst moves the scaling factors of accumulators, one for each row, ahead of the arithmetic for
// the left operands of the products behind the wait. That arithmetic takes long, mostly in the unit for
// exponentials; the accumulators are scaled meanwhile.
func (t *pingPongLoop) accumulateFirst() {
	need := map[*ir.Op]bool{}
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		op := v.Def()
		if op == nil || op.Block() != t.wait.Block() || need[op] || !t.wait.Before(op) {
			return
		}
		need[op] = true
		for _, o := range ttgir.OuterOperands(op) {
			visit(o)
		}
	}
	visit(t.behind.Operand(2))
	at := t.wait.Next()
	for at.Effects() != 0 || at.Def == ttg.MemDescIndex {
		at = at.Next()
	}
	for op := at; op != t.behind; {
		next := op.Next()
		switch {
		case !need[op] || op.Effects() != 0:
		case op == at:
			at = next
		default:
			op.MoveBefore(at)
		}
		op = next
	}
}

// inChains marks the reductions of the loop to be computed in several independent chains: a warp that is
// alone on its quarter of an SM would wait for each addition before the next.
func (t *pingPongLoop) inChains() {
	for op := range ttgir.Body(t.loop) {
		if op.Def == tt.Reduce {
			op.SetAttr(ttg.ChainsAttr, ir.Unit)
		}
	}
}

// loadsBuffer reports whether what a load through a descriptor gives is only the contents of buffers for the
// loop.
func loadsBuffer(load *ir.Op) bool {
	for u := range load.Result(0).Users() {
		if u.Def != ttg.LocalAlloc || ttgir.FirstUse(u) == nil || ttgir.FirstUse(u).Def != scf.For {
			return false
		}
	}
	return true
}

// loadsDirectly reports whether v is what a load gives, in this layout or another.
func loadsDirectly(v *ir.Value) bool {
	for v.DefBy(ttg.ConvertLayout) != nil {
		v = v.Def().Operand(0)
	}
	return v.DefBy(tt.Load) != nil
}
