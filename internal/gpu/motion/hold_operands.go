package motion

import (
	"iter"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// HoldOperands keeps left operands that a loop does not change in registers, if they are multiplied by few
// columns at a time:
//
//	scf.for … {                                        %a = ttg.local_load %q
//	  %s = ttng.warp_group_dot %q, %k, %zero     =>    scf.for … {
//	}                                                    %s = ttng.warp_group_dot %a, %k, %zero
//	                                                   }
//
// An instruction with n columns takes the tensor cores n/2 cycles. It reads 32 bytes of each of 64 rows and n
// columns, and shared memory delivers 128 bytes in a cycle: 16+n/4 cycles, or n/4 if the rows are in
// registers. So the tensor cores wait for shared memory if n is less than 64.
var HoldOperands = pass.Pass{
	Name: "nereid-gpu-hold-operands",
	Doc:  "keep left operands of products with few columns in registers during a loop",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
			holdInFunction(fn)
		}
		return nil
	},
}

// holdInFunction changes the innermost loops of a function whose blocks take so many registers that few
// fit on an SM.
func holdInFunction(fn *ir.Op) {
	if ttg.NumCTAs(fn) > 1 { // an operand may lie in several blocks
		return
	}
	var loops []*ir.Op
	taken := 0
	for _, loop := range ttgir.ForLoops(fn) {
		if words := productWords(loop); words > 0 && !ttgir.HasLoop(loop) {
			loops, taken = append(loops, loop), max(taken, words)
		}
	}
	if len(loops) == 0 || !ttgir.Satisfies(fn, rules.HeldWords, taken) {
		return
	}
	for _, loop := range loops {
		holdIn(loop)
	}
}

// productWords returns the registers per thread of the accumulators and left operands of a loop's products.
func productWords(loop *ir.Op) (words int) {
	for op := range ttgir.Body(loop) {
		if op.Def == ttng.WarpGroupDot {
			words += ttgir.WordsOf(op.Result(0)) + ttgir.WordsOf(op.Operand(0))
		}
	}
	return words
}

// heldOperand is a buffer and the type of its elements in registers.
type heldOperand struct {
	buffer *ir.Value
	t      *ir.TensorType
}

// holdIn loads left operands before a loop while there are registers, the first ones first. A short loop
// holds all of them or none: it gains little by one.
func holdIn(loop *ir.Op) {
	room := pipeline.ThreadRegisters - rules.Get(ttgir.Ruled(loop), rules.BesideProducts) - productWords(loop)
	users := map[heldOperand][]*ir.Op{}
	var held []heldOperand
	for op := range ttgir.Body(loop) {
		if op.Def != ttng.WarpGroupDot || !isConstantIn(op.Operand(0), loop) || !isNarrow(op) {
			continue
		}
		h := heldOperand{op.Operand(0), inRegisters(op)}
		if users[h] == nil {
			words := ttgir.TensorWords(h.t)
			if words > room && isBrief(loop) {
				return
			}
			if words > room {
				continue
			}
			room -= words
			held = append(held, h)
		}
		users[h] = append(users[h], op)
	}
	for _, h := range held {
		v := ir.At(loop).Val(ttg.LocalLoad, h.t, h.buffer)
		for _, op := range users[h] {
			op.SetOperand(0, v)
		}
	}
}

// HoldsOperands reports whether HoldOperands changed a module.
func HoldsOperands(m *ir.Module) bool {
	for range heldProducts(m) {
		return true
	}
	return false
}

// ReleaseOperands takes back what HoldOperands did: products read their left operands from shared memory.
func ReleaseOperands(m *ir.Module) {
	for product, load := range heldProducts(m) {
		product.SetOperand(0, load.Operand(0))
		if !load.Result(0).HasUses() {
			load.Erase()
		}
	}
}

// heldProducts returns the products in loops whose left operand is loaded before the loop, and these loads.
func heldProducts(m *ir.Module) iter.Seq2[*ir.Op, *ir.Op] {
	return func(yield func(*ir.Op, *ir.Op) bool) {
		for _, op := range ttgir.OpsOf(m.Op, ttng.WarpGroupDot) {
			load := op.Operand(0).DefBy(ttg.LocalLoad)
			if load != nil && products.IsInvariant(load.Result(0), op) && !yield(op, load) {
				return
			}
		}
	}
}

// isBrief reports whether a loop is known to have few iterations.
func isBrief(loop *ir.Op) bool {
	from, ok1 := arith.IntOf(scf.LowerBound(loop))
	to, ok2 := arith.IntOf(scf.UpperBound(loop))
	step, ok3 := arith.IntOf(scf.Step(loop))
	return ok1 && ok2 && ok3 && step > 0 && ttgir.Satisfies(loop, rules.BriefLoop, (to-from+step-1)/step)
}

// isNarrow reports whether the instructions of a product have so few columns that the tensor cores wait for
// the rows.
func isNarrow(product *ir.Op) bool {
	mma, ok := ttg.As[ttg.NvidiaMma](ttgir.EncodingOf(product.Result(0)))
	return ok && ttgir.Satisfies(product, rules.NarrowColumns, mma.InstrShape[1])
}

// isConstantIn reports whether v is a buffer that is filled once, before a loop.
func isConstantIn(v *ir.Value, loop *ir.Op) bool {
	m, ok := ttg.MemDescOf(v.Type)
	root := bufferRoot(v)
	return ok && !m.Mutable && root != nil && root.NumOperands() > 0 && !v.Block().IsInside(loop)
}

// inRegisters returns the type of a product's left operand in registers.
func inRegisters(product *ir.Op) *ir.TensorType {
	m, _ := ttg.MemDescOf(product.Operand(0).Type)
	dot := ttg.DotOp{OpIdx: 0, Parent: ttgir.EncodingOf(product.Result(0)),
		KWidth: 32 / int64(ir.BitWidth(m.Elem))}
	return ir.Tensor(m.Shape, m.Elem, dot.Attr())
}
