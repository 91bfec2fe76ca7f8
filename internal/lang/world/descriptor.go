package world

import "github.com/nereid-lang/nereid/internal/pyrun/object"

// DescriptorValue is a tensor descriptor among the arguments that functions of the file are given, Triton's
// TensorDescriptor. Hooks of configs set its block_shape.
type DescriptorValue struct {
	Base                  *TensorValue
	Shape, Strides, Block []int64
	NaN                   bool
}

// TypeName is that of Triton.
func (*DescriptorValue) TypeName() string { return "TensorDescriptor" }

// HashKey makes descriptors usable as keys, by identity.
func (d *DescriptorValue) HashKey() (any, error) { return d, nil }

// list returns the list that an attribute is, or nil.
func (d *DescriptorValue) list(name string) *[]int64 {
	switch name {
	case "shape":
		return &d.Shape
	case "strides":
		return &d.Strides
	case "block_shape":
		return &d.Block
	}
	return nil
}

// Attr is an attribute.
func (d *DescriptorValue) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	if list := d.list(name); list != nil {
		return &object.List{Items: ints(*list).Items}, true, nil
	}
	switch name {
	case "base":
		return d.Base, true, nil
	case "padding":
		if d.NaN {
			return object.Str("nan"), true, nil
		}
		return object.Str("zero"), true, nil
	}
	return nil, false, nil
}

// SetAttr sets an attribute that is a list of integers.
func (d *DescriptorValue) SetAttr(in *object.Interp, name string, v object.Value) error {
	list := d.list(name)
	if list == nil {
		return object.Errorf(object.AttributeError,
			"%s of a TensorDescriptor cannot be set here: shape, strides and block_shape can", name)
	}
	items, err := object.Iterate(in, v)
	if err != nil {
		return err
	}
	out := make([]int64, len(items))
	for i, item := range items {
		n, ok := object.AsInt64(Unwrap(item))
		if !ok {
			return object.Errorf(object.TypeError, "%s of a TensorDescriptor is a list of integers", name)
		}
		out[i] = n
	}
	*list = out
	return nil
}

// descriptorClass is TensorDescriptor. Host code makes descriptors; kernels and hooks are given them.
var descriptorClass = &typeClass{name: "TensorDescriptor", is: func(v object.Value) bool {
	_, ok := v.(*DescriptorValue)
	return ok
}}
