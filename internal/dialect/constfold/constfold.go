// Package constfold computes with constant attributes, element by element and exactly: integers wrap at
// their width, floats round once, to nearest even, in their own format. It is what the folders of all
// dialects share.
//
// A constant is an IntegerAttr, a FloatAttr, a DenseAttr of those, or poison, which is contagious. What
// cannot be computed exactly (division by zero, a conversion out of range) is left alone: the result is
// nil.
package constfold

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// Of is the constant that v is known to be, or nil.
func Of(v *ir.Value) ir.Attr {
	if def := v.Def(); def != nil && def.Def.Has(ir.ConstantLike) {
		return def.Attr("value")
	}
	return nil
}

// IsPoison reports whether a is ub's poison: a value that nothing may depend on.
func IsPoison(a ir.Attr) bool {
	d, ok := a.(*ir.DialectAttr)
	return ok && d.Def.Dialect != nil && d.Def.Dialect.Name == "ub"
}

// Scalar is the scalar attribute of a constant whose elements are all equal, or nil.
func Scalar(a ir.Attr) ir.Attr {
	switch a := a.(type) {
	case *ir.IntegerAttr:
		return a
	case *ir.FloatAttr:
		return a
	case *ir.DenseAttr:
		if a.Splat || a.Len() == 1 {
			return a.Elem(0)
		}
	}
	return nil
}

// Int is the integer that a scalar, or every element of a splat, equals. It is sign-extended (i1: 0 or 1).
func Int(a ir.Attr) (int64, bool) {
	i, ok := Scalar(a).(*ir.IntegerAttr)
	if !ok {
		return 0, false
	}
	return i.Value, true
}

// Float is the float that a scalar, or every element of a splat, equals.
func Float(a ir.Attr) (*ir.FloatAttr, bool) {
	f, ok := Scalar(a).(*ir.FloatAttr)
	return f, ok
}

// IntOf is Int of the constant that a value is.
func IntOf(v *ir.Value) (int64, bool) { return Int(Of(v)) }

// IsInt reports whether a is the integer n (in each element), cut to its width.
func IsInt(a ir.Attr, n int64) bool {
	i, ok := Scalar(a).(*ir.IntegerAttr)
	return ok && i.Value == ir.NormInt(n, i.Type)
}

// IsAllOnes reports whether all bits of the integer a are set, in each element.
func IsAllOnes(a ir.Attr) bool { return IsInt(a, -1) }

// IsFloat reports whether a is the float v (in each element), zeros told apart by sign.
func IsFloat(a ir.Attr, v float64) bool {
	f, ok := Float(a)
	return ok && f.Bits == f.Type.Format.Encode(v)
}

// IsNaN reports whether a is not a number.
func IsNaN(a ir.Attr) bool {
	f, ok := Float(a)
	return ok && f.Value() != f.Value()
}

// Splat is the constant of type t (scalar or shaped) whose elements are all the scalar elem; nil when t has
// no such constants.
func Splat(t ir.Type, elem ir.Attr) ir.Attr {
	switch t := t.(type) {
	case *ir.TensorType:
		if !static(t.Shape) || t.Unranked {
			return nil
		}
		return ir.DenseSplat(t, elem)
	case *ir.VectorType:
		if t.Scalable != nil {
			return nil
		}
		return ir.DenseSplat(t, elem)
	}
	return elem
}

func static(shape []int64) bool {
	for _, n := range shape {
		if n == ir.Dynamic {
			return false
		}
	}
	return true
}

// IntOfType is the integer n as a constant of type t, which is an integer, index, or shaped of those; nil
// otherwise.
func IntOfType(n int64, t ir.Type) ir.Attr {
	elem := ir.ElemOf(t)
	if !isInt(elem) {
		return nil
	}
	return Splat(t, ir.IntAttr(n, elem))
}

// FloatOfType is the float nearest to v as a constant of type t; nil when t is no float.
func FloatOfType(v float64, t ir.Type) ir.Attr {
	elem, ok := ir.ElemOf(t).(*ir.FloatType)
	if !ok {
		return nil
	}
	return Splat(t, ir.FloatOf(v, elem))
}

// Zero is the zero of type t, or nil.
func Zero(t ir.Type) ir.Attr {
	if a := IntOfType(0, t); a != nil {
		return a
	}
	return FloatOfType(0, t)
}

// Reshape is a as a constant of another shaped type with the same elements in the same order; nil when a is
// not dense.
func Reshape(a ir.Attr, t ir.Type) ir.Attr {
	d, ok := a.(*ir.DenseAttr)
	if !ok {
		return nil
	}
	return ir.Dense(t, d.Splat, d.Data)
}

// isInt reports whether t is an integer that fits into an attribute.
func isInt(t ir.Type) bool {
	if t == ir.Index {
		return true
	}
	it, ok := t.(*ir.IntegerType)
	return ok && it.Width <= 64
}
