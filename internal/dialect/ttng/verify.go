package ttng

import (
	"errors"
	"fmt"
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

// tmemAllocEffects: a buffer that is written once, by its allocation, counts as a value until it has a
// place in memory.
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
		return fmt.Errorf("the result is in an MMA layout of version 3, not '%s'", d)
	}
	switch l := ttg.Decode(ttg.EncodingOf(a)).(type) {
	case ttg.NVMMAShared, ttg.SharedLinear:
	case ttg.DotOp:
		if bits := int64(ir.BitWidth(ir.ElemOf(a))); bits == 0 || l.KWidth != 32/bits {
			return fmt.Errorf("a first operand in registers has 32 bits of neighbours, %d elements of "+
				"'%s', not a kWidth of %d", 32/max(bits, 1), ir.ElemOf(a), l.KWidth)
		}
	default:
		return fmt.Errorf("the first operand lies in shared memory for MMA or in a dot layout, not '%s'", a)
	}
	switch ttg.Decode(b.Encoding).(type) {
	case ttg.NVMMAShared, ttg.SharedLinear:
	default:
		return fmt.Errorf("the second operand lies in shared memory for MMA, not '%s'", op.Operand(1).Type)
	}
	as, ds := ttg.ShapeOf(a), ttg.ShapeOf(d)
	switch {
	case len(as) != 2 || len(b.Shape) != 2 || len(ds) != 2:
		return fmt.Errorf("matrices are expected, not shapes %v, %v and %v", as, b.Shape, ds)
	case as[1] != b.Shape[0] || ds[0] != as[0] || ds[1] != b.Shape[1]:
		return fmt.Errorf("the product of %v and %v has not the shape %v", as, b.Shape, ds)
	case ds[0]%64 != 0:
		return fmt.Errorf("a warp group makes 64 rows at a time, but the result has %d", ds[0])
	case ds[1]%8 != 0:
		return fmt.Errorf("a warp group makes 8 columns at a time, but the result has %d", ds[1])
	}
	return nil
}

func verifyDotWait(op *ir.Op) error {
	if op.NumOperands() == 0 {
		return errors.New("waits for nothing: it has no operand")
	}
	if !slices.Equal(typesOf(op.Operands()), op.ResultTypes()) {
		return errors.New("the types of inputs and outputs differ")
	}
	return nil
}

func checkBarrier(v *ir.Value) error {
	if m := desc(v); m.Elem != ir.Type(ir.I64) || m.Rank() != 1 {
		return fmt.Errorf("a barrier is a buffer of i64 with one dimension, not '%s'", v.Type)
	}
	return nil
}

func firstIsBarrier(op *ir.Op) error { return checkBarrier(op.Operand(0)) }

func verifyArrive(op *ir.Op) error {
	if n := op.IntOr("count", 0); n < 1 {
		return fmt.Errorf("count is %d; one or more arrive at a barrier", n)
	}
	return checkBarrier(op.Operand(0))
}

func verifyTMACopy(op *ir.Op) error {
	result := desc(op.Slot(3))
	switch _, nvmma := ttg.As[ttg.NVMMAShared](result.Encoding); {
	case len(op.Group(1)) < 1 || len(op.Group(1)) > 5:
		return fmt.Errorf("the copy engine takes 1 to 5 coordinates, not %d", len(op.Group(1)))
	case !result.Mutable:
		return fmt.Errorf("the buffer is not mutable: '%s'", op.Slot(3).Type)
	case !nvmma:
		return fmt.Errorf("the copy engine writes #ttg.nvmma_shared, not '%s'", op.Slot(3).Type)
	}
	return checkBarrier(op.Slot(2))
}

func verifyTMEMAlloc(op *ir.Op) error {
	if !IsTMEM(desc(op.Result(0)).Encoding) {
		return fmt.Errorf("a buffer in tensor memory is made here, not '%s'", op.Result(0).Type)
	}
	return ttg.VerifyAlloc(op, ttg.VerifyCopy)
}

func verifyTMEMAccess(buffer, tensor *ir.Value) error {
	if !IsTMEM(desc(buffer).Encoding) {
		return fmt.Errorf("a buffer in tensor memory is expected, not '%s'", buffer.Type)
	}
	return ttg.VerifyCopy(buffer.Type, tensor.Type)
}

func verifyTMEMStore(op *ir.Op) error {
	if !desc(op.Slot(0)).Mutable {
		return fmt.Errorf("the buffer is not mutable: '%s'", op.Slot(0).Type)
	}
	return verifyTMEMAccess(op.Slot(0), op.Slot(2))
}

func verifyTMEMCopy(op *ir.Op) error {
	src, dst := desc(op.Operand(0)), desc(op.Operand(1))
	switch {
	case src.Space != ttg.SharedMemory:
		return fmt.Errorf("a copy comes from shared memory, not from '%s'", op.Operand(0).Type)
	case !dst.Mutable:
		return fmt.Errorf("the buffer is not mutable: '%s'", op.Operand(1).Type)
	case !slices.Equal(src.Shape, dst.Shape):
		return fmt.Errorf("a copy keeps the shape, but it is %v and %v", src.Shape, dst.Shape)
	}
	return nil
}

func verifyMMA(op *ir.Op) error {
	if len(op.Group(6)) != len(op.Group(7)) {
		return errors.New("needs one predicate for each barrier")
	}
	if !op.HasAttr("is_async") && len(op.Group(6)) > 0 {
		return errors.New("has a barrier, which only an asynchronous product (is_async) arrives at")
	}
	if _, ok := TMEMOf(desc(op.Slot(2)).Encoding); !ok {
		return fmt.Errorf("the sum lies in tensor memory, not in '%s'", op.Slot(2).Type)
	}
	return nil
}
