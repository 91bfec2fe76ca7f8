package ttgir

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// IsUniform reports whether the assembler can see that a scalar, or nil, is the same in all threads: it comes
// from arguments, the program's number and loops alone. A branch on another may seem to divide a warp, and
// products of warp groups in a loop with such a branch wait for each other.
func IsUniform(v *ir.Value) bool { return v == nil || ir.Once(findUniform)(v) }

// findUniform is isUniform of a value; uniform says so of others.
func findUniform(v *ir.Value, uniform func(*ir.Value) bool) bool {
	if v.IsArg() {
		loop := v.Block().Parent()
		isIV := loop.Def == scf.For && v == scf.IV(loop)
		return loop.Def == tt.Func || isIV && uniform(scf.LowerBound(loop)) && uniform(scf.Step(loop))
	}
	op := v.Def()
	switch {
	case op.Def == arith.Constant, op.Def == tt.GetProgramID, op.Def == tt.GetNumPrograms:
		return true
	case op.Effects() != 0, len(op.Regions()) > 0, op.NumOperands() == 0:
		return false
	}
	return !slices.ContainsFunc(op.Operands(), func(o *ir.Value) bool { return !uniform(o) })
}

// DescValue returns the tensor that a store through a descriptor writes.
func DescValue(op *ir.Op) *ir.Value {
	if op.Def == tt.DescScatter {
		return op.Operand(3)
	}
	return op.Operand(1)
}

// OpsOf returns the ops inside root with definition def.
func OpsOf(root *ir.Op, def *ir.OpDef) []*ir.Op {
	var out []*ir.Op
	for op := range root.Ops() {
		if op.Def == def {
			out = append(out, op)
		}
	}
	return out
}

// OpsWith returns the ops in root that have a trait.
func OpsWith(root *ir.Op, trait ir.Trait) (out []*ir.Op) {
	for op := range root.Ops() {
		if op.Def.Has(trait) {
			out = append(out, op)
		}
	}
	return out
}

func Compare(b *ir.Builder, predicate int64, x, y *ir.Value) *ir.Value {
	return b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(predicate))}, x, y)
}

// HasLoop reports whether there is a loop in the body of op.
func HasLoop(op *ir.Op) bool {
	for o := range op.Ops() {
		if o != op && (o.Def == scf.For || o.Def == scf.While) {
			return true
		}
	}
	return false
}

// Carry adds a loop-carried value, for now unchanged, and returns the argument of the body.
func Carry(loop *ir.Op, init *ir.Value) *ir.Value {
	loop.SetOperands(append(loop.Operands(), init), nil)
	loop.AddResult(init.Type)
	arg := loop.Body(0).AddArg(init.Type, loop.Loc)
	yield := loop.Body(0).Last()
	yield.SetOperands(append(yield.Operands(), arg), nil)
	return arg
}

// IsLastFirst reports whether a difference is what renumber makes of a program's number.
func IsLastFirst(sub *ir.Op) bool {
	id := sub.Operand(1).DefBy(tt.GetProgramID)
	less := sub.Operand(0).Def()
	if id == nil || less == nil || less.NumOperands() != 2 {
		return false
	}
	n, ok := arith.IntOf(less.Operand(1))
	count := less.Operand(0).DefBy(tt.GetNumPrograms)
	one := less.Def == arith.SubI && n == 1 || less.Def == arith.AddI && n == -1
	return ok && one && count != nil && count.IntOr("axis", 0) == id.IntOr("axis", 0)
}

// IsZero reports whether all bits of a constant are zero.
func IsZero(v *ir.Value) bool {
	switch a := arith.Uniform(arith.ValueOf(v)).(type) {
	case *ir.IntegerAttr:
		return a.Value == 0
	case *ir.FloatAttr:
		return a.Bits == 0
	}
	return false
}

const (
	// PersistentAttr marks a module whose kernel has the grid's sizes as its last parameters.
	PersistentAttr = "nereid.persistent"
	// ShortAttr of a module is a tt.TileGuard: launches for which it holds should run persistent code.
	ShortAttr = "nereid.short"
)

// Persistent reports whether the kernel of a module has the grid's sizes as its last parameters.
func Persistent(m *ir.Module) bool { return m.Op.HasAttr(PersistentAttr) }

// LacksCopies reports whether an op's target has no asynchronous copies to shared memory.
func LacksCopies(op *ir.Op) bool { return chip.Target(ttg.Target(op)).NoAsyncCopies }

// AncestorIn returns the op of block b that is op or contains it, or nil.
func AncestorIn(b *ir.Block, op *ir.Op) *ir.Op {
	for ; op != nil; op = op.Parent() {
		if op.Block() == b {
			return op
		}
	}
	return nil
}

// FirstUse returns the first op in op's block that uses its result, itself or in a region.
func FirstUse(op *ir.Op) *ir.Op {
	var first *ir.Op
	for _, r := range op.Results() {
		for u := range r.Users() {
			if a := AncestorIn(op.Block(), u); a != nil && (first == nil || a.Before(first)) {
				first = a
			}
		}
	}
	return first
}

// Body iterates over the ops of a loop without its yield.
func Body(loop *ir.Op) func(yield func(*ir.Op) bool) {
	return func(yield func(*ir.Op) bool) {
		end := loop.Body(0).Last()
		for op := range loop.Body(0).Ops() {
			if op == end || !yield(op) {
				return
			}
		}
	}
}

// IsIterArg reports whether v is a loop-carried argument of the body.
func IsIterArg(v *ir.Value, loop *ir.Op) bool {
	return v.IsArg() && v.Block() == loop.Body(0) && v.Index() > 0
}

// Yielded returns the value that an iteration passes to the next for arg.
func Yielded(arg *ir.Value) *ir.Value { return arg.Block().Last().Operand(arg.Index() - 1) }

// OuterOperands returns the values from outside of op that op and everything inside it use, each once.
func OuterOperands(op *ir.Op) []*ir.Value {
	if len(op.Regions()) == 0 {
		return op.Operands()
	}
	var out []*ir.Value
	seen := map[*ir.Value]bool{}
	for o := range op.Ops() {
		for _, v := range o.Operands() {
			if !seen[v] && !v.Block().IsInside(op) {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// ForLoops returns the loops inside root, inner ones first.
func ForLoops(root *ir.Op) []*ir.Op {
	var loops []*ir.Op
	root.WalkPost(func(op *ir.Op) {
		if op.Def == scf.For {
			loops = append(loops, op)
		}
	})
	return loops
}

// IsHinted reports whether the source says how a load uses the caches.
func IsHinted(load *ir.Op) bool {
	return load.IntOr("cache", tt.CacheNone) != tt.CacheNone ||
		load.IntOr("evict", tt.EvictNormal) != tt.EvictNormal
}

// The copy engine accesses memory without regard to the order of the program. A load that may read what its
// kernel has stored is no tile, unless the host can see at the launch that their memory is apart; nor is a
// store of which the order with other accesses may matter.

// IsOrdered reports whether a kernel's accesses may be ordered with those of other programs, or are not all
// to be seen.
func IsOrdered(fn *ir.Op) bool {
	for op := range fn.Ops() {
		switch op.Def {
		case tt.AtomicRMW, tt.AtomicCAS, tt.Call, tt.DescReduce:
			return true
		case tt.Load:
			if tt.IsVolatile(op) {
				return true
			}
		case tt.InlineAsm, tt.ExternElementwise:
			if op.IntOr("pure", 0) == 0 || ReadsMachine(op) {
				return true
			}
		}
	}
	return false
}

// ReadsMachine reports whether op is assembly that reads special registers, such as the index of the block.
// Passes that merge programs or make them persistent must leave such kernels alone: the register has the
// index in the launch, not that of the program.
func ReadsMachine(op *ir.Op) bool {
	return op.Def == tt.InlineAsm && strings.Contains(op.Text("asm_string"), "%")
}
