package nvidia

import (
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
)

// ttgir takes the module to TTGIR: tensors get layouts. With a condition short, under which loops are short,
// programs are persistent, and the TTGIR holds the condition. It returns Code.Depths.
func (c Compiler) ttgir(in *target.Input, short tt.TileGuard) (depths []int, err error) {
	err = in.Make("ttgir", func() error {
		mode := c.persists(in)
		if short != nil {
			mode = gpu.Persist
		}
		if err := in.Run(c.passes(in, mode)); err != nil {
			return err
		}
		if short != nil {
			gpu.SetShortLoop(in.Module, short)
		}
		depths = gpu.TakeDepths(in.Module)
		if n := in.Options.MaxNReg; n > 0 {
			in.Module.Op.SetAttr(ttg.MaxNRegAttr, ir.I32Attr(int64(n)))
		}
		return nil
	})
	return depths, err
}

// passes returns the passes from TTIR to TTGIR.
func (c Compiler) passes(in *target.Input, persist gpu.PersistMode) []pass.Pass {
	described := hasDescriptors(in.Module)
	maps := described && c.tensorMaps()
	passes := gpu.Pipeline(gpu.Options{
		Machine: c.machine(in), NumStages: in.Options.NumStages, WarpGroups: c.warpGroups(), TMA: maps,
		PingPong: c.pingPong(), Tiles: c.tiles(in, described || c.noTiles, knob.Tiles.Get()),
		Stores: c.tiles(in, described || c.noTileStores, knob.TileStores.Get()), Way: in.Way,
		Occupancy: c.occupancy(in), Persist: persist,
	})
	if described && !maps {
		passes = append([]pass.Pass{pass.RewriteTensorDescriptor, pass.Canonicalize, pass.CSE}, passes...)
	}
	return passes
}

// holds reports whether a guard of the module's kernel holds for the launch for which it is compiled.
func holds(guard tt.TileGuard, in *target.Input) bool {
	k := &devnvidia.Code{Params: lower.ParamSizes(in.Module.Lookup(in.Kernel), nil)}
	return k.GuardHolds(guard, in.Launch.Grid, in.Launch.Words)
}

// persists returns whether the kernel is to be persistent. It may be if the host passes it the grid of the
// launch, and has ordinary code for launches that are too small.
func (c Compiler) persists(in *target.Input) gpu.PersistMode {
	way := in.Way
	switch {
	case !c.pingPong() || !way.Fallback || in.Options.LaunchCooperativeGrid || knob.NoPersist.Get(),
		c.noPersist:
		return gpu.NoPersist
	case way.Persist:
		return gpu.Persist
	case way.BlocksPerSM > 1 || way.BlocksPerSM == device.Many:
		return gpu.PersistProducts
	}
	return gpu.MayPersist
}

// warpGroups reports whether products use wgmma where possible.
func (c Compiler) warpGroups() bool { return c.chip().WarpGroups && !knob.NoWarpGroups.Get() }

// pingPong reports whether warp groups ping-pong on the tensor cores where that pays.
func (c Compiler) pingPong() bool { return c.warpGroups() && !knob.NoPingPong.Get() && !c.noPingPong }

// tiles returns which loads or stores by pointers the copy engine executes, by the mode that is asked for:
// none, if others go through descriptors, or if code does without. That takes a host that makes tensor maps
// and has other code for launches whose arguments no map describes.
func (c Compiler) tiles(in *target.Input, without bool, mode string) gpu.TileMode {
	switch {
	case without || mode == "off" || !in.Way.Fallback || in.Options.Overlap || !c.warpGroups() ||
		!c.tensorMaps():
		return gpu.NoTiles
	case mode == "all":
		return gpu.AllTiles
	}
	return gpu.PayingTiles
}

func (c Compiler) machine(in *target.Input) gpu.Machine {
	m := gpu.Machine{
		Target: c.name(), NumWarps: in.Options.NumWarps, ThreadsPerWarp: 32, NumCTAs: in.Options.NumCTAs,
	}
	if c.pingPong() && m.NumCTAs <= 1 {
		m.NumWarps = gpu.SpecializedWarps(in.Module, m.NumWarps)
	}
	if in.Way.Merge > 1 {
		m.NumWarps = gpu.MergedWarps(in.Module, m.NumWarps)
	}
	return m
}

// lowerOptions returns the options of the lowering, with what is known about addresses.
func (c Compiler) lowerOptions(m *ir.Module) lower.Options {
	info := axisinfo.Module(m)
	exact := info.Exact()
	return lower.Options{
		Vendor: lower.NVIDIA(c.Capability), Contiguity: info.Contiguity,
		MaskAlign: exact.MaskAlignment, MaskPrefix: exact.MaskPrefix, Constancy: exact.Constancy,
		Runs: exact.Runs, Divisor: exact.Divisor, NotNegative: exact.NotNegative,
		Natural: exact.Natural, CopyFences: knob.CopyFences.Get(),
	}
}

// hasDescriptors reports whether the module makes tensor descriptors or passes them to a function.
func hasDescriptors(m *ir.Module) bool {
	for op := range m.Ops() {
		for _, r := range op.Results() {
			if tt.DescTensor(r.Type) != nil {
				return true
			}
		}
		if op.Def != tt.Func || op.Region(0).Empty() {
			continue
		}
		for _, a := range op.Body(0).Args() {
			if tt.DescTensor(a.Type) != nil {
				return true
			}
		}
	}
	return false
}

// tensorMaps reports whether descriptors become tensor maps where they can.
func (c Compiler) tensorMaps() bool {
	return c.chip().TMA && !c.NoMaps && !knob.NoTMA.Get()
}

// Gluon takes the module of a Gluon kernel to TTGIR.
func (c Compiler) Gluon(in *target.Input) error {
	return in.Run(gpu.GluonPipeline(gpu.Machine{Target: c.name(), NumWarps: in.Options.NumWarps,
		ThreadsPerWarp: 32, NumCTAs: in.Options.NumCTAs}))
}
