package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// capabilities are what the backend has.
var capabilities = compute.Capabilities{
	Functions:   true,
	DynamicAxes: true,
	Operations:  map[compute.OpType]bool{},
	DTypes:      map[dtypes.DType]bool{},
}

// others are the operations beside those of formulas, moves and reductions.
var others = []compute.OpType{
	compute.OpTypeParameter, compute.OpTypeConstant, compute.OpTypeConvertDType, compute.OpTypeBitcast,
	compute.OpTypeWhere, compute.OpTypeClamp, compute.OpTypeDot, compute.OpTypeDotGeneral,
	compute.OpTypeConvGeneral, compute.OpTypeArgMinMax, compute.OpTypeReduceSum, compute.OpTypeReduceProduct,
	compute.OpTypeReduceMax, compute.OpTypeReduceMin, compute.OpTypeReduceBitwiseAnd,
	compute.OpTypeReduceBitwiseOr, compute.OpTypeReduceBitwiseXor, compute.OpTypeReduceLogicalAnd,
	compute.OpTypeReduceLogicalOr, compute.OpTypeReduceLogicalXor, compute.OpTypeReduceWindow,
	compute.OpTypeDynamicDimensionSize, compute.OpTypeDynamicShape, compute.OpTypeDynamicReshape,
	compute.OpTypeRNGBitGenerator, compute.OpTypeScatterSum, compute.OpTypeScatterMax,
	compute.OpTypeScatterMin,
	compute.OpTypeSelectAndScatterMax, compute.OpTypeSelectAndScatterMin, compute.OpTypeOptimizationBarrier,
	compute.OpTypeSchedulingBarrier, compute.OpTypeCall, compute.OpTypeIf, compute.OpTypeWhile,
	compute.OpTypeSort, compute.OpTypeBatchNormForInference, compute.OpTypeBatchNormForTraining,
	compute.OpTypeBatchNormGradient, compute.OpTypeAllReduce,
	compute.OpTypeFusedSoftmax, compute.OpTypeFusedLayerNorm, compute.OpTypeFusedGelu,
	compute.OpTypeFusedDense,
	compute.OpTypeFusedScaledDotProductAttention, compute.OpTypeFusedAttentionQKVProjection,
	compute.OpTypeFusedQuantizedDense, compute.OpTypeQuantizedEmbeddingLookup,
}

func init() {
	for op := range formulas {
		capabilities.Operations[op] = true
	}
	for op := range moves {
		if op >= 0 {
			capabilities.Operations[op] = true
		}
	}
	for _, op := range others {
		capabilities.Operations[op] = true
	}
	for dt := range stored {
		capabilities.DTypes[dt] = true
	}
	lowerers = map[compute.OpType]func(*lowering, *node) error{
		compute.OpTypeFusedQuantizedDense:            lowerQuantized,
		compute.OpTypeQuantizedEmbeddingLookup:       lowerLookup,
		opReduce:                                     lowerReduce,
		compute.OpTypeDotGeneral:                     lowerDot,
		compute.OpTypeFusedSoftmax:                   lowerSoftmax,
		compute.OpTypeFusedLayerNorm:                 lowerLayerNorm,
		compute.OpTypeScatterSum:                     lowerScatter,
		compute.OpTypeSelectAndScatterMax:            lowerSelect,
		compute.OpTypeSort:                           lowerSort,
		compute.OpTypeCall:                           lowerCall,
		compute.OpTypeIf:                             lowerIf,
		compute.OpTypeWhile:                          lowerWhile,
		compute.OpTypeRNGBitGenerator:                lowerRandom,
		compute.OpTypeOptimizationBarrier:            lowerBarrier,
		compute.OpTypeFusedScaledDotProductAttention: lowerAttention,
	}
}
