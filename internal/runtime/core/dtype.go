package core

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/num"
)

// DType is the type of a tensor's elements.
type DType uint8

// The element types have Triton's names.
const (
	Invalid     = DType(dtype.Invalid)
	Bool        = DType(dtype.Bool) // i1, stored in a byte
	Int8        = DType(dtype.Int8)
	Int16       = DType(dtype.Int16)
	Int32       = DType(dtype.Int32)
	Int64       = DType(dtype.Int64)
	Uint8       = DType(dtype.Uint8)
	Uint16      = DType(dtype.Uint16)
	Uint32      = DType(dtype.Uint32)
	Uint64      = DType(dtype.Uint64)
	Float16     = DType(dtype.Float16)
	BFloat16    = DType(dtype.BFloat16)
	Float32     = DType(dtype.Float32)
	Float64     = DType(dtype.Float64)
	Float8E4NV  = DType(dtype.Float8E4NV)
	Float8E5    = DType(dtype.Float8E5)
	Float8E4B8  = DType(dtype.Float8E4B8)
	Float8E5B16 = DType(dtype.Float8E5B16)
	Float8E4B15 = DType(dtype.Float8E4B15)
)

// DTypeOf returns the type of a name: that of signatures ("fp16"), of triton.language or of torch
// ("float16").
func DTypeOf(name string) (DType, error) {
	t, ok := dtype.Parse(name)
	if !ok {
		return Invalid, fmt.Errorf("nereid: unknown element type %q (have %s)", name, dtype.Names())
	}
	return DType(t), nil
}

// String returns the type's name in signatures: "fp16", "i64".
func (t DType) String() string { return dtype.Type(t).String() }

// Size returns the number of bytes of an element, 0 for an invalid type.
func (t DType) Size() int { return dtype.Type(t).Size() }

// IsFloat reports whether the type is a floating point type.
func (t DType) IsFloat() bool { return dtype.Type(t).IsFloat() }

// Decode returns the value of an element's bits; integers beyond 2^53 lose precision.
func (t DType) Decode(bits uint64) float64 { return dtype.Type(t).Decode(bits) }

// Encode returns the bits of a value, rounded to the type. Integers wrap around.
func (t DType) Encode(v float64) uint64 { return dtype.Type(t).Encode(v) }

// Element is a Go type that tensors can hold. F16 and BF16 hold the bits of half precision floats.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | F16 | BF16
}

// F16 holds the bits of an IEEE 754 half precision float.
type F16 struct{ Bits uint16 }

// BF16 holds the bits of a bfloat16, the upper half of a float32.
type BF16 struct{ Bits uint16 }

// ToF16 rounds to half precision.
func ToF16(v float64) F16 { return F16{uint16(num.F16.Encode(v))} }

// ToBF16 rounds to a bfloat16.
func ToBF16(v float64) BF16 { return BF16{uint16(num.BF16.Encode(v))} }

// Float returns the value.
func (h F16) Float() float64 { return num.F16.Decode(uint64(h.Bits)) }

// Float returns the value.
func (h BF16) Float() float64 { return num.BF16.Decode(uint64(h.Bits)) }

func dtypeFor[T Element]() DType {
	var z T
	switch any(z).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	case float64:
		return Float64
	case F16:
		return Float16
	}
	return BFloat16
}
