package lower

import "math"

var roundFuncs = map[string]mathFunc{
	"floor": func(m *mathBuilder, a []string) string { return m.floor(a[0]) },
	"ceil":  func(m *mathBuilder, a []string) string { return m.in("llvm.ceil", a[0]) },
	"trunc": func(m *mathBuilder, a []string) string { return m.trunc(a[0]) },
	"rint":  func(m *mathBuilder, a []string) string { return m.rint(a[0]) },
	// Halves go away from zero. Adding what is just below a half keeps those just below a half where they are.
	"round": func(m *mathBuilder, a []string) string {
		below := pick(m, float64(math.Nextafter32(0.5, 0)), math.Nextafter(0.5, 0))
		v := m.sign(m.trunc(m.add(m.abs(a[0]), m.c(below))), a[0])
		whole := m.is("oge", m.abs(a[0]), m.c(pick(m, 0x1p23, 0x1p52)))
		return m.sel(m.or(whole, m.isNaN(a[0])), a[0], v)
	},
	"fdim": func(m *mathBuilder, a []string) string {
		v := m.sel(m.is("ogt", a[0], a[1]), m.sub(a[0], a[1]), m.c(0))
		return m.sel(m.is("uno", a[0], a[1]), m.c(math.NaN()), v)
	},
	"logb": func(m *mathBuilder, a []string) string {
		v := m.fromInt(m.exponent(a[0]))
		v = m.sel(m.is("oeq", a[0], m.c(0)), m.c(math.Inf(-1)), v)
		v = m.sel(m.isInf(a[0]), m.c(math.Inf(1)), v)
		return m.sel(m.isNaN(a[0]), a[0], v)
	},
	"nextafter": func(m *mathBuilder, a []string) string {
		x, y := a[0], a[1]
		b := m.bits(x)
		toward := m.val("xor i1 %s, %s", m.is("olt", x, y), m.val("icmp slt %s %s, 0", m.i, b)) // away from zero
		step := m.val("select i1 %s, %s 1, %s -1", toward, m.i, m.i)
		v := m.float(m.ib("add", b, step))
		least := m.sign(m.float("1"), y)
		v = m.sel(m.is("oeq", x, m.c(0)), least, v)
		v = m.sel(m.is("oeq", x, y), y, v)
		return m.sel(m.is("uno", x, y), m.c(math.NaN()), v)
	},
	"fmod":      func(m *mathBuilder, a []string) string { return m.remainder(a[0], a[1], false) },
	"remainder": func(m *mathBuilder, a []string) string { return m.remainder(a[0], a[1], true) },
	"saturate": func(m *mathBuilder, a []string) string {
		return m.min(m.max(a[0], m.c(0)), m.c(1))
	},
}

// exponent is floor(log2 |x|) of a number that is neither zero nor infinite, as i32.
func (m *mathBuilder) exponent(x string) string {
	tiny := m.is("olt", m.abs(x), m.c(pick(m, 0x1p-126, 0x1p-1022)))
	up := pick(m, 25, 54)
	b := m.bits(m.sel(tiny, m.mul(x, m.c(math.Ldexp(1, up))), x))
	e := m.ib("and", m.ib("lshr", b, m.manBits()), pick(m, 0xff, 0x7ff))
	if m.i == "i64" {
		e = m.val("trunc i64 %s to i32", e)
	}
	return m.i32("sub", m.i32("sub", e, m.bias()), m.val("select i1 %s, i32 %d, i32 0", tiny, up))
}

// remainder is x - n·y, exactly, n being the quotient rounded towards zero, or to the nearest whole number.
func (m *mathBuilder) remainder(x, y string, nearest bool) string {
	ax, ay := m.abs(x), m.abs(y)
	q := m.trunc(m.div(ax, ay))
	// A quotient that a float holds is right, or one too large: then the rest is negative.
	v := m.branch(m.is("olt", q, m.c(pick(m, 0x1p23, 0x1p52))), func() string {
		r := m.fma(m.neg(q), ay, ax)
		return m.sel(m.is("olt", r, m.c(0)), m.add(r, ay), m.sel(m.isInf(ay), ax, r))
	}, func() string { return m.longRemainder(ax, ay) })
	if nearest {
		v = m.nearestRest(x, v, ay)
	} else {
		v = m.sign(v, x)
	}
	bad := m.or(m.or(m.is("oeq", ay, m.c(0)), m.isInf(x)), m.is("uno", x, y))
	return m.sel(bad, m.c(math.NaN()), v)
}

// longRemainder subtracts y times a power of two while there is one, from the largest on.
func (m *mathBuilder) longRemainder(ax, ay string) string {
	head, body, done := m.label("rem"), m.label("step"), m.label("rest")
	from := m.writer.block
	m.br(head)
	m.begin(head)
	r := m.phi(m.f)
	r.from(ax, from)
	more := m.and(m.is("oge", r.name, ay), m.and(m.is("olt", r.name, m.c(math.Inf(1))), m.is("ogt", ay, m.c(0))))
	m.condBr(more, body, done)
	m.begin(body)
	// d is y scaled up to the exponent of r, or one below it, so that r - d is exact and not negative.
	d := m.scale(ay, m.i32("sub", m.exponent(r.name), m.exponent(ay)))
	d = m.sel(m.is("ogt", d, r.name), m.mul(d, m.c(0.5)), d)
	next := m.sub(r.name, d)
	r.from(next, m.writer.block)
	m.br(head)
	m.patch(r)
	m.begin(done)
	return r.name
}

// nearestRest takes r in [0, y), the rest of |x|, into [-y/2, y/2]: to the even quotient where it is a half.
func (m *mathBuilder) nearestRest(x, r, y string) string {
	// Whether the quotient so far is odd: |x| mod 2y is at least y.
	twice := m.fn("fmod", m.abs(x), m.mul(y, m.c(2)))
	odd := m.is("oge", twice, y)
	odd = m.sel2(m.isInf(m.mul(y, m.c(2))), m.is("oge", m.abs(x), y), odd)
	rest := m.sub(y, r) // exact where it matters: r >= y/2
	over := m.is("ogt", r, rest)
	tie := m.and(m.is("oeq", r, rest), odd)
	flip := m.or(over, tie)
	v := m.sel(flip, m.neg(rest), r)
	v = m.sel(m.isInf(y), r, v)
	negative := m.val("icmp slt %s %s, 0", m.i, m.bits(x))
	return m.sel(negative, m.neg(v), v)
}

func (m *mathBuilder) sel2(cond, a, b string) string {
	return m.val("select i1 %s, i1 %s, i1 %s", cond, a, b)
}
