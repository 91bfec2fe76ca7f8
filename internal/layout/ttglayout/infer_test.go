package ttglayout

import (
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// encodings of tensors of 16x32 for 4 warps.
var encodings = []string{
	"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
	"#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>",
	"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>",
	"#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
	"#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = " +
		"[2, 2], instrShape = [16, 8]}>, kWidth = 2}>",
	"#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 2, 4], threadsPerWarp = [2, 4, 4], " +
		"warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>}>",
	"#ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [4, 8, 1], " +
		"warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>}>",
}

// places checks, for all inputs, that the element which a has at a place is the one that b has there, after
// f.
func samePlaces(t *testing.T, what string, a, b layout.Layout, f func(at []int) []int) {
	t.Helper()
	if !slices.Equal(a.InDims(), b.InDims()) {
		t.Errorf("%s: inputs %v and %v", what, a.InDims(), b.InDims())
		return
	}
	for i := range a.TotalInSize() {
		in := unflatten(a.InDims(), i)
		if got, want := b.Apply(in...), f(a.Apply(in...)); !slices.Equal(got, want) {
			t.Errorf("%s: at %v is %v, want %v", what, in, got, want)
			return
		}
	}
}

func unflatten(dims []layout.Dim, i int) []int {
	out := make([]int, len(dims))
	for k, d := range dims {
		out[k] = i % d.Size
		i /= d.Size
	}
	return out
}

func TestReshapeAndTrans(t *testing.T) {
	for _, text := range encodings {
		enc := parse(t, text)
		l := mustFor(t, enc, 16, 32)
		for _, to := range [][]int64{{512}, {4, 4, 32}, {32, 16}, {16, 4, 8}, {2, 256}} {
			flat := func(at []int) []int {
				i, out := at[0]*32+at[1], make([]int, len(to))
				for k := len(to) - 1; k >= 0; k-- {
					out[k] = i % int(to[k])
					i /= int(to[k])
				}
				return out
			}
			samePlaces(t, text, l, mustFor(t, Reshape(enc, []int64{16, 32}, to), to...), flat)
		}
		turned := Trans(enc, []int64{16, 32}, []int64{1, 0})
		samePlaces(t, text, l, mustFor(t, turned, 32, 16), func(at []int) []int {
			return []int{at[1], at[0]}
		})
	}
	if Reshape(parse(t, encodings[0]), []int64{16, 32}, []int64{16}) != nil {
		t.Error("reshaped to fewer elements")
	}
}

func TestJoinAndSplit(t *testing.T) {
	for _, text := range encodings {
		enc := parse(t, text)
		l := mustFor(t, enc, 16, 32)
		joined := Join(enc, []int64{16, 32})
		whole := mustFor(t, joined, 16, 32, 2)
		// Each place holds both elements of its pair, in two registers.
		half, ok := halve(whole, 2)
		if !ok {
			t.Errorf("%s: a thread lacks part of a pair in%s", text, whole)
			continue
		}
		samePlaces(t, text, l, half.DropOut("dim2"), func(at []int) []int { return at })
		if split := Split(joined, []int64{16, 32, 2}); split == nil ||
			!Equivalent(split, enc, []int64{16, 32}) {
			t.Errorf("%s: joined to %s, split to %v", text, joined, split)
		}
	}
	apart := parse(t, "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, "+
		"1], order = [1, 0]}>")
	if Split(apart, []int64{64, 2}) != nil {
		t.Error("split a pair that two threads hold")
	}
}

func TestPack(t *testing.T) {
	for _, text := range encodings {
		enc := parse(t, text)
		for axis := range 2 {
			shape := []int64{16, 32}
			out := Unpack(enc, shape, axis)
			shape[axis] *= 2
			if out == nil {
				t.Errorf("%s: nothing for axis %d", text, axis)
				continue
			}
			mustFor(t, out, shape...)
			if back := Pack(out, shape, axis); back == nil || !Equivalent(back, enc, []int64{16, 32}) {
				t.Errorf("%s, axis %d: unpacked %s, packed %v", text, axis, out, back)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, text := range encodings[:3] {
		enc := parse(t, text)
		if got := Named(mustFor(t, enc, 16, 32)); got != enc && !Equivalent(got, enc, []int64{16, 32}) {
			t.Errorf("%s came back as %s", enc, got)
		} else if _, ok := ttg.As[ttg.Blocked](got); !ok {
			t.Errorf("%s came back as %s", enc, got)
		}
	}
}

func TestConversion(t *testing.T) {
	typ := func(enc string) ir.Type { return ir.Tensor([]int64{16, 32}, ir.F32, parse(t, enc)) }
	a, c := typ(encodings[0]), typ(encodings[2])
	reordered := typ("#ttg.linear<{register = [[0, 2], [0, 1]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], " +
		"[2, 0]], warp = [[4, 0], [8, 0]], block = []}>")
	lanes := typ("#ttg.linear<{register = [[0, 1], [0, 4]], lane = [[0, 2], [0, 8], [0, 16], [1, 0], [2, " +
		"0]], warp = [[4, 0], [8, 0]], block = []}>")
	named := typ("#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, " +
		"0]], warp = [[4, 0], [8, 0]], block = []}>")
	tests := []struct {
		src, dst            ir.Type
		trivial, regs, warp bool
	}{
		{a, a, true, true, true},
		{a, named, true, true, true},
		{a, reordered, false, true, true},
		{a, lanes, false, false, true},
		{a, c, false, false, false},
	}
	for _, tt := range tests {
		conv, err := Conversion(tt.src, tt.dst)
		if err != nil {
			t.Error(err)
			continue
		}
		if TrivialConversion(tt.src, tt.dst) != tt.trivial || OnlyRegisters(conv) != tt.regs ||
			OnlyLanes(conv) != tt.warp {
			t.Errorf("%s to %s:%s", tt.src, tt.dst, conv)
		}
	}
}
