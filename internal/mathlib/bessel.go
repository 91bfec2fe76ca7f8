package mathlib

import "math"

// Bessel functions: polynomials up to 8, beyond it Hankel's expansion. They are good to about the last bits
// of the largest value, not next to their zeros.

var besselFuncs = map[string]builder{
	"j0": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		near := m.horner(m.besselT(x), j0Coeffs...)
		p, q, s, c, root := m.hankel(x, 0)
		far := m.mul(root, m.sub(m.mul(p, c), m.mul(q, s)))
		return m.besselEnd(a[0], m.sel(m.is("olt", x, m.c(8)), near, far))
	},
	"j1": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		near := m.mul(x, m.horner(m.besselT(x), j1Coeffs...))
		p, q, s, c, root := m.hankel(x, 1)
		far := m.mul(root, m.sub(m.mul(p, c), m.mul(q, s)))
		v := m.besselEnd(a[0], m.sel(m.is("olt", x, m.c(8)), near, far))
		return m.sel(m.negative(a[0]), m.neg(v), v)
	},
	"y0": func(m *Builder, a []string) string {
		x := a[0]
		t := m.besselT(x)
		near := m.fma(m.mul(m.c(2/math.Pi), m.fn("log", x)), m.horner(t, j0Coeffs...),
			m.horner(t, y0Coeffs...))
		p, q, s, c, root := m.hankel(x, 0)
		far := m.mul(root, m.add(m.mul(p, s), m.mul(q, c)))
		return m.besselYEnd(x, m.sel(m.is("olt", x, m.c(8)), near, far))
	},
	"y1": func(m *Builder, a []string) string {
		x := a[0]
		t := m.besselT(x)
		j := m.mul(x, m.horner(t, j1Coeffs...))
		near := m.mul(m.c(2/math.Pi), m.sub(m.mul(m.fn("log", x), j), m.rcp(x)))
		near = m.fma(x, m.horner(t, y1Coeffs...), near)
		p, q, s, c, root := m.hankel(x, 1)
		far := m.mul(root, m.add(m.mul(p, s), m.mul(q, c)))
		return m.besselYEnd(x, m.sel(m.is("olt", x, m.c(8)), near, far))
	},
	"cyl_bessel_i0": func(m *Builder, a []string) string { return m.besselI(m.abs(a[0]), 0) },
	"cyl_bessel_i1": func(m *Builder, a []string) string {
		v := m.besselI(m.abs(a[0]), 1)
		return m.sign(v, a[0])
	},
	// jn and yn take their order as a float.
	"jn": func(m *Builder, a []string) string {
		n, x := m.abs(a[0]), m.abs(a[1])
		forward := m.recurrence(n, x, m.fn("j0", x), m.fn("j1", x))
		v := m.sel(m.is("ole", n, x), forward, m.miller(n, x))
		v = m.sel(m.is("oeq", n, m.c(0)), m.fn("j0", x), m.sel(m.is("oeq", n, m.c(1)), m.fn("j1", x), v))
		v = m.sel(m.and(m.is("oeq", x, m.c(0)), m.is("ogt", n, m.c(0))), m.c(0), v)
		half := m.mul(n, m.c(0.5))
		odd := m.not(m.is("oeq", half, m.floor(half)))
		minus := m.xor(m.is("olt", a[0], m.c(0)), m.is("olt", a[1], m.c(0)))
		return m.sel(m.and(odd, minus), m.neg(v), v)
	},
	"yn": func(m *Builder, a []string) string {
		n, x := m.abs(a[0]), a[1]
		v := m.recurrence(n, x, m.fn("y0", x), m.fn("y1", x))
		v = m.sel(m.is("oeq", n, m.c(0)), m.fn("y0", x), m.sel(m.is("oeq", n, m.c(1)), m.fn("y1", x), v))
		half := m.mul(n, m.c(0.5))
		odd := m.not(m.is("oeq", half, m.floor(half)))
		v = m.sel(m.and(odd, m.is("olt", a[0], m.c(0))), m.neg(v), v)
		return m.besselYEnd(x, v)
	},
}

// besselT is the argument of the polynomials up to 8.
func (m *Builder) besselT(x string) string {
	y := m.min(x, m.c(8))
	return m.fma(m.mul(y, y), m.c(1.0/32), m.c(-1))
}

// hankel are the parts of the expansion beyond 8, for χ = x - (2n+1)·π/4, whose sine and cosine come from
// those of x.
func (m *Builder) hankel(x string, n int) (p, q, s, c, root string) {
	y := m.max(x, m.c(8))
	r := m.div(m.c(8), y)
	t := m.mul(r, r)
	pc, qc := p0Coeffs, q0Coeffs
	if n == 1 {
		pc, qc = p1Coeffs, q1Coeffs
	}
	p, q = m.horner(t, pc...), m.div(m.horner(t, qc...), y)
	sx, cx := m.fn("sin", y), m.fn("cos", y)
	half := m.c(math.Sqrt2 / 2)
	if n == 0 { // x - π/4
		s, c = m.mul(half, m.sub(sx, cx)), m.mul(half, m.add(sx, cx))
	} else { // x - 3π/4
		s, c = m.mul(half, m.neg(m.add(sx, cx))), m.mul(half, m.sub(sx, cx))
	}
	return p, q, s, c, m.sqrt(m.div(m.c(2/math.Pi), y))
}

func (m *Builder) besselEnd(x, v string) string {
	v = m.sel(m.isInf(x), m.c(0), v)
	return m.sel(m.isNaN(x), x, v)
}

func (m *Builder) besselYEnd(x, v string) string {
	v = m.sel(m.isInf(x), m.c(0), v)
	v = m.sel(m.is("oeq", x, m.c(0)), m.c(math.Inf(-1)), v)
	return m.sel(m.is("ult", x, m.c(0)), m.c(math.NaN()), v)
}

// recurrence climbs from orders 0 and 1 to n: f(k+1) = 2k/x·f(k) - f(k-1).
func (m *Builder) recurrence(n, x, f0, f1 string) string {
	r := m.loop([]string{m.c(1), f0, f1}, func(v []string) ([]string, string) {
		next := m.fma(m.div(m.mul(m.c(2), v[0]), x), v[2], m.neg(v[1]))
		k := m.add(v[0], m.c(1))
		return []string{k, v[2], next}, m.is("olt", k, n)
	})
	return r[2]
}

// miller descends from an order well above n, where the values are as good as zero, and scales by 1 = J0 +
// 2·J2 + 2·J4 …
func (m *Builder) miller(n, x string) string {
	top := m.add(n, m.add(m.c(20), m.mul(m.c(6), m.fn("cbrt", n))))
	top = m.mul(m.c(2), m.floor(m.mul(top, m.c(0.5)))) // even
	y := m.max(x, m.c(1e-30))
	r := m.loop([]string{top, m.c(0), m.c(1e-290), m.c(0), m.c(0)}, func(v []string) ([]string, string) {
		k, above, now, want, sum := v[0], v[1], v[2], v[3], v[4]
		want = m.sel(m.is("oeq", k, n), now, want)
		half := m.mul(k, m.c(0.5))
		sum = m.sel(m.is("oeq", half, m.floor(half)), m.fma(m.c(2), now, sum), sum)
		below := m.fma(m.div(m.mul(m.c(2), k), y), now, m.neg(above))
		// Kept in range: all that is so far is scaled down together.
		big := m.is("ogt", m.abs(below), m.c(1e200))
		scale := m.sel(big, m.c(1e-200), m.c(1))
		next := []string{m.sub(k, m.c(1)), m.mul(now, scale), m.mul(below, scale), m.mul(want, scale),
			m.mul(sum, scale)}
		return next, m.is("ogt", k, m.c(1))
	})
	total := m.add(r[4], r[2]) // order 0 counts once
	return m.div(r[3], total)
}

// besselI is the modified function: the power series, whose terms are all positive, and beyond 40 the
// asymptotic one.
func (m *Builder) besselI(x string, order int) string {
	y := m.min(x, m.c(40))
	q := m.mul(m.mul(y, y), m.c(0.25))
	first := m.c(1)
	if order == 1 {
		first = m.mul(y, m.c(0.5))
	}
	r := m.loop([]string{m.c(1), first, m.c(0)}, func(v []string) ([]string, string) {
		k, term, sum := v[0], v[1], v[2]
		sum = m.add(sum, term)
		term = m.div(m.mul(term, q), m.mul(k, m.add(k, m.c(float64(order)))))
		return []string{m.add(k, m.c(1)), term, sum}, m.is("ogt", term, m.mul(sum, m.c(1e-18)))
	})
	z := m.max(x, m.c(40))
	sum, term := m.c(1), m.c(1)
	mu := float64(4 * order * order)
	for k := 1; k < 20; k++ {
		odd := float64(2*k - 1)
		term = m.div(m.mul(term, m.c(-(mu-odd*odd)/(8*float64(k)))), z)
		sum = m.add(sum, term)
	}
	half := m.fn("exp", m.mul(z, m.c(0.5)))
	far := m.mul(m.mul(half, m.div(sum, m.sqrt(m.mul(m.c(2*math.Pi), z)))), half)
	v := m.sel(m.is("ogt", x, m.c(40)), far, r[2])
	v = m.sel(m.is("ogt", x, m.c(1500)), m.c(math.Inf(1)), v)
	return m.sel(m.isNaN(x), x, v)
}
