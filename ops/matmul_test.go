package ops_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// small returns numbers that every float type and i8 hold exactly.
func small(i int) float64 { return float64(i*7%13-6) / 2 }

// product returns a @ b of two matrices in float64.
func product(t *testing.T, a, b *nereid.Tensor) (out []float64) {
	t.Helper()
	x, y := values(t, a), values(t, b)
	m, k, n := a.Shape[0], a.Shape[1], b.Shape[1]
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += x[i*k+l] * y[l*n+j]
			}
			out = append(out, sum)
		}
	}
	return out
}

// TestMatMul: products of all types, of matrices that no tile divides, with strides of any order.
func TestMatMul(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for i, c := range []struct {
			dt, want nereid.DType
			tol      float64
			options  []ops.MatMulOption
		}{
			{nereid.Float16, nereid.Float16, 2e-3, nil},
			{nereid.BFloat16, nereid.BFloat16, 1e-2, nil},
			{nereid.Float32, nereid.Float32, 1e-6, nil},
			{nereid.Float32, nereid.Float32, 1e-3, []ops.MatMulOption{ops.TF32}},
			{nereid.Float32, nereid.Float32, 1e-5, []ops.MatMulOption{ops.TF32x3}},
			{nereid.Float64, nereid.Float64, 1e-12, nil},
			{nereid.Float8E4NV, nereid.Float32, 1e-6, nil},
			{nereid.Float8E5, nereid.Float16, 1e-3, []ops.MatMulOption{ops.As(nereid.Float16)}},
			{nereid.Int8, nereid.Int32, 0, nil},
		} {
			for j, size := range [][3]int{{20, 33, 50}, {1, 40, 70}, {37, 5, 16}} {
				if s.Stream().Device().String() != "interp" && (i+j)%3 != 0 {
					continue // a third is enough for compiled code
				}
				s.Reset()
				value := small
				if c.dt == nereid.Int8 {
					value = func(i int) float64 { return 2 * small(i) }
				}
				m, n, k := size[0], size[1], size[2]
				a := made(t, s, c.dt, value, m, k)
				b := made(t, s, c.dt, func(i int) float64 { return value(i + 3) }, n, k).Transpose(0, 1)
				got := ops.MatMul(s, a, b, c.options...)
				near(t, fmt.Sprintf("MatMul of %s, %v", c.dt, size), got, product(t, a, b), c.tol)
				if got.DType != c.want {
					t.Errorf("MatMul of %s is %s, not %s", c.dt, got.DType, c.want)
				}
			}
		}
	})
}

// TestMatMulParts: bias, formula and residual, and operands of different types.
func TestMatMulParts(t *testing.T) {
	scaled := ops.Then(func(x ops.Expr) ops.Expr { return x.Mul(0.25).Tanh() })
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, m := range []int{1, 24} {
			a := made(t, s, nereid.Float16, small, m, 40)
			b := made(t, s, nereid.Float32, func(i int) float64 { return small(i+5) / 8 }, 40, 18)
			bias := made(t, s, nereid.Float32, wave, 18)
			plus := made(t, s, nereid.Float32, wave, m, 18)
			want := product(t, a, b)
			for i := range want {
				want[i] = math.Tanh((want[i]+wave(i%18))/4) + wave(i)
			}
			near(t, "MatMul", ops.MatMul(s, a, b, ops.Bias(bias), scaled, ops.Plus(plus)), want, 1e-5)
			whole := made(t, s, nereid.Float16, wave, 18, m+2)
			out := whole.Slice(1, 1, m+1, 1).Transpose(0, 1)
			near(t, "MatMul into a view", ops.MatMul(s.Into(out), a, b, ops.Bias(bias), scaled,
				ops.Plus(plus)), want, 2e-3)
		}
		i8 := made(t, s, nereid.Int8, func(i int) float64 { return float64(i%9 - 4) }, 16, 32)
		want := product(t, i8, i8.Transpose(0, 1))
		for i := range want {
			want[i] *= 0.5
		}
		half := ops.Then(func(x ops.Expr) ops.Expr { return x.Mul(0.5) })
		got := ops.MatMul(s, i8, i8.Transpose(0, 1), half)
		near(t, "MatMul of i8, scaled", got, want, 0)
		if got.DType != nereid.Float32 {
			t.Errorf("scaled products of i8 are %s", got.DType)
		}
	})
}

// TestMatMulBatches: dimensions before the matrices are broadcast, and vectors are rows or columns.
func TestMatMulBatches(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, small, 2, 3, 4, 16)
		w := made(t, s, nereid.Float32, small, 16, 8)
		y := made(t, s, nereid.Float32, small, 3, 16, 8)
		v := made(t, s, nereid.Float32, small, 16)
		for _, c := range []struct {
			a, b  *nereid.Tensor
			shape []int
		}{
			{x, w, []int{2, 3, 4, 8}},
			{x, y, []int{2, 3, 4, 8}},
			{x.Permute(1, 0, 2, 3), w, []int{3, 2, 4, 8}},
			{x.Permute(0, 2, 1, 3), w, []int{2, 4, 3, 8}},
			{x.Select(0, 1), y, []int{3, 4, 8}},
			{v, y, []int{3, 8}},
			{x, v, []int{2, 3, 4}},
			{v, v, []int{}},
		} {
			got := ops.MatMul(s, c.a, c.b)
			if !slices.Equal(got.Shape, c.shape) {
				t.Errorf("%v @ %v has the shape %v, not %v: %v", c.a.Shape, c.b.Shape, got.Shape, c.shape,
					got.Err())
				continue
			}
			near(t, fmt.Sprint(c.a.Shape, " @ ", c.b.Shape), got, batched(t, c.a, c.b), 1e-6)
		}
	})
}

// batched returns products of batches in float64, by elementwise products of broadcast operands.
func batched(t *testing.T, a, b *nereid.Tensor) []float64 {
	t.Helper()
	if len(a.Shape) == 1 {
		a = a.Reshape(1, -1)
	}
	if len(b.Shape) == 1 {
		b = b.Reshape(-1, 1)
	}
	s := streamOn(t, "interp")
	x := ops.Copy(s, hostOf(t, a))
	y := ops.Copy(s, hostOf(t, b).Transpose(len(b.Shape)-2, len(b.Shape)-1))
	x = x.Reshape(slices.Insert(slices.Clone(x.Shape), len(x.Shape)-1, 1)...)
	y = y.Reshape(slices.Insert(slices.Clone(y.Shape), len(y.Shape)-2, 1)...)
	return values(t, ops.Sum(s, ops.Mul(s, x, y), -1))
}

func hostOf(t *testing.T, x *nereid.Tensor) *nereid.Tensor {
	t.Helper()
	h, err := x.To(nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestStrips: products whose programs compute tiles side by side are those of other programs, to the bit, for
// operands whose sums are exact. NEREID_TEST_OPS_ON names another device than the simulator.
func TestStrips(t *testing.T) {
	s := streamOn(t, cmp.Or(os.Getenv("NEREID_TEST_OPS_ON"), "sim:90"))
	for _, c := range []struct {
		batch, m, n, k int
		config         [6]int
		options        func(s *ops.Stream, n int) []ops.MatMulOption
	}{
		{2, 70, 200, 40, [6]int{64, 64, 64, 3, 4, 3}, nil},
		{1, 64, 256, 64, [6]int{64, 64, 64, 8, 4, 3}, func(s *ops.Stream, n int) []ops.MatMulOption {
			return []ops.MatMulOption{ops.Bias(made(t, s, nereid.Float16, small, n)), ops.ThenReLU}
		}},
		{3, 128, 520, 8, [6]int{128, 128, 64, 2, 8, 4}, func(s *ops.Stream, n int) []ops.MatMulOption {
			return []ops.MatMulOption{ops.As(nereid.Float32), ops.Plus(made(t, s, nereid.Float32, small, n))}
		}},
	} {
		for _, dt := range []nereid.DType{nereid.Float16, nereid.BFloat16} {
			s.Reset()
			a := made(t, s, dt, small, c.batch, c.m, c.k)
			b := made(t, s, dt, small, c.batch, c.n, c.k).Transpose(1, 2)
			if c.batch == 2 {
				b = made(t, s, dt, small, c.batch, c.k, c.n)
			}
			var options []ops.MatMulOption
			if c.options != nil {
				options = c.options(s, c.n)
			}
			back := ops.SetStrips([6]int{1, 1, 1, 0, 4, 1}, 1)
			want := values(t, ops.MatMul(s, a, b, options...))
			ops.SetStrips(c.config, 1)
			other := streamOn(t, s.Stream().Device().String()) // whose plans are made anew
			got := values(t, ops.MatMul(other, a, b, options...))
			back()
			if !slices.Equal(got, want) {
				t.Errorf("%+v of %s: another result", c, dt)
			}
		}
	}
}

// TestStripsFit: a product whose strips are more than a grid takes across has other programs.
func TestStripsFit(t *testing.T) {
	const most = 128 * (1<<16 - 1)
	for m, want := range map[int]int{128 * 200: 8, most: 8, most + 1: 0} {
		if got := ops.Strips(m, 1024, 64); got != want {
			t.Errorf("%d rows: %d tiles side by side, not %d", m, got, want)
		}
	}
}
