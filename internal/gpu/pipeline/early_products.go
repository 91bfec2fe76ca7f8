package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// startEarly lets a product of a loop that does not depend on the one before begin together with that one.
// The tensor cores then compute it while the threads work on the first result, as in the backward pass of
// attention, in which the product of the output's gradient and the values waits for no softmax:
//
//	%s = ttng.warp_group_dot %q, %k                    %s = ttng.warp_group_dot %q, %k
//	%t = ttng.warp_group_dot_wait %s {pendings = 0}    %d = ttng.warp_group_dot %do, %v
//	%p = math.exp2 %t                             =>   %t = ttng.warp_group_dot_wait %s {pendings = 1}
//	%d = ttng.warp_group_dot %do, %v                   %p = math.exp2 %t
//	%e = ttng.warp_group_dot_wait %d {pendings = 0}    %e = ttng.warp_group_dot_wait %d {pendings = 0}
//
// Products complete in order, so the first wait still waits for all products of the iteration before.
func startEarly(loop *ir.Op) {
	if loop.HasAttr(apartAttr) { // the ping-pong of the groups decides when a product begins
		return
	}
	var first *ir.Op // the last product that has a wait for itself alone
	for product := range ttgir.Body(loop) {
		if product.Def != ttng.WarpGroupDot || ownWait(product) == nil {
			continue
		}
		if first != nil && begin(product, first) {
			first = nil // one at a time: more accumulators would take too many registers
			continue
		}
		overtake(product)
		if first = product; ownWait(first) == nil {
			first = nil // another product lies before its wait now
		}
	}
	readEarly(loop)
}

// ownWait returns the wait for all products directly behind a product, or nil.
func ownWait(product *ir.Op) *ir.Op {
	wait := product.Next()
	if wait == nil || wait.Def != ttng.WarpGroupDotWait || wait.IntOr("pendings", 0) != 0 {
		return nil
	}
	return wait
}

// begin moves a product between the product first and its wait, if it can, and reports whether it did. The
// product's own wait stays, and lets the products that were begun since go on.
func begin(product, first *ir.Op) bool {
	wait, own := ownWait(first), ownWait(product)
	moved, ok := NeededBy(product, wait)
	if !ok || !ttgir.Satisfies(product, rules.EarlyAccumulators, accumulatorWords(product)) {
		return false
	}
	var waits []*ir.Op // for copies, which the product may read
	since := 0
	for op := wait.Next(); op != product; op = op.Next() {
		switch {
		case op.Def == ttng.WarpGroupDot:
			since++
		case op.Def == ttg.AsyncWait && isDefinedAbove(op, first):
			waits = append(waits, op)
		case op.Effects() != 0 && op.Def != ttg.LocalLoad || len(op.Regions()) > 0:
			return false
		}
	}
	for _, op := range waits {
		op.MoveBefore(first)
	}
	for _, op := range append(moved, product) {
		op.MoveBefore(wait)
	}
	wait.SetAttr("pendings", ir.I32Attr(1))
	own.SetAttr("pendings", ir.I32Attr(int64(since)))
	return true
}

// overtake starts a product before the one above, if nothing waits for that one's accumulator yet: the wait
// for the product then lets the other go on, under what the threads compute from the result.
//
//	%e = ttng.warp_group_dot %p, %do, %sum             %d = ttng.warp_group_dot %do, %v
//	%d = ttng.warp_group_dot %do, %v              =>   %e = ttng.warp_group_dot %p, %do, %sum
//	ttng.warp_group_dot_wait %d {pendings = 0}         ttng.warp_group_dot_wait %d {pendings = 1}
func overtake(product *ir.Op) {
	above, own := product.Prev(), ownWait(product)
	var waits []*ir.Op // for copies, which the product may read
	for above != nil && above.Def != ttng.WarpGroupDot {
		switch {
		case above.Def == ttg.AsyncWait:
			waits = append(waits, above)
		case above.Effects() != 0 && above.Def != ttg.LocalLoad || len(above.Regions()) > 0:
			return
		}
		above = above.Prev()
	}
	if above == nil || ownWait(above) != nil ||
		slices.ContainsFunc(waits, func(w *ir.Op) bool { return !isDefinedAbove(w, above) }) {
		return
	}
	moved, ok := NeededBy(product, above)
	if !ok {
		return
	}
	slices.Reverse(waits)
	for _, op := range append(append(waits, moved...), product) {
		op.MoveBefore(above)
	}
	own.SetAttr("pendings", ir.I32Attr(1))
}

// readEarly reads vectors from shared memory before the products that are begun above, not behind them: what
// they are needed for follows a wait, and the first arithmetic would wait for the memory once more.
//
//	%d = ttng.warp_group_dot %do, %v                   %x = ttg.local_load %m
//	%x = ttg.local_load %m                        =>   %d = ttng.warp_group_dot %do, %v
//	%e = ttng.warp_group_dot_wait %d                   %e = ttng.warp_group_dot_wait %d
//	%s = arith.subf %e, %x                             %s = arith.subf %e, %x
func readEarly(loop *ir.Op) {
	for _, load := range slices.Collect(ttgir.Body(loop)) {
		if load.Def != ttg.LocalLoad || layouts.IsDotOperand(load.Result(0)) {
			continue
		}
		var first *ir.Op // of the products above
		for op := load.Prev(); op != nil && (op.IsPure() || op.Def == ttng.WarpGroupDot); op = op.Prev() {
			if op.Def == ttng.WarpGroupDot {
				first = op
			}
		}
		if first == nil || !ttgir.Satisfies(load, rules.EarlyReads, ttgir.WordsOf(load.Result(0))) {
			continue
		}
		if moved, ok := NeededBy(load, first); ok {
			for _, op := range append(moved, load) {
				op.MoveBefore(first)
			}
		}
	}
}

// isDefinedAbove reports whether all operands of op are there before another op of its block.
func isDefinedAbove(op, other *ir.Op) bool {
	for _, v := range op.Operands() {
		if def := v.Def(); def != nil && def.Block() == other.Block() && !def.Before(other) {
			return false
		}
	}
	return true
}

// accumulatorWords returns the registers per thread of the accumulators of all products in the block of op.
func accumulatorWords(op *ir.Op) (words int) {
	for o := range op.Block().Ops() {
		if o.Def == ttng.WarpGroupDot {
			words += ttgir.WordsOf(o.Result(0))
		}
	}
	return words
}

// NeededBy returns the ops from first on that compute the operands of load, in order. ok is false if not all
// of them are arithmetic in registers of a thread.
func NeededBy(load, first *ir.Op) (ops []*ir.Op, ok bool) {
	need := map[*ir.Op]bool{load: true}
	for op := load; op != first.Prev(); op = op.Prev() {
		if !need[op] {
			continue
		}
		if op != load {
			if !op.IsPure() || len(op.Regions()) > 0 || layouts.IsProduct(op) || op.Def == ttg.ConvertLayout {
				return nil, false
			}
			ops = append(ops, op)
		}
		for _, v := range op.Operands() {
			if def := v.Def(); def != nil && def.Block() == load.Block() {
				need[def] = true
			}
		}
	}
	slices.Reverse(ops)
	return ops, true
}
