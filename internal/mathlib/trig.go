package mathlib

import (
	"fmt"
	"math"
	"strings"
)

var trigFuncs = map[string]builder{
	"sin": sinOf((*Builder).anyTurn), "cos": cosOf((*Builder).anyTurn), "tan": tanOf((*Builder).anyTurn),
	// of a number that f16 holds
	"sin16": sinOf((*Builder).nearTurn), "cos16": cosOf((*Builder).nearTurn),
	"tan16": tanOf((*Builder).nearTurn),
	"sinpi": func(m *Builder, a []string) string {
		q, r, lo := m.halfTurns(a[0])
		s, c := m.sinCos(r, lo)
		v := m.quadrant(m.i32("and", q, 1), m.i32("and", q, 2), s, c)
		whole := m.is("oeq", a[0], m.trunc(a[0])) // an exact zero with the sign of x
		return m.notFinite(a[0], m.sel(whole, m.sign(m.c(0), a[0]), v))
	},
	"cospi": func(m *Builder, a []string) string {
		q, r, lo := m.halfTurns(a[0])
		s, c := m.sinCos(r, lo)
		v := m.quadrant(m.i32("and", m.i32("add", q, 1), 1), m.i32("and", m.i32("add", q, 1), 2), s, c)
		half := m.is("oeq", m.abs(m.sub(a[0], m.trunc(a[0]))), m.c(0.5))
		return m.notFinite(a[0], m.sel(half, m.c(0), v))
	},
	"asin": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		far := m.is("ogt", x, m.c(0.5))
		z := m.sel(far, m.mul(m.sub(m.c(1), x), m.c(0.5)), m.mul(x, x))
		y := m.sel(far, m.root(z), x)
		p := m.fma(m.mul(y, z), m.poly(z, asinPoly), y) // asin y
		v := m.sel(far, m.sub(m.c(math.Pi/2), m.fma(p, m.c(2), m.c(-piHalfLow(m)))), p)
		return m.sign(v, a[0])
	},
	"acos": func(m *Builder, a []string) string {
		x := m.abs(a[0])
		far := m.is("ogt", x, m.c(0.5))
		z := m.sel(far, m.mul(m.sub(m.c(1), x), m.c(0.5)), m.mul(x, x))
		y := m.sel(far, m.root(z), x)
		q := m.mul(m.mul(y, z), m.poly(z, asinPoly)) // asin y - y
		negative := m.is("olt", a[0], m.c(0))
		twice := m.mul(m.add(y, q), m.c(2))
		outer := m.sel(negative, m.sub(m.c(math.Pi), m.fma(m.c(2), m.add(y, q), m.c(-2*piHalfLow(m)))), twice)
		sy := m.sel(negative, m.neg(y), y)
		sq := m.sel(negative, m.neg(q), q)
		inner := m.sub(m.c(math.Pi/2), m.sub(sy, m.sub(m.c(piHalfLow(m)), sq)))
		return m.sel(far, outer, inner)
	},
	"atan": func(m *Builder, a []string) string {
		v, lo := m.atanParts(m.abs(a[0]), m.c(1))
		return m.sign(m.add(v, lo), a[0])
	},
	"atan2": func(m *Builder, a []string) string {
		y, x := m.abs(a[0]), m.abs(a[1])
		v, lo := m.atanParts(y, x)
		r := m.add(v, lo)
		left := m.negative(a[1]) // x is negative, or -0
		r = m.sel(left, m.sub(m.c(math.Pi), m.sub(r, m.c(2*piHalfLow(m)))), r)
		r = m.sel(m.or(m.isNaN(a[0]), m.isNaN(a[1])), m.c(math.NaN()), r)
		return m.sign(r, a[0])
	},
}

// turn returns q, quarters of a turn, and the sine and cosine of x - q·π/2, which is at most π/4 large.
type turn func(m *Builder, x string) (q, s, c string)

func sinOf(turn turn) builder {
	return func(m *Builder, a []string) string { return m.keepZero(a[0], m.sinIn(turn(m, a[0]))) }
}

// keepZero returns x where x is zero, and v elsewhere: the reduction of an argument loses the sign of -0.
func (m *Builder) keepZero(x, v string) string { return m.sel(m.is("oeq", x, m.c(0)), x, v) }

func cosOf(turn turn) builder {
	return func(m *Builder, a []string) string { return m.cosIn(turn(m, a[0])) }
}

// sinIn and cosIn are the sine and cosine of an angle of which a turn returned the parts.
func (m *Builder) sinIn(q, s, c string) string {
	return m.quadrant(m.i32("and", q, 1), m.i32("and", q, 2), s, c)
}

func (m *Builder) cosIn(q, s, c string) string {
	next := m.i32("add", q, 1)
	return m.quadrant(m.i32("and", next, 1), m.i32("and", next, 2), s, c)
}

// SinCos is a function on a number whose result is a struct of the number's sine and cosine; small says that
// f16 holds the number.
func (l *Library) SinCos(p Prec, small bool) *Func {
	m := l.builder(p, 1)
	name, turns := "sincos.", [2]turn{(*Builder).anyTurn, (*Builder).nearTurn}
	if l.target.NVPTX && p == F32 {
		turns = [2]turn{(*Builder).gpuTurn, (*Builder).gpuNearTurn}
	}
	turn := turns[0]
	if small {
		name, turn = "sincos16.", turns[1]
	}
	f := &Func{Name: "nereid." + name + m.suffix, Result: fmt.Sprintf("{ %s, %[1]s }", m.f),
		Params: []string{m.f}}
	if known := l.funcs[f.Name]; known != nil {
		return known
	}
	l.funcs[f.Name] = f
	sin, cos := m.turned(turn, "%a0")
	pair := m.val("insertvalue %s poison, %s %s, 0", f.Result, m.f, sin)
	pair = m.val("insertvalue %s %s, %s %s, 1", f.Result, pair, m.f, cos)
	m.define(f, m.f+" %a0", pair)
	return f
}

// turned returns the sine and the cosine of x, which turn reduces.
func (m *Builder) turned(turn turn, x string) (sin, cos string) {
	if m.lib.target.Unit != nil {
		return m.unit("sin", []string{x}), m.unit("cos", []string{x})
	}
	q, s, c := turn(m, x)
	return m.keepZero(x, m.sinIn(q, s, c)), m.cosIn(q, s, c)
}

func tanOf(turn turn) builder {
	return func(m *Builder, a []string) string {
		q, s, c := turn(m, a[0])
		odd := m.isN("ne", m.i32("and", q, 1), 0)
		return m.keepZero(a[0], m.quotient(m.sel(odd, m.neg(c), s), m.sel(odd, s, c)))
	}
}

// anyTurn takes any number, nearTurn those that reduceNear reduces.
func (m *Builder) anyTurn(x string) (q, s, c string) {
	q, r, lo := m.reducePi(x)
	s, c = m.sinCos(r, lo)
	return q, s, c
}

func (m *Builder) nearTurn(x string) (q, s, c string) {
	q, r, lo := m.reduceNear(x)
	s, c = m.sinCos(r, lo)
	return q, s, c
}

// piHalfLow is π/2 less what a float has of it.
func piHalfLow(m *Builder) float64 { return pick(m, piHalf32[1], piHalf64[1]) }

// π/2 as a sum of floats.
var (
	piHalf32 = [3]float64{1.57079637050628662109375, -4.371138828673792886547744274139404296875e-08,
		-1.7151245100058994e-15}
	piHalf64 = [3]float64{math.Pi / 2, 6.123233995736766e-17, -1.4973849048591698e-33}
)

// sinCos are the sine and cosine of r + lo, |r| <= π/4.
func (m *Builder) sinCos(r, lo string) (s, c string) {
	z := m.mul(r, r)
	s = m.add(r, m.fma(m.mul(z, r), m.poly(z, sinPoly), lo))
	half := m.mul(z, m.c(0.5))
	one := m.sub(m.c(1), half)
	lost := m.sub(m.sub(m.c(1), one), half)
	rest := m.fma(m.mul(z, z), m.poly(z, cosPoly), m.sub(lost, m.mul(r, lo)))
	return s, m.add(one, rest)
}

// quadrant is the sine or the cosine, by odd, with its sign changed where flip is not zero.
func (m *Builder) quadrant(odd, flip, s, c string) string {
	v := m.sel(m.isN("ne", odd, 0), c, s)
	return m.sel(m.isN("ne", flip, 0), m.neg(v), v)
}

// notFinite makes NaN of infinities and NaN.
func (m *Builder) notFinite(x, v string) string {
	return m.sel(m.is("ult", m.abs(x), m.c(math.Inf(1))), m.sel(m.isNaN(x), m.c(math.NaN()), v),
		m.c(math.NaN()))
}

// halfTurns is π·x = q·π/2 + r + lo.
func (m *Builder) halfTurns(x string) (q, r, lo string) {
	// An even number of turns does not matter, and leaves an integer that fits.
	turns := m.mul(m.c(2), m.trunc(m.mul(x, m.c(0.5))))
	x = m.sub(x, turns)
	n := m.rint(m.mul(x, m.c(2)))
	f := m.fma(n, m.c(-0.5), x) // exact
	r, lo = m.twoProd(f, m.c(math.Pi))
	lo = m.fma(f, m.c(2*piHalfLow(m)), lo)
	return m.toInt(n), r, lo
}

// reducePi returns x = q·π/2 + r + lo, modulo whole turns, with |r| <= π/4. Large numbers take the long
// way.
func (m *Builder) reducePi(x string) (q, r, lo string) {
	q, r, lo = m.reduceNear(x)
	limit := pick(m, 48039.0, 1e6)
	v := m.seldom(m.is("ugt", m.abs(x), m.c(limit)), []typed{{m.n, q}, {m.f, r}, {m.f, lo}},
		func() []string {
			f := pick(m, "float", "double")
			return m.eachLane(x, []string{"i32", f, f}, func(s *Builder, x string) []string {
				q, r, lo := s.payneHanek(x)
				return []string{q, r, lo}
			})
		})
	return v[0], v[1], v[2]
}

// reduceNear reduces numbers up to reducePi's limit, and all that f16 holds: they are multiples of 2^-24, so
// that x less the multiple of the first part of π/2 is exact there too. Infinities and NaN become NaN.
func (m *Builder) reduceNear(x string) (q, r, lo string) {
	p := pick(m, piHalf32, piHalf64)
	n := m.rint(m.mul(x, m.c(2/math.Pi)))
	r0 := m.fma(n, m.c(-p[0]), x)     // exact
	hi := m.fma(n, m.c(p[1]), m.c(0)) // a product alone would be fused with the difference on GPUs
	low := m.fma(n, m.c(p[1]), m.neg(hi))
	r = m.sub(r0, hi)
	t := m.sub(m.sub(r0, r), hi)
	return m.toInt(n), r, m.sub(t, m.fma(n, m.c(p[2]), low))
}

// payneHanek multiplies by 2/π with as many of its bits as matter: x = ±man·2^e, and bits of 2/π that
// make whole turns are left out.
func (m *Builder) payneHanek(x string) (q, r, lo string) {
	mb := m.manBits()
	b := m.bits(x)
	if m.prec == F32 {
		b = m.val("zext i32 %s to i64", b)
	}
	expMask := pick(m, 0xff, 0x7ff)
	e := m.val("and i64 %s, %d", m.val("lshr i64 %s, %d", b, mb), expMask)
	man := m.val("or i64 %s, %d", m.val("and i64 %s, %d", b, int64(1)<<mb-1), int64(1)<<mb)
	// Bit j of 2/π, counted from 1 behind the point, is worth man·2^(e-j); those with j <= e-2 make whole
	// turns. The table begins with 64 zeros, so that this is never before its start.
	start := m.val("sub i64 %s, %d", e, m.bias()+mb+2-64)
	// in lanes with small numbers, whose result nobody uses
	start = m.call("i64", "llvm.smax.i64", "i64 "+start, "i64 0")
	shift := m.val("and i64 %s, 63", start)
	word := m.val("lshr i64 %s, 6", start)
	var w [4]string
	for i := range w {
		p := m.val("getelementptr i64, %s, i64 %s", m.twoOverPi(), m.val("add i64 %s, %d", word, i))
		w[i] = m.val("load i64, %s %s", m.globalPtr(), p)
	}
	var window [3]string
	for i := range window {
		window[i] = m.call("i64", "llvm.fshl.i64", "i64 "+w[i], "i64 "+w[i+1], "i64 "+shift)
	}
	// The product, modulo 2^64 at the top: two bits of quadrant, then the fraction.
	wide := func(a string) string { return m.val("zext i64 %s to i128", a) }
	p2 := m.val("mul i128 %s, %s", wide(man), wide(window[2]))
	p1 := m.val("add i128 %s, %s", m.val("mul i128 %s, %s", wide(man), wide(window[1])),
		m.val("lshr i128 %s, 64", p2))
	top := m.val("add i64 %s, %s", m.val("mul i64 %s, %s", man, window[0]),
		m.val("trunc i128 %s to i64", m.val("lshr i128 %s, 64", p1)))
	next := m.val("trunc i128 %s to i64", p1)
	both := m.val("or i128 %s, %s", m.val("shl i128 %s, 64", wide(top)), wide(next))
	// + 2^125: to the nearest quadrant
	half := m.val("lshr i128 %s, 126", m.val("add i128 %s, %s", both,
		"42535295865117307932921825928971026432"))
	quad := m.val("trunc i128 %s to i32", half)
	frac := m.val("shl i128 %s, 2", both) // of a quadrant, as a signed fraction of 2^128
	fhi := m.val("trunc i128 %s to i64", m.val("ashr i128 %s, 64", frac))
	flo := m.val("trunc i128 %s to i64", frac)
	v, low := "", m.c(0)
	if m.prec == F32 {
		d := m.val("fmul double %s, %s", m.val("sitofp i64 %s to double", fhi),
			hex(math.Ldexp(math.Pi/2, -64)))
		v = m.val("fptrunc double %s to float", d)
		low = m.val("fptrunc double %s to float",
			m.val("fsub double %s, %s", d, m.val("fpext float %s to double", v)))
	} else {
		// 128 bits as a sum: 32 bits of the top half at a time, so that each part is exact.
		a := m.val("sitofp i64 %s to double", m.val("ashr i64 %s, 32", fhi))
		bb := m.val("uitofp i64 %s to double", m.val("and i64 %s, 4294967295", fhi))
		cc := m.val("uitofp i64 %s to double", flo)
		sum := m.add(m.mul(bb, m.c(0x1p-64)), m.mul(cc, m.c(0x1p-128)))
		ahi := m.mul(a, m.c(0x1p-32))
		s, t := m.twoSum(ahi, sum)
		v = m.fma(s, m.c(piHalf64[0]), m.fma(s, m.c(piHalf64[1]), m.mul(t, m.c(piHalf64[0]))))
	}
	negative := m.negative(x)
	v, low = m.sel(negative, m.neg(v), v), m.sel(negative, m.neg(low), low)
	quad = m.selN(negative, m.i32("sub", "0", quad), quad)
	return quad, m.notFinite(x, v), low
}

// twoOverPi are the bits of 2/π behind the point, 64 in each word, after a word of zeros.
var twoOverPi = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
	0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// globalPtr is the type of pointers to tables.
func (m *Builder) globalPtr() string {
	if m.lib.target.Global {
		return "ptr addrspace(1)"
	}
	return "ptr"
}

// twoOverPi is a pointer to the global that holds them, with its type.
func (m *Builder) twoOverPi() string {
	const name = "@nereid.two_over_pi"
	var words []string
	for _, w := range twoOverPi {
		words = append(words, fmt.Sprintf("i64 %d", int64(w)))
	}
	space := strings.TrimPrefix(m.globalPtr(), "ptr")
	m.lib.globals[name] = fmt.Sprintf("%s = internal%s constant [%d x i64] [%s], align 8", name, space,
		len(words), strings.Join(words, ", "))
	return m.globalPtr() + " " + name
}

// atanParts is the arc tangent of y/x, both not negative, as a sum of two floats. With t = y/x it is the
// polynomial for t < tan π/8, π/4 + atan((y-x)/(y+x)) up to tan 3π/8, and π/2 - atan(x/y) above.
func (m *Builder) atanParts(y, x string) (hi, lo string) {
	t8 := math.Tan(math.Pi / 8)
	// Less of the largest numbers, whose sum there would not be, and more of the least, which have few bits.
	sum := m.add(y, x)
	factor := m.sel(m.is("ogt", sum, m.c(pick(m, 0x1p127, 0x1p1023))), m.c(0.25), m.c(1))
	factor = m.sel(m.is("olt", sum, m.c(pick(m, 0x1p-80, 0x1p-900))), m.c(pick(m, 0x1p64, 0x1p200)), factor)
	y, x = m.mul(y, factor), m.mul(x, factor)
	low := m.is("ole", y, m.mul(x, m.c(t8)))
	high := m.is("ogt", m.mul(y, m.c(t8)), x)
	diff := m.sub(y, x)
	sum = m.add(y, x)
	numer := m.sel(low, y, m.sel(high, m.neg(x), diff))
	denom := m.sel(low, x, m.sel(high, y, sum))
	// 0/0 is 0, and infinity over infinity is a diagonal.
	zero := m.is("oeq", numer, m.c(0))
	diagonal := m.and(m.is("oeq", x, m.c(math.Inf(1))), m.is("oeq", y, m.c(math.Inf(1))))
	s := m.div(numer, denom)
	s = m.sel(m.or(zero, diagonal), m.c(0), s)
	z := m.mul(s, s)
	p := m.fma(m.mul(z, s), m.poly(z, atanPoly), m.c(0))
	hi = m.sel(low, m.c(0), m.sel(high, m.c(math.Pi/2), m.c(math.Pi/4)))
	hi = m.sel(diagonal, m.c(math.Pi/4), hi)
	add := m.sel(low, m.c(0), m.sel(high, m.c(piHalfLow(m)), m.c(piHalfLow(m)/2)))
	a, b := m.twoSum(hi, s)
	return a, m.add(b, m.add(p, add))
}
