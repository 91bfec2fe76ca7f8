package mathlib

import (
	"fmt"
	"math"
	"strings"
)

// The functions of device libraries on CPUs, by NVIDIA's symbol without its prefix. Types are letters: f
// and d floats, i and l integers of 32 and 64 bits.

// device is one function: its types, the result's first, the precision of the builder it gets, and its value.
type device struct {
	types string
	prec  Prec
	f     builder
}

var letters = map[byte]string{'f': "float", 'd': "double", 'i': "i32", 'l': "i64"}

var devices = map[string]device{}

func addDevices() {
	for _, add := range []func(){addDeviceMath, addDeviceTests, addDeviceInts, addDeviceBits, addDirected,
		addDirectedCasts} {
		add()
	}
}

// Device returns a function of NVIDIA's or AMD's device library by its symbol.
func (l *Library) Device(symbol string, lanes int) (*Func, error) {
	name := deviceName(symbol)
	d, known := devices[name]
	if !known {
		return nil, fmt.Errorf("mathlib: no function %q", symbol)
	}
	return l.device(name, d, lanes), nil
}

// HasDevice reports whether Device knows a symbol.
func HasDevice(symbol string) bool {
	_, known := devices[deviceName(symbol)]
	return known
}

// ocml has the functions of AMD's library that NVIDIA's has under another name.
var ocml = map[string]string{"i0": "cyl_bessel_i0", "i1": "cyl_bessel_i1", "pown": "powi"}

// deviceName returns the name in devices of a symbol, __nv_expf or __ocml_exp_f32, or "".
func deviceName(symbol string) string {
	if name, ok := strings.CutPrefix(symbol, "__nv_"); ok {
		return name
	}
	amd, ok := strings.CutPrefix(symbol, "__ocml_")
	base, single := strings.CutSuffix(amd, "_f32")
	base, double := strings.CutSuffix(base, "_f64")
	if !ok || single == double {
		return ""
	}
	if other := ocml[base]; other != "" {
		base = other
	}
	if _, ends := devices[base+"d"]; double && ends { // isnand
		return base + "d"
	}
	if single {
		return base + "f"
	}
	return base
}

func (l *Library) device(name string, d device, lanes int) *Func {
	full := fmt.Sprintf("nereid.device.%s.%d", name, lanes)
	if f := l.funcs[full]; f != nil {
		return f
	}
	m := l.builder(d.prec, lanes)
	f := &Func{Name: full, Result: Vector(letters[d.types[0]], lanes)}
	var args, params []string
	for i := range len(d.types) - 1 {
		f.Params = append(f.Params, Vector(letters[d.types[i+1]], lanes))
		args = append(args, fmt.Sprintf("%%a%d", i))
		params = append(params, f.Params[i]+" "+args[i])
	}
	l.funcs[full] = f
	r := d.f(m, args)
	l.bodies = append(l.bodies, fmt.Sprintf("define internal %s @%s(%s) %s {\nentry:\n%s\n  ret %s %s\n}\n",
		f.Result, full, strings.Join(params, ", "), l.attrs, strings.Join(m.lines, "\n"), f.Result, r))
	return f
}

// vec is a vector of the builder's lanes.
func (m *Builder) vec(elem string) string { return Vector(elem, m.lanes) }

// cast converts: "sext", "fptrunc" and so on.
func (m *Builder) cast(op, from, a, to string) string {
	return m.val("%s %s %s to %s", op, m.vec(from), a, m.vec(to))
}

// whole is arithmetic on integers of a type; b is a value or a constant.
func (m *Builder) whole(op, elem, a string, b any) string {
	if c, ok := b.(int64); ok {
		b = splat(elem, fmt.Sprint(c), m.lanes)
	}
	return m.val("%s %s %s, %v", op, m.vec(elem), a, b)
}

// onWhole calls an intrinsic on integers.
func (m *Builder) onWhole(name, elem string, a string, flag bool) string {
	full := name + "." + Suffix(elem, m.lanes)
	if !flag {
		return m.call(m.vec(elem), full, m.vec(elem)+" "+a)
	}
	m.lib.declares[full] = fmt.Sprintf("declare %s @%s(%s, i1)", m.vec(elem), full, m.vec(elem))
	return m.val("call %s @%s(%s %s, i1 false)", m.vec(elem), full, m.vec(elem), a)
}

// both adds a function in both precisions: d for each letter of types becomes f in the single one, whose
// name ends with f.
func both(name, types string, f builder) {
	devices[name] = device{types, F64, f}
	devices[name+"f"] = device{strings.ReplaceAll(types, "d", "f"), F32, f}
}

// named is a function of this package's.
func named(name string) builder {
	return func(m *Builder, a []string) string { return m.fn(name, a...) }
}

func addDeviceMath() {
	for _, n := range Names() {
		if n == "sigmoid" || n == "saturate" || n == "jn" || n == "yn" {
			continue
		}
		both(n, strings.Repeat("d", 1+Arity(n)), named(n))
	}
	both("nearbyint", "dd", named("rint"))
	both("copysign", "ddd", func(m *Builder, a []string) string { return m.sign(a[0], a[1]) })
	both("fma", "dddd", func(m *Builder, a []string) string { return m.fma(a[0], a[1], a[2]) })
	both("fmin", "ddd", func(m *Builder, a []string) string { return m.min(a[0], a[1]) })
	both("fmax", "ddd", func(m *Builder, a []string) string { return m.max(a[0], a[1]) })
	for _, n := range []string{"ldexp", "scalbn"} {
		both(n, "ddi", func(m *Builder, a []string) string { return m.ldexp(a[0], a[1]) })
	}
	both("powi", "ddi", func(m *Builder, a []string) string { return m.powi(a[0], a[1]) })
	for _, n := range []string{"jn", "yn"} {
		both(n, "did", func(m *Builder, a []string) string { return m.fn(n, m.fromInt(a[0]), a[1]) })
	}
	devices["saturatef"] = device{"ff", F32, named("saturate")}
	devices["rcp64h"] = device{"dd", F64, func(m *Builder, a []string) string {
		return m.float(m.ib("and", m.bits(m.rcp(a[0])), int64(-1)<<32))
	}}
	for _, n := range strings.Fields("sin cos tan exp exp10 log log2 log10 pow") {
		devices["fast_"+n+"f"] = devices[n+"f"]
	}
	devices["fast_fdividef"] = device{"fff", F32, func(m *Builder, a []string) string {
		return m.div(a[0], a[1])
	}}
	devices["frsqrt_rn"] = device{"ff", F32, func(m *Builder, a []string) string {
		wide := m.cast("fpext", "float", a[0], "double")
		return m.cast("fptrunc", "double", m.val("%s", m.lib.fn("rsqrt", F64, m.lanes).Call(wide)), "float")
	}}
}

// ldexp is x·2^n for any n, rounded once: first a step that stays normal, as far as that goes, then what is
// left.
func (m *Builder) ldexp(x, n string) string {
	limit := pick(m, 300, 2200)
	n = m.limitN(n, -limit, limit)
	step := pick(m, 100, 1000)
	for range 2 {
		low := m.i32("sub", m.k(2-m.bias()), m.exponent(x)) // down only as far as the number stays normal
		low = m.limitN(low, -step, 0)
		k := m.limitN(n, -step, step)
		k = m.selN(m.val("icmp sgt %s %s, %s", m.n, k, low), k, low)
		x = m.mul(x, m.pow2(k))
		n = m.i32("sub", n, k)
	}
	most := pick(m, 126, 1022)
	return m.mul(x, m.pow2(m.limitN(n, -most, most)))
}

func (m *Builder) limitN(n string, lo, hi int) string {
	n = m.selN(m.isN("slt", n, lo), m.k(lo), n)
	return m.selN(m.isN("sgt", n, hi), m.k(hi), n)
}

// powi is x^n, in double precision.
func (m *Builder) powi(x, n string) string {
	y := m.cast("sitofp", "i32", n, "double")
	if m.prec == F64 {
		return m.fn("pow", x, y)
	}
	wide := m.cast("fpext", "float", x, "double")
	return m.cast("fptrunc", "double", m.val("%s", m.lib.fn("pow", F64, m.lanes).Call(wide, y)), "float")
}

func addDeviceTests() {
	truth := func(m *Builder, a string) string { return m.cast("zext", "i1", a, "i32") }
	for name, f := range map[string]builder{
		"isnan": func(m *Builder, a []string) string { return truth(m, m.isNaN(a[0])) },
		"isinf": func(m *Builder, a []string) string { return truth(m, m.isInf(a[0])) },
		"isfinite": func(m *Builder, a []string) string {
			return truth(m, m.is("olt", m.abs(a[0]), m.c(math.Inf(1))))
		},
		"finite": func(m *Builder, a []string) string {
			return truth(m, m.is("olt", m.abs(a[0]), m.c(math.Inf(1))))
		},
		"signbit": func(m *Builder, a []string) string { return truth(m, m.negative(a[0])) },
	} {
		devices[name+"d"] = device{"id", F64, f}
		devices[name+"f"] = device{"if", F32, f}
	}
	ilogb := func(m *Builder, a []string) string {
		e := m.selN(m.isInf(a[0]), m.k(math.MaxInt32), m.exponent(a[0]))
		return m.selN(m.is("ueq", a[0], m.c(0)), m.k(math.MinInt32), e)
	}
	devices["ilogb"], devices["ilogbf"] = device{"id", F64, ilogb}, device{"if", F32, ilogb}
}

func addDeviceInts() {
	add := func(name, types string, f builder) { devices[name] = device{types, F32, f} }
	upper := func(ext, elem, wide string, bits int64) builder {
		return func(m *Builder, a []string) string {
			p := m.whole("mul", wide, m.cast(ext, elem, a[0], wide), m.cast(ext, elem, a[1], wide))
			return m.cast("trunc", wide, m.whole("lshr", wide, p, bits), elem)
		}
	}
	add("mulhi", "iii", upper("sext", "i32", "i64", 32))
	add("umulhi", "iii", upper("zext", "i32", "i64", 32))
	add("mul64hi", "lll", upper("sext", "i64", "i128", 64))
	add("umul64hi", "lll", upper("zext", "i64", "i128", 64))
	half := func(ext, shift string, more int64) builder {
		return func(m *Builder, a []string) string {
			s := m.whole("add", "i64", m.cast(ext, "i32", a[0], "i64"), m.cast(ext, "i32", a[1], "i64"))
			return m.cast("trunc", "i64", m.whole(shift, "i64", m.whole("add", "i64", s, more), int64(1)),
				"i32")
		}
	}
	add("hadd", "iii", half("sext", "ashr", 0))
	add("rhadd", "iii", half("sext", "ashr", 1))
	add("uhadd", "iii", half("zext", "lshr", 0))
	add("urhadd", "iii", half("zext", "lshr", 1))
	add("abs", "ii", func(m *Builder, a []string) string { return m.onWhole("llvm.abs", "i32", a[0], true) })
	add("llabs", "ll", func(m *Builder, a []string) string {
		return m.onWhole("llvm.abs", "i64", a[0], true)
	})
	add("mul24", "iii", func(m *Builder, a []string) string {
		low := func(x string) string { return m.i32("ashr", m.i32("shl", x, 8), 8) }
		return m.i32("mul", low(a[0]), low(a[1]))
	})
	add("umul24", "iii", func(m *Builder, a []string) string {
		return m.i32("mul", m.i32("and", a[0], 0xffffff), m.i32("and", a[1], 0xffffff))
	})
	sad := func(pred string) builder {
		return func(m *Builder, a []string) string {
			more := m.val("icmp %s %s %s, %s", pred, m.n, a[0], a[1])
			return m.i32("add", m.selN(more, m.i32("sub", a[0], a[1]), m.i32("sub", a[1], a[0])), a[2])
		}
	}
	add("sad", "iiii", sad("sgt"))
	add("usad", "iiii", sad("ugt"))
}

func addDeviceBits() {
	add := func(name, types string, f builder) { devices[name] = device{types, F32, f} }
	count := func(name, elem string, flag bool) builder {
		return func(m *Builder, a []string) string {
			r := m.onWhole(name, elem, a[0], flag)
			if elem == "i64" {
				return m.cast("trunc", "i64", r, "i32")
			}
			return r
		}
	}
	add("clz", "ii", count("llvm.ctlz", "i32", true))
	add("clzll", "il", count("llvm.ctlz", "i64", true))
	add("popc", "ii", count("llvm.ctpop", "i32", false))
	add("popcll", "il", count("llvm.ctpop", "i64", false))
	add("brev", "ii", func(m *Builder, a []string) string {
		return m.onWhole("llvm.bitreverse", "i32", a[0], false)
	})
	add("brevll", "ll", func(m *Builder, a []string) string {
		return m.onWhole("llvm.bitreverse", "i64", a[0], false)
	})
	ffs := func(elem string) builder {
		trailing := count("llvm.cttz", elem, true)
		return func(m *Builder, a []string) string {
			none := m.val("icmp eq %s %s, %s", m.vec(elem), a[0], splat(elem, "0", m.lanes))
			return m.selN(none, m.k(0), m.i32("add", trailing(m, a), 1))
		}
	}
	add("ffs", "ii", ffs("i32"))
	add("ffsll", "il", ffs("i64"))
	add("byte_perm", "iiii", func(m *Builder, a []string) string {
		high := m.whole("shl", "i64", m.cast("zext", "i32", a[1], "i64"), int64(32))
		bytes := m.whole("or", "i64", high, m.cast("zext", "i32", a[0], "i64"))
		r := m.k(0)
		for i := range 4 { // each digit has three bits
			digit := m.i32("and", m.i32("lshr", a[2], 4*i), 7)
			shift := m.cast("zext", "i32", m.i32("shl", digit, 3), "i64")
			one := m.cast("trunc", "i64", m.whole("and", "i64", m.whole("lshr", "i64", bytes, shift),
				int64(0xff)), "i32")
			r = m.i32("or", r, m.i32("shl", one, 8*i))
		}
		return r
	})
	as := func(from, to string) builder {
		return func(m *Builder, a []string) string { return m.cast("bitcast", from, a[0], to) }
	}
	for name, types := range map[string]string{"float_as_int": "if", "float_as_uint": "if",
		"int_as_float": "fi", "uint_as_float": "fi", "double_as_longlong": "ld", "longlong_as_double": "dl"} {
		add(name, types, as(letters[types[1]], letters[types[0]]))
	}
	add("double2loint", "id", func(m *Builder, a []string) string {
		return m.cast("trunc", "i64", m.cast("bitcast", "double", a[0], "i64"), "i32")
	})
	add("double2hiint", "id", func(m *Builder, a []string) string {
		return m.cast("trunc", "i64", m.whole("lshr", "i64", m.cast("bitcast", "double", a[0], "i64"),
			int64(32)), "i32")
	})
	add("hiloint2double", "dii", func(m *Builder, a []string) string {
		high := m.whole("shl", "i64", m.cast("zext", "i32", a[0], "i64"), int64(32))
		return m.cast("bitcast", "i64", m.whole("or", "i64", high, m.cast("zext", "i32", a[1], "i64")),
			"double")
	})
}
