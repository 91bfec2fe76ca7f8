package nvidia

import (
	"context"

	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target"
)

// A kernel is compiled in two steps: passes make TTGIR of TTIR, the lowering and LLVM make PTX of TTGIR. The
// result of a step may show that a step should have gone another way. The compiler then makes another
// attempt, until no row of restarts applies. Most rows are about shared memory: transformations that Triton
// does not have ask for some (deeper pipelines, buffers for tiles), and only the placing of all buffers shows
// how much a kernel needs in all. What is left without them is Triton's own passes, and the memory that
// Triton asks for.

// attempt is a compilation that is under way.
type attempt struct {
	Compiler // its flags switch off the transformations that earlier attempts have ruled out
	in       *target.Input
	maxPTX   int

	ttir   *ir.Module   // where attempts start; nil if the user gave a later stage
	short  tt.TileGuard // the condition that made this attempt's programs persistent, nil if none did
	depths []int        // see Code.Depths
	code   *devnvidia.Code
}

// step is how far an attempt has come.
type step uint8

const (
	toTTGIR step = iota
	toPTX
	done
)

// restart is a reason for another attempt.
type restart struct {
	after  step // the step whose result shows the reason
	why    string
	when   func(a *attempt) bool
	change func(a *attempt)
	from   step // where the next attempt begins
}

// restarts lists the reasons. The first row that applies counts, so among the remedies for shared memory the
// one that costs the least speed comes first.
var restarts = []restart{
	{toTTGIR, "the loops of the launch that waits are short: its programs become persistent",
		(*attempt).shouldPersist, func(a *attempt) { a.short = gpu.ShortLoop(a.in.Module) }, toTTGIR},
	{toPTX, "LLVM moved the conversions of a product's steps over their waits: the product is one step",
		(*attempt).movedSteps, func(a *attempt) { a.rewrite(gpu.JoinSteps) }, toPTX},
	{toPTX, "ptxas would overwrite operands that a loop holds in registers: they stay in shared memory",
		(*attempt).overwrites, func(a *attempt) { a.rewrite(gpu.ReleaseOperands) }, toPTX},
	{toPTX, "too much shared memory: pipelines have the stages that were asked for",
		func(a *attempt) bool { return a.tooLarge() && a.occupancy(a.in).Programs > 0 },
		func(a *attempt) { a.shallow, a.in.Way = true, a.in.Way.AnyGrid() }, toTTGIR},
	{toPTX, "too much shared memory: threads store tiles, not the copy engine",
		func(a *attempt) bool { return a.tooLarge() && a.in.Way.Fallback && !a.noTileStores },
		func(a *attempt) { a.noTileStores = true }, toTTGIR},
	{toPTX, "too much shared memory: programs are not persistent",
		func(a *attempt) bool { return a.tooLarge() && a.in.Way.Fallback && !a.noPersist },
		func(a *attempt) { a.noPersist = true }, toTTGIR},
	{toPTX, "too much shared memory: threads load tiles, not the copy engine",
		func(a *attempt) bool { return a.tooLarge() && a.in.Way.Fallback && !a.noTiles },
		func(a *attempt) { a.noTiles = true }, toTTGIR},
	{toPTX, "too much shared memory: warp groups do not ping-pong",
		func(a *attempt) bool { return a.tooLarge() && a.pingPong() },
		func(a *attempt) { a.noPingPong = true }, toTTGIR},
}

// attempts compiles TTIR, or goes on from a stage that the user gave, until no restart applies. It returns
// nil if in.Until names a stage before PTX.
func (c Compiler) attempts(ctx context.Context, in *target.Input, maxPTX int) (*devnvidia.Code, error) {
	a := &attempt{Compiler: c, in: in, maxPTX: maxPTX}
	if in.Module != nil && !in.Skips("ttgir") {
		a.ttir = in.Module.Clone()
	}
	for s := toTTGIR; s != done; s = a.next(s) {
		if err := a.run(ctx, s); err != nil {
			return nil, err
		}
	}
	return a.code, nil
}

// run runs a step.
func (a *attempt) run(ctx context.Context, s step) (err error) {
	if s == toTTGIR {
		a.depths, err = a.ttgir(a.in, a.short)
		return err
	}
	a.code, err = a.FromTTGIR(ctx, a.in, a.maxPTX)
	if a.code != nil && !a.code.Persistent {
		a.code.BlocksPerSM, a.code.Depths = a.occupancy(a.in).Programs, a.depths
	}
	return err
}

// next returns the step behind s, or the one from which the kernel is compiled again.
func (a *attempt) next(s step) step {
	for _, r := range restarts {
		if r.after != s || r.from == toTTGIR && a.ttir == nil || !r.when(a) {
			continue
		}
		if r.from == toTTGIR {
			a.short = nil
		}
		r.change(a)
		if r.from == toTTGIR {
			a.in.Module = a.ttir.Clone()
		}
		return r.from
	}
	if s == toTTGIR && a.in.Until == "ttgir" {
		return done
	}
	return s + 1
}

// rewrite changes the TTGIR of an attempt, and records it anew.
func (a *attempt) rewrite(change func(*ir.Module)) {
	change(a.in.Module)
	a.in.Stages.Record("ttgir", 0, func() []byte { return target.Text(a.in.Module) })
}

// shouldPersist reports whether the programs of the launch that waits for the code should be persistent,
// which may show only in the TTGIR of programs that are not. Another attempt then costs passes, but one code
// is assembled instead of two.
func (a *attempt) shouldPersist() bool {
	if a.short != nil || a.in.Launch == nil || a.persists(a.in) != gpu.PersistProducts {
		return false
	}
	short := gpu.ShortLoop(a.in.Module)
	return short != nil && holds(short, a.in)
}

// movedSteps reports whether the PTX writes registers that products under way read.
func (a *attempt) movedSteps() bool {
	return a.code != nil && !a.in.Skips("llir") && gpu.HasSteps(a.in.Module) && !stepsInTime(a.code.PTX)
}

// overwrites reports whether ptxas may give two left operands of a loop, one of them held in registers by
// HoldOperands, the same registers.
func (a *attempt) overwrites() bool {
	return a.code != nil && !a.in.Skips("llir") && gpu.HoldsOperands(a.in.Module) &&
		overwritesOperands(a.code.PTX)
}

// tooLarge reports whether the code needs more shared memory than a block can have.
func (a *attempt) tooLarge() bool { return a.code != nil && a.code.Shared > a.SharedPerBlock() }
