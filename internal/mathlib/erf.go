package mathlib

import "math"

var erfFuncs = map[string]builder{
	"erf": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		near := m.mul(x, m.poly(m.mul(x, x), erfPoly))
		far := m.sub(m.c(1), m.fn("erfc", m.max(x, m.c(0.9))))
		v := m.sel(m.is("ole", x, m.c(1)), near, far)
		v = m.sel(m.isNaN(a[0]), a[0], v)
		return m.sign(v, a[0])
	},
	// log erfc is smooth: a polynomial, and 1 - e^ of it.
	"erf/f32": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		// x + x·(P - 1), whose second part is small.
		rest := append([]float64{erfPoly.f64[0] - 1}, erfPoly.f32[1:]...)
		near := m.fma(x, m.horner(m.mul(x, x), rest...), x)
		t := m.clamp(x, 1, 4)
		e := m.ex2approx(m.mul(m.poly(t, logerfcPoly), m.c(math.Log2E)))
		v := m.sel(m.is("ole", x, m.c(1)), near, m.sub(m.c(1), e))
		v = m.sel(m.isNaN(a[0]), a[0], v)
		return m.sign(v, a[0])
	},
	"erfc": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		near := m.sub(m.c(1), m.mul(a[0], m.poly(m.mul(a[0], a[0]), erfPoly)))
		far := m.mul(m.expNegSquare(x), m.erfcxCore(m.max(x, m.c(0.5))))
		far = m.sel(m.is("ogt", x, m.c(pick(m, 11.0, 27.3))), m.c(0), far)
		far = m.sel(m.is("olt", a[0], m.c(0)), m.sub(m.c(2), far), far)
		v := m.sel(m.is("olt", x, m.c(0.5)), near, far)
		return m.sel(m.isNaN(a[0]), a[0], v)
	},
	"erfcx": func(m *Builder, a []string) string {
		x := a[0]
		far := m.erfcxCore(m.max(x, m.c(0.5)))
		// Below, e^(x²)·erfc(x).
		sq, low := m.twoProd(x, x)
		e := m.fn("exp", sq)
		e = m.fma(e, low, e)
		near := m.mul(e, m.fn("erfc", x))
		v := m.sel(m.is("oge", x, m.c(0.5)), far, near)
		v = m.sel(m.is("olt", x, m.c(-27)), m.c(math.Inf(1)), v)
		return m.sel(m.isNaN(x), x, v)
	},
	"normcdf": func(m *Builder, a []string) string {
		// What -x/√2 loses counts where the tail is steep.
		h, low := m.twoProd(a[0], m.c(-math.Sqrt2/2))
		low = m.fma(a[0], m.c(4.833646656726457e-17), low)
		v := m.fn("erfc", h)
		steep := m.mul(m.mul(m.c(2/math.SqrtPi), m.expNegSquare(h)), low)
		v = m.sel(m.is("olt", m.abs(h), m.c(28)), m.sub(v, steep), v)
		return m.mul(m.c(0.5), v)
	},
	"erfinv": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		// From a first guess by steps of Halley's on erfc(y) - (1-x), which keeps its precision where erf
		// is near 1, and on erf(y) - x below.
		y := m.erfinvGuess(x)
		for range 3 {
			small := m.is("olt", x, m.c(0.5))
			f := m.sel(small, m.sub(m.fn("erf", y), x), m.sub(m.sub(m.c(1), x), m.fn("erfc", y)))
			d := m.mul(m.c(2/math.SqrtPi), m.expNegSquare(y))
			s := m.div(f, d)
			y = m.sub(y, m.div(s, m.fma(y, s, m.c(1))))
		}
		y = m.sel(m.is("oeq", x, m.c(0)), m.c(0), y)
		y = m.sel(m.is("oeq", x, m.c(1)), m.c(math.Inf(1)), y)
		y = m.sel(m.is("ugt", x, m.c(1)), m.c(math.NaN()), y)
		return m.sign(y, a[0])
	},
	"erfcinv": func(m *Builder, a []string) string {
		x := a[0] // erfc(y) = x, in (0, 2)
		upper := m.is("ogt", x, m.c(1))
		t := m.sel(upper, m.sub(m.c(2), x), x) // y of the other half is -y
		y := m.erfcinvGuess(t)
		for range 4 {
			near := m.is("ogt", t, m.c(0.5)) // there 1-t is exact, and erf the better one
			f := m.sel(near, m.sub(m.fn("erf", y), m.sub(m.c(1), t)), m.sub(t, m.fn("erfc", y)))
			d := m.mul(m.c(2/math.SqrtPi), m.expNegSquare(y))
			s := m.div(f, d)
			step := m.div(s, m.fma(y, s, m.c(1)))
			y = m.sub(y, m.sel(m.is("ult", m.abs(step), m.c(5)), step, m.c(0)))
		}
		y = m.sel(m.is("oeq", t, m.c(0)), m.c(math.Inf(1)), y)
		y = m.sel(upper, m.neg(y), y)
		bad := m.or(m.is("ult", x, m.c(0)), m.is("ugt", x, m.c(2)))
		return m.sel(bad, m.c(math.NaN()), y)
	},
	"normcdfinv": func(m *Builder, a []string) string {
		return m.mul(m.c(-math.Sqrt2), m.fn("erfcinv", m.mul(m.c(2), a[0])))
	},
}

// expNegSquare is e^(-x²), with what the square loses put back.
func (m *Builder) expNegSquare(x string) string {
	sq, low := m.twoProd(x, x)
	e := m.fn("exp", m.neg(sq))
	return m.fma(e, m.neg(low), e)
}

// erfcxCore is e^(x²)·erfc(x) for x >= ½.
func (m *Builder) erfcxCore(x string) string {
	t := m.div(m.sub(x, m.c(4)), m.add(x, m.c(4)))
	t = m.sel(m.isInf(x), m.c(1), t)
	return m.div(m.poly(t, erfcxPoly), m.fma(m.c(2), x, m.c(1)))
}

// erfinvGuess is a rough inverse of erf on [0, 1): Winitzki's formula.
func (m *Builder) erfinvGuess(x string) string {
	return m.winitzki(m.fn("log1p", m.neg(m.mul(x, x))))
}

// erfcinvGuess is the same for 1 - x, where x may be tiny: log((1-(1-x)²)) = log(x·(2-x)).
func (m *Builder) erfcinvGuess(x string) string {
	return m.winitzki(m.fn("log", m.mul(m.max(x, m.c(pick(m, 1e-44, 5e-324))), m.sub(m.c(2), x))))
}

func (m *Builder) winitzki(lg string) string {
	const a = 0.147
	t := m.fma(lg, m.c(0.5), m.c(2/(math.Pi*a)))
	root := m.sqrt(m.max(m.fma(t, t, m.mul(lg, m.c(-1/a))), m.c(0)))
	return m.sqrt(m.max(m.sub(root, t), m.c(0)))
}
