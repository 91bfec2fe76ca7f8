package ops

import "github.com/nereid-lang/nereid"

// The rule of types:
//
//   - Operands of different types meet in the type that holds both: bool < integers < floats; of
//     integers, and of floats, the wider one; of a signed and an unsigned integer, the signed one that
//     holds both, at most i64; fp16 and bf16 meet in fp32, and an fp8 type in any other float.
//   - A Go number takes the type of the tensors beside it; an integer that this type does not have is an
//     error. A float beside integers makes them fp32, an integer beside bools makes them i32.
//   - Types of 8 and 16 bits of floats are computed in fp32 and rounded once, when the result is stored.
//   - Functions of real numbers make integers fp32.
//
// kind orders the types for it.
type kind uint8

const (
	boolKind kind = iota
	intKind
	floatKind
)

func kindOf(dt nereid.DType) kind {
	switch {
	case dt == nereid.Bool:
		return boolKind
	case dt.IsFloat():
		return floatKind
	}
	return intKind
}

func signed(dt nereid.DType) bool { return dt >= nereid.Int8 && dt <= nereid.Int64 }

// promote returns the type in which operands of two types meet.
func promote(a, b nereid.DType) nereid.DType {
	if a == b {
		return a
	}
	ka, kb := kindOf(a), kindOf(b)
	switch {
	case ka < kb:
		return b
	case ka > kb:
		return a
	case ka == floatKind:
		return promoteFloats(a, b)
	}
	return promoteIntegers(a, b)
}

func promoteFloats(a, b nereid.DType) nereid.DType {
	switch {
	case a.Size() == 1 && b.Size() == 1:
		return nereid.Float32
	case a.Size() > b.Size():
		return a
	case a.Size() < b.Size():
		return b
	}
	return nereid.Float32 // fp16 and bf16
}

func promoteIntegers(a, b nereid.DType) nereid.DType {
	if signed(a) == signed(b) {
		if a.Size() > b.Size() {
			return a
		}
		return b
	}
	if signed(b) {
		a, b = b, a
	}
	bytes := max(a.Size(), min(2*b.Size(), 8)) // a is signed
	return map[int]nereid.DType{1: nereid.Int8, 2: nereid.Int16, 4: nereid.Int32, 8: nereid.Int64}[bytes]
}

// weak returns the type of a Go number beside tensors of type dt, or beside no tensor if dt is Invalid.
func weak(dt nereid.DType, float bool) nereid.DType {
	switch {
	case float && (dt == nereid.Invalid || !dt.IsFloat()):
		return nereid.Float32
	case !float && (dt == nereid.Invalid || dt == nereid.Bool):
		return nereid.Int32
	}
	return dt
}

// fits reports whether integers of a type have a value.
func fits(v int64, dt nereid.DType) bool {
	bits := 8 * dt.Size()
	if signed(dt) {
		return v<<(64-bits)>>(64-bits) == v
	}
	return v >= 0 && (bits == 64 || v < 1<<bits)
}

// computed returns the type in which values of a type are computed.
func computed(dt nereid.DType) nereid.DType {
	if dt.IsFloat() && dt.Size() < 4 {
		return nereid.Float32
	}
	return dt
}

// real returns the type of a function of real numbers of a type.
func real(dt nereid.DType) nereid.DType {
	if dt.IsFloat() {
		return dt
	}
	return nereid.Float32
}

// tlNames are the names of types in Triton's language.
var tlNames = map[nereid.DType]string{
	nereid.Bool: "tl.int1", nereid.Int8: "tl.int8", nereid.Int16: "tl.int16", nereid.Int32: "tl.int32",
	nereid.Int64: "tl.int64", nereid.Uint8: "tl.uint8", nereid.Uint16: "tl.uint16",
	nereid.Uint32: "tl.uint32", nereid.Uint64: "tl.uint64", nereid.Float16: "tl.float16",
	nereid.BFloat16: "tl.bfloat16", nereid.Float32: "tl.float32", nereid.Float64: "tl.float64",
	nereid.Float8E4NV: "tl.float8e4nv", nereid.Float8E5: "tl.float8e5",
	nereid.Float8E4B8: "tl.float8e4b8", nereid.Float8E5B16: "tl.float8e5b16",
	nereid.Float8E4B15: "tl.float8e4b15",
}
