package nvidia

import (
	"errors"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target"
)

// The sharing of a launch is its number of blocks per SM, rounded up to a power of two. Where it is small,
// deeper pipelines may fill the shared memory that is left, and loops may prefetch, so such launches have
// code of their own. It is 0, or device.Many, where blocks are so many that this does not matter.

// deepens reports whether launches of few programs have code of their own.
func (c Compiler) deepens() bool { return c.warpGroups() && !knob.NoDeeper.Get() }

// sharing returns the blocks per SM that the passes may rely on. They may only if the host has other code for
// other launches.
func (c Compiler) sharing(in *target.Input) gpu.Sharing {
	if !c.deepens() || !in.Way.Fallback || c.shallow {
		return gpu.Sharing{}
	}
	return gpu.Sharing{SM: c.chip().SharedPerSM, Programs: max(0, in.Way.Sharing)}
}

// WayOf returns the way of the code for a grid on a device with so many SMs.
func (c Compiler) WayOf(grid [3]int, sms int) device.Way {
	return device.Way{Fallback: true, Sharing: c.Sharing(grid, sms)}
}

// Sharing returns the blocks per SM of a grid on a device with so many SMs. Where few blocks have no code of
// their own, many may still have some: the persistent one.
func (c Compiler) Sharing(grid [3]int, sms int) int {
	switch n := programsOnSM(grid, sms); {
	case n == 0 && grid[0]*grid[1]*grid[2] > 0 || n > 1 && !c.deepens():
		return device.Many
	case c.deepens():
		return n
	}
	return 0
}

// programsOnSM returns the power of two up to which programs of a grid run on one of so many SMs, 0 for an
// empty grid and if there are more than gpu.MostShared.
func programsOnSM(grid [3]int, sms int) int {
	n := grid[0] * grid[1] * grid[2]
	if n <= 0 || n > gpu.MostShared*sms {
		return 0
	}
	shared := 1
	for shared*sms < n {
		shared *= 2
	}
	return shared
}

// Distinct implements target.Chooser.
func (c Compiler) Distinct(m *ir.Module, w device.Way) device.Way {
	w.Sharing = c.shares(m, w.Sharing)
	return w
}

// shares returns the part of a launch's blocks per SM on which the code of a module depends. Code without
// loops does not depend on it. Loops with products depend on a number for which pipelines get deeper, and on
// there being many blocks, which may become persistent; other loops depend on small numbers alone. Where
// shares returns 0 although OtherDepth asks for other code, the asking code would be returned, and would ask
// again.
func (c Compiler) shares(m *ir.Module, sharing int) int {
	if m == nil {
		return sharing
	}
	loops, products := false, false
	for op := range m.Ops() {
		loops = loops || op.Def == scf.For || op.Def == scf.While // a while that counts becomes a for
		products = products || op.Def == tt.Dot
	}
	switch {
	case !loops, !products && sharing == device.Many:
		return 0
	case products && !rules.Holds(gpu.RulesOf(m), rules.DeepenPrograms, sharing):
		return device.Many
	}
	return sharing
}

// OtherDepth returns the blocks per SM of a launch if other code has pipelines for that number, else -1.
func (k *Code) OtherDepth(grid [3]int, words []uint64, sms int) int {
	if grid[0]*grid[1]*grid[2] == 0 {
		return -1
	}
	n := programsOnSM(grid, sms)
	if k.Persistent {
		return k.insteadOfStaying(n, grid, words)
	}
	if k.Depths == nil {
		return -1
	}
	switch k.Depths[gpu.KindOf(n)] {
	case k.Depths[gpu.KindOf(k.Sharing)]:
		return -1
	case k.Depths[0]:
		return 0
	}
	return n
}

// depths returns the sharings that OtherDepth may return.
func (k *Code) depths() (list []int) {
	for kind := 1; kind < gpu.Kinds; kind++ {
		n := 1 << (kind - 1)
		switch {
		case k.Persistent && (kind == 1 || k.Short != nil) && rules.Holds(k.rules, rules.DeepenPrograms, n):
			list = append(list, n)
		case k.Persistent && (kind == 1 || k.Short != nil):
			list = append(list, 0)
		case k.Persistent || k.Depths == nil || k.Depths[kind] == k.Depths[gpu.KindOf(k.Sharing)]:
		case k.Depths[kind] == k.Depths[0]:
			list = append(list, 0)
		default:
			list = append(list, n)
		}
	}
	// launches of more programs than any of these
	if k.Persistent && k.Short != nil ||
		k.Depths != nil && k.Depths[0] != k.Depths[gpu.KindOf(k.Sharing)] {
		list = append(list, 0)
	}
	return list
}

// insteadOfStaying is OtherDepth for persistent code, with n blocks per SM. Persistent programs gain by
// starting the next one early: with one block per SM there is no next one, and long loops hardly need it.
func (k *Code) insteadOfStaying(n int, grid [3]int, words []uint64) int {
	switch {
	case n != 1 && (k.Short == nil || k.guarded(k.Short, grid, words)):
		return -1
	case !rules.Holds(k.rules, rules.DeepenPrograms, n): // the code for all launches
		return 0
	}
	return n
}

// isDeep reports whether pipelines of products have more stages here than in the code for any launch.
func (k *Code) isDeep() bool {
	return k.Depths != nil && k.Depths[0] > 0 && k.Depths[gpu.KindOf(k.Sharing)] > k.Depths[0]
}

// sharers returns the largest number of blocks per SM in the launches for which the code is made, 0 if it is
// not bounded.
func (k *Code) sharers() int {
	if k.Depths == nil {
		return 0
	}
	own := gpu.KindOf(k.Sharing)
	for kind, depth := range k.Depths {
		if kind != own && depth == k.Depths[own] {
			return 0 // launches of that sharing run this code, too
		}
	}
	return k.Sharing
}

// checkDepths returns an error for depths from a cache that are not complete.
func (k *Code) checkDepths() error {
	if k.Depths != nil && len(k.Depths) != gpu.Kinds || k.Sharing < 0 || k.Sharing > gpu.MostShared {
		return errors.New("the kernel's description does not fit its pipelines")
	}
	return nil
}
