package vmath

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// single is a function of one argument with a reference in double precision and how far off, in units of
// the last place, it may be in single precision.
type single struct {
	name  string
	ref   func(float64) float64
	limit float64
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

var singles = []single{
	{"exp", math.Exp, 1}, {"exp2", math.Exp2, 1}, {"exp10", func(x float64) float64 {
		return math.Pow(10, x)
	}, 1.5}, {"expm1", math.Expm1, 1.5},
	{"log", math.Log, 1}, {"log2", math.Log2, 1}, {"log10", math.Log10, 1}, {"log1p", math.Log1p, 1.5},
	{"sin", math.Sin, 1}, {"cos", math.Cos, 1}, {"tan", math.Tan, 2.5}, {"asin", math.Asin, 2.5},
	{"acos", math.Acos, 1.5}, {"atan", math.Atan, 2}, {"sinh", math.Sinh, 2}, {"cosh", math.Cosh, 2},
	{"tanh", math.Tanh, 1.5}, {"asinh", math.Asinh, 2.5}, {"acosh", math.Acosh, 2.5},
	{"atanh", math.Atanh, 2.5}, {"erf", math.Erf, 1.5}, {"erfc", math.Erfc, 2}, {"cbrt", math.Cbrt, 1},
	{"rsqrt", func(x float64) float64 {
		return 1 / math.Sqrt(x)
	}, 1},
	{"sqrt", math.Sqrt, 0.5}, {"sigmoid", sigmoid, 2}, {"floor", math.Floor, 0}, {"ceil", math.Ceil, 0},
	{"trunc", math.Trunc, 0}, {"round", math.Round, 0}, {"roundeven", math.RoundToEven, 0},
	{"rcbrt", func(x float64) float64 {
		return 1 / math.Cbrt(x)
	}, 1},
	{"tgamma", math.Gamma, 1}, {"j0", math.J0, 2},
}

// ulp32 is the distance between neighbours of single precision at v.
func ulp32(v float64) float64 {
	if v == 0 || v != v {
		return 0x1p-149
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-24, -149))
}

// arguments are bits of all signs and exponents, spread evenly, then numbers that are special.
func arguments(n int) []float32 {
	list := make([]float32, n)
	r := rand.New(rand.NewPCG(1, 2))
	step := uint32(math.MaxUint32/uint64(n)) | 1
	for i := range list {
		list[i] = math.Float32frombits(uint32(i)*step + uint32(r.IntN(int(step))))
		if i%3 == 0 { // more where functions bend
			list[i] = float32(r.NormFloat64() * math.Exp2(float64(r.IntN(10)-3)))
		}
	}
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, -0.5, 2,
		1e-40, -1e-40, 0x1p-149, 0x1p-126, math.MaxFloat32, -math.MaxFloat32, 88.72283, 88.72284, -87.33655,
		-103.97207, -103.97208, -103.98, 127.99999, 128, -149, -149.5, -150, -151, 0x1p23, 0x1p23 + 1,
		8388607.5, 4194303.5, 1.5, 2.5, -2.5, 0.49999997, 1 + 0x1p-23, 1 - 0x1p-24}
	for i, v := range special {
		list[i] = float32(v)
	}
	return list
}

// TestSingle sweeps functions of one argument and logs how far off each was.
func TestSingle(t *testing.T) {
	l := txtest.LLVM(t, llvm.Load)
	features := l.HostTarget().Features
	for _, h := range []struct {
		name, features string
		lanes, n       int
	}{{"vectors", features, 16, 1 << 18}, {"plain", "", 4, 1 << 14}, {"scalars", features, 1, 1 << 14}} {
		lib := New(h.features)
		funcs := map[string]*Func{}
		for _, s := range singles {
			f, err := lib.Func(s.name, "float", h.lanes)
			if err != nil {
				t.Fatal(err)
			}
			funcs[s.name] = f
		}
		m := compileMaps(t, lib, funcs, h.lanes)
		in, out := arguments(h.n), make([]float32, h.n)
		for _, s := range singles {
			t.Run(h.name+"/"+s.name, func(t *testing.T) {
				m.run(t, s.name, h.n, unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]))
				s.check(t, in, out)
			})
		}
	}
}

func (s single) check(t *testing.T, in, out []float32) {
	t.Helper()
	worst, at, bad := 0.0, float32(0), 0
	for i, x := range in {
		got, want := float64(out[i]), s.ref(float64(x))
		rounded := float64(float32(want))
		switch {
		case math.IsNaN(got) && math.IsNaN(want), got == rounded &&
			math.Signbit(got) == math.Signbit(rounded):
			continue
		case got == rounded && s.limit > 0 && x != 0: // the sign of a zero that underflowed
			continue
		}
		e := math.Abs(got-want) / ulp32(rounded)
		if math.IsInf(rounded, 0) { // the reference overflows where the next number does
			e = math.Abs(got-math.Copysign(0x1p128, rounded)) / 0x1p104
		}
		if s.name == "j0" && math.Abs(got-want) < 1e-7 { // near its zeros
			continue
		}
		if e <= s.limit && !math.IsNaN(got) && (got != rounded || x != 0) {
			if e > worst {
				worst, at = e, x
			}
			continue
		}
		if bad++; bad < 4 {
			t.Errorf("%s(%v) = %v, want %v: %.3g ulp", s.name, x, got, rounded, e)
		}
	}
	if bad >= 4 {
		t.Errorf("and %d more", bad-3)
	}
	t.Logf("%-10s at most %.3f ulp, at %v", s.name, worst, at)
}
