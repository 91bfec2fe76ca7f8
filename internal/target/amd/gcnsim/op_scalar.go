package gcnsim

import (
	"math/bits"
)

// scalarOp is a scalar instruction: of two sources and scc it makes a result and scc.
type scalarOp struct {
	f    func(a, b uint64, scc bool) (uint64, bool)
	bits bitRule // how bits that nothing wrote pass
	keep bool    // scc stays as it is
}

// bitRule says which bits of a result depend on bits of the sources that nothing wrote.
type bitRule byte

const (
	allBits    bitRule = iota // one bit spoils all
	eachBit                   // each bit depends on those at its place
	andBits                   // a 0 decides
	orBits                    // a 1 decides
	andNotBits                // a 0 of the first decides, or a 1 of the second
	orNotBits                 // a 1 of the first decides, or a 0 of the second
	pickBits                  // one source is taken whole
	fieldBits                 // the second source says which bits of the first count
)

func keep(f func(a, b uint64) uint64) scalarOp {
	return scalarOp{f: func(a, b uint64, scc bool) (uint64, bool) { return f(a, b), scc }, keep: true}
}

// move takes over bits.
var move = scalarOp{func(a, _ uint64, scc bool) (uint64, bool) { return a, scc }, eachBit, true}

// picked takes the first source where scc is set, else the second.
var picked = scalarOp{pick, pickBits, true}

// nonzero sets scc where the result is not 0.
func nonzero(f func(a, b uint64) uint64, rule bitRule) scalarOp {
	return scalarOp{func(a, b uint64, _ bool) (uint64, bool) { r := f(a, b); return r, r != 0 }, rule, false}
}

func nonzero32(f func(a, b uint32) uint32, rule bitRule) scalarOp {
	return nonzero(func(a, b uint64) uint64 { return uint64(f(uint32(a), uint32(b))) }, rule)
}

func test32(f func(a, b uint32) bool) scalarOp {
	return scalarOp{f: func(a, b uint64, _ bool) (uint64, bool) { return 0, f(uint32(a), uint32(b)) }}
}

func testI32(f func(a, b int32) bool) scalarOp {
	return test32(func(a, b uint32) bool { return f(int32(a), int32(b)) })
}

// choose takes one of two and says by scc whether it is the first.
func choose(first func(a, b uint32) bool) scalarOp {
	return scalarOp{f: func(a, b uint64, _ bool) (uint64, bool) {
		if first(uint32(a), uint32(b)) {
			return a, true
		}
		return b, false
	}}
}

func addSigned(a, b uint64, _ bool) (uint64, bool) {
	r := int32(a) + int32(b)
	return uint64(uint32(r)), int64(r) != int64(int32(a))+int64(int32(b))
}

func subSigned(a, b uint64, _ bool) (uint64, bool) {
	r := int32(a) - int32(b)
	return uint64(uint32(r)), int64(r) != int64(int32(a))-int64(int32(b))
}

func bfe64(a, b uint64) uint64 {
	off, n := b&63, b>>16&127
	if n == 0 {
		return 0
	}
	return a >> off & (^uint64(0) >> (64 - min(n, 64)))
}

func bfeSigned64(a, b uint64) uint64 {
	n := min(b>>16&127, 64-b&63)
	if n == 0 {
		return 0
	}
	return uint64(int64(a>>(b&63)<<(64-n)) >> (64 - n))
}

func bfeScalar(a, b uint32) uint32 {
	n := b >> 16 & 127
	if n == 0 {
		return 0
	}
	return a >> (b & 31) & (^uint32(0) >> (32 - min(n, 32)))
}

func bfeSigned(a, b uint32) uint32 {
	n := min(b>>16&127, 32-b&31)
	if n == 0 {
		return 0
	}
	return uint32(int32(a>>(b&31)<<(32-n)) >> (32 - n))
}

func absI32(a, _ uint32) uint32 {
	if int32(a) < 0 {
		return -a
	}
	return a
}

// scalarOps are the instructions on SGPRs.
var scalarOps = map[string]scalarOp{
	"s_mov_b32":  move,
	"s_mov_b64":  move,
	"s_not_b32":  nonzero32(func(a, _ uint32) uint32 { return ^a }, eachBit),
	"s_not_b64":  nonzero(func(a, _ uint64) uint64 { return ^a }, eachBit),
	"s_brev_b32": keep(func(a, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }),
	"s_brev_b64": keep(func(a, _ uint64) uint64 { return bits.Reverse64(a) }),
	"s_bcnt1_i32_b32": nonzero(func(a, _ uint64) uint64 {
		return uint64(bits.OnesCount32(uint32(a)))
	}, allBits),
	"s_bcnt1_i32_b64": nonzero(func(a, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }, allBits),
	"s_ff1_i32_b32": keep(func(a, _ uint64) uint64 {
		return uint64(notFound(bits.TrailingZeros32(uint32(a))))
	}),
	"s_ff1_i32_b64": keep(func(a, _ uint64) uint64 { return search64(bits.TrailingZeros64(a)) }),
	"s_flbit_i32_b32": keep(func(a, _ uint64) uint64 {
		return uint64(notFound(bits.LeadingZeros32(uint32(a))))
	}),
	"s_flbit_i32_b64": keep(func(a, _ uint64) uint64 { return search64(bits.LeadingZeros64(a)) }),
	"s_flbit_i32":     keep(func(a, _ uint64) uint64 { return uint64(leadingSigns(int32(a))) }),
	"s_sext_i32_i8":   keep(func(a, _ uint64) uint64 { return uint64(uint32(int8(a))) }),
	"s_sext_i32_i16":  keep(func(a, _ uint64) uint64 { return uint64(uint32(int16(a))) }),
	"s_abs_i32":       nonzero32(absI32, allBits),
	"s_bitset0_b32":   keep(func(a, b uint64) uint64 { return b &^ (1 << (a & 31)) }),
	"s_bitset1_b32":   keep(func(a, b uint64) uint64 { return b | 1<<(a&31) }),
	"s_add_u32": {f: func(a, b uint64, _ bool) (uint64, bool) {
		r := a + b
		return uint64(uint32(r)), r>>32 != 0
	}},
	"s_sub_u32": {f: func(a, b uint64, _ bool) (uint64, bool) { return uint64(uint32(a - b)), b > a }},
	"s_add_i32": {f: addSigned},
	"s_sub_i32": {f: subSigned},
	"s_addc_u32": {f: func(a, b uint64, c bool) (uint64, bool) {
		r := a + b + bit(c)
		return uint64(uint32(r)), r>>32 != 0
	}},
	"s_subb_u32": {f: func(a, b uint64, c bool) (uint64, bool) {
		r := b + bit(c)
		return uint64(uint32(a - r)), r > a
	}},
	"s_min_i32":     choose(func(a, b uint32) bool { return int32(a) < int32(b) }),
	"s_max_i32":     choose(func(a, b uint32) bool { return int32(a) > int32(b) }),
	"s_min_u32":     choose(func(a, b uint32) bool { return a < b }),
	"s_max_u32":     choose(func(a, b uint32) bool { return a > b }),
	"s_cselect_b32": picked,
	"s_cselect_b64": picked,
	"s_cmov_b32":    picked,
	"s_cmov_b64":    picked,
	"s_and_b32":     nonzero32(func(a, b uint32) uint32 { return a & b }, andBits),
	"s_and_b64":     nonzero(func(a, b uint64) uint64 { return a & b }, andBits),
	"s_or_b32":      nonzero32(func(a, b uint32) uint32 { return a | b }, orBits),
	"s_or_b64":      nonzero(func(a, b uint64) uint64 { return a | b }, orBits),
	"s_xor_b32":     nonzero32(func(a, b uint32) uint32 { return a ^ b }, eachBit),
	"s_xor_b64":     nonzero(func(a, b uint64) uint64 { return a ^ b }, eachBit),
	"s_andn2_b32":   nonzero32(func(a, b uint32) uint32 { return a &^ b }, andNotBits),
	"s_andn2_b64":   nonzero(func(a, b uint64) uint64 { return a &^ b }, andNotBits),
	"s_orn2_b32":    nonzero32(func(a, b uint32) uint32 { return a | ^b }, orNotBits),
	"s_orn2_b64":    nonzero(func(a, b uint64) uint64 { return a | ^b }, orNotBits),
	"s_nand_b32":    nonzero32(func(a, b uint32) uint32 { return ^(a & b) }, andBits),
	"s_nand_b64":    nonzero(func(a, b uint64) uint64 { return ^(a & b) }, andBits),
	"s_nor_b32":     nonzero32(func(a, b uint32) uint32 { return ^(a | b) }, orBits),
	"s_nor_b64":     nonzero(func(a, b uint64) uint64 { return ^(a | b) }, orBits),
	"s_xnor_b32":    nonzero32(func(a, b uint32) uint32 { return ^(a ^ b) }, eachBit),
	"s_xnor_b64":    nonzero(func(a, b uint64) uint64 { return ^(a ^ b) }, eachBit),
	"s_lshl_b32":    nonzero32(func(a, b uint32) uint32 { return a << (b & 31) }, allBits),
	"s_lshl_b64":    nonzero(func(a, b uint64) uint64 { return a << (b & 63) }, allBits),
	"s_lshr_b32":    nonzero32(func(a, b uint32) uint32 { return a >> (b & 31) }, allBits),
	"s_lshr_b64":    nonzero(func(a, b uint64) uint64 { return a >> (b & 63) }, allBits),
	"s_ashr_i32":    nonzero32(func(a, b uint32) uint32 { return uint32(int32(a) >> (b & 31)) }, allBits),
	"s_ashr_i64":    nonzero(func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) }, allBits),
	"s_bfm_b32":     keep(func(a, b uint64) uint64 { return uint64(uint32((1<<(a&31) - 1) << (b & 31))) }),
	"s_bfm_b64":     keep(func(a, b uint64) uint64 { return (1<<(a&63) - 1) << (b & 63) }),
	"s_mul_i32":     keep(func(a, b uint64) uint64 { return uint64(uint32(a * b)) }),
	"s_mul_hi_u32":  keep(func(a, b uint64) uint64 { return a * b >> 32 }),
	"s_mul_hi_i32": keep(func(a, b uint64) uint64 {
		return uint64(uint32(int64(int32(a)) * int64(int32(b)) >> 32))
	}),
	"s_bfe_u32":         nonzero32(bfeScalar, fieldBits),
	"s_bfe_i32":         nonzero32(bfeSigned, fieldBits),
	"s_bfe_i64":         nonzero(bfeSigned64, fieldBits),
	"s_bfe_u64":         nonzero(bfe64, fieldBits),
	"s_absdiff_i32":     nonzero32(func(a, b uint32) uint32 { return absI32(a-b, 0) }, allBits),
	"s_lshl1_add_u32":   shiftAdd(1),
	"s_lshl2_add_u32":   shiftAdd(2),
	"s_lshl3_add_u32":   shiftAdd(3),
	"s_lshl4_add_u32":   shiftAdd(4),
	"s_pack_ll_b32_b16": keep(func(a, b uint64) uint64 { return a&0xffff | b&0xffff<<16 }),
	"s_pack_lh_b32_b16": keep(func(a, b uint64) uint64 { return a&0xffff | b&0xffff0000 }),
	"s_pack_hh_b32_b16": keep(func(a, b uint64) uint64 { return a>>16&0xffff | b&0xffff0000 }),
	"s_cmp_eq_i32":      test32(func(a, b uint32) bool { return a == b }),
	"s_cmp_eq_u32":      test32(func(a, b uint32) bool { return a == b }),
	"s_cmp_lg_i32":      test32(func(a, b uint32) bool { return a != b }),
	"s_cmp_lg_u32":      test32(func(a, b uint32) bool { return a != b }),
	"s_cmp_gt_i32":      testI32(func(a, b int32) bool { return a > b }),
	"s_cmp_ge_i32":      testI32(func(a, b int32) bool { return a >= b }),
	"s_cmp_lt_i32":      testI32(func(a, b int32) bool { return a < b }),
	"s_cmp_le_i32":      testI32(func(a, b int32) bool { return a <= b }),
	"s_cmp_gt_u32":      test32(func(a, b uint32) bool { return a > b }),
	"s_cmp_ge_u32":      test32(func(a, b uint32) bool { return a >= b }),
	"s_cmp_lt_u32":      test32(func(a, b uint32) bool { return a < b }),
	"s_cmp_le_u32":      test32(func(a, b uint32) bool { return a <= b }),
	"s_cmp_eq_u64":      {f: func(a, b uint64, _ bool) (uint64, bool) { return 0, a == b }},
	"s_cmp_lg_u64":      {f: func(a, b uint64, _ bool) (uint64, bool) { return 0, a != b }},
	"s_bitcmp0_b32":     test32(func(a, b uint32) bool { return a>>(b&31)&1 == 0 }),
	"s_bitcmp1_b32":     test32(func(a, b uint32) bool { return a>>(b&31)&1 != 0 }),
	"s_bitcmp0_b64":     {f: func(a, b uint64, _ bool) (uint64, bool) { return 0, a>>(b&63)&1 == 0 }},
	"s_bitcmp1_b64":     {f: func(a, b uint64, _ bool) (uint64, bool) { return 0, a>>(b&63)&1 != 0 }},
	"s_movk_i32":        move,
	"s_cmovk_i32":       picked,
	"s_addk_i32":        {f: addSigned},
	"s_mulk_i32":        keep(func(a, b uint64) uint64 { return uint64(uint32(a * b)) }),
}

func search64(n int) uint64 {
	if n == 64 {
		return 0xffffffff
	}
	return uint64(n)
}

func pick(a, b uint64, scc bool) (uint64, bool) {
	if scc {
		return a, scc
	}
	return b, scc
}

func shiftAdd(n int) scalarOp {
	return scalarOp{f: func(a, b uint64, _ bool) (uint64, bool) {
		r := uint64(uint32(a))<<n + b
		return uint64(uint32(r)), r>>32 != 0
	}}
}

// readsResult are the instructions whose result's register is a source too.
var readsResult = map[string]bool{"s_addk_i32": true, "s_mulk_i32": true, "s_cmovk_i32": true,
	"s_cmov_b32": true,
	"s_cmov_b64": true, "s_bitset0_b32": true, "s_bitset1_b32": true}
