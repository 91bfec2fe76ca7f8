package nereid_test

import (
	"errors"
	"testing"

	"github.com/nereid-lang/nereid"
)

const scalarKernels = `
import triton
import triton.language as tl

@triton.jit
def square(x_ptr, n):
    tl.store(x_ptr, n * n)

@triton.jit
def annotated(x_ptr, n: tl.int32):
    tl.store(x_ptr, n)

@triton.jit
def constant(x_ptr, n: tl.constexpr):
    tl.store(x_ptr, n)
`

// TestScalarSignature holds numbers with a type of their own to it: whatever the value, unless it is 1 or the
// parameter is annotated.
func TestScalarSignature(t *testing.T) {
	x := nereid.FromSlice(make([]float64, 16))
	for _, c := range []struct {
		kernel string
		n      any
		want   string
	}{
		{"square", 5, "*fp64:16, i32"},
		{"square", nereid.ScalarOf(nereid.Int64, 5), "*fp64:16, i64"},
		{"square", nereid.ScalarOf(nereid.Int64, 32), "*fp64:16, i64:16"},
		{"square", nereid.ScalarOf(nereid.Int64, 1), "*fp64:16, 1"},
		{"square", nereid.ScalarOf(nereid.Uint32, 5), "*fp64:16, u32"},
		{"square", nereid.ScalarOf(nereid.Int8, 16), "*fp64:16, i8:16"},
		{"square", nereid.ScalarOf(nereid.Uint64, uint64(1)<<63), "*fp64:16, u64:16"},
		{"square", nereid.ScalarOf(nereid.Float32, 2.5), "*fp64:16, fp32"},
		{"square", nereid.ScalarOf(nereid.Float64, 2.5), "*fp64:16, fp64"},
		{"square", nereid.ScalarOf(nereid.BFloat16, 2.5), "*fp64:16, bf16"},
		{"square", nereid.Scalar{DType: nereid.Bool, Bits: 2}, "*fp64:16, u1"},
		{"annotated", nereid.ScalarOf(nereid.Int64, 5), "*fp64:16, i32"},
		{"constant", nereid.ScalarOf(nereid.Uint32, uint32(5)), "*fp64:16, 5"},
		{"constant", nereid.ScalarOf(nereid.Float32, 0.5), "*fp64:16, 0.5"},
	} {
		k := kernelOf(t, "k.py", scalarKernels, c.kernel, nereid.With(nereid.Config{}))
		got, err := k.Signature(x, c.n)
		if err != nil || got != c.want {
			t.Errorf("%s(%v): %q, %v; want %q", c.kernel, c.n, got, err, c.want)
		}
	}
	k := kernelOf(t, "k.py", scalarKernels, "square", nereid.With(nereid.Config{}))
	if _, err := k.Signature(x, nereid.Scalar{DType: 99}); !errors.As(err, new(*nereid.ArgumentError)) {
		t.Errorf("a type that is none: %v", err)
	}
}

// TestScalarValue launches with numbers of types that their values would not have.
func TestScalarValue(t *testing.T) {
	for _, device := range []string{"interp", "cpu"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			k := kernelOf(t, "k.py", scalarKernels, "square", nereid.With(nereid.Config{}))
			launch := func(out *nereid.Tensor, n any) {
				t.Helper()
				if err := k.Launch(s, nereid.Grid{1}, out, n); err != nil {
					t.Fatal(err)
				}
			}
			ints, floats := make([]int64, 2), make([]float64, 2)
			for range 2 { // compiled, then repeated
				launch(nereid.FromSlice(ints), nereid.ScalarOf(nereid.Int64, 1<<20))
				launch(nereid.FromSlice(floats), nereid.ScalarOf(nereid.Float64, 0.1))
				x := 0.1
				if ints[0] != 1<<40 || floats[0] != x*x {
					t.Errorf("%d, %v", ints[0], floats[0])
				}
				launch(nereid.FromSlice(ints), nereid.ScalarOf(nereid.Int16, -3))
				launch(nereid.FromSlice(floats), nereid.ScalarOf(nereid.Float16, -0.5))
				if ints[0] != 9 || floats[0] != 0.25 {
					t.Errorf("%d, %v", ints[0], floats[0])
				}
			}
		})
	}
}
