package lower

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// mathLimits is how far off, in units of the last place, functions may be: half a unit is the least that
// there is.
var mathLimits = map[string]float64{
	"exp": 1, "exp2": 1, "exp10": 1, "expm1": 1.5, "log": 1, "log2": 1, "log10": 1, "log1p": 1, "sin": 1,
	"cos": 1, "tan": 2.5, "sinpi": 1, "cospi": 1, "asin": 1.5, "acos": 1.5, "atan": 1, "sinh": 2, "cosh": 1.5,
	"tanh": 2.5, "asinh": 2.5, "acosh": 2.5, "atanh": 2.5, "cbrt": 1, "rcbrt": 1, "rsqrt": 1, "erf": 1.5,
	"erfc": 4, "erfcx": 4, "erfinv": 2, "erfcinv": 2, "normcdf": 6, "normcdfinv": 3, "lgamma": 2.5,
	"tgamma": 8, "cyl_bessel_i0": 20, "cyl_bessel_i1": 20, "pow": 1, "atan2": 1.5, "hypot": 1, "fmod": 0,
	"remainder": 0,
}

// mathAbsolute are functions with zeros that are held to an absolute error alone.
var mathAbsolute = map[string]float64{"j0": 2e-15, "j1": 2e-15, "y0": 4e-15, "y1": 4e-15, "lgamma": 1e-15}

// TestMathDouble compares with values computed to many digits: testdata/mathref.txt, which
// testdata/mathref.py makes.
func TestMathDouble(t *testing.T) {
	type point struct{ x, y, want float64 }
	points := map[string][]point{}
	for _, line := range strings.Split(strings.TrimSpace(txtest.Read(t, "testdata/mathref.txt")), "\n") {
		w := strings.Fields(line)
		p := point{x: hexFloat(t, w[1]), y: math.NaN(), want: hexFloat(t, w[len(w)-1])}
		if len(w) == 4 {
			p.y = hexFloat(t, w[2])
		}
		points[w[0]] = append(points[w[0]], p)
	}
	for name, ps := range points {
		t.Run(name, func(t *testing.T) {
			at := func(k int) point { return ps[k%len(ps)] }
			x := &buf{elem: ir.F64, n: mathN, fill: func(k int) float64 { return at(k).x }}
			y := &buf{elem: ir.F64, n: mathN, fill: func(k int) float64 { return at(k).y }}
			text := externText(name)
			if !math.IsNaN(ps[0].y) {
				text = strings.Replace(strings.Replace(text, "%v", "%v, %u", 1), "(T)", "(T, T)", 1)
			}
			l := launch{"k", [3]int{1, 1, 1}, []any{x, floats(ir.F64, mathN), y}}
			k, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f64", text))), "k", 80)
			_, mem := l.memory(1)
			onSim(t, ptx, k.Shared, l, mem, false)
			worst := 0.0
			for k, p := range ps {
				got := decode(ir.F64, get(mem[1][8*k:], 8))
				if math.Abs(got-p.want) <= mathAbsolute[name] || got == p.want {
					continue
				}
				e := math.Abs(got-p.want) / ulpOf(ir.F64, p.want)
				worst = max(worst, e)
				if !(e <= mathLimits[name]) {
					t.Errorf("%s(%v, %v) = %v, want %v: %.3g ulp", name, p.x, p.y, got, p.want, e)
				}
			}
			t.Logf("at most %.0f ulp from the nearest double", worst)
		})
	}
}

func hexFloat(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// mathCase is a function of one float with the range of arguments it is tested on in single precision, and
// how far off it may be in units of the last place.
type mathCase struct {
	name   string
	lo, hi float64
	f      func(float64) float64
	limit  float64
}

var mathCases = []mathCase{
	{"exp", -110, 95, math.Exp, 1.5},
	{"exp10", -40, 38, func(x float64) float64 { return math.Pow(10, x) }, 1.5},
	{"expm1", -20, 80, math.Expm1, 2},
	{"expm1", -0.5, 0.5, math.Expm1, 2},
	{"log", 0, 10, math.Log, 1},
	{"log", 0.5, 2, math.Log, 1},
	{"log2", 0, 1000, math.Log2, 1},
	{"log2", 0.75, 1.3, math.Log2, 1},
	{"log10", 0, 1000, math.Log10, 1},
	{"log1p", -0.99, 5, math.Log1p, 1},
	{"log1p", -0.1, 0.1, math.Log1p, 1},
	{"sin", -50, 50, math.Sin, 1.5},
	{"cos", -50, 50, math.Cos, 1.5},
	{"tan", -50, 50, math.Tan, 2.5},
	{"sin", -1e9, 1e9, math.Sin, 1.5},
	{"cos", -1e30, 1e30, math.Cos, 1.5},
	{"asin", -1, 1, math.Asin, 2},
	{"acos", -1, 1, math.Acos, 1.5},
	{"atan", -20, 20, math.Atan, 1.5},
	{"sinh", -90, 90, math.Sinh, 2},
	{"sinh", -2, 2, math.Sinh, 2},
	{"cosh", -90, 90, math.Cosh, 1.5},
	{"tanh", -5, 5, math.Tanh, 2.5},
	{"tanh", -0.3, 0.3, math.Tanh, 2.5},
	{"asinh", -100, 100, math.Asinh, 2.5},
	{"acosh", 1, 100, math.Acosh, 2.5},
	{"atanh", -1, 1, math.Atanh, 2.5},
	{"cbrt", -1000, 1000, math.Cbrt, 1},
	{"rcbrt", -1000, 1000, func(x float64) float64 { return 1 / math.Cbrt(x) }, 1},
	{"erf", -4, 4, math.Erf, 2},
	{"erfc", -4, 9, math.Erfc, 1},
	{"erfinv", -1, 1, math.Erfinv, 1},
	{"normcdf", -5, 5, func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }, 1},
	{"tgamma", 0, 30, math.Gamma, 1},
	{"j0", -40, 40, math.J0, 1},
	{"y1", 0, 40, math.Y1, 1},
	{"round", -100, 100, math.Round, 0},
	{"round", -2e7, 2e7, math.Round, 0},
	{"logb", -100, 100, math.Logb, 0},
}

// specials are arguments that all functions must bear.
var specials = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, -0.5, 2,
	1e-30, -1e-30, 1e-40, 1e30, 100, -100, 1e-300, math.MaxFloat32, 0x1.fffffep-2, 0x1.fffffep22}

const (
	mathN      = 512
	mathLayout = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
)

var mathType = regexp.MustCompile(`\bT\b`)

// mathKernel applies an operation to each element of a buffer; the text of it uses %v and %u of type T.
func mathKernel(elem, text string) string {
	const enc = mathLayout
	t := fmt.Sprintf("tensor<%dx%s, %s>", mathN, elem, enc)
	body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>, %%z: !tt.ptr<%s>) {\n", elem,
		elem, elem) + offsetsText("o", []int{mathN}, enc) +
		accessText("x", "o", "v", []int{mathN}, elem, enc, false) + accessText("z", "o", "u", []int{mathN},
		elem, enc, false) + mathType.ReplaceAllLiteralString(text, t) + "\n" +
		accessText("y", "o", "w", []int{mathN}, elem, enc, true) + "tt.return\n}\n"
	return moduleText(4, body)
}

func externText(symbol string) string {
	return fmt.Sprintf("%%w = tt.extern_elementwise %%v {libname = \"\", libpath = \"\", pure = true, "+
		"symbol = \"__nv_%s\"} : (T) -> T", symbol)
}

// TestMathSingle compares functions of one argument with Go's in double precision.
func TestMathSingle(t *testing.T) {
	for i, c := range mathCases {
		t.Run(fmt.Sprintf("%s/%d", c.name, i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			in := &buf{elem: ir.F32, n: mathN, fill: func(k int) float64 {
				if k < len(specials) {
					return specials[k]
				}
				v := c.lo + (c.hi-c.lo)*r.Float64()
				if math.Abs(v) > 1e6 && r.IntN(2) == 0 { // exponents of all sizes
					v = math.Exp(math.Log(math.Abs(v)) * r.Float64())
				}
				return v
			}}
			l := launch{"k", [3]int{1, 1, 1}, []any{in, floats(ir.F32, mathN), in}}
			k, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", externText(c.name+"f")))),
				"k", 80)
			_, mem := l.memory(1)
			onSim(t, ptx, k.Shared, l, mem, false)
			checkMath(t, ir.F32, c, c.limit, mem)
		})
	}
}

// TestMathPairs compares functions of two numbers in single precision with Go's: of all pairs of specials,
// then of numbers of all sizes.
func TestMathPairs(t *testing.T) {
	t.Run("atan2", func(t *testing.T) { testPairs(t, "atan2f", math.Atan2, 2) })
	t.Run("fmod", func(t *testing.T) { testPairs(t, "fmodf", math.Mod, 0) })
}

func testPairs(t *testing.T, symbol string, f func(y, x float64) float64, limit float64) {
	r := rand.New(rand.NewPCG(1, 9))
	pair := func(k int) (y, x float64) {
		n := len(specials)
		if k < n*n {
			return specials[k/n], specials[k%n]
		}
		return math.Ldexp(r.Float64()-0.5, r.IntN(40)-20), math.Ldexp(r.Float64()-0.5, r.IntN(40)-20)
	}
	text := strings.Replace(strings.Replace(externText(symbol), "%v", "%v, %u", 1), "(T)", "(T, T)", 1)
	k, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", text))), "k", 80)
	for first := 0; first < 8*mathN; first += mathN {
		ys, xs := make([]float64, mathN), make([]float64, mathN)
		for i := range ys {
			ys[i], xs[i] = pair(first + i)
		}
		in := func(v []float64) *buf {
			return &buf{elem: ir.F32, n: mathN, fill: func(i int) float64 { return v[i] }}
		}
		l := launch{"k", [3]int{1, 1, 1}, []any{in(ys), floats(ir.F32, mathN), in(xs)}}
		_, mem := l.memory(1)
		onSim(t, ptx, k.Shared, l, mem, false)
		at := func(m []byte, i int) float64 { return decode(ir.F32, get(m[4*i:], 4)) }
		for i := range mathN {
			y, x, got := at(mem[0], i), at(mem[2], i), at(mem[1], i)
			want := f(y, x)
			e := math.Abs(got-want) / ulpOf(ir.F32, want)
			if !(e <= limit) && got != want && (got == got || want == want) {
				t.Errorf("%s(%v, %v) = %v, want %v: %.3g ulp", symbol, y, x, got, want, e)
			}
		}
	}
}

// halfLimits is how far off functions of f16 in single precision may be in units of the last place.
// TestMathClip: bounds of equal size take one instruction. NaN propagates if it is to.
func TestMathClip(t *testing.T) {
	in := &buf{elem: ir.F32, n: mathN, fill: func(k int) float64 {
		if k < len(specials) {
			return specials[k]
		}
		return float64(k - mathN/2)
	}}
	for mode, nan := range map[string]float64{"none": 100, "all": math.NaN()} {
		text := "%lo = arith.constant dense<-1.0e+02> : T\n%hi = arith.constant dense<1.0e+02> : T\n" +
			"%w = tt.clampf %v, %lo, %hi, propagateNan = " + mode + " : T"
		k, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", text))), "k", 90)
		if n := strings.Count(string(ptx), "xorsign"); n != 4 || strings.Contains(string(ptx), "max.") {
			t.Errorf("%s: %d instructions for 4 elements of a thread:\n%s", mode, n, ptx)
		}
		l := launch{"k", [3]int{1, 1, 1}, []any{in, floats(ir.F32, mathN), in}}
		_, mem := l.memory(1)
		onSim(t, ptx, k.Shared, l, mem, false)
		clip := func(x float64) float64 {
			if x != x {
				return nan
			}
			return min(max(x, -100), 100)
		}
		checkMath(t, ir.F32, mathCase{name: mode, f: clip}, 0, mem)
	}
}

// TestMathSinCos: sines and cosines of the same angles, which are computed together, are right, and a thread
// has one branch for each of its four angles.
func TestMathSinCos(t *testing.T) {
	angles := &buf{elem: ir.F32, n: mathN, fill: func(k int) float64 {
		if k < len(specials) {
			return specials[k]
		}
		return math.Ldexp(float64(k-mathN/2), k%64-24)
	}}
	text := "%c = math.cos %v : T\n%w = math.sin %v : T\n" +
		accessText("z", "o", "c", []int{mathN}, "f32", mathLayout, true)
	k, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", text))), "k", 90)
	if n := strings.Count(string(ptx), "bra"); n > 12 { // three for each
		t.Errorf("%d branches", n)
	}
	l := launch{"k", [3]int{1, 1, 1}, []any{angles, floats(ir.F32, mathN), floats(ir.F32, mathN)}}
	_, mem := l.memory(1)
	onSim(t, ptx, k.Shared, l, mem, false)
	checkMath(t, ir.F32, mathCase{name: "sin", f: math.Sin}, 1.6, mem)
	checkMath(t, ir.F32, mathCase{name: "cos", f: math.Cos}, 1.6, [][]byte{mem[0], mem[2]})
}

var halfLimits = map[string]float64{"sin": 1.5, "cos": 1.5, "tan": 2.5}

// TestMathHalf computes sin, cos and tan of every f16 in single precision: without a branch, and as accurate
// as of other numbers.
func TestMathHalf(t *testing.T) {
	const n = 4096
	enc := "#ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	wide := fmt.Sprintf("tensor<%dxf32, %s>", n, enc)
	functions := map[string]func(float64) float64{"sin": math.Sin, "cos": math.Cos, "tan": math.Tan}
	for name, f := range functions {
		text := moduleText(4, "tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f32>) {\n"+
			offsetsText("o", []int{n}, enc)+accessText("x", "o", "v", []int{n}, "f16", enc, false)+
			fmt.Sprintf("%%e = arith.extf %%v : tensor<%dxf16, %s> to %s\n", n, enc, wide)+
			fmt.Sprintf("%%w = math.%s %%e : %s\n", name, wide)+
			accessText("y", "o", "w", []int{n}, "f32", enc, true)+"tt.return\n}\n")
		k, ptx := compile(t, parseIR(t, "math.ttgir", []byte(text)), "k", 80)
		if bytes.Contains(ptx, []byte("bra")) {
			t.Errorf("%s branches", name)
		}
		for first := 0; first < 1<<16; first += n {
			x := &buf{elem: ir.F16, n: n, fill: func(i int) float64 {
				return num.F16.Decode(uint64(first + i))
			}}
			l := launch{"k", [3]int{1, 1, 1}, []any{x, floats(ir.F32, n)}}
			_, mem := l.memory(1)
			onSim(t, ptx, k.Shared, l, mem, false)
			for i := range n {
				at := decode(ir.F16, get(mem[0][2*i:], 2))
				got, want := decode(ir.F32, get(mem[1][4*i:], 4)), f(at)
				if e := math.Abs(got-want) / ulpOf(ir.F32, want); !(e <= halfLimits[name]) && want == want {
					t.Fatalf("%s(%v) = %v, want %v: %.3g ulp", name, at, got, want, e)
				}
				if want != want && got == got {
					t.Fatalf("%s(%v) = %v, want NaN", name, at, got)
				}
			}
		}
	}
}

func checkMath(t *testing.T, elem ir.Type, c mathCase, limit float64, mem [][]byte) {
	t.Helper()
	size := bitsOf(elem) / 8
	worst, bad := 0.0, 0
	for k := range mathN {
		x, got := decode(elem, get(mem[0][k*size:], size)), decode(elem, get(mem[1][k*size:], size))
		want := c.f(x)
		rounded := decode(elem, encode(elem, want))
		if got == rounded && (got != 0 || math.Signbit(got) == math.Signbit(rounded) || k >= len(specials)) ||
			got != got && want != want {
			continue
		}
		e := math.Abs(got-want) / ulpOf(elem, rounded)
		zero := got == rounded && k < len(specials) // with the other sign
		if e <= limit && !zero {
			worst = max(worst, e)
			continue
		}
		if !zero && k < len(specials) && (math.Abs(x) > 1e9 || math.Abs(x) < 1e-9 || x == math.Trunc(x)) &&
			e <= 4*limit+1 {
			continue // not all references are exact there
		}
		if bad++; bad < 5 {
			t.Errorf("%s(%v) = %v, want %v: %.3g ulp", c.name, x, got, want, e)
		}
	}
	t.Logf("at most %.2f ulp", worst)
}

// ulpOf is the distance between neighbours at a value.
func ulpOf(t ir.Type, v float64) float64 {
	man, least := 52, -1074
	if t == ir.F32 {
		man, least = 23, -149
	}
	if v == 0 || math.IsInf(v, 0) || v != v {
		return math.Ldexp(1, least)
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-1-man, least))
}
