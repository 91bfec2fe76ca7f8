package interp

import (
	"math"
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// extern is a function of a device library: the kinds of its arguments and result, and the loop over it.
type extern struct {
	ret  kind
	args []kind
	step func(d reg, a []reg) step
}

func kindFor[T any]() kind {
	var z T
	switch any(z).(type) {
	case int32, uint32:
		return kI32
	case int64, uint64:
		return kI64
	case float32:
		return kF32
	}
	return kF64
}

func ext1[D, A any](f func(A) D) extern {
	return extern{kindFor[D](), []kind{kindFor[A]()}, func(d reg, a []reg) step { return each1(f)(d, a[0]) }}
}

func ext2[D, A, B any](f func(A, B) D) extern {
	return extern{kindFor[D](), []kind{kindFor[A](), kindFor[B]()}, func(d reg, a []reg) step {
		return func(fr *frame) {
			to, x, y := row[D](fr, d), row[A](fr, a[0]), row[B](fr, a[1])
			fr.w.inParts(len(to), func(i, j int) { zip(to[i:j], partOf(x, i, j), partOf(y, i, j), f) })
		}
	}}
}

func ext3[D, A, B, C any](f func(A, B, C) D) extern {
	return extern{kindFor[D](), []kind{kindFor[A](), kindFor[B](), kindFor[C]()}, func(d reg, a []reg) step {
		return func(fr *frame) {
			zip3(row[D](fr, d), row[A](fr, a[0]), row[B](fr, a[1]), row[C](fr, a[2]), f)
		}
	}}
}

func ext4[T any](f func(a, b, c, e T) T) extern {
	k := kindFor[T]()
	return extern{k, []kind{k, k, k, k}, func(d reg, a []reg) step {
		return func(fr *frame) {
			w, x, y, z := row[T](fr, a[0]), row[T](fr, a[1]), row[T](fr, a[2]), row[T](fr, a[3])
			out := row[T](fr, d)
			mw, mx, my, mz := spread(w, len(out)), spread(x, len(out)), spread(y, len(out)),
				spread(z, len(out))
			for i := range out {
				out[i] = f(w[i&mw], x[i&mx], y[i&my], z[i&mz])
			}
		}
	}}
}

// libdevice is NVIDIA's device library by symbol, without its prefix.
var libdevice = map[string]extern{}

// both adds the float64 and, computed in float64, the float32 form of a function: name and name + "f".
func both(name string, f func(float64) float64) {
	libdevice[name] = ext1(f)
	libdevice[name+"f"] = ext1(by64(f))
}

func both2(name string, f func(a, b float64) float64) {
	libdevice[name] = ext2(f)
	libdevice[name+"f"] = ext2(by64x2(f))
}

func both3(name string, f func(a, b, c float64) float64) {
	libdevice[name] = ext3(f)
	libdevice[name+"f"] = ext3(func(a, b, c float32) float32 {
		return float32(f(float64(a), float64(b), float64(c)))
	})
}

func both4(name string, f func(a, b, c, d float64) float64) {
	libdevice[name] = ext4(f)
	libdevice[name+"f"] = ext4(func(a, b, c, d float32) float32 {
		return float32(f(float64(a), float64(b), float64(c), float64(d)))
	})
}

// bothInt enters a function of a float and an integer under its float64 and its float32 name.
func bothInt(name string, f func(x float64, n int32) float64) {
	libdevice[name] = ext2(f)
	libdevice[name+"f"] = ext2(func(x float32, n int32) float32 { return float32(f(float64(x), n)) })
}

// intBoth enters a function of an integer and a float under its float64 and its float32 name.
func intBoth(name string, f func(n int, x float64) float64) {
	libdevice[name] = ext2(func(n int32, x float64) float64 { return f(int(n), x) })
	libdevice[name+"f"] = ext2(func(n int32, x float32) float32 { return float32(f(int(n), float64(x))) })
}

func init() {
	for name, f := range map[string]func(float64) float64{
		"fabs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc,
		"rint": math.RoundToEven, "nearbyint": math.RoundToEven, "round": math.Round, "sqrt": math.Sqrt,
		"rsqrt": rsqrt64, "cbrt": math.Cbrt, "rcbrt": func(x float64) float64 { return 1 / math.Cbrt(x) },
		"exp": math.Exp, "exp2": math.Exp2, "exp10": exp10, "expm1": math.Expm1,
		"log": log64, "log2": log2, "log10": log10, "log1p": math.Log1p, "logb": math.Logb,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "sinpi": sinPi, "cospi": cosPi,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh,
		"atanh": math.Atanh, "j0": math.J0, "j1": j1, "y0": math.Y0, "y1": math.Y1,
		"cyl_bessel_i0": besselI0, "cyl_bessel_i1": besselI1, "erf": math.Erf, "erfc": math.Erfc,
		"erfinv": math.Erfinv, "erfcinv": erfcInv, "erfcx": erfcx, "normcdf": normCDF,
		"normcdfinv": normCDFInv, "lgamma": lgamma, "tgamma": math.Gamma,
	} {
		both(name, f)
	}
	for name, f := range map[string]func(a, b float64) float64{
		"copysign": math.Copysign, "atan2": math.Atan2, "hypot": math.Hypot, "fmod": math.Mod,
		"remainder": math.Remainder, "pow": pow64, "fdim": fdim, "rhypot": func(a, b float64) float64 {
			return 1 / math.Hypot(a, b)
		},
	} {
		both2(name, f)
	}
	for name, f := range map[string]func(float64) float64{
		"exp": exp64, "exp10": exp10Exact, "sin": sin64, "cos": cos64, "tan": tan64, "acos": acos64,
		"sinh": sinh64, "cosh": cosh64,
	} {
		libdevice[name] = ext1(f)
	}
	libdevice["pow"] = ext2(powExact)
	both3("norm3d", norm3)
	both3("rnorm3d", func(a, b, c float64) float64 { return 1 / norm3(a, b, c) })
	both4("norm4d", norm4)
	both4("rnorm4d", func(a, b, c, d float64) float64 { return 1 / norm4(a, b, c, d) })
	for _, name := range []string{"ldexp", "scalbn"} {
		bothInt(name, func(x float64, n int32) float64 { return math.Ldexp(x, int(n)) })
	}
	bothInt("powi", func(x float64, n int32) float64 { return powi(x, int64(n)) })
	intBoth("jn", math.Jn)
	intBoth("yn", math.Yn)
	libdevice["nextafter"], libdevice["nextafterf"] = ext2(nextAfter), ext2(nextAfter32)
	libdevice["fma"], libdevice["fmaf"] = ext3(fma64), ext3(fma32)
	libdevice["saturatef"] = ext1(func(x float32) float32 { return minNum(maxNum(x, 0), 1) })
	libdevice["rcp64h"] = ext1(func(x float64) float64 {
		return math.Float64frombits(math.Float64bits(1/x) >> 32 << 32)
	})
	addFast()
	addQuestions()
	addInts()
	addBits()
	addDirected()
}

// addFast adds the functions that the GPU approximates; here they are as good as any.
func addFast() {
	for name, f := range map[string]func(float64) float64{
		"sinf": math.Sin, "cosf": math.Cos, "tanf": math.Tan, "expf": math.Exp, "exp10f": exp10,
		"logf": log64, "log2f": log2, "log10f": log10,
	} {
		libdevice["fast_"+name] = ext1(by64(f))
	}
	libdevice["fast_powf"] = ext2(by64x2(pow64))
	libdevice["fast_fdividef"] = ext2(func(a, b float32) float32 { return a / b })
	libdevice["frsqrt_rn"] = ext1(by64(rsqrt64))
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// addQuestions adds the functions from floats to integers that are no conversions.
func addQuestions() {
	for name, f := range map[string]func(float64) int32{
		"isnan":   func(x float64) int32 { return truth(x != x) },
		"isinf":   func(x float64) int32 { return truth(math.IsInf(x, 0)) },
		"signbit": func(x float64) int32 { return truth(math.Signbit(x)) },
	} {
		libdevice[name+"d"] = ext1(f)
		libdevice[name+"f"] = ext1(func(x float32) int32 { return f(float64(x)) })
	}
	libdevice["isfinited"] = ext1(func(x float64) int32 { return truth(isFinite64(x)) })
	libdevice["finitef"] = ext1(func(x float32) int32 { return truth(isFinite64(float64(x))) })
	libdevice["ilogb"] = ext1(ilogb)
	libdevice["ilogbf"] = ext1(func(x float32) int32 { return ilogb(float64(x)) })
	to64 := toSigned(kI64, math.MinInt64)
	libdevice["llrint"] = ext1(func(x float64) int64 { return to64(math.RoundToEven(x)) })
	libdevice["llrintf"] = ext1(func(x float32) int64 { return to64(math.RoundToEven(float64(x))) })
	libdevice["llround"] = ext1(func(x float64) int64 { return to64(math.Round(x)) })
	libdevice["llroundf"] = ext1(func(x float32) int64 { return to64(math.Round(float64(x))) })
}

func ilogb(x float64) int32 {
	switch {
	case x == 0 || x != x:
		return math.MinInt32
	case math.IsInf(x, 0):
		return math.MaxInt32
	}
	return int32(math.Ilogb(x))
}

func addInts() {
	libdevice["abs"] = ext1(abs[int32])
	libdevice["llabs"] = ext1(abs[int64])
	libdevice["mulhi"], libdevice["umulhi"] = ext2(shi32), ext2(hi32)
	libdevice["mul64hi"], libdevice["umul64hi"] = ext2(shi64), ext2(hi64)
	libdevice["mul24"] = ext2(func(a, b int32) int32 { return (a << 8 >> 8) * (b << 8 >> 8) })
	libdevice["umul24"] = ext2(func(a, b uint32) uint32 { return (a & 0xffffff) * (b & 0xffffff) })
	libdevice["hadd"] = ext2(func(a, b int32) int32 { return int32((int64(a) + int64(b)) >> 1) })
	libdevice["rhadd"] = ext2(func(a, b int32) int32 { return int32((int64(a) + int64(b) + 1) >> 1) })
	libdevice["uhadd"] = ext2(func(a, b uint32) uint32 { return uint32((uint64(a) + uint64(b)) >> 1) })
	libdevice["urhadd"] = ext2(func(a, b uint32) uint32 { return uint32((uint64(a) + uint64(b) + 1) >> 1) })
	libdevice["sad"] = ext3(func(a, b int32, c uint32) int32 {
		return int32(uint32(abs(int64(a)-int64(b))) + c)
	})
	libdevice["usad"] = ext3(func(a, b, c uint32) uint32 { return max(a, b) - min(a, b) + c })
}

func addBits() {
	libdevice["clz"] = ext1(func(x uint32) int32 { return int32(bits.LeadingZeros32(x)) })
	libdevice["clzll"] = ext1(func(x uint64) int32 { return int32(bits.LeadingZeros64(x)) })
	libdevice["popc"] = ext1(func(x uint32) int32 { return int32(bits.OnesCount32(x)) })
	libdevice["popcll"] = ext1(func(x uint64) int32 { return int32(bits.OnesCount64(x)) })
	libdevice["brev"] = ext1(bits.Reverse32)
	libdevice["brevll"] = ext1(bits.Reverse64)
	libdevice["ffs"] = ext1(func(x uint32) int32 { return int32((bits.TrailingZeros32(x) + 1) % 33) })
	libdevice["ffsll"] = ext1(func(x uint64) int32 { return int32((bits.TrailingZeros64(x) + 1) % 65) })
	libdevice["byte_perm"] = ext3(bytePerm)
	for _, name := range []string{"float_as_int", "float_as_uint"} {
		libdevice[name] = ext1(math.Float32bits)
	}
	for _, name := range []string{"int_as_float", "uint_as_float"} {
		libdevice[name] = ext1(math.Float32frombits)
	}
	libdevice["double_as_longlong"] = ext1(math.Float64bits)
	libdevice["longlong_as_double"] = ext1(math.Float64frombits)
	libdevice["double2loint"] = ext1(func(x float64) uint32 { return uint32(math.Float64bits(x)) })
	libdevice["double2hiint"] = ext1(func(x float64) uint32 { return uint32(math.Float64bits(x) >> 32) })
	libdevice["hiloint2double"] = ext2(func(hi, lo uint32) float64 {
		return math.Float64frombits(uint64(hi)<<32 | uint64(lo))
	})
}

// bytePerm picks four of the eight bytes of two words.
func bytePerm(x, y, s uint32) uint32 {
	both := uint64(y)<<32 | uint64(x)
	var r uint32
	for i := range 4 {
		r |= uint32(both>>(8*(s>>(4*i)&7))&0xff) << (8 * i)
	}
	return r
}

// findExtern knows NVIDIA's symbols, and AMD's symbols that are named after them.
func findExtern(symbol string) (extern, bool) {
	if name, ok := strings.CutPrefix(symbol, "__nv_"); ok {
		e, ok := libdevice[name]
		return e, ok
	}
	if name, ok := strings.CutPrefix(symbol, "__ocml_"); ok {
		if base, is32 := strings.CutSuffix(name, "_f32"); is32 {
			e, ok := libdevice[base+"f"]
			return e, ok
		}
		e, ok := libdevice[strings.TrimSuffix(name, "_f64")]
		return e, ok
	}
	return extern{}, false
}

func lowerExtern(c *compiler, op *ir.Op) step {
	symbol := op.Text("symbol")
	e, ok := findExtern(symbol)
	if !ok {
		return c.errorf(op, "function %q of library %q is not known", symbol, op.Text("libname"))
	}
	d, args := c.out(op.Result(0)), c.ins(op)
	fits := d.kind == e.ret && !d.small() && len(args) == len(e.args)
	regs := make([]reg, len(args))
	for i, a := range args {
		regs[i] = a.reg
		fits = fits && a.kind == e.args[i] && !a.small()
	}
	if !fits {
		return c.errorf(op, "function %q does not take these types", symbol)
	}
	return e.step(d.reg, regs)
}

var externOps = map[*ir.OpDef]lowering{tt.ExternElementwise: lowerExtern}
