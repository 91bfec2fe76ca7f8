package pass

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// forPatterns are the canonicalizations of scf.for.
var forPatterns = []Pattern{
	{scf.For, trivialFor},
	{scf.For, invariantIterArgs},
	{scf.For, deadIterArgs},
}

// trivialFor: a loop that never runs is its initial values, one that runs once is its body.
func trivialFor(rw *Rewriter, op *ir.Op) bool {
	inits := scf.Inits(op)
	if scf.LowerBound(op) == scf.UpperBound(op) {
		rw.Replace(op, inits...)
		return true
	}
	n, ok := TripCount(op)
	switch {
	case !ok:
		return false
	case n == 0:
		rw.Replace(op, inits...)
		return true
	case n == 1:
		inlineBody(rw, op, op.Body(0), append([]*ir.Value{scf.LowerBound(op)}, inits...))
		return true
	}
	return yieldsOutside(rw, op)
}

// inlineBody puts a block that ends in a yield in the place of op.
func inlineBody(rw *Rewriter, op *ir.Op, body *ir.Block, args []*ir.Value) {
	rw.InlineBefore(body, op, args)
	yield := op.Prev()
	results := yield.Operands()
	rw.Erase(yield)
	rw.Replace(op, results...)
}

// yieldsOutside: a loop that runs, does nothing and yields values from outside is those values.
func yieldsOutside(rw *Rewriter, op *ir.Op) bool {
	body := op.Body(0)
	if body.First() != body.Last() {
		return false
	}
	values := body.Last().Operands()
	for _, v := range values {
		if v.Block() == body {
			return false
		}
	}
	rw.Replace(op, values...)
	return true
}

// TripCount returns how often a loop with constant bounds runs.
func TripCount(op *ir.Op) (n uint64, ok bool) {
	lb, ok1 := constfold.IntOf(scf.LowerBound(op))
	ub, ok2 := constfold.IntOf(scf.UpperBound(op))
	step, ok3 := constfold.IntOf(scf.Step(op))
	if !ok1 || !ok2 || !ok3 || step <= 0 {
		return 0, false
	}
	if op.HasAttr("unsignedCmp") {
		w := uint(64 - ir.BitWidth(scf.LowerBound(op).Type))
		l, u := uint64(lb)<<w>>w, uint64(ub)<<w>>w
		if l >= u {
			return 0, true
		}
		return ceilDiv(u-l, uint64(step)), true
	}
	if lb >= ub {
		return 0, true
	}
	return ceilDiv(uint64(ub)-uint64(lb), uint64(step)), true // the difference fits, unsigned
}

func ceilDiv(a, b uint64) uint64 {
	q, r := bits.Div64(0, a, b)
	if r > 0 {
		q++
	}
	return q
}

// invariantIterArgs takes out what a loop carries without changing it, and what it carries twice.
//
//	%r:2 = scf.for … iter_args(%a = %x, %b = %y) {          %r = scf.for … iter_args(%b = %y) {
//	  scf.yield %a, %f(%b)                            =>      scf.yield %f(%b)
func invariantIterArgs(rw *Rewriter, op *ir.Op) bool {
	args, inits, yields := scf.IterArgs(op), scf.Inits(op), op.Body(0).Last().Operands()
	type pair struct{ init, yield *ir.Value }
	seen := map[pair]int{}
	drop := make([]replacement, len(args))
	any := false
	for i, a := range args {
		p := pair{inits[i], yields[i]}
		j, twice := seen[p]
		switch {
		case yields[i] == a || yields[i] == inits[i]:
			drop[i] = replacement{true, inits[i], inits[i]}
		case twice:
			drop[i] = replacement{true, args[j], op.Result(j)}
		default:
			seen[p] = i
			continue
		}
		any = true
	}
	return any && rebuildFor(rw, op, drop)
}

// replacement says what takes the place of an iteration argument that goes, and of the loop's result of it.
type replacement struct {
	gone        bool
	arg, result *ir.Value
}

// deadIterArgs takes out what a loop carries only to compute itself.
func deadIterArgs(rw *Rewriter, op *ir.Op) bool {
	live := liveIterArgs(op)
	inits := scf.Inits(op)
	drop := make([]replacement, len(live))
	any := false
	for i := range live {
		if !live[i] {
			drop[i] = replacement{true, inits[i], inits[i]}
			any = true
		}
	}
	return any && rebuildFor(rw, op, drop)
}

// liveIterArgs finds the iteration arguments that an effect in the loop, or a result somebody uses, depends
// on.
func liveIterArgs(op *ir.Op) []bool {
	l := iterLiveness{body: op.Body(0), live: make([]bool, op.NumResults()), seen: map[*ir.Op]bool{}}
	for i, r := range op.Results() {
		if r.HasUses() {
			l.arg(i)
		}
	}
	if !slices.Contains(l.live, false) {
		return l.live
	}
	for o := range l.body.Ops() {
		if o != l.body.Last() && o.Effects()&^(ir.EffRead|ir.EffAlloc) != 0 {
			l.op(o)
		}
	}
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		l.value(v)
	}
	return l.live
}

type iterLiveness struct {
	body *ir.Block
	live []bool
	seen map[*ir.Op]bool
	work []*ir.Value
}

// arg marks iteration argument i, and what the next iteration gets for it.
func (l *iterLiveness) arg(i int) {
	if !l.live[i] {
		l.live[i] = true
		l.work = append(l.work, l.body.Last().Operand(i))
	}
}

func (l *iterLiveness) value(v *ir.Value) {
	if v.Block() != l.body {
		return
	}
	if def := v.Def(); def != nil {
		l.op(def)
	} else if v.Index() > 0 {
		l.arg(v.Index() - 1)
	}
}

func (l *iterLiveness) op(o *ir.Op) {
	if l.seen[o] {
		return
	}
	l.seen[o] = true
	o.Walk(func(in *ir.Op) bool {
		for i := range in.NumOperands() {
			l.work = append(l.work, in.Operand(i))
		}
		return true
	})
}

// rebuildFor makes the loop again without the iteration arguments that are gone.
func rebuildFor(rw *Rewriter, op *ir.Op, drop []replacement) bool {
	operands, types := op.Operands()[:3], []ir.Type(nil)
	for i, init := range scf.Inits(op) {
		if !drop[i].gone {
			operands = append(operands, init)
			types = append(types, init.Type)
		}
	}
	body := op.Body(0)
	yield := body.Last()
	for i, d := range drop {
		if d.gone {
			rw.ReplaceUses(body.Arg(i+1), d.arg)
		}
	}
	var yields []*ir.Value // read only now: one may have been an argument that is gone
	for i, d := range drop {
		if !d.gone {
			yields = append(yields, yield.Operand(i))
		}
	}
	rw.setOperands(yield, yields)
	for i := len(drop) - 1; i >= 0; i-- {
		if drop[i].gone {
			body.EraseArg(i + 1)
		}
	}
	region := ir.NewRegion()
	region.TakeBody(op.Region(0))
	loop := rw.Create(ir.State{Def: op.Def, Operands: operands, Results: types, Attrs: op.Attrs(),
		Regions: []*ir.Region{region}})
	replaceKept(rw, op, loop, func(i int) *ir.Value {
		return drop[i].result
	}, func(i int) bool { return drop[i].gone })
	return true
}

// replaceKept replaces op's results: those that are gone by other, the rest by the results of loop, in order.
func replaceKept(rw *Rewriter, op, loop *ir.Op, other func(i int) *ir.Value, gone func(i int) bool) {
	j := 0
	for i, r := range op.Results() {
		if gone(i) {
			continue
		}
		loop.Result(j).Name = r.Name
		rw.ReplaceUses(r, loop.Result(j))
		j++
	}
	for i, r := range op.Results() {
		if gone(i) && r.HasUses() {
			v := other(i)
			if v.Def() == op { // one of two equal results stands for both
				v = keptResult(op, loop, v.Index(), gone)
			}
			rw.ReplaceUses(r, v)
		}
	}
	rw.Erase(op)
}

// keptResult returns loop's result for op's result k, which was kept.
func keptResult(op, loop *ir.Op, k int, gone func(i int) bool) *ir.Value {
	j := 0
	for i := range k {
		if !gone(i) {
			j++
		}
	}
	return loop.Result(j)
}
