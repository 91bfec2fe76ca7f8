package interp

import (
	"fmt"
	"math"
	"math/big"
	"os/exec"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// extern calls a function of the library through a kernel.
func callExtern(t *testing.T, symbol string, types []string, result string, rows ...[]uint64) []uint64 {
	t.Helper()
	args, tys := []string{"A", "B", "C", "D"}[:len(types)], []string{"TA", "TB", "TC", "TD"}[:len(types)]
	op := fmt.Sprintf(`tt.extern_elementwise %s {libname = "libdevice", libpath = "", pure = true,
		symbol = "%s"} : (%s) -> TR`,
		strings.Join(args, ", "), symbol, strings.Join(tys, ", "))
	return elementwise(t, op, vectors, types, result, rows...)
}

// TestLibdeviceIsComplete asks Triton for all functions that its language exposes, with their types.
func TestLibdeviceIsComplete(t *testing.T) {
	python := txtest.Triton(t)
	const script = `
import re, triton, os
s = open(os.path.join(os.path.dirname(triton.__file__), "language", "extra", "cuda", "libdevice.py")).read()
for m in re.finditer(r'\(((?:core\.dtype\("\w+"\),?\s*)+)\):\s*'
                     r'\("(__nv_\w+)",\s*core\.dtype\("(\w+)"\)\)', s):
    print(m.group(2), *re.findall(r'"(\w+)"', m.group(1)), m.group(3))
`
	out, err := exec.Command(python, "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]kind{"int32": kI32, "uint32": kI32, "int64": kI64, "uint64": kI64, "fp32": kF32,
		"fp64": kF64}
	n := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		e, ok := findExtern(f[0])
		if !ok {
			t.Errorf("%s is missing", f[0])
			continue
		}
		n++
		want := make([]kind, 0, 4)
		for _, a := range f[1 : len(f)-1] {
			want = append(want, kinds[a])
		}
		if fmt.Sprint(e.args) != fmt.Sprint(want) || e.ret != kinds[f[len(f)-1]] {
			t.Errorf("%s: takes %v and gives %v, want %s", f[0], e.args, e.ret, line)
		}
	}
	if n < 300 {
		t.Errorf("only %d functions", n)
	}
}

// Values from tables (Abramowitz and Stegun, DLMF), or plain arithmetic.
func TestLibdeviceFloats(t *testing.T) {
	for _, c := range []struct {
		name string
		args []float64
		want float64
	}{
		{"sin", []float64{1}, 0.8414709848078965}, {"cos", []float64{1}, 0.5403023058681398},
		{"tan", []float64{1}, 1.5574077246549023}, {"asin", []float64{0.5}, math.Pi / 6},
		{"acos", []float64{0.5}, math.Pi / 3}, {"atan", []float64{1}, math.Pi / 4},
		{"atan2", []float64{1, -1}, 3 * math.Pi / 4}, {"sinh", []float64{1}, 1.1752011936438014},
		{"cosh", []float64{1}, 1.5430806348152437}, {"tanh", []float64{0.5}, 0.46211715726000976},
		{"asinh", []float64{1}, 0.881373587019543}, {"acosh", []float64{2}, 1.3169578969248167},
		{"atanh", []float64{0.5}, 0.5493061443340549}, {"sinpi", []float64{0.25}, math.Sqrt2 / 2},
		{"sinpi", []float64{1e15 + 0.5}, 1}, {"sinpi", []float64{-1.5}, 1}, {"cospi", []float64{1}, -1},
		{"cospi", []float64{0.75}, -math.Sqrt2 / 2}, {"cospi", []float64{2.5}, 0},
		{"exp", []float64{1}, math.E}, {"exp2", []float64{0.5}, math.Sqrt2}, {"exp10", []float64{3}, 1000},
		{"exp10", []float64{0.5}, 3.1622776601683795}, {"expm1", []float64{1e-10}, 1.00000000005e-10},
		{"log", []float64{2}, math.Ln2}, {"log2", []float64{8}, 3}, {"log10", []float64{1000}, 3},
		{"log1p", []float64{1e-10}, 9.9999999995e-11}, {"logb", []float64{10}, 3},
		{"sqrt", []float64{2}, math.Sqrt2}, {"rsqrt", []float64{4}, 0.5}, {"cbrt", []float64{27}, 3},
		{"rcbrt", []float64{8}, 0.5}, {"hypot", []float64{3, 4}, 5}, {"rhypot", []float64{3, 4}, 0.2},
		{"norm3d", []float64{2, 3, 6}, 7}, {"rnorm3d", []float64{2, 3, 6}, 1.0 / 7},
		{"norm4d", []float64{2, 4, 5, 6}, 9}, {"rnorm4d", []float64{2, 4, 5, 6}, 1.0 / 9},
		{"pow", []float64{2, 0.5}, math.Sqrt2}, {"fmod", []float64{7.5, -2}, 1.5},
		{"remainder", []float64{7.5, 2}, -0.5}, {"fdim", []float64{5, 3}, 2}, {"fdim", []float64{3, 5}, 0},
		{"copysign", []float64{3, -1}, -3}, {"nextafter", []float64{1, 2}, 0},
		{"fma", []float64{2, 3, 4}, 10}, {"floor", []float64{-1.5}, -2}, {"ceil", []float64{-1.5}, -1},
		{"trunc", []float64{-1.5}, -1}, {"rint", []float64{2.5}, 2}, {"nearbyint", []float64{3.5}, 4},
		{"round", []float64{2.5}, 3}, {"fabs", []float64{-2}, 2}, {"erf", []float64{0.5}, 0.5204998778130465},
		{"erfc", []float64{0.5}, 0.4795001221869535}, {"erfinv", []float64{0.5204998778130465}, 0.5},
		{"erfcinv", []float64{0.4795001221869535}, 0.5}, {"erfcx", []float64{0}, 1},
		{"erfcx", []float64{1}, 0.427583576155807}, {"erfcx", []float64{10}, 0.05614099274382259},
		{"erfcx", []float64{3}, 0.1790011511813899}, {"erfcx", []float64{-1}, 5.008980080762283},
		{"normcdf", []float64{1}, 0.8413447460685429}, {"normcdfinv", []float64{0.8413447460685429}, 1},
		{"lgamma", []float64{10}, 12.801827480081469}, {"tgamma", []float64{5}, 24},
		{"j0", []float64{1}, 0.7651976865579666}, {"j1", []float64{1}, 0.44005058574493355},
		{"y0", []float64{1}, 0.08825696421567697}, {"y1", []float64{1}, -0.7812128213002887},
		{"cyl_bessel_i0", []float64{1}, 1.2660658777520084},
		{"cyl_bessel_i1", []float64{1}, 0.5651591039924851},
		{"cyl_bessel_i0", []float64{10}, 2815.716628466254},
		{"cyl_bessel_i0", []float64{50}, 2.932553783849336e20}, {"cyl_bessel_i1", []float64{-50},
			-2.9030785901035567e20}, {"cyl_bessel_i0", []float64{0}, 1}, {"cyl_bessel_i1", []float64{0}, 0},
	} {
		if c.name == "nextafter" {
			c.want = math.Nextafter(1, 2)
		}
		for _, ty := range []string{"f64", "f32"} {
			symbol, tol := "__nv_"+c.name, 4e-15
			if ty == "f32" {
				symbol, tol = symbol+"f", 2e-7
			}
			if c.name == "cyl_bessel_i0" && ty == "f32" && math.Abs(c.args[0]) > 80 {
				continue
			}
			var rows [][]uint64
			var types []string
			for _, a := range c.args {
				rows, types = append(rows, encAll(ty, a)), append(types, ty)
			}
			if c.name == "sinpi" && ty == "f32" && c.args[0] > 1e9 {
				continue // the half is lost
			}
			got := dec(ty, callExtern(t, symbol, types, ty, rows...)[0])
			if !(math.Abs(got-c.want) <= tol*math.Abs(c.want)) && !(c.want == 0 && got == 0) {
				t.Errorf("%s(%v): got %v, want %v", symbol, c.args, got, c.want)
			}
		}
	}
}

func TestLibdeviceIntegers(t *testing.T) {
	neg := func(x int64) uint64 { return uint64(x) }
	for _, c := range []struct {
		symbol string
		types  string
		args   []uint64
		want   uint64
	}{
		{"abs", "i32 i32", []uint64{neg(-5)}, 5}, {"llabs", "i64 i64", []uint64{neg(-5)}, 5},
		{"clz", "i32 i32", []uint64{1}, 31}, {"clzll", "i64 i32", []uint64{0}, 64},
		{"popc", "i32 i32", []uint64{0xff0}, 8}, {"popcll", "i64 i32", []uint64{^uint64(0)}, 64},
		{"brev", "i32 i32", []uint64{1}, 1 << 31}, {"brevll", "i64 i64", []uint64{2}, 1 << 62},
		{"ffs", "i32 i32", []uint64{8}, 4}, {"ffs", "i32 i32", []uint64{0}, 0},
		{"ffsll", "i64 i32", []uint64{1 << 40}, 41}, {"mulhi", "i32 i32 i32", []uint64{neg(-2), 1 << 30},
			neg(-1) & 0xffffffff}, {"umulhi", "i32 i32 i32", []uint64{0xffffffff, 0xffffffff}, 0xfffffffe},
		{"mul64hi", "i64 i64 i64", []uint64{neg(-3), 5}, ^uint64(0)},
		{"umul64hi", "i64 i64 i64", []uint64{^uint64(0), ^uint64(0)}, ^uint64(1)},
		{"mul24", "i32 i32 i32", []uint64{0xffffff, 7}, neg(-7) & 0xffffffff},
		{"umul24", "i32 i32 i32", []uint64{0x1000002, 3}, 6},
		{"hadd", "i32 i32 i32", []uint64{0x7fffffff, 0x7ffffffd}, 0x7ffffffe},
		{"rhadd", "i32 i32 i32", []uint64{3, 4}, 4},
		{"uhadd", "i32 i32 i32", []uint64{0xffffffff, 0xfffffffd}, 0xfffffffe},
		{"urhadd", "i32 i32 i32", []uint64{1, 2}, 2}, {"sad", "i32 i32 i32 i32", []uint64{neg(-5), 7, 100},
			112}, {"usad", "i32 i32 i32 i32", []uint64{5, 0xfffffff0, 1}, 0xffffffec},
		{"byte_perm", "i32 i32 i32 i32", []uint64{0x33221100, 0x77665544, 0x7250}, 0x77225500},
		{"float_as_int", "f32 i32", []uint64{0xff812345}, 0xff812345},
		{"int_as_float", "i32 f32", []uint64{0x40490fdb}, 0x40490fdb},
		{"double_as_longlong", "f64 i64", []uint64{0x7ff8000000000001}, 0x7ff8000000000001},
		{"double2hiint", "f64 i32", []uint64{0x1122334455667788}, 0x11223344},
		{"double2loint", "f64 i32", []uint64{0x1122334455667788}, 0x55667788},
		{"hiloint2double", "i32 i32 f64", []uint64{0x40000000, 7}, 0x4000000000000007},
		{"isnanf", "f32 i32", encAll("f32", math.NaN()), 1},
		{"isinfd", "f64 i32", encAll("f64", math.Inf(-1)), 1},
		{"finitef", "f32 i32", encAll("f32", math.Inf(1)), 0}, {"isfinited", "f64 i32", encAll("f64", 2), 1},
		{"signbitf", "f32 i32", []uint64{1 << 31}, 1}, {"signbitd", "f64 i32", encAll("f64", 1), 0},
		{"ilogb", "f64 i32", encAll("f64", 0.3), neg(-2) & 0xffffffff},
		{"ilogbf", "f32 i32", encAll("f32", 0), 1 << 31}, {"llrintf", "f32 i64", encAll("f32", 2.5), 2},
		{"llround", "f64 i64", encAll("f64", 2.5), 3}, {"ldexpf", "f32 i32 f32", []uint64{enc("f32", 1.5), 4},
			enc("f32", 24)}, {"scalbn", "f64 i32 f64", []uint64{enc("f64", 1.5), neg(-1) & 0xffffffff},
			enc("f64", 0.75)}, {"powi", "f64 i32 f64", []uint64{enc("f64", 3), 4}, enc("f64", 81)},
		{"jn", "i32 f64 f64", []uint64{0, enc("f64", 0)}, enc("f64", 1)},
		{"saturatef", "f32 f32", encAll("f32", 1.5), enc("f32", 1)},
		{"saturatef", "f32 f32", encAll("f32", math.NaN()), 0},
		{"fast_fdividef", "f32 f32 f32", encAll("f32", 1, 4), enc("f32", 0.25)},
		{"fast_powf", "f32 f32 f32", encAll("f32", 2, 3), enc("f32", 8)},
	} {
		types := strings.Fields(c.types)
		in, out := types[:len(types)-1], types[len(types)-1]
		rows := make([][]uint64, len(in))
		for i := range in {
			rows[i] = []uint64{c.args[i]}
		}
		if got := callExtern(t, "__nv_"+c.symbol, in, out, rows...)[0]; got != c.want {
			t.Errorf("%s(%#x): got %#x, want %#x", c.symbol, c.args, got, c.want)
		}
	}
}

// TestDirectedRounding: the result of _rd, _ru, _rz is the float next to the exact value in that direction.
func TestDirectedRounding(t *testing.T) {
	for _, ty := range []string{"f32", "f64"} {
		p := map[string]string{"f32": "f", "f64": "d"}[ty]
		vals := encAll(ty, 1, -1, 3, 0.1, -0.7, 1e10, 1e-30, 7)
		a, b := cross(append(vals, floatFormats[ty].Max(), 1))
		for op, exactly := range map[string]func(a, b *big.Rat) *big.Rat{
			"add": func(a, b *big.Rat) *big.Rat {
				return new(big.Rat).Add(a, b)
			}, "sub": func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) },
			"mul": func(a, b *big.Rat) *big.Rat {
				return new(big.Rat).Mul(a, b)
			}, "div": func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) },
		} {
			for _, dir := range []string{"rn", "rd", "ru", "rz"} {
				got := callExtern(t, "__nv_"+p+op+"_"+dir, []string{ty, ty}, ty, a, b)
				for i := range got {
					x, y := new(big.Rat).SetFloat64(dec(ty, a[i])), new(big.Rat).SetFloat64(dec(ty, b[i]))
					checkDirected(t, fmt.Sprintf("%s%s_%s(%v, %v)", p, op, dir, dec(ty, a[i]), dec(ty, b[i])),
						ty, dir, got[i], exactly(x, y))
				}
			}
		}
		ints := []uint64{16777217, 33554435, 1 << 53, 1<<53 + 1, 1<<62 + 1, 1<<24 - 1}
		for _, dir := range []string{"rn", "rd", "ru", "rz"} {
			name := map[string]string{"f32": "ll2float_", "f64": "ll2double_"}[ty] + dir
			for i, g := range callExtern(t, "__nv_"+name, []string{"i64"}, ty, ints) {
				checkDirected(t, fmt.Sprintf("%s(%d)", name, ints[i]), ty, dir, g,
					new(big.Rat).SetInt64(int64(ints[i])))
			}
		}
	}
	for dir, want := range map[string][]int64{"rn": {2, -2, 2}, "rd": {1, -2, 2}, "ru": {2, -1, 3},
		"rz": {1, -1, 2}} {
		got := callExtern(t, "__nv_float2int_"+dir, []string{"f32"}, "i32", encAll("f32", 1.75, -1.75, 2.25))
		for i := range got {
			if int64(int32(got[i])) != want[i] {
				t.Errorf("float2int_%s: got %d, want %d", dir, int32(got[i]), want[i])
			}
		}
	}
}

func checkDirected(t *testing.T, what, ty, dir string, got uint64, want *big.Rat) {
	t.Helper()
	f := floatFormats[ty]
	g := f.Decode(got)
	limit := new(big.Rat).SetFloat64(f.Decode(f.Max()))
	if math.IsInf(g, 0) {
		if new(big.Rat).Abs(want).Cmp(limit) < 0 || dir == "rz" || dir == "rd" && g > 0 ||
			dir == "ru" && g < 0 {
			t.Errorf("%s is %v", what, g)
		}
		return
	}
	r := new(big.Rat).SetFloat64(g)
	c := r.Cmp(want)
	up, down := math.Nextafter(g, math.Inf(1)), math.Nextafter(g, math.Inf(-1))
	if ty == "f32" {
		up, down = float64(math.Nextafter32(float32(g), float32(math.Inf(1)))),
			float64(math.Nextafter32(float32(g), float32(math.Inf(-1))))
	}
	above := math.IsInf(up, 1) || new(big.Rat).SetFloat64(up).Cmp(want) > 0
	below := math.IsInf(down, -1) || new(big.Rat).SetFloat64(down).Cmp(want) < 0
	toward0 := dir == "rz" && want.Sign() > 0
	from0 := dir == "rz" && want.Sign() <= 0
	switch {
	case !above || !below:
		t.Errorf("%s = %v is not next to the exact value", what, g)
	case (dir == "rd" || toward0) && c > 0, (dir == "ru" || from0) && c < 0:
		t.Errorf("%s = %v is on the wrong side", what, g)
	}
}

// TestLibdeviceEdges: where Go's functions differ from C's, or lose digits.
func TestLibdeviceEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name    string
		x, want float64
	}{
		{"log", 5e-324, -744.4400719213812}, {"log10", 5e-324, -323.3062153431158},
		{"log2", 1 + 0x1p-40, 1.3121234959619935e-12}, {"lgamma", -inf, inf},
		{"erfcinv", 1e-20, 6.601580622355143}, {"erfcinv", 1.04522705078125e-05, 3.116643324193177},
		{"erfcinv", 0, inf}, {"erfcinv", 1.5, -0.4769362762044699},
		{"erfcinv", 2.2250738585072014e-308, 26.543258454250978},
		{"normcdfinv", 2.2250738585072014e-308, -37.51937934714449},
		{"normcdf", -18.906000000000002, 5.089569147810304e-80}, {"normcdf", inf, 1}, {"normcdf", -inf, 0},
		{"erfcx", -inf, inf}, {"erfcx", 1e300, 5.641895835477563e-301}, {"cyl_bessel_i0", math.NaN(),
			math.NaN()}, {"cyl_bessel_i0", 1e308, inf}, {"cyl_bessel_i1", -1e308, -inf},
	} {
		got := dec("f64", callExtern(t, "__nv_"+c.name, []string{"f64"}, "f64", encAll("f64", c.x))[0])
		if !(math.Abs(got-c.want) <= 1e-11*math.Abs(c.want)) && got != c.want &&
			!(got != got && c.want != c.want) {
			t.Errorf("%s(%v): got %v, want %v", c.name, c.x, got, c.want)
		}
	}
	got := callExtern(t, "__nv_dadd_rd", []string{"f64", "f64"}, "f64", encAll("f64", 1, 0, 0),
		encAll("f64", -1, math.Copysign(0, -1), 0))
	if got[0] != 1<<63 || got[1] != 1<<63 || got[2] != 0 {
		t.Errorf("sums that are zero, rounded down: %#x", got)
	}
}
