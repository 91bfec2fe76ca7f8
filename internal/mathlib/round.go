package mathlib

import "math"

var roundFuncs = map[string]builder{
	"fabs":  func(m *Builder, a []string) string { return m.abs(a[0]) },
	"floor": func(m *Builder, a []string) string { return m.floor(a[0]) },
	"ceil":  func(m *Builder, a []string) string { return m.in("llvm.ceil", a[0]) },
	"trunc": func(m *Builder, a []string) string { return m.trunc(a[0]) },
	"rint":  func(m *Builder, a []string) string { return m.rint(a[0]) },
	// Halves go away from zero. Adding what is just below a half keeps those just below a half where they
	// are.
	"round": func(m *Builder, a []string) string {
		below := pick(m, float64(math.Nextafter32(0.5, 0)), math.Nextafter(0.5, 0))
		v := m.sign(m.trunc(m.add(m.abs(a[0]), m.c(below))), a[0])
		whole := m.is("oge", m.abs(a[0]), m.c(pick(m, 0x1p23, 0x1p52)))
		return m.sel(m.or(whole, m.isNaN(a[0])), a[0], v)
	},
	"fdim": func(m *Builder, a []string) string {
		v := m.sel(m.is("ogt", a[0], a[1]), m.sub(a[0], a[1]), m.c(0))
		return m.sel(m.is("uno", a[0], a[1]), m.c(math.NaN()), v)
	},
	"logb": func(m *Builder, a []string) string {
		v := m.fromInt(m.exponent(a[0]))
		v = m.sel(m.is("oeq", a[0], m.c(0)), m.c(math.Inf(-1)), v)
		v = m.sel(m.isInf(a[0]), m.c(math.Inf(1)), v)
		return m.sel(m.isNaN(a[0]), a[0], v)
	},
	"nextafter": func(m *Builder, a []string) string {
		x, y := a[0], a[1]
		b := m.bits(x)
		toward := m.xor(m.is("olt", x, y), m.negative(x)) // away from zero
		step := m.selBits(toward, m.size(1), m.size(-1))
		v := m.float(m.ib("add", b, step))
		least := m.sign(m.float(m.size(1)), y)
		v = m.sel(m.is("oeq", x, m.c(0)), least, v)
		v = m.sel(m.is("oeq", x, y), y, v)
		return m.sel(m.is("uno", x, y), m.c(math.NaN()), v)
	},
	"fmod":      func(m *Builder, a []string) string { return m.remainder(a[0], a[1], false) },
	"remainder": func(m *Builder, a []string) string { return m.remainder(a[0], a[1], true) },
	"saturate": func(m *Builder, a []string) string {
		return m.min(m.max(a[0], m.c(0)), m.c(1))
	},
}

// exponent is floor(log2 |x|) of a number that is neither zero nor infinite, as i32.
func (m *Builder) exponent(x string) string {
	tiny := m.is("olt", m.abs(x), m.c(pick(m, 0x1p-126, 0x1p-1022)))
	up := pick(m, 25, 54)
	b := m.bits(m.sel(tiny, m.mul(x, m.c(math.Ldexp(1, up))), x))
	e := m.ib("and", m.ib("lshr", b, m.manBits()), pick(m, 0xff, 0x7ff))
	return m.i32("sub", m.i32("sub", m.narrow(e), m.bias()), m.selN(tiny, m.k(up), m.k(0)))
}

// remainder is x - n·y, exactly, n being the quotient rounded towards zero, or to the nearest whole number.
func (m *Builder) remainder(x, y string, nearest bool) string {
	ax, ay := m.abs(x), m.abs(y)
	q := m.trunc(m.div(ax, ay))
	// A quotient that a float holds is right, or one too large: then the rest is negative.
	r := m.fma(m.neg(q), ay, ax)
	r = m.sel(m.is("olt", r, m.c(0)), m.add(r, ay), m.sel(m.isInf(ay), ax, r))
	v := m.seldom(m.is("uge", q, m.c(pick(m, 0x1p23, 0x1p52))), []typed{{m.f, r}}, func() []string {
		return []string{m.longRemainder(ax, ay)}
	})[0]
	if nearest {
		v = m.nearestRest(x, v, ay)
	} else {
		v = m.sign(v, x)
	}
	return m.noRemainder(x, y, v)
}

// noRemainder is v where x and y have a remainder, and NaN elsewhere.
func (m *Builder) noRemainder(x, y, v string) string {
	bad := m.or(m.or(m.is("oeq", y, m.c(0)), m.isInf(x)), m.is("uno", x, y))
	return m.sel(bad, m.c(math.NaN()), v)
}

// longRemainder subtracts y times a power of two while there is one, from the largest on.
func (m *Builder) longRemainder(ax, ay string) string {
	r := m.loop([]string{ax}, func(v []string) ([]string, string) {
		// d is y scaled up to the exponent of r, or one below it, so that r - d is exact and not negative.
		d := m.scaleFar(ay, m.i32("sub", m.exponent(v[0]), m.exponent(ay)))
		d = m.sel(m.is("ogt", d, v[0]), m.mul(d, m.c(0.5)), d)
		next := m.sel(m.is("oge", v[0], ay), m.sub(v[0], d), v[0])
		more := m.and(m.is("oge", next, ay), m.and(m.is("olt", next, m.c(math.Inf(1))),
			m.is("ogt", ay, m.c(0))))
		return []string{next}, more
	})
	return r[0]
}

// nearestRest takes r in [0, y), the rest of |x|, into [-y/2, y/2]: to the even quotient where it is a half.
func (m *Builder) nearestRest(x, r, y string) string {
	// Whether the quotient so far is odd: |x| mod 2y is at least y.
	twice := m.fn("fmod", m.abs(x), m.mul(y, m.c(2)))
	odd := m.is("oge", twice, y)
	odd = m.selB(m.isInf(m.mul(y, m.c(2))), m.is("oge", m.abs(x), y), odd)
	rest := m.sub(y, r) // exact where it matters: r >= y/2
	over := m.is("ogt", r, rest)
	tie := m.and(m.is("oeq", r, rest), odd)
	flip := m.or(over, tie)
	v := m.sel(flip, m.neg(rest), r)
	v = m.sel(m.isInf(y), r, v)
	negative := m.negative(x)
	return m.sel(negative, m.neg(v), v)
}
