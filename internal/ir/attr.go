package ir

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/intern"
)

// Attr is a compile-time fact attached to an operation. Attributes are interned: equality is identity.
type Attr interface {
	// String is the attribute in MLIR's syntax, without aliases.
	String() string
	printAttr(p *Printer)
}

// UnitAttr is `unit`: an attribute whose presence is all it says.
type UnitAttr struct{ _ byte }

// IntegerAttr is an integer of an integer or index type. Value is sign-extended from the width, except that
// i1 and unsigned types are zero-extended.
type IntegerAttr struct {
	Value int64
	Type  Type
}

// FloatAttr is a float; Bits are in the type's own format.
type FloatAttr struct {
	Bits uint64
	Type *FloatType
}

// StringAttr is a string.
type StringAttr struct{ Value string }

// TypeAttr is a type as an attribute.
type TypeAttr struct{ Type Type }

// SymbolRefAttr is `@root::@nested`.
type SymbolRefAttr struct {
	Root   string
	Nested string // "" or the rest, joined by "::"
}

// ArrayAttr is `[a, b]`.
type ArrayAttr struct{ Elems []Attr }

// DictAttr is `{a = 1, b}`, sorted by name.
type DictAttr struct{ Elems []NamedAttr }

// DenseAttr is `dense<...> : tensor<...>`: the elements of a static tensor or vector, or one for all (Splat).
// Data holds the elements' bits, little endian, each in ElemBytes bytes (an i1 in one).
type DenseAttr struct {
	Type  Type
	Splat bool
	Data  []byte
}

// DenseArrayAttr is `array<i32: 1, 2>`.
type DenseArrayAttr struct {
	Elem   Type // an integer type, f32 or f64
	Values []int64
}

// AffineMapAttr is `affine_map<(d0)[s0] -> (d0 + s0)>`.
type AffineMapAttr struct{ Map *AffineMap }

// StridedLayoutAttr is `strided<[?, 1], offset: ?>`; Dynamic marks `?`.
type StridedLayoutAttr struct {
	Offset  int64
	Strides []int64
}

// DialectAttr is an attribute of a dialect, `#ttg.blocked<{...}>`. Params are what the constructor was given,
// in an order fixed by the Def.
type DialectAttr struct {
	Def    *AttrTypeDef
	Params []any
}

// OpaqueAttr is an attribute of an unknown dialect or form: its text, verbatim.
type OpaqueAttr struct{ Text string }

// NamedAttr is an attribute with its name.
type NamedAttr struct {
	Name string
	Attr Attr
}

// A returns a NamedAttr; the name is short because calls are full of it.
func A(name string, attr Attr) NamedAttr { return NamedAttr{name, attr} }

// Unit is the unit attribute.
var Unit Attr = &UnitAttr{}

var (
	intAttrs        intern.Table[scalarKey, IntegerAttr]
	floatAttrs      intern.Table[scalarKey, FloatAttr]
	strAttrs        intern.Table[string, StringAttr]
	typeAttrs       intern.Table[uintptr, TypeAttr]
	symAttrs        intern.Table[SymbolRefAttr, SymbolRefAttr]
	arrayAttrs      intern.Table[string, ArrayAttr]
	dictAttrs       intern.Table[string, DictAttr]
	denseAttrs      intern.Table[key, DenseAttr]
	denseArrayAttrs intern.Table[key, DenseArrayAttr]
	affineAttrs     intern.Table[string, AffineMapAttr]
	stridedAttrs    intern.Table[string, StridedLayoutAttr]
	dialectAttrs    intern.Table[key, DialectAttr]
	opaqueAttrs     intern.Table[string, OpaqueAttr]
)

// IntAttr returns an integer attribute; v is cut to the type's width.
func IntAttr(v int64, t Type) *IntegerAttr {
	v = NormInt(v, t)
	return intAttrs.Get(scalarKey{uint64(v), address(t)}, func() *IntegerAttr { return &IntegerAttr{v, t} })
}

// NormInt returns v as an IntegerAttr of type t holds it: cut to the width and extended back.
func NormInt(v int64, t Type) int64 {
	it, ok := t.(*IntegerType)
	if !ok || it.Width >= 64 {
		return v
	}
	s := 64 - it.Width
	if it.Sign == Unsigned || it.Width == 1 {
		return int64(uint64(v) << s >> s)
	}
	return v << s >> s
}

// Common integer attributes.

func I32Attr(v int64) *IntegerAttr   { return IntAttr(v, I32) }
func I64Attr(v int64) *IntegerAttr   { return IntAttr(v, I64) }
func IndexAttr(v int64) *IntegerAttr { return IntAttr(v, Index) }

// BoolAttr returns `true` or `false`.
func BoolAttr(v bool) *IntegerAttr {
	if v {
		return IntAttr(1, I1)
	}
	return IntAttr(0, I1)
}

// FloatBits returns a float attribute of the given bit pattern.
func FloatBits(bits uint64, t *FloatType) *FloatAttr {
	return floatAttrs.Get(scalarKey{bits, address(t)}, func() *FloatAttr { return &FloatAttr{bits, t} })
}

// FloatOf returns a float attribute of the value nearest to v.
func FloatOf(v float64, t *FloatType) *FloatAttr { return FloatBits(t.Format.Encode(v), t) }

// Value returns the attribute's value.
func (a *FloatAttr) Value() float64 { return a.Type.Format.Decode(a.Bits) }

// Str returns a string attribute.
func Str(s string) *StringAttr {
	return strAttrs.Get(s, func() *StringAttr { return &StringAttr{s} })
}

// TypeOf returns a type as an attribute.
func TypeOf(t Type) *TypeAttr {
	return typeAttrs.Get(address(t), func() *TypeAttr { return &TypeAttr{t} })
}

// SymbolRef returns `@name`.
func SymbolRef(name string) *SymbolRefAttr { return NestedSymbolRef(name, "") }

// NestedSymbolRef returns `@root::@nested`.
func NestedSymbolRef(root, nested string) *SymbolRefAttr {
	return symAttrs.Get(SymbolRefAttr{root, nested}, func() *SymbolRefAttr {
		return &SymbolRefAttr{root, nested}
	})
}

// Array returns `[elems...]`.
func Array(elems ...Attr) *ArrayAttr {
	return arrayAttrs.Get(listKey(elems), func() *ArrayAttr { return &ArrayAttr{slices.Clone(elems)} })
}

// Dict returns `{...}`; the order given does not matter.
func Dict(elems ...NamedAttr) *DictAttr {
	elems = slices.Clone(elems)
	slices.SortStableFunc(elems, func(a, b NamedAttr) int { return strings.Compare(a.Name, b.Name) })
	var k []byte
	for _, e := range elems {
		k = appendAddress(strconv.AppendQuote(k, e.Name), e.Attr)
	}
	return dictAttrs.Get(string(k), func() *DictAttr { return &DictAttr{elems} })
}

// Get returns the attribute of a name, or nil.
func (a *DictAttr) Get(name string) Attr {
	for _, e := range a.Elems {
		if e.Name == name {
			return e.Attr
		}
	}
	return nil
}

// DenseArray returns `array<elem: values...>` of integers. (The bits of floats for f32 and f64.)
func DenseArray(elem Type, values ...int64) *DenseArrayAttr {
	return denseArrayAttrs.Get(key{a: address(elem), text: shapeKey(values)}, func() *DenseArrayAttr {
		return &DenseArrayAttr{elem, slices.Clone(values)}
	})
}

// I32Array returns `array<i32: values...>`.
func I32Array(values ...int) *DenseArrayAttr {
	vs := make([]int64, len(values))
	for i, v := range values {
		vs[i] = int64(v)
	}
	return DenseArray(I32, vs...)
}

// Dense returns a dense attribute from raw element bits, little endian; see DenseAttr. Elements that are all
// equal make a splat.
func Dense(t Type, splat bool, data []byte) *DenseAttr {
	if n := ElemBytes(ElemOf(t)); !splat && isSplat(data, n) {
		splat, data = true, data[:n]
	}
	k := key{a: address(t), text: string(data)}
	if splat {
		k.b = 1
	}
	return denseAttrs.Get(k, func() *DenseAttr { return &DenseAttr{t, splat, slices.Clone(data)} })
}

// isSplat reports whether data is elements of n bytes that are all equal, at least one.
func isSplat(data []byte, n int) bool {
	if len(data) < n {
		return false
	}
	for i := n; i < len(data); i++ {
		if data[i] != data[i-n] {
			return false
		}
	}
	return true
}

// DenseSplat returns the dense attribute of a shaped type whose elements all equal a scalar attribute
// (integer or float).
func DenseSplat(t Type, elem Attr) *DenseAttr {
	return Dense(t, true, appendBits(nil, ElemBytes(ElemOf(t)), scalarBits(elem)))
}

// DenseOf returns the dense attribute whose elements have the given bits.
func DenseOf(t Type, bits []uint64) *DenseAttr {
	n := ElemBytes(ElemOf(t))
	var data []byte
	for _, b := range bits {
		data = appendBits(data, n, b)
	}
	return Dense(t, false, data)
}

// ElemBytes returns the number of bytes a DenseAttr gives to one element of a type.
func ElemBytes(t Type) int { return max(1, (BitWidth(t)+7)/8) }

// Len returns the number of elements of the type.
func (a *DenseAttr) Len() int { return int(product(ShapeOf(a.Type))) }

// Bits returns the bits of element i.
func (a *DenseAttr) Bits(i int) uint64 {
	if a.Splat {
		i = 0
	}
	n := ElemBytes(ElemOf(a.Type))
	var buf [8]byte
	copy(buf[:], a.Data[i*n:(i+1)*n])
	return binary.LittleEndian.Uint64(buf[:])
}

// Elem returns element i as a scalar attribute (IntegerAttr or FloatAttr).
func (a *DenseAttr) Elem(i int) Attr { return ScalarFromBits(a.Bits(i), ElemOf(a.Type)) }

// ScalarFromBits returns the integer or float attribute of type t with the given bits.
func ScalarFromBits(bits uint64, t Type) Attr {
	if ft, ok := t.(*FloatType); ok {
		return FloatBits(bits, ft)
	}
	return IntAttr(int64(bits), t)
}

func scalarBits(a Attr) uint64 {
	switch a := a.(type) {
	case *IntegerAttr:
		return uint64(a.Value)
	case *FloatAttr:
		return a.Bits
	}
	panic(fmt.Sprintf("ir: %s is no scalar", a))
}

func appendBits(data []byte, n int, bits uint64) []byte {
	var buf [8]byte
	binary.LittleEndian.PutUint64(buf[:], bits)
	return append(data, buf[:n]...)
}

// AffineMapOf returns a map as an attribute.
func AffineMapOf(m *AffineMap) *AffineMapAttr {
	return affineAttrs.Get(m.String(), func() *AffineMapAttr { return &AffineMapAttr{m} })
}

// StridedLayout returns `strided<[...], offset: ...>`.
func StridedLayout(offset int64, strides ...int64) *StridedLayoutAttr {
	return stridedAttrs.Get(shapeKey(append([]int64{offset}, strides...)), func() *StridedLayoutAttr {
		return &StridedLayoutAttr{offset, slices.Clone(strides)}
	})
}

// OpaqueAttrOf returns an attribute known by its text alone.
func OpaqueAttrOf(text string) *OpaqueAttr {
	return opaqueAttrs.Get(text, func() *OpaqueAttr { return &OpaqueAttr{text} })
}
