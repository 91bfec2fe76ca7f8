package arith

import "github.com/nereid-lang/nereid/internal/ir"

// ValueType is the type that a constant's value carries, or nil.
func ValueType(a ir.Attr) ir.Type {
	switch a := a.(type) {
	case *ir.IntegerAttr:
		return a.Type
	case *ir.FloatAttr:
		return a.Type
	case *ir.DenseAttr:
		return a.Type
	}
	return nil
}

// Const makes a constant.
func Const(b *ir.Builder, value ir.Attr) *ir.Value {
	return b.ValA(Constant, ValueType(value), []ir.NamedAttr{ir.A("value", value)})
}

// ConstInt makes an integer or index constant; for a tensor type, one with v in every place.
func ConstInt(b *ir.Builder, v int64, t ir.Type) *ir.Value {
	return Const(b, Splat(t, ir.IntAttr(v, ir.ElemOf(t))))
}

// ConstFloat makes a float constant; for a tensor type, one with v in every place.
func ConstFloat(b *ir.Builder, v float64, t ir.Type) *ir.Value {
	return Const(b, Splat(t, ir.FloatOf(v, ir.ElemOf(t).(*ir.FloatType))))
}

// Splat is the value of type t that has the scalar in every place: the scalar itself when t is no shaped
// type.
func Splat(t ir.Type, scalar ir.Attr) ir.Attr {
	if ir.ElemOf(t) == t {
		return scalar
	}
	return ir.DenseSplat(t, scalar)
}

// ValueOf is the value of a constant, or nil when v is none.
func ValueOf(v *ir.Value) ir.Attr {
	if op := v.DefBy(Constant); op != nil {
		return op.Attr("value")
	}
	return nil
}

// Uniform is the scalar that a constant's value has in every place, or nil.
func Uniform(a ir.Attr) ir.Attr {
	switch a := a.(type) {
	case *ir.IntegerAttr, *ir.FloatAttr:
		return a
	case *ir.DenseAttr:
		if a.Splat {
			return a.Elem(0)
		}
	}
	return nil
}

// IntOf is the integer that a constant value has in every place.
func IntOf(v *ir.Value) (int64, bool) {
	if a, ok := Uniform(ValueOf(v)).(*ir.IntegerAttr); ok {
		return a.Value, true
	}
	return 0, false
}

// FloatOf is the float that a constant value has in every place.
func FloatOf(v *ir.Value) (float64, bool) {
	if a, ok := Uniform(ValueOf(v)).(*ir.FloatAttr); ok {
		return a.Value(), true
	}
	return 0, false
}

// PlusConstant returns a number as another, nil for a constant, and what is added to it.
func PlusConstant(v *ir.Value) (of *ir.Value, n int64) {
	for op := v.Def(); op != nil && (op.Def == AddI || op.Def == SubI); op = v.Def() {
		by, ok := IntOf(op.Operand(1))
		if !ok {
			return v, n
		}
		if op.Def == SubI {
			by = -by
		}
		v, n = op.Operand(0), n+by
	}
	if by, ok := IntOf(v); ok {
		return nil, n + by
	}
	return v, n
}
