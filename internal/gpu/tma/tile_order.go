package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// stored reports whether the kernel may store through an argument.
func (t *tiler) stored(arg int) bool {
	for _, op := range ttgir.OpsOf(t.fn, tt.Store) {
		roots := t.addr.Roots(op.Operand(0))
		if slices.Contains(roots, nil) || slices.Contains(roots, t.fn.Body(0).Arg(arg)) {
			return true
		}
	}
	return false
}

// storedBefore returns the arguments through which a program may have stored when it comes to a load.
func (t *tiler) storedBefore(load *ir.Op) (args []int) {
	for _, op := range ttgir.OpsOf(t.fn, tt.Store) {
		if !mayPrecede(op, load) {
			continue
		}
		for _, arg := range t.argsOf(op) {
			if arg >= 0 {
				args = append(args, arg)
			}
		}
	}
	slices.Sort(args)
	return slices.Compact(args)
}

// unordered returns the arguments through which a program accesses memory in no order with a tile that it
// stores. It reports false if one of them may be the tile's, or if they are not known. Loads from which the
// tile is computed are complete when it is stored, so their arguments are left out.
func (t *tiler) unordered(p *tilePlan) (args []int, known bool) {
	used := uses{}
	used.add(p.op.Operand(1))
	for op := range t.fn.Ops() {
		if op == p.op || op.Def != tt.Load && op.Def != tt.Store && op.Def != tt.DescLoad {
			continue
		}
		complete := op.Def != tt.Store && used[op.Result(0)] && !mayPrecede(p.op, op)
		for _, arg := range t.argsOf(op) {
			if arg < 0 || arg == p.base {
				return nil, false
			}
			if !complete {
				args = append(args, arg)
			}
		}
	}
	slices.Sort(args)
	return slices.Compact(args), true
}

// argsOf returns the kernel's arguments through which op may access memory, -1 for what is not known.
func (t *tiler) argsOf(op *ir.Op) (args []int) {
	if op.Def == tt.DescLoad {
		return []int{tt.TileOf(t.fn, op.Operand(0).Index()).Base}
	}
	for _, root := range t.addr.Roots(op.Operand(0)) {
		arg := -1
		if root != nil && root.IsArg() && root.Block() == t.fn.Body(0) {
			arg = root.Index()
		}
		args = append(args, arg)
	}
	return args
}

// mayPrecede reports whether a may be executed before b: a loop is around both, or a stands before b.
func mayPrecede(a, b *ir.Op) bool {
	for !a.Block().IsInside(b.Parent()) {
		b = b.Parent()
	}
	if isRepeated(b) {
		return true
	}
	for a.Parent() != b.Parent() {
		a = a.Parent()
	}
	return a.Block() != b.Block() || a.Before(b)
}

// isRepeated reports whether a program may execute an op more than once.
func isRepeated(op *ir.Op) bool {
	return op.ParentOf(scf.For) != nil || op.ParentOf(scf.While) != nil
}
