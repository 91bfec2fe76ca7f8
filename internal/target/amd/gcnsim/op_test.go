package gcnsim

import (
	"math"
	"testing"
)

// TestClamp checks results that do not fit, with the modifier clamp.
func TestClamp(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b, want uint64
	}{
		{"v_add_u32", 0xffffffff, 2, 0xffffffff},
		{"v_sub_u32", 3, 5, 0},
		{"v_subrev_u32", 3, 5, 2},
		{"v_add_i32", 0x7fffffff, 1, 0x7fffffff},
		{"v_sub_i32", 0x80000000, 1, 0x80000000},
		{"v_add_u16", 0xfff0, 0x20, 0xffff},
		{"v_sub_i16", 0x8000, 1, 0x8000},
		{"v_add_f32", fromF32(0.75), fromF32(0.5), fromF32(1)},
		{"v_mul_f16", fromF16(-2), fromF16(0.5), 0},
	} {
		if got := clamped(c.name, vectorOps[c.name])(c.a, c.b, 0); got != c.want {
			t.Errorf("%s %#x, %#x clamp: got %#x, want %#x", c.name, c.a, c.b, got, c.want)
		}
	}
	if clamped("v_and_b32", vectorOps["v_and_b32"]) != nil {
		t.Error("v_and_b32 with clamp means nothing, but has a function")
	}
}

// TestMedian checks instructions of three sources.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name          string
		a, b, c, want uint64
	}{
		{"v_med3_f16", fromF16(3), fromF16(0), fromF16(6), fromF16(3)},
		{"v_med3_f16", 0x7e00, fromF16(-1), fromF16(6), fromF16(-1)}, // NaN: the least of the others
		{"v_med3_i32", 0xffffffff, 5, 2, 2},
		{"v_minmax_f32", fromF32(1), fromF32(2), fromF32(3), fromF32(3)},
		{"v_max3_i16", 0xffff, 0x8000, 0xfffe, 0xffff},
		{"v_sad_u8", 0x01020304, 0x02010703, 10, 17},
		{"v_dot2_i32_i16", 0xffff0003, 0x00050004, 10, 17},
		{"v_dot2_u32_u16", 0xffff0001, 0xffff0002, 0, 0xfffe0003},
		{"v_dot4_i32_i8", 0xff000003, 0x05000004, 10, 17},
		{"v_dot8_i32_i4", 0xf0000003, 0x70000008, 10, 0xffffffeb},
		{"v_dot8_u32_u4", 0xf0000003, 0x70000008, 10, 139},
	} {
		if got := vectorOps[c.name].f(c.a, c.b, c.c); got != c.want {
			t.Errorf("%s %#x, %#x, %#x: got %#x, want %#x", c.name, c.a, c.b, c.c, got, c.want)
		}
	}
}

// TestConvertPairs: conversions of two floats to 16-bit integers round toward zero and saturate.
func TestConvertPairs(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b float32
		want uint64
	}{
		{"v_cvt_pk_i16_f32", -1.9, 40000, 0x7fffffff},
		{"v_cvt_pk_i16_f32", float32(math.NaN()), -40000, 0x80000000},
		{"v_cvt_pk_u16_f32", 65534.9, -3, 0x0000fffe},
	} {
		if got := vectorOps[c.name].f(fromF32(c.a), fromF32(c.b), 0); got != c.want {
			t.Errorf("%s %v, %v: got %#x, want %#x", c.name, c.a, c.b, got, c.want)
		}
	}
}
