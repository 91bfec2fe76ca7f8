// Package dtype is the table of element types: one row says all that the front end, the runtime, replays and
// tools know of a type. A new type is a row here, its format in package num, and the hardware's conversions.
//
// The package imports num alone, so everybody can read the table.
package dtype

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// Type is the type of a tensor's elements.
type Type uint8

// The element types.
const (
	Invalid Type = iota
	Bool         // one bit, stored in a byte
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

// Kind groups the types.
type Kind uint8

const (
	None Kind = iota
	Signed
	Unsigned // Bool too: it extends with zeros
	Float
)

// Row is what is known of a type.
type Row struct {
	Name    string   // in signatures: "fp16", "i64"
	TL      string   // the name in triton.language: "float16"
	Torch   string   // the name in torch: "float16"; "" if torch has none
	Aliases []string // further spellings that annotations and signatures accept
	Go, C   string   // types of a scalar in Go and C; "" if they have none

	Kind   Kind
	Bits   int         // bits of a value; Bool has 1
	Format *num.Format // format of a float; nil for integers
	NoIR   bool        // MLIR has no such type: IR holds the bits as an integer

	// Tolerance is the relative error that two correct devices may differ by in a value stored as this type:
	// about two units in the last place, since both round once, from values that differ a little. Zero means
	// that values are equal.
	Tolerance float64
}

// rows is the table.
var rows = [...]Row{
	Bool: {Name: "i1", TL: "int1", Torch: "bool", Aliases: []string{"u1", "uint1"}, Kind: Unsigned, Bits: 1,
		Go: "bool", C: "uint8_t"},

	Int8:  whole("i8", "int8", Signed, 8),
	Int16: whole("i16", "int16", Signed, 16),
	Int32: whole("i32", "int32", Signed, 32, "int"),
	Int64: whole("i64", "int64", Signed, 64),

	Uint8:  whole("u8", "uint8", Unsigned, 8),
	Uint16: whole("u16", "uint16", Unsigned, 16),
	Uint32: whole("u32", "uint32", Unsigned, 32),
	Uint64: whole("u64", "uint64", Unsigned, 64),

	Float16:  float("fp16", "float16", "float16", num.F16, 0x1p-9, "half"),
	BFloat16: float("bf16", "bfloat16", "bfloat16", num.BF16, 0x1p-6),
	// fp32 allows for sums of a few thousand elements and for a GPU's approximate functions, fp64 for a few
	// steps in fp32, which kernels take where no fp64 function exists.
	Float32: float("fp32", "float32", "float32", num.F32, 1e-4, "float"),
	Float64: float("fp64", "float64", "float64", num.F64, 1e-6, "double"),

	Float8E4NV:  float("fp8e4nv", "float8e4nv", "float8_e4m3fn", num.F8E4M3FN, 0x1p-2),
	Float8E5:    float("fp8e5", "float8e5", "float8_e5m2", num.F8E5M2, 0x1p-1),
	Float8E4B8:  float("fp8e4b8", "float8e4b8", "float8_e4m3fnuz", num.F8E4M3FNUZ, 0x1p-2),
	Float8E5B16: float("fp8e5b16", "float8e5b16", "float8_e5m2fnuz", num.F8E5M2FNUZ, 0x1p-1),
	Float8E4B15: float("fp8e4b15", "float8e4b15", "", num.F8E4B15, 0x1p-2),
}

// onnx holds the numbers of types in ONNX (TensorProto.DataType).
var onnx = [...]int{Bool: 9, Int8: 3, Int16: 5, Int32: 6, Int64: 7, Uint8: 2, Uint16: 4, Uint32: 12,
	Uint64: 13, Float16: 10, BFloat16: 16, Float32: 1, Float64: 11, Float8E4NV: 17, Float8E4B8: 18,
	Float8E5: 19, Float8E5B16: 20, Float8E4B15: 0}

// ONNX returns the number of the type in ONNX, or 0 if ONNX has no such type.
func (t Type) ONNX() int { return onnx[t] }

// OfONNX returns the type that has a number in ONNX.
func OfONNX(number int) (Type, bool) {
	for t := range All() {
		if number != 0 && onnx[t] == number {
			return t, true
		}
	}
	return Invalid, false
}

// whole returns the row of an integer type of at least 8 bits, which has one name in triton.language, torch
// and Go.
func whole(name, long string, k Kind, bits int, aliases ...string) Row {
	return Row{Name: name, TL: long, Torch: long, Aliases: aliases, Go: long, C: long + "_t", Kind: k,
		Bits: bits}
}

// float returns the row of a floating point type.
func float(name, tl, torch string, f *num.Format, tolerance float64, aliases ...string) Row {
	r := Row{
		Name: name, TL: tl, Torch: torch, Aliases: aliases,
		Kind: Float, Bits: f.Bits, Format: f, NoIR: !f.InMLIR(), Tolerance: tolerance,
	}
	switch f {
	case num.F32:
		r.Go, r.C = "float32", "float"
	case num.F64:
		r.Go, r.C = "float64", "double"
	}
	return r
}

// byName has every spelling of every type.
var byName = func() map[string]Type {
	m := map[string]Type{}
	for t := range All() {
		r := &rows[t]
		for _, name := range append([]string{r.Name, r.TL, r.Torch}, r.Aliases...) {
			if name != "" {
				m[name] = t
			}
		}
	}
	return m
}()

// All yields the types in the order of their constants.
func All() func(yield func(Type) bool) {
	return func(yield func(Type) bool) {
		for t := Invalid + 1; int(t) < len(rows); t++ {
			if !yield(t) {
				return
			}
		}
	}
}

// Parse returns the type of a name, in any spelling: "fp16", "float16", "half".
func Parse(name string) (Type, bool) {
	t, ok := byName[name]
	return t, ok
}

// Names returns the names in signatures, for messages.
func Names() string {
	var names []string
	for t := range All() {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

// Row returns the row of a type, an empty one for what is no type.
func (t Type) Row() *Row {
	if int(t) >= len(rows) {
		t = Invalid
	}
	return &rows[t]
}

// String returns the name in signatures.
func (t Type) String() string {
	if name := t.Row().Name; name != "" {
		return name
	}
	return fmt.Sprintf("DType(%d)", uint8(t))
}

// Size returns the number of bytes of an element, 0 for what is no type.
func (t Type) Size() int { return (t.Row().Bits + 7) / 8 }

// IsFloat reports whether the type is a floating point type.
func (t Type) IsFloat() bool { return t.Row().Kind == Float }

// Decode returns the value of an element's bits; integers beyond 2^53 lose precision.
func (t Type) Decode(bits uint64) float64 {
	r := t.Row()
	switch {
	case r.Format != nil:
		return r.Format.Decode(bits)
	case r.Kind == Signed:
		shift := 64 - r.Bits
		return float64(int64(bits<<shift) >> shift)
	}
	return float64(bits)
}

// Encode returns the bits of a value, rounded to the type. Integers wrap around.
func (t Type) Encode(v float64) uint64 {
	if f := t.Row().Format; f != nil {
		return f.Encode(v)
	}
	if v < 0 {
		return uint64(int64(math.Round(v)))
	}
	return uint64(math.Round(v))
}
