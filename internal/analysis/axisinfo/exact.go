package axisinfo

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Like Triton's, the rules of signed quotients and remainders take indices not to be negative, although
// [-8, -7, -6, -5] / 4 is [-2, -1, -1, -1]. The width of an access may rest on that, its addresses would be
// wrong anyway. A value may not.

// Exact returns an analysis of the same module, made by the first call, whose claims also hold of negative
// indices. It may still take sums and products not to wrap around, and divisors to be positive.
func (a *Analysis) Exact() *Analysis {
	if a.exactly == nil {
		a.exactly = a
		if hasOp(a.module, dividesRuns) {
			a.exactly = analyse(a.module, true)
		}
	}
	return a.exactly
}

func hasOp(m *ir.Module, is func(*ir.Op) bool) bool {
	for op := range m.Op.Ops() {
		if is(op) {
			return true
		}
	}
	return false
}

// dividesRuns reports whether the facts about op's result rest on the sign of its dividend.
func dividesRuns(op *ir.Op) bool {
	return (op.Def == arith.DivSI || op.Def == arith.RemSI) && tensorType(op.Result(0)) != nil
}

func tensorType(v *ir.Value) *ir.TensorType {
	t, _ := v.Type.(*ir.TensorType)
	return t
}

// withoutRuns returns the facts about a value of unknown sign that a quotient may use: its neighbours count
// as unrelated.
func withoutRuns(info Info) Info {
	out := info
	out.Contiguity, out.Divisibility = slices.Clone(info.Contiguity), slices.Clone(info.Divisibility)
	for d, n := range info.Contiguity {
		if n > 1 {
			out.Contiguity[d], out.Divisibility[d] = 1, 1
		}
	}
	return out
}

// NotNegative reports whether no element of v is negative, unless a sum or product wraps around or a divisor
// is negative: the number of a row of blocks, pid // num_pid_n, counts from zero.
func (a *Analysis) NotNegative(v *ir.Value) bool {
	known, ok := a.signs[v]
	if !ok {
		known = a.findSign(v, a.NotNegative)
		a.signs[v] = known
	}
	return known
}

// Natural reports whether no element of v is negative, unless a sum or product wraps around that is not made
// to do so (mixes). Unlike NotNegative, it does not take divisors to be positive.
func (a *Analysis) Natural(v *ir.Value) bool {
	known, ok := a.naturals[v]
	if !ok {
		quotient := v.DefBy(arith.DivSI)
		known = (quotient == nil || a.Natural(quotient.Operand(1))) && a.findSign(v, a.Natural)
		a.naturals[v] = known
	}
	return known
}

// findSign derives whether v is not negative from the op that makes it; natural says so of operands.
func (a *Analysis) findSign(v *ir.Value, natural func(*ir.Value) bool) bool {
	if v.IsArg() {
		loop := v.Block().Parent() // its step is positive
		return loop.Def == scf.For && v == scf.IV(loop) && natural(scf.LowerBound(loop))
	}
	op := v.Def()
	if op.Def.Has(ir.View) {
		return natural(op.Operand(0))
	}
	switch op.Def {
	case tt.GetProgramID, tt.GetNumPrograms, math.AbsI:
		return true
	case tt.MakeRange:
		return op.IntOr("start", 0) >= 0
	case arith.Constant:
		info := a.Of(v)
		return info.Known && signed(info.Value, ir.BitWidth(ir.ElemOf(v.Type))) >= 0
	case arith.MaxSI, arith.AndI:
		return natural(op.Operand(0)) || natural(op.Operand(1))
	case arith.DivSI, arith.RemSI, arith.ShRSI, arith.ExtSI, tt.Splat:
		return natural(op.Operand(0))
	case arith.Select:
		return natural(op.Operand(1)) && natural(op.Operand(2))
	case arith.MulI:
		return natural(op.Operand(0)) && natural(op.Operand(1)) && !a.mixes(op)
	case arith.AddI, arith.MinSI, arith.OrI:
		return natural(op.Operand(0)) && natural(op.Operand(1))
	}
	return false
}

// mixes reports whether a product is that of a hash or of random numbers, which wraps around on purpose: it
// has a known factor of more than half of its bits, or an odd one that is not small. Sizes are mostly even.
func (a *Analysis) mixes(mul *ir.Op) bool {
	half := ir.BitWidth(ir.ElemOf(mul.Result(0).Type)) / 2
	for _, v := range mul.Operands() {
		info := a.Of(v)
		odd := info.Value%2 != 0 && info.Value > 1<<8
		if info.Known && (odd || info.Value > 1<<half) {
			return true
		}
	}
	return false
}
