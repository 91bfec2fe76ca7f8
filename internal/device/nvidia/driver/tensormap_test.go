package driver

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// TestEncode: a tensor map is what the driver made, with the context current, 64-byte aligned, and what it
// cannot make is said before.
func TestEncode(t *testing.T) {
	f, ctx := started(t, 1)
	good := Tiled{Type: 6, Elem: 2, Rank: 3, Address: 0x1000, Dims: [5]uint64{100, 20, 3},
		Strides: [4]uint64{256, 8192}, Box: [5]uint32{64, 16, 1}, Swizzle: 128}
	if _, err := ctx.Encode(&good); !errors.Is(err, ErrNotSupported) {
		t.Errorf("a driver without tensor maps: %v", err)
	}
	f.raw.tensorMapEncodeTiled = func(m *[TensorMapBytes]byte, elem int32, rank uint32, p DevicePtr,
		dims *[MaxRank]uint64, strides *[MaxRank - 1]uint64, box, steps *[MaxRank]uint32, interleave, swizzle,
		promotion, fill int32) Result {
		if uintptr(unsafe.Pointer(m))%64 != 0 {
			t.Error("the map is not aligned")
		}
		m[7] = 9
		return f.note("encode %d %d %#x %v %v %v %v %d %d %d %d", elem, rank, p, dims[:rank],
			strides[:rank-1], box[:rank], steps[:rank], interleave, swizzle, promotion, fill)
	}
	for range 20 {
		m, err := ctx.Encode(&good)
		if err != nil || m.Bytes()[7] != 9 {
			t.Fatal(err)
		}
	}
	f.calls = f.calls[:2]
	f.want(t, "current 110", "encode 6 3 0x1000 [100 20 3] [256 8192] [64 16 1] [1 1 1] 0 3 2 0")
	for _, c := range []struct {
		change func(x *Tiled)
		want   string
	}{
		{func(x *Tiled) { x.Rank = 0 }, "1 to 5 dimensions, not 0"},
		{func(x *Tiled) { x.Rank = 6 }, "1 to 5 dimensions, not 6"},
		{func(x *Tiled) { x.Address = 0x1008 }, "a multiple of 16, not 0x1008"},
		{func(x *Tiled) { x.Strides[1] = 8200 }, "multiples of 16 bytes, below 2^40, not 8200"},
		{func(x *Tiled) { x.Strides[0] = 1 << 40 }, "not 1099511627776 bytes"},
		{func(x *Tiled) { x.Dims[2] = 0 }, "sizes from 1 to 2^32, not 0"},
		{func(x *Tiled) { x.Dims[0] = 1<<32 + 1 }, "sizes from 1 to 2^32, not 4294967297"},
		{func(x *Tiled) { x.Box[1] = 257 }, "boxes of 1 to 256 elements along each dimension, not 257"},
		{func(x *Tiled) { x.Box[0] = 128 }, "not wider than the swizzle of 128: not 256 bytes"},
		{func(x *Tiled) { x.Box[0] = 4 }, "not 8 bytes"},
		{func(x *Tiled) { x.Swizzle = 48 }, "a swizzle of 0, 32, 64 or 128 bytes, not 48"},
	} {
		x := good
		c.change(&x)
		if _, err := ctx.Encode(&x); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", x, err, c.want)
		}
	}
	f.want(t)
	f.results["encode"] = ErrInvalidValue
	if _, err := ctx.Encode(&good); !errors.Is(err, ErrInvalidValue) ||
		!strings.Contains(err.Error(), "Strides:[256 8192") {
		t.Errorf("%v", err)
	}
}
