package pipeline

import (
	"math"
	"sync"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// SoftwarePipeline rewrites scheduled loops (lower_loads.go, expand_loop.go): loads become copies to shared
// memory that run while the loop works on earlier data. Each wait then allows as many copies under way as
// were begun after the one it waits for.
//
//	scf.for … {                                          copies for the first iterations
//	  %x = tt.load %p {loop.stage = 0}             =>    scf.for … {
//	  %d = tt.dot %x, … {loop.stage = 2}                   %w = ttg.async_wait … {num = 1}
//	}                                                      %x = ttg.local_load … token %w
//	                                                       %d = tt.dot %x, …
//	                                                       the copy for two iterations on
//	                                                     }
var SoftwarePipeline = pass.Pass{
	Name: "tritongpu-pipeline",
	Doc:  "overlap loads with the work of earlier iterations",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		changed := pipelineLoads(ctx, m)
		for _, loop := range ttgir.ForLoops(m.Op) {
			ctx.At(loop)
			changed = startProducts(loop) || changed
			startEarly(loop)
			pingPong(loop)
			changed = overlapStores(loop) || changed
		}
		if !changed {
			return nil
		}
		for _, op := range ttgir.OpsOf(m.Op, ttg.LocalAlloc) {
			op.SetAttr(tightAttr, nil)
			op.SetAttr(roomyAttr, nil)
		}
		updateWaits(m.Op)
		return layouts.Canonicalize.Run(ctx, m)
	},
}

// pipelineLoads expands the loops that have a schedule and reports whether there were any.
func pipelineLoads(ctx *pass.Context, m *ir.Module) bool {
	var list []*schedule
	for _, loop := range ttgir.ForLoops(m.Op) {
		if s := readSchedule(loop); s != nil {
			list = append(list, s)
		}
	}
	axes := sync.OnceValue(func() *axisinfo.Analysis { return axisinfo.Module(m) })
	for _, s := range list {
		ctx.At(s.loop)
		s.lowerLoads(axes)
		if !s.valid() { // keep the loop as it is, without overlap
			eraseSchedule(s.loop)
			continue
		}
		s.expand()
	}
	return len(list) > 0
}

// updateWaits sets, for each wait, how many groups of copies may still be under way: the least number
// committed, on any path through loops, between the awaited group and the wait. More would read data that has
// not arrived. Waits without a group between them are merged.
func updateWaits(root *ir.Op) {
	var waits []*ir.Op
	for op := range root.Ops() {
		if op.Def == ttg.AsyncWait {
			waits = append(waits, op)
		}
	}
	for _, w := range waits {
		n := 0
		if w.NumOperands() == 1 {
			c := commitCounter{least: math.MaxInt}
			c.back(w.Operand(0), ttgir.AncestorIn(w.Operand(0).Block(), w), 0)
			n = c.least
		}
		w.SetAttr("num", ir.I32Attr(int64(n)))
	}
	for _, w := range waits {
		if w.Block() != nil {
			mergeWaits(w)
		}
	}
}

// commitCounter walks back from a wait to the group that it waits for; least is the smallest count on any
// path.
type commitCounter struct{ least int }

// back follows a token, used at op at with n groups between at and the wait, to its definition.
func (c *commitCounter) back(token *ir.Value, at *ir.Op, n int) {
	first := token.Block().First()
	if def := token.Def(); def != nil {
		first = def.Next()
	}
	for op := first; op != at; op = op.Next() {
		if op.Def == ttg.AsyncCommitGroup {
			n++
		}
	}
	loop := token.Block().Parent()
	switch {
	case n >= c.least:
	case token.Def() != nil, loop.Def != scf.For:
		c.least = n
	default:
		c.back(scf.Inits(loop)[token.Index()-1], loop, n)
		c.back(ttgir.Yielded(token), loop.Body(0).Last(), n)
	}
}

// mergeWaits merges the waits behind w into w, up to the next group or branch.
func mergeWaits(w *ir.Op) {
	tokens, num := w.Operands(), w.IntOr("num", 0)
	var gone []*ir.Op
	for op := w.Next(); op != nil && op.Def != ttg.AsyncCommitGroup && !branches(op); op = op.Next() {
		if op.Def == ttg.AsyncWait {
			tokens = append(tokens, op.Operands()...)
			num = min(num, op.IntOr("num", 0))
			gone = append(gone, op)
		}
	}
	if len(gone) == 0 {
		return
	}
	w.SetOperands(tokens, nil)
	w.SetAttr("num", ir.I32Attr(num))
	for _, op := range gone {
		op.ReplaceWith(w.Result(0))
	}
}

// branches reports whether code in op may run several times or never.
func branches(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.If || op.Def == scf.While }
