package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// handler lowers an operation.
type handler func(l *lowering, op *ir.Op)

// fact is what is known of an operation here.
type fact struct {
	lower handler
	// scratch returns the sizes, in bytes, of the buffers in shared memory that the operation needs while it
	// runs. It writes them, meets at a barrier, and reads them: touchesScratch relies on this order.
	scratch func(l *lowering, op *ir.Op) []int
	// crosses reports whether the operation reads other blocks' memory. It must then end with the cluster's
	// barrier: findBarriers relies on it.
	crosses func(l *lowering, op *ir.Op) bool
	align   int // alignment of the buffers in bytes, if more than sharedAlign
	effects effects
}

// facts holds what is known of each operation that all vendors have; Vendor.ops holds the others.
var facts map[*ir.OpDef]fact

func init() { // not an initializer: handlers of regions refer to the table itself
	facts = map[*ir.OpDef]fact{
		tt.Reduce:    {lower: lowerReduce, scratch: reduceScratch, crosses: reduceCrosses},
		tt.Scan:      {lower: lowerScan, scratch: scanScratch, crosses: scanCrosses},
		tt.Gather:    {lower: lowerGather, scratch: gatherScratch, crosses: gatherCrosses},
		tt.Histogram: {lower: lowerHistogram, scratch: histogramScratch, crosses: histogramCrosses},
		ttg.ConvertLayout: {lower: lowerConvertLayout, scratch: conversionScratch,
			crosses: conversionCrosses},

		tt.AtomicRMW: {lower: lowerAtomicRMW, scratch: atomicScratch, crosses: sharesBlocks,
			effects: effects{global: updates, commutes: atomicsCommute}},
		tt.AtomicCAS: {lower: lowerAtomicCAS, scratch: atomicScratch, crosses: sharesBlocks,
			effects: effects{global: updates}},
		tt.Load:  {lower: lowerLoad, effects: effects{global: reads}},
		tt.Store: {lower: lowerStore, effects: effects{global: writes}},
		tt.Call:  {lower: lowerCall, effects: effects{touches: touchesCall}},

		ttg.LocalAlloc: {lower: lowerLocalAlloc, effects: effects{touches: touchesAlloc}},
		ttg.LocalLoad: {lower: lowerLocalLoad, crosses: localLoadCrosses,
			effects: effects{touches: touchesLocalLoad}},
		ttg.LocalStore: {lower: lowerLocalStore, effects: effects{touches: touchesLocalStore}},
		ttg.AsyncCopy: {lower: lowerAsyncCopy,
			effects: effects{touches: touchesCopy, leaves: leavesCopies, global: copies}},
		ttg.AsyncWait:    {lower: lowerAsyncWait, effects: effects{settles: settlesCopies}},
		gpud.Barrier:     {lower: lowerBarrier, effects: effects{settles: settlesAll}},
		ttg.LocalBarrier: {lower: lowerBarrier, effects: effects{settles: settlesAll}},
	}
	for _, plain := range []map[*ir.OpDef]handler{plainOps(), castOps, elements(binaryOps),
		elements(unaryOps), elements(mathOps)} {
		for def, f := range plain {
			facts[def] = fact{lower: f}
		}
	}
	for def, d := range divisions {
		facts[def] = fact{lower: d.lower}
	}
	// The sign of a small float is a bit that needs no conversion.
	facts[arith.NegF] = fact{lower: elementwise(signBit("xor", 0x80, unaryOps[arith.NegF]))}
	facts[math.AbsF] = fact{lower: elementwise(signBit("and", 0x7f, mathOps[math.AbsF]))}
}

// elements returns the handlers of operations that are lowered element by element.
func elements(ops map[*ir.OpDef]element) map[*ir.OpDef]handler {
	out := map[*ir.OpDef]handler{}
	for def, f := range ops {
		out[def] = elementwise(smallInFloat(f))
	}
	return out
}

// plainOps returns the operations with no facts but their lowering.
func plainOps() map[*ir.OpDef]handler {
	return map[*ir.OpDef]handler{
		arith.Constant: lowerConstant,
		ub.Poison:      lowerPoison,

		scf.For: lowerFor, scf.While: lowerWhile, scf.If: lowerIf,
		scf.Yield: nothing, scf.Condition: nothing,
		cf.Br: lowerBr, cf.CondBr: lowerCondBr,
		tt.Return: lowerReturn,

		tt.GetProgramID: lowerProgramID, tt.GetNumPrograms: lowerNumPrograms,
		tt.MakeRange: lowerMakeRange, tt.Splat: lowerSplat, tt.Unsplat: lowerUnsplat,
		tt.ExpandDims: lowerExpandDims, tt.Broadcast: lowerBroadcast, tt.Reshape: lowerReshape,
		tt.Trans: lowerTrans, tt.Join: lowerJoin, tt.Split: lowerSplit, tt.Cat: lowerCat,
		tt.AddPtr:       lowerAddPtr,
		tt.ReduceReturn: nothing, tt.ScanReturn: nothing,
		arith.Select: lowerSelect, arith.CmpI: lowerCmpI, arith.CmpF: lowerCmpF,
		tt.IntToPtr: cast("inttoptr"), tt.PtrToInt: cast("ptrtoint"), tt.Bitcast: lowerBitcast,
		arith.Bitcast: lowerBitcast, tt.FpToFp: lowerFpToFp, ttg.Fp4ToFp: lowerFp4ToFp, arith.ExtF: lowerExtF,
		arith.TruncF: lowerTruncF, ttg.LocalDealloc: nothing,
		ttg.MemDescIndex: lowerMemDescIndex, ttg.MemDescSubslice: lowerMemDescSubslice,
		ttg.MemDescTrans: view, ttg.MemDescReshape: view, ttg.MemDescReinterpret: lowerMemDescReinterpret,
		ttg.GlobalScratchAlloc: lowerGlobalScratch, ttg.AsyncCommitGroup: lowerAsyncCommit,
		tt.InlineAsm: lowerInlineAsm, tt.ExternElementwise: lowerExtern,
		tt.MapElementwise: lowerMapElementwise, tt.MapElementwiseReturn: lowerMapReturn, tt.Dot: lowerDot,
		tt.Print: lowerPrint, tt.Assert: lowerAssert, cf.Assert: lowerAssert, llvmd.Assume: lowerAssume,
		ub.Unreachable: lowerUnreachable,
	}
}

// scratchSizes returns the sizes of op's buffers.
func scratchSizes(l *lowering, op *ir.Op) []int {
	if f := l.fact(op.Def).scratch; f != nil {
		return f(l, op)
	}
	return nil
}

func nothing(*lowering, *ir.Op) {}
