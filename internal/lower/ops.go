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
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// handler lowers an operation.
type handler func(l *lowering, op *ir.Op)

// handlers holds the lowering of each operation.
var handlers map[*ir.OpDef]handler

func init() { // not an initializer: handlers of regions refer to the table itself
	handlers = map[*ir.OpDef]handler{
		arith.Constant: lowerConstant,
		ub.Poison:      lowerPoison,

		scf.For: lowerFor, scf.While: lowerWhile, scf.If: lowerIf,
		scf.Yield: nothing, scf.Condition: nothing,
		cf.Br: lowerBr, cf.CondBr: lowerCondBr,
		tt.Return: lowerReturn, tt.Call: lowerCall,

		tt.GetProgramID: lowerProgramID, tt.GetNumPrograms: lowerNumPrograms,
		tt.MakeRange: lowerMakeRange, tt.Splat: lowerSplat, tt.Unsplat: lowerUnsplat,
		tt.ExpandDims: lowerExpandDims, tt.Broadcast: lowerBroadcast, tt.Reshape: lowerReshape, tt.Trans: lowerTrans,
		tt.Join: lowerJoin, tt.Split: lowerSplit, tt.Cat: lowerCat,
		tt.AddPtr: lowerAddPtr, tt.Load: lowerLoad, tt.Store: lowerStore,
		tt.AtomicRMW: lowerAtomicRMW, tt.AtomicCAS: lowerAtomicCAS,
		tt.Reduce: lowerReduce, tt.Scan: lowerScan, ttg.ConvertLayout: lowerConvertLayout,
		tt.ReduceReturn: nothing, tt.ScanReturn: nothing,
		arith.Select: lowerSelect, arith.CmpI: lowerCmpI, arith.CmpF: lowerCmpF,
		tt.IntToPtr: cast("inttoptr"), tt.PtrToInt: cast("ptrtoint"), tt.Bitcast: lowerBitcast, arith.Bitcast: lowerBitcast,
		tt.FpToFp: lowerFpToFp, ttg.Fp4ToFp: lowerFp4ToFp, arith.ExtF: lowerExtF, arith.TruncF: lowerTruncF,
		ttg.LocalAlloc: lowerLocalAlloc, ttg.LocalDealloc: nothing, ttg.LocalLoad: lowerLocalLoad, ttg.LocalStore: lowerLocalStore,
		ttg.MemDescIndex: lowerMemDescIndex, ttg.MemDescSubslice: lowerMemDescSubslice, ttg.MemDescTrans: view, ttg.MemDescReshape: view,
		ttg.MemDescReinterpret: lowerMemDescReinterpret, ttg.GlobalScratchAlloc: lowerGlobalScratch, gpud.Barrier: lowerBarrier, ttg.LocalBarrier: lowerBarrier,
		ttg.AsyncCopy: lowerAsyncCopy, ttg.AsyncCommitGroup: lowerAsyncCommit, ttg.AsyncWait: lowerAsyncWait,
		ttng.WarpGroupDot: lowerWarpGroupDot, ttng.WarpGroupDotWait: lowerWarpGroupWait, ttng.FenceAsyncShared: lowerFenceAsync,
		tt.InlineAsm: lowerInlineAsm, tt.ExternElementwise: lowerExtern, tt.MapElementwise: lowerMapElementwise, tt.MapElementwiseReturn: lowerMapReturn, tt.Dot: lowerDot,
		tt.Gather: lowerGather, tt.Histogram: lowerHistogram, tt.Print: lowerPrint, tt.Assert: lowerAssert, cf.Assert: lowerAssert,
		llvmd.Assume: lowerAssume, ub.Unreachable: lowerUnreachable,
	}
	for def, f := range binaryOps {
		handlers[def] = elementwise(smallInFloat(f))
	}
	for def, f := range unaryOps {
		handlers[def] = elementwise(smallInFloat(f))
	}
	handlers[arith.NegF] = elementwise(signBit("xor", 0x80, unaryOps[arith.NegF]))
	handlers[math.AbsF] = elementwise(signBit("and", 0x7f, mathOps[math.AbsF]))
	for def, f := range castOps {
		handlers[def] = f
	}
}

func nothing(*lowering, *ir.Op) {}
