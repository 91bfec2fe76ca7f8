package gomlx

import (
	"encoding/binary"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// Operations that say where an element comes from, and compute nothing.

// resolve returns a shape with the sizes of dynamic axes.
func resolve(s shapes.Shape, at shapes.AxisBindings) (shapes.Shape, error) {
	if !s.IsDynamic() {
		return s, nil
	}
	return s.Resolve(at)
}

// Reshape implements compute.StandardOps.
func (f *Function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	in, err := f.values("Reshape", x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Reshape(in[0].shape, dims)
	if err != nil {
		return nil, err
	}
	return f.reshape(in[0], shape), nil
}

func (f *Function) reshape(x *node, shape shapes.Shape) *node {
	return f.add(&node{op: compute.OpTypeReshape, shape: shape, inputs: []*node{x},
		again: func(f *Function, in []compute.Value, at shapes.AxisBindings) ([]compute.Value, error) {
			s, err := resolve(shape, at)
			if err != nil {
				return nil, err
			}
			v, err := f.Reshape(in[0], s.Dimensions...)
			return []compute.Value{v}, err
		}})
}

// DynamicReshape implements compute.StandardOps.
func (f *Function) DynamicReshape(x compute.Value, dims ...compute.DynamicDimensionSpec) (compute.Value,
	error) {
	list := []compute.Value{x}
	for _, d := range dims {
		if d.Value != nil {
			list = append(list, d.Value)
		}
	}
	in, err := f.values("DynamicReshape", list...)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.DynamicReshape(in[0].shape, dims)
	if err != nil {
		return nil, err
	}
	if !in[0].shape.IsDynamic() && !shape.IsDynamic() {
		return f.reshape(in[0], shape), nil
	}
	for _, d := range dims {
		if d.Name != "" {
			f.builder.names.Insert(d.Name)
		}
	}
	return f.add(&node{op: compute.OpTypeDynamicReshape, shape: shape, inputs: in,
		again: func(f *Function, in []compute.Value, at shapes.AxisBindings) ([]compute.Value, error) {
			v, err := f.reshapeTo(in, dims, at)
			return []compute.Value{v}, err
		}}), nil
}

// reshapeTo is DynamicReshape once sizes are known, which become those of the axes' names.
func (f *Function) reshapeTo(in []compute.Value, dims []compute.DynamicDimensionSpec,
	at shapes.AxisBindings) (
	compute.Value, error) {
	sizes, next, known, rest := make([]int, len(dims)), 1, 1, -1
	for i, d := range dims {
		switch {
		case d.Name == "":
			sizes[i] = d.Static
		case d.Value == nil:
			rest = i
			continue
		default:
			v, ok := in[next].(*node).integer()
			if !ok {
				return nil, errors.Errorf("DynamicReshape: the size of axis %q depends on data", d.Name)
			}
			sizes[i] = int(v)
			next++
		}
		known *= sizes[i]
	}
	total := in[0].(*node).shape.Size()
	if rest >= 0 {
		if known == 0 || total%known != 0 {
			return nil, errors.Errorf("DynamicReshape: %d elements do not divide by %d", total, known)
		}
		sizes[rest] = total / known
	}
	for i, d := range dims {
		if d.Name == "" {
			continue
		}
		if old, ok := at[d.Name]; ok && old != sizes[i] {
			return nil, errors.Errorf("DynamicReshape: axis %q has the sizes %d and %d", d.Name, old,
				sizes[i])
		}
		at[d.Name] = sizes[i]
	}
	return f.Reshape(in[0], sizes...)
}

// integer returns the value of a scalar that is an integer and does not depend on data.
func (n *node) integer() (int64, bool) {
	var list []int64
	for _, in := range n.inputs {
		v, ok := in.integer()
		if !ok {
			return 0, false
		}
		list = append(list, v)
	}
	switch n.op {
	case compute.OpTypeConstant:
		if n.shape.Size() != 1 || isFloat(n.shape.DType) {
			return 0, false
		}
		var word [8]byte
		copy(word[:], n.data)
		v := binary.LittleEndian.Uint64(word[:])
		if bits := 8 * len(n.data); isSigned(n.shape.DType) {
			return int64(v<<(64-bits)) >> (64 - bits), true
		}
		return int64(v), true
	case compute.OpTypeConvertDType, compute.OpTypeReshape, compute.OpTypeIdentity:
		return list[0], n.shape.Size() == 1
	case compute.OpTypeAdd:
		return list[0] + list[1], true
	case compute.OpTypeSub:
		return list[0] - list[1], true
	case compute.OpTypeMul:
		return list[0] * list[1], true
	case compute.OpTypeDiv:
		if list[1] == 0 {
			return 0, false
		}
		return list[0] / list[1], true
	case compute.OpTypeMax:
		return max(list[0], list[1]), true
	case compute.OpTypeMin:
		return min(list[0], list[1]), true
	}
	return 0, false
}

// DynamicDimensionSize implements compute.StandardOps.
func (f *Function) DynamicDimensionSize(x compute.Value, axis int) (compute.Value, error) {
	in, err := f.values("DynamicDimensionSize", x)
	if err != nil {
		return nil, err
	}
	dims := in[0].shape.Dimensions
	if axis < 0 || axis >= len(dims) {
		return nil, errors.Errorf("DynamicDimensionSize: axis %d of %s", axis, in[0].shape)
	}
	if dims[axis] != shapes.DynamicDim {
		return f.scalar(dtypes.Int32, float64(dims[axis])), nil
	}
	return f.add(&node{op: compute.OpTypeDynamicDimensionSize, shape: shapes.Make(dtypes.Int32), inputs: in,
		attr: axis, again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.DynamicDimensionSize(in[0], axis)
		})}), nil
}

// DynamicShape implements compute.StandardOps.
func (f *Function) DynamicShape(x compute.Value) (compute.Value, error) {
	in, err := f.values("DynamicShape", x)
	if err != nil {
		return nil, err
	}
	s := in[0].shape
	if !s.IsDynamic() {
		list := make([]int32, s.Rank())
		for i, d := range s.Dimensions {
			list[i] = int32(d)
		}
		return f.Constant(list, len(list))
	}
	return f.add(&node{op: compute.OpTypeDynamicShape, shape: shapes.Make(dtypes.Int32, s.Rank()), inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.DynamicShape(in[0])
		})}), nil
}

// Transpose implements compute.StandardOps.
func (f *Function) Transpose(x compute.Value, order ...int) (compute.Value, error) {
	in, err := f.values("Transpose", x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Transpose(in[0].shape, order)
	if err != nil {
		return nil, err
	}
	order = slices.Clone(order)
	return f.add(&node{op: compute.OpTypeTranspose, shape: shape, inputs: in, attr: order,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.Transpose(in[0], order...)
		})}), nil
}

// BroadcastInDim implements compute.StandardOps.
func (f *Function) BroadcastInDim(x compute.Value, shape shapes.Shape, axes []int) (compute.Value, error) {
	in, err := f.values("BroadcastInDim", x)
	if err != nil {
		return nil, err
	}
	shape = shape.Clone()
	shape.DType = in[0].shape.DType
	if err := shapeinference.BroadcastInDim(in[0].shape, shape, axes, f.builder.names); err != nil {
		return nil, err
	}
	axes = slices.Clone(axes)
	return f.add(&node{op: compute.OpTypeBroadcastInDim, shape: shape, inputs: in, attr: axes,
		again: func(f *Function, in []compute.Value, at shapes.AxisBindings) ([]compute.Value, error) {
			s, err := resolve(shape, at)
			if err != nil {
				return nil, err
			}
			v, err := f.BroadcastInDim(in[0], s, axes)
			return []compute.Value{v}, err
		}}), nil
}

// Iota implements compute.StandardOps.
func (f *Function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	if axis < 0 || axis >= shape.Rank() {
		return nil, errors.Errorf("Iota: axis %d of %s", axis, shape)
	}
	return f.add(&node{op: compute.OpTypeIota, shape: shape, attr: axis,
		again: func(f *Function, _ []compute.Value, at shapes.AxisBindings) ([]compute.Value, error) {
			s, err := resolve(shape, at)
			if err != nil {
				return nil, err
			}
			v, err := f.Iota(s, axis)
			return []compute.Value{v}, err
		}}), nil
}

// sliceAttr are the attributes of Slice.
type sliceAttr struct{ starts, strides []int }

// Slice implements compute.StandardOps.
func (f *Function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	in, err := f.values("Slice", x)
	if err != nil {
		return nil, err
	}
	if len(strides) == 0 {
		strides = slices.Repeat([]int{1}, len(starts))
	}
	shape, err := shapeinference.Slice(in[0].shape, starts, limits, strides)
	if err != nil {
		return nil, err
	}
	starts, limits, strides = slices.Clone(starts), slices.Clone(limits), slices.Clone(strides)
	return f.add(&node{op: compute.OpTypeSlice, shape: shape, inputs: in, attr: sliceAttr{starts, strides},
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			ends := slices.Clone(limits)
			for i := range ends {
				if ends[i] == shapes.DynamicDim {
					ends[i] = in[0].(*node).shape.Dimensions[i]
				}
			}
			return f.Slice(in[0], starts, ends, strides)
		})}), nil
}

// Pad implements compute.StandardOps.
func (f *Function) Pad(x, fill compute.Value, axes ...compute.PadAxis) (compute.Value, error) {
	in, err := f.values("Pad", x, fill)
	if err != nil {
		return nil, err
	}
	if !in[1].shape.IsScalar() || in[1].shape.DType != in[0].shape.DType {
		return nil, errors.Errorf("Pad: %s with %s", in[0].shape, in[1].shape)
	}
	axes = slices.Clone(axes)
	shape, err := shapeinference.Pad(in[0].shape, axes...)
	if err != nil {
		return nil, err
	}
	full := slices.Clone(axes)
	for len(full) < in[0].shape.Rank() {
		full = append(full, compute.PadAxis{})
	}
	return f.add(&node{op: compute.OpTypePad, shape: shape, inputs: in, attr: full,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.Pad(in[0], in[1], axes...)
		})}), nil
}

// Concatenate implements compute.StandardOps.
func (f *Function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	in, err := f.values("Concatenate", operands...)
	if err != nil {
		return nil, err
	}
	var list []shapes.Shape
	for _, n := range in {
		list = append(list, n.shape)
	}
	shape, err := shapeinference.Concatenate(list, axis)
	if err != nil {
		return nil, err
	}
	if len(in) == 1 {
		return in[0], nil
	}
	return f.add(&node{op: compute.OpTypeConcatenate, shape: shape, inputs: in, attr: axis,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.Concatenate(axis, in...)
		})}), nil
}

// Reverse implements compute.StandardOps.
func (f *Function) Reverse(x compute.Value, axes ...int) (compute.Value, error) {
	in, err := f.values("Reverse", x)
	if err != nil {
		return nil, err
	}
	for _, a := range axes {
		if a < 0 || a >= in[0].shape.Rank() {
			return nil, errors.Errorf("Reverse: axis %d of %s", a, in[0].shape)
		}
	}
	axes = slices.Clone(axes)
	return f.add(&node{op: compute.OpTypeReverse, shape: in[0].shape, inputs: in, attr: axes,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.Reverse(in[0], axes...)
		})}), nil
}

// gatherAttr are the attributes of Gather.
type gatherAttr struct {
	vector                          int
	offsets, collapsed, from, sizes []int
}

// Gather implements compute.StandardOps.
func (f *Function) Gather(x, indices compute.Value, vector int, offsets, collapsed, from, sizes []int,
	sorted bool) (
	compute.Value, error) {
	in, err := f.values("Gather", x, indices)
	if err != nil {
		return nil, err
	}
	if at := in[1].shape; vector == at.Rank() && !at.IsDynamic() { // an index is a vector of one
		in[1] = f.reshape(in[1], shapes.Make(at.DType, append(slices.Clone(at.Dimensions), 1)...))
	}
	a := gatherAttr{vector, slices.Clone(offsets), slices.Clone(collapsed), slices.Clone(from),
		slices.Clone(sizes)}
	shape, err := shapeinference.Gather(in[0].shape, in[1].shape, vector, offsets, collapsed, from, sizes,
		sorted)
	if err != nil {
		return nil, err
	}
	return f.add(&node{op: compute.OpTypeGather, shape: shape, inputs: in, attr: a,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			sizes := slices.Clone(a.sizes)
			for i := range sizes {
				if sizes[i] == shapes.DynamicDim {
					sizes[i] = in[0].(*node).shape.Dimensions[i]
				}
			}
			return f.Gather(in[0], in[1], vector, a.offsets, a.collapsed, a.from, sizes, sorted)
		})}), nil
}

// startsOf returns the start indices of a slice: scalars, or one vector of them.
func (f *Function) startsOf(starts []compute.Value) ([]compute.Value, error) {
	in, err := f.values("start indices", starts...)
	if err != nil {
		return nil, err
	}
	if len(in) != 1 || in[0].shape.Rank() != 1 {
		return starts, nil
	}
	var list []compute.Value
	for i := range in[0].shape.Dimensions[0] {
		v, err := f.Slice(in[0], []int{i}, []int{i + 1}, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, f.reshape(v.(*node), shapes.Make(in[0].shape.DType)))
	}
	return list, nil
}

// DynamicSlice implements compute.StandardOps.
func (f *Function) DynamicSlice(x compute.Value, starts []compute.Value, sizes []int) (compute.Value,
	error) {
	starts, err := f.startsOf(starts)
	if err != nil {
		return nil, err
	}
	in, err := f.values("DynamicSlice", append([]compute.Value{x}, starts...)...)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.DynamicSlice(in[0].shape, sizes)
	if err != nil {
		return nil, err
	}
	if err := checkStarts("DynamicSlice", in[0], in[1:]); err != nil {
		return nil, err
	}
	sizes = slices.Clone(sizes)
	return f.add(&node{op: compute.OpTypeDynamicSlice, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.DynamicSlice(in[0], in[1:], sizes)
		})}), nil
}

// DynamicUpdateSlice implements compute.StandardOps.
func (f *Function) DynamicUpdateSlice(x, update compute.Value, starts []compute.Value) (compute.Value,
	error) {
	starts, err := f.startsOf(starts)
	if err != nil {
		return nil, err
	}
	in, err := f.values("DynamicUpdateSlice", append([]compute.Value{x, update}, starts...)...)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.DynamicUpdateSlice(in[0].shape, in[1].shape)
	if err != nil {
		return nil, err
	}
	if err := checkStarts("DynamicUpdateSlice", in[0], in[2:]); err != nil {
		return nil, err
	}
	return f.add(&node{op: compute.OpTypeDynamicUpdateSlice, shape: shape, inputs: in,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.DynamicUpdateSlice(in[0], in[1], in[2:])
		})}), nil
}

func checkStarts(op string, x *node, starts []*node) error {
	if len(starts) != x.shape.Rank() {
		return errors.Errorf("%s: %d start indices for %s", op, len(starts), x.shape)
	}
	for _, s := range starts {
		if !s.shape.IsScalar() || !s.shape.DType.IsInt() {
			return errors.Errorf("%s: a start index of %s", op, s.shape)
		}
	}
	return nil
}

// OptimizationBarrier implements compute.StandardOps: the operands are made before the results are used.
func (f *Function) OptimizationBarrier(operands ...compute.Value) ([]compute.Value, error) {
	in, err := f.values("OptimizationBarrier", operands...)
	if err != nil {
		return nil, err
	}
	n := &node{op: compute.OpTypeOptimizationBarrier, inputs: in,
		again: func(f *Function, in []compute.Value, _ shapes.AxisBindings) ([]compute.Value, error) {
			return f.OptimizationBarrier(in...)
		}}
	for _, x := range in {
		n.outs = append(n.outs, x.shape)
	}
	return f.parts(n), nil
}

// SchedulingBarrier implements compute.StandardOps.
func (f *Function) SchedulingBarrier(x compute.Value, dependencies ...compute.Value) (compute.Value,
	error) {
	list, err := f.OptimizationBarrier(append([]compute.Value{x}, dependencies...)...)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}
