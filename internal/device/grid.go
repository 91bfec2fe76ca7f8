package device

import (
	"fmt"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/diag"
)

// MaxPrograms bounds the programs of a launch, so that 64-bit counters can run past the end.
const MaxPrograms = 1 << 62

// CountPrograms returns the number of programs of a grid. It fails if a dimension is negative or above the
// device's maximum most, or if there are more than MaxPrograms.
func CountPrograms(grid, most [3]int) (int, error) {
	n := uint64(1)
	for d, g := range grid {
		if g < 0 || g > most[d] {
			return 0, diag.Refuse(fmt.Sprintf("the grid %v", grid),
				"it has %d programs along %c, and the device takes 0 to %d",
				g, 'x'+rune(d), most[d])
		}
		high, low := bits.Mul64(n, uint64(g))
		if n = low; high != 0 || n > MaxPrograms {
			n = MaxPrograms + 1 // unless a later dimension is 0
		}
	}
	if n > MaxPrograms {
		return 0, diag.Refuse(fmt.Sprintf("the grid %v", grid), "it has more than 2^62 programs")
	}
	return int(n), nil
}
