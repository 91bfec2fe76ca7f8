package nvidia

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
)

// TestStays: programs stay if there are more than SMs and the loop of none ends behind 1,024, here at
// (program + 1) * the argument.
func TestStays(t *testing.T) {
	k := &Code{Params: []int{4}, guards: &guardTable{}, Short: gpucode.TileGuard{gpucode.GuardNumber, 1024,
		gpucode.GuardProgram, 0, gpucode.GuardNumber, 1, gpucode.GuardAdd, 0, gpucode.GuardArg, 0,
		gpucode.GuardMul, 0,
		gpucode.GuardSub, 0}}
	for _, c := range []struct {
		x, y int
		n    uint64
		want bool
	}{
		{8, 100, 128, true}, {8, 100, 129, false}, {9, 100, 128, false}, {8, 16, 128, false},
		{8, 17, 128, true},
	} {
		for range 2 { // the second answer is kept from the first
			if got := k.Stays([3]int{c.x, c.y, 1}, []uint64{c.n}, 132); got != c.want {
				t.Errorf("grid %dx%d, %d: %v", c.x, c.y, c.n, got)
			}
		}
	}
	if err := k.checkShort(); err != nil {
		t.Error(err)
	}
	k.Params = nil
	if k.checkShort() == nil {
		t.Error("an argument that is not there is accepted")
	}
	grid := [3]int{8, 100, 2}
	if got := k.Staying(grid, 132); got != grid {
		t.Errorf("code whose programs do not stay is launched as %v", got)
	}
	k.Persistent = true
	if got := k.Staying(grid, 132); got != [3]int{132, 1, 1} {
		t.Errorf("persistent code is launched as %v", got)
	}
}
