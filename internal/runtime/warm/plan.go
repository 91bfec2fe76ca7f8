package warm

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Plan is a specialization that was launched before: the look of its arguments, and its code. It never
// changes once it is in a Table.
type Plan struct {
	Launcher device.Launcher // nil if the device has none for the kernel
	Dev      *args.Device
	Exec     device.Executable // nil if there are hooks for launches: then Owner launches
	args.Look
	Opts  device.Options
	Words int // number of words of the arguments
	Owner any // keeps the code alive

	// Consts holds the compile-time arguments and options by name, for grids that depend on them.
	Consts map[string]any

	// Apart lists the tensors that must not overlap, by parameter or among the tensors of a genrt.Call.
	// Overlap is set if the code allows overlap.
	Apart   []device.Apart
	Overlap bool

	Cut  *Cut
	Args *ArgCut

	room [32]args.Class // memory of Look.Classes for most kernels
}

// Keep copies the look of the arguments into the plan.
func (p *Plan) Keep(l *args.Look, opts device.Options) {
	p.Look = args.Look{Classes: append(p.room[:0], l.Classes...), Texts: slices.Clone(l.Texts)}
	p.Opts = opts
}

// GPUGrid returns a grid in the form of a device.Launcher. bad is not 0 for a grid that GPUs cannot run: the
// long way reports it. A dimension of 0 is 1, except the first.
func GPUGrid(g *[3]int) (x, y, z uint32, bad uint64) {
	bad = (uint64(g[0])-1)>>63 | uint64(g[0])>>31 | uint64(g[1])>>16 | uint64(g[2])>>16
	return uint32(g[0]), max(uint32(g[1]), 1), max(uint32(g[2]), 1), bad
}

// fits reports whether the plan is for arguments that look like l.
func (p *Plan) fits(l *args.Look, opts *device.Options, dev *args.Device) bool {
	return p.Dev == dev && p.Same(l) && p.Opts == *opts
}
