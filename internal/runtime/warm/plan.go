package warm

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// Plan is a specialization that was launched before: what its arguments looked like, and what runs. It never changes once it is
// in a Table.
type Plan struct {
	Ready driver.Ready // set if a GPU's stream takes the kernel as it is
	Dev   *args.Device
	Exec  target.Executable // nil if somebody wants to hear of launches: then Owner launches
	args.Look
	Opts  target.Options
	Words int // of the arguments
	Owner any // keeps the code alive

	// Consts are the compile-time arguments and options by name, for grids that depend on them.
	Consts map[string]any

	// Apart lists the tensors that must not overlap, by parameter, or among the tensors of a genrt.Call. Overlap is set if the code is
	// for those that do.
	Apart   []target.Apart
	Overlap bool

	Cut  *Cut
	Args *ArgCut

	room [32]args.Class // for Look.Classes of most kernels
}

// Keep copies what arguments look like into the plan.
func (p *Plan) Keep(l *args.Look, opts target.Options) {
	p.Look = args.Look{Classes: append(p.room[:0], l.Classes...), Texts: slices.Clone(l.Texts)}
	p.Opts = opts
}

// GPUGrid returns a grid as a GPU takes it; ok is false for one that it cannot run, which the long way explains. A dimension that is
// left out is 1.
func GPUGrid(g *[3]int) (x, y, z uint32, ok bool) {
	ok = g[0] != 0 && uint64(g[0])>>31|uint64(g[1])>>16|uint64(g[2])>>16 == 0
	return uint32(g[0]), max(uint32(g[1]), 1), max(uint32(g[2]), 1), ok
}

// fits reports whether the plan is for arguments that look like l.
func (p *Plan) fits(l *args.Look, opts *target.Options, dev *args.Device) bool {
	return p.Dev == dev && p.Same(l) && p.Opts == *opts
}
