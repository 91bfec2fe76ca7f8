package layouts

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// deadArgPatterns removes values that a loop carries only for themselves, also through branches and inner
// loops.
var deadArgPatterns = []pass.Pattern{{Op: scf.For, Rewrite: deadLoopArgs}}

// deadLoopArgs makes a loop yield dead values unchanged; other patterns then remove them.
func deadLoopArgs(rw *pass.Rewriter, op *ir.Op) bool {
	l := liveness{live: map[*ir.Value]bool{}}
	for i, r := range op.Results() {
		if r.HasUses() {
			l.need(op.Body(0).Last().Operand(i))
			l.need(scf.IterArgs(op)[i])
		}
	}
	l.effects(op.Body(0))
	l.settle()
	changed := false
	yield := op.Body(0).Last()
	for i, a := range scf.IterArgs(op) {
		if !op.Result(i).HasUses() && !l.live[a] && yield.Operand(i) != a && a.HasUses() {
			rw.SetOperand(yield, i, a)
			rw.Modified(op)
			changed = true
		}
	}
	return changed
}

// liveness finds the values that an op with an effect depends on.
type liveness struct {
	live map[*ir.Value]bool
	work []*ir.Value
}

func (l *liveness) need(v *ir.Value) {
	if !l.live[v] {
		l.live[v] = true
		l.work = append(l.work, v)
	}
}

// effects marks the operands of ops in b that have effects, and the conditions under which they run.
func (l *liveness) effects(b *ir.Block) {
	for op := range b.Ops() {
		if passesOn(op) {
			for _, v := range controls(op) {
				l.need(v)
			}
			for _, r := range op.Regions() {
				for inner := range r.Blocks() {
					l.effects(inner)
				}
			}
			continue
		}
		if op != b.Last() && op.Effects() == 0 {
			continue // matters only for its results
		}
		if op == b.Last() && op.Def == scf.Yield {
			continue // a yielded value matters only where it arrives
		}
		for _, v := range op.Operands() {
			l.need(v)
		}
		for _, r := range op.Regions() {
			l.inside(r)
		}
	}
}

// inside marks every value that a region uses.
func (l *liveness) inside(r *ir.Region) {
	for b := range r.Blocks() {
		for op := range b.Ops() {
			for _, v := range op.Operands() {
				l.need(v)
			}
			for _, n := range op.Regions() {
				l.inside(n)
			}
		}
	}
}

// passesOn reports whether an op passes each value on separately.
func passesOn(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.If }

// controls returns the operands that decide which code of such an op runs.
func controls(op *ir.Op) []*ir.Value {
	if op.Def == scf.For {
		return op.Operands()[:3]
	}
	return op.Operands()[:1]
}

// settle follows live values to their operands. Arguments of the outermost loop end at its own yields and
// initial values.
func (l *liveness) settle() {
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		def := v.Def()
		switch {
		case def == nil:
			loop := v.Block().Parent()
			if loop != nil && loop.Def == scf.For && v.Index() > 0 {
				l.need(v.Block().Last().Operand(v.Index() - 1))
				l.need(loop.Operand(2 + v.Index()))
			}
		case passesOn(def):
			for _, r := range def.Regions() {
				l.need(r.First().Last().Operand(v.Index()))
			}
			if def.Def == scf.For {
				l.need(scf.Inits(def)[v.Index()])
			}
		default:
			for _, o := range def.Operands() {
				l.need(o)
			}
			for _, r := range def.Regions() {
				l.inside(r)
			}
		}
	}
}
