package mathlib

import (
	"fmt"
	"math"
)

// Arithmetic and conversions with a rounding mode. The result is rounded to nearest first; what it lost,
// whose sign can be had exactly, tells whether its neighbour is the one that is wanted.

// direction is a rounding mode: _rn to nearest, _rz toward zero, _rd down, _ru up.
type direction byte

var directions = []direction{'n', 'z', 'd', 'u'}

func (d direction) suffix() string { return "_r" + string(d) }

// step is r, or its neighbour in the direction if the exact value, which is r + lost by sign, lies beyond
// it. lost is not a number where nothing was lost.
func (m *Builder) step(d direction, r, lost string) string {
	if d == 'n' {
		return r
	}
	less, more := m.is("olt", lost, m.c(0)), m.is("ogt", lost, m.c(0))
	switch down, up := m.neighbour(r, math.Inf(-1)), m.neighbour(r, math.Inf(1)); d {
	case 'd':
		return m.sel(less, down, r)
	case 'u':
		return m.sel(more, up, r)
	default: // down where the exact value is positive, up where it is negative
		positive := m.or(m.is("ogt", r, m.c(0)), m.and(m.is("oeq", r, m.c(0)), more))
		negative := m.or(m.is("olt", r, m.c(0)), m.and(m.is("oeq", r, m.c(0)), less))
		return m.sel(m.and(positive, less), down, m.sel(m.and(negative, more), up, r))
	}
}

// neighbour is the next number toward plus or minus infinity.
func (m *Builder) neighbour(r string, toward float64) string {
	v := m.fn("nextafter", r, m.c(toward))
	return m.sel(m.is("oeq", r, m.c(toward)), r, v)
}

// unless is NaN, which is no loss, where cond holds.
func (m *Builder) unless(cond, lost string) string { return m.sel(cond, m.c(math.NaN()), lost) }

// finite reports whether all numbers are.
func (m *Builder) finite(xs ...string) string {
	yes := ""
	for _, x := range xs {
		one := m.is("olt", m.abs(x), m.c(math.Inf(1)))
		if yes == "" {
			yes = one
		} else {
			yes = m.and(yes, one)
		}
	}
	return yes
}

// sumLost is a+b and what it lost. A sum that overflows lost something of the other sign: the exact one is
// nearer.
func (m *Builder) sumLost(d direction, a, b string) string {
	s, lost := m.twoSum(a, b)
	over := m.and(m.finite(a, b), m.isInf(s))
	lost = m.sel(over, m.neg(s), lost)
	lost = m.unless(m.not(m.finite(a, b)), lost)
	r := m.step(d, s, lost)
	if d != 'd' {
		return r
	}
	// Opposites make -0 when rounding down.
	opposite := m.and(m.is("oeq", s, m.c(0)),
		m.or(m.is("one", a, m.c(0)), m.xor(m.negative(a), m.negative(b))))
	return m.sel(opposite, m.c(math.Copysign(0, -1)), r)
}

// fmaLost is a·b+c rounded. For single precision everything is exact in double; in double precision it is
// wrong only about results near the least numbers there are.
func (m *Builder) fmaLost(d direction, a, b, c string) string {
	r := m.fma(a, b, c)
	if d == 'n' {
		return r
	}
	// a·b + c - r, in parts: p + e + c - r.
	p, e := m.twoProd(a, b)
	s, t := m.twoSum(p, c)
	u := m.sub(s, r)
	lost := m.add(u, m.add(t, e))
	over := m.and(m.finite(a, b, c), m.isInf(r))
	lost = m.sel(over, m.neg(r), lost)
	return m.step(d, r, m.unless(m.not(m.finite(a, b, c)), lost))
}

// inDouble computes a function of single precision in double precision, where it is exact or nearly, and
// rounds that: near is its value to nearest in single precision, exact says in double precision by how much
// the exact value is above a given result.
func (m *Builder) inDouble(d direction, near string, exact func(w *Builder, r string) string) string {
	w := m.lib.builder(F64, m.lanes)
	w.lines, w.temps, w.block = m.lines, m.temps, m.block
	r := w.cast("fpext", "float", near, "double")
	lost := exact(w, r)
	m.lines, m.temps, m.block = w.lines, w.temps, w.block
	sign := m.cast("fptrunc", "double", lost, "float")
	// Of the sign, nothing is lost to underflow.
	sign = m.sel(m.compareDouble("olt", lost), m.c(-1),
		m.sel(m.compareDouble("ogt", lost), m.c(1), m.sel(m.isNaN(sign), sign, m.c(0))))
	over := m.isInf(near)
	sign = m.sel(m.and(over, m.not(m.isNaN(sign))), m.neg(m.sign(m.c(1), near)), sign)
	return m.step(d, near, sign)
}

func (m *Builder) compareDouble(pred, a string) string {
	return m.val("fcmp %s %s %s, %s", pred, m.vec("double"), a, splat("double", hex(0), m.lanes))
}

func (m *Builder) wide(a string) string { return m.cast("fpext", "float", a, "double") }

func addDirected() {
	for _, d := range directions {
		end := d.suffix()
		pair := func(name, types string, f builder) {
			devices["d"+name+end] = device{types, F64, f}
			single := []byte(types)
			for i := range single {
				single[i] = 'f'
			}
			devices["f"+name+end] = device{string(single), F32, f}
		}
		pair("add", "ddd", func(m *Builder, a []string) string { return m.sumLost(d, a[0], a[1]) })
		pair("sub", "ddd", func(m *Builder, a []string) string { return m.sumLost(d, a[0], m.neg(a[1])) })
		pair("mul", "ddd", func(m *Builder, a []string) string { return m.directedMul(d, a[0], a[1]) })
		pair("div", "ddd", func(m *Builder, a []string) string { return m.directedDiv(d, a[0], a[1]) })
		pair("rcp", "dd", func(m *Builder, a []string) string { return m.directedDiv(d, m.c(1), a[0]) })
		pair("sqrt", "dd", func(m *Builder, a []string) string { return m.directedSqrt(d, a[0]) })
		fma := func(m *Builder, a []string) string { return m.directedFma(d, a[0], a[1], a[2]) }
		devices["fma"+end], devices["fmaf"+end] = device{"dddd", F64, fma}, device{"ffff", F32, fma}
	}
}

func (m *Builder) directedMul(d direction, a, b string) string {
	r := m.mul(a, b)
	if d == 'n' {
		return r
	}
	if m.prec == F32 {
		none := m.not(m.finite(a, b))
		exact := m.inDouble(d, r, func(w *Builder, r string) string {
			return w.sub(w.mul(w.wide(a), w.wide(b)), r)
		})
		return m.sel(none, r, exact)
	}
	return m.fmaLost(d, a, b, m.sel(m.negative(r), m.c(math.Copysign(0, -1)), m.c(0)))
}

func (m *Builder) directedDiv(d direction, a, b string) string {
	r := m.div(a, b)
	if d == 'n' {
		return r
	}
	none := m.or(m.not(m.finite(a, b)), m.is("oeq", b, m.c(0)))
	if m.prec == F32 { // r·b is exact
		exact := m.inDouble(d, r, func(w *Builder, r string) string {
			rest := w.sub(w.wide(a), w.mul(r, w.wide(b)))
			return w.sel(w.negative(w.wide(b)), w.neg(rest), rest)
		})
		return m.sel(none, r, exact)
	}
	rest := m.fma(m.neg(r), b, a)
	rest = m.sel(m.negative(b), m.neg(rest), rest)
	rest = m.sel(m.isInf(r), m.neg(r), rest)
	return m.step(d, r, m.unless(none, rest))
}

func (m *Builder) directedSqrt(d direction, a string) string {
	r := m.sqrt(a)
	if d == 'n' {
		return r
	}
	return m.step(d, r, m.unless(m.not(m.finite(a)), m.fma(m.neg(r), r, a)))
}

func (m *Builder) directedFma(d direction, a, b, c string) string {
	if m.prec == F64 || d == 'n' {
		return m.fmaLost(d, a, b, c)
	}
	r := m.fma(a, b, c)
	exact := m.inDouble(d, r, func(w *Builder, r string) string {
		p := w.mul(w.wide(a), w.wide(b)) // exact
		s, lost := w.twoSum(p, w.wide(c))
		return w.add(w.sub(s, r), lost)
	})
	return m.sel(m.not(m.finite(a, b, c)), r, exact)
}

// rounds are the functions that round to whole numbers.
func (m *Builder) round(d direction, x string) string {
	switch d {
	case 'n':
		return m.rint(x)
	case 'z':
		return m.trunc(x)
	case 'd':
		return m.floor(x)
	}
	return m.in("llvm.ceil", x)
}

// toWhole converts to an integer, to the nearest that there is; NaN becomes 0 in 32 bits and the least
// number in 64.
func (m *Builder) toWhole(x, elem string, unsigned bool) string {
	name := "llvm.fptosi.sat."
	if unsigned {
		name = "llvm.fptoui.sat."
	}
	v := m.call(m.vec(elem), name+Suffix(elem, m.lanes)+"."+m.suffix, m.f+" "+x)
	if elem == "i64" {
		least := splat("i64", fmt.Sprint(math.MinInt64), m.lanes)
		v = m.choose(m.vec("i64"), m.isNaN(x), least, v)
	}
	return v
}

var integers = []struct {
	name, elem string
	letter     string
	unsigned   bool
}{{"int", "i32", "i", false}, {"uint", "i32", "i", true}, {"ll", "i64", "l", false},
	{"ull", "i64", "l", true}}

func addDirectedCasts() {
	for _, d := range directions {
		end := d.suffix()
		devices["double2float"+end] = device{"fd", F32, func(m *Builder, a []string) string {
			near := m.cast("fptrunc", "double", a[0], "float")
			if d == 'n' {
				return near
			}
			return m.sel(m.isInf(m.sel(m.compareInf(a[0]), near, m.c(0))), near,
				m.inDouble(d, near, func(w *Builder, r string) string {
					return w.sub(a[0], r)
				}))
		}}
		for _, n := range integers {
			to := func(m *Builder, a []string) string {
				return m.toWhole(m.round(d, a[0]), n.elem, n.unsigned)
			}
			devices["float2"+n.name+end] = device{n.letter + "f", F32, to}
			devices["double2"+n.name+end] = device{n.letter + "d", F64, to}
			from := func(m *Builder, a []string) string { return m.fromWhole(d, a[0], n.elem, n.unsigned) }
			devices[n.name+"2float"+end] = device{"f" + n.letter, F32, from}
			devices[n.name+"2double"+end] = device{"d" + n.letter, F64, from}
		}
	}
	to := func(round string) builder {
		return func(m *Builder, a []string) string { return m.toWhole(m.fn(round, a[0]), "i64", false) }
	}
	for name, round := range map[string]string{"llrint": "rint", "llround": "round"} {
		devices[name], devices[name+"f"] = device{"ld", F64, to(round)}, device{"lf", F32, to(round)}
	}
}

func (m *Builder) compareInf(a string) string {
	return m.val("fcmp oeq %s %s, %s", m.vec("double"), m.call(m.vec("double"), "llvm.fabs."+
		Suffix("f64", m.lanes), m.vec("double")+" "+a), splat("double", hex(math.Inf(1)), m.lanes))
}

// fromWhole converts an integer.
func (m *Builder) fromWhole(d direction, n, elem string, unsigned bool) string {
	op := "sitofp"
	if unsigned {
		op = "uitofp"
	}
	near := m.cast(op, elem, n, pick(m, "float", "double"))
	if d == 'n' || elem == "i32" && m.prec == F64 {
		return near
	}
	if elem == "i32" {
		return m.inDouble(d, near, func(w *Builder, r string) string {
			return w.sub(w.cast(op, "i32", n, "double"), r)
		})
	}
	// In two halves, each exact in double precision.
	shift := "ashr"
	if unsigned {
		shift = "lshr"
	}
	exact := func(w *Builder, r string) string {
		high := w.mul(w.cast(op, "i64", w.whole(shift, "i64", n, int64(32)), "double"), w.c(0x1p32))
		low := w.cast("uitofp", "i64", w.whole("and", "i64", n, int64(0xffffffff)), "double")
		return w.add(w.sub(high, r), low)
	}
	if m.prec == F32 {
		return m.inDouble(d, near, exact)
	}
	return m.step(d, near, exact(m, near))
}
