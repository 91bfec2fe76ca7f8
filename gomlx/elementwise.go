package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// again returns the replay of an operation of one result that no size of a dynamic axis is an attribute of.
func again(op func(f *Function, in []compute.Value) (compute.Value, error)) replay {
	return func(f *Function, in []compute.Value, _ shapes.AxisBindings) ([]compute.Value, error) {
		v, err := op(f, in)
		return []compute.Value{v}, err
	}
}

func (f *Function) unary(op compute.OpType, x compute.Value) (compute.Value, error) {
	in, err := f.values(op.String(), x)
	if err != nil {
		return nil, err
	}
	shape := in[0].shape.Clone()
	switch op {
	case compute.OpTypeIdentity:
	case compute.OpTypeIsFinite, compute.OpTypeIsNaN:
		if !isFloat(shape.DType) {
			return nil, errors.Errorf("%s of %s", op, shape)
		}
		shape.DType = dtypes.Bool
	default:
		if shape, err = shapeinference.UnaryOp(op, shape); err != nil {
			return nil, err
		}
	}
	return f.add(&node{op: op, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.unary(op, in[0])
		})}), nil
}

func (f *Function) binary(op compute.OpType, x, y compute.Value) (compute.Value, error) {
	in, err := f.values(op.String(), x, y)
	if err != nil {
		return nil, err
	}
	infer := shapeinference.BinaryOp
	if comparisons[op] {
		infer = shapeinference.ComparisonOp
	}
	shape, err := infer(op, in[0].shape, in[1].shape)
	if err != nil {
		return nil, err
	}
	return f.add(&node{op: op, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.binary(op, in[0], in[1])
		})}), nil
}

var comparisons = map[compute.OpType]bool{
	compute.OpTypeEqual: true, compute.OpTypeNotEqual: true, compute.OpTypeGreaterThan: true,
	compute.OpTypeGreaterOrEqual: true, compute.OpTypeLessThan: true, compute.OpTypeLessOrEqual: true,
	compute.OpTypeEqualTotalOrder: true, compute.OpTypeNotEqualTotalOrder: true,
	compute.OpTypeGreaterThanTotalOrder: true, compute.OpTypeGreaterOrEqualTotalOrder: true,
	compute.OpTypeLessThanTotalOrder: true, compute.OpTypeLessOrEqualTotalOrder: true,
}

// Where implements compute.StandardOps.
func (f *Function) Where(condition, onTrue, onFalse compute.Value) (compute.Value, error) {
	in, err := f.values("Where", condition, onTrue, onFalse)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Where(in[0].shape, in[1].shape, in[2].shape)
	if err != nil {
		return nil, err
	}
	return f.add(&node{op: compute.OpTypeWhere, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.Where(in[0], in[1], in[2])
		})}), nil
}

// Clamp implements compute.StandardOps.
func (f *Function) Clamp(low, x, high compute.Value) (compute.Value, error) {
	y, err := f.Max(x, low)
	if err != nil {
		return nil, err
	}
	return f.Min(y, high)
}

// ConvertDType implements compute.StandardOps.
func (f *Function) ConvertDType(x compute.Value, dt dtypes.DType) (compute.Value, error) {
	in, err := f.values("ConvertDType", x)
	if err != nil {
		return nil, err
	}
	if _, ok := stored[dt]; !ok {
		return nil, missing("a conversion to %s", dt)
	}
	shape := in[0].shape.Clone()
	if shape.DType == dt {
		return in[0], nil
	}
	shape.DType = dt
	return f.add(&node{op: compute.OpTypeConvertDType, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.ConvertDType(in[0], dt)
		})}), nil
}

// Bitcast implements compute.StandardOps.
func (f *Function) Bitcast(x compute.Value, dt dtypes.DType) (compute.Value, error) {
	in, err := f.values("Bitcast", x)
	if err != nil {
		return nil, err
	}
	if _, ok := stored[dt]; !ok {
		return nil, missing("a bitcast to %s", dt)
	}
	shape, err := shapeinference.Bitcast(in[0].shape, dt)
	if err != nil {
		return nil, err
	}
	return f.add(&node{op: compute.OpTypeBitcast, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.Bitcast(in[0], dt)
		})}), nil
}

// FusedGelu implements compute.FusedOps.
func (f *Function) FusedGelu(x compute.Value, exact bool) (compute.Value, error) {
	in, err := f.values("FusedGelu", x)
	if err != nil {
		return nil, err
	}
	if !isFloat(in[0].shape.DType) {
		return nil, errors.Errorf("FusedGelu of %s", in[0].shape)
	}
	return f.add(&node{op: compute.OpTypeFusedGelu, shape: in[0].shape, inputs: in, attr: exact,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.FusedGelu(in[0], exact)
		})}), nil
}
