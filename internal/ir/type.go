package ir

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// Type is the type of a value. Types are interned: two types are equal exactly when they are the same pointer.
type Type interface {
	// String is the type in MLIR's syntax, without aliases.
	String() string
	printType(p *Printer)
}

// Signedness of an integer type; almost all integers are signless.
type Signedness uint8

const (
	Signless Signedness = iota
	Signed
	Unsigned
)

// IntegerType is iN, siN or uiN.
type IntegerType struct {
	Width int
	Sign  Signedness
}

// FloatType is a floating point type; Format says how its bits read.
type FloatType struct{ Format *num.Format }

// IndexType is `index`, an integer as wide as a pointer.
type IndexType struct{ _ byte } // not empty: identity is the address

// NoneType is `none`.
type NoneType struct{ _ byte }

// TensorType is `tensor<4x?xf32, encoding>`; a dimension of unknown size is Dynamic.
type TensorType struct {
	Shape    []int64
	Elem     Type
	Encoding Attr // nil for none
	Unranked bool // tensor<*xf32>
}

// MemRefType is `memref<4x?xf32, layout, space>`.
type MemRefType struct {
	Shape    []int64
	Elem     Type
	Layout   Attr // an AffineMapAttr or StridedLayoutAttr; nil for the identity
	Space    Attr // nil for the default
	Unranked bool // memref<*xf32>
}

// VectorType is `vector<4x[8]xf32>`.
type VectorType struct {
	Shape    []int64
	Scalable []bool // nil when no dimension is
	Elem     Type
}

// FunctionType is `(ins) -> outs`.
type FunctionType struct{ Ins, Outs []Type }

// TupleType is `tuple<i32, f32>`.
type TupleType struct{ Elems []Type }

// ComplexType is `complex<f32>`.
type ComplexType struct{ Elem Type }

// DialectType is a type of a dialect, `!tt.ptr<f32>`. Dialect packages hand out their types through Dialect.Type; Params holds what
// the constructor was given (types, attributes, integers, strings), in an order fixed by the Def.
type DialectType struct {
	Def    *TypeDef
	Params []any
}

// OpaqueType is a type of a dialect nobody declared, or one whose syntax is unknown: its text, verbatim.
type OpaqueType struct{ Text string }

// Dynamic is the size of a dimension that is not known at compile time.
const Dynamic = math.MinInt64

// The types everyone uses.
var (
	Index Type = &IndexType{}
	None  Type = &NoneType{}

	I1  = Int(1)
	I8  = Int(8)
	I16 = Int(16)
	I32 = Int(32)
	I64 = Int(64)

	F16  = Float(num.F16)
	BF16 = Float(num.BF16)
	F32  = Float(num.F32)
	TF32 = Float(num.TF32)
	F64  = Float(num.F64)

	F8E5M2     = Float(num.F8E5M2)
	F8E4M3FN   = Float(num.F8E4M3FN)
	F8E4M3FNUZ = Float(num.F8E4M3FNUZ)
	F8E5M2FNUZ = Float(num.F8E5M2FNUZ)
	F8E4M3B11  = Float(num.F8E4M3B11FNZ)
)

var (
	intTypes   interner[IntegerType, *IntegerType]
	floatTypes interner[*num.Format, *FloatType]
	otherTypes interner[string, Type]
)

// Int is the signless integer type of a width.
func Int(width int) *IntegerType { return SignedInt(width, Signless) }

// SignedInt is an integer type with a signedness.
func SignedInt(width int, sign Signedness) *IntegerType {
	k := IntegerType{width, sign}
	return intTypes.get(k, func() *IntegerType { return &k })
}

// Float is the float type of a format.
func Float(f *num.Format) *FloatType {
	return floatTypes.get(f, func() *FloatType { return &FloatType{f} })
}

// Tensor is a ranked tensor type; encoding may be nil.
func Tensor(shape []int64, elem Type, encoding Attr) *TensorType {
	t := &TensorType{Shape: shape, Elem: elem, Encoding: encoding}
	return otherTypes.get("tensor"+shapeKey(shape)+ptrKey(elem)+ptrKey(encoding), func() Type { return t.copyShape() }).(*TensorType)
}

// UnrankedTensor is `tensor<*xelem>`.
func UnrankedTensor(elem Type) *TensorType {
	return otherTypes.get("tensor*"+ptrKey(elem), func() Type { return &TensorType{Elem: elem, Unranked: true} }).(*TensorType)
}

// MemRef is a ranked memref type; layout and space may be nil.
func MemRef(shape []int64, elem Type, layout, space Attr) *MemRefType {
	k := "memref" + shapeKey(shape) + ptrKey(elem) + ptrKey(layout) + ptrKey(space)
	return otherTypes.get(k, func() Type {
		return &MemRefType{Shape: append([]int64(nil), shape...), Elem: elem, Layout: layout, Space: space}
	}).(*MemRefType)
}

// UnrankedMemRef is `memref<*xelem, space>`.
func UnrankedMemRef(elem Type, space Attr) *MemRefType {
	return otherTypes.get("memref*"+ptrKey(elem)+ptrKey(space), func() Type {
		return &MemRefType{Elem: elem, Space: space, Unranked: true}
	}).(*MemRefType)
}

// Vector is a vector type; scalable may be nil.
func Vector(shape []int64, scalable []bool, elem Type) *VectorType {
	var b strings.Builder
	b.WriteString("vector" + shapeKey(shape) + ptrKey(elem))
	for _, s := range scalable {
		b.WriteString(strconv.FormatBool(s))
	}
	return otherTypes.get(b.String(), func() Type {
		return &VectorType{append([]int64(nil), shape...), append([]bool(nil), scalable...), elem}
	}).(*VectorType)
}

// Func is a function type.
func Func(ins, outs []Type) *FunctionType {
	return otherTypes.get("func"+typesKey(ins)+">"+typesKey(outs), func() Type {
		return &FunctionType{append([]Type(nil), ins...), append([]Type(nil), outs...)}
	}).(*FunctionType)
}

// Tuple is a tuple type.
func Tuple(elems []Type) *TupleType {
	return otherTypes.get("tuple"+typesKey(elems), func() Type { return &TupleType{append([]Type(nil), elems...)} }).(*TupleType)
}

// Complex is a complex type.
func Complex(elem Type) *ComplexType {
	return otherTypes.get("complex"+ptrKey(elem), func() Type { return &ComplexType{elem} }).(*ComplexType)
}

// Opaque is a type known by its text alone, `!foo.bar<...>`.
func Opaque(text string) *OpaqueType {
	return otherTypes.get("opaque"+text, func() Type { return &OpaqueType{text} }).(*OpaqueType)
}

func (t *TensorType) copyShape() *TensorType {
	c := *t
	c.Shape = append([]int64(nil), t.Shape...)
	return &c
}

func shapeKey(shape []int64) string {
	b := make([]byte, 0, 8*len(shape)+1)
	b = append(b, byte(len(shape)))
	for _, n := range shape {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return string(b)
}

func typesKey(ts []Type) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(len(ts)))
	for _, t := range ts {
		b.WriteString(ptrKey(t))
	}
	return b.String()
}

// Rank is the number of dimensions.
func (t *TensorType) Rank() int { return len(t.Shape) }

// NumElements is the product of the dimensions; all must be static.
func (t *TensorType) NumElements() int64 { return product(t.Shape) }

// With is the same tensor with another element type.
func (t *TensorType) With(elem Type) *TensorType {
	if t.Unranked {
		return UnrankedTensor(elem)
	}
	return Tensor(t.Shape, elem, t.Encoding)
}

// WithEncoding is the same tensor with another encoding.
func (t *TensorType) WithEncoding(enc Attr) *TensorType { return Tensor(t.Shape, t.Elem, enc) }

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// ElemOf is the element type of a tensor, vector or memref, and t itself otherwise.
func ElemOf(t Type) Type {
	switch t := t.(type) {
	case *TensorType:
		return t.Elem
	case *VectorType:
		return t.Elem
	case *MemRefType:
		return t.Elem
	}
	return t
}

// ShapeOf is the shape of a tensor, vector or memref, and nil otherwise.
func ShapeOf(t Type) []int64 {
	switch t := t.(type) {
	case *TensorType:
		return t.Shape
	case *VectorType:
		return t.Shape
	case *MemRefType:
		return t.Shape
	}
	return nil
}

// WithElem is t with another element type: a shaped type of the same shape, or elem itself when t is a scalar.
func WithElem(t, elem Type) Type {
	switch t := t.(type) {
	case *TensorType:
		return t.With(elem)
	case *VectorType:
		return Vector(t.Shape, t.Scalable, elem)
	}
	return elem
}

// IsInt reports whether t is an integer type.
func IsInt(t Type) bool { _, ok := t.(*IntegerType); return ok }

// IsFloat reports whether t is a float type.
func IsFloat(t Type) bool { _, ok := t.(*FloatType); return ok }

// BitWidth is the width of an integer, float or index type, and 0 for others.
func BitWidth(t Type) int {
	switch t := t.(type) {
	case *IntegerType:
		return t.Width
	case *FloatType:
		return t.Format.Bits
	case *IndexType:
		return 64
	}
	return 0
}
