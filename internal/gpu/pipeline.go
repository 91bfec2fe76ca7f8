package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/gpu/amd"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/motion"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/programs"
	"github.com/nereid-lang/nereid/internal/gpu/tma"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Options chooses the pipeline of a target.
type Options struct {
	ttgir.Machine
	// WarpGroups puts products on wgmma instead of mma.sync where the target has it.
	WarpGroups bool
	// NumStages is the number of iterations that overlap in a loop that does not say so itself, from its
	// first loads to its products. 1 means no overlap; 0 leaves all loops as they are.
	NumStages int
	// TMA gives accesses through tensor descriptors to the copy engine, which targets from cuda:90 on have,
	// where it can serve them. Without TMA, no descriptor may be left in the module.
	TMA bool
	// PingPong lets two warp groups of attention-like loops ping-pong on the tensor cores: one multiplies
	// while the other computes. It also skips selects in loops of wgmma. It needs a target with warp
	// groups.
	PingPong bool
	// Tiles says which loads by pointers become loads through descriptors that the host makes.
	Tiles tma.TileMode
	// Stores says which stores by pointers become stores through such descriptors.
	Stores tma.TileMode
	// Way says for which launches code is made: with merged programs, for Strides of 1.
	Way device.Way
	// Persist says whether programs are persistent, in launches that pass their grid to the kernel.
	Persist PersistMode
	// Occupancy is the number of blocks per SM and the shared memory that their pipelines may fill.
	Occupancy pipeline.Occupancy
}

// PersistMode says whether the kernel is persistent: a grid of as many blocks as run at once, each of which
// loops over programs.
type PersistMode int

const (
	NoPersist PersistMode = iota
	// MayPersist makes an ordinary kernel, and records in the module for which launches a persistent one
	// pays.
	MayPersist
	// PersistProducts makes a persistent kernel if it is a plain product (LoopOverPrograms), and does what
	// MayPersist does if not.
	PersistProducts
	Persist
)

// Pipeline returns the passes from TTIR to TTGIR for a CUDA target, in the order of make_ttgir in Triton's
// NVIDIA back end.
func Pipeline(o Options) []pass.Pass {
	mma := chip.Target(o.Target).MMA
	var passes []pass.Pass
	if mma {
		passes = append(passes, products.NarrowProducts, pass.CSE)
	}
	if o.Way.Merge > 1 {
		passes = append(passes, programs.MergePrograms(o.Way.Merge, o.Way.Unit), pass.Canonicalize, pass.CSE)
	}
	if o.TMA {
		passes = append(passes, tma.LegalizeDescriptors(o.Machine), pass.Canonicalize, pass.CSE)
	}
	if o.PingPong {
		passes = append(passes, programs.LongestFirst(o.Machine), programs.JoinLoops(o.Machine),
			pass.Canonicalize, pass.CSE)
	}
	if o.Tiles != tma.NoTiles {
		passes = append(passes, tma.TileLoads(o.Machine, o.NumStages, o.Tiles), pass.Canonicalize, pass.CSE)
	}
	if o.Stores != tma.NoTiles {
		passes = append(passes, tma.TileStores(o.Machine, o.Stores), pass.Canonicalize, pass.CSE)
	}
	if o.Tiles != tma.NoTiles && o.Persist != NoPersist {
		stay := o.Persist >= PersistProducts
		passes = append(passes, programs.LoopOverPrograms(o.Machine, o.NumStages, stay), pass.CSE)
	}
	maps := o.TMA || o.Tiles != tma.NoTiles || o.Stores != tma.NoTiles
	passes = append(passes,
		layouts.ConvertTriton(o.Machine),
		layouts.Coalesce,
		products.F32DotTC(mma),
		layouts.PlanCTA,
		layouts.RemoveLayoutConversions,
		layouts.OptimizeThreadLocality,
		products.AccelerateMatmul(products.MatmulOptions{WarpGroups: o.WarpGroups}),
		layouts.RemoveLayoutConversions,
		products.OptimizeDotOperands,
	)
	if maps {
		passes = append(passes, tma.OptimizeDescriptorEncoding)
	}
	passes = append(passes,
		pass.LoopAwareCSE,
		layouts.Canonicalize,
		pass.TritonLICM,
		layouts.Canonicalize,
	)
	if mma && o.NumStages > 0 {
		own := []pass.Pass{pipeline.LoadAtOnce(o.NumStages)}
		if o.PingPong {
			own = append(own, pipeline.MarkPingPong)
		}
		if o.WarpGroups {
			own = append(own, pipeline.DeepenPipelines(o.NumStages, o.Occupancy))
		}
		passes = append(passes, pipelined(o.NumStages, own...)...)
	}
	passes = append(passes, pass.LoopAwareCSE, products.OptimizeDotOperands)
	if mma && o.NumStages > 0 {
		passes = append(passes, pipeline.CoalesceAsyncCopy)
	}
	if maps {
		passes = append(passes, tma.TMALowering)
	}
	if o.PingPong {
		passes = append(passes, programs.StoreByWarps(o.Persist == Persist))
	}
	passes = append(append(passes, finished(tma.FenceInsertion)...),
		motion.WhileToFor, motion.FlattenBranches, motion.MergeBranches, motion.OrderOffsets,
		motion.LoadEarly, motion.LoadLate, motion.HoldOperands, motion.ShortLives, motion.StreamLoads,
		pipeline.BranchOnProducts)
	if o.PingPong {
		passes = append(passes, motion.ScaleLate, motion.BranchOnMasks, pipeline.BranchOnCopies,
			tma.LoadBeforeStores, motion.WaitInside, tma.SpreadStores, tma.StoreInParts)
	}
	if o.PingPong && o.Persist != NoPersist {
		passes = append(passes, programs.PersistPrograms(o.Persist == Persist))
	}
	if mma && o.NumStages > 0 {
		passes = append(passes, pipeline.FetchAhead(o.Occupancy))
	}
	return passes
}

// PlainPipeline returns the passes from TTIR to TTGIR that need no instructions of a vendor: tensors get
// layouts, and few conversions between them. Loops stay as they are, and products are tt.dot.
func PlainPipeline(m ttgir.Machine) []pass.Pass {
	return []pass.Pass{
		layouts.ConvertTriton(m),
		layouts.Coalesce,
		layouts.PlanCTA,
		layouts.RemoveLayoutConversions,
		layouts.OptimizeThreadLocality,
		layouts.RemoveLayoutConversions,
		pass.LoopAwareCSE,
		layouts.Canonicalize,
		pass.TritonLICM,
		layouts.Canonicalize,
		layouts.RemoveLayoutConversions,
		products.ReduceDataDuplication,
		pass.LoopAwareCSE,
		pass.SymbolDCE,
	}
}

// pipelined returns the passes that overlap the iterations of loops, with those of one target among them.
func pipelined(stages int, own ...pass.Pass) []pass.Pass {
	return slices.Concat(
		[]pass.Pass{pipeline.FuseNestedLoops, layouts.Canonicalize, pipeline.CombineSelectAndIf},
		own,
		[]pass.Pass{pipeline.AssignLatencies(stages), pipeline.ScheduleLoops, pipeline.SoftwarePipeline})
}

// finished returns the passes behind the pipelining; own are the passes of one target.
func finished(own ...pass.Pass) []pass.Pass {
	return slices.Concat(
		[]pass.Pass{layouts.RemoveLayoutConversions, products.ReduceDataDuplication,
			motion.ReorderInstructions, pass.LoopAwareCSE,
			pass.SymbolDCE},
		own,
		[]pass.Pass{pass.SCCP, pass.CSE, layouts.Canonicalize})
}

// All returns every pass of this package in the order in which `nereid opt --help` lists them. Passes of o's
// pipeline are made for o; the others are made as if o asked for them, so that every name is known, in
// reproducers too.
func All(o Options) []pass.Pass {
	if o.Occupancy == (pipeline.Occupancy{}) { // with which some passes do nothing
		o.Occupancy = pipeline.Occupancy{SM: tma.WholeShared, Programs: 1}
	}
	most := o
	most.Tiles, most.Stores = max(o.Tiles, tma.PayingTiles), max(o.Stores, tma.PayingTiles)
	most.Way.Merge, most.Persist, most.NumStages = max(o.Way.Merge, 2), Persist, max(o.NumStages, 1)
	most.WarpGroups, most.TMA, most.PingPong = true, true, true
	if !chip.Target(o.Target).TMA {
		most.Target = "cuda:90"
	}
	other := AMDOptions{Machine: o.Machine, NumStages: most.NumStages}
	other.Target = "hip:gfx942" // the target with the most passes
	var out []pass.Pass
	own := Pipeline(o)
	for _, p := range slices.Concat(Pipeline(most), AMDPipeline(other), []pass.Pass{amd.LowerAMD}) {
		_, listed := pass.Lookup(out, p.Name)
		if _, elsewhere := pass.Lookup(pass.All(), p.Name); listed || elsewhere {
			continue
		}
		if q, ok := pass.Lookup(own, p.Name); ok {
			p = q
		}
		out = append(out, p)
	}
	return out
}

// Constraints lists the orderings that pipelines must keep.
var Constraints = []pass.Constraint{
	{Before: "nereid-gpu-merge-programs", After: "convert-triton-to-tritongpu",
		Why: "the copies of an operation have layouts of their own"},
	{Before: "nereid-gpu-narrow-products", After: "nereid-gpu-tile-loads",
		Why: "the copy engine brings operands that no thread converts"},
	{Before: "nereid-gpu-narrow-products", After: "tritongpu-F32DotTC",
		Why: "numbers of 16 bits need no further parts"},
	{Before: "nereid-legalize-descriptors", After: "convert-triton-to-tritongpu",
		Why: "tensors of pointers get layouts like all others"},
	{Before: "nereid-gpu-longest-first", After: "nereid-gpu-join-loops",
		Why: "the bounds of a joined loop do not show what grows"},
	{Before: "nereid-gpu-join-loops", After: "nereid-gpu-tile-loads", Why: "a pipeline is one loop's"},
	{Before: "nereid-legalize-descriptors", After: "nereid-gpu-tile-loads",
		Why: "descriptors that the host makes of arguments cannot become pointers again"},
	{Before: "nereid-gpu-tile-loads", After: "convert-triton-to-tritongpu",
		Why: "loads have layouts by what they load through"},
	{Before: "nereid-gpu-tile-loads", After: "nereid-gpu-tile-stores",
		Why: "stores pay where loops of products load tiles"},
	{Before: "nereid-gpu-tile-stores", After: "nereid-gpu-loop-over-programs",
		Why: "a tile that programs store again and again, one after the other, is none"},
	{Before: "nereid-gpu-branch-on-copies", After: "nereid-gpu-load-before-stores",
		Why: "copies by threads and through the engine begin together, and are branched around together"},
	{Before: "nereid-gpu-branch-on-copies", After: "nereid-gpu-spread-stores",
		Why: "an iteration's loads are to start before its part of a store"},
	{Before: "nereid-gpu-spread-stores", After: "nereid-gpu-store-in-parts",
		Why: "a store that iterations of the next tile share is not parted again"},
	{Before: "nereid-gpu-tile-loads", After: "nereid-gpu-loop-over-programs",
		Why: "programs whose copies can run ahead are those that load tiles"},
	{Before: "nereid-gpu-loop-over-programs", After: "tritongpu-fuse-nested-loops",
		Why: "the loop over programs is made one with the loop of products"},
	{Before: "convert-triton-to-tritongpu", After: "tritongpu-coalesce",
		Why: "there must be layouts before there can be better ones"},
	{Before: "tritongpu-coalesce", After: "tritongpu-remove-layout-conversions",
		Why: "the layouts of memory accesses are what is propagated"},
	{Before: "tritongpu-coalesce", After: "triton-nvidia-gpu-plan-cta",
		Why: "loads have the layouts of their own that blocks are to share"},
	{Before: "triton-nvidia-gpu-plan-cta", After: "tritongpu-remove-layout-conversions",
		Why: "it leaves conversions"},
	{Before: "tritongpu-F32DotTC", After: "tritongpu-accelerate-matmul",
		Why: "the parts of a split product are what tensor cores take"},
	{Before: "tritongpu-optimize-thread-locality", After: "tritongpu-accelerate-matmul",
		Why: "reductions are recognised by loads in blocked layouts"},
	{Before: "tritongpu-accelerate-matmul", After: "tritongpu-optimize-dot-operands",
		Why: "the layout of operands is known then"},
	{Before: "tritongpu-optimize-dot-operands", After: "tritongpu-assign-latencies",
		Why: "a load that is transposed in shared memory is copied there"},
	{Before: "tritongpu-optimize-dot-operands", After: "triton-nvidia-optimize-descriptor-encoding",
		Why: "the buffers of operands choose the layouts of descriptors"},
	{Before: "triton-nvidia-optimize-descriptor-encoding", After: "tritongpu-assign-latencies",
		Why: "the layout of a copy is its descriptor's"},
	{Before: "tritongpu-pipeline", After: "triton-nvidia-tma-lowering",
		Why: "loads that run ahead are copies by then"},
	{Before: "triton-nvidia-tma-lowering", After: "triton-nvidia-gpu-fence-insertion",
		Why: "what copies write needs no fence"},
	{Before: "tritongpu-accelerate-matmul", After: "tritongpu-fuse-nested-loops",
		Why: "only wgmma can ignore what its accumulator held before"},
	{Before: "tritongpu-fuse-nested-loops", After: "tritongpu-assign-latencies",
		Why: "a loop with a loop inside is no pipeline"},
	{Before: "tritongpu-combine-tensor-select-and-if", After: "tritongpu-assign-latencies",
		Why: "a select of a product's sum would count as its use"},
	{Before: "tritongpu-fuse-nested-loops", After: "nereid-gpu-mark-ping-pong",
		Why: "loops that become one are no more"},
	{Before: "nereid-gpu-load-at-once", After: "nereid-gpu-deepen-pipelines",
		Why: "loops whose loads all begin before them need no further stages"},
	{Before: "nereid-gpu-mark-ping-pong", After: "tritongpu-pipeline",
		Why: "it lets the groups of marked loops apart"},
	{Before: "tritongpu-assign-latencies", After: "tritongpu-schedule-loops",
		Why: "stages come of latencies"},
	{Before: "tritongpu-schedule-loops", After: "tritongpu-pipeline",
		Why: "loops are taken apart by their schedule"},
	{Before: "tritongpu-pipeline", After: "tritongpu-coalesce-async-copy", Why: "it makes the copies"},
	{Before: "tritongpu-coalesce-async-copy", After: "tritongpu-reorder-instructions",
		Why: "it leaves conversions, which are removed in between"},
	{Before: "tritongpu-pipeline", After: "triton-nvidia-gpu-fence-insertion",
		Why: "what copies write needs no fence"},
	{Before: "tritongpu-pipeline", After: "nereid-gpu-store-by-warps", Why: "it lets warps apart"},
	{Before: "nereid-gpu-scale-late", After: "nereid-gpu-branch-on-masks",
		Why: "behind a branch, a select does not show what it masks"},
	{Before: "nereid-gpu-load-late", After: "nereid-gpu-fetch-ahead",
		Why: "a request stands before its load"},
	{Before: "nereid-gpu-load-early", After: "nereid-gpu-short-lives",
		Why: "loads move as far as registers are left, arithmetic follows them"},
	{Before: "tritongpu-reorder-instructions", After: "nereid-gpu-load-early",
		Why: "a buffer would be filled as soon as its data is there, before the product"},
	{Before: "tritongpu-reduce-data-duplication", After: "tritongpu-reorder-instructions",
		Why: "the buffers it makes are to be moved"},
}

// GluonPipeline returns the passes from what the front end makes of a Gluon kernel to TTGIR, as in Triton:
// the program has chosen layouts and pipelines.
func GluonPipeline(m Machine) []pass.Pass {
	return []pass.Pass{
		pass.ExpandNewer, pass.Inline, pass.SymbolDCE, layouts.GivenLayouts(m),
		layouts.Canonicalize, pass.SCCP, pass.LoopAwareCSE, layouts.Canonicalize,
	}
}
