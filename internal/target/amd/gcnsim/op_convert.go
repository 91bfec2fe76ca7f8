package gcnsim

import (
	"math"

	"github.com/nereid-lang/nereid/internal/num"
)

// halves holds the values of all float16.
var halves = func() *[1 << 16]float32 {
	var t [1 << 16]float32
	for i := range t {
		t[i] = float32(num.F16.Decode(uint64(i)))
	}
	return &t
}()

func halfToFloat(h uint16) float32 { return halves[h] }

// toInt rounds toward zero and saturates; NaN is 0.
func toInt(x float64, lo, hi float64) int64 {
	switch {
	case x != x:
		return 0
	case x <= lo:
		return int64(lo)
	case x >= hi:
		return int64(hi)
	}
	return int64(x)
}

func toI32(x float64) uint64 { return uint64(uint32(toInt(x, math.MinInt32, math.MaxInt32))) }
func toU32(x float64) uint64 { return uint64(uint32(toInt(x, 0, math.MaxUint32))) }
func floatToI16(x float64) uint64 {
	return uint64(uint16(toInt(x, math.MinInt16, math.MaxInt16)))
}
func floatToU16(x float64) uint64 { return uint64(uint16(toInt(x, 0, math.MaxUint16))) }

// toI16 saturates.
func toI16(x int32) uint64 { return uint64(uint16(min(max(x, math.MinInt16), math.MaxInt16))) }

// convertOps are conversions between types.
var convertOps = map[string]lanewise{
	"v_cvt_f32_i32": {"fi", func(a, _, _ uint64) uint64 { return fromF32(float32(int32(a))) }},
	"v_cvt_f32_u32": {"fi", func(a, _, _ uint64) uint64 { return fromF32(float32(uint32(a))) }},
	"v_cvt_i32_f32": {"if", func(a, _, _ uint64) uint64 { return toI32(float64(f32(a))) }},
	"v_cvt_u32_f32": {"if", func(a, _, _ uint64) uint64 { return toU32(float64(f32(a))) }},
	"v_cvt_rpi_i32_f32": {"if", func(a, _, _ uint64) uint64 {
		return toI32(math.Floor(float64(f32(a)) + 0.5))
	}},
	"v_cvt_flr_i32_f32": {"if", func(a, _, _ uint64) uint64 { return toI32(math.Floor(float64(f32(a)))) }},
	"v_cvt_f64_f32":     {"df", func(a, _, _ uint64) uint64 { return math.Float64bits(float64(f32(a))) }},
	"v_cvt_f32_f64":     {"fd", func(a, _, _ uint64) uint64 { return fromF32(float32(f64(a))) }},
	"v_cvt_f64_i32":     {"di", func(a, _, _ uint64) uint64 { return math.Float64bits(float64(int32(a))) }},
	"v_cvt_f64_u32":     {"di", func(a, _, _ uint64) uint64 { return math.Float64bits(float64(uint32(a))) }},
	"v_cvt_i32_f64":     {"id", func(a, _, _ uint64) uint64 { return toI32(f64(a)) }},
	"v_cvt_u32_f64":     {"id", func(a, _, _ uint64) uint64 { return toU32(f64(a)) }},
	"v_cvt_f16_f32":     {"hf", func(a, _, _ uint64) uint64 { return fromF16(float64(f32(a))) }},
	"v_cvt_f32_f16":     {"fh", func(a, _, _ uint64) uint64 { return fromF32(halfToFloat(uint16(a))) }},
	"v_cvt_f16_u16":     {"hi", func(a, _, _ uint64) uint64 { return fromF16(float64(uint16(a))) }},
	"v_cvt_f16_i16":     {"hi", func(a, _, _ uint64) uint64 { return fromF16(float64(int16(a))) }},
	"v_cvt_u16_f16":     {"ih", func(a, _, _ uint64) uint64 { return floatToU16(f16(a)) }},
	"v_cvt_i16_f16":     {"ih", func(a, _, _ uint64) uint64 { return floatToI16(f16(a)) }},
	"v_cvt_pk_i16_f32": {"iff", func(a, b, _ uint64) uint64 {
		return floatToI16(float64(f32(a))) | floatToI16(float64(f32(b)))<<16
	}},
	"v_cvt_pk_u16_f32": {"iff", func(a, b, _ uint64) uint64 {
		return floatToU16(float64(f32(a))) | floatToU16(float64(f32(b)))<<16
	}},
	"v_cvt_pkrtz_f16_f32": {"iff", func(a, b, _ uint64) uint64 {
		return halfToZero(f32(a)) | halfToZero(f32(b))<<16
	}},
	"v_cvt_pk_i16_i32": {"iii", func(a, b, _ uint64) uint64 { return toI16(int32(a)) | toI16(int32(b))<<16 }},
	"v_cvt_pk_u16_u32": {"iii", func(a, b, _ uint64) uint64 {
		return min(a, math.MaxUint16) | min(b, math.MaxUint16)<<16
	}},
	"v_cvt_f32_fp8": {"fi", func(a, _, _ uint64) uint64 {
		return fromF32(float32(num.F8E4M3FNUZ.Decode(a & 255)))
	}},
	"v_cvt_f32_bf8": {"fi", func(a, _, _ uint64) uint64 {
		return fromF32(float32(num.F8E5M2FNUZ.Decode(a & 255)))
	}},
}

// halfToZero rounds to float16 toward zero; what is too large becomes the largest.
func halfToZero(x float32) uint64 {
	h := num.F16.Encode(float64(x))
	if y := halfToFloat(uint16(h)); math.Abs(float64(y)) > math.Abs(float64(x)) {
		h--
	}
	return h
}

var vectorOps = merge(intOps, floatOps, convertOps)

func merge(maps ...map[string]lanewise) map[string]lanewise {
	out := map[string]lanewise{}
	for _, m := range maps {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}
