package ring

import (
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// log2e is what GPUs multiply exponents with, in single precision.
const log2e = float64(float32(math.Log2E))

// derived are functions that compilers compute from others.
var derived = map[string]func(x Elem) Elem{
	"rcp":   inverse,
	"rsqrt": func(x Elem) Elem { return inverse(random("sqrt", x, 0)) },
	"exp":   func(x Elem) Elem { return random("exp2", mul(x, Of(log2e)), 0) },
	"exp10": func(x Elem) Elem {
		return random("exp2", mul(x, Of(float64(float32(math.Log2E*math.Ln10)))), 0)
	},
	"log": func(x Elem) Elem { return mul(random("log2", x, 0), Of(float64(float32(math.Ln2)))) },
	"log10": func(x Elem) Elem {
		return mul(random("log2", x, 0), Of(float64(float32(math.Log10E*math.Ln2))))
	},
}

// fixed are values that compilers know.
var fixed = map[string]map[Elem]Elem{
	"exp2": {0: 1}, "sqrt": {0: 0, 1: 1}, "log2": {1: 0}, "sin": {0: 0}, "cos": {0: 1}, "tanh": {0: 0},
	"erf": {0: 0}, "expm1": {0: 0}, "log1p": {0: 0},
}

// specials are the functions of infinities; others than these give NaN.
var specials = map[string]func(float64) float64{
	"rcp": func(x float64) float64 { return 1 / x }, "sqrt": math.Sqrt, "exp2": math.Exp2, "exp": math.Exp,
	"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "log2": math.Log2, "log": math.Log,
	"log10": math.Log10, "tanh": math.Tanh, "erf": math.Erf, "expm1": math.Expm1, "log1p": math.Log1p,
	"exp10": func(x float64) float64 { return math.Pow(10, x) },
}

// whole are the functions whose results floats hold exactly, or nearly: they are those of floats.
var whole = map[string]func(a []float64) float64{
	"floor": func(a []float64) float64 { return math.Floor(a[0]) },
	"ceil":  func(a []float64) float64 { return math.Ceil(a[0]) },
	"trunc": func(a []float64) float64 { return math.Trunc(a[0]) },
	"rint":  func(a []float64) float64 { return math.RoundToEven(a[0]) },
	"round": func(a []float64) float64 { return math.Round(a[0]) },
	"logb":  func(a []float64) float64 { return math.Logb(a[0]) },
	"fmod":  func(a []float64) float64 { return math.Mod(a[0], a[1]) },
	"remainder": func(a []float64) float64 {
		return math.Remainder(a[0], a[1])
	},
	"saturate": func(a []float64) float64 { return max(0, min(a[0], 1)) },
}

// Call returns a function of one or more floats.
func Call(f *num.Format, name string, args ...float64) float64 {
	name = strings.TrimSuffix(name, "16") // the form for small angles
	if g := whole[name]; g != nil {
		return f.Round(g(args))
	}
	if name == "fdim" && !(args[0] <= args[1]) { // NaN stays one
		return Sub(f, args[0], args[1])
	} else if name == "fdim" {
		return 0
	}
	for _, x := range args {
		if Finite(x) {
			continue
		}
		if g := specials[name]; g != nil {
			return f.Round(g(x))
		}
		return f.Round(math.NaN())
	}
	return In(f, call(name, args))
}

func call(name string, args []float64) Elem {
	x := Of(args[0])
	if name == "pow" && args[1] == math.Trunc(args[1]) && args[1] >= 1 && args[1] <= 4 {
		return power(x, int(args[1])) // compilers multiply
	}
	if g := derived[name]; g != nil {
		return g(x)
	}
	more := uint64(0)
	for _, y := range args[1:] {
		more = mix(more + uint64(Of(y)) + 1)
	}
	return random(name, x, more)
}

// random returns the value of a random function, which depends on the name.
func random(name string, x Elem, more uint64) Elem {
	if v, ok := fixed[name][x]; ok && more == 0 {
		return v
	}
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return Elem(mix(mix(h+uint64(x))+more) % mod32)
}

// mix scrambles 64 bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
