package ops_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// special are numbers at which functions have limits, poles and conventions, or overflow.
var special = []float64{0, math.Copysign(0, -1), 1, -1, .5, -.5, 2, -2, 2.5, -2.5, 3, -3, 1e-3, -1e-3, 1e-20,
	-1e-20, 1e-37, -1e-37, 12, -12, 40, -40, 88.5, -88.5, 170, -170.5, 720, -720, 1e4, -1e4, 1e10, -1e10,
	1e20, -1e20, 3e38, -3e38, math.Pi, -math.Pi / 2, math.E, math.Inf(1), math.Inf(-1), math.NaN()}

// realFormats are those of the types that functions of real numbers are tried with.
var realFormats = map[nereid.DType]*num.Format{nereid.Float16: num.F16, nereid.BFloat16: num.BF16,
	nereid.Float32: num.F32, nereid.Float64: num.F64}

// otherwise holds what functions return where they follow C and PyTorch, but Go's math or this test's
// formula something else.
var otherwise = map[string]func(in []float64, want float64) float64{
	"Dim": func(in []float64, want float64) float64 { // of equal infinities
		if in[0] == in[1] {
			return 0
		}
		return want
	},
	"Erfcinv": func(in []float64, want float64) float64 { // Go's is erfinv(1 - x)
		x, y := in[0], math.Sqrt(-math.Log(in[0]))
		if x < 0 {
			return math.NaN()
		} else if x == 0 || x > 1e-9 || math.IsNaN(x) {
			return want
		}
		for range 20 { // Newton's steps to the y whose log(erfc y) is log x
			slope := -2 / math.Sqrt(math.Pi) * math.Exp(-y*y) / math.Erfc(y)
			y -= (math.Log(math.Erfc(y)) - math.Log(x)) / slope
		}
		return y
	},
	"GELUTanh": func(in []float64, want float64) float64 { // 1 + tanh loses what is left
		if in[0] == -12 {
			return -1.6359854493534714e-61
		}
		return want
	},
	"J1": func(in []float64, want float64) float64 { // Go's loses the sign
		if math.Abs(in[0]) < 1e-9 || math.IsInf(in[0], -1) {
			return math.Copysign(want, in[0])
		}
		return want
	},
	"Lgamma": func(in []float64, want float64) float64 {
		if math.IsInf(in[0], 0) {
			return math.Inf(1)
		}
		return want
	},
	"Maximum": nanOf, "Minimum": nanOf, // Go's prefer an infinity
	"Neg": func(in []float64, _ float64) float64 { return math.Copysign(in[0], -math.Copysign(1, in[0])) },
	"Sign": func(in []float64, want float64) float64 {
		if in[0] == 0 || math.IsNaN(in[0]) {
			return in[0]
		}
		return want
	},
	"Softplus": func(in []float64, want float64) float64 { // the formula overflows
		if in[0] > 700 {
			return in[0]
		}
		return want
	},
}

func nanOf(in []float64, want float64) float64 {
	if slices.ContainsFunc(in, math.IsNaN) {
		return math.NaN()
	}
	return want
}

// TestSpecial: functions of zeros with signs, infinities, NaN, and of very small and large numbers are those
// of Go's math package, to the sign of a zero, or as the table above says. Denormal results may be 0. LLVM
// makes a product of halves on AMD's GPUs the sum of a product and 0, so that no zero has a sign there.
func TestSpecial(t *testing.T) {
	chosen, turn := txtest.Sample(t, 4), 0
	for _, device := range []string{"cpu", "interp", "sim:90", "sim:gfx942"} {
		for _, dt := range []nereid.DType{nereid.Float16, nereid.BFloat16, nereid.Float32, nereid.Float64} {
			if turn++; !chosen(turn + turn/4) { // each type, and each device
				continue
			}
			t.Run(device+"/"+dt.String(), func(t *testing.T) {
				t.Parallel()
				specialOf(t, streamOn(t, device), dt)
			})
		}
	}
}

// specialOf tries each function with special numbers of a type, and with all pairs of them.
func specialOf(t *testing.T, s *ops.Stream, dt nereid.DType) {
	for _, c := range unary {
		s.Reset()
		x := made(t, s, dt, func(i int) float64 { return special[i] }, len(special))
		asSpecial(t, c.name, c.op(s, x), func(in []float64) float64 { return c.want(in[0]) }, x)
	}
	n := len(special)
	for _, c := range binary {
		s.Reset()
		x := made(t, s, dt, func(i int) float64 { return special[i/n] }, n*n)
		y := made(t, s, dt, func(i int) float64 { return special[i%n] }, n*n)
		want := func(in []float64) float64 { return c.want(in[0], in[1]) }
		asSpecial(t, c.name, c.op(s, x, y), want, x, y)
	}
}

// asSpecial compares a result with what a function makes of its operands' elements.
func asSpecial(t *testing.T, name string, got *nereid.Tensor, want func([]float64) float64,
	operands ...*nereid.Tensor) {
	t.Helper()
	if err := got.Err(); err != nil {
		if !strings.Contains(err.Error(), "on hip [unsupported-on-target]") {
			t.Error(err)
		}
		return
	}
	dt, bad := operands[0].DType, 0
	elements := make([][]float64, len(operands))
	for i, x := range operands {
		elements[i] = values(t, x)
	}
	for i, v := range values(t, got) {
		var in []float64
		for _, e := range elements {
			in = append(in, e[i])
		}
		w := want(in)
		if change := otherwise[name]; change != nil {
			w = change(in, w)
		}
		w = realFormats[dt].Round(w)
		if v == 0 && dt == nereid.Float16 && strings.Contains(t.Name(), "gfx") {
			v = math.Copysign(v, w)
		}
		if !likeSpecial(v, w, dt) {
			if bad++; bad <= 3 {
				t.Errorf("%s of %s: of %v is %v, want %v", name, dt, in, v, w)
			}
		}
	}
	if bad > 3 {
		t.Errorf("%s of %s: and %d others", name, dt, bad-3)
	}
}

// likeSpecial reports whether a result is near enough. One below the normal numbers may be 0.
func likeSpecial(got, want float64, dt nereid.DType) bool {
	least := math.Ldexp(1, 1-realFormats[dt].Bias)
	switch {
	case got == want:
		return math.Signbit(got) == math.Signbit(want)
	case math.IsNaN(got) || math.IsNaN(want):
		return math.IsNaN(got) && math.IsNaN(want)
	case math.Abs(want) < least:
		return math.Abs(got) <= least && math.Signbit(got) == math.Signbit(want)
	}
	return !math.IsInf(want, 0) && math.Abs(got-want) <= tolerance(dt)*math.Abs(want)
}
