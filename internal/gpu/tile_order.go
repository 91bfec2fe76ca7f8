package gpu

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The copy engine reads memory without regard to the order of the program. A load that may read what its
// kernel has stored is no tile, unless the host can see at the launch that their memory is apart.

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
		for _, root := range t.addr.Roots(op.Operand(0)) {
			if root != nil && root.IsArg() {
				args = append(args, root.Index())
			}
		}
	}
	slices.Sort(args)
	return slices.Compact(args)
}

// mayPrecede reports whether a may be executed before b: a loop is around both, or a stands before b.
func mayPrecede(a, b *ir.Op) bool {
	for !a.Block().IsInside(b.Parent()) {
		b = b.Parent()
	}
	for p := b.Parent(); p != nil; p = p.Parent() {
		if p.Def == scf.For || p.Def == scf.While {
			return true
		}
	}
	for a.Parent() != b.Parent() {
		a = a.Parent()
	}
	return a.Block() != b.Block() || a.Before(b)
}
