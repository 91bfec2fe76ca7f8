package gpu

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The copy engine accesses memory without regard to the order of the program. A load that may read what its
// kernel has stored is no tile, unless the host can see at the launch that their memory is apart; nor is a
// store of which the order with other accesses may matter.

// isOrdered reports whether a kernel's accesses may be ordered with those of other programs, or are not all
// to be seen.
func isOrdered(fn *ir.Op) bool {
	for op := range fn.Ops() {
		switch op.Def {
		case tt.AtomicRMW, tt.AtomicCAS, tt.Call, tt.DescReduce:
			return true
		case tt.Load:
			if tt.IsVolatile(op) {
				return true
			}
		case tt.InlineAsm, tt.ExternElementwise:
			if op.IntOr("pure", 0) == 0 || readsMachine(op) {
				return true
			}
		}
	}
	return false
}

// readsMachine reports whether op is assembly that reads special registers, such as the number of the block.
// Then the program's number that it knows is that of the launch.
func readsMachine(op *ir.Op) bool {
	return op.Def == tt.InlineAsm && strings.Contains(op.Text("asm_string"), "%")
}

// stored reports whether the kernel may store through an argument.
func (t *tiler) stored(arg int) bool {
	for _, op := range opsOf(t.fn, tt.Store) {
		roots := t.addr.Roots(op.Operand(0))
		if slices.Contains(roots, nil) || slices.Contains(roots, t.fn.Body(0).Arg(arg)) {
			return true
		}
	}
	return false
}

// storedBefore returns the arguments through which a program may have stored when it comes to a load.
func (t *tiler) storedBefore(load *ir.Op) (args []int) {
	for _, op := range opsOf(t.fn, tt.Store) {
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
