package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Products of warp groups run asynchronously. All products of a loop are started without waiting, and a wait
// behind each says where it must be complete. Most need no wait before the next iteration: only the next
// product reads the accumulator, products complete in order, and the operands' buffers are not overwritten
// before. Such a product overlaps with the copies of the next iteration and the waits for them.
//
//	scf.for … iter_args(%acc) {                    scf.for … iter_args(%acc) {
//	  %d = ttng.warp_group_dot %a, %b, %acc          %d = ttng.warp_group_dot %a, %b, %acc {isAsync}
//	  scf.yield %d                            =>     %e = ttng.warp_group_dot_wait %d, … {pendings = 1}
//	}                                                scf.yield %e
//	                                               }
//	                                               ttng.warp_group_dot_wait … {pendings = 0}
//
// A product whose left operand the loop computes in registers overlaps step by step if it is alone in its
// loop: the registers of a step along k are written when the same step of the iteration before is complete.

// tightAttr marks buffers whose next copy overwrites the slot that a product reads, roomyAttr those whose
// copies never overwrite the slot that products of their iteration read. They exist only within
// SoftwarePipeline.
const (
	tightAttr = "nereid.tight"
	roomyAttr = "nereid.roomy"
)

// overlapping is a product that completes in the next iteration.
type overlapping struct {
	op  *ir.Op
	arg int // index of the loop-carried value that it yields
}

// startProducts makes the products of a loop asynchronous and reports whether there are any.
func startProducts(loop *ir.Op) bool {
	var list []overlapping
	found := false
	for op := range ttgir.Body(loop) {
		if op.Def != ttng.WarpGroupDot {
			continue
		}
		found = true
		op.SetAttr("isAsync", ir.BoolAttr(true))
		if arg := carriedProduct(op, loop); arg >= 0 {
			list = append(list, overlapping{op, arg})
			continue
		}
		threadThrough(waitAfter(op, 0), op.Result(0))
	}
	if len(list) == 0 {
		return found
	}
	if firstFullWait(loop) == nil {
		waitInLoop(list)
	}
	var results []*ir.Value
	for _, o := range list {
		if r := loop.Result(o.arg); !slices.Contains(results, r) {
			results = append(results, r)
		}
	}
	threadThrough(waitAfter(loop, 0), results...)
	return found
}

// waitAfter inserts a wait behind op.
func waitAfter(op *ir.Op, pendings int) *ir.Op {
	b := ir.At(op)
	b.After(op)
	return b.Op(ttng.WarpGroupDotWait, nil, nil, ir.A("pendings", ir.I32Attr(int64(pendings))))
}

// threadThrough makes values operands and results of a wait: users behind the wait use its results and so
// cannot move before it. The buffers that products read for these values pass too, which keeps them
// allocated until then.
func threadThrough(wait *ir.Op, values ...*ir.Value) *ir.Op {
	operands := wait.Operands()
	before := len(operands)
	add := func(v *ir.Value) {
		if !slices.Contains(operands, v) {
			operands = append(operands, v)
		}
	}
	for _, v := range values {
		add(v)
	}
	for _, v := range values {
		for _, dot := range productsBehind(v, wait.Block(), map[*ir.Op]bool{}) {
			for _, o := range dot.Operands() {
				if ttg.IsMemDesc(o.Type) {
					add(o)
				}
			}
		}
	}
	return withOperands(wait, operands, before)
}

// withOperands replaces wait by a wait for all operands; the first `before` are the operands of the old wait.
// Later uses of the added operands read the results of the new wait instead.
func withOperands(wait *ir.Op, operands []*ir.Value, before int) *ir.Op {
	types := make([]ir.Type, len(operands))
	for i, v := range operands {
		types[i] = v.Type
	}
	next := ir.At(wait).Op(ttng.WarpGroupDotWait, operands, types, ir.A("pendings", wait.Attr("pendings")))
	behind := func(u *ir.Use) bool {
		a := ttgir.AncestorIn(next.Block(), u.Owner())
		return a != nil && a != next && next.Before(a)
	}
	for i, v := range operands {
		switch {
		case ttg.IsMemDesc(v.Type):
		case i < before:
			wait.Result(i).ReplaceAllUses(next.Result(i))
		default:
			v.ReplaceUsesIf(next.Result(i), behind)
		}
	}
	wait.Erase()
	return next
}

// productsBehind returns the asynchronous products in block that v depends on and that may not have
// completed.
func productsBehind(v *ir.Value, block *ir.Block, seen map[*ir.Op]bool) []*ir.Op {
	op := v.Def()
	if op == nil || seen[op] {
		return nil
	}
	seen[op] = true
	if op.Def == ttng.WarpGroupDot {
		if op.IntOr("isAsync", 0) == 0 { // it is complete
			return nil
		}
		return []*ir.Op{op}
	}
	var out []*ir.Op
	if op.Block() == block {
		for _, o := range op.Operands() {
			out = append(out, productsBehind(o, block, seen)...)
		}
	}
	return out
}

// carriedProduct returns the index of the loop-carried value that a product yields if it need not complete in
// its iteration, else -1. It need not if
//
//  1. its operands are not overwritten soon: those in shared memory come from outside the loop or from
//     several buffers, those in registers are written behind a wait for all products, or the product's steps
//     are apart;
//  2. nothing in the iteration uses its result but the yield, or branches, which wait for themselves;
//  3. in the next iteration, only products add to it, or its uses follow a wait for all products.
func carriedProduct(op, loop *ir.Op) int {
	if !isBuffered(op.Operand(0), loop) || !isBuffered(op.Operand(1), loop) ||
		rewritesRegisters(op, loop) && !stepsApart(op, loop) ||
		ir.ElemOf(op.Result(0).Type) != ir.F32 {
		return -1
	}
	arg := yieldedAs(op.Result(0), loop)
	if arg < 0 {
		return -1
	}
	carried := scf.IterArgs(loop)[arg]
	if onlySummed(carried) {
		return arg
	}
	wait := firstFullWait(loop)
	if wait == nil {
		return -1
	}
	for u := range carried.Users() {
		if !wait.Before(ttgir.AncestorIn(loop.Body(0), u)) {
			return -1
		}
	}
	threadThrough(wait, carried)
	return arg
}

// isBuffered reports whether the loop's copies leave an operand intact for another iteration.
func isBuffered(v *ir.Value, loop *ir.Op) bool {
	if !ttg.IsMemDesc(v.Type) {
		return true
	}
	for seen := map[*ir.Value]bool{}; !seen[v]; {
		seen[v] = true
		switch def := v.Def(); {
		case ttgir.IsIterArg(v, loop):
			v = ttgir.Yielded(v)
		case def != nil && isBufferView(def) && def.Def != ttg.MemDescIndex:
			v = def.Operand(0)
		}
	}
	if !v.Block().IsInside(loop) {
		return true
	}
	index := v.DefBy(ttg.MemDescIndex)
	if index == nil {
		return false
	}
	alloc := index.Operand(0).Def()
	return alloc == nil || !alloc.HasAttr(tightAttr)
}

// yieldedAs returns the index of the loop-carried value that v becomes, also through branches and views, or
// -1 if it becomes none or several or has other uses.
func yieldedAs(v *ir.Value, loop *ir.Op) int {
	arg := -1
	work := []*ir.Value{v}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for use := range v.Uses() {
			u := use.Owner()
			switch parent := u.Parent(); {
			case parent == loop && IsNoop(u):
				work = append(work, u.Result(0))
			case parent == loop && u.Def == scf.Yield && arg < 0:
				arg = use.Index()
			case parent == loop, parent.Def != scf.If:
				return -1
			case u.Def == scf.Yield:
				work = append(work, parent.Result(use.Index()))
			}
		}
	}
	return arg
}

// IsNoop reports whether an op moves no data.
func IsNoop(op *ir.Op) bool {
	if op.Def == ttg.ConvertLayout {
		return ttglayout.TrivialConversion(op.Operand(0).Type, op.Result(0).Type)
	}
	return op.Def == tt.Reshape || op.Def.Has(ir.Permutes)
}

// onlySummed reports whether v is used as nothing but the accumulator of products.
func onlySummed(v *ir.Value) bool {
	for use := range v.Uses() {
		u := use.Owner()
		if u.Def == ttng.WarpGroupDot && use.Index() == 2 || IsNoop(u) && onlySummed(u.Result(0)) {
			continue
		}
		return false
	}
	return true
}

// firstFullWait returns the first op of a loop that waits for all products, or nil.
func firstFullWait(loop *ir.Op) *ir.Op {
	for op := range ttgir.Body(loop) {
		if op.Def == ttng.WarpGroupDotWait && op.IntOr("pendings", 0) == 0 {
			return op
		}
	}
	return nil
}

// waitInLoop inserts a wait that lets the products of only one iteration overlap with the next, in a loop
// without a full wait.
func waitInLoop(list []overlapping) {
	for _, o := range list {
		waitInBranches(o.op)
	}
	last := list[len(list)-1].op
	pendings := len(list)
	if rewritesRegisters(last, last.Parent()) {
		pendings = rules.Capped(ttgir.Ruled(last), rules.StepsInFlight, stepsAlong(last)-1)
		last.SetAttr(ttg.StepsAttr, ir.I32Attr(int64(pendings)))
	}
	var results []*ir.Value
	for _, o := range list {
		results = append(results, o.op.Result(0))
	}
	threadThrough(waitAfter(last, pendings), results...)
}

// HasSteps reports whether a module has products that wait for each of their instructions along k separately.
func HasSteps(m *ir.Module) bool { return len(stepped(m)) > 0 }

// JoinSteps makes such products ordinary ones, with one wait, which are complete before the next iteration.
func JoinSteps(m *ir.Module) {
	for _, op := range stepped(m) {
		op.SetAttr(ttg.StepsAttr, nil)
		for u := range op.Result(0).Users() {
			if u.Def == ttng.WarpGroupDotWait {
				u.SetAttr("pendings", ir.I32Attr(0))
			}
		}
	}
}

func stepped(m *ir.Module) []*ir.Op {
	whole := func(op *ir.Op) bool { return !op.HasAttr(ttg.StepsAttr) }
	return slices.DeleteFunc(ttgir.OpsOf(m.Op, ttng.WarpGroupDot), whole)
}

// waitInBranches inserts a wait for a product into each branch that uses it.
func waitInBranches(op *ir.Op) {
	var blocks []*ir.Block
	for u := range op.Result(0).Users() {
		if !onlyYields(u) && !slices.Contains(blocks, u.Block()) {
			blocks = append(blocks, u.Block())
		}
	}
	for _, b := range blocks {
		at := b.First()
		if b == op.Block() {
			at = op.Next()
		}
		wait := ir.At(at).Op(ttng.WarpGroupDotWait, nil, nil, ir.A("pendings", ir.I32Attr(0)))
		threadThrough(wait, op.Result(0))
	}
}

// onlyYields reports whether op yields its operand, as it is or through views.
func onlyYields(op *ir.Op) bool {
	if op.Def == scf.Yield {
		return true
	}
	if !IsNoop(op) {
		return false
	}
	for u := range op.Result(0).Users() {
		if !onlyYields(u) {
			return false
		}
	}
	return true
}

// stepsApart reports whether the steps of a product along k may be groups of their own: it is the only
// product of its loop, so that waits count nothing but its steps, and one instruction accumulates a step
// exactly.
func stepsApart(op, loop *ir.Op) bool {
	mma, _ := ttg.As[ttg.NvidiaMma](ttgir.EncodingOf(op.Result(0)))
	return stepsAlong(op) > 1 && ir.BitWidth(ir.ElemOf(op.Operand(0).Type)) == 16 &&
		len(ttgir.OpsOf(loop, ttng.WarpGroupDot)) == 1 &&
		len(ttgir.OpsOf(loop, ttng.WarpGroupDotWait)) == 0 &&
		ttgir.Satisfies(loop, rules.StepColumns, mma.InstrShape[1])
}

// stepsAlong returns the number of instructions along k of a product whose left operand is in registers.
func stepsAlong(op *ir.Op) int {
	mma, _ := ttg.As[ttg.NvidiaMma](ttgir.EncodingOf(op.Result(0)))
	return int(ttgir.TensorOf(op.Operand(0)).Shape[1] / mma.InstrShape[2])
}

// mayKeepRegisters reports whether an op's result may be in the registers of its operand.
func mayKeepRegisters(op *ir.Op) bool {
	return op.Def == ttg.ConvertLayout || op.Def == tt.Reshape || op.Def.Has(ir.Permutes)
}

// rewritesRegisters reports whether the loop may overwrite the registers of a product's left operand before
// the product of the previous iteration, which reads the same registers, is complete.
func rewritesRegisters(op, loop *ir.Op) bool {
	a := op.Operand(0)
	for d := a.Def(); d != nil && mayKeepRegisters(d); d = a.Def() {
		a = d.Operand(0)
	}
	if ttg.IsMemDesc(a.Type) || !a.Block().IsInside(loop) {
		return false
	}
	wait := firstFullWait(loop)
	return a.Def() == nil || wait == nil || !wait.Before(a.Def())
}
