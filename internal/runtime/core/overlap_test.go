package core

import (
	"math"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/signature"
)

// TestByParameter: pairs of words are those of the parameters that have them, behind constexprs, values that
// are compiled in and descriptors of several words.
func TestByParameter(t *testing.T) {
	params := args.NewParams([]signature.Param{{Name: "A", Constexpr: true}, {Name: "x"}, {Name: "one"},
		{Name: "d"}, {Name: "B", Constexpr: true}, {Name: "y"}})
	x, y := &args.Tensor{Elem: dtype.Float16, Addr: 4096}, &args.Tensor{Elem: dtype.Float16, Addr: 8192}
	d := &args.Descriptor{Base: x, Shape: []int64{64}, Strides: []int64{1}, Block: []int64{64}}
	var f args.Frame
	if err := f.Specialize(params, []any{7, x, 1, d, "text", y}, nil); err != nil {
		t.Fatal(err)
	}
	last := len(f.Words) - 1
	words := []device.Apart{{A: 0, B: 1}, {A: 1, B: last, OrEqual: true}, {A: last, B: 0}}
	want := []device.Apart{{A: 1, B: 3}, {A: 3, B: 5, OrEqual: true}, {A: 5, B: 1}}
	if got := ByParameter(words, params.Rules, f.Classes); !slices.Equal(got, want) {
		t.Errorf("%+v, not %+v", got, want)
	}
}

// TestLaunchOverlap: the memory of two words overlaps unless one ends where the other begins. Words that are
// equal do not count where the kernel allows that, and memory that is unknown does.
func TestLaunchOverlap(t *testing.T) {
	l := &Launch{Mem: []device.Memory{{Word: 0, Lo: 100, Hi: 200}, {Word: 1, Lo: 200, Hi: 300},
		{Word: 2, Lo: 199, Hi: 201}, {Word: 4, Lo: 100, Hi: 200}}}
	l.Frame.Words = []uint64{100, 200, 199, 0, 100}
	for _, c := range []struct {
		apart device.Apart
		want  bool
	}{
		{device.Apart{A: 0, B: 1}, false}, {device.Apart{A: 1, B: 0}, false},
		{device.Apart{A: 0, B: 2}, true},
		{device.Apart{A: 2, B: 1, OrEqual: true}, true}, {device.Apart{A: 0, B: 4}, true},
		{device.Apart{A: 0, B: 4, OrEqual: true}, false}, {device.Apart{A: 0, B: 3}, true},
		{device.Apart{A: 3, B: 1, OrEqual: true}, true},
	} {
		if got := l.Overlap([]device.Apart{{A: 0, B: 1}, c.apart}); got != c.want {
			t.Errorf("%+v: %v", c.apart, got)
		}
	}
}

// TestScalarBits: a number of a type has the value that its bits have in the type.
func TestScalarBits(t *testing.T) {
	for _, c := range []struct {
		in   Scalar
		want uint64
	}{
		{Scalar{Uint8, 0x1ff}, 0xff}, {Scalar{Int8, 0x1ff}, math.MaxUint64}, {Scalar{Int8, 0x17f}, 0x7f},
		{ScalarOf(Uint16, -1), 0xffff}, {ScalarOf(Int32, 1<<31), 0xffffffff80000000},
		{ScalarOf(Uint32, -1), 0xffffffff}, {ScalarOf(Uint64, -1), math.MaxUint64}, {Scalar{Bool, 256}, 256},
		{ScalarOf(Float16, 1.0), 0x3c00}, {Scalar{Float16, 0x13c00}, 0x3c00},
	} {
		got, ok := plainArg(c.in).(args.Scalar)
		if !ok || got.Bits != c.want || got.Elem != dtype.Type(c.in.DType) {
			t.Errorf("%+v has the bits %#x, not %#x", c.in, got.Bits, c.want)
		}
	}
}

// TestValidGrid: a grid whose programs cannot be counted is refused, and zeros behind the first size are
// ones.
func TestValidGrid(t *testing.T) {
	const most = math.MaxInt32
	for _, c := range []struct {
		in, want Grid
		ok       bool
	}{
		{Grid{4}, Grid{4, 1, 1}, true}, {Grid{4, 0, 3}, Grid{4, 1, 3}, true}, {Grid{}, Grid{0, 1, 1}, true},
		{Grid{0, 5}, Grid{0, 5, 1}, true}, {Grid{most}, Grid{most, 1, 1}, true},
		{Grid{most, most}, Grid{most, most, 1}, true}, {Grid{most, most, 2}, Grid{most, most, 2}, true},
		{Grid{most, most, 3}, Grid{}, false}, {Grid{most, most, most}, Grid{}, false},
		{Grid{most + 1}, Grid{}, false}, {Grid{1, most + 1}, Grid{}, false}, {Grid{-1}, Grid{}, false},
		{Grid{1, -1}, Grid{}, false}, {Grid{1, 1, math.MinInt}, Grid{}, false},
	} {
		if got, err := ValidGrid("k", c.in); (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%v is %v, %v", c.in, got, err)
		}
	}
}
