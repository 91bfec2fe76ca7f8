package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// MergeBranches replaces a branch whose sides do the same with different values by one side and selects:
//
//	%r = scf.if %c {                 %s = arith.select %c, %p, %q
//	  %x = tt.load %p          =>    %r = tt.load %s
//	  scf.yield %x
//	} else {
//	  %y = tt.load %q
//	  scf.yield %y
//	}
//
// Other passes can then move the load, and it is there once. Values that are divisible or contiguous in
// different ways stay apart, because a load of either could have fewer elements. So do kernels with products,
// as in FlattenBranches.
var MergeBranches = pass.Pass{
	Name: "nereid-gpu-merge-branches",
	Doc:  "one side and selects where both sides of a branch do the same",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		branches := ttgir.OpsOf(m.Op, scf.If)
		if len(branches) == 0 || slices.ContainsFunc(slices.Collect(m.Op.Ops()), layouts.IsProduct) {
			return nil
		}
		axes := axisinfo.Module(m)
		for _, op := range branches {
			if s := (sides{branch: op, axes: axes, twins: map[*ir.Value]*ir.Value{}}); s.alike() {
				ctx.At(op)
				s.merge()
			}
		}
		return nil
	},
}

// sides compares the two sides of a branch. twins are the results of its first side with those of the other.
type sides struct {
	branch *ir.Op
	axes   *axisinfo.Analysis
	twins  map[*ir.Value]*ir.Value
}

// alike reports whether the sides have the same operations in the same order.
func (s *sides) alike() bool {
	if s.branch.Region(1).Empty() {
		return false
	}
	x, y := s.branch.Body(0).First(), s.branch.Body(1).First()
	for ; x != nil && y != nil; x, y = x.Next(), y.Next() {
		if !pass.SameKind(x, y) || len(x.Regions()) > 0 {
			return false
		}
		for i, v := range x.Operands() {
			if !s.fit(v, y.Operand(i)) {
				return false
			}
		}
		for i, r := range x.Results() {
			s.twins[r] = y.Result(i)
		}
	}
	return x == nil && y == nil
}

// fit reports whether a value of the first side is, or can be selected to be, that of the second.
func (s *sides) fit(v, w *ir.Value) bool {
	if v == w || s.twins[v] == w {
		return true
	}
	if s.inside(v) || s.inside(w) || v.Type != w.Type || ttg.IsMemDesc(v.Type) || v.Type == ttg.Token {
		return false
	}
	a, b := s.axes.Of(v), s.axes.Of(w)
	return slices.Equal(a.Contiguity, b.Contiguity) && slices.Equal(a.Divisibility, b.Divisibility) &&
		slices.Equal(a.Constancy, b.Constancy)
}

func (s *sides) inside(v *ir.Value) bool { return v.Def() != nil && v.Def().IsInside(s.branch) }

// merge puts the first side before the branch and erases the branch.
func (s *sides) merge() {
	b := ir.NewBuilder(s.branch.Block())
	b.Before(s.branch)
	b.Loc = s.branch.Loc
	chosen := map[[2]*ir.Value]*ir.Value{}
	choose := func(v, w *ir.Value) *ir.Value {
		if v == w || s.twins[v] == w {
			return v
		}
		pair := [2]*ir.Value{v, w}
		if chosen[pair] == nil {
			chosen[pair] = b.Val(arith.Select, v.Type, s.branch.Operand(0), v, w)
		}
		return chosen[pair]
	}
	first, second := slices.Collect(s.branch.Body(0).Ops()), slices.Collect(s.branch.Body(1).Ops())
	for i, op := range first {
		for j, v := range slices.Clone(op.Operands()) {
			op.SetOperand(j, choose(v, second[i].Operand(j)))
		}
		if !op.Def.Has(ir.Terminator) {
			op.MoveBefore(s.branch)
		}
	}
	for i, r := range s.branch.Results() {
		r.ReplaceAllUses(first[len(first)-1].Operand(i))
	}
	s.branch.Erase()
}
