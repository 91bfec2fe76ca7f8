package mathlib

import "math"

// hostFuncs are written for CPUs, where they come before the others: shorter, since there NaN passes
// through comparisons, and rounding and scaling have cheap forms.
var hostFuncs = map[string]builder{
	"exp": func(m *Builder, a []string) string {
		x := m.clamp(a[0], m.far(math.Ln2), pick(m, 89.0, 710.0))
		t, n, y := m.expNearest(x)
		return m.scaleNearest(m.add(m.c(1), y), t, n)
	},
	"exp2": func(m *Builder, a []string) string {
		if m.hasScale() { // infinities need no care
			r := m.fraction(a[0])
			return m.scaleBy(m.fma(r, m.poly(r, exp2Poly), m.c(1)), m.sub(a[0], r))
		}
		x := m.clamp(a[0], m.far(1), pick(m, 129.0, 1025.0))
		t, n := m.nearest(x, 1)
		r := m.sub(x, n)
		return m.scaleNearest(m.fma(r, m.poly(r, exp2Poly), m.c(1)), t, n)
	},
	// With e^-x = 2^n·(1+y): u/(u + p + p·y), where p = u·2^n does not overflow, and 1+y is not rounded.
	"sigmoid": func(m *Builder, a []string) string {
		t, n, y := m.expNearest(m.clamp(m.neg(a[0]), pick(m, -104.0, -746.0), pick(m, 104.0, 746.0)))
		u := m.c(pick(m, 0x1p-24, 0x1p-53))
		p := m.scaleNearest(u, t, n)
		return m.div(u, m.add(m.fma(p, y, u), p))
	},
	"tanh/f32": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		z := m.mul(x, x)
		near := m.fma(m.mul(z, x), m.horner(z, tanhPoly.f32...), x)
		e := m.fn("exp", m.mul(x, m.c(2)))
		far := m.sub(m.c(1), m.div(m.c(2), m.add(e, m.c(1))))
		return m.sign(m.sel(m.is("olt", x, m.c(0.625)), near, far), a[0])
	},
}

// far is the number from which on down a power is taken for zero, where masked elements should lie; unit is
// ln 2 for powers of e, and 1 for powers of two. Processors take 30 times as long for a product that is
// subnormal or below. It is no such product if the instruction that scales sees an exponent far below, or if
// both powers of two of scaleNearest, whose exponents are half of n each, are zero.
func (m *Builder) far(unit float64) float64 {
	if m.hasScale() {
		return pick(m, -1000.0, math.Round(-1076*unit))
	}
	return math.Round(pick(m, -254.0, -2046.0) * unit)
}

// expNearest is e^x = 2^n·(1+y), with t and n of nearest.
func (m *Builder) expNearest(x string) (t, n, y string) {
	t, n = m.nearest(x, math.Log2E)
	r := m.fma(n, m.c(-ln2Lo(m)), m.fma(n, m.c(-ln2Hi(m)), x))
	return t, n, m.fma(m.mul(r, r), m.poly(r, expPoly), r)
}

// nearest is n, the whole number nearest to x·factor, and t = n + 1½·2^23 (or 2^52), whose last bits are n
// as an integer.
func (m *Builder) nearest(x string, factor float64) (t, n string) {
	magic := m.c(pick(m, 0x1.8p23, 0x1.8p52))
	if factor == 1 {
		t = m.add(x, magic)
	} else {
		t = m.fma(x, m.c(factor), magic)
	}
	return t, m.sub(t, magic)
}

// scaleNearest is p·2^n, rounded once, for t and n of nearest: by the instruction that does it, or in two
// steps, since 2^n may be no normal number.
func (m *Builder) scaleNearest(p, t, n string) string {
	if m.hasScale() {
		return m.scaleBy(p, n)
	}
	k := m.ib("sub", m.bits(t), pick(m, int64(math.Float32bits(0x1.8p23)), int64(math.Float64bits(0x1.8p52))))
	half := m.ib("ashr", k, 1)
	power := func(k string) string {
		return m.float(m.ib("shl", m.ib("add", k, m.bias()), m.manBits()))
	}
	return m.mul(m.mul(p, power(half)), power(m.ib("sub", k, half)))
}
