package scf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Yield:         verifyYield,
	Condition:     func(op *ir.Op) error { return inside(op, While) },
	For:           verifyFor,
	While:         verifyWhile,
	If:            verifyIf,
	IndexSwitch:   verifyIndexSwitch,
	ExecuteRegion: verifyExecute,
	Reduce:        verifyReduce,
	ReduceReturn:  func(op *ir.Op) error { return inside(op, Reduce) },
	Parallel:      verifyParallel,
	InParallel:    func(op *ir.Op) error { return inside(op, Forall) },
	Forall:        verifyForall,
})

var _ = Dialect.Inference(map[*ir.OpDef]ir.InferFunc{
	For: func(s *ir.State) ([]ir.Type, error) {
		if len(s.Operands) < 3 {
			return nil, errors.New("expects bounds and a step")
		}
		return typesOf(s.Operands[3:]), nil
	},
})

func inside(op *ir.Op, parents ...*ir.OpDef) error {
	if p := op.Parent(); p == nil || !slices.Contains(parents, p.Def) && !p.Def.Unregistered {
		return fmt.Errorf("expects parent op to be one of '%s'", parents)
	}
	return nil
}

func verifyYield(op *ir.Op) error {
	p := op.Parent()
	if p == nil || p.Def.Dialect == Dialect &&
		!slices.Contains([]*ir.OpDef{For, If, While, IndexSwitch, ExecuteRegion}, p.Def) {
		return errors.New("expects a loop, an if or a switch around it")
	}
	return nil
}

// sameTypes compares a list of values with what they become.
func sameTypes(what string, vs []*ir.Value, want []ir.Type) error {
	if len(vs) != len(want) {
		return fmt.Errorf("%s: expected %d values, but found %d", what, len(want), len(vs))
	}
	for i, v := range vs {
		if v.Type != want[i] {
			return fmt.Errorf("%s: value #%d must be '%s', but is '%s'", what, i, want[i], v.Type)
		}
	}
	return nil
}

// yields checks the terminator of a region, when it is a yield, against types.
func yields(r *ir.Region, want []ir.Type) error {
	for b := range r.Blocks() {
		term := b.Terminator()
		if term == nil {
			continue // somebody else's finding
		}
		if term.Def == Yield {
			if err := sameTypes("yield", term.Operands(), want); err != nil {
				return err
			}
		} else if len(term.Successors()) == 0 && r.First() == r.Last() && !term.Def.Unregistered {
			return fmt.Errorf("expects its regions to end with '%s', but found '%s'", Yield, term.Def)
		}
	}
	return nil
}

func verifyFor(op *ir.Op) error {
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	t := op.Operand(0).Type
	if op.Operand(1).Type != t || op.Operand(2).Type != t {
		return errors.New("requires bounds and step of one type")
	}
	carried := typesOf(Inits(op))
	if err := sameTypes("results", op.Results(), carried); err != nil {
		return err
	}
	if err := sameTypes("body arguments", body.Args(), append([]ir.Type{t}, carried...)); err != nil {
		return err
	}
	return yields(op.Region(0), carried)
}

func verifyWhile(op *ir.Op) error {
	before, after := op.Body(0), op.Body(1)
	if before == nil || after == nil {
		return errors.New("has an empty region")
	}
	inits := typesOf(op.Operands())
	if err := sameTypes("arguments of the first region", before.Args(), inits); err != nil {
		return err
	}
	if err := sameTypes("arguments of the second region", after.Args(), op.ResultTypes()); err != nil {
		return err
	}
	cond := before.Terminator()
	if cond == nil || cond.Def != Condition {
		return fmt.Errorf("expects the first region to end with '%s'", Condition)
	}
	if err := sameTypes("condition", cond.Operands()[1:], op.ResultTypes()); err != nil {
		return err
	}
	return yields(op.Region(1), inits)
}

func verifyIf(op *ir.Op) error {
	if op.Region(0).Empty() {
		return errors.New("has an empty then region")
	}
	if op.NumResults() > 0 && op.Region(1).Empty() {
		return errors.New("must have an else block if defining values")
	}
	for _, r := range op.Regions() {
		if b := r.First(); b != nil && len(b.Args()) > 0 {
			return errors.New("has a region with arguments")
		}
		if err := yields(r, op.ResultTypes()); err != nil {
			return err
		}
	}
	return nil
}

func verifyIndexSwitch(op *ir.Op) error {
	cases := op.Attr("cases").(*ir.DenseArrayAttr).Values
	if len(cases) != len(op.Regions())-1 {
		return fmt.Errorf("has %d case regions but %d case values", len(op.Regions())-1, len(cases))
	}
	if sorted := slices.Sorted(slices.Values(cases)); len(slices.Compact(sorted)) != len(cases) {
		return errors.New("has duplicate case values")
	}
	for _, r := range op.Regions() {
		if r.Empty() {
			return errors.New("has an empty region")
		}
		if err := yields(r, op.ResultTypes()); err != nil {
			return err
		}
	}
	return nil
}

func verifyExecute(op *ir.Op) error {
	if op.Region(0).Empty() {
		return errors.New("region needs to have at least one block")
	}
	return yields(op.Region(0), op.ResultTypes())
}

func verifyReduce(op *ir.Op) error {
	if err := inside(op, Parallel); err != nil {
		return err
	}
	if len(op.Regions()) != op.NumOperands() {
		return fmt.Errorf("has %d operands but %d regions", op.NumOperands(), len(op.Regions()))
	}
	for i, r := range op.Regions() {
		t := op.Operand(i).Type
		if r.Empty() {
			return errors.New("has an empty region")
		}
		if err := sameTypes("arguments of a reduction", r.First().Args(), []ir.Type{t, t}); err != nil {
			return err
		}
		ret := r.First().Terminator()
		if ret == nil || ret.Def != ReduceReturn {
			return fmt.Errorf("expects its regions to end with '%s'", ReduceReturn)
		}
		if err := sameTypes("reduction", ret.Operands(), []ir.Type{t}); err != nil {
			return err
		}
	}
	return nil
}

func verifyParallel(op *ir.Op) error {
	n := len(op.Group(0))
	body := op.Body(0)
	switch {
	case n == 0 || len(op.Group(1)) != n || len(op.Group(2)) != n:
		return errors.New("needs at least one lower bound, and as many upper bounds and steps")
	case body == nil:
		return errors.New("has an empty region")
	}
	if err := sameTypes("body arguments", body.Args(), slices.Repeat([]ir.Type{ir.Index}, n)); err != nil {
		return err
	}
	if err := sameTypes("initial values", op.Group(3), op.ResultTypes()); err != nil {
		return err
	}
	red := body.Terminator()
	if red == nil || red.Def != Reduce {
		return fmt.Errorf("expects its body to end with '%s'", Reduce)
	}
	return sameTypes("reduce", red.Operands(), op.ResultTypes())
}

func verifyForall(op *ir.Op) error {
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	n := len(Bounds(op, 1))
	for i, name := range forallBounds {
		if err := indexlist.Check(op, i, name, n); err != nil {
			return err
		}
	}
	outs := typesOf(op.Group(3))
	if err := sameTypes("results", op.Results(), outs); err != nil {
		return err
	}
	return sameTypes("body arguments", body.Args(), append(slices.Repeat([]ir.Type{ir.Index}, n), outs...))
}
