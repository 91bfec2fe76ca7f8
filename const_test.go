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
		if err := k.Launch(s, nereid.Grid{1}, x, []any{5, []any{v}}); err == nil || !strings.Contains(err.Error(), "static_assert") && !strings.Contains(err.Error(), "static assert") {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// @triton.jit(debug=True) has assertions checked in every launch.
func TestDebugDecorator(t *testing.T) {
	m, err := nereid.Parse("const.py", []byte(constSource))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("checked")
	if err != nil {
		t.Fatal(err)
	}
	x := nereid.FromSlice(make([]int32, 1))
	for n, want := range map[int]string{5: "", 2: "n is small"} {
		s := stream(t, "interp")
		err := k.Launch(s, nereid.Grid{1}, x, n)
		if err == nil {
			err = s.Sync()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
