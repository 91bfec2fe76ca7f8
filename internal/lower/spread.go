package lower

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// A thread that has loaded neighbours of a row, and stores them as a column, does so one after the other, and
// so do all lanes: those that hold other parts of the row then want rows of shared memory with the same
// swizzle, that is, the same bank. If each of them stores its registers in another order, they want
// different banks. For example, two lanes with registers a and b, each register's rows in one bank:
//
//	lane 0: stores a, b      bank 0, bank 1
//	lane 1: stores b, a      bank 1, bank 0

// spreadStore returns the registers that a store to shared memory takes in the place of regs, and the
// offsets of those: lanes choose in which order they store their words, so that fewer of them want the same
// bank at once.
func (l *lowering) spreadStore(b smem, cvt layout.Layout, regs []string) ([]string, layout.Layout) {
	port := l.port()
	if bitsOf(b.elem) != 32 || b.pad != nil || port.rows == nil || cvt.FreeVariablesIn(layout.Lane) != 0 {
		return regs, cvt
	}
	swaps, wavefronts := laneSwaps(cvt, b.most(), port)
	if len(swaps) == 0 || !rules.Holds(l.rules, rules.SpreadWavefronts, wavefronts) {
		return regs, cvt
	}
	for _, s := range swaps {
		regs = l.exchanged(b.elem, s, regs)
	}
	return regs, withSwaps(cvt, swaps)
}

// exchanged returns registers of which lanes with a bit set have swapped each with another.
func (l *lowering) exchanged(t ir.Type, s laneSwap, regs []string) []string {
	has := l.laneHas(s.bit)
	out := make([]string, len(regs))
	for r := range regs {
		out[r] = l.choose(has, t, regs[r^s.by], regs[r])
	}
	return out
}

// laneSwaps returns the exchanges of registers that spread the lanes of a store over more banks, and the
// number of wavefronts that the store of a word takes without them.
func laneSwaps(cvt layout.Layout, most int, port sharedPort) (swaps []laneSwap, wavefronts int) {
	elems, _ := layout.LargestVector(cvt, most)
	bank := func(offset int) int { return offset % port.banks / elems }
	lanes, taken := port.phase(cvt, 32*elems), &subspace{}
	var crowded []int
	for i, at := range lanes {
		if !taken.add(bank(at)) {
			crowded = append(crowded, i)
		}
	}
	regs := flatBases(cvt, layout.Register)
	used := make([]bool, len(regs))
	for _, i := range crowded {
		for k, at := range regs {
			if !used[k] && at >= elems && taken.add(bank(lanes[i]^at)) {
				used[k], swaps = true, append(swaps, laneSwap{i, 1 << k})
				break
			}
		}
	}
	return swaps, 1 << len(crowded)
}

// withSwaps returns the offsets of registers after exchanges.
func withSwaps(cvt layout.Layout, swaps []laneSwap) layout.Layout {
	ins := cvt.AllBases()
	for _, in := range ins {
		if in.Name != layout.Lane {
			continue
		}
		for _, s := range swaps {
			for d, at := range cvt.Basis(layout.Register, log2(s.by)) {
				in.Vectors[s.bit][d] ^= at
			}
		}
	}
	return layout.Must(layout.New(ins, cvt.OutDims()))
}
