package interp

import "math"

// Functions of float64 that Go's package math loses digits of, found by exact results (TestExactFunctions).
// The forms of float32 are computed by Go's, whose errors do not show there.

// exp64 returns e to the power of x. Near the largest float, math.Exp on amd64 is infinite too early.
func exp64(x float64) float64 {
	if 709 <= x && x < 711 {
		return math.Exp(x-1) * math.E // x-1 is exact
	}
	return math.Exp(x)
}

func sinh64(x float64) float64 {
	if a := math.Abs(x); a > 709 {
		return math.Copysign(exp64(a-1)*(math.E/2), x)
	}
	return math.Sinh(x)
}

func cosh64(x float64) float64 {
	if a := math.Abs(x); a > 709 {
		return exp64(a-1) * (math.E / 2)
	}
	return math.Cosh(x)
}

// acos64 returns the arc cosine of x. Next to 1, math.Acos subtracts numbers that are nearly equal.
func acos64(x float64) float64 {
	switch {
	case x > 0.5:
		return 2 * math.Asin(math.Sqrt((1-x)/2))
	case x < -0.5:
		return math.Pi - 2*math.Asin(math.Sqrt((1+x)/2))
	}
	return math.Pi/2 - math.Asin(x)
}

// j1 returns the Bessel function of order 1, which is odd; math.J1 loses the sign of a small x.
func j1(x float64) float64 { return math.Copysign(1, x) * math.J1(math.Abs(x)) }

// pi/2 in three parts.
const (
	halfPiHigh = 0x1.921fb54442d18p+0
	halfPiMid  = 0x1.1a62633145c07p-54
	halfPiLow  = -0x1.f1976b7ed8fbcp-110
)

// quarter returns x minus the nearest multiple of pi/2, as a sum of two floats, and the multiple. ok is false
// where Go's functions do not lose digits, far from a multiple, and for an x so large that the multiple has
// more than 27 bits.
func quarter(x float64) (r, low float64, n int, ok bool) {
	if !(math.Abs(x) < 1<<27) {
		return 0, 0, 0, false
	}
	k := math.RoundToEven(x * (2 / math.Pi))
	a := dd{x, 0}.plus(twoProduct(-k, halfPiHigh))
	a = a.plus(twoProduct(-k, halfPiMid)).plus(dd{-k * halfPiLow, 0})
	return a.hi, a.lo, int(k), k != 0 && math.Abs(a.hi) < 0.125
}

func sin64(x float64) float64 { return sinAt(x, 0, math.Sin) }
func cos64(x float64) float64 { return sinAt(x, 1, math.Cos) }

// sinAt returns the sine of x plus so many quarters of a turn; plain computes it for large x.
func sinAt(x float64, quarters int, plain func(float64) float64) float64 {
	r, low, n, ok := quarter(x)
	if !ok {
		return plain(x)
	}
	s, c := math.Sincos(r)
	switch (n + quarters) & 3 {
	case 0:
		return s + c*low
	case 1:
		return c - s*low
	case 2:
		return -s - c*low
	}
	return -c + s*low
}

func tan64(x float64) float64 {
	r, low, n, ok := quarter(x)
	if !ok {
		return math.Tan(x)
	}
	t := math.Tan(r)
	t += (1 + t*t) * low
	if n&1 != 0 {
		return -1 / t
	}
	return t
}

// dd is the sum of two floats, of which the second is below the last place of the first.
type dd struct{ hi, lo float64 }

func twoProduct(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func (a dd) plus(b dd) dd {
	s := twoSum(a.hi, b.hi)
	t := twoSum(a.lo, b.lo)
	s = twoSum(s.hi, s.lo+t.hi)
	return twoSum(s.hi, s.lo+t.lo)
}

func (a dd) times(b dd) dd {
	p := twoProduct(a.hi, b.hi)
	return twoSum(p.hi, p.lo+a.hi*b.lo+a.lo*b.hi)
}

// over returns a divided by b.
func (a dd) over(b dd) dd {
	q := a.hi / b.hi
	rest := a.plus(b.times(dd{-q, 0}))
	return twoSum(q, rest.hi/b.hi)
}

// ln2 in two parts.
var ln2 = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}

// logWide returns the logarithm of a positive finite x, to some 100 bits: twice the inverse hyperbolic
// tangent of (m-1)/(m+1), by its series.
func logWide(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := dd{m - 1, 0}.over(twoSum(m, 1))
	square := s.times(s)
	sum := dd{}
	for k := 21; k >= 0; k-- {
		sum = sum.times(square).plus(dd{1, 0}.over(dd{float64(2*k + 1), 0}))
	}
	sum = sum.times(s).times(dd{2, 0})
	return sum.plus(ln2.times(dd{float64(e), 0}))
}

// powExact returns x to the power of y. math.Pow multiplies often, and its rounding errors add up.
func powExact(x, y float64) float64 {
	plain := pow64(x, y)
	a := math.Abs(x)
	if a == 0 || a == 1 || y == 0 || !isFinite64(x) || !isFinite64(y) || plain != plain {
		return plain
	}
	l := logWide(a)
	p := l.times(dd{y, 0})
	if !(math.Abs(p.hi) < 800) {
		return plain
	}
	if y == math.Trunc(y) && math.Abs(y) <= 64 && math.Abs(p.hi) < 300 { // exact where that is a float
		return math.Copysign(powInteger(a, int(y)), plain)
	}
	if p.hi < -700 { // subnormal results are rounded once
		return math.Copysign(math.Ldexp(expWide(p.plus(ln2.times(dd{200, 0}))), -200), plain)
	}
	return math.Copysign(expWide(p), plain)
}

// expWide returns e to the power of x.
func expWide(x dd) float64 { return exp64(x.hi) * (1 + x.lo) }

// powInteger multiplies.
func powInteger(x float64, n int) float64 {
	out, square := dd{1, 0}, dd{x, 0}
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 != 0 {
			out = out.times(square)
		}
		square = square.times(square)
	}
	if n < 0 {
		out = dd{1, 0}.over(out)
	}
	return out.hi
}

// exp10Exact returns 10 to the power of x.
func exp10Exact(x float64) float64 {
	if x == math.Trunc(x) {
		return exp10(x)
	}
	return powExact(10, x)
}
