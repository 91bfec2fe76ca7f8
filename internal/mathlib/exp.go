package mathlib

import "math"

var expFuncs = map[string]builder{
	"exp": func(m *Builder, a []string) string {
		p, n := m.expParts(a[0])
		return m.expEnd(a[0], m.scale(p, n), m.expTop(), m.expBottom())
	},
	"exp2": func(m *Builder, a []string) string {
		x := m.clamp(a[0], pick(m, -160.0, -1100.0), pick(m, 130.0, 1030.0))
		n := m.rint(x)
		r := m.sub(x, n)
		p := m.fma(r, m.poly(r, exp2Poly), m.c(1))
		return m.expEnd(a[0], m.scale(p, m.toInt(n)), pick(m, 128.0, 1024.0), pick(m, -150.0, -1075.0))
	},
	"exp10": func(m *Builder, a []string) string {
		x := m.clamp(a[0], pick(m, -50.0, -340.0), pick(m, 45.0, 320.0))
		n := m.rint(m.mul(x, m.c(math.Log2(10))))
		// 10^x = 2^n·e^r with r = x·ln 10 - n·ln 2, in two parts.
		r := m.fma(n, m.c(-log10of2Hi(m)), x)
		top := log10of2Hi(m)
		r = m.fma(n, m.c(-pick(m, log10of2-top, log10of2Low(top))), r)
		hi, lo := m.twoProd(r, m.c(math.Ln10))
		lo = m.fma(r, m.c(ln10Low(m)), lo)
		p := m.add(m.c(1), m.add(hi, m.fma(m.mul(hi, hi), m.poly(hi, expPoly), lo)))
		return m.expEnd(a[0], m.scale(p, m.toInt(n)), pick(m, 38.6, 308.3), pick(m, -46.0, -324.0))
	},
	"expm1": func(m *Builder, a []string) string {
		x := m.clamp(a[0], pick(m, -40.0, -60.0), pick(m, 89.0, 710.0))
		n, r, lo := m.reduceLn2(x)
		e := m.add(r, m.fma(m.mul(r, r), m.poly(r, expPoly), lo)) // e^r - 1
		k := m.toInt(n)
		// 2^n·(e^r - 1) + (2^n - 1), with n one less where 2^n is too large.
		top := m.isN("eq", k, m.bias()+1)
		k = m.selN(top, m.k(m.bias()), k)
		e = m.sel(top, m.fma(e, m.c(2), m.c(1)), e)
		t := m.pow2(k)
		v := m.fma(t, e, m.sub(t, m.c(1)))
		v = m.sel(m.is("oeq", n, m.c(0)), e, v)
		v = m.sel(m.is("oeq", a[0], m.c(0)), a[0], v)
		v = m.sel(m.is("ogt", a[0], m.c(m.expTop())), m.c(math.Inf(1)), v)
		v = m.sel(m.is("olt", a[0], m.c(pick(m, -40.0, -60.0))), m.c(-1), v)
		return m.sel(m.isNaN(a[0]), a[0], v)
	},
}

const log10of2 = math.Ln2 / math.Ln10

// log10of2Hi has few enough bits that its product with an exponent is exact.
func log10of2Hi(m *Builder) float64 { return pick(m, roundTo(log10of2, 10), roundTo(log10of2, 38)) }

func ln10Low(m *Builder) float64 {
	return pick(m, math.Ln10-float64(float32(math.Ln10)), -2.1707562233822494e-16)
}

// roundTo keeps so many bits behind the point.
func roundTo(v float64, bits int) float64 { return math.Ldexp(math.Round(math.Ldexp(v, bits)), -bits) }

// expTop is where e^x overflows, expBottom where it is below half of the least number.
func (m *Builder) expTop() float64    { return pick(m, float64(float32(88.72284)), 709.782712893384) }
func (m *Builder) expBottom() float64 { return pick(m, -103.97208, -745.1332191019412) }

// reduceLn2 is x = n·ln 2 + r + lo with |r| <= ln 2 / 2.
func (m *Builder) reduceLn2(x string) (n, r, lo string) {
	n = m.rint(m.mul(x, m.c(math.Log2E)))
	big := m.fma(n, m.c(-ln2Hi(m)), x) // exact
	small := m.mul(n, m.c(ln2Lo(m)))
	r = m.sub(big, small)
	return n, r, m.sub(m.sub(big, r), small)
}

// ln2Low is ln 2 less a part of it, to double precision: ln 2 = 0.693147180559945309417232121458…
func ln2Low(hi float64) float64 { return (math.Ln2 - hi) + 2.3190468138462996e-17 }

// expParts is e^x = p·2^n with p near 1.
func (m *Builder) expParts(x string) (p, n string) {
	k, r, lo := m.reduceLn2(m.clamp(x, pick(m, -110.0, -760.0), pick(m, 90.0, 720.0)))
	e := m.add(r, m.fma(m.mul(r, r), m.poly(r, expPoly), lo))
	return m.add(m.c(1), e), m.toInt(k)
}

// expEnd sets what is beyond the range of a function that grows from 0 to infinity, and NaN.
func (m *Builder) expEnd(x, v string, top, bottom float64) string {
	v = m.sel(m.is("ogt", x, m.c(top)), m.c(math.Inf(1)), v)
	v = m.sel(m.is("olt", x, m.c(bottom)), m.c(0), v)
	return m.sel(m.isNaN(x), x, v)
}

// ex2approx is 2^x to about single precision, for x for which that is a normal number: the hardware's on
// GPUs.
func (m *Builder) ex2approx(x string) string {
	if m.lib.target.NVPTX {
		return m.call("float", "llvm.nvvm.ex2.approx.f", "float "+x)
	}
	n := m.rint(x)
	r := m.sub(x, n)
	return m.mul(m.fma(r, m.poly(r, exp2Poly), m.c(1)), m.pow2(m.toInt(n)))
}
