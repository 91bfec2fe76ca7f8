package nereid

import (
	"fmt"
	"math"

	"github.com/nereid-lang/nereid/internal/num"
)

// DType is the type of a tensor's elements.
type DType uint8

// The element types, with Triton's names.
const (
	Invalid DType = iota
	Bool          // i1, stored in a byte
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	BFloat16
	Float32
	Float64
	Float8E4NV
	Float8E5
	Float8E4B8
	Float8E5B16
	Float8E4B15
)

var dtypes = [...]struct {
	name   string // in signatures
	size   int
	format *num.Format
}{
	Bool: {"i1", 1, nil}, Int8: {"i8", 1, nil}, Int16: {"i16", 2, nil}, Int32: {"i32", 4, nil}, Int64: {"i64", 8, nil},
	Uint8: {"u8", 1, nil}, Uint16: {"u16", 2, nil}, Uint32: {"u32", 4, nil}, Uint64: {"u64", 8, nil},
	Float16: {"fp16", 2, num.F16}, BFloat16: {"bf16", 2, num.BF16}, Float32: {"fp32", 4, num.F32}, Float64: {"fp64", 8, num.F64},
	Float8E4NV: {"fp8e4nv", 1, num.F8E4M3FN}, Float8E5: {"fp8e5", 1, num.F8E5M2}, Float8E4B8: {"fp8e4b8", 1, num.F8E4M3FNUZ},
	Float8E5B16: {"fp8e5b16", 1, num.F8E5M2FNUZ}, Float8E4B15: {"fp8e4b15", 1, nil},
}

// String is the type's name in signatures: "fp16", "i64".
func (t DType) String() string {
	if int(t) < len(dtypes) && dtypes[t].name != "" {
		return dtypes[t].name
	}
	return fmt.Sprintf("DType(%d)", uint8(t))
}

// Size is the number of bytes of an element, 0 for what is no type.
func (t DType) Size() int {
	if int(t) >= len(dtypes) {
		return 0
	}
	return dtypes[t].size
}

// IsFloat reports whether the type is a floating point type.
func (t DType) IsFloat() bool { return t >= Float16 }

// DTypeOf is the type of a name in signatures, "fp16".
func DTypeOf(name string) (DType, error) {
	for t, row := range dtypes {
		if row.name == name && name != "" {
			return DType(t), nil
		}
	}
	return Invalid, fmt.Errorf("nereid: unknown element type %q", name)
}

// Decode is the value of an element's bits; integers beyond 2^53 lose precision.
func (t DType) Decode(bits uint64) float64 {
	if f := dtypes[t].format; f != nil {
		return f.Decode(bits)
	}
	switch t {
	case Int8:
		return float64(int8(bits))
	case Int16:
		return float64(int16(bits))
	case Int32:
		return float64(int32(bits))
	case Int64:
		return float64(int64(bits))
	}
	return float64(bits)
}

// Encode is the bits of a value, rounded to the type.
func (t DType) Encode(v float64) uint64 {
	if f := dtypes[t].format; f != nil {
		return f.Encode(v)
	}
	if v < 0 {
		return uint64(int64(math.Round(v)))
	}
	return uint64(math.Round(v))
}

// Element is a Go type that tensors can be made of. Half precision floats are given by their bits: F16 and BF16.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | F16 | BF16
}

// F16 is the bits of a half precision float, as IEEE 754 has it.
type F16 struct{ Bits uint16 }

// BF16 is the bits of a bfloat16: the upper half of a float32.
type BF16 struct{ Bits uint16 }

// ToF16 rounds to half precision.
func ToF16(v float64) F16 { return F16{uint16(num.F16.Encode(v))} }

// ToBF16 rounds to a bfloat16.
func ToBF16(v float64) BF16 { return BF16{uint16(num.BF16.Encode(v))} }

// Float is the value.
func (h F16) Float() float64 { return num.F16.Decode(uint64(h.Bits)) }

// Float is the value.
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
