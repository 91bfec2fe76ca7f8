package programs

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// LongestFirst renumbers the programs of a kernel whose loops of products are the longer the larger a
// program's number along the first axis is, as in causal attention. A GPU starts programs in the order of
// their numbers, and a long program that starts last runs alone at the end.
//
//	%p = tt.get_program_id x    =>    %p = tt.get_num_programs x - 1 - tt.get_program_id x
//
// Programs run in no order that a kernel could rely on; those with atomics keep theirs all the same.
func LongestFirst(mach ttgir.Machine) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-longest-first",
		Doc:  "start programs with long loops of products first",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := ttgir.OpsOf(m.Op, tt.Func)
			if mach.NumCTAs > 1 || len(fns) != 1 || ttgir.IsOrdered(fns[0]) || !growsAlong(fns[0]) {
				return nil
			}
			for _, op := range ttgir.OpsOf(fns[0], tt.GetProgramID) {
				if op.IntOr("axis", 0) == 0 {
					ctx.At(op)
					renumber(op)
				}
			}
			return nil
		},
	}
}

// growsAlong reports whether a loop of products begins at the same number in all programs along the first
// axis, and ends at one that grows.
func growsAlong(fn *ir.Op) bool {
	for _, loop := range ttgir.ForLoops(fn) {
		grows := ir.Once(growth)
		if !pipeline.WantsPipeline(loop) || grows(scf.LowerBound(loop)) != 0 ||
			grows(scf.UpperBound(loop)) != 1 {
			continue
		}
		return true
	}
	return false
}

// unknownGrowth marks a value that is not known to be monotonic in the program id.
const unknownGrowth = -1

// growth returns 1 if a number grows with the program id along the first axis, 0 if it does not depend
// on it, and unknownGrowth otherwise; of says so of operands.
func growth(v *ir.Value, of func(*ir.Value) int) int {
	op := v.Def()
	switch {
	case op == nil && v.Block().Parent().Def == tt.Func, op != nil && op.Def == arith.Constant:
		return 0
	case op == nil:
		return unknownGrowth
	}
	x, y := unknownGrowth, unknownGrowth
	if op.NumOperands() > 0 {
		x = of(op.Operand(0))
	}
	if op.NumOperands() > 1 {
		y = of(op.Operand(1))
	}
	switch op.Def {
	case tt.GetProgramID:
		if op.IntOr("axis", 0) == 0 {
			return 1
		}
		return 0
	case tt.GetNumPrograms:
		return 0
	case arith.ExtSI:
		return x
	case arith.AddI, arith.MinSI, arith.MaxSI:
		if x != unknownGrowth && y != unknownGrowth {
			return max(x, y)
		}
	case arith.SubI:
		if y == 0 {
			return x
		}
	case arith.MulI, arith.DivSI:
		if n, ok := arith.IntOf(op.Operand(1)); x == 0 && y == 0 || ok && n > 0 {
			return x
		}
	}
	return unknownGrowth
}

// renumber replaces the program id along the first axis by count-1-id, so that the last programs run first.
func renumber(op *ir.Op) {
	b := ir.NewBuilder(op.Block())
	b.After(op)
	b.Loc = op.Loc
	count := b.ValA(tt.GetNumPrograms, ir.I32, []ir.NamedAttr{ir.A("axis", ir.I32Attr(0))})
	last := b.Val(arith.SubI, ir.I32, count, arith.ConstInt(b, 1, ir.I32))
	from := b.Val(arith.SubI, ir.I32, last, op.Result(0))
	op.Result(0).ReplaceUsesIf(from, func(u *ir.Use) bool { return u.Owner() != from.Def() })
}
