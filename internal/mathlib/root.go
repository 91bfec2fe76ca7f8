package mathlib

import "math"

var rootFuncs = map[string]builder{
	"sqrt": func(m *Builder, a []string) string { return m.sqrt(a[0]) },
	"rsqrt": func(m *Builder, a []string) string {
		if m.lib.target.NVPTX && m.prec == F32 {
			return m.call("float", "llvm.nvvm.rsqrt.approx.f", "float "+a[0])
		}
		y := m.rcp(m.sqrt(a[0])) // 1 ulp; one step of Newton's makes it half
		e := m.fma(m.mul(y, a[0]), m.neg(y), m.c(1))
		better := m.fma(m.mul(y, m.c(0.5)), e, y)
		return m.sel(m.is("olt", m.abs(e), m.c(1)), better, y)
	},
	"cbrt": func(m *Builder, a []string) string {
		v, x := m.cubeRoot(a[0])
		// x of v³ less v² less: Newton's step once more, exactly.
		sq, low := m.twoProd(v, v)
		r := m.fma(m.neg(sq), v, x)
		r = m.fma(m.neg(low), v, r)
		v = m.add(v, m.quotient(r, m.mul(m.c(3), sq)))
		return m.rootEnd(a[0], v, false)
	},
	"rcbrt": func(m *Builder, a []string) string {
		v, x := m.cubeRoot(a[0])
		sq, low := m.twoProd(v, v)
		r := m.fma(m.neg(low), v, m.fma(m.neg(sq), v, x))
		y := m.quotient(m.c(1), v)
		// 1/(v+d) = y - y²·d, d = r/(3v²)
		d := m.quotient(r, m.mul(m.c(3), sq))
		e := m.fma(m.neg(y), v, m.c(1))
		return m.rootEnd(a[0], m.fma(y, m.fma(m.neg(y), d, e), y), true)
	},
	"hypot":   func(m *Builder, a []string) string { return m.norm(a, false) },
	"rhypot":  func(m *Builder, a []string) string { return m.norm(a, true) },
	"norm3d":  func(m *Builder, a []string) string { return m.norm(a, false) },
	"rnorm3d": func(m *Builder, a []string) string { return m.norm(a, true) },
	"norm4d":  func(m *Builder, a []string) string { return m.norm(a, false) },
	"rnorm4d": func(m *Builder, a []string) string { return m.norm(a, true) },
}

// cubeRoot is the cube root of |x|, scaled, nearly: v³ = y with x = ±y·2^(3k). The scale is put back by
// rootEnd.
func (m *Builder) cubeRoot(x string) (v, y string) {
	y = m.mantissa3(x)
	// A rough start, then steps of Halley's: v·(v³+2y)/(2v³+y).
	v, steps := m.cubeRootGuess(y)
	for range steps {
		c := m.mul(m.mul(v, v), v)
		v = m.mul(v, m.quotient(m.fma(m.c(2), y, c), m.fma(m.c(2), c, y)))
	}
	return v, y
}

// cubeRootGuess is a start for the cube root of y in [1, 8), and how many steps make the last bits right:
// on GPUs by the hardware's logarithm, elsewhere by a third of the bits, which is within 3.5 %.
func (m *Builder) cubeRootGuess(y string) (v string, steps int) {
	if m.lib.target.NVPTX {
		third := m.val("fmul float %s, %s", m.lg2approx(y), hex(float64(float32(1.0/3))))
		return m.widenF32(m.call("float", "llvm.nvvm.ex2.approx.f", "float "+third)), pick(m, 1, 2)
	}
	bits := m.i32("udiv", m.bits32(y), 3)
	v = m.val("bitcast %s %s to %s", m.n, m.i32("add", bits, 709921077), Vector("float", m.lanes))
	return m.widenF32(v), pick(m, 2, 3)
}

// bits32 are the bits of x in single precision.
func (m *Builder) bits32(x string) string {
	float := Vector("float", m.lanes)
	if m.prec == F64 {
		x = m.val("fptrunc %s %s to %s", m.f, x, float)
	}
	return m.val("bitcast %s %s to %s", float, x, m.n)
}

func (m *Builder) widenF32(x string) string {
	if m.prec == F32 {
		return x
	}
	return m.val("fpext %s %s to %s", Vector("float", m.lanes), x, m.f)
}

// mantissa3 is |x| scaled by 2^(-3k) into [1, 8).
func (m *Builder) mantissa3(x string) string {
	y, _ := m.scaled3(x)
	return y
}

func (m *Builder) scaled3(x string) (y, k string) {
	abs := m.abs(x)
	tiny := m.is("olt", abs, m.c(pick(m, 0x1p-126, 0x1p-1022)))
	up := pick(m, 30, 60)
	abs = m.sel(tiny, m.mul(abs, m.c(math.Ldexp(1, up))), abs)
	b := m.bits(abs)
	e := m.ib("lshr", b, m.manBits())
	// a multiple of three more, so that the remainder is not negative
	e = m.i32("add", m.narrow(e), 3072-m.bias())
	rem := m.i32("urem", e, 3)
	k = m.i32("udiv", m.i32("sub", e, rem), 3)
	k = m.i32("sub", k, 1024)
	k = m.i32("sub", k, m.selN(tiny, m.k(up/3), m.k(0)))
	manMask := pick(m, int64(1)<<23-1, int64(1)<<52-1)
	man := m.float(m.ib("or", m.ib("and", b, manMask), pick(m, int64(127)<<23, int64(1023)<<52)))
	return m.mul(man, m.pow2(rem)), k
}

// rootEnd scales a cube root back and sets signs and ends.
func (m *Builder) rootEnd(x, v string, reciprocal bool) string {
	_, k := m.scaled3(x)
	if reciprocal {
		k = m.i32("sub", m.k(0), k)
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

// lg2approx is the logarithm of the hardware.
func (m *Builder) lg2approx(x string) string {
	if m.prec == F64 {
		x = m.val("fptrunc double %s to float", x)
	}
	return m.call("float", "llvm.nvvm.lg2.approx.f", "float "+x)
}

// norm is the length of a vector: scaled by the exponent of the largest part, so that nothing overflows.
func (m *Builder) norm(a []string, reciprocal bool) string {
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
	e = m.selBits(m.cmpBits("ult", e, m.size(low)), m.size(low), e)
	e = m.selBits(m.cmpBits("ugt", e, m.size(high)), m.size(high), e)
	one := pick(m, int64(254)<<23, int64(2046)<<52)
	down := m.float(m.ib("sub", m.size(one), e))
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
	v = m.mul(m.root(sum), up)
	v = m.sel(nan, m.c(math.NaN()), v)
	return m.sel(inf, m.c(math.Inf(1)), v)
}
