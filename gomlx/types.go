package gomlx

import (
	"fmt"
	"strconv"

	"github.com/gomlx/compute/dtypes"
	"github.com/nereid-lang/nereid"
)

// stored are the types of elements in memory. Types of less than a byte lie in bytes, several in one.
var stored = map[dtypes.DType]nereid.DType{
	dtypes.Bool: nereid.Bool,
	dtypes.Int8: nereid.Int8, dtypes.Int16: nereid.Int16, dtypes.Int32: nereid.Int32,
	dtypes.Int64: nereid.Int64,
	dtypes.Uint8: nereid.Uint8, dtypes.Uint16: nereid.Uint16, dtypes.Uint32: nereid.Uint32,
	dtypes.Uint64:  nereid.Uint64,
	dtypes.Float16: nereid.Float16, dtypes.BFloat16: nereid.BFloat16,
	dtypes.Float32: nereid.Float32, dtypes.Float64: nereid.Float64,
	dtypes.Int4: nereid.Uint8, dtypes.Uint4: nereid.Uint8, dtypes.Int2: nereid.Uint8,
	dtypes.Uint2: nereid.Uint8,
}

// computed returns the type in which a kernel computes values of a type: floats of 16 bits are fp32,
// integers of less than 8 bits have 8.
func computed(dt dtypes.DType) dtypes.DType {
	switch dt {
	case dtypes.Float16, dtypes.BFloat16:
		return dtypes.Float32
	case dtypes.Int4, dtypes.Int2:
		return dtypes.Int8
	case dtypes.Uint4, dtypes.Uint2:
		return dtypes.Uint8
	}
	return dt
}

// languageNames are the names of types in Triton's language.
var languageNames = map[dtypes.DType]string{
	dtypes.Bool: "tl.int1",
	dtypes.Int8: "tl.int8", dtypes.Int16: "tl.int16", dtypes.Int32: "tl.int32", dtypes.Int64: "tl.int64",
	dtypes.Uint8: "tl.uint8", dtypes.Uint16: "tl.uint16", dtypes.Uint32: "tl.uint32",
	dtypes.Uint64:  "tl.uint64",
	dtypes.Float16: "tl.float16", dtypes.BFloat16: "tl.bfloat16",
	dtypes.Float32: "tl.float32", dtypes.Float64: "tl.float64",
}

func isFloat(dt dtypes.DType) bool { return dt.IsFloat() }

func isSigned(dt dtypes.DType) bool {
	switch dt {
	case dtypes.Int2, dtypes.Int4, dtypes.Int8, dtypes.Int16, dtypes.Int32, dtypes.Int64:
		return true
	}
	return false
}

// unsigned returns the unsigned integer of the same size.
func unsigned(dt dtypes.DType) dtypes.DType {
	switch dt.Bits() {
	case 8:
		return dtypes.Uint8
	case 16:
		return dtypes.Uint16
	case 32:
		return dtypes.Uint32
	}
	return dtypes.Uint64
}

// signedOf returns the signed integer of the same size.
func signedOf(dt dtypes.DType) dtypes.DType {
	switch dt.Bits() {
	case 8:
		return dtypes.Int8
	case 16:
		return dtypes.Int16
	case 32:
		return dtypes.Int32
	}
	return dtypes.Int64
}

// bytesOf returns the bytes of n elements.
func bytesOf(dt dtypes.DType, n int) int { return (n*dt.Bits() + 7) / 8 }

// extreme returns the text of the lowest or the highest value of a type of computation.
func extreme(dt dtypes.DType, lowest bool) string {
	bits := dt.Bits()
	switch {
	case isFloat(dt) && lowest:
		return `float("-inf")`
	case isFloat(dt):
		return `float("inf")`
	case dt == dtypes.Bool:
		return strconv.Itoa(1 - b2i(lowest))
	case isSigned(dt) && lowest:
		return fmt.Sprintf("-%d", uint64(1)<<(bits-1))
	case isSigned(dt):
		return strconv.FormatUint(uint64(1)<<(bits-1)-1, 10)
	case lowest:
		return "0"
	}
	return strconv.FormatUint(^uint64(0)>>(64-bits), 10)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// contiguous returns the strides of a tensor without gaps.
func contiguous(dims []int) []int {
	strides, n := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = n
		n *= dims[i]
	}
	return strides
}

// pow2 returns the smallest power of two that is at least n.
func pow2(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}
