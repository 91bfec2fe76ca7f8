package gpu

import (
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/gpu/amd"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AMDOptions chooses the pipeline of an AMD target.
type AMDOptions struct {
	ttgir.Machine
	Matmul    amd.AMDMatmulOptions
	NumStages int // as in Options
}

// AMDPipeline returns the passes from TTIR to TTGIR for a HIP target, in the order of make_ttgir in Triton's
// AMD back end.
func AMDPipeline(o AMDOptions) []pass.Pass {
	passes := []pass.Pass{
		layouts.ConvertTriton(o.Machine),
		layouts.Coalesce,
		products.F32DotTC(false),
		layouts.RemoveLayoutConversions,
		layouts.OptimizeThreadLocality,
		amd.AccelerateAMDMatmul(o.Matmul),
		layouts.RemoveLayoutConversions,
		amd.OptimizeEpilogue,
		products.OptimizeDotOperands,
		amd.HoistLayoutConversions,
		pass.LoopAwareCSE,
		layouts.Canonicalize,
		pass.TritonLICM,
		layouts.Canonicalize,
	}
	if o.NumStages > 0 {
		passes = append(append(passes, pipelined(o.NumStages)...), pass.LoopAwareCSE)
	}
	passes = append(passes, layouts.RemoveLayoutConversions, products.ReduceDataDuplication)
	if chip.Target(o.Target).InThreadTranspose {
		passes = append(passes, amd.InThreadTranspose, layouts.RemoveLayoutConversions)
	}
	return append(passes, amd.ReorderAMD, pass.LoopAwareCSE, pass.SymbolDCE, pass.SCCP,
		amd.CanonicalizePointers, layouts.Canonicalize, amd.ConvertToBufferOps, layouts.Canonicalize,
		pass.CSE)
}
