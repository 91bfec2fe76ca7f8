package ttg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	AsyncCopy:                verifyAsyncCopy,
	LocalAlloc:               verifyLocalAlloc,
	LocalLoad:                func(op *ir.Op) error { return verifySharedAccess(op.Operand(0).Type, op.Result(0).Type) },
	LocalStore:               verifyLocalStore,
	MemDescIndex:             verifyIndex,
	MemDescSubslice:          verifySubslice,
	MemDescTrans:             verifyTrans,
	MemDescReshape:           verifyReshape,
	Fp4ToFp:                  verifyFp4ToFp,
	Mask:                     verifyMask,
	MaskReturn:               inside(Mask),
	WarpSpecialize:           verifyWarpSpecialize,
	WarpSpecializePartitions: inside(WarpSpecialize),
	WarpYield:                verifyWarpYield,
	WarpReturn:               inside(WarpSpecializePartitions),
})

var _ = Dialect.Effects(map[*ir.OpDef]ir.EffectsFunc{
	LocalAlloc: allocEffects,
})

// allocEffects: a buffer that is written once, by its allocation, counts as a value until it has a place in memory.
func allocEffects(op *ir.Op) ir.Effect {
	if m, ok := MemDescOf(op.Result(0).Type); ok && !m.Mutable && !op.HasAttr("allocation.offset") {
		return 0
	}
	if op.NumOperands() > 0 {
		return ir.EffAlloc | ir.EffWrite
	}
	return ir.EffAlloc
}

func inside(parent *ir.OpDef) ir.VerifyFunc {
	return func(op *ir.Op) error {
		if p := op.Parent(); p == nil || p.Def != parent {
			return fmt.Errorf("expects parent op '%s'", parent)
		}
		return nil
	}
}

func mustMemDesc(t ir.Type) MemDesc { m, _ := MemDescOf(t); return m }

// VerifyCopy checks that a tensor and a buffer hold the same elements.
func VerifyCopy(buffer, tensor ir.Type) error {
	if ElemOf(buffer) != ElemOf(tensor) {
		return fmt.Errorf("source element type '%s' must match destination element type '%s'", ElemOf(buffer), ElemOf(tensor))
	}
	if !slices.Equal(ShapeOf(buffer), ShapeOf(tensor)) {
		return fmt.Errorf("source shape %v must match destination shape %v", ShapeOf(buffer), ShapeOf(tensor))
	}
	return nil
}

func verifySharedAccess(buffer, tensor ir.Type) error {
	enc := EncodingOf(buffer)
	if !IsShared(enc) {
		return errors.New("expected memdesc to have a shared memory encoding")
	}
	if n := len(ShapeOf(tensor)); n != rankOf(enc) {
		return fmt.Errorf("tensor has rank %d but memdesc encoding has rank %d", n, rankOf(enc))
	}
	return VerifyCopy(buffer, tensor)
}

func verifyAsyncCopy(op *ir.Op) error {
	if !mustMemDesc(op.Operand(1).Type).Mutable {
		return errors.New("Cannot store into immutable memory")
	}
	return nil
}

func verifyLocalAlloc(op *ir.Op) error {
	m := mustMemDesc(op.Result(0).Type)
	switch {
	case m.Space != SharedMemory:
		return errors.New("should create a buffer of shared memory")
	case m.AllocShape != nil:
		return errors.New("result shape and its alloc shape must match")
	case op.NumOperands() == 0 && !m.Mutable:
		return errors.New("uninitialized alloc must have a mutable memdesc type")
	case op.NumOperands() == 0:
		return nil
	}
	return verifySharedAccess(op.Result(0).Type, op.Operand(0).Type)
}

func verifyLocalStore(op *ir.Op) error {
	if !mustMemDesc(op.Operand(1).Type).Mutable {
		return errors.New("Cannot store into immutable memory")
	}
	return verifySharedAccess(op.Operand(1).Type, op.Operand(0).Type)
}

func verifyIndex(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	switch {
	case src.Elem != dst.Elem:
		return errors.New("result element type must match desc element type")
	case src.Rank() != dst.Rank()+1:
		return errors.New("result rank must be input rank - 1")
	case !slices.Equal(src.Shape[1:], dst.Shape):
		return errors.New("result shape must equal to srcShape[1:]")
	case src.AllocShape != nil || dst.AllocShape != nil:
		return errors.New("alloc shape must match shape for both result and src")
	case IsShared(src.Encoding) != IsShared(dst.Encoding):
		return errors.New("src and dst must have the same type of encoding")
	}
	return nil
}

func verifySubslice(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	offsets := op.Attr("offsets").(*ir.DenseArrayAttr).Values
	switch {
	case src.Elem != dst.Elem:
		return errors.New("result element type must match desc element type")
	case len(offsets) != src.Rank():
		return errors.New("offsets must have the same rank as input")
	case src.Rank() != dst.Rank():
		return errors.New("result rank must equal to input rank")
	case !IsShared(src.Encoding) || !IsShared(dst.Encoding):
		return errors.New("src and dst must both be of shared memory encoding")
	}
	for i, o := range offsets {
		switch {
		case src.Shape[i] == dst.Shape[i] && o != 0:
			return errors.New("A non zero offset found in a dimension that is not being split")
		case o < 0 || o+dst.Shape[i] > src.Shape[i]:
			return fmt.Errorf("offset %d of dimension %d is out of range", o, i)
		case o%dst.Shape[i] != 0:
			return errors.New("The split offset may not touch the tile")
		}
	}
	return nil
}

func verifyTrans(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	if src.Elem != dst.Elem {
		return errors.New("result element type must match desc element type")
	}
	if len(order) != src.Rank() || permutation(order) != nil {
		return errors.New("order must be a permutation of 0..n-1")
	}
	if !slices.Equal(pick(src.Shape, order), dst.Shape) {
		return errors.New("result shape must match the permutation of the source shape")
	}
	return nil
}

func verifyReshape(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	switch {
	case src.Mutable != dst.Mutable || src.Space != dst.Space:
		return errors.New("src and dst must agree in mutability and memory space")
	case src.Elem != dst.Elem:
		return errors.New("result element type must match src element type")
	case product(src.Shape) != product(dst.Shape):
		return errors.New("number of src and dst elements of reshape must be the same")
	}
	return nil
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func verifyFp4ToFp(op *ir.Op) error {
	src, dst := slices.Clone(ir.ShapeOf(op.Operand(0).Type)), ir.ShapeOf(op.Result(0).Type)
	axis := op.IntOr("axis", -1)
	if axis < 0 || int(axis) >= len(src) {
		return fmt.Errorf("axis %d is out of range", axis)
	}
	if src[axis] *= 2; !slices.Equal(src, dst) {
		return fmt.Errorf("result shape must be %v, but got %v", src, dst)
	}
	return nil
}

func verifyMask(op *ir.Op) error {
	body := op.Body(0)
	if body == nil || body.Terminator() == nil || body.Terminator().Def != MaskReturn {
		return fmt.Errorf("expects its region to end with '%s'", MaskReturn)
	}
	if !slices.Equal(typesOf(body.Terminator().Operands()), op.ResultTypes()) {
		return errors.New("the region's values do not match the results")
	}
	return nil
}

func verifyWarpSpecialize(op *ir.Op) error {
	if op.Region(0).Empty() {
		return errors.New("has an empty default region")
	}
	if b := op.Body(1); b == nil || b.First() == nil || b.First().Def != WarpSpecializePartitions {
		return errors.New("expected to find only a `ttg.warp_specialize.partitions` op inside its second region")
	}
	parts := Partitions(op)
	warps := op.Attr("partitionNumWarps").(*ir.DenseArrayAttr).Values
	if len(parts) != len(warps) {
		return fmt.Errorf("has %d partitions but `partitionNumWarps` has %d elements", len(parts), len(warps))
	}
	if ids, ok := op.Attr("warpGroupStartIds").(*ir.DenseArrayAttr); ok && len(ids.Values) != len(warps) {
		return fmt.Errorf("has %d warp group start IDs but expected %d", len(ids.Values), len(warps))
	}
	captures := typesOf(op.Operands())
	for i, r := range parts {
		switch {
		case powersOfTwo(warps[i:i+1]) != nil:
			return fmt.Errorf("partition #%d number of warps (%d) must be a power of 2", i, warps[i])
		case r.Empty():
			return fmt.Errorf("partition region #%d is empty", i)
		case !slices.Equal(typesOf(r.First().Args()), captures):
			return fmt.Errorf("partition region #%d has arguments other than the captures", i)
		}
	}
	if op.ParentOf(WarpSpecialize) != nil {
		return errors.New("cannot be nested inside another `ttg.warp_specialize` op")
	}
	return nil
}

func verifyWarpYield(op *ir.Op) error {
	p := op.Parent()
	if p == nil || p.Def != WarpSpecialize {
		return fmt.Errorf("expects parent op '%s'", WarpSpecialize)
	}
	if !slices.Equal(typesOf(op.Operands()), p.ResultTypes()) {
		return errors.New("operands do not match the results of the parent op")
	}
	return nil
}
