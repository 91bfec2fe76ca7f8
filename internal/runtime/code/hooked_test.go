package code

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
)

// TestWordValues: hooks see a word of a launch as a value of its parameter's type; bits beyond it are
// ignored.
func TestWordValues(t *testing.T) {
	for _, test := range []struct {
		param device.Param
		word  uint64
		want  any
	}{
		{device.Param{Pointer: true, Type: "fp32"}, 1 << 40, uintptr(1 << 40)},
		{device.Param{Type: "nothing"}, 5, uintptr(5)},
		{device.Param{Type: "fp32"}, 0x3fc00000, 1.5},
		{device.Param{Type: "fp16"}, 0xc000, -2.0},
		{device.Param{Type: "i1"}, 2, false},
		{device.Param{Type: "i1"}, 3, true},
		{device.Param{Type: "i8"}, 0x1ff, int64(-1)},
		{device.Param{Type: "i8"}, 0x17f, int64(127)},
		{device.Param{Type: "u8"}, 0x1ff, uint64(255)},
		{device.Param{Type: "i32"}, 1 << 31, int64(-1 << 31)},
		{device.Param{Type: "u32"}, 1<<32 | 7, uint64(7)},
		{device.Param{Type: "i64"}, 1 << 63, int64(-1 << 63)},
		{device.Param{Type: "u64"}, 1 << 63, uint64(1 << 63)},
	} {
		if got := wordValue(test.param, test.word); got != test.want {
			t.Errorf("%v of %#x: %v (%[3]T), not %v (%[4]T)", test.param.Type, test.word, got, test.want)
		}
	}
}
