package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// guard has the host check that a number is not negative in any program, nor in any iteration of the loops
// around it.
func (t *tiler) guard(p *tilePlan, v *ir.Value) bool {
	g := GuardWriter{Argument: func(v *ir.Value) int { return t.argument(address.Symbol{Value: v}) }}
	steps, ok := g.Steps(v, nil)
	code := slices.Concat(g.heads, steps)
	if !ok || !code.Valid() {
		return false
	}
	if !slices.ContainsFunc(p.guards, func(g tt.TileGuard) bool { return slices.Equal(g, code) }) {
		p.guards = append(p.guards, code)
	}
	return true
}

// maxGuard bounds the length of a guard.
const maxGuard = 256

var guardSteps = map[*ir.OpDef]int64{
	arith.AddI: tt.GuardAdd, arith.SubI: tt.GuardSub, arith.MulI: tt.GuardMul, arith.DivSI: tt.GuardDiv,
	arith.RemSI: tt.GuardRem, arith.MinSI: tt.GuardMin, arith.MaxSI: tt.GuardMax,
}

// GuardWriter writes the steps of a guard.
type GuardWriter struct {
	Argument func(*ir.Value) int // the number of a kernel's argument, -1 for other values
	loops    []*ir.Op            // the loops whose variables the steps use, outermost first
	heads    tt.TileGuard        // the steps that enter the loops; they come first
}

// Steps appends the steps that compute a scalar.
func (g *GuardWriter) Steps(v *ir.Value, code tt.TileGuard) (tt.TileGuard, bool) {
	if len(code)+len(g.heads) > maxGuard {
		return nil, false
	}
	if n, ok := arith.IntOf(v); ok {
		return append(code, tt.GuardNumber, n), true
	}
	if i := g.Argument(v); i >= 0 {
		return append(code, tt.GuardArg, int64(i)), true
	}
	op := v.Def()
	if op == nil {
		i, ok := g.loop(v)
		return append(code, tt.GuardIndex, int64(i)), ok
	}
	switch op.Def {
	case tt.GetProgramID:
		return append(code, tt.GuardProgram, op.IntOr("axis", 0)), true
	case tt.GetNumPrograms:
		return append(code, tt.GuardPrograms, op.IntOr("axis", 0)), true
	case arith.ExtSI:
		return g.Steps(op.Operand(0), code)
	}
	step, ok := guardSteps[op.Def]
	if !ok {
		return nil, false
	}
	if code, ok = g.Steps(op.Operand(0), code); !ok {
		return nil, false
	}
	if code, ok = g.Steps(op.Operand(1), code); !ok {
		return nil, false
	}
	return append(code, step, 0), true
}

// loop enters the loop that has the variable v, and returns its number.
func (g *GuardWriter) loop(v *ir.Value) (int, bool) {
	op := v.Block().Parent()
	if op == nil || op.Def != scf.For || v != scf.IV(op) {
		return 0, false
	}
	if i := slices.Index(g.loops, op); i >= 0 {
		return i, true
	}
	var head tt.TileGuard
	for _, bound := range []*ir.Value{scf.LowerBound(op), scf.UpperBound(op), scf.Step(op)} {
		var ok bool
		if head, ok = g.Steps(bound, head); !ok {
			return 0, false
		}
	}
	g.heads = append(append(g.heads, head...), tt.GuardEach, 0)
	g.loops = append(g.loops, op)
	return len(g.loops) - 1, true
}
