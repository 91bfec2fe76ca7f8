package tt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Inference(map[*ir.OpDef]ir.InferFunc{
	ExpandDims: inferExpandDims,
	Trans:      inferTrans,
	Join:       inferJoin,
	Split:      inferSplit,
	Gather:     inferGather,
	Reduce:     inferReduce,
	Scan:       inferScan,
})

var errNoLayout = errors.New("the encoding of the result does not follow from the operand's")

// encoded is a tensor of the given shape whose encoding comes from rule, applied to t's; the encoding is
// required to be known.
func encoded(t *ir.TensorType, shape []int64, rule func(enc ir.Attr) (ir.Attr, error)) (ir.Type, error) {
	if t.Encoding == nil {
		return ir.Tensor(shape, t.Elem, nil), nil
	}
	enc, err := rule(t.Encoding)
	if err != nil {
		return nil, err
	}
	if enc == nil {
		return nil, errNoLayout
	}
	return ir.Tensor(shape, t.Elem, enc), nil
}

// operandTensor is the type of operand i, which must be a tensor.
func operandTensor(s *ir.State, i int) (*ir.TensorType, error) {
	if i < len(s.Operands) {
		if t, ok := s.Operands[i].Type.(*ir.TensorType); ok && !t.Unranked {
			return t, nil
		}
	}
	return nil, fmt.Errorf("operand #%d is no ranked tensor", i)
}

func intAttr(s *ir.State, name string) (int64, error) {
	if a, ok := s.Attr(name).(*ir.IntegerAttr); ok {
		return a.Value, nil
	}
	return 0, fmt.Errorf("requires attribute '%s'", name)
}

func inferExpandDims(s *ir.State) ([]ir.Type, error) {
	t, err := operandTensor(s, 0)
	if err != nil {
		return nil, err
	}
	axis, err := intAttr(s, "axis")
	if err != nil {
		return nil, err
	}
	r, err := expandDims(t, axis)
	return []ir.Type{r}, err
}

func expandDims(t *ir.TensorType, axis int64) (ir.Type, error) {
	if axis < 0 || int(axis) > t.Rank() {
		return nil, fmt.Errorf("there is no axis %d in '%s'", axis, t)
	}
	shape := slices.Insert(slices.Clone(t.Shape), int(axis), 1)
	return encoded(t, shape, func(enc ir.Attr) (ir.Attr, error) {
		if Layouts.ExpandDims == nil {
			return nil, nil
		}
		return Layouts.ExpandDims(enc, int(axis))
	})
}

func inferTrans(s *ir.State) ([]ir.Type, error) {
	t, err := operandTensor(s, 0)
	if err != nil {
		return nil, err
	}
	order, ok := s.Attr("order").(*ir.DenseArrayAttr)
	if !ok {
		return nil, errors.New("requires attribute 'order'")
	}
	shape, err := permute(t.Shape, order.Values)
	if err != nil {
		return nil, err
	}
	r, err := encoded(t, shape, func(enc ir.Attr) (ir.Attr, error) {
		if Layouts.Trans == nil {
			return nil, nil
		}
		return Layouts.Trans(enc, t.Shape, order.Values)
	})
	return []ir.Type{r}, err
}

// permute is shape with its dimensions in the given order, which must be a permutation.
func permute(shape, order []int64) ([]int64, error) {
	if len(order) != len(shape) {
		return nil, fmt.Errorf("order %v has not an entry for each dimension of %v", order, shape)
	}
	out := make([]int64, len(shape))
	seen := make([]bool, len(shape))
	for i, d := range order {
		if d < 0 || int(d) >= len(shape) || seen[d] {
			return nil, fmt.Errorf("order %v does not name each of %d dimensions once", order, len(shape))
		}
		seen[d] = true
		out[i] = shape[d]
	}
	return out, nil
}

func inferJoin(s *ir.State) ([]ir.Type, error) {
	t, err := operandTensor(s, 0)
	if err != nil {
		return nil, err
	}
	r, err := encoded(t, append(slices.Clone(t.Shape), 2), func(enc ir.Attr) (ir.Attr, error) {
		if Layouts.Join == nil {
			return nil, nil
		}
		return Layouts.Join(enc, t.Shape)
	})
	return []ir.Type{r}, err
}

func inferSplit(s *ir.State) ([]ir.Type, error) {
	t, err := operandTensor(s, 0)
	if err != nil {
		return nil, err
	}
	n := t.Rank()
	if n == 0 || t.Shape[n-1] != 2 {
		return nil, fmt.Errorf("a tensor whose last dimension has size 2 is expected, to split it, not '%s'",
			t)
	}
	r, err := encoded(t, t.Shape[:n-1], func(enc ir.Attr) (ir.Attr, error) {
		if Layouts.Split == nil {
			return nil, nil
		}
		return Layouts.Split(enc, t.Shape)
	})
	return []ir.Type{r, r}, err
}

func inferGather(s *ir.State) ([]ir.Type, error) {
	src, err := operandTensor(s, 0)
	if err != nil {
		return nil, err
	}
	indices, err := operandTensor(s, 1)
	if err != nil {
		return nil, err
	}
	return []ir.Type{indices.With(src.Elem)}, nil
}

func inferReduce(s *ir.State) ([]ir.Type, error) {
	axis, err := intAttr(s, "axis")
	if err != nil {
		return nil, err
	}
	types := make([]ir.Type, len(s.Operands))
	for i := range s.Operands {
		t, err := operandTensor(s, i)
		if err != nil {
			return nil, err
		}
		if types[i], err = reduceDim(t, axis); err != nil {
			return nil, err
		}
	}
	return types, nil
}

// reduceDim is t without a dimension; a scalar when none is left.
func reduceDim(t *ir.TensorType, axis int64) (ir.Type, error) {
	if axis < 0 || int(axis) >= t.Rank() {
		return nil, fmt.Errorf("there is no axis %d in '%s'", axis, t)
	}
	if t.Rank() == 1 {
		return t.Elem, nil
	}
	shape := slices.Delete(slices.Clone(t.Shape), int(axis), int(axis)+1)
	return encoded(t, shape, func(enc ir.Attr) (ir.Attr, error) {
		if Layouts.Reduce == nil {
			return nil, nil
		}
		return Layouts.Reduce(enc, int(axis))
	})
}

func inferScan(s *ir.State) ([]ir.Type, error) {
	types := make([]ir.Type, len(s.Operands))
	for i, v := range s.Operands {
		types[i] = v.Type
	}
	return types, nil
}
