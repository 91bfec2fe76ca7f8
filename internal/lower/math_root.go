package lower

import (
	"math"

	"github.com/nereid-lang/nereid/internal/ir"
)

var rootFuncs = map[string]mathFunc{
	"rsqrt": func(m *mathBuilder, a []string) string {
		if m.t == ir.F32 {
			return m.call("float", "llvm.nvvm.rsqrt.approx.f", "float "+a[0])
		}
		y := m.rcp(m.sqrt(a[0])) // 1 ulp; one step of Newton's makes it half
		e := m.fma(m.mul(y, a[0]), m.neg(y), m.c(1))
		better := m.fma(m.mul(y, m.c(0.5)), e, y)
		return m.sel(m.is("olt", m.abs(e), m.c(1)), better, y)
	},
	"cbrt": func(m *mathBuilder, a []string) string {
		v, x := m.cubeRoot(a[0])
		// x of v³ less v² less: Newton's step once more, exactly.
		sq, low := m.twoProd(v, v)
		r := m.fma(m.neg(sq), v, x)
		r = m.fma(m.neg(low), v, r)
		v = m.add(v, m.div(r, m.mul(m.c(3), sq)))
		return m.rootEnd(a[0], v, false)
	},
	"rcbrt": func(m *mathBuilder, a []string) string {
		v, x := m.cubeRoot(a[0])
		sq, low := m.twoProd(v, v)
		r := m.fma(m.neg(low), v, m.fma(m.neg(sq), v, x))
		y := m.rcp(v)
		// 1/(v+d) = y - y²·d, d = r/(3v²)
		d := m.div(r, m.mul(m.c(3), sq))
		e := m.fma(m.neg(y), v, m.c(1))
		return m.rootEnd(a[0], m.fma(y, m.fma(m.neg(y), d, e), y), true)
	},
	"hypot":   func(m *mathBuilder, a []string) string { return m.norm(a, false) },
	"rhypot":  func(m *mathBuilder, a []string) string { return m.norm(a, true) },
	"norm3d":  func(m *mathBuilder, a []string) string { return m.norm(a, false) },
	"rnorm3d": func(m *mathBuilder, a []string) string { return m.norm(a, true) },
	"norm4d":  func(m *mathBuilder, a []string) string { return m.norm(a, false) },
	"rnorm4d": func(m *mathBuilder, a []string) string { return m.norm(a, true) },
}

// cubeRoot is the cube root of |x|, scaled, nearly: v³ = y with x = ±y·2^(3k). The scale is put back by rootEnd.
func (m *mathBuilder) cubeRoot(x string) (v, y string) {
	y = m.mantissa3(x)
	// 2^(log2(y)/3) to single precision, then a step of Halley's: v·(v³+2y)/(2v³+y).
	lg := m.lg2approx(y)
	v = m.ex2approx(m.mulF32(lg, 1.0/3))
	for range pick(m, 1, 2) {
		c := m.mul(m.mul(v, v), v)
		v = m.mul(v, m.div(m.fma(m.c(2), y, c), m.fma(m.c(2), c, y)))
	}
	return v, y
}

// mantissa3 is |x| scaled by 2^(-3k) into [1, 8).
func (m *mathBuilder) mantissa3(x string) string {
	y, _ := m.scaled3(x)
	return y
}

func (m *mathBuilder) scaled3(x string) (y, k string) {
	abs := m.abs(x)
	tiny := m.is("olt", abs, m.c(pick(m, 0x1p-126, 0x1p-1022)))
	up := pick(m, 30, 60)
	abs = m.sel(tiny, m.mul(abs, m.c(math.Ldexp(1, up))), abs)
	b := m.bits(abs)
	e := m.ib("lshr", b, m.manBits())
	if m.i == "i64" {
		e = m.val("trunc i64 %s to i32", e)
	}
	e = m.i32("add", e, 3072-m.bias()) // a multiple of three more, so that the remainder is not negative
	rem := m.val("urem i32 %s, 3", e)
	k = m.val("udiv i32 %s, 3", m.i32("sub", e, rem))
	k = m.i32("sub", k, 1024)
	k = m.i32("sub", k, m.val("select i1 %s, i32 %d, i32 0", tiny, up/3))
	manMask := pick(m, int64(1)<<23-1, int64(1)<<52-1)
	man := m.float(m.ib("or", m.ib("and", b, manMask), pick(m, int64(127)<<23, int64(1023)<<52)))
	return m.mul(man, m.pow2(rem)), k
}

// rootEnd scales a cube root back and sets signs and ends.
func (m *mathBuilder) rootEnd(x, v string, reciprocal bool) string {
	_, k := m.scaled3(x)
	if reciprocal {
		k = m.i32("sub", "0", k)
	}
	v = m.mul(v, m.pow2(k))
	zero, inf := m.is("oeq", x, m.c(0)), m.isInf(x)
	atZero, atInf := m.c(0), m.c(math.Inf(1))
	if reciprocal {
		atZero, atInf = atInf, atZero
	}
	v = m.sel(zero, atZero, m.sel(inf, atInf, v))
	v = m.sign(v, x)
	return m.sel(m.isNaN(x), x, v)
}

// lg2approx and ex2approx are the hardware's, in single precision; mulF32 multiplies between them.
func (m *mathBuilder) lg2approx(x string) string {
	if m.t == ir.F64 {
		x = m.val("fptrunc double %s to float", x)
	}
	return m.call("float", "llvm.nvvm.lg2.approx.f", "float "+x)
}

func (m *mathBuilder) mulF32(x string, c float64) string {
	return m.val("fmul float %s, %s", x, f32(c))
}

func (m *mathBuilder) ex2approx(x string) string {
	y := m.call("float", "llvm.nvvm.ex2.approx.f", "float "+x)
	if m.t == ir.F64 {
		y = m.val("fpext float %s to double", y)
	}
	return y
}

// norm is the length of a vector: scaled by the exponent of the largest part, so that nothing overflows.
func (m *mathBuilder) norm(a []string, reciprocal bool) string {
	most := m.abs(a[0])
	nan := m.isNaN(a[0])
	inf := m.isInf(a[0])
	for _, x := range a[1:] {
		most = m.max(most, m.abs(x))
		nan, inf = m.or(nan, m.isNaN(x)), m.or(inf, m.isInf(x))
	}
	// 2^-e for the exponent e of the largest, kept in the middle of the range.
	expMask := pick(m, int64(0xff)<<23, int64(0x7ff)<<52)
	e := m.ib("and", m.bits(most), expMask)
	low, high := pick(m, int64(4)<<23, int64(4)<<52), pick(m, int64(250)<<23, int64(2042)<<52)
	e = m.val("select i1 %s, %s %d, %s %s", m.val("icmp ult %s %s, %d", m.i, e, low), m.i, low, m.i, e)
	e = m.val("select i1 %s, %s %d, %s %s", m.val("icmp ugt %s %s, %d", m.i, e, high), m.i, high, m.i, e)
	one := pick(m, int64(254)<<23, int64(2046)<<52)
	down := m.float(m.val("sub %s %d, %s", m.i, one, e))
	up := m.float(e)
	sum, lost := m.c(0), m.c(0)
	for _, x := range a {
		s := m.mul(x, down)
		p, q := m.twoProd(s, s)
		hi, lo := m.twoSum(sum, p)
		sum, lost = hi, m.add(lost, m.add(lo, q))
	}
	sum = m.add(sum, lost)
	var v string
	if reciprocal {
		v = m.mul(m.rcp(m.sqrt(sum)), down)
		v = m.sel(m.is("oeq", most, m.c(0)), m.c(math.Inf(1)), v)
		v = m.sel(nan, m.c(math.NaN()), v)
		return m.sel(inf, m.c(0), v)
	}
	v = m.mul(m.sqrt(sum), up)
	v = m.sel(nan, m.c(math.NaN()), v)
	return m.sel(inf, m.c(math.Inf(1)), v)
}
