package nvidia

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// recurs reports whether a kernel has a loop in which a matrix is multiplied that the iteration before
// computed by a product, as the state of a recurrence. Such a loop runs over the sequence, so the programs
// share out heads and columns alone: they are few, and want registers rather than room for more of them on an
// SM.
func recurs(m *ir.Module) (found bool) {
	m.Op.Walk(func(op *ir.Op) bool {
		if op.Def == scf.For {
			yield := op.Body(0).Last()
			for i, arg := range op.Body(0).Args()[1:] {
				found = found || isMatrix(arg) && multiplied(arg, map[*ir.Value]bool{}) &&
					hasProduct(yield.Operand(i), op.Body(0), map[*ir.Value]bool{})
			}
		}
		return !found
	})
	return found
}

// isMatrix reports whether v is a tensor of floats with rows and columns.
func isMatrix(v *ir.Value) bool {
	t, ok := v.Type.(*ir.TensorType)
	return ok && len(t.Shape) > 1 && ir.IsFloat(t.Elem)
}

// multiplied reports whether a product has v, or what is computed of it within its block, as a factor.
func multiplied(v *ir.Value, seen map[*ir.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	for u := range v.Uses() {
		if u.Owner().Def == tt.Dot && u.Index() < 2 {
			return true
		}
		for _, r := range u.Owner().Results() {
			if u.Owner().Block() == v.Block() && isMatrix(r) && multiplied(r, seen) {
				return true
			}
		}
	}
	return false
}

// hasProduct reports whether v is computed by a product in block b.
func hasProduct(v *ir.Value, b *ir.Block, seen map[*ir.Value]bool) bool {
	def := v.Def()
	if def == nil || def.Block() != b || seen[v] {
		return false
	}
	seen[v] = true
	if def.Def == tt.Dot {
		return true
	}
	for _, x := range def.Operands() {
		if isMatrix(x) && hasProduct(x, b, seen) {
			return true
		}
	}
	return false
}

// stridesOverGrid reports whether a kernel has a loop from the program's number on: it is launched with as
// many programs as the GPU runs at once, often one for each SM, and does not gain by room for more.
func stridesOverGrid(m *ir.Module) (found bool) {
	m.Op.Walk(func(op *ir.Op) bool {
		found = found || op.Def == scf.For && op.Operand(0).DefBy(tt.GetProgramID) != nil
		return !found
	})
	return found
}
