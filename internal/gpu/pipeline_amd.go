package gpu

import (
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AMDOptions chooses the pipeline of an AMD target.
type AMDOptions struct {
	Machine
	Matmul    AMDMatmulOptions
	NumStages int // as in Options
}

// AMDPipeline returns the passes from TTIR to TTGIR for a HIP target, in the order of make_ttgir in Triton's
// AMD back end.
func AMDPipeline(o AMDOptions) []pass.Pass {
	passes := []pass.Pass{
		ConvertTriton(o.Machine),
		Coalesce,
		F32DotTC(false),
		RemoveLayoutConversions,
		OptimizeThreadLocality,
		AccelerateAMDMatmul(o.Matmul),
		RemoveLayoutConversions,
		OptimizeEpilogue,
		OptimizeDotOperands,
		HoistLayoutConversions,
		pass.LoopAwareCSE,
		Canonicalize,
		pass.TritonLICM,
		Canonicalize,
	}
	if o.NumStages > 0 {
		passes = append(append(passes, pipelined(o.NumStages)...), pass.LoopAwareCSE)
	}
	passes = append(passes, RemoveLayoutConversions, ReduceDataDuplication)
	if chip.Target(o.Target).InThreadTranspose {
		passes = append(passes, InThreadTranspose, RemoveLayoutConversions)
	}
	return append(passes, ReorderAMD, pass.LoopAwareCSE, pass.SymbolDCE, pass.SCCP,
		CanonicalizePointers, Canonicalize, ConvertToBufferOps, Canonicalize, pass.CSE)
}

// lacksCopies reports whether an op's target has no asynchronous copies to shared memory.
func lacksCopies(op *ir.Op) bool { return chip.Target(ttg.Target(op)).Backend == "hip" }

// swizzledAMD returns the layout of shared memory from which lanes read kWidth elements along k without bank
// conflicts: 16 lanes read at a time, and a row of all banks is 128 bytes, on CDNA4 256. An operand whose
// rows do not lie along k is read element by element, and not swizzled, but on CDNA4, whose reads transpose.
func swizzledAMD(dot ttg.DotOp, t *ir.TensorType, order []int64, transposed bool) ttg.Swizzled {
	enc := ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: order, CGALayout: cgaOf(t.Encoding)}
	bits := int64(ir.BitWidth(t.Elem))
	lanes, rowBits, vec := int64(16), int64(1024), max(1, dot.KWidth)
	mfma, isMFMA := ttg.As[ttg.AMDMfma](dot.Parent)
	turns := false // reads transpose
	switch {
	case !isMFMA:
		vec = min(vec*bits, 128) / bits
	case mfma.Version == 4:
		rowBits, turns = 2048, bits == 8 || bits == 16
	}
	if k := int64(len(order)) - 1 - dot.OpIdx; (order[0] != k) != transposed && !turns {
		return enc
	}
	row := t.Shape[order[0]]
	enc.Vec = min(vec, row)
	enc.PerPhase = max(1, rowBits/(row*max(8, bits)))
	enc.MaxPhase = max(1, min(lanes/enc.PerPhase, row/enc.Vec))
	return enc
}
