package mathlib

import "math"

// gpuFuncs are written for NVIDIA GPUs in single precision, where they come before the others. They use the
// hardware's 2^x and 1/x, which are one instruction each with a relative error below 2^-22, and they let NaN
// and infinities pass through the arithmetic, so that no lane has to test for them.
var gpuFuncs = map[string]builder{
	// At 0.55 tanh crosses ½: from there on the error of 2^x is at most 1.5 units of the last place.
	"tanh": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		z := m.mul(x, x)
		near := m.fma(m.mul(z, x), m.horner(z, tanhShort...), x)
		e := m.ex2(m.mul(x, m.c(2*math.Log2E)))
		far := m.fma(m.c(-2), m.rcpApprox(m.add(e, m.c(1))), m.c(1))
		return m.sign(m.sel(m.is("olt", x, m.c(0.55)), near, far), a[0])
	},
	"sin": sinOf((*Builder).gpuTurn), "cos": cosOf((*Builder).gpuTurn), "tan": tanOf((*Builder).gpuTurn),
	"sin16": sinOf((*Builder).gpuNearTurn), "cos16": cosOf((*Builder).gpuNearTurn),
	"tan16": tanOf((*Builder).gpuNearTurn),
	"atan": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		steep := m.is("ogt", x, m.c(1))
		v := m.atanUnit(m.sel(steep, m.rcpApprox(x), x))
		return m.sign(m.sel(steep, m.fromQuarter(m.neg(v)), v), a[0])
	},
	// The quotient of the smaller and the larger one, after both were made neither too large nor too small
	// for the reciprocal. It is 0 for zeros and over infinity, but 1 for two infinities.
	"atan2": func(m *Builder, a []string) string {
		y, x := m.abs(a[0]), m.abs(a[1])
		steep := m.is("ogt", y, x)
		most, least := m.sel(steep, y, x), m.sel(steep, x, y)
		factor := m.sel(m.is("ogt", most, m.c(0x1p125)), m.c(0.25), m.c(1))
		factor = m.sel(m.is("olt", most, m.c(0x1p-80)), m.c(0x1p64), factor)
		s := m.quotient(m.mul(least, factor), m.mul(most, factor))
		inf := m.c(math.Inf(1))
		s = m.sel(m.or(m.is("oeq", least, m.c(0)), m.is("oeq", most, inf)), m.c(0), s)
		s = m.sel(m.is("oeq", least, inf), m.c(1), s)
		v := m.atanUnit(s)
		v = m.sel(steep, m.fromQuarter(m.neg(v)), v)
		v = m.sel(m.negative(a[1]), m.fma(m.c(2*quarterA), m.c(quarterB), m.neg(v)), v)
		v = m.sel(m.is("uno", y, x), m.c(math.NaN()), v)
		return m.sign(v, a[0])
	},
	// Above ½ it is 2·asin(√((1-x)/2)), below π/2 - asin x. Both are a sum with asin, or less it.
	"acos": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		far := m.is("ogt", x, m.c(0.5))
		z := m.sel(far, m.fma(x, m.c(-0.5), m.c(0.5)), m.mul(x, x))
		y := m.sel(far, m.call("float", "llvm.nvvm.sqrt.approx.ftz.f", "float "+z), x)
		p := m.fma(m.mul(y, z), m.poly(z, asinPoly), y)
		v := m.flipped(m.sel(far, m.add(p, p), m.neg(p)), a[0])
		// 0, π/2 or π
		quarters := m.sel(far, m.sel(m.negative(a[0]), m.c(2*quarterA), m.c(0)), m.c(quarterA))
		return m.fma(quarters, m.c(quarterB), v)
	},
	// The quotient of normal numbers, which is right to 2^-22, is made that much larger: below 2^20 its whole
	// part is right or one more. The rest is then at least -y, and so exact. Others take the long way.
	"fmod": func(m *Builder, a []string) string {
		x, y := m.abs(a[0]), m.abs(a[1])
		q := m.mul(m.mul(x, m.rcpApprox(y)), m.c(1+0x1p-21))
		q = m.sub(m.call("float", "llvm.nvvm.add.rz.f", "float "+q, "float "+m.c(0x1p23)), m.c(0x1p23))
		r := m.fma(m.neg(q), y, x)
		r = m.sel(m.is("olt", r, m.c(0)), m.add(r, y), r)
		odd := m.or(m.is("uge", q, m.c(0x1p20)), m.is("uge", r, y))
		v := m.seldom(odd, []typed{{m.f, r}}, func() []string {
			far := m.sel(m.isInf(y), x, m.longRemainder(x, y))
			return []string{m.noRemainder(a[0], a[1], far)}
		})[0]
		return m.sign(v, a[0])
	},
	// A sum that is rounded toward zero is never the next whole number, and is x if that is large.
	"round": func(m *Builder, a []string) string {
		return m.trunc(m.call("float", "llvm.nvvm.add.rz.f", "float "+a[0], "float "+m.sign(m.c(0.5), a[0])))
	},
	"exp":   func(m *Builder, a []string) string { return m.power(a[0], math.Log2E) },
	"exp10": func(m *Builder, a []string) string { return m.power(a[0], math.Log2E*math.Ln10) },
	// 2·(2^(n-1)·(e^r - 1) + 2^(n-1) - ½), where 2^(n-1) does not overflow. The result has the sign of x.
	"expm1": func(m *Builder, a []string) string {
		x := m.sel(m.is("olt", a[0], m.c(-40)), m.c(-40), a[0])
		t, n := m.nearest(m.min(x, m.c(89)), math.Log2E)
		r := m.fma(n, m.c(-ln2Lo(m)), m.fma(n, m.c(-ln2Hi(m)), x))
		e := m.fma(m.mul(r, r), m.poly(r, expPoly), r)
		half := m.shifted(t, -1)
		v := m.fma(half, e, m.sub(half, m.c(0.5)))
		return m.sign(m.add(v, v), a[0])
	},
	"cosh": func(m *Builder, a []string) string {
		half := m.halfExp(m.abs(a[0]))
		return m.fma(m.c(0.25), m.rcpApprox(half), half)
	},
	"sinh": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		z := m.mul(x, x)
		near := m.fma(m.mul(z, x), m.horner(z, sinhShort...), x)
		half := m.halfExp(x)
		far := m.fma(m.c(-0.25), m.rcpApprox(half), half)
		return m.sign(m.sel(m.is("olt", x, m.c(1)), near, far), a[0])
	},
	"log": func(m *Builder, a []string) string {
		e, f := m.logSplit(a[0])
		r := m.fma(m.mul(f, f), m.horner(f, logShort...), m.mul(e, m.c(ln2Lo(m))))
		return m.logRest(a[0], m.fma(e, m.c(ln2Hi(m)), m.add(f, r)))
	},
	"log2": func(m *Builder, a []string) string {
		e, f := m.logSplit(a[0])
		return m.logRest(a[0], m.add(e, m.logTimes(f, math.Log2E, "")))
	},
	"log10": func(m *Builder, a []string) string {
		e, f := m.logSplit(a[0])
		top := log10of2Hi(m)
		low := m.mul(e, m.c(log10of2-top))
		return m.logRest(a[0], m.fma(e, m.c(top), m.logTimes(f, math.Log10E, low)))
	},
	// 1+x = 2^e·(1+f), where f = x·2^-e + (2^-e - 1) is exact. 2^-e may be subnormal. The result has the
	// sign of x.
	"log1p": func(m *Builder, a []string) string {
		x := a[0]
		u := m.add(m.c(1), x)
		k := m.ib("and", m.ib("sub", m.bits(u), lowBits), int64(-1)<<23)
		s := m.mul(m.float(m.ib("sub", m.size(0x40800000), k)), m.c(0.25))
		f := m.fma(x, s, m.sub(s, m.c(1)))
		e := m.mul(m.fromInt(k), m.c(0x1p-23))
		r := m.fma(m.mul(f, f), m.horner(f, logShort...), m.mul(e, m.c(ln2Lo(m))))
		return m.sign(m.logRest(u, m.fma(e, m.c(ln2Hi(m)), m.add(f, r))), x)
	},
	// log erfc is smooth: a polynomial, and 1 - 2^ of it. NaN goes the first way.
	"erf": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		rest := append([]float64{erfPoly.f64[0] - 1}, erfPoly.f32[1:]...)
		near := m.fma(x, m.horner(m.mul(x, x), rest...), x)
		far := make([]float64, len(logerfcPoly.f32))
		for i, c := range logerfcPoly.f32 {
			far[i] = c * math.Log2E
		}
		e := m.ex2(m.horner(m.min(x, m.c(4)), far...))
		return m.sign(m.sel(m.is("ogt", x, m.c(1)), m.sub(m.c(1), e), near), a[0])
	},
	// 2^(y·log2 x), log2 x in two parts.
	"pow": func(m *Builder, a []string) string {
		x, y := a[0], a[1]
		hi, lo := m.log2Twice(m.abs(x))
		p := m.mul(y, hi)
		t, n := m.nearest(m.clamp(p, -126, 126), 1)
		r := m.fma(y, hi, m.neg(n))
		// an infinite y has an infinite product with either part
		r = m.sel(m.is("olt", m.abs(p), m.c(1024)), m.fma(y, lo, r), r)
		return m.powRest(x, y, m.mul(m.ex2(r), m.shifted(t, 0)))
	},
}

// The product of these floats is π/2, but for 2^-43.
const quarterA, quarterB = 0x1.40da70p0, 0x1.40d7f4p0

// fromQuarter is π/2 + x, rounded once.
func (m *Builder) fromQuarter(x string) string { return m.fma(m.c(quarterA), m.c(quarterB), x) }

// atanUnit is the arc tangent of s, 0 <= s <= 1.
func (m *Builder) atanUnit(s string) string {
	z := m.mul(s, s)
	return m.fma(m.mul(z, s), m.horner(z, atanShort...), s)
}

// atanShort is (atan s / s - 1) / z, z = s², on |s| <= 1: 2^-25.8 relative to atan s.
var atanShort = []float64{
	-0.333331525, 0.199937731, -0.142110556, 0.106660038, -0.0755221248, 0.0432118326, -0.0163679104,
	0.00292068766,
}

// flipped is x with the other sign where by is negative.
func (m *Builder) flipped(x, by string) string {
	return m.float(m.ib("xor", m.bits(x), m.ib("and", m.bits(by), int64(math.MinInt32))))
}

// log2Twice is log2 x in two parts, for x that is positive and finite: with s = f/(2+f) in two parts, the
// logarithm of 1+f is 2s·log2(e) + s³·P(s²). What the first sum loses is exact.
func (m *Builder) log2Twice(x string) (hi, lo string) {
	const factor, root = 2 * math.Log2E, 0x3f3504f3 // of ½, so that e is at least twice the rest, or zero
	e, f := m.logSplitFrom(x, root)
	r := m.rcpApprox(m.add(m.c(2), f))
	s := m.mul(f, r)
	// what the division lost: (f - 2s) - s·f, the first difference exact, times the reciprocal
	sLow := m.mul(r, m.fma(m.neg(s), f, m.fma(m.c(-2), s, f)))
	z := m.mul(s, s)
	hi = m.fma(s, m.c(factor), e)
	lo = m.fma(s, m.c(factor), m.sub(e, hi))
	slope := m.fma(z, m.c(factor), m.c(factor)) // near factor/(1-z)
	lo = m.fma(sLow, slope, m.fma(s, m.c(lost(factor)), lo))
	return hi, m.fma(m.mul(s, z), m.horner(z, log2Odd...), lo)
}

// log2Odd is (log2((1+s)/(1-s)) - 2s·log2(e)) / s³ as a polynomial of s², on |s| <= 0.2: s³ times it is
// right to 2^-32.9.
var log2Odd = []float64{0.961796688, 0.577082507, 0.411640494, 0.342601762}

// powRest is |x|^y = v with its sign, and what it must be where numbers are zero, infinite or no numbers.
func (m *Builder) powRest(x, y, v string) string {
	ax, inf, one := m.abs(x), m.c(math.Inf(1)), m.c(1)
	// 0 and infinity are their own doubles
	down := m.xor(m.is("olt", ax, one), m.is("olt", y, m.c(0)))
	v = m.sel(m.is("oeq", m.add(ax, ax), ax), m.sel(down, m.c(0), inf), v)
	v = m.sel(m.is("oeq", ax, one), one, v)
	// y/2 has no fraction if y is even, or the least number of all, and a half if it is odd
	half := m.mul(y, m.c(0.5))
	rest := m.abs(m.sub(half, m.trunc(half)))
	odd := m.is("oeq", rest, m.c(0.5))
	flip := m.selBits(odd, m.ib("and", m.bits(x), int64(math.MinInt32)), m.size(0))
	v = m.float(m.ib("xor", m.bits(v), flip))
	broken := m.or(m.and(m.is("une", rest, m.c(0)), m.not(odd)), m.is("olt", m.abs(y), one))
	broken = m.and(broken, m.is("olt", m.abs(y), inf))
	bad := m.and(m.and(m.is("olt", x, m.c(0)), m.is("olt", ax, inf)), broken)
	v = m.sel(m.or(bad, m.is("uno", x, y)), m.c(math.NaN()), v)
	return m.sel(m.or(m.is("oeq", x, one), m.is("oeq", y, m.c(0))), one, v)
}

// lowBits are the bits of ¾, the least 1+f.
const lowBits = int64(0x3f400000)

// tanhShort is (tanh x / x - 1) / z, z = x², on |x| <= 0.55: 2^-24.7 relative to tanh x.
var tanhShort = []float64{-0.333329466, 0.133207248, -0.0526718021, 0.0164375621}

// sinhShort is (sinh x / x - 1) / z, z = x², on |x| <= 1: 2^-34.2.
var sinhShort = []float64{0.166666665, 0.00833335006, 0.000198361597, 2.81695137e-06}

// logShort is (log(1+f) - f) / f² on [-¼, ½]: 2^-27.6 relative to log(1+f).
var logShort = []float64{
	-0.5, 0.333334491, -0.250000958, 0.199908609, -0.166473123, 0.144784005, -0.131611965, 0.104629957,
	-0.0450744671,
}

// ex2 is 2^x, and rcpApprox 1/x, where results that would be subnormal are zero.
func (m *Builder) ex2(x string) string {
	return m.call("float", "llvm.nvvm.ex2.approx.ftz.f", "float "+x)
}

func (m *Builder) rcpApprox(x string) string {
	return m.call("float", "llvm.nvvm.rcp.approx.ftz.f", "float "+x)
}

// power is 2^(x·factor) for any x: 2^n·2^r with n between -126 and 126, where r takes the rest.
func (m *Builder) power(x string, factor float64) string {
	p, t := m.powerParts(x, factor)
	return m.mul(p, m.shifted(t, 0))
}

// halfExp is e^x/2, for x >= 0.
func (m *Builder) halfExp(x string) string {
	p, t := m.powerParts(x, math.Log2E)
	return m.mul(p, m.shifted(t, -1))
}

func (m *Builder) powerParts(x string, factor float64) (p, t string) {
	t, n := m.nearest(m.clamp(m.mul(x, m.c(factor)), -126, 126), 1)
	r := m.fma(x, m.c(factor), m.neg(n))
	return m.ex2(m.fma(x, m.c(lost(factor)), r)), t
}

// lost is what a constant loses in single precision.
func lost(c float64) float64 { return c - float64(float32(c)) }

// shifted is 2^(n+by), for t of nearest.
func (m *Builder) shifted(t string, by int) string {
	return m.float(m.ib("shl", m.ib("add", m.bits(t), by+127), 23))
}

// logSplit is x = 2^e·(1+f) with 1+f in [¾, 1½), for x that is positive and finite.
func (m *Builder) logSplit(x string) (e, f string) { return m.logSplitFrom(x, lowBits) }

// logSplitFrom is logSplit with 1+f from the number with these bits to its double.
func (m *Builder) logSplitFrom(x string, least int64) (e, f string) {
	tiny := m.is("olt", x, m.c(0x1p-126))
	b := m.bits(m.sel(tiny, m.mul(x, m.c(0x1p23)), x))
	k := m.ib("and", m.ib("sub", b, least), int64(-1)<<23)
	e = m.fma(m.fromInt(k), m.c(0x1p-23), m.sel(tiny, m.c(-23), m.c(0)))
	return e, m.sub(m.float(m.ib("sub", b, k)), m.c(1))
}

// logTimes is factor·log(1+f) + low: f·factor is rounded with the sum of the smaller terms.
func (m *Builder) logTimes(f string, factor float64, low string) string {
	r := m.mul(m.mul(f, f), m.horner(f, logShort...))
	rest := m.c(lost(factor))
	if low == "" {
		low = m.mul(f, rest)
	} else {
		low = m.fma(f, rest, low)
	}
	return m.fma(f, m.c(factor), m.fma(r, m.c(factor), low))
}

// logRest returns v where the logarithm's argument x is positive and finite. Elsewhere the logarithm is
// x·∞ + ∞, but at zero.
func (m *Builder) logRest(x, v string) string {
	inf := m.c(math.Inf(1))
	odd := m.cmpBits("uge", m.bits(x), m.size(0x7f800000))
	v = m.sel(odd, m.fma(x, inf, inf), v)
	return m.sel(m.is("oeq", x, m.c(0)), m.c(math.Inf(-1)), v)
}

// piHalfDown is π/2 as a sum of floats that are all positive, so that x less none of them keeps the sign of
// a zero. The first ends in a zero bit.
var piHalfDown = [3]float64{0x1.921fb4p0, 0x1.4442dp-24, 0x1.84698ap-48}

// gpuTurn is anyTurn, but keeps only the high part of the angle left by the reduction. The low part would
// cost as many instructions as a third of all others, and without it results are already closer than those of
// libdevice, which Triton uses.
func (m *Builder) gpuTurn(x string) (q, s, c string) {
	q, r := m.gpuReduce(x)
	v := m.seldom(m.is("ugt", m.abs(x), m.c(48039)), []typed{{m.n, q}, {m.f, r}}, func() []string {
		return m.eachLane(x, []string{"i32", "float"}, func(s *Builder, x string) []string {
			q, r, _ := s.payneHanek(x)
			return []string{q, r}
		})
	})
	s, c = m.gpuSinCos(v[1])
	return v[0], s, c
}

func (m *Builder) gpuNearTurn(x string) (q, s, c string) {
	q, r := m.gpuReduce(x)
	s, c = m.gpuSinCos(r)
	return q, s, c
}

// gpuReduce is reduceNear. The quarters are counted in the last bits of a sum, since GPUs round and convert
// at a quarter of the rate.
func (m *Builder) gpuReduce(x string) (q, r string) {
	t, n := m.nearest(x, 2/math.Pi)
	r = x
	for _, p := range piHalfDown {
		r = m.fma(n, m.c(-p), r)
	}
	return m.bits(t), r
}

// gpuSinCos are the sine and cosine of r, |r| <= π/4.
func (m *Builder) gpuSinCos(r string) (s, c string) {
	z := m.mul(r, r)
	s = m.fma(m.mul(z, r), m.poly(z, sinPoly), r)
	return s, m.horner(z, append([]float64{1, -0.5}, cosPoly.f32...)...)
}
