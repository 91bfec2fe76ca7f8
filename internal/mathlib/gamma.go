package mathlib

import "math"

var gammaFuncs = map[string]builder{
	"lgamma": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		positive := m.lgammaPositive(x)
		// log|Γ(-x)| = log(π / (x·|sin πx|)) - log Γ(x)
		s := m.mul(x, m.abs(m.fn("sinpi", x)))
		negative := m.sub(m.fn("log", m.div(m.c(math.Pi), s)), positive)
		v := m.sel(m.is("olt", a[0], m.c(0)), negative, positive)
		pole := m.and(m.is("ole", a[0], m.c(0)), m.is("oeq", a[0], m.floor(a[0])))
		v = m.sel(m.or(pole, m.isInf(a[0])), m.c(math.Inf(1)), v)
		return m.sel(m.isNaN(a[0]), a[0], v)
	},
	"tgamma": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		large := m.gammaStirling(m.max(x, m.c(8)))
		small := m.gammaProduct(m.min(x, m.c(16)))
		g := m.sel(m.is("olt", x, m.c(12)), small, large)
		// Γ(-x) = -π / (x·sin πx·Γ(x))
		sine := m.fn("sinpi", x)
		mirror := m.neg(m.div(m.div(m.c(math.Pi), m.mul(x, sine)), g))
		tiny := m.is("olt", x, m.c(0x1p-60))
		g = m.sel(m.is("olt", a[0], m.c(0)), mirror, g)
		g = m.sel(tiny, m.rcp(a[0]), g)
		g = m.sel(m.is("ogt", a[0], m.c(172)), m.c(math.Inf(1)), g)
		far := m.and(m.is("olt", a[0], m.c(-185)), m.is("ogt", a[0], m.c(math.Inf(-1))))
		half := m.mul(m.floor(a[0]), m.c(0.5))
		zero := m.sel(m.is("oeq", half, m.floor(half)), m.c(0), m.c(math.Copysign(0, -1)))
		g = m.sel(far, zero, g)
		pole := m.and(m.is("olt", a[0], m.c(0)), m.is("oeq", a[0], m.floor(a[0])))
		g = m.sel(pole, m.c(math.NaN()), g)
		return m.sel(m.isNaN(a[0]), a[0], g)
	},
}

// lgammaPositive is log Γ(x) for x >= 0: near 1 and 2 a polynomial that vanishes there, up to 8 by the
// recurrence from near 2, beyond by Stirling's series.
func (m *Builder) lgammaPositive(x string) string {
	lx := m.fn("log", m.max(x, m.c(5e-324)))
	far := m.add(m.fma(m.sub(m.max(x, m.c(8)), m.c(0.5)), m.sub(lx, m.c(1)),
		m.c(0.5*math.Log(2*math.Pi)-0.5)), m.stirling(m.max(x, m.c(8))))

	below := m.is("olt", x, m.c(0.5))
	y := m.sel(below, m.add(x, m.c(1)), x)
	u1 := m.sel(below, x, m.sub(x, m.c(1)))
	one := m.fma(u1, m.horner(m.clamp(u1, -0.5, 0.5), gamma1Coeffs...), m.c(0)) // log Γ(1) is 0, not -0
	one = m.sel(below, m.sub(one, lx), one)

	// From [2.5, 8) down into [1.5, 2.5).
	product, t := m.c(1), m.min(y, m.c(8))
	for range 6 {
		more := m.is("oge", t, m.c(2.5))
		less := m.sub(t, m.c(1))
		product = m.sel(more, m.mul(product, less), product)
		t = m.sel(more, less, t)
	}
	u2 := m.sub(t, m.c(2))
	two := m.add(m.mul(u2, m.horner(u2, gamma2Coeffs...)), m.fn("log", product))
	near := m.sel(m.is("olt", y, m.c(1.5)), one, two)
	return m.sel(m.is("oge", x, m.c(8)), far, near)
}

// stirling is the rest of the series, for x >= 8.
func (m *Builder) stirling(x string) string {
	r := m.rcp(x)
	return m.mul(r, m.horner(m.mul(r, r), stirlingCoeffs...))
}

// gammaStirling is Γ(x) for x >= 8: x^(x-½) in two halves, which alone would overflow before Γ does.
func (m *Builder) gammaStirling(x string) string {
	half := m.fn("pow", x, m.fma(x, m.c(0.5), m.c(-0.25)))
	v := m.mul(half, m.fn("exp", m.neg(x)))
	v = m.mul(m.mul(v, m.c(math.Sqrt2*math.SqrtPi)), half)
	return m.mul(v, m.fn("exp", m.stirling(x)))
}

// gammaProduct is Γ(x) for 0 < x < 16 by the recurrence from [1, 2).
func (m *Builder) gammaProduct(x string) string {
	product, t := m.c(1), x
	for range 15 {
		more := m.is("oge", t, m.c(2))
		less := m.sub(t, m.c(1))
		product = m.sel(more, m.mul(product, less), product)
		t = m.sel(more, less, t)
	}
	below := m.is("olt", t, m.c(1))
	divisor := m.sel(below, t, m.c(1))
	t = m.sel(below, m.add(t, m.c(1)), t)
	u := m.sub(t, m.c(1))
	first := m.is("olt", u, m.c(0.5))
	v := m.sub(t, m.c(2))
	lg := m.sel(first, m.mul(u, m.horner(m.min(u, m.c(0.5)), gamma1Coeffs...)),
		m.mul(v, m.horner(m.max(v, m.c(-0.5)), gamma2Coeffs...)))
	return m.div(m.mul(product, m.fn("exp", lg)), divisor)
}
