package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A load from shared memory that needs a barrier often follows loads that need none:
//
//	%a = ttg.local_load %before_the_loop
//	barrier
//	%b = ttg.local_load %just_copied
//	%c = tt.dot %a, %b, …
//
// No load may cross a barrier, so the assembler would have to keep all of %a in registers while it loads %b.
// With the barrier before %a, it loads the parts of both when a product needs them. In attention with 128
// rows for 2 warps, this saves 64 registers of a thread.

// findBarriers returns the barriers of l's function. The barrier of a load is before the loads that precede
// it, unless these then need one more barrier behind them.
func findBarriers(l *lowering, a *allocation, roots map[*ir.Value][]*ir.Op) barriers {
	found := barriersOf(l, a, roots, nil)
	var early []*ir.Op
	for op := range l.fn.Ops() {
		if op.Def != ttg.LocalLoad || !found.plain(op) {
			continue
		}
		first := firstOfLoads(l, a, op)
		if first == nil || found.who[first] != nobody {
			continue
		}
		again := barriersOf(l, a, roots, append(early, first))
		if again.meetings() <= found.meetings() {
			found, early = again, append(early, first)
		}
	}
	return found
}

// plain reports whether all threads of a block meet before op, and nothing else happens there.
func (b barriers) plain(op *ir.Op) bool {
	return b.who[op] == theBlock && !b.drain[op] && !b.flush[op] && b.fence[op] == noProxy &&
		len(b.unless[op]) == 0
}

// meetings returns the number of places where all threads of a block meet.
func (b barriers) meetings() (n int) {
	for _, who := range b.who {
		if who >= theBlock {
			n++
		}
	}
	return n
}

// firstOfLoads returns the first of the loads from shared memory that directly precede op, a load, or nil if
// there are none. Between them may be operations that touch no memory and use no result of these loads.
func firstOfLoads(l *lowering, a *allocation, op *ir.Op) (first *ir.Op) {
	var between []*ir.Op
	for at := op.Prev(); at != nil; at = at.Prev() {
		switch {
		case at.Def == ttg.LocalLoad && !l.crosses(at):
			for user := range at.Result(0).Users() {
				if slices.Contains(between, user) {
					return first
				}
			}
			first = at
		case at.IsPure() && len(a.buffers[at]) == 0 && len(at.Regions()) == 0:
			between = append(between, at)
		default:
			return first
		}
	}
	return first
}
