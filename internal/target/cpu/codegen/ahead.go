package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A product in a loop fetches the memory that it will read in the next round (see package gemm). The address
// is computed as that round will compute it: with the values that the loop passes on.

// round is a round of an scf.for that is being written.
type round struct {
	op           *ir.Op
	depth        int // scopes outside the loop
	less         string
	lo, hi, step val
	iv           val
}

// first returns whether it is the first round.
func (r *round) first(g *gen) string {
	return g.op("icmp eq %s %s, %s", elemType(r.iv.t), r.iv.s, r.lo.s)
}

// inLoop makes r the current round until the returned function is called.
func (g *gen) inLoop(r *round) (leave func()) {
	outer := g.round
	g.round = r
	return func() { g.round = outer }
}

// binding gives a value that the loop does not pass on.
type binding struct {
	v *ir.Value
	x val
}

// inNextRound returns the address of a view's first element in the next round of the current loop. It is null
// in the last round, and if only that round could tell: if the address depends on memory.
func (g *gen) inNextRound(src *ir.Value, fixed ...binding) string {
	r := g.round
	if r == nil || g.err != nil {
		return "null"
	}
	f := foresight{loop: r.op, needs: map[*ir.Value]bool{}, known: map[*ir.Value]bool{}}
	for _, b := range fixed {
		f.known[b.v] = true
	}
	if !f.sees(src) || len(f.needs) == 0 {
		return "null"
	}
	iv := val{s: g.op("add %s %s, %s", elemType(r.iv.t), r.iv.s, r.step.s), t: r.iv.t, n: 1}
	bindings := append(slices.Clone(fixed), binding{scf.IV(r.op), iv})
	yields := r.op.Body(0).Terminator().Operands()
	for i, a := range scf.IterArgs(r.op) {
		if f.needs[a] {
			bindings = append(bindings, binding{a, g.scalar(yields[i])})
		}
	}
	more := g.op("icmp %s %s %s, %s", r.less, elemType(r.iv.t), iv.s, r.hi.s)
	saved := g.scopes
	g.scopes = slices.Clone(saved[:r.depth]) // nothing of this round is known
	g.push()
	for _, b := range bindings {
		g.bind(b.v, b.x)
	}
	at := g.address(g.viewOf(src), "0")
	g.scopes = saved
	return g.op("select i1 %s, ptr %s, ptr null", more, at)
}

// foresight finds out whether a value of the next round can be computed in this one.
type foresight struct {
	loop  *ir.Op
	known map[*ir.Value]bool // can be computed, or are being looked at
	needs map[*ir.Value]bool // arguments of the loop's body that are needed
}

func (f *foresight) sees(v *ir.Value) bool {
	if f.known[v] || !v.Block().IsInside(f.loop) {
		return true
	}
	f.known[v] = true
	op := v.Def()
	if op == nil {
		return f.seesArgument(v)
	}
	if !isPure(op) || isTensor(v.Type) || !f.dividesSafely(op) {
		return false
	}
	return !slices.ContainsFunc(op.Operands(), func(x *ir.Value) bool { return !f.sees(x) })
}

// seesArgument follows an argument of the loop's body to the value that the round passes on.
func (f *foresight) seesArgument(v *ir.Value) bool {
	if v.Block() != f.loop.Body(0) || isTensor(v.Type) || isMemRef(v.Type) {
		return false
	}
	f.needs[v] = true
	i := slices.Index(scf.IterArgs(f.loop), v)
	return i < 0 || f.sees(f.loop.Body(0).Terminator().Operand(i))
}

// dividesSafely reports whether an operation divides by no number of the next round, which may be zero.
func (f *foresight) dividesSafely(op *ir.Op) bool {
	switch op.Def {
	case arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI, arith.CeilDivSI, arith.FloorDivSI:
		return !op.Operand(1).Block().IsInside(f.loop)
	}
	return true
}
