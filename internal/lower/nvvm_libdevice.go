package lower

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// The functions of NVIDIA's device library by symbol, without the prefix __nv_. The library is not linked:
// each function is a few instructions or a function of mathlib.

var libdevice = map[string]externFunc{}

func init() {
	for _, add := range []func(){
		addMath, addMore, addDirected, addConversions, addQuestions, addInts, addBits,
		addReinterpretations, addFast,
	} {
		add()
	}
}

func (nvidia) extern(symbol string, _ ir.Type) externFunc {
	name, ok := strings.CutPrefix(symbol, "__nv_")
	if !ok {
		return nil
	}
	return libdevice[name]
}

// addMath adds functions from floats to floats: double precision under the name, single precision with an f
// appended.
func addMath() {
	for _, name := range strings.Fields(`floor ceil trunc rint nearbyint=rint round rsqrt cbrt rcbrt
		exp exp2 exp10 expm1
		log log2 log10 log1p logb
		sin cos tan sinpi cospi asin acos atan sinh cosh tanh asinh acosh atanh j0 j1 y0 y1
		cyl_bessel_i0 cyl_bessel_i1
		erf erfc erfinv erfcinv erfcx normcdf normcdfinv lgamma tgamma
		atan2 hypot rhypot fmod remainder pow fdim nextafter norm3d rnorm3d norm4d rnorm4d`) {
		name, ours, ok := strings.Cut(name, "=")
		if !ok {
			ours = name
		}
		libdevice[name] = func(l *lowering, a []string) string { return l.mathCall(ours, ir.F64, a...) }
		libdevice[name+"f"] = func(l *lowering, a []string) string { return l.mathCall(ours, ir.F32, a...) }
	}
	for name, intrinsic := range map[string]string{"fabs": "llvm.fabs", "sqrt": "llvm.sqrt",
		"copysign": "llvm.copysign", "fma": "llvm.fma"} {
		libdevice[name] = onFloats(ir.F64, intrinsic)
		libdevice[name+"f"] = onFloats(ir.F32, intrinsic)
	}
	libdevice["sqrtf"] = func(l *lowering, a []string) string {
		return l.call("float", "llvm.nvvm.sqrt.approx.ftz.f", "float "+a[0])
	}
	libdevice["exp2f"] = func(l *lowering, a []string) string {
		return l.call("float", "llvm.nvvm.ex2.approx.ftz.f", "float "+a[0])
	}
	libdevice["rsqrtf"] = func(l *lowering, a []string) string {
		return l.call("float", "llvm.nvvm.rsqrt.approx.ftz.f", "float "+a[0])
	}
}

// addMore adds functions that take integers, and others that are not mathlib's under the same name.
func addMore() {
	libdevice["saturatef"] = func(l *lowering, a []string) string {
		return l.mathCall("saturate", ir.F32, a...)
	}
	libdevice["rcp64h"] = func(l *lowering, a []string) string {
		b := l.val("bitcast double %s to i64", l.val("fdiv double %s, %s", doubleOne, a[0]))
		return l.val("bitcast i64 %s to double", l.val("and i64 %s, -4294967296", b))
	}
	for _, name := range []string{"ldexp", "scalbn"} {
		libdevice[name], libdevice[name+"f"] = deviceFunc("__nv_"+name), deviceFunc("__nv_"+name+"f")
	}
	libdevice["powi"] = func(l *lowering, a []string) string { return l.wholePower(ir.F64, a[0], a[1]) }
	libdevice["powif"] = func(l *lowering, a []string) string { return l.wholePower(ir.F32, a[0], a[1]) }
	for name, t := range map[string]ir.Type{"pow": ir.F64, "powf": ir.F32} {
		general := libdevice[name]
		libdevice[name] = func(l *lowering, a []string) string {
			if n, ok := wholeLiteral(a[1]); ok && isProduct(n) {
				return l.wholePower(t, a[0], strconv.Itoa(n))
			}
			return general(l, a)
		}
	}
	for _, name := range []string{"jn", "yn"} {
		libdevice[name] = func(l *lowering, a []string) string {
			return l.mathCall(name, ir.F64, l.val("sitofp i32 %s to double", a[0]), a[1])
		}
		libdevice[name+"f"] = func(l *lowering, a []string) string {
			return l.mathCall(name, ir.F32, l.val("sitofp i32 %s to float", a[0]), a[1])
		}
	}
}

// isProduct reports whether x^n is computed as a product, whose error is below that of a library's power.
func isProduct(n int) bool { return n >= 1 && n <= 4 }

// wholeLiteral returns the number of a float constant in LLVM's notation, if it is whole.
func wholeLiteral(text string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(text, "0x")
	bits, err := strconv.ParseUint(digits, 16, 64)
	v := math.Float64frombits(bits)
	return int(v), ok && err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<31
}

// wholePower returns x^n for an int32 n.
func (l *lowering) wholePower(t ir.Type, x, n string) string {
	typ := llvmType(t)
	if k, err := strconv.Atoi(n); err == nil && isProduct(k) {
		square := x
		if k > 1 {
			square = l.val("fmul %s %s, %s", typ, x, x)
		}
		switch k {
		case 1:
			return x
		case 2:
			return square
		case 3:
			return l.val("fmul %s %s, %s", typ, square, x)
		}
		return l.val("fmul %s %s, %s", typ, square, square)
	}
	// of the absolute value, since a large n is no float: whether it is odd would be lost
	size := onFloats(t, "llvm.fabs")(l, []string{x})
	power := l.mathCall("pow", t, size, l.val("sitofp i32 %s to %s", n, typ))
	odd := l.val("trunc i32 %s to i1", n)
	signed := onFloats(t, "llvm.copysign")(l, []string{power, x})
	return l.val("select i1 %s, %s %s, %s %s", odd, typ, signed, typ, power)
}

const doubleOne = "0x3FF0000000000000"

// deviceFunc returns a function that mathlib generates under its name in a device library, as for CPUs.
func deviceFunc(symbol string) externFunc {
	return func(l *lowering, a []string) string {
		f, err := l.math.Device(symbol, 1)
		if err != nil {
			panic(err) // a misspelt name in this file
		}
		return l.val("%s", f.Call(a...))
	}
}

// roundings maps the suffixes of the library's names to PTX rounding modes.
var roundings = map[string]string{"_rn": "rn", "_rz": "rz", "_rd": "rm", "_ru": "rp"}

// ptx returns a PTX instruction; out and ins are the register kinds of the result and the operands.
func ptx(code, ret, out string, ins ...string) externFunc {
	return func(l *lowering, a []string) string {
		args, constraints, operands := make([]string, len(a)), "="+out, "$0"
		for i, x := range a {
			args[i] = registerTypes[ins[i]] + " " + x
			constraints += "," + ins[i]
			operands += fmt.Sprintf(", $%d", i+1)
		}
		return l.asm(ret, code+" "+operands+";", constraints, false, args...)
	}
}

var registerTypes = map[string]string{"f": "float", "d": "double", "r": "i32", "l": "i64", "h": "i16"}

// addDirected adds arithmetic with a rounding mode.
func addDirected() {
	for suffix, mode := range roundings {
		for name, n := range map[string]int{"add": 2, "sub": 2, "mul": 2, "div": 2, "rcp": 1, "sqrt": 1} {
			libdevice["f"+name+suffix] = ptx(name+"."+mode+".f32", "float", "f", []string{"f", "f"}[:n]...)
			libdevice["d"+name+suffix] = ptx(name+"."+mode+".f64", "double", "d", []string{"d", "d"}[:n]...)
		}
		libdevice["fmaf"+suffix] = ptx("fma."+mode+".f32", "float", "f", "f", "f", "f")
		libdevice["fma"+suffix] = ptx("fma."+mode+".f64", "double", "d", "d", "d", "d")
	}
	libdevice["frsqrt_rn"] = func(l *lowering, a []string) string {
		d := l.mathCall("rsqrt", ir.F64, l.val("fpext float %s to double", a[0]))
		return l.val("fptrunc double %s to float", d)
	}
}

// addConversions adds conversions with a rounding mode.
func addConversions() {
	whole := map[string]string{"_rn": "rni", "_rz": "rzi", "_rd": "rmi", "_ru": "rpi"}
	type integer struct{ name, ptx, ret, reg string }
	ints := []integer{{"int", "s32", "i32", "r"}, {"uint", "u32", "i32", "r"}, {"ll", "s64", "i64", "l"},
		{"ull", "u64", "i64", "l"}}
	for suffix, mode := range roundings {
		libdevice["double2float"+suffix] = ptx("cvt."+mode+".f32.f64", "float", "f", "d")
		for _, n := range ints {
			libdevice["float2"+n.name+suffix] = ptx("cvt."+whole[suffix]+"."+n.ptx+".f32", n.ret, n.reg, "f")
			libdevice["double2"+n.name+suffix] = ptx("cvt."+whole[suffix]+"."+n.ptx+".f64", n.ret, n.reg, "d")
			libdevice[n.name+"2float"+suffix] = ptx("cvt."+mode+".f32."+n.ptx, "float", "f", n.reg)
			libdevice[n.name+"2double"+suffix] = ptx("cvt."+mode+".f64."+n.ptx, "double", "d", n.reg)
		}
	}
	libdevice["llrintf"], libdevice["llrint"] = libdevice["float2ll_rn"], libdevice["double2ll_rn"]
	libdevice["llround"] = func(l *lowering, a []string) string {
		return libdevice["double2ll_rz"](l, []string{l.mathCall("round", ir.F64, a[0])})
	}
	libdevice["llroundf"] = func(l *lowering, a []string) string {
		return libdevice["float2ll_rz"](l, []string{l.mathCall("round", ir.F32, a[0])})
	}
}

// addQuestions adds classifications of floats, such as isnan, and ilogb.
func addQuestions() {
	for _, t := range []struct {
		typ  ir.Type
		end  string
		bits int
	}{{ir.F32, "f", 32}, {ir.F64, "d", 64}} {
		ft := llvmType(t.typ)
		inf := literal(t.typ.(*ir.FloatType).Format.Overflow(), t.typ)
		truth := func(l *lowering, cond string) string { return l.val("zext i1 %s to i32", cond) }
		abs := onFloats(t.typ, "llvm.fabs")
		libdevice["isnan"+t.end] = func(l *lowering, a []string) string {
			return truth(l, l.val("fcmp uno %s %s, %s", ft, a[0], a[0]))
		}
		libdevice["isinf"+t.end] = func(l *lowering, a []string) string {
			return truth(l, l.val("fcmp oeq %s %s, %s", ft, abs(l, a), inf))
		}
		finite := func(l *lowering, a []string) string {
			return truth(l, l.val("fcmp olt %s %s, %s", ft, abs(l, a), inf))
		}
		libdevice["finite"+t.end], libdevice["isfinite"+t.end] = finite, finite
		libdevice["signbit"+t.end] = func(l *lowering, a []string) string {
			b := l.val("bitcast %s %s to i%d", ft, a[0], t.bits)
			return truth(l, l.val("icmp slt i%d %s, 0", t.bits, b))
		}
	}
	libdevice["ilogb"], libdevice["ilogbf"] = deviceFunc("__nv_ilogb"), deviceFunc("__nv_ilogbf")
}

func addInts() {
	wide := func(ext string, n int, high bool) externFunc {
		return func(l *lowering, a []string) string {
			x, y := l.val("%s i%d %s to i%d", ext, n, a[0], 2*n), l.val("%s i%d %s to i%d", ext, n, a[1], 2*n)
			p := l.val("mul i%d %s, %s", 2*n, x, y)
			return l.val("trunc i%d %s to i%d", 2*n, l.val("lshr i%d %s, %d", 2*n, p, n), n)
		}
	}
	libdevice["mulhi"], libdevice["umulhi"] = wide("sext", 32, true), wide("zext", 32, true)
	libdevice["mul64hi"], libdevice["umul64hi"] = wide("sext", 64, true), wide("zext", 64, true)
	half := func(ext, shift string, more int) externFunc {
		return func(l *lowering, a []string) string {
			s := l.val("add i64 %s, %s", l.val("%s i32 %s to i64", ext, a[0]),
				l.val("%s i32 %s to i64", ext, a[1]))
			s = l.val("%s i64 %s, 1", shift, l.val("add i64 %s, %d", s, more))
			return l.val("trunc i64 %s to i32", s)
		}
	}
	libdevice["hadd"], libdevice["rhadd"] = half("sext", "ashr", 0), half("sext", "ashr", 1)
	libdevice["uhadd"], libdevice["urhadd"] = half("zext", "lshr", 0), half("zext", "lshr", 1)
	libdevice["abs"] = func(l *lowering, a []string) string {
		return l.call("i32", "llvm.abs.i32", "i32 "+a[0], "i1 false")
	}
	libdevice["llabs"] = func(l *lowering, a []string) string {
		return l.call("i64", "llvm.abs.i64", "i64 "+a[0], "i1 false")
	}
	libdevice["mul24"] = func(l *lowering, a []string) string {
		low := func(x string) string { return l.val("ashr i32 %s, 8", l.val("shl i32 %s, 8", x)) }
		return l.val("mul i32 %s, %s", low(a[0]), low(a[1]))
	}
	libdevice["umul24"] = func(l *lowering, a []string) string {
		return l.val("mul i32 %s, %s", l.val("and i32 %s, 16777215", a[0]),
			l.val("and i32 %s, 16777215", a[1]))
	}
	sad := func(pred string) externFunc {
		return func(l *lowering, a []string) string {
			d, e := l.val("sub i32 %s, %s", a[0], a[1]), l.val("sub i32 %s, %s", a[1], a[0])
			abs := l.val("select i1 %s, i32 %s, i32 %s", l.val("icmp %s i32 %s, %s", pred, a[0], a[1]), d, e)
			return l.val("add i32 %s, %s", abs, a[2])
		}
	}
	libdevice["sad"], libdevice["usad"] = sad("sgt"), sad("ugt")
}

func addBits() {
	count := func(name string, n int, extra ...string) externFunc {
		return func(l *lowering, a []string) string {
			r := l.call(fmt.Sprintf("i%d", n), fmt.Sprintf("%s.i%d", name, n),
				append([]string{fmt.Sprintf("i%d %s", n, a[0])}, extra...)...)
			if n == 64 {
				return l.val("trunc i64 %s to i32", r)
			}
			return r
		}
	}
	libdevice["clz"], libdevice["clzll"] = count("llvm.ctlz", 32, "i1 false"),
		count("llvm.ctlz", 64, "i1 false")
	libdevice["popc"], libdevice["popcll"] = count("llvm.ctpop", 32), count("llvm.ctpop", 64)
	libdevice["brev"] = func(l *lowering, a []string) string {
		return l.call("i32", "llvm.bitreverse.i32", "i32 "+a[0])
	}
	libdevice["brevll"] = func(l *lowering, a []string) string {
		return l.call("i64", "llvm.bitreverse.i64", "i64 "+a[0])
	}
	ffs := func(n int) externFunc {
		trailing := count("llvm.cttz", n, "i1 false")
		return func(l *lowering, a []string) string {
			at := l.val("add i32 %s, 1", trailing(l, a))
			return l.val("select i1 %s, i32 0, i32 %s", l.val("icmp eq i%d %s, 0", n, a[0]), at)
		}
	}
	libdevice["ffs"], libdevice["ffsll"] = ffs(32), ffs(64)
	// selectors have three bits in the library, four in PTX
	libdevice["byte_perm"] = func(l *lowering, a []string) string {
		s := l.val("and i32 %s, %d", a[2], 0x7777)
		return ptx("prmt.b32", "i32", "r", "r", "r", "r")(l, []string{a[0], a[1], s})
	}
}

// addReinterpretations adds the functions that read bits as another type.
func addReinterpretations() {
	as := func(from, to string) externFunc {
		return func(l *lowering, a []string) string { return l.val("bitcast %s %s to %s", from, a[0], to) }
	}
	libdevice["float_as_int"], libdevice["float_as_uint"] = as("float", "i32"), as("float", "i32")
	libdevice["int_as_float"], libdevice["uint_as_float"] = as("i32", "float"), as("i32", "float")
	libdevice["double_as_longlong"], libdevice["longlong_as_double"] = as("double", "i64"),
		as("i64", "double")
	libdevice["double2loint"] = func(l *lowering, a []string) string {
		return l.val("trunc i64 %s to i32", l.val("bitcast double %s to i64", a[0]))
	}
	libdevice["double2hiint"] = func(l *lowering, a []string) string {
		return l.val("trunc i64 %s to i32", l.val("lshr i64 %s, 32", l.val("bitcast double %s to i64", a[0])))
	}
	libdevice["hiloint2double"] = func(l *lowering, a []string) string {
		hi := l.val("shl i64 %s, 32", l.val("zext i32 %s to i64", a[0]))
		return l.val("bitcast i64 %s to double",
			l.val("or i64 %s, %s", hi, l.val("zext i32 %s to i64", a[1])))
	}
}

// addFast adds the functions that the hardware approximates.
func addFast() {
	for name, in := range map[string]string{"sinf": "sin.approx.f", "cosf": "cos.approx.f",
		"log2f": "lg2.approx.f"} {
		libdevice["fast_"+name] = func(l *lowering, a []string) string {
			return l.call("float", "llvm.nvvm."+in, "float "+a[0])
		}
	}
	times := func(name string, before, after float64, in string) {
		libdevice["fast_"+name] = func(l *lowering, a []string) string {
			x := a[0]
			if before != 1 {
				x = l.val("fmul float %s, %s", x, f32(before))
			}
			x = l.call("float", "llvm.nvvm."+in, "float "+x)
			if after != 1 {
				x = l.val("fmul float %s, %s", x, f32(after))
			}
			return x
		}
	}
	times("expf", log2e, 1, "ex2.approx.f")
	times("exp10f", log2e*ln10, 1, "ex2.approx.f")
	times("logf", 1, 1/log2e, "lg2.approx.f")
	times("log10f", 1, 1/(log2e*ln10), "lg2.approx.f")
	libdevice["fast_tanf"] = func(l *lowering, a []string) string {
		return libdevice["fast_fdividef"](l, []string{libdevice["fast_sinf"](l, a),
			libdevice["fast_cosf"](l, a)})
	}
	libdevice["fast_fdividef"] = func(l *lowering, a []string) string {
		return l.call("float", "llvm.nvvm.div.approx.f", "float "+a[0], "float "+a[1])
	}
	libdevice["fast_powf"] = func(l *lowering, a []string) string {
		x := l.val("fmul float %s, %s", a[1], libdevice["fast_log2f"](l, a[:1]))
		return l.call("float", "llvm.nvvm.ex2.approx.f", "float "+x)
	}
}
