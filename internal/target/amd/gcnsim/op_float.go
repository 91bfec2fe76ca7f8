package gcnsim

import (
	"math"

	"github.com/nereid-lang/nereid/internal/num"
)

func f32(a uint64) float32     { return math.Float32frombits(uint32(a)) }
func fromF32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func f64(a uint64) float64     { return math.Float64frombits(a) }
func f16(a uint64) float64     { return float64(halfToFloat(uint16(a))) }
func fromF16(x float64) uint64 { return num.F16.Encode(x) }

func f1(f func(a float32) float32) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 { return fromF32(f(f32(a))) }
}

func f2(f func(a, b float32) float32) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return fromF32(f(f32(a), f32(b))) }
}

func f3(f func(a, b, c float32) float32) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return fromF32(f(f32(a), f32(b), f32(c))) }
}

func d1(f func(a float64) float64) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 { return math.Float64bits(f(f64(a))) }
}

func d2(f func(a, b float64) float64) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return math.Float64bits(f(f64(a), f64(b))) }
}

func h1(f func(a float64) float64) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 { return fromF16(f(f16(a))) }
}

func h2(f func(a, b float64) float64) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return fromF16(f(f16(a), f16(b))) }
}

func h3(f func(a, b, c float64) float64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return fromF16(f(f16(a), f16(b), f16(c))) }
}

// wide lifts a function of float64 to float32; its result is rounded once.
func wide(f func(float64) float64) func(float32) float32 {
	return func(a float32) float32 { return float32(f(float64(a))) }
}

// flushed lifts a function that the hardware computes without denormals.
func flushed(f func(float64) float64) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 {
		return flush(fromF32(float32(f(float64(f32(flush(a, kFloat, 0)))))), kFloat, 0)
	}
}

// minNum is the minimum of IEEE 754-2008: a number where one operand is NaN.
func minNum[T float32 | float64](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

func maxNum[T float32 | float64](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

// fma32 rounds once.
func fma32(a, b, c float32) float32 { return float32(fmaOdd(a, b, c)) }

// fmaOdd returns a*b+c in float64: the product is exact, and the sum is rounded to odd, so that the rounding
// to float32 that follows is the only one that shows.
func fmaOdd(a, b, c float32) float64 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if math.IsInf(s, 0) || s != s {
		return s
	}
	t := s - p
	err := (p - (s - t)) + (float64(c) - t) // what the sum lost
	if err != 0 {
		u := math.Float64bits(s)
		if u&1 == 0 { // to odd: the even neighbour is replaced by that on the error's side
			if (err > 0) == (s > 0) {
				u++
			} else {
				u--
			}
			s = math.Float64frombits(u)
		}
	}
	return s
}

func med3f[T float32 | float64](a, b, c T) T {
	if a != a || b != b || c != c {
		return minNum(minNum(a, b), c)
	}
	return med3(a, b, c)
}

func fract(a float64) float64 { return a - math.Floor(a) }

func rcp(a float64) float64 { return 1 / a }
func rsq(a float64) float64 { return 1 / math.Sqrt(a) }

// turns are sin and cos of a number of turns.
func turns(f func(float64) float64) func(float64) float64 {
	return func(a float64) float64 { return f(2 * math.Pi * (a - math.Floor(a))) }
}

// floatOps are the vector instructions on floats.
var floatOps = map[string]lanewise{
	"v_add_f32":        {"fff", f2(func(a, b float32) float32 { return a + b })},
	"v_sub_f32":        {"fff", f2(func(a, b float32) float32 { return a - b })},
	"v_subrev_f32":     {"fff", f2(func(a, b float32) float32 { return b - a })},
	"v_mul_f32":        {"fff", f2(func(a, b float32) float32 { return a * b })},
	"v_mul_legacy_f32": {"fff", f2(mulLegacy)},
	"v_min_f32":        {"fff", f2(minNum[float32])},
	"v_max_f32":        {"fff", f2(maxNum[float32])},
	"v_min3_f32":       {"ffff", f3(func(a, b, c float32) float32 { return minNum(minNum(a, b), c) })},
	"v_max3_f32":       {"ffff", f3(func(a, b, c float32) float32 { return maxNum(maxNum(a, b), c) })},
	"v_med3_f32":       {"ffff", f3(med3f[float32])},
	"v_fma_f32":        {"ffff", f3(fma32)},
	"v_fmac_f32":       {"ffff", f3(fma32)},
	"v_fmaak_f32":      {"ffff", f3(fma32)},
	"v_fmamk_f32":      {"ffff", f3(fma32)},
	"v_maxmin_f32":     {"ffff", f3(func(a, b, c float32) float32 { return minNum(maxNum(a, b), c) })},
	"v_minmax_f32":     {"ffff", f3(func(a, b, c float32) float32 { return maxNum(minNum(a, b), c) })},
	"v_madak_f32":      {"ffff", f3(func(a, b, c float32) float32 { return float32(a*b) + c })},
	"v_madmk_f32":      {"ffff", f3(func(a, b, c float32) float32 { return float32(a*b) + c })},
	"v_mad_f32":        {"ffff", f3(func(a, b, c float32) float32 { return float32(a*b) + c })},
	"v_mac_f32":        {"ffff", f3(func(a, b, c float32) float32 { return float32(a*b) + c })},
	"v_rcp_f32":        {"ff", flushed(rcp)},
	"v_rcp_iflag_f32":  {"ff", flushed(rcp)},
	"v_rsq_f32":        {"ff", flushed(rsq)},
	"v_sqrt_f32":       {"ff", flushed(math.Sqrt)},
	"v_exp_f32":        {"ff", flushed(math.Exp2)},
	"v_log_f32":        {"ff", flushed(math.Log2)},
	"v_sin_f32":        {"ff", flushed(turns(math.Sin))},
	"v_cos_f32":        {"ff", flushed(turns(math.Cos))},
	"v_exp_legacy_f32": {"ff", flushed(math.Exp2)},
	"v_log_legacy_f32": {"ff", flushed(math.Log2)},
	"v_floor_f32":      {"ff", f1(wide(math.Floor))},
	"v_ceil_f32":       {"ff", f1(wide(math.Ceil))},
	"v_trunc_f32":      {"ff", f1(wide(math.Trunc))},
	"v_rndne_f32":      {"ff", f1(wide(math.RoundToEven))},
	"v_fract_f32":      {"ff", f1(wide(fract))},
	"v_ldexp_f32": {"ffi", func(a, b, _ uint64) uint64 {
		return fromF32(float32(math.Ldexp(float64(f32(a)), int(int32(b)))))
	}},
	"v_frexp_mant_f32": {"ff", f1(wide(func(a float64) float64 { m, _ := math.Frexp(a); return m }))},
	"v_frexp_exp_i32_f32": {"if", func(a, _, _ uint64) uint64 {
		return uint64(uint32(exponent(float64(f32(a)))))
	}},
	"v_add_f64":   {"ddd", d2(func(a, b float64) float64 { return a + b })},
	"v_mul_f64":   {"ddd", d2(func(a, b float64) float64 { return a * b })},
	"v_min_f64":   {"ddd", d2(minNum[float64])},
	"v_max_f64":   {"ddd", d2(maxNum[float64])},
	"v_fma_f64":   {"dddd", fma64},
	"v_fmac_f64":  {"dddd", fma64},
	"v_rcp_f64":   {"dd", d1(rcp)},
	"v_rsq_f64":   {"dd", d1(rsq)},
	"v_sqrt_f64":  {"dd", d1(math.Sqrt)},
	"v_floor_f64": {"dd", d1(math.Floor)},
	"v_ceil_f64":  {"dd", d1(math.Ceil)},
	"v_trunc_f64": {"dd", d1(math.Trunc)},
	"v_rndne_f64": {"dd", d1(math.RoundToEven)},
	"v_fract_f64": {"dd", d1(fract)},
	"v_ldexp_f64": {"ddi", func(a, b, _ uint64) uint64 {
		return math.Float64bits(math.Ldexp(f64(a), int(int32(b))))
	}},
	"v_frexp_mant_f64":    {"dd", d1(func(a float64) float64 { m, _ := math.Frexp(a); return m })},
	"v_frexp_exp_i32_f64": {"id", func(a, _, _ uint64) uint64 { return uint64(uint32(exponent(f64(a)))) }},
	"v_add_f16":           {"hhh", h2(func(a, b float64) float64 { return a + b })},
	"v_sub_f16":           {"hhh", h2(func(a, b float64) float64 { return a - b })},
	"v_subrev_f16":        {"hhh", h2(func(a, b float64) float64 { return b - a })},
	"v_mul_f16":           {"hhh", h2(func(a, b float64) float64 { return a * b })},
	"v_min_f16":           {"hhh", h2(minNum[float64])},
	"v_max_f16":           {"hhh", h2(maxNum[float64])},
	"v_fma_f16":           {"hhhh", h3(fmaHalf)},
	"v_fmac_f16":          {"hhhh", h3(fmaHalf)},
	"v_mad_f16":           {"hhhh", h3(fmaHalf)},
	"v_mac_f16":           {"hhhh", h3(fmaHalf)},
	"v_fmaak_f16":         {"hhhh", h3(fmaHalf)},
	"v_fmamk_f16":         {"hhhh", h3(fmaHalf)},
	"v_madak_f16":         {"hhhh", h3(fmaHalf)},
	"v_madmk_f16":         {"hhhh", h3(fmaHalf)},
	"v_med3_f16":          {"hhhh", h3(med3f[float64])},
	"v_maxmin_f16":        {"hhhh", h3(func(a, b, c float64) float64 { return minNum(maxNum(a, b), c) })},
	"v_minmax_f16":        {"hhhh", h3(func(a, b, c float64) float64 { return maxNum(minNum(a, b), c) })},
	"v_frexp_mant_f16":    {"hh", h1(func(a float64) float64 { m, _ := math.Frexp(a); return m })},
	"v_frexp_exp_i16_f16": {"ih", func(a, _, _ uint64) uint64 { return uint64(uint16(exponent(f16(a)))) }},
	"v_min3_f16":          {"hhhh", h3(func(a, b, c float64) float64 { return minNum(minNum(a, b), c) })},
	"v_max3_f16":          {"hhhh", h3(func(a, b, c float64) float64 { return maxNum(maxNum(a, b), c) })},
	"v_rcp_f16":           {"hh", h1(rcp)},
	"v_rsq_f16":           {"hh", h1(rsq)},
	"v_sqrt_f16":          {"hh", h1(math.Sqrt)},
	"v_exp_f16":           {"hh", h1(math.Exp2)},
	"v_log_f16":           {"hh", h1(math.Log2)},
	"v_floor_f16":         {"hh", h1(math.Floor)},
	"v_ceil_f16":          {"hh", h1(math.Ceil)},
	"v_trunc_f16":         {"hh", h1(math.Trunc)},
	"v_rndne_f16":         {"hh", h1(math.RoundToEven)},
	"v_fract_f16":         {"hh", h1(fract)},
	"v_sin_f16":           {"hh", h1(turns(math.Sin))},
	"v_cos_f16":           {"hh", h1(turns(math.Cos))},
	"v_ldexp_f16": {"hhi", func(a, b, _ uint64) uint64 {
		return fromF16(math.Ldexp(f16(a), int(int16(b))))
	}},
	"v_dot2c_f32_f16":   {"fiif", dot2Half},
	"v_dot2acc_f32_f16": {"fiif", dot2Half}, // RDNA 3's name of it
	"v_dot2_f32_f16":    {"fiif", dot2Half},
	"v_div_fixup_f32":   {"ffff", fixupOp(kFloat)},
	"v_div_fixup_f64":   {"dddd", fixupOp(kDoub)},
	"v_div_fixup_f16":   {"hhhh", fixupHalf},
	"v_pack_b32_f16":    {"ihh", func(a, b, _ uint64) uint64 { return a&0xffff | b&0xffff<<16 }},
}

// dot2Half adds the products of two pairs of float16 to a float32, rounded once.
func dot2Half(a, b, c uint64) uint64 {
	return fromF32(float32(f16(a)*f16(b) + f16(a>>16)*f16(b>>16) + float64(f32(c))))
}

func mulLegacy(a, b float32) float32 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

func fma64(a, b, c uint64) uint64 { return math.Float64bits(math.FMA(f64(a), f64(b), f64(c))) }

// fmaHalf is exact but for the rounding to float64, which keeps 42 bits more than a float16.
func fmaHalf(a, b, c float64) float64 { return a*b + c }

// exponent returns the exponent of a number as v_frexp_exp does: 0 for what has none.
func exponent(a float64) int32 {
	if a == 0 || math.IsInf(a, 0) || a != a {
		return 0
	}
	_, e := math.Frexp(a)
	return int32(e)
}
