package gcnsim

import (
	"math/bits"
)

func u2(f func(a, b uint32) uint32) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return uint64(f(uint32(a), uint32(b))) }
}

func u3(f func(a, b, c uint32) uint32) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return uint64(f(uint32(a), uint32(b), uint32(c))) }
}

func i2(f func(a, b int32) int32) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return uint64(uint32(f(int32(a), int32(b)))) }
}

func i3(f func(a, b, c int32) int32) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return uint64(uint32(f(int32(a), int32(b), int32(c)))) }
}

func s2(f func(a, b uint16) uint16) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return uint64(f(uint16(a), uint16(b))) }
}

func s3(f func(a, b, c uint16) uint16) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return uint64(f(uint16(a), uint16(b), uint16(c))) }
}

func u1(f func(a uint32) uint32) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 { return uint64(f(uint32(a))) }
}

func med3[T int32 | uint32 | int16 | uint16 | float32 | float64](a, b, c T) T {
	return max(min(a, b), min(max(a, b), c))
}

// intOps are the vector instructions on integers and bits.
var intOps = map[string]lanewise{
	"v_mov_b32":         {"ii", func(a, _, _ uint64) uint64 { return a }},
	"v_mov_b64":         {"ii", func(a, _, _ uint64) uint64 { return a }},
	"v_accvgpr_mov_b32": {"ii", func(a, _, _ uint64) uint64 { return a }},
	"v_not_b32":         {"ii", u1(func(a uint32) uint32 { return ^a })},
	"v_bfrev_b32":       {"ii", u1(bits.Reverse32)},
	"v_ffbh_u32":        {"ii", u1(func(a uint32) uint32 { return notFound(bits.LeadingZeros32(a)) })},
	"v_ffbl_b32":        {"ii", u1(func(a uint32) uint32 { return notFound(bits.TrailingZeros32(a)) })},
	"v_ffbh_i32":        {"ii", u1(func(a uint32) uint32 { return leadingSigns(int32(a)) })},
	"v_bcnt_u32_b32":    {"iii", u2(func(a, b uint32) uint32 { return uint32(bits.OnesCount32(a)) + b })},
	"v_and_b32":         {"iii", u2(func(a, b uint32) uint32 { return a & b })},
	"v_or_b32":          {"iii", u2(func(a, b uint32) uint32 { return a | b })},
	"v_xor_b32":         {"iii", u2(func(a, b uint32) uint32 { return a ^ b })},
	"v_xnor_b32":        {"iii", u2(func(a, b uint32) uint32 { return ^(a ^ b) })},
	"v_lshlrev_b32":     {"iii", u2(func(a, b uint32) uint32 { return b << (a & 31) })},
	"v_lshrrev_b32":     {"iii", u2(func(a, b uint32) uint32 { return b >> (a & 31) })},
	"v_ashrrev_i32":     {"iii", u2(func(a, b uint32) uint32 { return uint32(int32(b) >> (a & 31)) })},
	"v_lshlrev_b64":     {"iii", func(a, b, _ uint64) uint64 { return b << (a & 63) }},
	"v_lshrrev_b64":     {"iii", func(a, b, _ uint64) uint64 { return b >> (a & 63) }},
	"v_ashrrev_i64":     {"iii", func(a, b, _ uint64) uint64 { return uint64(int64(b) >> (a & 63)) }},
	"v_lshl_add_u64":    {"iiii", func(a, b, c uint64) uint64 { return a<<(b&7) + c }},
	"v_add_u32":         {"iii", u2(func(a, b uint32) uint32 { return a + b })},
	"v_sub_u32":         {"iii", u2(func(a, b uint32) uint32 { return a - b })},
	"v_subrev_u32":      {"iii", u2(func(a, b uint32) uint32 { return b - a })},
	"v_add_i32":         {"iii", u2(func(a, b uint32) uint32 { return a + b })},
	"v_sub_i32":         {"iii", u2(func(a, b uint32) uint32 { return a - b })},
	"v_add3_u32":        {"iiii", u3(func(a, b, c uint32) uint32 { return a + b + c })},
	"v_lshl_add_u32":    {"iiii", u3(func(a, b, c uint32) uint32 { return a<<(b&31) + c })},
	"v_add_lshl_u32":    {"iiii", u3(func(a, b, c uint32) uint32 { return (a + b) << (c & 31) })},
	"v_lshl_or_b32":     {"iiii", u3(func(a, b, c uint32) uint32 { return a<<(b&31) | c })},
	"v_and_or_b32":      {"iiii", u3(func(a, b, c uint32) uint32 { return a&b | c })},
	"v_or3_b32":         {"iiii", u3(func(a, b, c uint32) uint32 { return a | b | c })},
	"v_xor3_b32":        {"iiii", u3(func(a, b, c uint32) uint32 { return a ^ b ^ c })},
	"v_mov_b16":         {"ii", func(a, _, _ uint64) uint64 { return a }},
	"v_not_b16":         {"ii", func(a, _, _ uint64) uint64 { return ^a }},
	"v_and_b16":         {"iii", func(a, b, _ uint64) uint64 { return a & b }},
	"v_or_b16":          {"iii", func(a, b, _ uint64) uint64 { return a | b }},
	"v_xor_b16":         {"iii", func(a, b, _ uint64) uint64 { return a ^ b }},
	"v_cvt_i32_i16":     {"ii", func(a, _, _ uint64) uint64 { return uint64(uint32(int16(a))) }},
	"v_cvt_u32_u16":     {"ii", func(a, _, _ uint64) uint64 { return a & 0xffff }},
	"v_xad_u32":         {"iiii", u3(func(a, b, c uint32) uint32 { return (a ^ b) + c })},
	"v_mul_lo_u32":      {"iii", u2(func(a, b uint32) uint32 { return a * b })},
	"v_mul_hi_u32":      {"iii", func(a, b, _ uint64) uint64 { return a * b >> 32 }},
	"v_mul_hi_i32":      {"iii", i2(func(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) })},
	"v_mul_u32_u24":     {"iii", func(a, b, _ uint64) uint64 { return uint64(uint32(u24(a) * u24(b))) }},
	"v_mul_i32_i24":     {"iii", func(a, b, _ uint64) uint64 { return uint64(uint32(i24(a) * i24(b))) }},
	"v_mul_hi_u32_u24":  {"iii", func(a, b, _ uint64) uint64 { return u24(a) * u24(b) >> 32 }},
	"v_mul_hi_i32_i24": {"iii", func(a, b, _ uint64) uint64 {
		return uint64(uint32(i24(a) * i24(b) >> 32))
	}},
	"v_mad_u32_u24": {"iiii", func(a, b, c uint64) uint64 { return uint64(uint32(u24(a)*u24(b) + c)) }},
	"v_mad_i32_i24": {"iiii", func(a, b, c uint64) uint64 {
		return uint64(uint32(i24(a)*i24(b) + int64(c)))
	}},
	"v_min_i32":    {"iii", i2(func(a, b int32) int32 { return min(a, b) })},
	"v_max_i32":    {"iii", i2(func(a, b int32) int32 { return max(a, b) })},
	"v_min_u32":    {"iii", u2(func(a, b uint32) uint32 { return min(a, b) })},
	"v_max_u32":    {"iii", u2(func(a, b uint32) uint32 { return max(a, b) })},
	"v_min3_i32":   {"iiii", i3(func(a, b, c int32) int32 { return min(a, b, c) })},
	"v_max3_i32":   {"iiii", i3(func(a, b, c int32) int32 { return max(a, b, c) })},
	"v_min3_u32":   {"iiii", u3(func(a, b, c uint32) uint32 { return min(a, b, c) })},
	"v_max3_u32":   {"iiii", u3(func(a, b, c uint32) uint32 { return max(a, b, c) })},
	"v_maxmin_i32": {"iiii", i3(func(a, b, c int32) int32 { return min(max(a, b), c) })},
	"v_minmax_i32": {"iiii", i3(func(a, b, c int32) int32 { return max(min(a, b), c) })},
	"v_maxmin_u32": {"iiii", u3(func(a, b, c uint32) uint32 { return min(max(a, b), c) })},
	"v_minmax_u32": {"iiii", u3(func(a, b, c uint32) uint32 { return max(min(a, b), c) })},
	"v_med3_i32":   {"iiii", i3(med3[int32])},
	"v_med3_u32":   {"iiii", u3(med3[uint32])},
	"v_bfe_u32":    {"iiii", u3(bfe)},
	"v_bfe_i32": {"iiii", u3(func(a, b, c uint32) uint32 {
		return uint32(signedField(int32(a), b, c))
	})},
	"v_bfi_b32": {"iiii", u3(func(a, b, c uint32) uint32 { return a&b | ^a&c })},
	"v_bfm_b32": {"iii", u2(func(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) })},
	"v_alignbit_b32": {"iiii", func(a, b, c uint64) uint64 {
		return uint64(uint32((a<<32 | b) >> (c & 31)))
	}},
	"v_alignbyte_b32": {"iiii", func(a, b, c uint64) uint64 {
		return uint64(uint32((a<<32 | b) >> (8 * (c & 3))))
	}},
	"v_perm_b32":       {"iiii", func(a, b, c uint64) uint64 { return uint64(permute(a<<32|b, uint32(c))) }},
	"v_sad_u8":         {"iiii", u3(sumOfDifferences(8))},
	"v_sad_u16":        {"iiii", u3(sumOfDifferences(16))},
	"v_sad_u32":        {"iiii", u3(func(a, b, c uint32) uint32 { return max(a, b) - min(a, b) + c })},
	"v_add_u16":        {"iii", s2(func(a, b uint16) uint16 { return a + b })},
	"v_sub_u16":        {"iii", s2(func(a, b uint16) uint16 { return a - b })},
	"v_subrev_u16":     {"iii", s2(func(a, b uint16) uint16 { return b - a })},
	"v_mul_lo_u16":     {"iii", s2(func(a, b uint16) uint16 { return a * b })},
	"v_mad_u16":        {"iiii", s3(func(a, b, c uint16) uint16 { return a*b + c })},
	"v_mad_legacy_u16": {"iiii", s3(func(a, b, c uint16) uint16 { return a*b + c })},
	"v_lshlrev_b16":    {"iii", s2(func(a, b uint16) uint16 { return b << (a & 15) })},
	"v_lshrrev_b16":    {"iii", s2(func(a, b uint16) uint16 { return b >> (a & 15) })},
	"v_ashrrev_i16":    {"iii", s2(func(a, b uint16) uint16 { return uint16(int16(b) >> (a & 15)) })},
	"v_min_u16":        {"iii", s2(func(a, b uint16) uint16 { return min(a, b) })},
	"v_max_u16":        {"iii", s2(func(a, b uint16) uint16 { return max(a, b) })},
	"v_min_i16":        {"iii", s2(func(a, b uint16) uint16 { return uint16(min(int16(a), int16(b))) })},
	"v_max_i16":        {"iii", s2(func(a, b uint16) uint16 { return uint16(max(int16(a), int16(b))) })},
	"v_med3_i16": {"iiii", s3(func(a, b, c uint16) uint16 {
		return uint16(med3(int16(a), int16(b), int16(c)))
	})},
	"v_med3_u16": {"iiii", s3(med3[uint16])},
	"v_min3_u16": {"iiii", s3(func(a, b, c uint16) uint16 { return min(a, b, c) })},
	"v_max3_u16": {"iiii", s3(func(a, b, c uint16) uint16 { return max(a, b, c) })},
	"v_min3_i16": {"iiii", s3(func(a, b, c uint16) uint16 {
		return uint16(min(int16(a), int16(b), int16(c)))
	})},
	"v_max3_i16": {"iiii", s3(func(a, b, c uint16) uint16 {
		return uint16(max(int16(a), int16(b), int16(c)))
	})},
	"v_add_i16": {"iii", s2(func(a, b uint16) uint16 { return a + b })},
	"v_sub_i16": {"iii", s2(func(a, b uint16) uint16 { return a - b })},
	"v_mad_i16": {"iiii", s3(func(a, b, c uint16) uint16 { return a*b + c })},
	"v_mad_u32_u16": {"iiii", func(a, b, c uint64) uint64 {
		return uint64(uint32(a&0xffff*(b&0xffff) + c))
	}},
	"v_mad_i32_i16": {"iiii", func(a, b, c uint64) uint64 {
		return uint64(uint32(int32(int16(a))*int32(int16(b)) + int32(c)))
	}},
	"v_cvt_f32_ubyte0":    {"fi", func(a, _, _ uint64) uint64 { return fromF32(float32(a & 255)) }},
	"v_cvt_f32_ubyte1":    {"fi", func(a, _, _ uint64) uint64 { return fromF32(float32(a >> 8 & 255)) }},
	"v_cvt_f32_ubyte2":    {"fi", func(a, _, _ uint64) uint64 { return fromF32(float32(a >> 16 & 255)) }},
	"v_cvt_f32_ubyte3":    {"fi", func(a, _, _ uint64) uint64 { return fromF32(float32(a >> 24 & 255)) }},
	"v_dot2c_i32_i16":     {"iiii", dotBits(16, true, true)},
	"v_dot2_i32_i16":      {"iiii", dotBits(16, true, true)},
	"v_dot2_u32_u16":      {"iiii", dotBits(16, false, false)},
	"v_dot4c_i32_i8":      {"iiii", dotBits(8, true, true)},
	"v_dot4_i32_i8":       {"iiii", dotBits(8, true, true)},
	"v_dot4_u32_u8":       {"iiii", dotBits(8, false, false)},
	"v_dot8c_i32_i4":      {"iiii", dotBits(4, true, true)},
	"v_dot8_i32_i4":       {"iiii", dotBits(4, true, true)},
	"v_dot8_u32_u4":       {"iiii", dotBits(4, false, false)},
	"v_accvgpr_read_b32":  {"ii", func(a, _, _ uint64) uint64 { return a }},
	"v_accvgpr_write_b32": {"ii", func(a, _, _ uint64) uint64 { return a }},
}

// saturating are the integer instructions with the modifier clamp: what does not fit becomes the nearest
// number that does.
var saturating = map[string]func(a, b, c uint64) uint64{
	"v_add_u32":    func(a, b, _ uint64) uint64 { return min(a+b, 1<<32-1) },
	"v_sub_u32":    func(a, b, _ uint64) uint64 { return max(a, b) - b },
	"v_subrev_u32": func(a, b, _ uint64) uint64 { return max(a, b) - a },
	"v_add_i32":    func(a, b, _ uint64) uint64 { return within(int64(int32(a))+int64(int32(b)), 32) },
	"v_sub_i32":    func(a, b, _ uint64) uint64 { return within(int64(int32(a))-int64(int32(b)), 32) },
	"v_add_u16":    func(a, b, _ uint64) uint64 { return min(a&0xffff+b&0xffff, 1<<16-1) },
	"v_sub_u16":    func(a, b, _ uint64) uint64 { return max(a&0xffff, b&0xffff) - b&0xffff },
	"v_add_i16":    func(a, b, _ uint64) uint64 { return within(int64(int16(a))+int64(int16(b)), 16) },
	"v_sub_i16":    func(a, b, _ uint64) uint64 { return within(int64(int16(a))-int64(int16(b)), 16) },
}

// within saturates to a signed integer of so many bits.
func within(x int64, bits int) uint64 {
	most := int64(1)<<(bits-1) - 1
	return uint64(min(max(x, -most-1), most)) & (1<<bits - 1)
}

func u24(a uint64) uint64 { return a & 0xffffff }
func i24(a uint64) int64  { return int64(a) << 40 >> 40 }

// notFound returns -1 for a search that went through all bits.
func notFound(n int) uint32 {
	if n == 32 {
		return ^uint32(0)
	}
	return uint32(n)
}

// leadingSigns returns the number of bits from the top that equal the sign, -1 where all do.
func leadingSigns(a int32) uint32 {
	return notFound(bits.LeadingZeros32(uint32(a ^ a>>31)))
}

func bfe(a, b, c uint32) uint32 { return a >> (b & 31) & (1<<(c&31) - 1) }

func signedField(a int32, b, c uint32) int32 {
	n := c & 31
	if n == 0 {
		return 0
	}
	v := uint32(a) >> (b & 31) << (32 - n)
	return int32(v) >> (32 - n)
}

// permute picks four bytes of eight, or constants.
func permute(data uint64, sel uint32) uint32 {
	var out uint32
	for i := range 4 {
		s := sel >> (8 * i) & 255
		var b uint32
		switch {
		case s < 8:
			b = uint32(data>>(8*s)) & 255
		case s < 12: // the sign of a half
			b = uint32(-(data >> (16*(s-8) + 15) & 1)) & 255
		case s > 12:
			b = 255
		}
		out |= b << (8 * i)
	}
	return out
}

// sumOfDifferences adds to c how much the parts of a and b, of so many bits, differ.
func sumOfDifferences(width int) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 {
		for at := 0; at < 32; at += width {
			x, y := a>>at&(1<<width-1), b>>at&(1<<width-1)
			c += max(x, y) - min(x, y)
		}
		return c
	}
}

// dotBits adds to c the products of a's and b's integers of so many bits.
func dotBits(bits int, signedA, signedB bool) func(a, b, c uint64) uint64 {
	part := func(x uint64, i int, signed bool) int32 {
		v := uint32(x) << (32 - bits*(i+1)) // at the top, where its sign is
		if signed {
			return int32(v) >> (32 - bits)
		}
		return int32(v >> (32 - bits))
	}
	return func(a, b, c uint64) uint64 {
		sum := int32(c)
		for i := range 32 / bits {
			sum += part(a, i, signedA) * part(b, i, signedB)
		}
		return uint64(uint32(sum))
	}
}
