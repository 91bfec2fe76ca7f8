package mathlib

import "math"

var logFuncs = map[string]builder{
	"log": func(m *Builder, a []string) string {
		e, f := m.logParts(a[0])
		hi, lo := m.log1pCore(f)
		v := m.fma(e, m.c(ln2Hi(m)), m.add(hi, m.fma(e, m.c(ln2Lo(m)), lo)))
		return m.logEnd(a[0], v)
	},
	"log2": func(m *Builder, a []string) string {
		e, f := m.logParts(a[0])
		hi, lo := m.log1pCore(f)
		p, q := m.twoProd(hi, m.c(math.Log2E))
		q = m.fma(lo, m.c(math.Log2E), m.fma(hi,
			m.c(pick(m, math.Log2E-float64(float32(math.Log2E)), 2.0355273740931033e-17)), q))
		s, t := m.twoSum(e, p)
		return m.logEnd(a[0], m.add(s, m.add(t, q)))
	},
	"log10": func(m *Builder, a []string) string {
		e, f := m.logParts(a[0])
		hi, lo := m.log1pCore(f)
		p, q := m.twoProd(hi, m.c(math.Log10E))
		q = m.fma(lo, m.c(math.Log10E), m.fma(hi,
			m.c(pick(m, math.Log10E-float64(float32(math.Log10E)), 1.098319650216765e-17)), q))
		top := log10of2Hi(m)
		b := m.mul(e, m.c(top)) // exact
		s, t := m.twoSum(b, p)
		q = m.fma(e, m.c(pick(m, log10of2-top, log10of2Low(top))), q)
		return m.logEnd(a[0], m.add(s, m.add(t, q)))
	},
	"log1p": func(m *Builder, a []string) string {
		x := a[0]
		u := m.add(m.c(1), x)
		// What 1+x lost, relative to u: log(1+x) = log(u) + lost/u.
		lost := m.sub(x, m.sub(u, m.c(1)))
		e, f := m.logParts(u)
		hi, lo := m.log1pCore(f)
		lo = m.add(lo, m.div(lost, u))
		v := m.fma(e, m.c(ln2Hi(m)), m.add(hi, m.fma(e, m.c(ln2Lo(m)), lo)))
		v = m.logEnd(u, v)
		tiny := m.is("olt", m.abs(x), m.c(pick(m, 0x1p-25, 0x1p-54)))
		v = m.sel(tiny, x, v)
		return m.sel(m.is("oeq", u, m.c(math.Inf(1))), u, v)
	},
	// Single precision has no need of a division.
	"log/f32": func(m *Builder, a []string) string {
		e, f := m.logParts(a[0])
		z := m.mul(f, f)
		r := m.fma(m.mul(z, f), m.poly(f, logPoly), m.mul(e, m.c(ln2Lo(m))))
		r = m.add(f, m.fma(z, m.c(-0.5), r))
		return m.logEnd(a[0], m.fma(e, m.c(ln2Hi(m)), r))
	},
}

// ln2Hi has few enough bits that its product with an exponent is exact; ln2Lo is the rest.
func ln2Hi(m *Builder) float64 { return pick(m, roundTo(math.Ln2, 15), roundTo(math.Ln2, 42)) }
func ln2Lo(m *Builder) float64 { return ln2Low(ln2Hi(m)) }

// log10of2Low is log10 2 less a part of it: log10 2 = 0.30102999566398119521373889472449…
func log10of2Low(hi float64) float64 { return (log10of2 - hi) + -2.8037281277851704e-18 }

// logParts is x = 2^e·(1+f) with 1+f in [√½, √2), e as a float.
func (m *Builder) logParts(x string) (e, f string) {
	least := pick(m, 0x1p-126, 0x1p-1022)
	up := pick(m, 25, 54)
	tiny := m.is("olt", x, m.c(least))
	b := m.bits(m.sel(tiny, m.mul(x, m.c(math.Ldexp(1, up))), x))
	// Subtracting the bits of √½ makes the exponent that of the mantissa in [√½, √2).
	root := pick(m, int64(math.Float32bits(math.Sqrt2/2)), int64(math.Float64bits(math.Sqrt2/2)))
	k := m.ib("ashr", m.ib("sub", b, root), m.manBits())
	man := m.float(m.ib("sub", b, m.ib("shl", k, m.manBits())))
	k = m.i32("sub", m.narrow(k), m.selN(tiny, m.k(up), m.k(0)))
	return m.fromInt(k), m.sub(man, m.c(1))
}

// log1pCore is log(1+f) as hi + lo, for 1+f in [√½, √2): with s = f/(2+f) it is f - f²/2 + s·(f²/2 +
// z·P(z)), z = s².
func (m *Builder) log1pCore(f string) (hi, lo string) {
	s := m.quotient(f, m.add(m.c(2), f))
	z := m.mul(s, s)
	half := m.mul(m.mul(f, f), m.c(0.5))
	halfLow := m.fma(m.mul(f, m.c(0.5)), f, m.neg(half)) // what the square lost
	r := m.mul(s, m.fma(z, m.poly(z, logsPoly), half))
	hi, t := m.fastTwoSum(f, m.neg(half))
	return hi, m.add(r, m.sub(t, halfLow))
}

// logEnd sets the values at the ends: infinity, zero, and NaN below.
func (m *Builder) logEnd(x, v string) string {
	v = m.sel(m.is("oeq", x, m.c(math.Inf(1))), x, v)
	v = m.sel(m.is("oeq", x, m.c(0)), m.c(math.Inf(-1)), v)
	return m.sel(m.is("ult", x, m.c(0)), m.c(math.NaN()), v)
}
