package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// unary has every function of one operand with its value in Go and the numbers that it is tried with.
var unary = []struct {
	name   string
	op     func(*ops.Stream, any) *nereid.Tensor
	want   func(float64) float64
	lo, hi float64
}{
	{"Abs", ops.Abs, math.Abs, -3, 3},
	{"Acos", ops.Acos, math.Acos, -1, 1},
	{"Acosh", ops.Acosh, math.Acosh, 1, 9},
	{"Asin", ops.Asin, math.Asin, -1, 1},
	{"Asinh", ops.Asinh, math.Asinh, -9, 9},
	{"Atan", ops.Atan, math.Atan, -9, 9},
	{"Atanh", ops.Atanh, math.Atanh, -.9, .9},
	{"Cbrt", ops.Cbrt, math.Cbrt, -9, 9},
	{"Ceil", ops.Ceil, math.Ceil, -9, 9},
	{"Cos", ops.Cos, math.Cos, -9, 9},
	{"Cosh", ops.Cosh, math.Cosh, -5, 5},
	{"Erf", ops.Erf, math.Erf, -3, 3},
	{"Erfc", ops.Erfc, math.Erfc, -3, 3},
	{"Erfcinv", ops.Erfcinv, math.Erfcinv, .1, 1.9},
	{"Erfinv", ops.Erfinv, math.Erfinv, -.9, .9},
	{"Exp", ops.Exp, math.Exp, -5, 5},
	{"Exp2", ops.Exp2, math.Exp2, -5, 5},
	{"Expm1", ops.Expm1, math.Expm1, -2, 2},
	{"Floor", ops.Floor, math.Floor, -9, 9},
	{"Gamma", ops.Gamma, math.Gamma, .1, 5},
	{"GELU", ops.GELU, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }, -5, 5},
	{"GELUTanh", ops.GELUTanh, func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}, -5, 5},
	{"IsInf", ops.IsInf, func(x float64) float64 { return truth(math.IsInf(x, 0)) }, -5, 5},
	{"IsNaN", ops.IsNaN, func(x float64) float64 { return truth(math.IsNaN(x)) }, -5, 5},
	{"J0", ops.J0, math.J0, 0, 9},
	{"J1", ops.J1, math.J1, 0, 9},
	{"Lgamma", ops.Lgamma, func(x float64) float64 { v, _ := math.Lgamma(x); return v }, .1, 9},
	{"Log", ops.Log, math.Log, .01, 9},
	{"Log10", ops.Log10, math.Log10, .01, 9},
	{"Log1p", ops.Log1p, math.Log1p, -.9, 9},
	{"Log2", ops.Log2, math.Log2, .01, 9},
	{"Logb", ops.Logb, math.Logb, .01, 99},
	{"Neg", ops.Neg, func(x float64) float64 { return -x }, -5, 5},
	{"Reciprocal", ops.Reciprocal, func(x float64) float64 { return 1 / x }, .1, 5},
	{"ReLU", ops.ReLU, func(x float64) float64 { return max(x, 0) }, -5, 5},
	{"Round", ops.Round, math.Round, -5, 5},
	{"RoundToEven", ops.RoundToEven, math.RoundToEven, -5, 5},
	{"Rsqrt", ops.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, .1, 9},
	{"Sigmoid", ops.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, -9, 9},
	{"Sign", ops.Sign, func(x float64) float64 { return truth(x > 0) - truth(x < 0) }, -1, 1},
	{"Signbit", ops.Signbit, func(x float64) float64 { return truth(math.Signbit(x)) }, -5, 5},
	{"SiLU", ops.SiLU, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, -9, 9},
	{"Sin", ops.Sin, math.Sin, -9, 9},
	{"Sinh", ops.Sinh, math.Sinh, -5, 5},
	{"Softplus", ops.Softplus, func(x float64) float64 { return math.Log1p(math.Exp(x)) }, -9, 9},
	{"Sqrt", ops.Sqrt, math.Sqrt, 0, 9},
	{"Square", ops.Square, func(x float64) float64 { return x * x }, -5, 5},
	{"Tan", ops.Tan, math.Tan, -1.4, 1.4},
	{"Tanh", ops.Tanh, math.Tanh, -3, 3},
	{"Trunc", ops.Trunc, math.Trunc, -9, 9},
	{"Y0", ops.Y0, math.Y0, .5, 9},
	{"Y1", ops.Y1, math.Y1, .5, 9},
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// binary has functions of two operands.
var binary = []struct {
	name   string
	op     func(s *ops.Stream, x, y any) *nereid.Tensor
	want   func(x, y float64) float64
	lo, hi float64
}{
	{"Add", ops.Add, func(x, y float64) float64 { return x + y }, -5, 5},
	{"Atan2", ops.Atan2, math.Atan2, -5, 5},
	{"Copysign", ops.Copysign, math.Copysign, -5, 5},
	{"Dim", ops.Dim, math.Dim, -5, 5},
	{"Div", ops.Div, func(x, y float64) float64 { return x / y }, .5, 5},
	{"Equal", ops.Equal, func(x, y float64) float64 { return truth(x == y) }, -5, 5},
	{"Greater", ops.Greater, func(x, y float64) float64 { return truth(x > y) }, -5, 5},
	{"GreaterEqual", ops.GreaterEqual, func(x, y float64) float64 { return truth(x >= y) }, -5, 5},
	{"Hypot", ops.Hypot, math.Hypot, -5, 5},
	{"Less", ops.Less, func(x, y float64) float64 { return truth(x < y) }, -5, 5},
	{"LessEqual", ops.LessEqual, func(x, y float64) float64 { return truth(x <= y) }, -5, 5},
	{"Maximum", ops.Maximum, math.Max, -5, 5},
	{"Minimum", ops.Minimum, math.Min, -5, 5},
	{"Mod", ops.Mod, math.Mod, .5, 5},
	{"Mul", ops.Mul, func(x, y float64) float64 { return x * y }, -5, 5},
	{"NotEqual", ops.NotEqual, func(x, y float64) float64 { return truth(x != y) }, -5, 5},
	{"Pow", ops.Pow, math.Pow, .5, 3},
	{"Remainder", ops.Remainder, math.Remainder, .5, 5},
	{"Sub", ops.Sub, func(x, y float64) float64 { return x - y }, -5, 5},
}

// TestElementwise: every function, in fp32 and in fp64, is that of Go's math package.
func TestElementwise(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, dt := range []nereid.DType{nereid.Float32, nereid.Float64} {
			for i, c := range unary {
				if leftOut(s, dt, i) {
					continue
				}
				s.Reset()
				x := made(t, s, dt, between(c.lo, c.hi), 33)
				near(t, c.name+" of "+dt.String(), c.op(s, x), mapped(c.want, values(t, x)), 2e-6)
			}
			for i, c := range binary {
				if leftOut(s, dt, i) {
					continue
				}
				s.Reset()
				x := made(t, s, dt, between(c.lo, c.hi), 3, 11)
				y := made(t, s, dt, between(c.hi, c.lo), 11)
				var want []float64
				for i, v := range values(t, x) {
					want = append(want, c.want(v, values(t, y)[i%11]))
				}
				near(t, c.name+" of "+dt.String(), c.op(s, x, y), want, 2e-6)
			}
		}
	})
}

// leftOut reports whether function i is tried on other devices and types alone: the interpreter runs all,
// compiled code a part.
func leftOut(s *ops.Stream, dt nereid.DType, i int) bool {
	switch s.Stream().Device().String() {
	case "interp":
		return false
	case "cpu":
		return dt == nereid.Float64 && i%4 != 0
	}
	return (i+int(dt))%6 != 0
}

// TestNextafter: the next number of fp32, and constants in formulas.
func TestNextafter(t *testing.T) {
	s := streamOn(t, "cpu")
	x := made(t, s, nereid.Float32, wave, 9)
	var want []float64
	for _, v := range values(t, x) {
		want = append(want, float64(math.Nextafter32(float32(v), 9)))
	}
	near(t, "Nextafter", ops.Nextafter(s, x, 9.0), want, 0)
	third := ops.Fuse(func(x ops.Expr) ops.Expr { return ops.Number(1).Div(x.Square().Add(ops.Number(2.5))) })
	near(t, "a formula", third.Call(s, x), mapped(func(v float64) float64 { return 1 / (v*v + 2.5) },
		values(t, x)), 1e-6)
	if bad := ops.Fuse(func(x ops.Expr) ops.Expr { return x.Add("1") }).Call(s, x).Err(); bad == nil {
		t.Error("a formula with a text in it")
	}
}

// between returns numbers from lo to hi, the first equal to lo.
func between(lo, hi float64) func(i int) float64 {
	return func(i int) float64 { return lo + (hi-lo)*float64(i*7%33)/33 }
}

func mapped(f func(float64) float64, list []float64) (out []float64) {
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

// TestIntegers: functions of integers and bools, and of numbers beside them.
func TestIntegers(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Int32, func(i int) float64 { return float64(i*37%23 - 11) }, 20)
		y := made(t, s, nereid.Int32, func(i int) float64 { return float64(i%5 + 1) }, 20)
		b := ops.Greater(s, x, 0)
		for _, c := range []struct {
			name string
			got  *nereid.Tensor
			dt   nereid.DType
			want func(x, y int32) float64
		}{
			{"Add", ops.Add(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x + y)
			}},
			{"Add 5", ops.Add(s, x, 5), nereid.Int32, func(x, y int32) float64 {
				return float64(x + 5)
			}},
			{"Mul 0.5", ops.Mul(s, x, .5), nereid.Float32, func(x, y int32) float64 {
				return float64(x) / 2
			}},
			{"Div", ops.Div(s, x, y), nereid.Float32, func(x, y int32) float64 {
				return float64(x) / float64(y)
			}},
			{"Quo", ops.Quo(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x / y)
			}},
			{"Mod", ops.Mod(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x % y)
			}},
			{"And", ops.And(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x & y)
			}},
			{"Or", ops.Or(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x | y)
			}},
			{"Xor", ops.Xor(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x ^ y)
			}},
			{"Not", ops.Not(s, x), nereid.Int32, func(x, y int32) float64 {
				return float64(^x)
			}},
			{"ShiftLeft", ops.ShiftLeft(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x << y)
			}},
			{"ShiftRight", ops.ShiftRight(s, x, y), nereid.Int32, func(x, y int32) float64 {
				return float64(x >> y)
			}},
			{"not bool", ops.Not(s, b), nereid.Bool, func(x, y int32) float64 {
				return truth(x <= 0)
			}},
			{"bool + int", ops.Add(s, b, y), nereid.Int32, func(x, y int32) float64 {
				return truth(x > 0) + float64(y)
			}},
			{"Where", ops.Where(s, b, x, -1), nereid.Int32, func(x, y int32) float64 {
				return float64(max(x, -1)) - truth(x == 0)
			}},
			{"Clamp", ops.Clamp(s, x, -2, 2), nereid.Int32, func(x, y int32) float64 {
				return float64(min(max(x, -2), 2))
			}},
			{"FMA", ops.FMA(s, x, y, .25), nereid.Float32, func(x, y int32) float64 {
				return float64(x*y) + .25
			}},
		} {
			var want []float64
			for i, v := range values(t, x) {
				want = append(want, c.want(int32(v), int32(values(t, y)[i])))
			}
			near(t, c.name, c.got, want, 1e-6)
			if c.got.DType != c.dt {
				t.Errorf("%s is of %s, not of %s", c.name, c.got.DType, c.dt)
			}
		}
	})
}

// TestViews: operands and results may be views of any strides, and are broadcast.
func TestViews(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		r := rand.New(rand.NewPCG(1, 2))
		for range map[bool]int{true: 30, false: 8}[s.Stream().Device().String() == "interp"] {
			s.Reset()
			x := made(t, s, nereid.Float32, wave, 6, 5, 8).Permute(r.Perm(3)...)
			y := x
			for d := range 3 {
				switch r.IntN(3) {
				case 0:
					y = y.Slice(d, 0, 1, 1)
				case 1:
					x = x.Slice(d, 1, 5, 2)
					if y.Shape[d] > 2 {
						y = y.Slice(d, 0, 2, 1)
					}
				}
			}
			want, _ := pairs(t, x, y)
			near(t, "Sub", ops.Sub(s, x, y), want, 1e-6)
			whole := made(t, s, nereid.Float16, wave, 9, 9, 9)
			out := whole.Permute(r.Perm(3)...).Slice(0, 0, x.Shape[0], 1).Slice(1, 0, x.Shape[1], 1).
				Slice(2, 1, 1+x.Shape[2], 1)
			before := values(t, whole)
			near(t, "Sub into a view", ops.Sub(s.Into(out), x, y), want, 2e-3)
			changed := 0
			for i, v := range values(t, whole) {
				changed += int(truth(v != before[i]))
			}
			if changed > len(want) {
				t.Errorf("%d elements changed, more than %d", changed, len(want))
			}
		}
	})
}

// pairs returns the differences of the elements of x and of y, which is broadcast to x, and the shape.
func pairs(t *testing.T, x, y *nereid.Tensor) (diff []float64, shape []int) {
	t.Helper()
	a, b := values(t, x), values(t, y)
	for i := range a {
		j, rest := 0, i
		index := make([]int, len(x.Shape))
		for d := len(x.Shape) - 1; d >= 0; d-- {
			index[d], rest = rest%x.Shape[d], rest/x.Shape[d]
		}
		for d, n := range y.Shape {
			j = j*n + min(index[d], n-1)
		}
		diff = append(diff, a[i]-b[j])
	}
	return diff, slices.Clone(x.Shape)
}

// TestNumbers: a Go number is taken as it is, also after a call with another one, and beside fp64.
func TestNumbers(t *testing.T) {
	double := ops.Fuse(func(x, y ops.Expr) ops.Expr { return x.To(nereid.Float64).Mul(y) })
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, func(int) float64 { return 2 }, 1)
		for _, zero := range []float64{0, math.Copysign(0, -1)} {
			near(t, "Copysign", ops.Copysign(s, x, zero), []float64{math.Copysign(2, zero)}, 0)
		}
		near(t, "0.1 beside fp64", double.Call(s, x, 0.1), []float64{0.2}, 0)
		u := made(t, s, nereid.Uint8, func(i int) float64 { return float64(100 * i) }, 3)
		near(t, "Sign", ops.Sign(s, u), []float64{0, 1, 1}, 0)
	})
}

// TestNumbersThatDoNotFit: an integer that the type beside it does not have is an error, at every call.
func TestNumbersThatDoNotFit(t *testing.T) {
	s := streamOn(t, "interp")
	of := func(dt nereid.DType) *nereid.Tensor {
		return made(t, s, dt, func(i int) float64 { return float64(i) }, 3)
	}
	i8, u8 := of(nereid.Int8), of(nereid.Uint8)
	add := ops.Fuse(func(x ops.Expr) ops.Expr { return x.Add(300) })
	for name, c := range map[string]struct {
		got  *nereid.Tensor
		want string
	}{
		"large":    {ops.Add(s, i8, 128), "ops: Add: y: 128 is no i8"},
		"small":    {ops.Add(s, i8, -129), "ops: Add: y: -129 is no i8"},
		"unsigned": {ops.Maximum(s, u8, -1), "ops: Maximum: y: -1 is no u8"},
		"clamp":    {ops.Clamp(s, u8, 0, 256), "256 is no u8"},
		"compared": {ops.Less(s, of(nereid.Uint16), 1<<16), "65536 is no u16"},
		"i32":      {ops.Mul(s, of(nereid.Int32), 1<<31), "2147483648 is no i32"},
		"constant": {add.Call(s, i8), "300, an operand of Add, is no i8"},
	} {
		if err := c.got.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	near(t, "the least", ops.Add(s, i8, -128), []float64{-128, -127, -126}, 0)
	near(t, "the largest", ops.Maximum(s, u8, 255), []float64{255, 255, 255}, 0)
	near(t, "beside floats", ops.Add(s, of(nereid.Float16), 300), []float64{300, 301, 302}, 0)
	wrapped := ops.Fuse(func(x, y ops.Expr) ops.Expr { return x.Add(y.To(nereid.Int8)) })
	near(t, "a cast", wrapped.Call(s, i8, 300), []float64{44, 45, 46}, 0)
	const large = 1 << 40
	near(t, "cast of 64 bits", wrapped.Call(s, i8, large+5), []float64{5, 6, 7}, 0)
	near(t, "beside 64 bits", ops.Add(s, of(nereid.Int64), large), []float64{large, large + 1, large + 2}, 0)
	if err := ops.Add(s, i8, 128).Err(); err == nil {
		t.Error("a call that an earlier one had planned takes 128")
	}
}

// TestTypes: operands meet in the type that the rule says.
func TestTypes(t *testing.T) {
	s := streamOn(t, "interp")
	b, i8, u8, i32 := nereid.Bool, nereid.Int8, nereid.Uint8, nereid.Int32
	u32, i64, u64 := nereid.Uint32, nereid.Int64, nereid.Uint64
	h, bf, f, d := nereid.Float16, nereid.BFloat16, nereid.Float32, nereid.Float64
	e4, e5 := nereid.Float8E4NV, nereid.Float8E5
	one := func(int) float64 { return 1 }
	for _, c := range []struct{ x, y, want nereid.DType }{
		{b, b, i32}, {b, i8, i8}, {i8, u8, nereid.Int16}, {i32, u32, i64}, {i64, u64, i64}, {u8, i32, i32},
		{u8, u32, u32}, {i64, h, h}, {h, bf, f}, {h, f, f}, {bf, d, d}, {e4, h, h}, {e4, e4, e4}, {e4, e5, f},
	} {
		got := ops.Add(s, made(t, s, c.x, one, 3), made(t, s, c.y, one, 3))
		near(t, c.x.String()+" + "+c.y.String(), got, []float64{2, 2, 2}, 0)
		if got.DType != c.want {
			t.Errorf("%s + %s is %s, not %s", c.x, c.y, got.DType, c.want)
		}
	}
}
