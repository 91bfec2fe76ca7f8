package dtype

import (
	"unsafe"
)

// Convert converts n elements of one type at the beginning of src to another type at the beginning of dst,
// and rounds as Encode does. Integers to integers wrap around; all that is not zero becomes a true Bool.
// Both slices must be long enough, and must not overlap.
func Convert(to Type, dst []byte, from Type, src []byte, n int) {
	if n <= 0 {
		return
	}
	dst, src = dst[:n*to.Size()], src[:n*from.Size()]
	switch {
	case to == from:
		copy(dst, src)
	case from == Float32:
		fromFloats(to, dst, as[float32](src))
	case from == Float64:
		fromFloats(to, dst, as[float64](src))
	case to == Float32:
		toFloats(as[float32](dst), from, src)
	case to == Float64:
		toFloats(as[float64](dst), from, src)
	case to.IsFloat() && from.IsFloat():
		convertBy[float32](to, dst, from, src, n, Float32)
	case to.IsFloat() || from.IsFloat():
		convertBy[float64](to, dst, from, src, n, Float64)
	case to == Bool:
		// an integer that is not 0 is no 0 as a float either
		convertBy[float64](to, dst, from, src, n, Float64)
	default:
		convertIntegers(to, dst, from, src)
	}
}

// convertBy converts by way of a third type that holds every value of from, a piece at a time.
func convertBy[F float32 | float64](to Type, dst []byte, from Type, src []byte, n int, mid Type) {
	var piece [512]F
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&piece)), unsafe.Sizeof(piece))
	for i := 0; i < n; i += len(piece) {
		m := min(len(piece), n-i)
		Convert(mid, bytes, from, src[i*from.Size():], m)
		Convert(to, dst[i*to.Size():], mid, bytes, m)
	}
}

// as returns bytes as a slice of another type; the processors that run us need no alignment for it.
func as[T any](b []byte) []T {
	var z T
	if n := len(b) / int(unsafe.Sizeof(z)); n > 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	return nil
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// fromFloats encodes floats.
func fromFloats[F float32 | float64](to Type, dst []byte, src []F) {
	switch to {
	case Float32:
		fromNumbers(as[float32](dst), src)
	case Float64:
		fromNumbers(as[float64](dst), src)
	case Bool:
		for i, v := range src {
			dst[i] = 0
			if v != 0 {
				dst[i] = 1
			}
		}
	case Int8, Uint8:
		toIntegers(dst, src)
	case Int16, Uint16:
		toIntegers(as[uint16](dst), src)
	case Int32, Uint32:
		toIntegers(as[uint32](dst), src)
	case Int64, Uint64:
		toIntegers(as[uint64](dst), src)
	default:
		toSmall(to, dst, src)
	}
}

// toSmall encodes floats in a format shorter than float32.
func toSmall[F float32 | float64](to Type, dst []byte, src []F) {
	switch s := any(src).(type) {
	case []float32:
		encodeBits(to, dst, unsafe.Slice((*uint32)(unsafe.Pointer(&s[0])), len(s)))
	case []float64:
		var piece [512]uint32
		for i := 0; i < len(s); i += len(piece) {
			part := s[i:min(i+len(piece), len(s))]
			narrow(piece[:], part)
			encodeBits(to, dst[i*to.Size():], piece[:len(part)])
		}
	}
}

func toIntegers[I integer, F float32 | float64](dst []I, src []F) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = I(Int64.Encode(float64(v)))
	}
}

// toFloats decodes to floats.
func toFloats[F float32 | float64](dst []F, from Type, src []byte) {
	switch from {
	case Float16:
		fromHalf(dst, as[uint16](src))
	case BFloat16:
		fromBF16(dst, as[uint16](src))
	case Float32:
		fromNumbers(dst, as[float32](src))
	case Float64:
		fromNumbers(dst, as[float64](src))
	case Int8:
		fromNumbers(dst, as[int8](src))
	case Int16:
		fromNumbers(dst, as[int16](src))
	case Int32:
		fromNumbers(dst, as[int32](src))
	case Int64:
		fromNumbers(dst, as[int64](src))
	case Bool, Uint8:
		fromNumbers(dst, src)
	case Uint16:
		fromNumbers(dst, as[uint16](src))
	case Uint32:
		fromNumbers(dst, as[uint32](src))
	case Uint64:
		fromNumbers(dst, as[uint64](src))
	default:
		fromFP8(dst, src, &fp8TablesOf(from).decode)
	}
}

func fromNumbers[F float32 | float64, T integer | float32 | float64](dst []F, src []T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = F(v)
	}
}

// convertIntegers extends integers as their own type says, or cuts them off.
func convertIntegers(to Type, dst []byte, from Type, src []byte) {
	switch from {
	case Int8:
		widen(to, dst, as[int8](src))
	case Int16:
		widen(to, dst, as[int16](src))
	case Int32:
		widen(to, dst, as[int32](src))
	case Bool, Uint8:
		widen(to, dst, src)
	case Uint16:
		widen(to, dst, as[uint16](src))
	case Uint32:
		widen(to, dst, as[uint32](src))
	default:
		widen(to, dst, as[uint64](src))
	}
}

func widen[S integer](to Type, dst []byte, src []S) {
	switch to.Size() {
	case 1:
		cast(dst, src)
	case 2:
		cast(as[uint16](dst), src)
	case 4:
		cast(as[uint32](dst), src)
	case 8:
		cast(as[uint64](dst), src)
	}
}

func cast[D, S integer](dst []D, src []S) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = D(v)
	}
}
