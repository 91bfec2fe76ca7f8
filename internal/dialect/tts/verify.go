package tts

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	MakeTPtr:              verifyMake,
	MakeGatherScatterTPtr: verifyMakeGather,
	Load:                  verifyLoad,
	Store:                 verifyStore,
	Gather: func(op *ir.Op) error {
		return sameElements(op.Operand(0).Type, op.Operand(1).Type, op.Result(0).Type)
	},
	Scatter: func(op *ir.Op) error {
		return sameElements(op.Operand(0).Type, op.Operand(1).Type, op.Operand(2).Type)
	},
})

// Block returns the type of the tensor that an access through a described block has.
func Block(ptr ir.Type) *ir.TensorType {
	if pointee, _, ok := tt.AsPtr(ptr); ok {
		t, _ := pointee.(*ir.TensorType)
		return t
	}
	t, _ := tt.Pointee(ptr).(*ir.TensorType)
	return t
}

// verifyBlock checks the parts that both descriptions have: sizes, strides and offsets of the block.
func verifyBlock(op *ir.Op, strides, offsets int) error {
	t := Block(op.Result(0).Type)
	if t == nil {
		return errors.New("the result is neither pointers in a tensor nor a pointer to one")
	}
	sizes := op.Attr("sizes").(*ir.DenseArrayAttr).Values
	if !slices.Equal(sizes, t.Shape) {
		return fmt.Errorf("sizes %d are not the shape of the result, %d", sizes, t.Shape)
	}
	if base := ir.ElemOf(tt.Pointee(op.Operand(0).Type)); base != t.Elem {
		return fmt.Errorf("a base of '%s' is described as a block of '%s'", base, t.Elem)
	}
	if err := indexlist.Check(op, strides, StaticStrides, len(sizes)); err != nil {
		return err
	}
	return indexlist.Check(op, offsets, StaticOffsets, len(sizes))
}

func verifyMake(op *ir.Op) error {
	if err := verifyBlock(op, 1, 2); err != nil {
		return err
	}
	n := len(op.Attr("sizes").(*ir.DenseArrayAttr).Values)
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	if len(order) != 0 && len(order) != n {
		return fmt.Errorf("expected no order or one of %d dimensions, got %d", n, len(order))
	}
	return indexlist.Check(op, 3, StaticShape, n)
}

func verifyMakeGather(op *ir.Op) error {
	if err := verifyBlock(op, 2, 3); err != nil {
		return err
	}
	sizes := op.Attr("sizes").(*ir.DenseArrayAttr).Values
	dim := op.IntOr("gather_scatter_dim", 0)
	if dim < 0 || dim >= int64(len(sizes)) {
		return fmt.Errorf("gather_scatter_dim %d is not one of %d dimensions", dim, len(sizes))
	}
	for _, v := range []*ir.Value{op.Operand(1), op.Slot(4)} {
		if v != nil && !slices.Equal(ir.ShapeOf(v.Type), sizes[dim:dim+1]) {
			return fmt.Errorf("'%s' does not have the %d elements of dimension %d", v.Type, sizes[dim], dim)
		}
	}
	return nil
}

// verifyMaskDims checks a mask: a length for each dimension, or none at all.
func verifyMaskDims(op *ir.Op, slot, rank int) error {
	if len(op.Attr(StaticMask).(*ir.DenseArrayAttr).Values) == 0 && len(op.Group(slot)) == 0 {
		return nil
	}
	return indexlist.Check(op, slot, StaticMask, rank)
}

func verifyLoad(op *ir.Op) error {
	t := Block(op.Operand(0).Type)
	if t == nil || op.Result(0).Type != ir.Type(t) {
		return fmt.Errorf("a load through '%s' does not give '%s'", op.Operand(0).Type, op.Result(0).Type)
	}
	if v := op.Slot(2); v != nil && v.Type != t.Elem {
		return fmt.Errorf("other of type '%s' in a block of '%s'", v.Type, t.Elem)
	}
	return verifyMaskDims(op, 1, t.Rank())
}

func verifyStore(op *ir.Op) error {
	t := Block(op.Operand(0).Type)
	if t == nil || op.Operand(1).Type != ir.Type(t) {
		return fmt.Errorf("a store through '%s' does not take '%s'", op.Operand(0).Type, op.Operand(1).Type)
	}
	return verifyMaskDims(op, 2, t.Rank())
}

// sameElements checks that values at offsets from a base have a value for each offset, of the base's type.
func sameElements(base, offset, value ir.Type) error {
	if want := ir.WithElem(offset, ir.ElemOf(tt.Pointee(base))); value != want {
		return fmt.Errorf("'%s' at offsets '%s' from '%s', expected '%s'", value, offset, base, want)
	}
	return nil
}
