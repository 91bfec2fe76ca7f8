package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// deadArgPatterns find values that a loop carries for nothing but themselves, also by way of branches and inner loops.
var deadArgPatterns = []pass.Pattern{{Op: scf.For, Rewrite: deadLoopArgs}}

// deadLoopArgs lets a loop hand on unchanged what nobody needs; other patterns then take it out.
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

// liveness finds the values that something with an effect depends on.
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

// effects starts from the ops inside b that do something, and what decides whether they run.
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
			continue // it matters only for its results
		}
		if op == b.Last() && op.Def == scf.Yield {
			continue // what is yielded matters only where it arrives
		}
		for _, v := range op.Operands() {
			l.need(v)
		}
		for _, r := range op.Regions() {
			l.inside(r)
		}
	}
}

// inside needs everything that a region uses.
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

// passesOn reports whether an op hands each value on by itself.
func passesOn(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.If }

// controls are the operands that say what such an op does.
func controls(op *ir.Op) []*ir.Value {
	if op.Def == scf.For {
		return op.Operands()[:3]
	}
	return op.Operands()[:1]
}

// settle follows live values to what they are made of. Arguments of the outermost loop end it: its yields are the caller's.
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
