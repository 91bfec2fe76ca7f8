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

// The blocks per SM of a launch are counted up to a power of two. Where they are few, deeper pipelines may
// fill the shared memory that is left, and loops may prefetch, so such launches have code of their own. The
// number is 0, or device.Many, where blocks are so many that this does not matter.

// deepens reports whether launches of few programs have code of their own.
func (c Compiler) deepens() bool { return c.warpGroups() && !knob.NoDeeper.Get() }

// occupancy returns the blocks per SM that the passes may rely on: those of the launches for which the code
// is made, or none unless the host has other code for other launches.
func (c Compiler) occupancy(in *target.Input) gpu.Occupancy {
	if !c.deepens() || !in.Way.Fallback || c.shallow {
		return gpu.Occupancy{}
	}
	return gpu.Occupancy{SM: c.chip().SharedPerSM, Programs: max(0, in.Way.BlocksPerSM)}
}

// WayOf returns the way of the code for a grid on a device with so many SMs.
func (c Compiler) WayOf(grid [3]int, sms int) device.Way {
	return device.Way{Fallback: true, BlocksPerSM: c.BlocksPerSM(grid, sms)}
}

// Begins returns the ways that WayOf may return, and that of the code which serves all launches.
func (c Compiler) Begins() []device.Way {
	list := []device.Way{{}, {Fallback: true, BlocksPerSM: device.Many}}
	for n := 1; n <= gpucode.MostShared && c.deepens(); n *= 2 {
		list = append(list, device.Way{Fallback: true, BlocksPerSM: n})
	}
	return list
}

// BlocksPerSM returns the blocks per SM of a grid on a device with that many SMs. Where few blocks have no
// code of their own, many may still have some: that of a persistent kernel.
func (c Compiler) BlocksPerSM(grid [3]int, sms int) int {
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
	w.BlocksPerSM = c.shares(m, w.BlocksPerSM)
	return w
}

// shares returns the part of a launch's blocks per SM on which the code of a module depends. Code without
// loops does not depend on it. Loops with products depend on a number for which pipelines get deeper, and on
// there being many blocks, which may become persistent; other loops depend on small numbers alone. Where
// shares returns 0 although OtherDepth asks for other code, the asking code would be returned, and would ask
// again.
func (c Compiler) shares(m *ir.Module, blocks int) int {
	if m == nil {
		return blocks
	}
	loops, products := false, false
	for op := range m.Ops() {
		loops = loops || op.Def == scf.For || op.Def == scf.While // a while that counts becomes a for
		products = products || op.Def == tt.Dot
	}
	switch {
	case !loops, !products && blocks == device.Many:
		return 0
	case products && !rules.Holds(gpu.RulesOf(m), rules.DeepenPrograms, blocks):
		return device.Many
	}
	return blocks
}
