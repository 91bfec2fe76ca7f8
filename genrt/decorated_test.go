package genrt_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const decorated = `
import triton
import triton.language as tl

@triton.heuristics({"SEEN": lambda args: args["x"].data_ptr() % 16 + 100 * args["x"].stride(0)
                    + 1000 * args["x"].numel()})
@triton.jit
def seen(x, out, SEEN: tl.constexpr):
    tl.store(out, SEEN)

@triton.heuristics({"BLOCK": lambda args: 64})
@triton.jit
def above(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + 1)

@triton.heuristics({"BLOCK": lambda args: 1024})
@triton.jit
def above_or_none(bias, scale, x, n, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i) + n
    if bias is not None:
        v += tl.load(bias + i) * tl.load(scale + i)
    tl.store(y + i, v)
`

type none struct{ Options nereid.Options }

func (c none) args() []any { return []any{c.Options} }

// cpu returns a stream of the CPU, whose launches are repeated by plans.
func cpu(t *testing.T) *nereid.Stream {
	t.Helper()
	s, err := txtest.Device(t, "cpu", nereid.OpenDevice).NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSeenByDecorators launches a kernel whose decorator looks at all that it can see of a tensor, again and
// again with tensors that differ in one of these things: each launch has its own code.
func TestSeenByDecorators(t *testing.T) {
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": decorated}}
	typed := genrt.Typed[none]{Load: file.Module, Name: "seen", Consts: none.args, Kinds: "tt"}
	s := cpu(t)
	all := nereid.FromSlice(make([]int32, 256))
	out := []int32{0}
	to := nereid.FromSlice(out)
	for range 3 { // cold and warm
		for at := range 4 {
			for n := 1; n < 3; n++ {
				for step := 1; step < 3; step++ {
					x := all.Slice(0, at, at+8*n*step, step)
					call := typed.Call(none{})
					call.Tensors(x, to)
					if err := errors.Join(call.Launch(s, nereid.Grid{1}), s.Sync()); err != nil {
						t.Fatal(err)
					}
					if want := int32(4*at + 100*step + 8000*n); out[0] != want {
						t.Errorf("%d elements from %d on, every %d: the decorator saw %d, not %d", 8*n, at,
							step, out[0], want)
					}
				}
			}
		}
	}
}

// TestOverlapDecorated launches a kernel under a decorator with tensors apart and with tensors that overlap,
// which look the same: what is loaded is what was there before.
func TestOverlapDecorated(t *testing.T) {
	s := cpu(t)
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": decorated}}
	typed := genrt.Typed[none]{Load: file.Module, Name: "above", Consts: none.args, Kinds: "tt"}
	overlapping(t, s, 64, 1, func(x, y *nereid.Tensor) error {
		call := typed.Call(none{})
		call.Tensors(x, y)
		return call.Launch(s, nereid.Grid{1})
	})
}

// TestOverlapBehindNone is the same with a first tensor that is not there, a second one that the code does
// not use, and a number between the others.
func TestOverlapBehindNone(t *testing.T) {
	s := cpu(t)
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": decorated}}
	typed := genrt.Typed[none]{Load: file.Module, Name: "above_or_none", Consts: none.args, Kinds: "tttit"}
	overlapping(t, s, 1024, 5, func(x, y *nereid.Tensor) error {
		call := typed.Call(none{})
		call.Tensors(nil, nereid.FromSlice([]int32{1}), x)
		call.Ints(5)
		call.Tensor(y)
		return call.Launch(s, nereid.Grid{1})
	})
}

// overlapping launches a kernel that stores n elements of x, plus a number, to y, which lies at several
// distances behind x.
func overlapping(t *testing.T, s *nereid.Stream, n int, plus int32,
	launch func(x, y *nereid.Tensor) error) {
	t.Helper()
	for round := range 3 {
		for _, distance := range []int{2 * n, 16, n / 16, 0, n / 2} {
			data, want := make([]int32, 4*n), make([]int32, 4*n)
			for i := range data {
				data[i] = int32(i * i)
			}
			copy(want, data)
			for i := range n {
				want[distance+i] = data[i] + plus
			}
			all := nereid.FromSlice(data)
			err := launch(all.Slice(0, 0, n, 1), all.Slice(0, distance, distance+n, 1))
			if err := errors.Join(err, s.Sync()); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(data, want) {
				t.Errorf("round %d, distance %d:\n%v, not\n%v", round, distance, data, want)
			}
		}
	}
}
