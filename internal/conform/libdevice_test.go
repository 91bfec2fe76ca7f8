package conform

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"
)

var _ = family(libdeviceCases)

// device is a function of the device library. Its types are those of the arguments and, after >, of the
// result; one row can have several.
type device struct {
	name  string
	types string                    // "f,f>f" with f for fp32 and fp64 in turn, or names of types
	lo    float64                   // of the range in which floats are taken
	hi    float64                   //
	fn    func(a []float64) float64 // of floats
	// of anything else, with the types of arguments and, last, of the result
	bits func(a []uint64, dt []*dtype) uint64
	tol  tolerance
}

func one(f func(float64) float64) func([]float64) float64 {
	return func(a []float64) float64 { return f(a[0]) }
}
func two(f func(a, b float64) float64) func([]float64) float64 {
	return func(a []float64) float64 { return f(a[0], a[1]) }
}

// loose is for functions that a GPU computes to a few units in the last place.
var loose = tolerance{ulps: 1, others: 16, abs: 0x1p-20}

// rough is for those that it approximates.
var rough = tolerance{ulps: 1, others: 256, abs: 0x1p-12}

func deviceFunctions() []device {
	list := []device{
		{"floor", "f>f", -100, 100, one(math.Floor), nil, exact},
		{"ceil", "f>f", -100, 100, one(math.Ceil), nil, exact},
		{"trunc", "f>f", -100, 100, one(math.Trunc), nil, exact},
		{"rint", "f>f", -100, 100, one(math.RoundToEven), nil, exact},
		{"nearbyint", "f>f", -100, 100, one(math.RoundToEven), nil, exact},
		{"round", "f>f", -100, 100, one(math.Round), nil, exact},
		{"abs", "f>f", -100, 100, one(math.Abs), nil, exact},
		{"sqrt", "f>f", 0, 1e6, one(math.Sqrt), nil, ulps(0, 4)}, // sqrt.approx, as Triton's libdevice
		{"rsqrt", "f>f", 0.01, 1e6, func(a []float64) float64 { return 1 / math.Sqrt(a[0]) }, nil, loose},
		{"rsqrt_rn", "fp32>fp32", 0.01, 1e6, func(a []float64) float64 {
			return 1 / math.Sqrt(a[0])
		}, nil, exact},
		{"cbrt", "f>f", -1e6, 1e6, one(math.Cbrt), nil, loose},
		{"rcbrt", "f>f", 0.01, 1e6, func(a []float64) float64 { return math.Pow(a[0], -1.0/3) }, nil, loose},
		{"exp", "f>f", -20, 20, one(math.Exp), nil, loose},
		{"exp2", "f>f", -20, 20, one(math.Exp2), nil, loose},
		{"exp10", "f>f", -9, 9, func(a []float64) float64 { return math.Pow(10, a[0]) }, nil, loose},
		{"expm1", "f>f", -5, 5, one(math.Expm1), nil, loose},
		{"log", "f>f", 0.01, 1e6, one(math.Log), nil, loose},
		{"log2", "f>f", 0.01, 1e6, one(math.Log2), nil, loose},
		{"log10", "f>f", 0.01, 1e6, one(math.Log10), nil, loose},
		{"log1p", "f>f", -0.9, 10, one(math.Log1p), nil, loose},
		{"logb", "f>f", 0.01, 1e6, func(a []float64) float64 {
			return math.Floor(math.Log2(a[0]))
		}, nil, exact},
		{"sin", "f>f", -30, 30, one(math.Sin), nil, loose},
		{"cos", "f>f", -30, 30, one(math.Cos), nil, loose},
		{"tan", "f>f", -1.5, 1.5, one(math.Tan), nil, loose},
		{"sinpi", "f>f", -3, 3, func(a []float64) float64 {
			return math.Sin(math.Pi * math.Remainder(a[0], 2))
		}, nil, loose},
		{"cospi", "f>f", -3, 3, func(a []float64) float64 {
			return math.Cos(math.Pi * math.Remainder(a[0], 2))
		}, nil, loose},
		{"asin", "f>f", -1, 1, one(math.Asin), nil, loose},
		{"acos", "f>f", -1, 1, one(math.Acos), nil, loose},
		{"atan", "f>f", -30, 30, one(math.Atan), nil, loose},
		{"atan2", "f,f>f", -30, 30, two(math.Atan2), nil, loose},
		{"sinh", "f>f", -10, 10, one(math.Sinh), nil, loose},
		{"cosh", "f>f", -10, 10, one(math.Cosh), nil, loose},
		{"tanh", "f>f", -10, 10, one(math.Tanh), nil, loose},
		{"asinh", "f>f", -100, 100, one(math.Asinh), nil, loose},
		{"acosh", "f>f", 1.1, 100, one(math.Acosh), nil, loose},
		{"atanh", "f>f", -0.95, 0.95, one(math.Atanh), nil, loose},
		{"erf", "f>f", -3, 3, one(math.Erf), nil, loose},
		{"erfc", "f>f", -3, 3, one(math.Erfc), nil, loose},
		{"erfinv", "f>f", -0.95, 0.95, one(inverseErf), nil, loose},
		{"erfcinv", "f>f", 0.05, 1.95, func(a []float64) float64 {
			return inverseErf(1 - a[0])
		}, nil, tolerance{ulps: 2, others: 16, abs: 0x1p-20}},
		{"erfcx", "f>f", -3, 3, func(a []float64) float64 {
			return math.Exp(a[0]*a[0]) * math.Erfc(a[0])
		}, nil, loose},
		{"normcdf", "f>f", -4, 4, func(a []float64) float64 {
			return math.Erfc(-a[0]/math.Sqrt2) / 2
		}, nil, loose},
		{"normcdfinv", "f>f", 0.05, 0.95, func(a []float64) float64 {
			return math.Sqrt2 * inverseErf(2*a[0]-1)
		}, nil, tolerance{ulps: 2, others: 16, abs: 0x1p-20}},
		{"lgamma", "f>f", 2.5, 30, func(a []float64) float64 { return math.Log(gamma(a[0])) }, nil, loose},
		{"tgamma", "f>f", 0.5, 15, one(gamma), nil, tolerance{ulps: 1, others: 64, abs: 0x1p-20}},
		{"j0", "f>f", 0, 7, func(a []float64) float64 {
			return bessel(0, a[0])
		}, nil, tolerance{ulps: 1, others: 64, abs: 0x1p-18}},
		{"j1", "f>f", 0.1, 7, func(a []float64) float64 {
			return bessel(1, a[0])
		}, nil, tolerance{ulps: 1, others: 64, abs: 0x1p-18}},
		{"y0", "f>f", 0.5, 7, one(math.Y0), nil, tolerance{ulps: 1, others: 64, abs: 0x1p-18}},
		{"y1", "f>f", 0.5, 7, one(math.Y1), nil, tolerance{ulps: 1, others: 64, abs: 0x1p-18}},
		{"cyl_bessel_i0", "f>f", -7, 7, func(a []float64) float64 { return modified(0, a[0]) }, nil, loose},
		{"cyl_bessel_i1", "f>f", -7, 7, func(a []float64) float64 { return modified(1, a[0]) }, nil, loose},
		{"hypot", "f,f>f", -30, 30, two(math.Hypot), nil, loose},
		{"rhypot", "f,f>f", 1, 30, func(a []float64) float64 {
			return 1 / math.Hypot(a[0], a[1])
		}, nil, loose},
		{"norm3d", "f,f,f>f", -30, 30, norm, nil, loose},
		{"norm4d", "f,f,f,f>f", -30, 30, norm, nil, loose},
		{"rnorm3d", "f,f,f>f", 1, 30, func(a []float64) float64 { return 1 / norm(a) }, nil, loose},
		{"rnorm4d", "f,f,f,f>f", 1, 30, func(a []float64) float64 { return 1 / norm(a) }, nil, loose},
		{"fmod", "f,f>f", -30, 30, two(math.Mod), nil, exact},
		{"remainder", "f,f>f", -30, 30, two(math.Remainder), nil, exact},
		{"fdim", "f,f>f", -30, 30, func(a []float64) float64 { return math.Max(a[0]-a[1], 0) }, nil, exact},
		{"copysign", "f,f>f", -30, 30, two(math.Copysign), nil, exact},
		{"pow", "f,f>f", 0.1, 8, two(math.Pow), nil, loose},
		{"saturatef", "fp32>fp32", -3, 3, func(a []float64) float64 {
			return math.Min(math.Max(a[0], 0), 1)
		}, nil, exact},
		{"rcp64h", "fp64>fp64", 1, 100, func(a []float64) float64 {
			return math.Float64frombits(math.Float64bits(1/a[0]) &^ 0xffffffff)
		}, nil, tolerance{others: 0x1p33}},
		{"fast_sinf", "fp32>fp32", -3, 3, one(math.Sin), nil, rough},
		{"fast_cosf", "fp32>fp32", -3, 3, one(math.Cos), nil, rough},
		{"fast_tanf", "fp32>fp32", -1, 1, one(math.Tan), nil, rough},
		{"fast_expf", "fp32>fp32", -9, 9, one(math.Exp), nil, rough},
		{"fast_exp10f", "fp32>fp32", -3, 3, func(a []float64) float64 {
			return math.Pow(10, a[0])
		}, nil, rough},
		{"fast_logf", "fp32>fp32", 0.1, 90, one(math.Log), nil, rough},
		{"fast_log2f", "fp32>fp32", 0.1, 90, one(math.Log2), nil, rough},
		{"fast_log10f", "fp32>fp32", 0.1, 90, one(math.Log10), nil, rough},
		{"fast_powf", "fp32,fp32>fp32", 0.1, 4, two(math.Pow), nil, rough},
		{"fast_dividef", "fp32,fp32>fp32", 1, 90, func(a []float64) float64 {
			return a[0] / a[1]
		}, nil, tolerance{others: 4}},
	}
	list = append(list, questionFunctions()...)
	list = append(list, integerFunctions()...)
	return append(list, directedFunctions()...)
}

func norm(a []float64) float64 {
	sum := 0.0
	for _, x := range a {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// inverseErf by Newton's method.
func inverseErf(y float64) float64 {
	x := 0.0
	for range 60 {
		x -= (math.Erf(x) - y) / (2 / math.SqrtPi * math.Exp(-x*x))
	}
	return x
}

// gamma by Stirling's series far out, and down from there.
func gamma(x float64) float64 {
	down := 1.0
	for x < 20 {
		down *= x
		x++
	}
	s := 1.0/12/x - 1.0/360/(x*x*x) + 1.0/1260/math.Pow(x, 5) - 1.0/1680/math.Pow(x, 7)
	return math.Sqrt(2*math.Pi/x) * math.Pow(x/math.E, x) * math.Exp(s) / down
}

// bessel is the integral of cos(n t - x sin t) over a period: the trapezoidal rule is exact for it to all
// digits.
func bessel(n int, x float64) float64 {
	return periodic(func(t float64) float64 { return math.Cos(float64(n)*t - x*math.Sin(t)) })
}

// modified is the integral of exp(x cos t) cos(n t) over a period.
func modified(n int, x float64) float64 {
	return periodic(func(t float64) float64 { return math.Exp(x*math.Cos(t)) * math.Cos(float64(n)*t) })
}

func periodic(f func(float64) float64) float64 {
	const steps = 200
	sum := 0.0
	for i := range steps {
		sum += f(2 * math.Pi * float64(i) / steps)
	}
	return sum / steps
}

// questionFunctions are from floats to integers and back, by bits.
func questionFunctions() []device {
	ask := func(name, types string, f func(x float64) bool) device {
		return device{name, types, 0, 0, nil, func(a []uint64, dt []*dtype) uint64 {
			return truth(f(dt[0].float(a[0])))
		}, exact}
	}
	isInf := func(x float64) bool { return math.IsInf(x, 0) }
	finite := func(x float64) bool { return !math.IsInf(x, 0) && x == x }
	same := func(a []uint64, dt []*dtype) uint64 { return a[0] }
	list := []device{
		ask("isnan", "fp32>i1", func(x float64) bool {
			return x != x
		}), ask("isnan", "fp64>i1", func(x float64) bool { return x != x }),
		ask("isinf", "fp32>i1", isInf), ask("isinf", "fp64>i1", isInf),
		ask("finitef", "fp32>i1", finite), ask("isfinited", "fp64>i1", finite),
		ask("signbit", "fp32>i32", math.Signbit), ask("signbit", "fp64>i32", math.Signbit),
		{"float_as_int", "fp32>i32", 0, 0, nil, same, exact},
		{"float_as_uint", "fp32>i32", 0, 0, nil, same, exact}, {"int_as_float", "i32>fp32", 0, 0, nil, same,
			exact}, {"uint_as_float", "u32>fp32", 0, 0, nil, same, exact},
		{"double_as_longlong", "fp64>i64", 0, 0, nil, same, exact},
		{"longlong_as_double", "i64>fp64", 0, 0, nil, same, exact},
		{"double2loint", "fp64>i32", 0, 0, nil, func(a []uint64, _ []*dtype) uint64 {
			return a[0] & 0xffffffff
		}, exact},
		{"double2hiint", "fp64>i32", 0, 0, nil, func(a []uint64, _ []*dtype) uint64 {
			return a[0] >> 32
		}, exact},
		{"hiloint2double", "i32,i32>fp64", 0, 0, nil, func(a []uint64, _ []*dtype) uint64 {
			return a[0]<<32 | a[1]
		}, exact},
	}
	for _, f := range []string{"fp32", "fp64"} {
		list = append(list,
			device{"llrint", f + ">i64", -1000, 1000, nil, func(a []uint64, dt []*dtype) uint64 {
				return uint64(int64(math.RoundToEven(dt[0].float(a[0]))))
			}, exact},
			device{"llround", f + ">i64", -1000, 1000, nil, func(a []uint64, dt []*dtype) uint64 {
				return uint64(int64(math.Round(dt[0].float(a[0]))))
			}, exact},
			device{"ilogb", f + ">i32", 0.01, 1000, nil, func(a []uint64, dt []*dtype) uint64 {
				return uint64(int64(math.Floor(math.Log2(dt[0].float(a[0]))))) & 0xffffffff
			}, exact},
			device{"nextafter", f + "," + f + ">" + f, -9, 9, nil, neighbour, exact},
			device{"ldexp", f + ",i32>" + f, -9, 9, nil, scaled, exact},
			device{"scalbn", f + ",i32>" + f, -9, 9, nil, scaled, exact},
			device{"pow", f + ",i32>" + f, 0.5, 2, nil, func(a []uint64, dt []*dtype) uint64 {
				return dt[2].bitsOf(math.Pow(dt[0].float(a[0]), float64(dt[1].int(a[1]))), nearest)
			}, tolerance{ulps: 1, others: 64}},
			device{"jn", "i32," + f + ">" + f, 1, 7, nil, func(a []uint64, dt []*dtype) uint64 {
				return dt[2].bitsOf(bessel(int(dt[0].int(a[0])), dt[1].float(a[1])), nearest)
			}, tolerance{ulps: 2, others: 1024, abs: 0x1p-16}},
			device{"yn", "i32," + f + ">" + f, 1, 7, nil, func(a []uint64, dt []*dtype) uint64 {
				return dt[2].bitsOf(math.Yn(int(dt[0].int(a[0])), dt[1].float(a[1])), nearest)
			}, tolerance{ulps: 2, others: 1024, abs: 0x1p-16}},
		)
	}
	return list
}

// neighbour is the next float toward another: the next bits, up or down.
func neighbour(a []uint64, dt []*dtype) uint64 {
	d := dt[0]
	x, y := d.float(a[0]), d.float(a[1])
	switch {
	case x == y:
		return a[1]
	case (x < y) == (x > 0):
		return a[0] + 1
	}
	return a[0] - 1
}

func scaled(a []uint64, dt []*dtype) uint64 {
	return dt[2].bitsOf(dt[0].float(a[0])*math.Pow(2, float64(dt[1].int(a[1]))), nearest)
}

// integerFunctions are on integers.
func integerFunctions() []device {
	signed := func(x uint64) int64 { return int64(int32(x)) }
	count := func(f func(x uint64, n int) int) func(a []uint64, dt []*dtype) uint64 {
		return func(a []uint64, dt []*dtype) uint64 { return uint64(f(a[0], dt[0].bits)) }
	}
	high := func(a []uint64, dt []*dtype) uint64 {
		p := new(big.Int).Mul(dt[0].big(a[0]), dt[1].big(a[1]))
		return wrap(p.Rsh(p, uint(dt[0].bits)), dt[2])
	}
	half := func(extra int64) func(a []uint64, dt []*dtype) uint64 {
		return func(a []uint64, dt []*dtype) uint64 {
			s := new(big.Int).Add(dt[0].big(a[0]), dt[1].big(a[1]))
			s.Add(s, big.NewInt(extra))
			return wrap(s.Rsh(s, 1), dt[2])
		}
	}
	difference := func(a []uint64, dt []*dtype) uint64 {
		d := new(big.Int).Sub(dt[0].big(a[0]), dt[1].big(a[1]))
		return wrap(d.Add(d.Abs(d), dt[2].big(a[2])), dt[3])
	}
	absolute := func(a []uint64, dt []*dtype) uint64 { return wrap(new(big.Int).Abs(dt[0].big(a[0])), dt[1]) }
	leading := count(func(x uint64, n int) int { return bits.LeadingZeros64(x) - (64 - n) })
	ones := count(func(x uint64, n int) int { return bits.OnesCount64(x) })
	first := count(func(x uint64, n int) int { return bits.Len64(x & -x) })
	reverse := func(a []uint64, dt []*dtype) uint64 { return bits.Reverse64(a[0]) >> (64 - dt[0].bits) }
	var list []device
	for _, row := range []struct {
		name, types string
		f           func(a []uint64, dt []*dtype) uint64
	}{
		{"clz", "i32>i32", leading}, {"clz", "i64>i32", leading}, {"popc", "i32>i32", ones},
		{"popc", "i64>i32", ones}, {"ffs", "i32>i32", first}, {"ffs", "i64>i32", first},
		{"brev", "i32>i32", reverse}, {"brev", "i64>i64", reverse}, {"abs", "i32>i32", absolute},
		{"abs", "i64>i64", absolute}, {"mulhi", "i32,i32>i32", high}, {"mulhi", "u32,u32>u32", high},
		{"mulhi", "i64,i64>i64", high}, {"mulhi", "u64,u64>u64", high}, {"hadd", "i32,i32>i32", half(0)},
		{"hadd", "u32,u32>u32", half(0)}, {"rhadd", "i32,i32>i32", half(1)},
		{"rhadd", "u32,u32>u32", half(1)}, {"sad", "i32,i32,u32>i32", difference}, {"sad", "u32,u32,u32>u32",
			difference}, {"mul24", "i32,i32>i32", func(a []uint64, _ []*dtype) uint64 {
			return uint64((signed(a[0]<<8)>>8)*(signed(a[1]<<8)>>8)) & 0xffffffff
		}},
		{"mul24", "u32,u32>u32", func(a []uint64, _ []*dtype) uint64 {
			return (a[0] & 0xffffff) * (a[1] & 0xffffff) & 0xffffffff
		}},
		{"byte_perm", "i32,i32,i32>i32", func(a []uint64, _ []*dtype) uint64 {
			r := uint64(0)
			for i := range 4 {
				pick := a[2] >> (4 * i) & 7
				r |= (a[pick/4] >> (8 * (pick % 4)) & 0xff) << (8 * i)
			}
			return r
		}},
	} {
		list = append(list, device{row.name, row.types, 0, 0, nil, row.f, exact})
	}
	return list
}

// modes are the suffixes of directed rounding.
var modes = []struct {
	suffix string
	mode   big.RoundingMode
}{{"rn", big.ToNearestEven}, {"rz", big.ToZero}, {"rd", big.ToNegativeInf}, {"ru", big.ToPositiveInf}}

// rounded is an exact number in fp32 or fp64, by a mode.
func roundedBy(x *big.Float, dt *dtype, mode big.RoundingMode) uint64 {
	y := new(big.Float).SetMode(mode).SetPrec(uint(dt.man + 1)).Set(x)
	f, _ := y.Float64()
	return dt.bitsOf(f, nearest)
}

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(x) }

// directedFunctions are arithmetic and conversions that name their rounding.
func directedFunctions() []device {
	var list []device
	add := func(name, types string, lo, hi float64, f func(a []uint64, dt []*dtype) uint64) {
		list = append(list, device{name, types, lo, hi, nil, f, exact})
	}
	wide := func() *big.Float { return new(big.Float).SetPrec(4000) }
	for _, r := range modes {
		for _, t := range []string{"fp32", "fp64"} {
			binary := func(name string, f func(z, x, y *big.Float) *big.Float) {
				add(name+"_"+r.suffix, t+","+t+">"+t, 0.1, 90, func(a []uint64, dt []*dtype) uint64 {
					return roundedBy(f(wide(), exactly(dt[0].float(a[0])), exactly(dt[1].float(a[1]))),
						dt[2], r.mode)
				})
			}
			binary("add", (*big.Float).Add)
			binary("sub", (*big.Float).Sub)
			binary("mul", (*big.Float).Mul)
			binary("div", (*big.Float).Quo)
			add("sqrt_"+r.suffix, t+">"+t, 0.1, 90, func(a []uint64, dt []*dtype) uint64 {
				return roundedBy(wide().Sqrt(exactly(dt[0].float(a[0]))), dt[1], r.mode)
			})
			add("rcp_"+r.suffix, t+">"+t, 0.1, 90, func(a []uint64, dt []*dtype) uint64 {
				return roundedBy(wide().Quo(exactly(1), exactly(dt[0].float(a[0]))), dt[1], r.mode)
			})
			add("fma_"+r.suffix, t+","+t+","+t+">"+t, -90, 90, func(a []uint64, dt []*dtype) uint64 {
				p := wide().Mul(exactly(dt[0].float(a[0])), exactly(dt[1].float(a[1])))
				return roundedBy(p.Add(p, exactly(dt[2].float(a[2]))), dt[3], r.mode)
			})
		}
		conversions(r.suffix, r.mode, add)
	}
	add("int2double_rn", "i32>fp64", 0, 0, fromInt(big.ToNearestEven))
	add("uint2double_rn", "u32>fp64", 0, 0, fromInt(big.ToNearestEven))
	add("fma", "fp32,fp32,fp32>fp32", -90, 90, func(a []uint64, dt []*dtype) uint64 {
		p := wide().Mul(exactly(dt[0].float(a[0])), exactly(dt[1].float(a[1])))
		return roundedBy(p.Add(p, exactly(dt[2].float(a[2]))), dt[3], big.ToNearestEven)
	})
	add("fma", "fp64,fp64,fp64>fp64", -90, 90, func(a []uint64, dt []*dtype) uint64 {
		p := wide().Mul(exactly(dt[0].float(a[0])), exactly(dt[1].float(a[1])))
		return roundedBy(p.Add(p, exactly(dt[2].float(a[2]))), dt[3], big.ToNearestEven)
	})
	return list
}

func fromInt(mode big.RoundingMode) func(a []uint64, dt []*dtype) uint64 {
	return func(a []uint64, dt []*dtype) uint64 {
		return roundedBy(new(big.Float).SetPrec(64).SetInt(dt[0].big(a[0])), dt[1], mode)
	}
}

// whole is a float as an integer, by a mode.
func whole(x float64, mode big.RoundingMode) float64 {
	switch mode {
	case big.ToZero:
		return math.Trunc(x)
	case big.ToNegativeInf:
		return math.Floor(x)
	case big.ToPositiveInf:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

func conversions(suffix string, mode big.RoundingMode,
	add func(name, types string, lo, hi float64, f func(a []uint64, dt []*dtype) uint64)) {
	for _, c := range []struct{ from, to, types string }{
		{"int", "float", "i32>fp32"}, {"uint", "float", "u32>fp32"}, {"ll", "float", "i64>fp32"},
		{"ull", "float", "u64>fp32"}, {"ll", "double", "i64>fp64"}, {"ull", "double", "u64>fp64"},
	} {
		add(c.from+"2"+c.to+"_"+suffix, c.types, 0, 0, fromInt(mode))
	}
	toInt := func(a []uint64, dt []*dtype) uint64 {
		n, _ := big.NewFloat(whole(dt[0].float(a[0]), mode)).Int(nil)
		return wrap(n, dt[1])
	}
	for _, c := range []struct {
		from, to, types string
		lo              float64
	}{
		{"float", "int", "fp32>i32", -1000}, {"float", "uint", "fp32>i32", 0},
		{"float", "ll", "fp32>i64", -1000}, {"float", "ull", "fp32>i64", 0},
		{"double", "int", "fp64>i32", -1000}, {"double", "uint", "fp64>i32", 0},
		{"double", "ll", "fp64>i64", -1000}, {"double", "ull", "fp64>i64", 0},
	} {
		add(c.from+"2"+c.to+"_"+suffix, c.types, c.lo, 1000, toInt)
	}
	add("double2float_"+suffix, "fp64>fp32", -1000, 1000, func(a []uint64, dt []*dtype) uint64 {
		return roundedBy(exactly(dt[0].float(a[0])), dt[1], mode)
	})
}

func typeNamed(sig string) *dtype {
	for _, d := range dtypes {
		if d.sig == sig {
			return d
		}
	}
	panic("conform: no type " + sig)
}

func libdeviceCases(s *suite) {
	m := &module{name: "conform_libdevice"}
	for _, d := range deviceFunctions() {
		forms := []string{d.types}
		if strings.Contains(d.types, "f>") || strings.HasPrefix(d.types, "f,") {
			forms = []string{strings.ReplaceAll(d.types, "f", "fp32"),
				strings.ReplaceAll(d.types, "f", "fp64")}
		}
		for _, types := range forms {
			args, ret, _ := strings.Cut(types, ">")
			var dts []*dtype
			for _, a := range strings.Split(args, ",") {
				dts = append(dts, typeNamed(a))
			}
			s.libdevice(m, d, types, append(dts, typeNamed(ret)))
		}
	}
	// A refusal: there is no form for these types.
	for _, dt := range []*dtype{f16, i8} {
		m.add(s, kernel{name: "libdevice/sin/" + dt.sig, in: []array{newArray(dt, 16)},
			results: []string{"libdevice.sin(x)"}, want: []array{newArray(dt, 16)}, refused: true})
	}
	m.add(s, kernel{name: "libdevice/pow/scalar", in: []array{ofFloats(f32, 2).reshape()},
		results: []string{"libdevice.pow(x, 3.0)"}, want: []array{ofFloats(f32, 8).reshape()}, tol: loose})
	m.add(s, kernel{name: "libdevice/tanh/path", in: []array{ofFloats(f32, 0)},
		results: []string{"tl.extra.cuda.libdevice.tanh(x)"}, want: []array{ofFloats(f32, 0)}})
	m.add(s, kernel{name: "libdevice/tanh/extra", in: []array{ofFloats(f32, 0)},
		results: []string{"tl.extra.libdevice.tanh(x)"}, want: []array{ofFloats(f32, 0)}})
}

// specialUlps has the functions of the device library that the interpreter computes in fp64 with a larger
// error than that of the last place: it has no more digits than the type. README says so.
var specialUlps = map[string]float64{
	"jn": 4096, "yn": 4096, // recurrences lose digits near zeros
	"j0": 64, "j1": 64, "y0": 64, "y1": 64, "cyl_bessel_i0": 64, "cyl_bessel_i1": 64,
	"tgamma": 64, "lgamma": 64, "normcdf": 64, "normcdfinv": 64, "erfcx": 64, "erfcinv": 64, "erfinv": 64,
	"sinpi": 64, "cospi": 64, "rcbrt": 64,
	// what Go's package math expects here is further off than the interpreter (TestExactFunctions)
	"acos": 32, "pow": 32, "exp10": 8,
}

// libdevice adds the case of a function for one tuple of types.
func (s *suite) libdevice(m *module, d device, types string, dts []*dtype) {
	const n = 64
	args, ret := dts[:len(dts)-1], dts[len(dts)-1]
	k := kernel{name: fmt.Sprintf("libdevice/%s/%s", d.name, strings.ReplaceAll(types, ">", "-to-")),
		tol: d.tol}
	if ret == f64 && d.fn != nil && d.tol.ulps > 0 {
		k.tol = tolerance{ulps: 1, others: 64, abs: 1e-14}
	}
	if ret == f64 && d.fn == nil && d.tol.ulps > 0 {
		k.tol = tolerance{ulps: 1, others: 1 << 12, abs: 1e-12}
	}
	if n := specialUlps[d.name]; ret == f64 && n > 0 {
		k.tol.ulps = n
	}
	src := newSource(k.name)
	for _, dt := range args {
		switch {
		case dt.isFloat() && d.lo < d.hi:
			k.in = append(k.in, src.uniform(dt, d.lo, d.hi, n))
		case dt == i32 && d.hi > 0: // an exponent or an order
			k.in = append(k.in, src.between(dt, 0, 5, n))
		default:
			k.in = append(k.in, src.any(dt, n))
		}
	}
	z := newArray(ret, n)
	for i := range n {
		xs, raw := make([]float64, len(args)), make([]uint64, len(args))
		for j, a := range k.in {
			xs[j], raw[j] = a.float(i), a.bits[i]
		}
		if d.fn != nil {
			z.setFloat(i, d.fn(xs))
		} else {
			z.bits[i] = d.bits(raw, dts) & ret.storage()
		}
	}
	k.results, k.want = []string{fmt.Sprintf("libdevice.%s(%s)", d.name,
		strings.Join(inputNames[:len(args)], ", "))}, []array{z}
	m.add(s, k)
}
