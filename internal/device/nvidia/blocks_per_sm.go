package nvidia

import (
	"errors"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/rules"
)

// ProgramsOnSM returns the power of two up to which programs of a grid run on one of so many SMs, 0 for an
// empty grid and if there are more than gpucode.MostShared.
func ProgramsOnSM(grid [3]int, sms int) int {
	n := grid[0] * grid[1] * grid[2]
	if n <= 0 || n > gpucode.MostShared*sms {
		return 0
	}
	shared := 1
	for shared*sms < n {
		shared *= 2
	}
	return shared
}

// OtherDepth returns the blocks per SM of a launch if other code has pipelines for that number, else -1.
func (k *Code) OtherDepth(grid [3]int, words []uint64, sms int) int {
	if grid[0]*grid[1]*grid[2] == 0 {
		return -1
	}
	n := ProgramsOnSM(grid, sms)
	if k.Persistent {
		return k.insteadOfStaying(n, grid, words)
	}
	return k.depthOf(gpucode.KindOf(n))
}

// depths returns the sharings that OtherDepth may return.
func (k *Code) depths() (list []int) {
	for kind := 1; kind < gpucode.Kinds; kind++ {
		n := 1 << (kind - 1)
		switch {
		case k.Persistent && (kind == 1 || k.Short != nil) && rules.Holds(k.rules, rules.DeepenPrograms, n):
			list = append(list, n)
		case k.Persistent && (kind == 1 || k.Short != nil):
			list = append(list, 0)
		case k.Persistent || k.Depths == nil || k.Depths[kind] == k.Depths[gpucode.KindOf(k.BlocksPerSM)]:
		case k.Depths[kind] == k.Depths[0]:
			list = append(list, 0)
		default:
			list = append(list, n)
		}
	}
	// launches of more programs than any of these
	if k.Persistent && k.Short != nil ||
		k.Depths != nil && k.Depths[0] != k.Depths[gpucode.KindOf(k.BlocksPerSM)] {
		list = append(list, 0)
	}
	return list
}

// insteadOfStaying is OtherDepth for persistent code, with n blocks per SM. Persistent programs gain by
// starting the next one early: with one block per SM there is no next one, and long loops hardly need it.
func (k *Code) insteadOfStaying(n int, grid [3]int, words []uint64) int {
	if n != 1 && (k.Short == nil || k.guarded(k.Short, grid, words)) {
		return -1
	}
	return k.depthOf(gpucode.KindOf(n))
}

// isDeep reports whether pipelines of products have more stages here than in the code for any launch.
func (k *Code) isDeep() bool {
	return k.Depths != nil && k.Depths[0] > 0 && k.Depths[gpucode.KindOf(k.BlocksPerSM)] > k.Depths[0]
}

// sharers returns the largest number of blocks per SM in the launches for which the code is made, 0 if it is
// not bounded.
func (k *Code) sharers() int {
	if k.Depths == nil {
		return 0
	}
	own := gpucode.KindOf(k.BlocksPerSM)
	for kind, depth := range k.Depths {
		if kind != own && depth == k.Depths[own] {
			return 0 // launches with that many blocks per SM run this code, too
		}
	}
	return k.BlocksPerSM
}

// checkDepths returns an error for depths from a cache that are not complete.
func (k *Code) checkDepths() error {
	if k.Depths != nil && len(k.Depths) != gpucode.Kinds || k.BlocksPerSM < 0 ||
		k.BlocksPerSM > gpucode.MostShared {
		return errors.New("the kernel's description does not fit its pipelines")
	}
	return nil
}
