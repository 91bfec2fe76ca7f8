package lower

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid/internal/layout"
)

// randomWhole returns a layout of a shape at random, in which each element is in one register of one lane.
// The lowest common registers, if any, are the same for all layouts: both sides of a conversion then access
// vectors.
func randomWhole(r *rand.Rand, rows, cols, common, lanes, warps int) layout.Layout {
	var all [][]int
	for c := 1; c < cols; c *= 2 {
		all = append(all, []int{0, c})
	}
	for row := 1; row < rows; row *= 2 {
		all = append(all, []int{row, 0})
	}
	regs, rest := all[:common:common], all[common:]
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	l, w := log2(lanes), log2(warps)
	return layout.Must(layout.New([]layout.Bases{
		{Name: layout.Register, Vectors: append(regs, rest[l+w:]...)},
		{Name: layout.Lane, Vectors: rest[:l]}, {Name: layout.Warp, Vectors: rest[l : l+w]},
		{Name: layout.Block}},
		[]layout.Dim{{Name: layout.TensorDim(0), Size: rows}, {Name: layout.TensorDim(1), Size: cols}}))
}

// wavefronts returns the most words that lanes which access shared memory at the same time find in one bank:
// 1 is the least. Each lane accesses vec words, so that 32/vec lanes go at once.
func wavefronts(cvt layout.Layout, vec int) (worst int) {
	lanes := cvt.InSize(layout.Lane)
	together := min(lanes, 32/vec)
	for first := 0; first < lanes; first += together {
		var banks [32]map[int]bool
		for lane := first; lane < first+together; lane++ {
			at := 0
			for i := range cvt.InBits(layout.Lane) {
				if lane>>i&1 != 0 {
					at ^= cvt.BasisAlong(layout.Lane, i, layout.Offset)
				}
			}
			for k := range vec {
				word := at ^ registerImage(cvt, k, layout.Offset)
				if banks[word%32] == nil {
					banks[word%32] = map[int]bool{}
				}
				banks[word%32][word] = true
				worst = max(worst, len(banks[word%32]))
			}
		}
	}
	return worst
}

// TestNoBankConflicts: whatever the two layouts of a conversion, neither side's accesses to shared memory
// wait for each other, and vectors of registers that both sides have are accessed as wide words.
func TestNoBankConflicts(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 12))
	port := sharedPort{banks: 32}
	for range 400 {
		common := r.IntN(3)
		from := randomWhole(r, 64, 64, common, 32, 4)
		to := randomWhole(r, 64, 64, common, 32, 4)
		mem := swizzled(from, to, 32, nil, nil, port)
		vector, _ := commonRegs(from, to, 32)
		for side, ll := range map[string]layout.Layout{"store": from, "load": to} {
			cvt := ll.InvertAndCompose(mem)
			if vec, _ := layout.LargestVector(cvt, 4); vec < 1<<common {
				t.Errorf("a %s accesses %d words, not %d", side, vec, 1<<common)
			}
			if len(vector) != common {
				continue // more registers are common by chance, in an order of their own
			}
			if n := wavefronts(cvt, 1<<common); n != 1 {
				t.Fatalf("a %s of vectors of %d takes %d times as long as it must\n%s", side, 1<<common, n,
					fmt.Sprint(from, "\n", to))
			}
		}
	}
}
