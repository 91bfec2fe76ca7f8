package vmath

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/mathlib"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// externs compiles functions of the device library, on scalars or vectors.
func externs(t *testing.T, lanes int, names ...string) *mapped {
	t.Helper()
	l := txtest.LLVM(t, llvm.Load)
	lib := New(l.HostTarget().Features)
	funcs := map[string]*Func{}
	for _, n := range names {
		f, err := lib.Extern("__nv_"+n, lanes)
		if err != nil {
			t.Fatal(err)
		}
		funcs[n] = f
	}
	return compileMaps(t, lib, funcs, lanes)
}

// TestExternsCompile: each of the device library's functions makes code.
func TestExternsCompile(t *testing.T) {
	var names []string
	for _, s := range mathlib.Devices() {
		names = append(names, s[len("__nv_"):])
	}
	if len(names) < 250 {
		t.Errorf("only %d functions", len(names))
	}
	m := externs(t, 4, names...)
	if _, err := m.jit.Lookup("map.ldexpf"); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownExtern(t *testing.T) {
	for _, s := range []string{"", "exp", "__nv_", "__nv_nothing", "cosf"} {
		if _, err := New("").Extern(s, 4); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}

// TestDirected compares arithmetic with a rounding mode with big numbers.
func TestDirected(t *testing.T) {
	const lanes, n = 8, 4096
	modes := map[string]big.RoundingMode{"_rn": big.ToNearestEven, "_rz": big.ToZero,
		"_rd": big.ToNegativeInf, "_ru": big.ToPositiveInf}
	ops := map[string]func(z, a, b, c *big.Float) *big.Float{
		"add": func(z, a, b, _ *big.Float) *big.Float {
			return z.Add(a, b)
		}, "sub": func(z, a, b, _ *big.Float) *big.Float { return z.Sub(a, b) },
		"mul": func(z, a, b, _ *big.Float) *big.Float {
			return z.Mul(a, b)
		}, "div": func(z, a, b, _ *big.Float) *big.Float { return z.Quo(a, b) },
		"rcp": func(z, a, _, _ *big.Float) *big.Float {
			return z.Quo(big.NewFloat(1), a)
		}, "sqrt": func(z, a, _, _ *big.Float) *big.Float {
			return z.Set(new(big.Float).SetPrec(300).Sqrt(a))
		},
		"fma": func(z, a, b, c *big.Float) *big.Float {
			p := new(big.Float).SetPrec(2000).Mul(a, b)
			return z.Set(p.Add(p, c))
		},
	}
	arity := map[string]int{"rcp": 1, "sqrt": 1, "fma": 3}
	var names []string
	for op := range ops {
		for mode := range modes {
			if op == "fma" {
				names = append(names, "fma"+mode, "fmaf"+mode)
			} else {
				names = append(names, "f"+op+mode, "d"+op+mode)
			}
		}
	}
	m := externs(t, lanes, names...)
	r := rand.New(rand.NewPCG(5, 6))
	var x32 [3][n]float32
	var x64 [3][n]float64
	for k := range 3 {
		for i := range n {
			v := r.NormFloat64() * math.Exp2(float64(r.IntN(30)-15))
			if k != 1 && r.IntN(4) == 0 {
				v = math.Round(v*8) / 8
			}
			x32[k][i], x64[k][i] = float32(v), v
		}
	}
	for op, f := range ops {
		for mode, rounding := range modes {
			for _, single := range []bool{true, false} {
				name := map[bool]string{true: "f", false: "d"}[single] + op + mode
				if op == "fma" {
					name = map[bool]string{true: "fmaf", false: "fma"}[single] + mode
				}
				count := max(1, arity[op])
				if arity[op] == 0 {
					count = 2
				}
				var out32 [n]float32
				var out64 [n]float64
				arrays := []unsafe.Pointer{unsafe.Pointer(&out32[0])}
				if !single {
					arrays[0] = unsafe.Pointer(&out64[0])
				}
				for k := range count {
					if single {
						arrays = append(arrays, unsafe.Pointer(&x32[k][0]))
					} else {
						arrays = append(arrays, unsafe.Pointer(&x64[k][0]))
					}
				}
				m.run(t, name, n, arrays...)
				bad := 0
				for i := range n {
					a, b, c := x64[0][i], x64[1][i], x64[2][i]
					prec, got := uint(53), out64[i]
					if single {
						a, b, c, prec, got = float64(x32[0][i]), float64(x32[1][i]), float64(x32[2][i]), 24,
							float64(out32[i])
					}
					if op == "sqrt" && a < 0 || op == "rcp" && a == 0 || b == 0 {
						continue
					}
					z := f(new(big.Float).SetMode(rounding).SetPrec(prec), big.NewFloat(a), big.NewFloat(b),
						big.NewFloat(c))
					if want, _ := z.Float64(); got != want {
						if bad++; bad < 3 {
							t.Errorf("%s(%v, %v, %v) = %v, want %v", name, a, b, c, got, want)
						}
					}
				}
			}
		}
	}
}

// TestExternSamples compares some functions with what Go says.
func TestExternSamples(t *testing.T) {
	const lanes, n = 4, 1024
	m := externs(t, lanes, "ldexpf", "ldexp", "powif", "float2int_rn", "float2uint_rd", "double2ll_ru",
		"ll2float_rz", "ull2double_rd", "int2float_rd", "clz", "ffs", "brev", "byte_perm", "mulhi",
		"umul64hi", "rhadd", "sad", "ilogbf", "isinfd", "double2float_ru", "llroundf", "hiloint2double")
	r := rand.New(rand.NewPCG(7, 8))
	var f [n]float32
	var d [n]float64
	var i32, j32, k32 [n]int32
	var i64, j64 [n]int64
	for i := range n {
		d[i] = r.NormFloat64() * math.Exp2(float64(r.IntN(80)-20))
		f[i] = float32(d[i])
		i32[i], j32[i], k32[i] = int32(r.Uint32()), int32(r.Uint32())>>r.IntN(32), int32(r.Uint32())
		i64[i], j64[i] = int64(r.Uint64())>>r.IntN(64), int64(r.Uint64())
	}
	f[0], d[0], f[1], d[1], f[2], d[2] = float32(math.NaN()), math.NaN(), float32(math.Inf(1)),
		math.Inf(-1), 0, 0
	direct := func(mode big.RoundingMode, prec uint, x *big.Float) float64 {
		v, _ := new(big.Float).SetMode(mode).SetPrec(prec).Set(x).Float64()
		return v
	}
	clamp := func(x, lo, hi float64) float64 {
		if x != x {
			return 0
		}
		return min(max(x, lo), hi)
	}
	big64 := func(v int64) *big.Float { return new(big.Float).SetInt64(v) }
	check := func(name string, got func(i int) any, want func(i int) any) {
		t.Helper()
		for i := range n {
			if g, w := fmt.Sprint(got(i)), fmt.Sprint(want(i)); g != w {
				t.Errorf("%s, case %d: %s, want %s", name, i, g, w)
				return
			}
		}
	}
	ptr := func(p any) unsafe.Pointer {
		switch p := p.(type) {
		case *[n]float32:
			return unsafe.Pointer(p)
		case *[n]float64:
			return unsafe.Pointer(p)
		case *[n]int32:
			return unsafe.Pointer(p)
		case *[n]int64:
			return unsafe.Pointer(p)
		}
		panic("array")
	}
	run := func(name string, out any, in ...any) {
		t.Helper()
		arrays := []unsafe.Pointer{ptr(out)}
		for _, p := range in {
			arrays = append(arrays, ptr(p))
		}
		m.run(t, name, n, arrays...)
	}
	var of [n]float32
	var od [n]float64
	var oi [n]int32
	var ol [n]int64
	atF, atD := func(i int) any { return of[i] }, func(i int) any { return od[i] }
	atI, atL := func(i int) any { return oi[i] }, func(i int) any { return ol[i] }
	small := j32
	for i := range small {
		small[i] %= 400
	}
	run("ldexpf", &of, &f, &small)
	check("ldexpf", atF, func(i int) any { return float32(math.Ldexp(float64(f[i]), int(small[i]))) })
	run("ldexp", &od, &d, &j32)
	check("ldexp", atD, func(i int) any { return math.Ldexp(d[i], int(j32[i])) })
	run("float2int_rn", &oi, &f)
	check("float2int_rn", atI, func(i int) any {
		return int32(clamp(math.RoundToEven(float64(f[i])), math.MinInt32, math.MaxInt32))
	})
	run("float2uint_rd", &oi, &f)
	check("float2uint_rd", atI, func(i int) any {
		return int32(uint32(clamp(math.Floor(float64(f[i])), 0, math.MaxUint32)))
	})
	run("double2ll_ru", &ol, &d)
	check("double2ll_ru", atL, func(i int) any {
		switch x := math.Ceil(d[i]); {
		case x != x || x < -0x1p63:
			return int64(math.MinInt64)
		case x >= 0x1p63:
			return int64(math.MaxInt64)
		default:
			return int64(x)
		}
	})
	run("ll2float_rz", &of, &i64)
	check("ll2float_rz", atF, func(i int) any { return float32(direct(big.ToZero, 24, big64(i64[i]))) })
	run("ull2double_rd", &od, &i64)
	check("ull2double_rd", atD, func(i int) any {
		return direct(big.ToNegativeInf, 53, new(big.Float).SetUint64(uint64(i64[i])))
	})
	run("int2float_rd", &of, &i32)
	check("int2float_rd", atF, func(i int) any {
		return float32(direct(big.ToNegativeInf, 24, big64(int64(i32[i]))))
	})
	run("clz", &oi, &j32)
	check("clz", atI, func(i int) any { return bits.LeadingZeros32(uint32(j32[i])) })
	run("ffs", &oi, &j32)
	check("ffs", atI, func(i int) any { return (bits.TrailingZeros32(uint32(j32[i])) + 1) % 33 })
	run("brev", &oi, &j32)
	check("brev", atI, func(i int) any { return int32(bits.Reverse32(uint32(j32[i]))) })
	run("mulhi", &oi, &i32, &k32)
	check("mulhi", atI, func(i int) any { return int32(int64(i32[i]) * int64(k32[i]) >> 32) })
	run("umul64hi", &ol, &i64, &j64)
	check("umul64hi", atL, func(i int) any {
		hi, _ := bits.Mul64(uint64(i64[i]), uint64(j64[i]))
		return int64(hi)
	})
	run("rhadd", &oi, &i32, &k32)
	check("rhadd", atI, func(i int) any { return int32((int64(i32[i]) + int64(k32[i]) + 1) >> 1) })
	run("byte_perm", &oi, &i32, &k32, &j32)
	check("byte_perm", atI, func(i int) any {
		both := uint64(uint32(k32[i]))<<32 | uint64(uint32(i32[i]))
		var r uint32
		for k := range 4 {
			r |= uint32(both>>(8*(uint32(j32[i])>>(4*k)&7))&0xff) << (8 * k)
		}
		return int32(r)
	})
	run("isinfd", &oi, &d)
	check("isinfd", atI, func(i int) any {
		if math.IsInf(d[i], 0) {
			return 1
		}
		return 0
	})
	run("double2float_ru", &of, &d)
	check("double2float_ru", atF, func(i int) any {
		if d[i] != d[i] || math.IsInf(d[i], 0) {
			return float32(d[i])
		}
		return float32(direct(big.ToPositiveInf, 24, big.NewFloat(d[i])))
	})
}
