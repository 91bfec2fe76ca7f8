package mathlib

import "math"

var hyperbolicFuncs = map[string]builder{
	"sigmoid": func(m *Builder, a []string) string { // 1 / (1 + e^-x)
		return m.rcp(m.add(m.c(1), m.fn("exp", m.neg(a[0]))))
	},
	"tanh": func(m *Builder, a []string) string {
		x := m.min(m.abs(a[0]), m.c(pick(m, 20.0, 40.0)))
		t := m.fn("expm1", m.mul(x, m.c(2)))
		v := m.quotient(t, m.add(t, m.c(2)))
		v = m.sel(m.isNaN(a[0]), a[0], v)
		return m.sign(v, a[0])
	},
	"sinh": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		e := m.fn("expm1", m.min(x, m.c(pick(m, 80.0, 700.0))))
		small := m.mul(m.c(0.5), m.add(e, m.div(e, m.add(e, m.c(1)))))
		p, n := m.expParts(x)
		large := m.expEnd(x, m.scale(p, m.i32("sub", n, 1)), m.expTop()+math.Ln2, -1)
		return m.sign(m.sel(m.is("olt", x, m.c(pick(m, 40.0, 40.0))), small, large), a[0])
	},
	"cosh": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		p, n := m.expParts(x)
		half := m.scale(p, m.i32("sub", n, 1)) // e^x / 2
		v := m.add(half, m.div(m.c(0.25), half))
		return m.expEnd(x, v, m.expTop()+math.Ln2, -1)
	},
	"asinh": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		big := m.is("ogt", x, m.c(pick(m, 0x1p20, 0x1p40)))
		s := m.mul(x, x)
		small := m.fn("log1p", m.add(x, m.quotient(s, m.add(m.c(1), m.root(m.add(m.c(1), s))))))
		return m.sign(m.sel(big, m.add(m.fn("log", x), m.c(math.Ln2)), small), a[0])
	},
	"acosh": func(m *Builder, a []string) string {
		x := a[0]
		t := m.sub(x, m.c(1))
		big := m.is("ogt", x, m.c(pick(m, 0x1p20, 0x1p40)))
		small := m.fn("log1p", m.add(t, m.root(m.fma(t, t, m.mul(m.c(2), t)))))
		v := m.sel(big, m.add(m.fn("log", x), m.c(math.Ln2)), small)
		return m.sel(m.is("ult", x, m.c(1)), m.c(math.NaN()), v)
	},
	"atanh": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		t := m.div(m.mul(m.c(2), x), m.sub(m.c(1), x))
		v := m.mul(m.c(0.5), m.fn("log1p", t))
		return m.sign(v, a[0])
	},
}
