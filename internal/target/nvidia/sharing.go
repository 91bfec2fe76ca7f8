package nvidia

import (
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
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

// Begins returns the ways that WayOf may return, and that of the code which serves all launches.
func (c Compiler) Begins() []device.Way {
	list := []device.Way{{}, {Fallback: true, Sharing: device.Many}}
	for n := 1; n <= gpucode.MostShared && c.deepens(); n *= 2 {
		list = append(list, device.Way{Fallback: true, Sharing: n})
	}
	return list
}

// Sharing returns the blocks per SM of a grid on a device with so many SMs. Where few blocks have no code of
// their own, many may still have some: the persistent one.
func (c Compiler) Sharing(grid [3]int, sms int) int {
	switch n := devnvidia.ProgramsOnSM(grid, sms); {
	case n == 0 && grid[0]*grid[1]*grid[2] > 0 || n > 1 && !c.deepens():
		return device.Many
	case c.deepens():
		return n
	}
	return 0
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
