package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
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
	"github.com/nereid-lang/nereid/internal/rules"
)

// LoadEarly moves loads above the products before them, so that the memory is under way while the program
// multiplies:
//
//	%c = tt.dot %a, %b, %zero                  %v = tt.load %p
//	%v = tt.load %p                      =>    %c = tt.dot %a, %b, %zero
//	%d = tt.dot %c, %v, %zero                  %d = tt.dot %c, %v, %zero
//
// Small loads move above reductions, too, such as those of the weights by which a norm multiplies a row.
//
// The assembler does not do that itself: in products and reductions there are barriers, over which it moves
// nothing. The loaded tensor stays in registers for longer, so a load moves only as far as few registers are
// taken.
var LoadEarly = pass.Pass{
	Name: "nereid-gpu-load-early",
	Doc:  "move loads above products and reductions",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		at := address.New(m.Op)
		var blocks []*ir.Block
		for op := range m.Op.Ops() {
			if b := op.Block(); isAwaited(op) && !slices.Contains(blocks, b) && !isPipelined(b) {
				blocks = append(blocks, b)
			}
		}
		for _, b := range blocks {
			loadEarlyIn(b, at)
		}
		return nil
	},
}

// isPipelined reports whether a block waits for copies that it started in another iteration: its loads have
// their places by a schedule.
func isPipelined(b *ir.Block) bool {
	for op := range b.Ops() {
		if op.Def == ttg.AsyncWait || op.Def == ttng.WaitBarrier {
			return op.ParentOf(scf.For) != nil
		}
	}
	return false
}

// isAwaited reports whether the warps of a program wait for each other in op, a product or a reduction, above
// which loads may move.
func isAwaited(op *ir.Op) bool { return multiplies(op) || reducesOverWarps(op) }

// reducesOverWarps reports whether op is a reduction for which warps exchange partial results.
func reducesOverWarps(op *ir.Op) bool { return op.Def == tt.Reduce && pipeline.MeetsWarps(op) }

func loadEarlyIn(b *ir.Block, at *address.Analysis) {
	var awaited []*ir.Op // products and reductions above which the next load may move
	for _, op := range slices.Collect(b.Ops()) {
		switch {
		case isAwaited(op):
			awaited = append(awaited, op)
		case holdsLoads(op):
			awaited = nil
		case op.Def == tt.Load && ttgir.TensorOf(op.Result(0)) != nil:
			for _, over := range awaited {
				if moveLoad(op, over, at) {
					break
				}
			}
		}
	}
}

// multiplies reports whether op is a product, or a short loop of products (LoadAtOnce) over which loads may
// move.
func multiplies(op *ir.Op) bool {
	if op.Def != scf.For {
		return layouts.IsProduct(op)
	}
	n, ok := pass.TripCount(op)
	if !ok || !ttgir.Satisfies(op, rules.LoadsAtOnce, n) {
		return false
	}
	found := false
	for o := range ttgir.Body(op) {
		if holdsLoads(o) {
			return false
		}
		found = found || layouts.IsProduct(o)
	}
	return found
}

// holdsLoads reports whether no load moves above op: what is loaded behind it may depend on it, as on a lock
// that it takes, or on whether it ends.
func holdsLoads(op *ir.Op) bool {
	switch op.Def {
	case tt.Reduce, tt.Scan, tt.Store:
		return false
	case tt.Load:
		return tt.IsVolatile(op)
	}
	return len(op.Regions()) > 0 || layouts.Facts[op.Def].Access && !layouts.Facts[op.Def].Reads ||
		!layouts.Facts[op.Def].Local && op.Effects()&ir.EffUnknown != 0
}

// moveLoad moves a load, with the ops that compute its operands, above an op of its block if it can.
func moveLoad(load, over *ir.Op, at *address.Analysis) bool {
	moved, ok := pipeline.NeededBy(load, over)
	if !ok || tt.IsVolatile(load) {
		return false
	}
	reads := pipeline.AccessesOf(load)
	for op := over; op != load; op = op.Next() {
		if a := pipeline.AccessesOf(op); a.Any() && pipeline.Conflict(at, reads, a) {
			return false
		}
	}
	if !fitsEarly(load, over) {
		return false
	}
	for _, op := range append(moved, load) {
		op.MoveBefore(over)
	}
	return true
}

// fitsEarly reports whether registers are left for a load above an op. A small load moves above a reduction,
// and a medium one if it has at most half of the registers that are held meanwhile.
func fitsEarly(load, over *ir.Op) bool {
	words := ttgir.WordsOf(load.Result(0))
	if !reducesOverWarps(over) {
		return ttgir.Satisfies(load, rules.EarlyWords, mostWords(over, load)+words)
	}
	if !ttgir.Satisfies(load, rules.EarlyMediumWords, words) {
		return false
	}
	held := heldOver(over)
	return ttgir.Satisfies(load, rules.EarlyWords, held+words) &&
		(words <= held/2 || ttgir.Satisfies(load, rules.EarlySmallWords, words))
}

// heldOver returns the registers that floats take from before op to behind it.
func heldOver(op *ir.Op) (words int) {
	for before := range op.Block().Ops() {
		if before == op {
			break
		}
		for _, v := range before.Results() {
			if staysInRegisters(v, before) && op.Before(lastUse(v, before)) {
				words += ttgir.WordsOf(v)
			}
		}
	}
	return words
}

// mostWords returns the most registers that floats take during a product from op first to op last of a block.
// Between products, values live for as long as a chain of arithmetic on one element, which is short.
func mostWords(first, last *ir.Op) int {
	taken, most := 0, 0
	ends := map[*ir.Op]int{}
	for op := range first.Block().Ops() {
		if op == last {
			break
		}
		for _, v := range op.Results() {
			if staysInRegisters(v, op) {
				taken += ttgir.WordsOf(v)
				ends[lastUse(v, op)] += ttgir.WordsOf(v)
			}
		}
		if multiplies(op) && !op.Before(first) {
			most = max(most, taken)
		}
		taken -= ends[op]
	}
	return most
}

// staysInRegisters reports whether a result of op is a float tensor that occupies registers from op to its
// last use. Constants do not, since instructions encode them, nor do operands of products, which are read
// from shared memory piece by piece.
func staysInRegisters(v *ir.Value, op *ir.Op) bool {
	return ir.IsFloat(ir.ElemOf(v.Type)) && op.Def != arith.Constant && op.Def != tt.Splat &&
		!layouts.IsDotOperand(v)
}

// lastUse returns the last op of the block of op that uses v, a result of op, itself or in a region.
func lastUse(v *ir.Value, op *ir.Op) *ir.Op {
	last := op
	for u := range v.Users() {
		if a := ttgir.AncestorIn(op.Block(), u); a != nil && last.Before(a) {
			last = a
		}
	}
	return last
}
