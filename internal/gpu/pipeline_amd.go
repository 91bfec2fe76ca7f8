package gpu

import "github.com/nereid-lang/nereid/internal/pass"

// AMDOptions chooses the pipeline of an AMD target.
type AMDOptions struct {
	Machine
	Matmul AMDMatmulOptions
}

// AMDPipeline returns the passes from TTIR to TTGIR for a HIP target.
func AMDPipeline(o AMDOptions) []pass.Pass {
	return []pass.Pass{
		ConvertTriton(o.Machine),
		Coalesce,
		RemoveLayoutConversions,
		OptimizeThreadLocality,
		AccelerateAMDMatmul(o.Matmul),
		RemoveLayoutConversions,
		OptimizeDotOperands,
		pass.LoopAwareCSE,
		Canonicalize,
		pass.TritonLICM,
		Canonicalize,
		RemoveLayoutConversions,
		ReduceDataDuplication,
		ReorderInstructions,
		pass.LoopAwareCSE,
		pass.SymbolDCE,
		pass.SCCP,
		pass.CSE,
		Canonicalize,
	}
}
