package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ReorderInstructions shortens the lives of registers and buffers. Conversions move behind the release of
// buffers whose memory they can reuse, and into the loop that uses them if they take many registers; buffers
// are filled as soon as their data exists; the right operand of a product is loaded after the left one.
var ReorderInstructions = pass.Pass{
	Name: "tritongpu-reorder-instructions",
	Doc:  "move conversions and buffers to where they cost least",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		SinkBehindReleases(m.Op)
		sinkIntoLoops(m.Op)
		for _, op := range ttgir.OpsOf(m.Op, ttg.LocalAlloc) {
			if op.NumOperands() > 0 {
				def := op.Operand(0).Def()
				if def != nil && def.Def != arith.Constant && def.Def != tt.Splat && !copiesBetween(def, op) {
					op.MoveAfter(def)
				}
			}
		}
		HoistPermutations(m.Op)
		loadLeftFirst(m.Op)
		for _, op := range ttgir.OpsOf(m.Op, ttng.WarpGroupDot) {
			if op.HasAttr(ttg.StepsAttr) {
				computeLate(op)
			}
		}
		return nil
	},
}

// HoistPermutations moves transposes and other permutations of dimensions to right behind the definition of
// their operand, where they are views that cost no instruction.
func HoistPermutations(root *ir.Op) {
	for _, op := range ttgir.OpsWith(root, ir.Permutes) {
		if def := op.Operand(0).Def(); def != nil {
			op.MoveAfter(def)
		}
	}
}

// computeLate moves ops that compute the left operand of a product to their first uses, also reads of shared
// memory: behind conversions, where threads meet, the product's steps can be computed one by one.
func computeLate(product *ir.Op) {
	needed := map[*ir.Op]bool{product.Operand(0).Def(): true}
	for op := product.Prev(); op != nil; {
		prev := op.Prev()
		if needed[op] && isMovable(op) {
			op.MoveBefore(ttgir.FirstUse(op))
			for _, v := range op.Operands() {
				needed[v.Def()] = true
			}
		}
		op = prev
	}
}

// isMovable reports whether op can stand right before its first use and exchanges no data between threads. A
// read of shared memory can if only loads and pure ops are between.
func isMovable(op *ir.Op) bool {
	if op.IsPure() {
		return len(op.Regions()) == 0 && (op.Def != ttg.ConvertLayout || pipeline.IsNoop(op))
	}
	for o := op; o != ttgir.FirstUse(op); o = o.Next() {
		if o.Def != ttg.LocalLoad && (o == op || o.Def != tt.Load && !o.IsPure()) {
			return false
		}
	}
	return true
}

// copiesBetween reports whether asynchronous copies start between two ops of a block.
func copiesBetween(a, b *ir.Op) bool {
	if a.Block() != b.Block() {
		return false
	}
	for op := a.Next(); op != nil && op != b; op = op.Next() {
		if op.Def == ttg.AsyncCopy || op.Def == ttng.AsyncTMACopyGlobalToLocal {
			return true
		}
	}
	return false
}

func SinkBehindReleases(root *ir.Op) {
	for _, op := range ttgir.OpsOf(root, ttg.ConvertLayout) {
		end := ttgir.FirstUse(op)
		var last *ir.Op
		for o := op.Next(); o != nil && o != end; o = o.Next() {
			if o.Def == ttg.LocalDealloc {
				last = o
			}
		}
		if last != nil {
			op.MoveAfter(last)
		}
	}
}

// sinkIntoLoops moves ops that fill many registers to their users if those are in other loops.
func sinkIntoLoops(root *ir.Op) {
	var ops []*ir.Op
	for op := range root.Ops() {
		if fillsRegisters(op) {
			ops = append(ops, op)
		}
	}
	for _, op := range ops {
		SinkIntoLoop(op)
	}
}

// SinkIntoLoop moves op to its only user if that is in another loop. A load from a buffer also moves to the
// first user of each loop if it has several, all in loops: repeated, it takes less than registers that are
// held from the first loop to the last.
func SinkIntoLoop(op *ir.Op) {
	firsts := map[*ir.Block]*ir.Op{}
	for u := range op.Result(0).Users() {
		if u.ParentOf(scf.For) == op.ParentOf(scf.For) {
			return
		}
		if f := firsts[u.Block()]; f == nil || u.Before(f) {
			firsts[u.Block()] = u
		}
	}
	if op.Result(0).HasOneUse() {
		for _, u := range firsts {
			op.MoveBefore(u)
		}
	} else if op.Def == ttg.LocalLoad {
		repeatBefore(op, firsts)
	}
}

// repeatBefore replaces op by a copy before the first user of each block.
func repeatBefore(op *ir.Op, firsts map[*ir.Block]*ir.Op) {
	copies := map[*ir.Block]*ir.Op{}
	for _, u := range slices.Collect(op.Result(0).Users()) {
		c := copies[u.Block()]
		if c == nil {
			c = ir.At(firsts[u.Block()]).Insert(op.Clone(nil))
			copies[u.Block()] = c
		}
		for i, v := range u.Operands() {
			if v == op.Result(0) {
				u.SetOperand(i, c.Result(0))
			}
		}
	}
	op.Erase()
}

// fillsRegisters reports whether op produces an operand of a product or loads from an immutable buffer.
func fillsRegisters(op *ir.Op) bool {
	switch op.Def {
	case ttg.LocalLoad:
		m, _ := ttg.MemDescOf(op.Operand(0).Type)
		return !m.Mutable
	case ttg.ConvertLayout:
		return layouts.IsDotOperand(op.Result(0))
	}
	return false
}

func loadLeftFirst(root *ir.Op) {
	for _, op := range ttgir.OpsOf(root, ttg.LocalLoad) {
		dot, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(op.Result(0)))
		if !ok || dot.OpIdx != 1 || !op.Result(0).HasOneUse() {
			continue
		}
		for u := range op.Result(0).Users() {
			if u.Def != tt.Dot {
				continue
			}
			left := u.Operand(0).DefBy(ttg.LocalLoad)
			if left != nil && left.Block() == op.Block() && op.Before(left) && !WritesBetween(op, left) {
				op.MoveAfter(left)
			}
		}
	}
}

// WritesBetween reports whether an op behind start, up to end, may write memory.
func WritesBetween(start, end *ir.Op) bool {
	for o := start.Next(); o != nil; o = o.Next() {
		if o.Effects()&(ir.EffWrite|ir.EffUnknown) != 0 {
			return true
		}
		if o == end {
			return false
		}
	}
	return true
}
