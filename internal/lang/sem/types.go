package sem

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/intern"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Type is the type of a device value as the language sees it: signed and unsigned integers differ here,
// though not in IR. Types are interned: equality is identity. They are also host values, such as tl.float32
// or x.type.
type Type interface {
	object.Value
	// String returns the text that Triton prints: "fp32", "pointer<fp16>", "<['128'], int32>".
	String() string
	// Mangle returns the type's part in the name of a specialised function.
	Mangle() string
	// IR returns the type in IR; nil for void and for tuples, which have none of their own.
	IR() ir.Type
}

// Kind groups the scalar types.
type Kind uint8

const (
	Void Kind = iota
	SignedInt
	UnsignedInt // int1 too: a bool extends with zeros
	Floating
)

// DType is a scalar type.
type DType struct {
	Name string // Triton's short name: "fp32", "int32", "uint8", "int1", "fp8e4nv"
	Kind Kind
	Bits int // primitive bit width
	Man  int // mantissa bits of a float
	Bias int // exponent bias of a float

	ir ir.Type
}

// PtrType is a pointer to a scalar or (block pointers) to a block.
type PtrType struct {
	Elem  Type
	Space int
	Const bool
}

// BlockType is a tensor of scalars or pointers.
type BlockType struct {
	Shape []int64
	Elem  Type // a DType or PtrType
}

// DescType is the type of a tensor descriptor.
type DescType struct {
	Block *BlockType
}

// Tensor is a device value: a scalar, a pointer, or a block of them. It is an object.Value, so that names in
// a kernel hold either host values (compile-time) or device values.
type Tensor struct {
	V    *ir.Value
	Type Type
}

// TypeName returns the class name in the language.
func (*Tensor) TypeName() string    { return "tensor" }
func (*DType) TypeName() string     { return "dtype" }
func (*PtrType) TypeName() string   { return "pointer_type" }
func (*BlockType) TypeName() string { return "block_type" }
func (*DescType) TypeName() string  { return "tensor_descriptor_type" }

// Scalar returns the element type of a block, and t itself otherwise.
func Scalar(t Type) Type {
	if b, ok := t.(*BlockType); ok {
		return b.Elem
	}
	return t
}

// ShapeOf returns the shape of a block, and nil for a scalar.
func ShapeOf(t Type) []int64 {
	if b, ok := t.(*BlockType); ok {
		return b.Shape
	}
	return nil
}

// WithElem returns t with another element type: a block of the same shape, or elem itself when t is a scalar.
func WithElem(t, elem Type) Type {
	if b, ok := t.(*BlockType); ok {
		return Block(elem, b.Shape...)
	}
	return elem
}

// IsBlock reports whether t is a block type.
func IsBlock(t Type) bool { _, ok := t.(*BlockType); return ok }

// IsPtr reports whether t is a pointer, to a scalar or to a block.
func IsPtr(t Type) bool { _, ok := t.(*PtrType); return ok }

// IsBlockPtr reports whether t is a pointer to a block.
func IsBlockPtr(t Type) bool { p, ok := t.(*PtrType); return ok && IsBlock(p.Elem) }

// The scalar types.
var (
	VoidType = &DType{Name: "void"}

	Int1   = ScalarOf(dtype.Bool)
	Int8   = ScalarOf(dtype.Int8)
	Int16  = ScalarOf(dtype.Int16)
	Int32  = ScalarOf(dtype.Int32)
	Int64  = ScalarOf(dtype.Int64)
	Uint8  = ScalarOf(dtype.Uint8)
	Uint16 = ScalarOf(dtype.Uint16)
	Uint32 = ScalarOf(dtype.Uint32)
	Uint64 = ScalarOf(dtype.Uint64)

	Float8E5    = ScalarOf(dtype.Float8E5)
	Float8E5B16 = ScalarOf(dtype.Float8E5B16)
	Float8E4NV  = ScalarOf(dtype.Float8E4NV)
	Float8E4B8  = ScalarOf(dtype.Float8E4B8)
	Float8E4B15 = ScalarOf(dtype.Float8E4B15)
	Float16     = ScalarOf(dtype.Float16)
	BFloat16    = ScalarOf(dtype.BFloat16)
	Float32     = ScalarOf(dtype.Float32)
	Float64     = ScalarOf(dtype.Float64)
)

// scalars has the scalar type of each row of package dtype.
var scalars = func() map[dtype.Type]*DType {
	m := map[dtype.Type]*DType{}
	for t := range dtype.All() {
		m[t] = newScalar(t.Row())
	}
	return m
}()

// ScalarOf returns the scalar type of a row of package dtype.
func ScalarOf(t dtype.Type) *DType { return scalars[t] }

// newScalar returns the scalar type that a row describes.
func newScalar(r *dtype.Row) *DType {
	switch {
	case r.Format == nil && r.Kind == dtype.Signed:
		return &DType{r.TL, SignedInt, r.Bits, 0, 0, ir.Int(r.Bits)}
	case r.Format == nil:
		return &DType{r.TL, UnsignedInt, r.Bits, 0, 0, ir.Int(r.Bits)}
	case r.NoIR:
		return &DType{r.Name, Floating, r.Bits, r.Format.Man, r.Format.Bias, ir.Int(r.Bits)}
	}
	return &DType{r.Name, Floating, r.Bits, r.Format.Man, r.Format.Bias, ir.Float(r.Format)}
}

// Scalars yields void and the scalar types.
func Scalars() func(yield func(*DType) bool) {
	return func(yield func(*DType) bool) {
		if !yield(VoidType) {
			return
		}
		for t := range dtype.All() {
			if !yield(scalars[t]) {
				return
			}
		}
	}
}

// DTypes has all scalar types by Triton's names.
var DTypes = func() map[string]*DType {
	m := map[string]*DType{}
	for t := range Scalars() {
		m[t.Name] = t
	}
	return m
}()

func (t *DType) String() string { return t.Name }
func (t *DType) IR() ir.Type    { return t.ir }

// Mangle returns i32, u8, fp16.
func (t *DType) Mangle() string {
	switch t.Kind {
	case SignedInt:
		return fmt.Sprintf("i%d", t.Bits)
	case UnsignedInt:
		return fmt.Sprintf("u%d", t.Bits)
	case Floating:
		return t.Name
	}
	return "V"
}

// IsInt, IsFloating and friends are the language's dtype methods. A bool is an int of one bit.
func (t *DType) IsInt() bool      { return t.Kind == SignedInt || t.Kind == UnsignedInt }
func (t *DType) IsFloating() bool { return t.Kind == Floating }
func (t *DType) IsFP8() bool      { return t.Kind == Floating && t.Bits == 8 }
func (t *DType) IsSigned() bool   { return t.Kind == SignedInt }

// isStandard reports whether t is a float that arith converts: not an 8-bit one.
func (t *DType) isStandard() bool { return t.Kind == Floating && t.Bits > 8 }

// Ptr returns the pointer type to elem in the global address space.
func Ptr(elem Type) *PtrType { return PtrIn(elem, 1, false) }

// PtrIn returns the pointer type to elem in an address space, const or not.
func PtrIn(elem Type, space int, isConst bool) *PtrType {
	return ptrTypes.Get(ptrKey{intern.Address(elem), space, isConst}, func() *PtrType {
		return &PtrType{elem, space, isConst}
	})
}

// Block returns the block type of a shape.
func Block(elem Type, shape ...int64) *BlockType {
	return blockTypes.Get(blockKey{intern.Address(elem), shapeKey(shape)}, func() *BlockType {
		return &BlockType{append([]int64(nil), shape...), elem}
	})
}

// Desc returns the descriptor type for blocks of a type.
func Desc(b *BlockType) *DescType {
	return descTypes.Get(intern.Address(b), func() *DescType { return &DescType{b} })
}

func (t *PtrType) String() string {
	if t.Const {
		return "const_pointer<" + t.Elem.String() + ">"
	}
	return "pointer<" + t.Elem.String() + ">"
}
func (t *PtrType) Mangle() string { return "P" + t.Elem.Mangle() }
func (t *PtrType) IR() ir.Type    { return tt.PtrIn(t.Elem.IR(), int64(t.Space)) }

func (t *BlockType) String() string {
	return fmt.Sprintf("<%s, %s>", shapeText(t.Shape), t.Elem)
}
func (t *BlockType) Mangle() string {
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = fmt.Sprint(d)
	}
	return t.Elem.Mangle() + "S" + strings.Join(dims, "_") + "S"
}
func (t *BlockType) IR() ir.Type            { return t.tensor() }
func (t *BlockType) tensor() *ir.TensorType { return ir.Tensor(t.Shape, t.Elem.IR(), nil) }

// Numel returns the number of elements.
func (t *BlockType) Numel() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

func (t *DescType) String() string { return "tensor_descriptor<" + t.Block.String() + ">" }
func (t *DescType) Mangle() string { return "TD" + t.Block.Mangle() }
func (t *DescType) IR() ir.Type    { return tt.Desc(t.Block.tensor(), isSigned(t.Block.Elem)) }

func isSigned(t Type) bool { d, ok := t.(*DType); return ok && d.IsSigned() }

func shapeText(shape []int64) string {
	dims := make([]string, len(shape))
	for i, d := range shape {
		dims[i] = fmt.Sprintf("'%d'", d)
	}
	return "[" + strings.Join(dims, ", ") + "]"
}

// TypeText returns a type as messages write it: fp32, pointer<fp32>, fp32[16, 32], pointer<fp32>[16].
func TypeText(t Type) string {
	switch t := t.(type) {
	case *BlockType:
		return TypeText(t.Elem) + plainShape(t.Shape)
	case *PtrType:
		if t.Const {
			return "const pointer<" + TypeText(t.Elem) + ">"
		}
		return "pointer<" + TypeText(t.Elem) + ">"
	case *DescType:
		return "tensordesc<" + TypeText(t.Block) + ">"
	}
	return t.String()
}

// plainShape returns a shape as messages write it: [128, 64].
func plainShape(shape []int64) string {
	return "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]") + "]"
}

// repr returns Python's repr of a type: triton.language.float32, pointer<fp16>.
func repr(t Type) string {
	d, ok := t.(*DType)
	if !ok {
		return t.String()
	}
	return "triton.language." + d.longName()
}

// Long returns the name of the type in a kernel: tl.float32. longName is the name under which the language
// exports it.
func (t *DType) Long() string { return "tl." + t.longName() }

func (t *DType) longName() string {
	switch {
	case strings.HasPrefix(t.Name, "fp"):
		return "float" + t.Name[2:]
	case strings.HasPrefix(t.Name, "bf"):
		return "bfloat" + t.Name[2:]
	}
	return t.Name
}
