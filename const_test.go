package nereid_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const constSource = `
import triton
import triton.language as tl

@triton.jit
def kernel(o, t):
    for _ in range(1):
        tl.static_assert(t[1][0] == 2)
    tl.store(o, t[0] + t[1][0])

@triton.jit(debug=True)
def checked(o, n):
    tl.device_assert(n > 3, "n is small")
    tl.store(o, n)

@triton.jit
def add(a, b):
    tl.device_assert(a < 1000, "too much")
    return a + b

@triton.jit(debug=True)
def total(o, x, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    s = tl.reduce(v, AXIS, add)
    tl.store(o + tl.arange(0, M if AXIS == 1 else N), s)
`

// An item of a tuple may be compiled in, as tl.constexpr(2) is.
func TestConstItems(t *testing.T) {
	m, err := nereid.Parse("const.py", []byte(constSource))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("kernel")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int32, 1)
	x := nereid.FromSlice(out)
	s := stream(t, "interp")
	for _, n := range []int{5, 6} {
		if err := k.Launch(s, nereid.Grid{1}, x, []any{n, []any{nereid.Const{Value: 2}}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		if out[0] != int32(n)+2 {
			t.Errorf("%d gives %d", n, out[0])
		}
	}
	for _, v := range []any{2, nereid.Const{Value: 3}} {
		if err := k.Launch(s, nereid.Grid{1}, x, []any{5, []any{v}}); err == nil ||
			!strings.Contains(err.Error(), "static_assert") &&
				!strings.Contains(err.Error(), "static assert") {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// @triton.jit(debug=True) has assertions checked in every launch but those that say debug=False; the
// environment has them checked in all.
func TestDebugDecorator(t *testing.T) {
	own := kernelOf(t, "const.py", constSource, "checked")
	all := kernelOf(t, "const.py", constSource, "checked", nereid.With(nereid.Config{Debug: true}))
	x := nereid.FromSlice(make([]int32, 1))
	for _, c := range []struct {
		k    *nereid.Kernel
		n    int
		opts nereid.Options
		bad  bool
	}{
		{own, 5, nereid.Options{}, false},
		{own, 2, nereid.Options{}, true},
		{own, 2, nereid.Options{Debug: nereid.DebugOff}, false},
		{own, 2, nereid.Options{Debug: nereid.DebugOn}, true},
		{all, 2, nereid.Options{Debug: nereid.DebugOff}, true},
	} {
		for range 2 { // the second launch by what the first has left
			s := stream(t, "interp")
			err := c.k.Launch(s, nereid.Grid{1}, x, c.n, c.opts)
			if err == nil {
				err = s.Sync()
			}
			if bad := err != nil && strings.Contains(err.Error(), "n is small"); bad != c.bad ||
				err != nil && !bad {
				t.Errorf("%d, %+v: %v", c.n, c.opts, err)
			}
		}
	}
}

// An assertion in the function of a reduction is checked for every pair of elements, and for no others.
func TestAssertInReduction(t *testing.T) {
	m, err := nereid.Parse("const.py", []byte(constSource))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("total")
	if err != nil {
		t.Fatal(err)
	}
	for _, dev := range []string{"interp", "cpu", "sim"} {
		if dev != "interp" {
			needLLVM(t)
		}
		for _, shape := range [][2]int{{1, 2}, {2, 4}, {4, 2}, {16, 8}, {64, 32}} {
			for axis := range 2 {
				for _, most := range []int32{3, 2000} {
					data := make([]int32, shape[0]*shape[1])
					for i := range data {
						data[i] = 1
					}
					data[0] = most
					out := make([]int32, 64)
					s := stream(t, dev)
					err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(out), nereid.FromSlice(data),
						shape[0], shape[1], axis)
					if err == nil {
						err = s.Sync()
					}
					pairs := shape[axis] > 1
					if bad := err != nil && strings.Contains(err.Error(), "too much"); bad != (pairs &&
						most == 2000) || err != nil && !bad {
						t.Errorf("%s %v axis %d up to %d: %v", dev, shape, axis, most, err)
					} else if err == nil && out[0] != most+int32(shape[axis])-1 {
						t.Errorf("%s %v axis %d: %d", dev, shape, axis, out[0])
					}
				}
			}
		}
	}
}
