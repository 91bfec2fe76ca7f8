package tt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Bitcast:        verifyBitcast,
	FpToFp:         verifyFpToFp,
	InlineAsm:      verifyInlineAsm,
	Func:           funclike.Verify,
	Return:         func(op *ir.Op) error { return funclike.VerifyReturn(op, Func) },
	Print:          verifyPrint,
	MakeRange:      verifyRange,
	Unsplat:        verifyUnsplat,
	ExpandDims:     verifyExpandDims,
	Reshape:        verifyReshape,
	Broadcast:      verifyBroadcast,
	Cat:            verifyCat,
	Join:           verifyJoin,
	Split:          verifySplit,
	Trans:          verifyTrans,
	Gather:         verifyGather,
	MakeTensorPtr:  verifyMakeTensorPtr,
	Advance:        verifyAdvance,
	MakeTensorDesc: verifyMakeDesc,
	DescLoad:       func(op *ir.Op) error { return verifyDescBlock(op.Operand(0).Type, op.Result(0).Type) },
	DescStore:      func(op *ir.Op) error { return verifyDescBlock(op.Operand(0).Type, op.Operand(1).Type) },
	DescGather:     func(op *ir.Op) error { return verifyDescRows(op, op.Result(0).Type) },
	DescScatter:    func(op *ir.Op) error { return verifyDescRows(op, op.Operand(3).Type) },
})

var _ = Dialect.SymbolUses(map[*ir.OpDef]ir.SymbolUseFunc{
	Call: func(op *ir.Op, lookup func(string) *ir.Op) error { return funclike.VerifyCall(op, Func, lookup) },
})

func shapeOf(v *ir.Value) []int64 { return ir.ShapeOf(v.Type) }

func verifyBitcast(op *ir.Op) error {
	from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	_, fromSpace, fromPtr := AsPtr(from)
	_, toSpace, toPtr := AsPtr(to)
	switch {
	case fromPtr && toPtr && fromSpace != toSpace:
		return errors.New("Cannot bitcast pointer between different address spaces")
	case fromPtr && toPtr:
		return nil
	case fromPtr || toPtr:
		return errors.New("Cannot bitcast pointer to non-pointer type")
	case ir.BitWidth(from) != ir.BitWidth(to):
		return fmt.Errorf("Cannot bitcast data-type of size %d to data-type of size %d", ir.BitWidth(from), ir.BitWidth(to))
	}
	return nil
}

func verifyFpToFp(op *ir.Op) error {
	from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	if ir.BitWidth(to) < ir.BitWidth(from) && !op.HasAttr("rounding") {
		return errors.New("Rounding mode is required for FP downcast")
	}
	return nil
}

func verifyInlineAsm(op *ir.Op) error {
	pack := op.IntOr("packed_element", 0)
	if pack <= 0 {
		return errors.New("packed_element must be positive")
	}
	if op.NumOperands() == 0 {
		return nil
	}
	if t, ok := op.Operand(0).Type.(*ir.TensorType); ok && t.NumElements()%pack != 0 {
		return fmt.Errorf("number of input elements %d must be a multiple of the op's packed_element attribute, %d", t.NumElements(), pack)
	}
	return nil
}

func verifyPrint(op *ir.Op) error {
	if signs := op.Attr("isSigned").(*ir.DenseArrayAttr); len(signs.Values) < op.NumOperands() {
		return fmt.Errorf("isSigned has %d entries for %d operands", len(signs.Values), op.NumOperands())
	}
	return nil
}

func verifyRange(op *ir.Op) error {
	start, end := op.IntOr("start", 0), op.IntOr("end", 0)
	t := op.Result(0).Type.(*ir.TensorType)
	switch {
	case start >= end:
		return errors.New("start must be less than end")
	case t.Rank() != 1:
		return errors.New("return type must be a 1D tensor")
	case end-start != t.Shape[0]:
		return fmt.Errorf("number of elements in returned tensor, %d, must match size of range [%d, %d), which has %d elements", t.Shape[0], start, end, end-start)
	case t.Elem != ir.I32:
		return errors.New("returned tensor must have i32 elements")
	}
	return nil
}

func verifyUnsplat(op *ir.Op) error {
	if op.Operand(0).Type.(*ir.TensorType).NumElements() != 1 {
		return errors.New("source tensor must have exactly one element")
	}
	return nil
}

// verifyResult compares the result with what it should be, unless that is not known.
func verifyResult(op *ir.Op, i int, want ir.Type, err error) error {
	if errors.Is(err, errNoLayout) {
		return nil
	}
	if err != nil {
		return err
	}
	if got := op.Result(i).Type; got != want {
		return fmt.Errorf("inferred type(s) '%s' are incompatible with return type(s) of operation '%s'", want, got)
	}
	return nil
}

// verifyShape compares the result with what it should be, encodings aside: equivalent ones may differ in form.
func verifyShape(op *ir.Op, shape []int64) error {
	if got := shapeOf(op.Result(0)); !slices.Equal(got, shape) {
		return fmt.Errorf("result shape must be %v, but got %v", shape, got)
	}
	return nil
}

func verifyExpandDims(op *ir.Op) error {
	want, err := expandDims(op.Operand(0).Type.(*ir.TensorType), op.IntOr("axis", -1))
	return verifyResult(op, 0, want, err)
}

func verifyReshape(op *ir.Op) error {
	from, to := op.Operand(0).Type.(*ir.TensorType), op.Result(0).Type.(*ir.TensorType)
	if from.NumElements() != to.NumElements() {
		return errors.New("number of src and dst elements of reshape must be the same")
	}
	return bothEncoded(from, to)
}

func bothEncoded(a, b *ir.TensorType) error {
	if (a.Encoding == nil) != (b.Encoding == nil) {
		return errors.New("requires that either (a) src and dst both have encodings, or (b) neither does")
	}
	return nil
}

func verifyBroadcast(op *ir.Op) error {
	from, to := shapeOf(op.Operand(0)), shapeOf(op.Result(0))
	if len(from) != len(to) {
		return errors.New("rank of source must be same as rank of result")
	}
	for i := range from {
		if from[i] != 1 && from[i] != to[i] {
			return fmt.Errorf("Different dimensions at index %d between source and result.  Broadcast requires the source dimension to be 1.", i)
		}
	}
	return nil
}

func verifyCat(op *ir.Op) error {
	from, to := op.Operand(0).Type.(*ir.TensorType), op.Result(0).Type.(*ir.TensorType)
	if to.NumElements() != 2*from.NumElements() {
		return fmt.Errorf("result has %d elements, expected %d", to.NumElements(), 2*from.NumElements())
	}
	return nil
}

func verifyJoin(op *ir.Op) error {
	from, to := op.Operand(0).Type.(*ir.TensorType), op.Result(0).Type.(*ir.TensorType)
	if from.Elem != to.Elem {
		return errors.New("result element type must match the input element type")
	}
	if err := verifyShape(op, append(slices.Clone(from.Shape), 2)); err != nil {
		return err
	}
	return bothEncoded(from, to)
}

func verifySplit(op *ir.Op) error {
	from, to := op.Operand(0).Type.(*ir.TensorType), op.Result(0).Type.(*ir.TensorType)
	n := from.Rank()
	if n == 0 || from.Shape[n-1] != 2 {
		return errors.New("last dimension of input tensor must be 2")
	}
	if from.Elem != to.Elem {
		return errors.New("result element type must match the input element type")
	}
	if err := verifyShape(op, from.Shape[:n-1]); err != nil {
		return err
	}
	return bothEncoded(from, to)
}

func verifyTrans(op *ir.Op) error {
	from, to := op.Operand(0).Type.(*ir.TensorType), op.Result(0).Type.(*ir.TensorType)
	shape, err := permute(from.Shape, op.Attr("order").(*ir.DenseArrayAttr).Values)
	if err != nil {
		return err
	}
	if err := verifyShape(op, shape); err != nil {
		return err
	}
	return bothEncoded(from, to)
}

func verifyGather(op *ir.Op) error {
	src, idx, res := op.Operand(0).Type.(*ir.TensorType), op.Operand(1).Type.(*ir.TensorType), op.Result(0).Type.(*ir.TensorType)
	axis := op.IntOr("axis", -1)
	switch {
	case res != idx.With(res.Elem):
		return errors.New("indices and output shapes and encodings must match")
	case src.Elem != res.Elem:
		return errors.New("input and output element types must match")
	case src.Rank() != idx.Rank():
		return errors.New("input and indices ranks must match")
	case axis < 0 || int(axis) >= src.Rank():
		return errors.New("gather dimension must be less than the input rank")
	}
	for d := range idx.Shape {
		if d != int(axis) && idx.Shape[d] != src.Shape[d] {
			return fmt.Errorf("indices dimension %d must match the corresponding input dimension", d)
		}
	}
	return nil
}

func verifyMakeTensorPtr(op *ir.Op) error {
	pointee, _, _ := AsPtr(op.Result(0).Type)
	rank := pointee.(*ir.TensorType).Rank()
	if op.NumOperands() != 1+3*rank {
		return fmt.Errorf("expects %d sizes, strides and offsets each, but found %d operands in all", rank, op.NumOperands()-1)
	}
	if n := len(op.Attr("order").(*ir.DenseArrayAttr).Values); n != rank {
		return fmt.Errorf("order has %d entries for %d dimensions", n, rank)
	}
	return nil
}

func verifyAdvance(op *ir.Op) error {
	pointee, _, _ := AsPtr(op.Result(0).Type)
	if rank := pointee.(*ir.TensorType).Rank(); op.NumOperands() != 1+rank {
		return fmt.Errorf("expects %d offsets, but found %d", rank, op.NumOperands()-1)
	}
	return nil
}

func verifyMakeDesc(op *ir.Op) error {
	if rank := DescBlock(op.Result(0).Type).Rank(); op.NumOperands() != 1+2*rank {
		return fmt.Errorf("expects %d sizes and strides each, but found %d operands in all", rank, op.NumOperands()-1)
	}
	return nil
}

// verifyDescBlock: a tensor may lack leading dimensions of size one that the descriptor's block has.
func verifyDescBlock(desc, tensor ir.Type) error {
	block, t := DescTensor(desc), tensor.(*ir.TensorType)
	shape := block.Shape
	for len(shape) > t.Rank() {
		if shape[0] != 1 {
			return errors.New("ranked reduce load only allowed for unit dimension leading dim.")
		}
		shape = shape[1:]
	}
	if !slices.Equal(shape, t.Shape) || block.Elem != t.Elem {
		return errors.New("tensor descriptor block and tensor types must match")
	}
	return nil
}

// verifyDescRows checks a gather or scatter of rows; the least sizes are those of the hardware's copy engine.
func verifyDescRows(op *ir.Op, tensor ir.Type) error {
	block, rows, idx := DescTensor(op.Operand(0).Type), tensor.(*ir.TensorType), shapeOf(op.Operand(1))
	if block.Rank() != 2 || block.Shape[0] != 1 {
		return fmt.Errorf("block must be a 2D tensor with exactly 1 row, but got '%s'", block)
	}
	if len(idx) != 1 {
		return errors.New("x offsets must be a 1D tensor")
	}
	bits := int64(ir.BitWidth(rows.Elem))
	switch {
	case rows.Rank() != 2:
		return fmt.Errorf("result must be a 2D tensor, but got '%s'", rows)
	case rows.Shape[0] < 8:
		return fmt.Errorf("gather must have at least 8 rows, but got %d", rows.Shape[0])
	case bits == 0 || bits > 32:
		return errors.New("TMA dtype cannot be greater than 32 bits")
	case rows.Shape[1] < 32/bits*8:
		return fmt.Errorf("gather of '%s' must have at least %d columns, but got %d", rows.Elem, 32/bits*8, rows.Shape[1])
	case rows.Shape[0] != idx[0]:
		return fmt.Errorf("result tensor must have as many rows as indices (%d), but got '%s'", idx[0], rows)
	case rows.Shape[1] != block.Shape[1]:
		return fmt.Errorf("result tensor number of columns must match block (%d), but got '%s'", block.Shape[1], rows)
	case rows.Elem != block.Elem:
		return fmt.Errorf("result tensor element type must match block ('%s'), but got '%s'", block.Elem, rows)
	}
	return nil
}
