package mathlib

import (
	"math"
)

var powFuncs = map[string]builder{
	"pow": func(m *Builder, a []string) string {
		x, y := a[0], a[1]
		hi, lo := m.logTwice(m.abs(x))
		// y·log x in two parts, e^ of it.
		p, q := m.twoProd(y, hi)
		q = m.fma(y, lo, q)
		big := pick(m, 200.0, 2000.0)
		p = m.clamp(p, -big, big)
		q = m.sel(m.is("ult", m.abs(q), m.c(1)), q, m.c(0))
		n, r, low := m.reduceLn2(p)
		low = m.add(low, q)
		r, low = m.fastTwoSum(r, low)
		e := m.add(r, m.fma(m.mul(r, r), m.poly(r, expPoly), low))
		v := m.scaleFar(m.add(m.c(1), e), m.toInt(n))
		return m.powEnd(x, y, v)
	},
}

// scaleFar is x·2^n for n far beyond the range: in three steps.
func (m *Builder) scaleFar(x, n string) string {
	third := m.i32("sdiv", n, 3)
	rest := m.i32("sub", n, m.i32("mul", third, 2))
	p := m.pow2(third)
	return m.mul(m.mul(m.mul(x, p), p), m.pow2(rest))
}

// logTwice is log x in two parts, for x > 0, to about twice the precision: x = 2^e·(1+f), s = f/(2+f) in
// two parts, and log(1+f) = 2s + s³·(2/3 + z·P), the first terms in two parts.
func (m *Builder) logTwice(x string) (hi, lo string) {
	e, f := m.logParts(x)
	d, dLow := m.twoSum(m.c(2), f)
	s := m.quotient(f, d)
	// What the division lost: (f - s·(d + dLow)) / d.
	r := m.fma(m.neg(s), d, f)
	r = m.fma(m.neg(s), dLow, r)
	sLow := m.quotient(r, d)
	z, zLow := m.twoProd(s, s)
	zLow = m.fma(m.mul(m.c(2), s), sLow, zLow)
	// t = z·(2/3 + z·P) in two parts: P without its first term, which is 2/3.
	coeffs := pick(m, logsPoly.f32, logsPoly.f64)
	rest := m.mul(z, m.horner(z, coeffs[1:]...))
	two3 := pick(m, float64(float32(2.0/3)), 2.0/3)
	two3Low := pick(m, 2.0/3-float64(float32(2.0/3)), 3.700743415417188e-17)
	c, cLow := m.fastTwoSum(m.c(two3), rest)
	cLow = m.add(cLow, m.c(two3Low))
	t, tLow := m.twoProd(z, c)
	tLow = m.fma(z, cLow, m.fma(zLow, c, tLow))
	// s·t in two parts, and 2s + s·t.
	u, uLow := m.twoProd(s, t)
	uLow = m.fma(s, tLow, m.fma(sLow, t, uLow))
	hi, lo = m.fastTwoSum(m.mul(m.c(2), s), u)
	lo = m.add(lo, m.fma(m.c(2), sLow, uLow))
	// + e·ln 2.
	k := m.mul(e, m.c(ln2Hi(m))) // exact
	top, low := m.twoSum(k, hi)
	low = m.add(low, m.fma(e, m.c(ln2Lo(m)), lo))
	return m.fastTwoSum(top, low)
}

// powEnd sets signs and the many special cases of x^y, |x|^y being v.
func (m *Builder) powEnd(x, y, v string) string {
	ax, ay := m.abs(x), m.abs(y)
	inf, one := m.c(math.Inf(1)), m.c(1)
	whole := m.is("oeq", y, m.trunc(y))
	halfY := m.mul(y, m.c(0.5))
	odd := m.and(whole, m.not(m.is("oeq", halfY, m.trunc(halfY))))
	odd = m.and(odd, m.is("olt", ay, m.c(pick(m, 0x1p24, 0x1p53))))
	negY := m.is("olt", y, m.c(0))
	// |x| is 0 or infinite: 0 or infinity, by the sign of y.
	isZero, isInf := m.is("oeq", ax, m.c(0)), m.is("oeq", ax, inf)
	v = m.sel(isZero, m.sel(negY, inf, m.c(0)), v)
	v = m.sel(isInf, m.sel(negY, m.c(0), inf), v)
	// y is infinite: by whether |x| is above or below 1.
	above := m.is("ogt", ax, one)
	grows := m.xor(above, negY)
	v = m.sel(m.is("oeq", ay, inf), m.sel(m.is("oeq", ax, one), one, m.sel(grows, inf, m.c(0))), v)
	negative := m.negative(x)
	v = m.sel(m.and(negative, odd), m.neg(v), v)
	bad := m.and(m.is("olt", x, m.c(0)), m.and(m.not(whole), m.is("one", ax, inf)))
	v = m.sel(bad, m.c(math.NaN()), v)
	v = m.sel(m.or(m.isNaN(x), m.isNaN(y)), m.c(math.NaN()), v)
	v = m.sel(m.is("oeq", x, one), one, v)
	return m.sel(m.is("oeq", y, m.c(0)), one, v)
}
