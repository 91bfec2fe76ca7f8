package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// IntegerPromote returns the type in which two integer types compute together: the wider one, and of equal
// width the unsigned.
func IntegerPromote(a, b *DType) *DType {
	switch {
	case a.Kind == b.Kind:
		if a.Bits > b.Bits {
			return a
		}
		return b
	case a.Kind == UnsignedInt:
		if a.Bits >= b.Bits {
			return a
		}
		return b
	}
	if b.Bits >= a.Bits {
		return b
	}
	return a
}

// rank returns the order of the kinds of numbers: bool, integer, float.
func (t *DType) rank() int {
	switch {
	case t == Int1:
		return 0
	case t.IsInt():
		return 1
	}
	return 2
}

// computeType returns the type in which two types compute together. A compile-time number (aConst, bConst) of
// no higher rank than the other operand takes that operand's type. Division of small floats is done in fp32;
// fp8 is among them where fp8Too is set.
func computeType(a *DType, aConst bool, b *DType, bConst, div, fp8Too bool) *DType {
	if aConst != bConst {
		number, other := a, b
		if bConst {
			number, other = b, a
		}
		if number.rank() <= other.rank() {
			if div && (other == Float16 || other == BFloat16 || fp8Too && other.IsFP8()) {
				return Float32
			}
			return other
		}
	}
	if div && fp8Too && (a.IsFP8() || b.IsFP8()) && a != Float64 && b != Float64 {
		return Float32
	}
	if t := computeFloat(a, b, div); t != nil {
		return t
	}
	if !a.IsInt() || !b.IsInt() {
		panic(bad(CodeType, "%s and %s have no common type", a, b).hint("cast one of them explicitly"))
	}
	if div && a.Kind != b.Kind {
		panic(bad(CodeType, "/, // and %% need operands of the same signedness, not %s and %s", a, b).
			hint("cast one of them"))
	}
	return IntegerPromote(a, b)
}

// computeFloat returns the float type that a and b compute in, or nil when no rule for floats applies.
func computeFloat(a, b *DType, div bool) *DType {
	either := func(t *DType) bool { return a == t || b == t }
	switch {
	case either(Float64):
		return Float64
	case either(Float32):
		return Float32
	case either(Float16):
		if div {
			return Float32
		}
		return Float16
	case a == BFloat16 && b == BFloat16 && !div:
		return BFloat16
	case either(BFloat16):
		return Float32
	case a.IsFP8() && b.IsFP8():
		if a == b {
			return a
		}
		return Float16
	}
	return nil
}

// mode says what an operator allows of its operands.
type mode uint8

const (
	ptrLeft  mode = 1 << iota // the left operand may be a pointer
	ptrRight                  // the right one may be
	asIs                      // types are left alone, only shapes made equal
	division                  // see computeType
)

// operands makes two operands of one type and shape.
func (b *Builder) operands(l, r object.Value, m mode) (*Tensor, *Tensor) {
	lConst, rConst := isNumber(l), isNumber(r)
	if !b.has(triton.ScalarsAdapt) { // constants that nothing uses, unless types are left alone
		l, r = b.remember(l), b.remember(r)
	}
	xt, yt := typeOf(l), typeOf(r)
	checkPointer(xt, yt, m&ptrLeft != 0)
	checkPointer(yt, xt, m&ptrRight != 0)
	if m&asIs != 0 || IsPtr(xt) || IsPtr(yt) {
		return b.broadcastValues(b.toTensor(l), b.toTensor(r))
	}
	t := computeType(dtypeOf(xt), lConst, dtypeOf(yt), rConst, m&division != 0, b.has(triton.DivisionInFP32))
	x, y := b.operand(l, t), b.operand(r, t)
	return b.broadcastValues(x, y)
}

// madeNumber is a number together with the device value that was made of it.
type madeNumber struct {
	object.Value
	made *Tensor
}

// remember makes a device value of a number, in case that it is needed.
func (b *Builder) remember(v object.Value) object.Value {
	if isNumber(v) {
		return madeNumber{v, b.toTensor(v)}
	}
	return b.toTensor(v)
}

// typeOf returns the scalar type of an operand; a number has the type that it has by itself.
func typeOf(v object.Value) Type {
	switch v := v.(type) {
	case *Tensor:
		return Scalar(v.Type)
	case madeNumber:
		return Scalar(v.made.Type)
	}
	return numberType(v)
}

// operand gives a number or a tensor the type in which it takes part.
func (b *Builder) operand(v object.Value, t *DType) *Tensor {
	if x, ok := v.(*Tensor); ok {
		return b.cast(x, t, noRounding)
	}
	if m, ok := v.(madeNumber); ok {
		v = m.Value
	}
	checkConst(v, true, t)
	return b.scalar(v, t)
}

// threeOperands makes three operands of one type and shape. Types of tensors and of numbers are combined
// apart, so that their order makes no difference.
func (b *Builder) threeOperands(vs ...object.Value) (x, y, z *Tensor) {
	var tensors, numbers *DType
	for _, v := range vs {
		t, number := dtypeOf(typeOf(v)), isNumber(v)
		switch {
		case number && numbers == nil:
			numbers = t
		case number:
			numbers = computeType(numbers, true, t, true, false, true)
		case tensors == nil:
			tensors = t
		default:
			tensors = computeType(tensors, false, t, false, false, true)
		}
	}
	t := tensors
	switch {
	case tensors == nil:
		t = numbers
	case numbers != nil:
		t = computeType(tensors, false, numbers, true, false, true)
	}
	x, y, z = b.operand(vs[0], t), b.operand(vs[1], t), b.operand(vs[2], t)
	x, y = b.broadcastValues(x, y)
	x, z = b.broadcastValues(x, z)
	y, z = b.broadcastValues(y, z)
	return x, y, z
}

// dtypeOf returns a scalar type that is no pointer; operands checks pointers first.
func dtypeOf(t Type) *DType {
	d, ok := t.(*DType)
	if !ok || d == VoidType {
		panic(bad(CodeType, "a value of type %s is no operand", t))
	}
	return d
}

// scalarType returns the element type of a tensor that is no pointer, or nil.
func scalarType(x *Tensor) *DType {
	d, _ := Scalar(x.Type).(*DType)
	return d
}

// pointerHint returns advice for a pointer in arithmetic with a value of some type.
func pointerHint(other Type) string {
	if d, ok := other.(*DType); ok && d.IsFloating() {
		return "the offset of a pointer is an integer"
	}
	return "load what it points to first"
}

func checkPointer(a, b Type, allowed bool) {
	p, ok := a.(*PtrType)
	if !ok {
		return
	}
	d, _ := b.(*DType)
	if !allowed || IsPtr(b) && a != b || d != nil && d.IsFloating() {
		panic(bad(CodeType, "invalid operands of type %s and %s", p, b).hint("%s", pointerHint(b)))
	}
}

// checkConst makes sure that a compile-time number fits the type it is given.
func checkConst(v object.Value, isConst bool, t *DType) {
	if !isConst || !t.IsInt() {
		return
	}
	if t.Kind == UnsignedInt && isNegative(v) {
		panic(bad(CodeValue, "the negative constant %s cannot be an operand beside %s", numberText(v), t).
			hint("cast one of them explicitly"))
	}
	if i, ok := integer(v); ok && !fits(i, t) {
		panic(bad(CodeValue, "%[2]s cannot hold the constant %[1]s", i, t))
	}
}

// broadcastValues makes two values of one shape.
func (b *Builder) broadcastValues(x, y *Tensor) (*Tensor, *Tensor) {
	switch xb, yb := IsBlock(x.Type), IsBlock(y.Type); {
	case xb && !yb:
		return x, b.splat(y, ShapeOf(x.Type))
	case !xb && yb:
		return b.splat(x, ShapeOf(y.Type)), y
	case !xb && !yb:
		return x, y
	}
	from := [2][]int64{ShapeOf(x.Type), ShapeOf(y.Type)}
	for len(ShapeOf(x.Type)) < len(ShapeOf(y.Type)) {
		x = b.expandDims(x, 0)
	}
	for len(ShapeOf(y.Type)) < len(ShapeOf(x.Type)) {
		y = b.expandDims(y, 0)
	}
	shape := commonShape(ShapeOf(x.Type), ShapeOf(y.Type), from)
	return b.broadcast(x, shape), b.broadcast(y, shape)
}

// commonShape returns the shape that two blocks of the same rank broadcast to; from has the shapes that they
// had before, for messages.
func commonShape(a, b []int64, from [2][]int64) []int64 {
	shape := slices.Clone(a)
	for i, l := range a {
		switch r := b[i]; {
		case l == 1:
			shape[i] = r
		case r != 1 && r != l:
			panic(bad(CodeShape, "shapes %s and %s do not go together: dimension %d is %d and %d",
				plainShape(from[0]), plainShape(from[1]), i, l, r).hint("%s", columnHint(from)))
		}
	}
	return shape
}

// columnHint returns advice where a vector meets a matrix: it counts as a row, and often a column is meant.
func columnHint(from [2][]int64) string {
	for _, s := range from {
		if len(s) == 1 && len(from[0]) != len(from[1]) {
			return "a vector counts as a row; [:, None] makes a column of it"
		}
	}
	return ""
}

// broadcastAll returns several values in one shape: each is broadcast with the first, and then all but the
// last again, since the first may have grown.
func (b *Builder) broadcastAll(xs ...*Tensor) []*Tensor {
	if len(xs) == 0 {
		return nil
	}
	out := slices.Clone(xs)
	for i := 1; i < len(out); i++ {
		out[0], out[i] = b.broadcastValues(out[0], out[i])
	}
	for i := 1; i < len(out)-1; i++ {
		out[0], out[i] = b.broadcastValues(out[0], out[i])
	}
	return out
}

// broadcastTo gives x a shape; a block must have that rank already.
func (b *Builder) broadcastTo(x *Tensor, shape []int64) *Tensor {
	if !IsBlock(x.Type) {
		return b.splat(x, shape)
	}
	from := ShapeOf(x.Type)
	if len(from) != len(shape) {
		panic(bad(CodeShape, "a block of shape %s cannot be broadcast to %s: their ranks differ",
			plainShape(from), plainShape(shape)))
	}
	for i, d := range from {
		if shape[i] != d && d != 1 {
			panic(bad(CodeShape,
				"a block of shape %s cannot be broadcast to %s: dimension %d is %d, and only 1 becomes %d",
				plainShape(from), plainShape(shape), i, d, shape[i]))
		}
	}
	return b.broadcast(x, shape)
}

// expandDims inserts a dimension of size one.
func (b *Builder) expandDims(x *Tensor, axis int) *Tensor {
	shape := slices.Insert(slices.Clone(ShapeOf(x.Type)), axis, 1)
	if !IsBlock(x.Type) {
		return b.splat(x, shape)
	}
	return b.opA(tt.ExpandDims, Block(Scalar(x.Type), shape...),
		[]ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(axis)))}, x.V)
}
