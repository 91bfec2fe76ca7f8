package motion

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// ScaleLate multiplies the rows of a block by a scale after their maximum is known, in loops of products of
// warp groups, where the scale is positive and masks are true everywhere. In attention that saves a
// multiplication for each element: the other use of the scaled block is a difference, whose multiplication
// costs nothing.
//
//	%s = %x * splat(%c)                    %y, %d, %r = scf.if %c > 0 and %m is true everywhere {
//	%t = arith.select %m, %s, %k             yield %x, %c, splat(%c) * max(%x)
//	%r = tt.reduce max %t            =>    } else {
//	%u = %t - %h                             yield %t, 1, max(%t)
//	                                       }
//	                                       %u = %y * splat(%d) - %h
//
// Multiplication by a positive number is monotonic, rounded or not, so the maximum is the same.
var ScaleLate = pass.Pass{
	Name: "nereid-gpu-scale-late",
	Doc:  "scale rows of products after their maximum",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, tt.Reduce) {
			if s := scaledRows(op); s != nil {
				ctx.At(op)
				s.rewrite()
			}
		}
		return nil
	},
}

// scaled is the row maximum of a matrix that was scaled and masked, as in attention.
type scaled struct {
	reduce  *ir.Op
	product *ir.Op
	x       *ir.Value // the value that is scaled
	scale   *ir.Value // a scalar
	masks   []*ir.Op  // the selects between the product and the row maxima, last first
	minus   []*ir.Op  // subtractions of the row maxima
}

// scaledRows returns what a maximum is taken of, nil if it is not of that kind.
func scaledRows(op *ir.Op) *scaled {
	if op.NumOperands() != 1 || !isMaximum(op) || !inProductLoop(op) {
		return nil
	}
	s := &scaled{reduce: op}
	rows := op.Operand(0)
	v := rows
	for v.DefBy(arith.Select) != nil && v.Block() == op.Block() {
		s.masks = append(s.masks, v.Def())
		v = v.Def().Operand(1)
	}
	s.product = v.DefBy(arith.MulF)
	if s.product == nil || s.product.Block() != op.Block() || ir.ElemOf(v.Type) != ir.F32 ||
		!ttgir.Satisfies(op, rules.BranchElements, ttgir.ElementsOfThread(s.product)) {
		return nil
	}
	for i := range 2 {
		if splat := s.product.Operand(i).DefBy(tt.Splat); splat != nil && ttgir.IsUniform(splat.Operand(0)) {
			s.x, s.scale = s.product.Operand(1-i), splat.Operand(0)
		}
	}
	if s.x == nil || !s.usedWell(rows, v) {
		return nil
	}
	return s
}

// usedWell reports whether the rows are used in the maximum and in differences alone, and what lies between
// the product and them, nowhere else.
func (s *scaled) usedWell(rows, product *ir.Value) bool {
	for u := range rows.Users() {
		beside := u.Block() == s.reduce.Block()
		switch {
		case u == s.reduce:
		case beside && u.Def == arith.SubF && u.Operand(0) == rows && u.Operand(1) != rows:
			s.minus = append(s.minus, u)
		default:
			return false
		}
	}
	for _, m := range s.masks[min(1, len(s.masks)):] {
		if !m.Result(0).HasOneUse() {
			return false
		}
	}
	return len(s.masks) == 0 || product.HasOneUse()
}

// isMaximum reports whether a reduction is the maximum of floats.
func isMaximum(op *ir.Op) bool {
	body := op.Body(0)
	first := body.First()
	return (first.Def == arith.MaxNumF || first.Def == arith.MaximumF) && first.Next() == body.Terminator()
}

// inProductLoop reports whether op is in the body of a loop of products of warp groups.
func inProductLoop(op *ir.Op) bool {
	if op.Parent().Def != scf.For {
		return false
	}
	for o := range ttgir.Body(op.Parent()) {
		if o.Def == ttng.WarpGroupDot {
			return true
		}
	}
	return false
}

// rewrite makes the branch.
func (s *scaled) rewrite() {
	b := ir.At(s.reduce)
	var all []*ir.Value
	for _, m := range s.masks {
		if all = append(all, allTrue(b, m.Operand(0))); all[len(all)-1] == nil {
			return
		}
	}
	more := []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.FOGT))}
	cond := b.ValA(arith.CmpF, ir.I1, more, s.scale, arith.Const(b, ir.FloatOf(0, ir.F32)))
	for _, m := range all {
		cond = b.Val(arith.AndI, ir.I1, cond, m)
	}
	rows := s.reduce.Operand(0)
	branch := scf.NewIf(b, cond, []ir.Type{rows.Type, ir.F32, s.reduce.Result(0).Type}, true)
	s.reduce.Result(0).ReplaceAllUses(branch.Result(2))
	for _, u := range s.minus {
		b.Before(u)
		factor := b.Val(tt.Splat, rows.Type, branch.Result(1))
		u.SetOperand(0, b.Val(arith.MulF, rows.Type, branch.Result(0), factor))
	}
	s.fast(branch.Body(0))
	b = ir.NewBuilder(branch.Body(1))
	end := scf.MakeYield(b, rows, opaqueOne(b), s.reduce.Result(0))
	s.product.MoveBefore(branch.Body(1).First())
	for i := len(s.masks) - 1; i >= 0; i-- {
		s.masks[i].MoveBefore(end)
	}
	s.reduce.MoveBefore(end)
}

// fast fills the block for rows that need no mask.
func (s *scaled) fast(block *ir.Block) {
	b := ir.NewBuilder(block)
	m := ir.NewMapping()
	m.Map(s.reduce.Operand(0), s.x)
	top := b.Insert(s.reduce.Clone(m)).Result(0)
	factor := b.Val(tt.Splat, top.Type, s.scale)
	scf.MakeYield(b, s.x, s.scale, b.Val(arith.MulF, top.Type, top, factor))
}

// opaqueOne returns 1 in a form that LLVM does not see through: it would move the multiplication by it back
// into the branches.
func opaqueOne(b *ir.Builder) *ir.Value {
	return b.ValA(tt.InlineAsm, ir.F32, []ir.NamedAttr{
		ir.A("asm_string", ir.Str("mov.f32 $0, 0f3F800000;")), ir.A("constraints", ir.Str("=f")),
		ir.A("packed_element", ir.I32Attr(1)), ir.A("pure", ir.BoolAttr(true))})
}
