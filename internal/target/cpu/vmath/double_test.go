package vmath

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/mathlib"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// doubleLimits is how far off, in units of the last place, functions may be in double precision; 1 where
// there is no row.
var doubleLimits = map[string]float64{
	"expm1": 1.5, "tan": 2.5, "asin": 1.5, "acos": 1.5, "sinh": 2, "cosh": 1.5, "tanh": 2.5, "asinh": 2.5,
	"acosh": 2.5, "atanh": 2.5, "erf": 1.5, "erfc": 4, "erfcx": 4, "erfinv": 2, "erfcinv": 2, "normcdf": 6,
	"normcdfinv": 3, "lgamma": 2.5, "tgamma": 8, "cyl_bessel_i0": 20, "cyl_bessel_i1": 20, "atan2": 1.5,
	"fmod": 0, "remainder": 0,
}

// doubleAbsolute are functions with zeros, next to which they are held to an absolute error alone.
var doubleAbsolute = map[string]float64{"j0": 2e-15, "j1": 2e-15, "y0": 4e-15, "y1": 4e-15, "lgamma": 1e-15}

// TestDouble compares with values computed to many digits, those that the GPU's functions are tested with.
func TestDouble(t *testing.T) {
	l := txtest.LLVM(t, llvm.Load)
	text, err := os.ReadFile("../../../lower/testdata/mathref.txt")
	if err != nil {
		t.Fatal(err)
	}
	points := map[string][][]float64{} // columns: arguments, then the value
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		w := strings.Fields(line)
		cols := points[w[0]]
		if cols == nil {
			cols = make([][]float64, len(w)-1)
		}
		for i, s := range w[1:] {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			cols[i] = append(cols[i], v)
		}
		points[w[0]] = cols
	}
	const lanes = 8
	lib := New(l.HostTarget().Features)
	funcs := map[string]*Func{}
	for name := range points {
		f, err := lib.Func(name, "double", lanes)
		if err != nil {
			t.Fatal(err)
		}
		funcs[name] = f
	}
	m := compileMaps(t, lib, funcs, lanes)
	for name, cols := range points {
		t.Run(name, func(t *testing.T) {
			n := len(cols[0])
			out := make([]float64, n+lanes)
			arrays := []unsafe.Pointer{unsafe.Pointer(&out[0])}
			for _, c := range cols[:len(cols)-1] {
				c = append(c, make([]float64, lanes)...)
				arrays = append(arrays, unsafe.Pointer(&c[0]))
			}
			m.run(t, name, n, arrays...)
			limit, ok := doubleLimits[name]
			if !ok {
				limit = 1
			}
			worst := 0.0
			for i, want := range cols[len(cols)-1] {
				got := out[i]
				if got == want || math.Abs(got-want) <= doubleAbsolute[name] {
					continue
				}
				_, e := math.Frexp(want)
				ulps := math.Abs(got-want) / math.Ldexp(1, max(e-53, -1074))
				worst = max(worst, ulps)
				if !(ulps <= limit) {
					t.Errorf("%s(%v) = %v, want %v: %.3g ulp", name, cols[0][i], got, want, ulps)
				}
			}
			t.Logf("%-13s at most %.0f ulp from the nearest double", name, worst)
		})
	}
}

// pairs are functions of two arguments with how far off they may be in single precision.
var pairs = []struct {
	name  string
	ref   func(x, y float64) float64
	limit float64
}{
	{"pow", math.Pow, 1}, {"atan2", math.Atan2, 2}, {"fmod", math.Mod, 0}, {"remainder", math.Remainder, 0},
	{"hypot", math.Hypot, 1}, {"fdim", math.Dim, 0.5},
}

// TestPairs tries all pairs of special numbers, and random ones.
func TestPairs(t *testing.T) {
	l := txtest.LLVM(t, llvm.Load)
	const lanes = 16
	lib := New(l.HostTarget().Features)
	funcs := map[string]*Func{}
	for _, p := range pairs {
		f, err := lib.Func(p.name, "float", lanes)
		if err != nil {
			t.Fatal(err)
		}
		funcs[p.name] = f
	}
	m := compileMaps(t, lib, funcs, lanes)
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, -0.5, 2,
		-2, 3, -3, 1e-40, -1e-40, 1e30, -1e30, 0x1p24, 0x1p-149, math.MaxFloat32, 7.25, 1e6}
	var xs, ys []float32
	for _, x := range special {
		for _, y := range special {
			xs, ys = append(xs, float32(x)), append(ys, float32(y))
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for len(xs) < 1<<16 {
		x, y := r.NormFloat64()*math.Exp2(float64(r.IntN(40)-20)),
			r.NormFloat64()*math.Exp2(float64(r.IntN(30)-15))
		if r.IntN(2) == 0 {
			x, y = math.Abs(x), r.NormFloat64()*20
		}
		xs, ys = append(xs, float32(x)), append(ys, float32(y))
	}
	out := make([]float32, len(xs))
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			m.run(t, p.name, len(xs), unsafe.Pointer(&out[0]), unsafe.Pointer(&xs[0]), unsafe.Pointer(&ys[0]))
			worst, bad := 0.0, 0
			for i := range xs {
				got, want := float64(out[i]), p.ref(float64(xs[i]), float64(ys[i]))
				rounded := float64(float32(want))
				if got == rounded || math.IsNaN(got) && math.IsNaN(want) || p.name == "fdim" &&
					math.IsNaN(float64(xs[i]-ys[i])) {
					continue
				}
				e := math.Abs(got-want) / ulp32(rounded)
				if e <= p.limit {
					worst = max(worst, e)
				} else if bad++; bad < 5 {
					t.Errorf("%s(%v, %v) = %v, want %v: %.3g ulp", p.name, xs[i], ys[i], got, rounded, e)
				}
			}
			t.Logf("%-10s at most %.3f ulp", p.name, worst)
		})
	}
}

// TestNoCalls: what is compiled calls nobody.
func TestNoCalls(t *testing.T) {
	l := txtest.LLVM(t, llvm.Load)
	lib := New(l.HostTarget().Features)
	funcs := map[string]*Func{}
	for _, n := range mathlib.Names() {
		f, err := lib.Func(n, "float", 16)
		if err != nil {
			t.Fatal(err)
		}
		funcs[n] = f
	}
	text := moduleText(lib, funcs, 16)
	out, err := l.Compile(t.Context(), []byte(text), llvm.Options{Target: l.HostTarget(), Emit: llvm.EmitAsm,
		Level: llvm.O1})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(out.Asm), "\n") {
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "callq" || f[0] == "call" || f[0] == "bl") {
			t.Errorf("calls %s", f[1])
		}
	}
}
