package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// whilePatterns are the canonicalizations of scf.while.
var whilePatterns = []Pattern{
	{scf.While, whileFalse},
	{scf.While, whileConditionTruth},
	{scf.While, whileInvariantArgs},
	{scf.While, whileInvariantResults},
	{scf.While, whileUnusedArgs},
	{scf.While, whileUnusedResults},
	{scf.While, whileEqualResults},
}

// whileFalse: a loop whose condition is false runs its first region, once.
func whileFalse(rw *Rewriter, op *ir.Op) bool {
	cond := op.Body(0).Last()
	if !constfold.IsInt(constfold.Of(cond.Operand(0)), 0) {
		return false
	}
	rw.InlineBefore(op.Body(0), op, op.Operands())
	results := cond.Operands()[1:]
	rw.Erase(cond)
	rw.Replace(op, results...)
	return true
}

// whileConditionTruth: where the second region gets the condition itself, it gets true.
func whileConditionTruth(rw *Rewriter, op *ir.Op) bool {
	cond := op.Body(0).Last()
	changed := false
	for i, v := range cond.Operands()[1:] {
		arg := op.Body(1).Arg(i)
		if v == cond.Operand(0) && arg.HasUses() {
			rw.ReplaceUses(arg, rw.Const(ir.BoolAttr(true), ir.I1))
			changed = true
		}
	}
	return changed
}

// whileInvariantArgs: an argument that every iteration hands on unchanged is its initial value.
func whileInvariantArgs(rw *Rewriter, op *ir.Op) bool {
	before, after := op.Body(0), op.Body(1)
	passed, yields := before.Last().Operands()[1:], after.Last().Operands()
	changed := false
	for i, a := range before.Args() {
		init, y := op.Operand(i), yields[i]
		same := y == init || y.IsArg() && y.Block() == after &&
			(passed[y.Index()] == a || passed[y.Index()] == init)
		if same && a.HasUses() {
			rw.ReplaceUses(a, init)
			changed = true
		}
	}
	if changed {
		rw.Modified(op)
	}
	return changed
}

// whileInvariantResults: a value from outside that the condition hands on need not be handed on.
func whileInvariantResults(rw *Rewriter, op *ir.Op) bool {
	changed := false
	for i, v := range op.Body(0).Last().Operands()[1:] {
		if v.Block().IsInside(op) {
			continue
		}
		for _, user := range []*ir.Value{op.Result(i), op.Body(1).Arg(i)} {
			if user.HasUses() {
				rw.ReplaceUses(user, v)
				changed = true
			}
		}
	}
	if changed {
		rw.Modified(op)
	}
	return changed
}

// whileUnusedArgs takes out the arguments that the first region does not use.
func whileUnusedArgs(rw *Rewriter, op *ir.Op) bool {
	before, after := op.Body(0), op.Body(1)
	gone := func(i int) bool { return !before.Arg(i).HasUses() }
	var inits, yields []*ir.Value
	for i := range before.Args() {
		if !gone(i) {
			inits = append(inits, op.Operand(i))
			yields = append(yields, after.Last().Operand(i))
		}
	}
	if len(inits) == op.NumOperands() {
		return false
	}
	rw.setOperands(after.Last(), yields)
	rw.setOperands(op, inits)
	for i := len(before.Args()) - 1; i >= 0; i-- {
		if gone(i) {
			before.EraseArg(i)
		}
	}
	return true
}

// whileUnusedResults takes out what is handed on though neither the second region nor anybody after the loop
// uses it.
func whileUnusedResults(rw *Rewriter, op *ir.Op) bool {
	gone := make([]bool, op.NumResults())
	for i, r := range op.Results() {
		gone[i] = !r.HasUses() && !op.Body(1).Arg(i).HasUses()
	}
	return slices.Contains(gone, true) && rebuildWhile(rw, op, gone)
}

// whileEqualResults: what is handed on twice is handed on once.
func whileEqualResults(rw *Rewriter, op *ir.Op) bool {
	first := map[*ir.Value]int{}
	gone := make([]bool, op.NumResults())
	for i, v := range op.Body(0).Last().Operands()[1:] {
		j, twice := first[v]
		if !twice {
			first[v] = i
			continue
		}
		gone[i] = true
		rw.ReplaceUses(op.Result(i), op.Result(j))
		rw.ReplaceUses(op.Body(1).Arg(i), op.Body(1).Arg(j))
	}
	return slices.Contains(gone, true) && rebuildWhile(rw, op, gone)
}

// rebuildWhile makes the loop again without the results that are gone, which have no uses.
func rebuildWhile(rw *Rewriter, op *ir.Op, gone []bool) bool {
	before, after := op.Body(0), op.Body(1)
	cond := before.Last()
	passed := []*ir.Value{cond.Operand(0)}
	var types []ir.Type
	for i, r := range op.Results() {
		if !gone[i] {
			passed = append(passed, cond.Operand(i+1))
			types = append(types, r.Type)
		}
	}
	rw.setOperands(cond, passed)
	for i := len(gone) - 1; i >= 0; i-- {
		if gone[i] {
			after.EraseArg(i)
		}
	}
	regions := []*ir.Region{ir.NewRegion(), ir.NewRegion()}
	for i, r := range regions {
		r.TakeBody(op.Region(i))
	}
	loop := rw.Create(ir.State{Def: scf.While, Operands: op.Operands(), Results: types, Attrs: op.Attrs(),
		Regions: regions})
	replaceKept(rw, op, loop, nil, func(i int) bool { return gone[i] })
	return true
}
