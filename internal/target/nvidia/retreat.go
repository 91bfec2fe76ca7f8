package nvidia

import (
	"context"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target"
)

// Transformations that Triton does not have may ask for shared memory: deeper pipelines, buffers of tiles
// that are stored while the next ones are computed. How much a kernel takes in all only the placing of all
// buffers tells. If it is more than a block can have, the kernel is compiled again without one after the
// other, until it fits. Triton's own passes are left then, and the memory that Triton asks for.

// retreat is a transformation that code can do without.
type retreat struct {
	name string
	// applies reports whether the transformation may have been applied.
	applies func(c Compiler, in *target.Input) bool
	without func(c *Compiler, in *target.Input)
}

// retreats lists what code does without, in this order: what costs the least speed comes first.
var retreats = []retreat{
	{"deeper pipelines",
		func(c Compiler, in *target.Input) bool { return c.sharing(in).Programs > 0 },
		func(c *Compiler, in *target.Input) { c.shallow, in.Way = true, in.Way.AnyGrid() }},
	{"stores of tiles by the copy engine",
		func(c Compiler, in *target.Input) bool { return in.Way.Fallback && !c.noTileStores },
		func(c *Compiler, _ *target.Input) { c.noTileStores = true }},
	{"persistent programs",
		func(c Compiler, in *target.Input) bool { return in.Way.Fallback && !c.noPersist },
		func(c *Compiler, _ *target.Input) { c.noPersist = true }},
	{"loads of tiles by the copy engine",
		func(c Compiler, in *target.Input) bool { return in.Way.Fallback && !c.noTiles },
		func(c *Compiler, _ *target.Input) { c.noTiles = true }},
	{"warp groups in turns",
		func(c Compiler, _ *target.Input) bool { return c.turns() },
		func(c *Compiler, _ *target.Input) { c.noTurns = true }},
}

// fit compiles TTIR to code whose blocks have room in shared memory, if it can.
func (c Compiler) fit(ctx context.Context, in *target.Input, maxPTX int) (*Code, error) {
	var saved *ir.Module
	if in.Module != nil && !in.Skips("ttgir") {
		saved = in.Module.Clone()
	}
	code, err := c.fromTTIR(ctx, in, maxPTX)
	for _, r := range retreats {
		if code == nil || saved == nil || code.Shared <= c.SharedPerBlock() {
			break
		}
		if r.applies(c, in) {
			r.without(&c, in)
			in.Module = saved.Clone()
			code, err = c.fromTTIR(ctx, in, maxPTX)
		}
	}
	return code, err
}
