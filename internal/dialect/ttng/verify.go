package ttng

import (
	"errors"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	WarpGroupDot:              verifyWarpGroupDot,
	WarpGroupDotWait:          verifyDotWait,
	InitBarrier:               firstIsBarrier,
	InvalBarrier:              firstIsBarrier,
	BarrierExpect:             firstIsBarrier,
	WaitBarrier:               firstIsBarrier,
	ArriveBarrier:             verifyArrive,
	AsyncTMACopyGlobalToLocal: verifyTMACopy,
	TMEMAlloc:                 verifyTMEMAlloc,
	TMEMLoad:                  func(op *ir.Op) error { return verifyTMEMAccess(op.Slot(0), op.Result(0)) },
	TMEMStore:                 verifyTMEMStore,
	TMEMCopy:                  verifyTMEMCopy,
	TCGen5MMA:                 verifyMMA,
})

var _ = Dialect.Inference(map[*ir.OpDef]ir.InferFunc{
	WarpGroupDotWait: func(s *ir.State) ([]ir.Type, error) { return typesOf(s.Operands), nil },
})

var _ = Dialect.Effects(map[*ir.OpDef]ir.EffectsFunc{
	TMEMAlloc: tmemAllocEffects,
})

// tmemAllocEffects: a buffer that is written once, by its allocation, counts as a value until it has a place in memory.
func tmemAllocEffects(op *ir.Op) ir.Effect {
	if !desc(op.Result(0)).Mutable && !op.HasAttr("tensor_memory_col_offset") {
		return 0
	}
	if op.NumOperands() > 0 {
		return ir.EffAlloc | ir.EffWrite
	}
	return ir.EffAlloc
}

func verifyWarpGroupDot(op *ir.Op) error {
	a, b, d := op.Operand(0).Type, desc(op.Operand(1)), op.Result(0).Type
	mma, ok := ttg.As[ttg.NvidiaMma](ttg.EncodingOf(d))
	if !ok || mma.VersionMajor != 3 {
		return errors.New("WGMMA result layout must be Hopper NVMMA")
	}
	switch l := ttg.Decode(ttg.EncodingOf(a)).(type) {
	case ttg.NVMMAShared, ttg.SharedLinear:
	case ttg.DotOp:
		if bits := int64(ir.BitWidth(ir.ElemOf(a))); bits == 0 || l.KWidth != 32/bits {
			return errors.New("in-register LHS operand must have a kWidth of 32 bits")
		}
	default:
		return errors.New("WGMMA A operand must have NVMMA shared or dot layout")
	}
	switch ttg.Decode(b.Encoding).(type) {
	case ttg.NVMMAShared, ttg.SharedLinear:
	default:
		return errors.New("WGMMA B operand must have NVMMA shared layout")
	}
	as, ds := ttg.ShapeOf(a), ttg.ShapeOf(d)
	switch {
	case len(as) != 2 || len(b.Shape) != 2 || len(ds) != 2:
		return errors.New("WGMMA result shape must be 2D")
	case as[1] != b.Shape[0] || ds[0] != as[0] || ds[1] != b.Shape[1]:
		return errors.New("the shapes of the operands and the result do not fit together")
	case ds[0]%64 != 0:
		return errors.New("WGMMA result M dimension must be divisible by 64")
	case ds[1]%8 != 0:
		return errors.New("WGMMA result N dimension must be divisible by 8")
	}
	return nil
}

func verifyDotWait(op *ir.Op) error {
	if op.NumOperands() == 0 {
		return errors.New("expected to be waiting on at least one dependency")
	}
	if !slices.Equal(typesOf(op.Operands()), op.ResultTypes()) {
		return errors.New("the types of inputs and outputs differ")
	}
	return nil
}

func checkBarrier(v *ir.Value) error {
	if m := desc(v); m.Elem != ir.Type(ir.I64) || m.Rank() != 1 {
		return errors.New("barrier allocation must be a descriptor of 1xi64 type")
	}
	return nil
}

func firstIsBarrier(op *ir.Op) error { return checkBarrier(op.Operand(0)) }

func verifyArrive(op *ir.Op) error {
	if op.IntOr("count", 0) < 1 {
		return errors.New("count must be greater than or equal to 1")
	}
	return checkBarrier(op.Operand(0))
}

func verifyTMACopy(op *ir.Op) error {
	result := desc(op.Slot(3))
	switch _, nvmma := ttg.As[ttg.NVMMAShared](result.Encoding); {
	case len(op.Group(1)) < 1 || len(op.Group(1)) > 5:
		return errors.New("TMA copies must have between 1 and 5 coordinates")
	case !result.Mutable:
		return errors.New("Cannot store into immutable memory")
	case !nvmma:
		return errors.New("TMA result must have NVMMA shared layout")
	}
	return checkBarrier(op.Slot(2))
}

func verifyTMEMAlloc(op *ir.Op) error {
	m := desc(op.Result(0))
	switch {
	case !IsTMEM(m.Encoding):
		return errors.New("should use tensor memory encoding")
	case m.AllocShape != nil:
		return errors.New("result shape and its alloc shape must match")
	case op.NumOperands() == 0 && !m.Mutable:
		return errors.New("uninitialized alloc must have a mutable memdesc type")
	case op.NumOperands() == 0:
		return nil
	}
	return ttg.VerifyCopy(op.Result(0).Type, op.Operand(0).Type)
}

func verifyTMEMAccess(buffer, tensor *ir.Value) error {
	if !IsTMEM(desc(buffer).Encoding) {
		return errors.New("should use tensor memory encoding")
	}
	return ttg.VerifyCopy(buffer.Type, tensor.Type)
}

func verifyTMEMStore(op *ir.Op) error {
	if !desc(op.Slot(0)).Mutable {
		return errors.New("Cannot store into an immutable alloc")
	}
	return verifyTMEMAccess(op.Slot(0), op.Slot(2))
}

func verifyTMEMCopy(op *ir.Op) error {
	src, dst := desc(op.Operand(0)), desc(op.Operand(1))
	switch {
	case src.Space != ttg.SharedMemory:
		return errors.New("The source must be a shared memory buffer")
	case !dst.Mutable:
		return errors.New("Cannot copy into an immutable alloc")
	case !slices.Equal(src.Shape, dst.Shape):
		return errors.New("source shape must match destination shape")
	}
	return nil
}

func verifyMMA(op *ir.Op) error {
	if len(op.Group(6)) != len(op.Group(7)) {
		return errors.New("needs one predicate for each barrier")
	}
	if !op.HasAttr("is_async") && len(op.Group(6)) > 0 {
		return errors.New("The op is synchronous but a barrier is present.")
	}
	if _, ok := TMEMOf(desc(op.Slot(2)).Encoding); !ok {
		return errors.New("Return operand must have a TensorMemory encoding")
	}
	return nil
}
