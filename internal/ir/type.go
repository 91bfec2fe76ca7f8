package ir

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/intern"
	"github.com/nereid-lang/nereid/internal/num"
)

// Type is the type of a value. Types are interned: two types are equal exactly when they are the same
// pointer.
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

// DialectType is a type of a dialect, `!tt.ptr<f32>`. Dialect packages hand out their types through
// Dialect.Type; Params holds what the constructor was given (types, attributes, integers, strings), in an
// order fixed by the Def.
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
	intTypes     intern.Table[IntegerType, IntegerType]
	floatTypes   intern.Table[*num.Format, FloatType]
	tensorTypes  intern.Table[key, TensorType]
	memrefTypes  intern.Table[key, MemRefType]
	vectorTypes  intern.Table[key, VectorType]
	funcTypes    intern.Table[key, FunctionType]
	tupleTypes   intern.Table[key, TupleType]
	complexTypes intern.Table[key, ComplexType]
	dialectTypes intern.Table[key, DialectType]
	opaqueTypes  intern.Table[string, OpaqueType]
)

// Int returns the signless integer type of a width.
func Int(width int) *IntegerType { return SignedInt(width, Signless) }

// SignedInt returns an integer type with a signedness.
func SignedInt(width int, sign Signedness) *IntegerType {
	return intTypes.Get(IntegerType{width, sign}, func() *IntegerType { return &IntegerType{width, sign} })
}

// Float returns the float type of a format.
func Float(f *num.Format) *FloatType {
	return floatTypes.Get(f, func() *FloatType { return &FloatType{f} })
}

// Tensor returns a ranked tensor type; encoding may be nil.
func Tensor(shape []int64, elem Type, encoding Attr) *TensorType {
	return tensorTypes.Get(key{a: address(elem), b: address(encoding), text: shapeKey(shape)},
		func() *TensorType {
			return &TensorType{Shape: slices.Clone(shape), Elem: elem, Encoding: encoding}
		})
}

// UnrankedTensor returns `tensor<*xelem>`.
func UnrankedTensor(elem Type) *TensorType {
	return tensorTypes.Get(key{a: address(elem), text: "*"}, func() *TensorType {
		return &TensorType{Elem: elem, Unranked: true}
	})
}

// MemRef returns a ranked memref type; layout and space may be nil.
func MemRef(shape []int64, elem Type, layout, space Attr) *MemRefType {
	k := key{a: address(elem), b: address(layout), c: address(space), text: shapeKey(shape)}
	return memrefTypes.Get(k, func() *MemRefType {
		return &MemRefType{Shape: slices.Clone(shape), Elem: elem, Layout: layout, Space: space}
	})
}

// UnrankedMemRef returns `memref<*xelem, space>`.
func UnrankedMemRef(elem Type, space Attr) *MemRefType {
	return memrefTypes.Get(key{a: address(elem), c: address(space), text: "*"}, func() *MemRefType {
		return &MemRefType{Elem: elem, Space: space, Unranked: true}
	})
}

// Vector returns a vector type; scalable may be nil.
func Vector(shape []int64, scalable []bool, elem Type) *VectorType {
	var b strings.Builder
	b.WriteString(shapeKey(shape))
	for _, s := range scalable {
		b.WriteString(strconv.FormatBool(s))
	}
	return vectorTypes.Get(key{a: address(elem), text: b.String()}, func() *VectorType {
		return &VectorType{slices.Clone(shape), slices.Clone(scalable), elem}
	})
}

// Func returns a function type.
func Func(ins, outs []Type) *FunctionType {
	return funcTypes.Get(key{text: listKey(ins) + ">" + listKey(outs)}, func() *FunctionType {
		return &FunctionType{slices.Clone(ins), slices.Clone(outs)}
	})
}

// Tuple returns a tuple type.
func Tuple(elems []Type) *TupleType {
	return tupleTypes.Get(key{text: listKey(elems)}, func() *TupleType {
		return &TupleType{slices.Clone(elems)}
	})
}

// Complex returns a complex type.
func Complex(elem Type) *ComplexType {
	return complexTypes.Get(key{a: address(elem)}, func() *ComplexType { return &ComplexType{elem} })
}

// Opaque returns a type known by its text alone, `!foo.bar<...>`.
func Opaque(text string) *OpaqueType {
	return opaqueTypes.Get(text, func() *OpaqueType { return &OpaqueType{text} })
}

// Rank returns the number of dimensions.
func (t *TensorType) Rank() int { return len(t.Shape) }

// NumElements returns the product of the dimensions; all must be static.
func (t *TensorType) NumElements() int64 { return product(t.Shape) }

// With returns the same tensor with another element type.
func (t *TensorType) With(elem Type) *TensorType {
	if t.Unranked {
		return UnrankedTensor(elem)
	}
	return Tensor(t.Shape, elem, t.Encoding)
}

// WithEncoding returns the same tensor with another encoding.
func (t *TensorType) WithEncoding(enc Attr) *TensorType { return Tensor(t.Shape, t.Elem, enc) }

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// ElemOf returns the element type of a tensor, vector or memref, and t itself otherwise.
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

// ShapeOf returns the shape of a tensor, vector or memref, and nil otherwise.
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

// WithElem returns t with another element type: a shaped type of the same shape, or elem itself when t is a
// scalar.
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

// BitWidth returns the width of an integer, float or index type, and 0 for others.
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
