package nereid_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

const freezeKernels = `
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(y_ptr + at, tl.load(x_ptr + at, at < n) + 1, at < n)

@triton.jit
def described(d, y_ptr):
    tl.store(y_ptr + tl.arange(0, 16), d.load([0]))
`

// TestFreeze launches by a plan that was made without a launch, from arguments and from a signature. Code for
// memory that may overlap is right for memory that does.
func TestFreeze(t *testing.T) {
	s := stream(t, "cpu")
	k := kernelOf(t, "k.py", freezeKernels, "add", nereid.With(nereid.Config{}))
	x := make([]float32, 64)
	list := []any{nereid.FromSlice(x), nereid.FromSlice(make([]float32, 64)), 33, 64}
	for _, c := range []struct {
		list      []any
		signature string
		apart     bool
	}{{list, "", false}, {list, "", true}, {nil, "*fp32:16, *fp32:16, i32, 64", false}} {
		p, err := jit.Freeze(k, s, c.list, c.signature, c.apart)
		if err != nil {
			t.Fatal(err)
		}
		if p.Words != 3 || p.Owner.(*code.Build).Param(2).Name != "n" || (len(p.Apart) > 0) != c.apart {
			t.Errorf("%d words, %v", p.Words, p.Apart)
		}
		if c.apart {
			continue
		}
		for i := range x {
			x[i] = float32(i)
		}
		in, out := nereid.FromSlice(x), nereid.FromSlice(x[4:])
		if err := jit.LaunchPlan(p, k, s, [3]int{1},
			[]uint64{in.Addr(), out.Addr(), 33}, nil); err != nil {
			t.Fatal(err)
		}
		for i := range x[4:37] {
			if x[4+i] != float32(i+1) {
				t.Fatalf("%v", x)
			}
		}
	}
}

// TestFreezeRefuses names what cannot be frozen.
func TestFreezeRefuses(t *testing.T) {
	s := stream(t, "cpu")
	x := nereid.FromSlice(make([]float32, 64))
	d := &nereid.Descriptor{Base: x, Shape: []int64{64}, Strides: []int64{1}, Block: []int64{16}}
	for _, c := range []struct {
		kernel, signature, want string
		list                    []any
	}{
		{"described", "", "descriptors", []any{d, x}},
		{"add", "", "checks accesses", []any{x, x, 3, 64, nereid.Options{Check: true}}},
		{"add", "*fp99", "fp99", nil},
		{"add", "", "missing", []any{x}},
	} {
		k := kernelOf(t, "k.py", freezeKernels, c.kernel, nereid.With(nereid.Config{}))
		_, err := jit.Freeze(k, s, c.list, c.signature, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.kernel, c.signature, err)
		}
	}
	k := kernelOf(t, "k.py", freezeKernels, "add", nereid.With(nereid.Config{}))
	if _, err := jit.Freeze(k, (*nereid.Stream)(nil), nil, "", false); err == nil {
		t.Error("no stream")
	}
}
