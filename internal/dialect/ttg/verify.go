package ttg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	AsyncCopy:  verifyAsyncCopy,
	LocalAlloc: verifyLocalAlloc,
	LocalLoad: func(op *ir.Op) error {
		return verifySharedAccess(op.Operand(0).Type, op.Result(0).Type)
	},
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

// allocEffects: a buffer that is written once, by its allocation, counts as a value until it has a place in
// memory.
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
		return fmt.Errorf("source element type '%s' must match destination element type '%s'", ElemOf(buffer),
			ElemOf(tensor))
	}
	if !slices.Equal(ShapeOf(buffer), ShapeOf(tensor)) {
		return fmt.Errorf("the buffer has shape %v, the tensor %v", ShapeOf(buffer), ShapeOf(tensor))
	}
	return nil
}

func verifySharedAccess(buffer, tensor ir.Type) error {
	enc := EncodingOf(buffer)
	if !IsShared(enc) {
		return fmt.Errorf("a buffer in shared memory is expected, not '%s'", buffer)
	}
	if n := len(ShapeOf(tensor)); n != rankOf(enc) {
		return fmt.Errorf("the tensor has %d dimensions, the buffer's encoding %d", n, rankOf(enc))
	}
	return VerifyCopy(buffer, tensor)
}

func verifyAsyncCopy(op *ir.Op) error {
	if !mustMemDesc(op.Operand(1).Type).Mutable {
		return fmt.Errorf("the buffer is not mutable: '%s'", op.Operand(1).Type)
	}
	return nil
}

func verifyLocalAlloc(op *ir.Op) error {
	if mustMemDesc(op.Result(0).Type).Space != SharedMemory {
		return fmt.Errorf("a buffer in shared memory is made here, not '%s'", op.Result(0).Type)
	}
	return VerifyAlloc(op, verifySharedAccess)
}

// VerifyAlloc checks an op that makes a buffer, empty or, where it has an operand, with contents for which
// copied checks the types of buffer and operand.
func VerifyAlloc(op *ir.Op, copied func(buffer, tensor ir.Type) error) error {
	made := op.Result(0).Type
	m := mustMemDesc(made)
	switch {
	case m.AllocShape != nil:
		return fmt.Errorf("a new buffer is the whole of its allocation, but '%s' is a view", made)
	case op.NumOperands() == 0 && !m.Mutable:
		return fmt.Errorf("an empty buffer that is not mutable stays empty: '%s'", made)
	case op.NumOperands() == 0:
		return nil
	}
	return copied(made, op.Operand(0).Type)
}

func verifyLocalStore(op *ir.Op) error {
	if !mustMemDesc(op.Operand(1).Type).Mutable {
		return fmt.Errorf("the buffer is not mutable: '%s'", op.Operand(1).Type)
	}
	return verifySharedAccess(op.Operand(1).Type, op.Operand(0).Type)
}

func verifyIndex(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	switch {
	case src.Elem != dst.Elem:
		return fmt.Errorf("the buffer has elements of '%s', the view of '%s'", src.Elem, dst.Elem)
	case src.Rank() != dst.Rank()+1:
		return fmt.Errorf("an element of %d dimensions has one less, not %d", src.Rank(), dst.Rank())
	case !slices.Equal(src.Shape[1:], dst.Shape):
		return fmt.Errorf("an element of %v has shape %v, not %v", src.Shape, src.Shape[1:], dst.Shape)
	case src.AllocShape != nil || dst.AllocShape != nil:
		return errors.New("buffer and element are whole allocations here, but one is a view")
	case IsShared(src.Encoding) != IsShared(dst.Encoding):
		return errors.New("one of buffer and element is in shared memory, the other is not")
	}
	return nil
}

func verifySubslice(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	offsets := op.Attr("offsets").(*ir.DenseArrayAttr).Values
	switch {
	case src.Elem != dst.Elem:
		return fmt.Errorf("the buffer has elements of '%s', the view of '%s'", src.Elem, dst.Elem)
	case len(offsets) != src.Rank():
		return fmt.Errorf("there are %d offsets for %d dimensions", len(offsets), src.Rank())
	case src.Rank() != dst.Rank():
		return fmt.Errorf("buffer and view have %d and %d dimensions, which differ", src.Rank(), dst.Rank())
	case !IsShared(src.Encoding) || !IsShared(dst.Encoding):
		return errors.New("buffer and view are in shared memory, but one has another encoding")
	}
	for i, o := range offsets {
		switch {
		case src.Shape[i] == dst.Shape[i] && o != 0:
			return fmt.Errorf("dimension %d is taken whole, but has offset %d", i, o)
		case o < 0 || o+dst.Shape[i] > src.Shape[i]:
			return fmt.Errorf("offset %d leads out of dimension %d: %d elements are taken of %d", o, i,
				dst.Shape[i], src.Shape[i])
		case o%dst.Shape[i] != 0:
			return fmt.Errorf("offset %d of dimension %d is no multiple of the view's size, %d", o, i,
				dst.Shape[i])
		}
	}
	return nil
}

func verifyTrans(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	if src.Elem != dst.Elem {
		return fmt.Errorf("the buffer has elements of '%s', the view of '%s'", src.Elem, dst.Elem)
	}
	if len(order) != src.Rank() || permutation(order) != nil {
		return fmt.Errorf("order %v does not name each of %d dimensions once", order, src.Rank())
	}
	if !slices.Equal(pick(src.Shape, order), dst.Shape) {
		return fmt.Errorf("%v in order %v is %v, but the result has %v", src.Shape, order,
			pick(src.Shape, order), dst.Shape)
	}
	return nil
}

func verifyReshape(op *ir.Op) error {
	src, dst := mustMemDesc(op.Operand(0).Type), mustMemDesc(op.Result(0).Type)
	switch {
	case src.Mutable != dst.Mutable || src.Space != dst.Space:
		return errors.New("buffer and view differ in memory space, or in whether they may be written")
	case src.Elem != dst.Elem:
		return fmt.Errorf("the buffer has elements of '%s', the view of '%s'", src.Elem, dst.Elem)
	case product(src.Shape) != product(dst.Shape):
		return fmt.Errorf("a reshape keeps all elements, but %v and %v have different numbers",
			src.Shape, dst.Shape)
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
		return fmt.Errorf("there is no axis %d in %d dimensions", axis, len(src))
	}
	if src[axis] *= 2; !slices.Equal(src, dst) {
		return fmt.Errorf("two elements of each byte make shape %v, not %v", src, dst)
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
		return errors.New("the second region holds one `ttg.warp_specialize.partitions` and nothing else")
	}
	parts := Partitions(op)
	warps := op.Attr("partitionNumWarps").(*ir.DenseArrayAttr).Values
	if len(parts) != len(warps) {
		return fmt.Errorf("there are %d partitions, but `partitionNumWarps` is for %d", len(parts),
			len(warps))
	}
	if ids, ok := op.Attr("warpGroupStartIds").(*ir.DenseArrayAttr); ok && len(ids.Values) != len(warps) {
		return fmt.Errorf("`warpGroupStartIds` is for %d partitions, but there are %d", len(ids.Values),
			len(warps))
	}
	captures := typesOf(op.Operands())
	for i, r := range parts {
		switch {
		case powersOfTwo(warps[i:i+1]) != nil:
			return fmt.Errorf("partition #%d has %d warps, not a power of two", i, warps[i])
		case r.Empty():
			return fmt.Errorf("partition region #%d is empty", i)
		case !slices.Equal(typesOf(r.First().Args()), captures):
			return fmt.Errorf("partition region #%d has arguments other than the captures", i)
		}
	}
	if op.ParentOf(WarpSpecialize) != nil {
		return errors.New("stands inside another `ttg.warp_specialize`; partitions are not divided again")
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
