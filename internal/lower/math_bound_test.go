package lower

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
)

// gpuBounds holds, for functions that use the hardware's approximated, the largest error in units of the
// last place that NVIDIA's device library has by the CUDA programming guide, and ours: with exact
// approximated, and with the worst that the PTX specification allows.
var gpuBounds = []struct {
	name         string
	f            func(float64) float64
	theirs       float64
	exact, worst float64
}{
	{"tanh", math.Tanh, 2, 1.4, 3.7},
	{"exp", math.Exp, 1, 1.1, 4.8},
	{"exp10", func(x float64) float64 { return math.Pow(10, x) }, 1, 1.1, 4.8},
	{"expm1", math.Expm1, 1, 1.3, 1.3},
	{"log", math.Log, 1, 1, 1},
	{"log2", math.Log2, 1, 1.1, 1.1},
	{"log10", math.Log10, 2, 1.1, 1.1},
	{"log1p", math.Log1p, 1, 1.1, 1.1},
	{"sinh", math.Sinh, 3, 1.5, 5.8},
	{"cosh", math.Cosh, 2, 1.5, 5},
	{"erf", math.Erf, 2, 1.5, 2},
	{"sin", math.Sin, 2, 1.6, 1.6},
	{"cos", math.Cos, 2, 1.6, 1.6},
	{"tan", math.Tan, 4, 3, 3},
	{"asin", math.Asin, 2, 1, 2.6},
	{"acos", math.Acos, 2, 1, 2.6},
	{"asinh", math.Asinh, 3, 2.2, 2.5},
	{"acosh", math.Acosh, 4, 2.5, 3},
	{"cbrt", math.Cbrt, 1, 1, 1},
}

// approximated are the instructions that the hardware approximates, and their relative errors.
var approximated = regexp.MustCompile(
	`(ex2\.approx\.ftz|rcp\.approx\.ftz|sqrt\.approx)\.f32\s+(%\w+), (%\w+);`)

// worsened returns PTX in which each approximation is off by its largest error, in the direction of signs.
func worsened(ptx []byte, ex2, rcp float64) []byte {
	return approximated.ReplaceAllFunc(ptx, func(line []byte) []byte {
		m := approximated.FindSubmatch(line)
		factor := 1 + ex2*0x1p-22
		if m[1][0] != 'e' {
			factor = 1 + rcp*0x1p-23
		}
		return fmt.Appendf(nil, "%s mul.f32 %s, %s, 0f%08X;", line, m[2], m[2],
			math.Float32bits(float32(factor)))
	})
}

// TestMathBounds compares functions on GPUs with Go's in double precision, for floats of all exponents and
// for the neighbourhoods where the formulas change. NEREID_MATH_RUNS is the number of runs of 512 arguments.
func TestMathBounds(t *testing.T) {
	runs := 12
	if n, err := strconv.Atoi(os.Getenv("NEREID_MATH_RUNS")); err == nil {
		runs = n
	}
	for _, c := range gpuBounds {
		t.Run(c.name, func(t *testing.T) {
			_, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", externText(c.name+"f")))),
				"k", 90)
			exact := largestError(t, ptx, runs, c.f)
			worst := exact
			if approximated.Match(ptx) {
				for _, s := range [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
					worst = max(worst, largestError(t, worsened(ptx, s[0], s[1]), runs/3+1, c.f))
				}
			}
			t.Logf("%.2f ulp, at worst %.2f; the device library %v", exact, worst, c.theirs)
			if exact > c.exact || worst > c.worst {
				t.Errorf("%.2f ulp, at worst %.2f; want at most %v and %v", exact, worst, c.exact, c.worst)
			}
		})
	}
}

// largestError runs the kernel of mathKernel on many floats and returns its largest error.
func largestError(t *testing.T, ptx []byte, runs int, f func(float64) float64) float64 {
	t.Helper()
	near := false // 1, where most formulas change
	return largestErrorIn(t, ptx, runs, f, func(state uint32) float64 {
		if near = !near; near {
			state = state&0x80ffffff | 0x3d000000 + state>>8&0x03000000
		}
		return float64(math.Float32frombits(state))
	})
}

// largestErrorIn is largestError for the arguments that arg makes of random bits.
func largestErrorIn(t *testing.T, ptx []byte, runs int, f func(float64) float64,
	arg func(uint32) float64) float64 {
	t.Helper()
	m, err := ptxsim.Parse(ptx)
	if err != nil {
		t.Fatal(err)
	}
	worst, state := 0.0, uint32(12345)
	for range runs {
		in := &buf{elem: ir.F32, n: mathN, fill: func(int) float64 {
			state = state*1664525 + 1013904223
			return arg(state)
		}}
		l := launch{"k", [3]int{1, 1, 1}, []any{in, floats(ir.F32, mathN), in}}
		_, mem := l.memory(1)
		pm := ptxsim.NewMemory()
		args := l.words(mem, func(_ int, data []byte) uint64 { return pm.Alloc(data) })
		if err := m.Run(context.Background(),
			&ptxsim.Launch{Kernel: "k", Grid: l.grid, Args: args, Memory: pm}); err != nil {
			t.Fatal(err)
		}
		for k := range mathN {
			x, got := decode(ir.F32, get(mem[0][4*k:], 4)), decode(ir.F32, get(mem[1][4*k:], 4))
			want := f(x)
			if rounded := float64(float32(want)); got == rounded || got != got && want != want {
				continue
			}
			if math.IsInf(got, 0) { // as far as the next number there would be
				got = math.Copysign(0x1p128, got)
			}
			if e := math.Abs(got-want) / ulpOf(ir.F32,
				min(max(want, -math.MaxFloat32), math.MaxFloat32)); !(e <= worst) {
				worst = e
				if e > 8 {
					t.Logf("f(%v) = %v, want %v", x, got, want)
				}
			}
		}
	}
	return worst
}

// TestSigmoid compares 1 / (1 + e^-x) with the exact value. It needs no division, and no care for subnormal
// values of e^-x unless something else uses them.
func TestSigmoid(t *testing.T) {
	const text = `%one = arith.constant dense<1.0> : T
	%n = arith.negf %v : T
	%e = math.exp %n : T
	%d = arith.addf %e, %one : T
	`
	for _, c := range []struct {
		name, rest string
		short      bool
		f          func(float64) float64
	}{
		{"plain", "%w = arith.divf %one, %d : T", true, func(x float64) float64 {
			return 1 / (1 + math.Exp(-x))
		}},
		{"e used twice", "%w = arith.divf %e, %d : T", false, func(x float64) float64 {
			return 1 / (1 + math.Exp(x))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", text+c.rest))), "k", 90)
			if short := !bytes.Contains(ptx, []byte("div.full")); short != c.short {
				t.Errorf("without division: %v, want %v\n%s", short, c.short, clip(ptx))
			}
			if flush := bytes.Contains(ptx, []byte("ex2.approx.ftz.f32")); flush != c.short {
				t.Errorf("subnormal e^-x is zero: %v, want %v", flush, c.short)
			}
			// Triton's e^x is off by as many units as its argument's exponent.
			e := largestErrorIn(t, ptx, 4, c.f, func(state uint32) float64 {
				return float64(int32(state)) / 0x1p31 * 80
			})
			t.Logf("%.2f ulp", e)
			if e > 70 {
				t.Errorf("%.2f ulp, want at most 70", e)
			}
		})
	}
}
