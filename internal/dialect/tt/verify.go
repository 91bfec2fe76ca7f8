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
		return fmt.Errorf("a bitcast keeps the address space of a pointer: it is %d, not %d",
			fromSpace, toSpace)
	case fromPtr && toPtr:
		return nil
	case fromPtr || toPtr:
		return fmt.Errorf("a bitcast makes a pointer of a pointer, but '%s' and '%s' are not both one",
			from, to)
	case ir.BitWidth(from) != ir.BitWidth(to):
		return fmt.Errorf("a bitcast keeps the width: '%s' has %d bits, '%s' has %d", from, ir.BitWidth(from),
			to, ir.BitWidth(to))
	}
	return nil
}

func verifyFpToFp(op *ir.Op) error {
	from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	if ir.BitWidth(to) < ir.BitWidth(from) && !op.HasAttr("rounding") {
		return fmt.Errorf("'%s' is narrower than '%s': attribute 'rounding' is missing", to, from)
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
		return fmt.Errorf("%d elements cannot be taken %d at a time, as packed_element says",
			t.NumElements(), pack)
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
		return fmt.Errorf("the range from %d to %d is empty", start, end)
	case t.Rank() != 1:
		return fmt.Errorf("a range has one dimension, but the result is '%s'", t)
	case end-start != t.Shape[0]:
		return fmt.Errorf("the range from %d to %d has %d elements, but the result has %d", start, end,
			end-start, t.Shape[0])
	case t.Elem != ir.I32:
		return fmt.Errorf("a range is of i32, not of '%s'", t.Elem)
	}
	return nil
}

func verifyUnsplat(op *ir.Op) error {
	if t := op.Operand(0).Type.(*ir.TensorType); t.NumElements() != 1 {
		return fmt.Errorf("a tensor of one element is expected, not '%s'", t)
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
		return fmt.Errorf("the result follows from the operands: it is '%s', not '%s'", want, got)
	}
	return nil
}

// verifyShape compares the result with what it should be, encodings aside: equivalent ones may differ in
// form.
func verifyShape(op *ir.Op, shape []int64) error {
	if got := shapeOf(op.Result(0)); !slices.Equal(got, shape) {
		return fmt.Errorf("the result has shape %v, but the operands make %v", got, shape)
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
		return fmt.Errorf("a reshape keeps all elements: '%s' has %d, '%s' has %d", from, from.NumElements(),
			to, to.NumElements())
	}
	return bothEncoded(from, to)
}

func bothEncoded(a, b *ir.TensorType) error {
	if (a.Encoding == nil) != (b.Encoding == nil) {
		return fmt.Errorf("one of '%s' and '%s' has an encoding and the other has none", a, b)
	}
	return nil
}

func verifyBroadcast(op *ir.Op) error {
	from, to := shapeOf(op.Operand(0)), shapeOf(op.Result(0))
	if len(from) != len(to) {
		return fmt.Errorf("a broadcast keeps the number of dimensions, but %v has %d and %v has %d", from,
			len(from), to, len(to))
	}
	for i := range from {
		if from[i] != 1 && from[i] != to[i] {
			return fmt.Errorf("dimension %d cannot be broadcast from %d to %d: only size 1 can", i,
				from[i], to[i])
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
		return fmt.Errorf("elements of type '%s' cannot become '%s'", from.Elem, to.Elem)
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
		return fmt.Errorf("a tensor whose last dimension has size 2 is expected, to split it, not '%s'", from)
	}
	if from.Elem != to.Elem {
		return fmt.Errorf("elements of type '%s' cannot become '%s'", from.Elem, to.Elem)
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
	src, idx, res := op.Operand(0).Type.(*ir.TensorType), op.Operand(1).Type.(*ir.TensorType),
		op.Result(0).Type.(*ir.TensorType)
	axis := op.IntOr("axis", -1)
	switch {
	case res != idx.With(res.Elem):
		return fmt.Errorf("the result '%s' has not the shape and encoding of the indices, '%s'", res, idx)
	case src.Elem != res.Elem:
		return fmt.Errorf("elements of type '%s' are gathered, but the result has '%s'", src.Elem, res.Elem)
	case src.Rank() != idx.Rank():
		return fmt.Errorf("source and indices have %d and %d dimensions, which differ", src.Rank(),
			idx.Rank())
	case axis < 0 || int(axis) >= src.Rank():
		return fmt.Errorf("there is no axis %d in a source of %d dimensions", axis, src.Rank())
	}
	for d := range idx.Shape {
		if d != int(axis) && idx.Shape[d] != src.Shape[d] {
			return fmt.Errorf("source and indices differ in dimension %d, which is not gathered: %d and %d",
				d, src.Shape[d], idx.Shape[d])
		}
	}
	return nil
}

func verifyMakeTensorPtr(op *ir.Op) error {
	pointee, _, _ := AsPtr(op.Result(0).Type)
	rank := pointee.(*ir.TensorType).Rank()
	if op.NumOperands() != 1+3*rank {
		return fmt.Errorf("expects %d sizes, strides and offsets each, but found %d operands in all", rank,
			op.NumOperands()-1)
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
		return fmt.Errorf("expects %d sizes and strides each, but found %d operands in all", rank,
			op.NumOperands()-1)
	}
	return nil
}

// verifyDescBlock: a tensor may lack leading dimensions of size one that the descriptor's block has.
func verifyDescBlock(desc, tensor ir.Type) error {
	block, t := DescTensor(desc), tensor.(*ir.TensorType)
	shape := block.Shape
	for len(shape) > t.Rank() {
		if shape[0] != 1 {
			return fmt.Errorf("'%s' lacks a dimension of the descriptor's block '%s' whose size is not 1",
				t, block)
		}
		shape = shape[1:]
	}
	if !slices.Equal(shape, t.Shape) || block.Elem != t.Elem {
		return fmt.Errorf("the descriptor's block '%s' and the tensor '%s' differ", block, t)
	}
	return nil
}

// verifyDescRows checks a gather or scatter of rows; the least sizes are those of the hardware's copy engine.
func verifyDescRows(op *ir.Op, tensor ir.Type) error {
	block, rows, idx := DescTensor(op.Operand(0).Type), tensor.(*ir.TensorType), shapeOf(op.Operand(1))
	if block.Rank() != 2 || block.Shape[0] != 1 {
		return fmt.Errorf("the descriptor's block has one row of two dimensions, but is '%s'", block)
	}
	if len(idx) != 1 {
		return fmt.Errorf("x offsets have one dimension, not %d", len(idx))
	}
	bits := int64(ir.BitWidth(rows.Elem))
	switch {
	case rows.Rank() != 2:
		return fmt.Errorf("rows make a tensor of two dimensions, not '%s'", rows)
	case rows.Shape[0] < 8:
		return fmt.Errorf("the copy engine moves 8 rows or more, not %d", rows.Shape[0])
	case bits == 0 || bits > 32:
		return fmt.Errorf("the copy engine gathers elements of up to 32 bits, not '%s'", rows.Elem)
	case rows.Shape[1] < 32/bits*8:
		return fmt.Errorf("the copy engine moves rows of %d columns of '%s' or more, not %d", 32/bits*8,
			rows.Elem, rows.Shape[1])
	case rows.Shape[0] != idx[0]:
		return fmt.Errorf("there are %d indices, but '%s' has another number of rows", idx[0], rows)
	case rows.Shape[1] != block.Shape[1]:
		return fmt.Errorf("the block has %d columns, but '%s' has another number", block.Shape[1], rows)
	case rows.Elem != block.Elem:
		return fmt.Errorf("the block has elements of '%s', but the tensor is '%s'", block.Elem, rows)
	}
	return nil
}
