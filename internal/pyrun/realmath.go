package pyrun

import (
	"math"
	"math/big"
	"sync"
)

// Elementary functions rounded correctly. A C library is within a hair of that, Go's package math is not always, and a
// constant of a kernel should not depend on which of them computed it.

const realPrec = 200

func newReal() *big.Float { return new(big.Float).SetPrec(realPrec) }

func realOf(x float64) *big.Float { return newReal().SetFloat64(x) }

var (
	ln2Real  = sync.OnceValue(func() *big.Float { return atanhSeries(newReal().Quo(realOf(1), realOf(3)), 1) }) // 2 atanh 1/3
	ln10Real = sync.OnceValue(func() *big.Float { return logReal(realOf(10)) })
)

// atanhSeries is 2 z (1 + z²/3 + z⁴/5 + …), scaled by 2**shift/2.
func atanhSeries(z *big.Float, shift int) *big.Float {
	sum, power := newReal(), newReal().Set(z)
	square := newReal().Mul(z, z)
	for k := int64(1); ; k += 2 {
		term := newReal().Quo(power, newReal().SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-realPrec-4 && sum.Sign() != 0 {
			break
		}
		sum.Add(sum, term)
		power.Mul(power, square)
	}
	return sum.SetMantExp(sum, shift)
}

// logReal is the natural logarithm of a positive number.
func logReal(x *big.Float) *big.Float {
	m := newReal()
	exp := x.MantExp(m) // x = m 2**exp, m in [1/2, 1)
	if f, _ := m.Float64(); f < math.Sqrt2/2 {
		m.SetMantExp(m, 1)
		exp--
	}
	z := newReal().Quo(newReal().Sub(m, realOf(1)), newReal().Add(m, realOf(1)))
	r := newReal()
	if z.Sign() != 0 {
		r = atanhSeries(z, 1)
	}
	if exp != 0 {
		r.Add(r, newReal().Mul(newReal().SetInt64(int64(exp)), ln2Real()))
	}
	return r
}

// expReal is e to the power of x, which is not too large.
func expReal(x *big.Float) *big.Float {
	k, _ := newReal().Quo(x, ln2Real()).Float64()
	n := int(math.RoundToEven(k))
	r := newReal().Sub(x, newReal().Mul(newReal().SetInt64(int64(n)), ln2Real()))
	const halvings = 12
	r.SetMantExp(r, -halvings)
	sum, term := realOf(1), realOf(1)
	for i := int64(1); i < 64; i++ {
		term.Mul(term, r)
		term.Quo(term, newReal().SetInt64(i))
		if term.Sign() == 0 || term.MantExp(nil) < -realPrec-4 {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, n)
}

func rounded(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

func finitePositive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

func realExp(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 || x > 710 || x < -746 {
		return math.Exp(x)
	}
	return rounded(expReal(realOf(x)))
}

func realExp2(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == math.Trunc(x) || x > 1024 || x < -1075 {
		return math.Exp2(x)
	}
	return rounded(expReal(newReal().Mul(realOf(x), ln2Real())))
}

func realLog(x float64) float64 {
	if !finitePositive(x) || x == 1 {
		return math.Log(x)
	}
	return rounded(logReal(realOf(x)))
}

func realLog2(x float64) float64 {
	if !finitePositive(x) {
		return math.Log2(x)
	}
	if m, e := math.Frexp(x); m == 0.5 {
		return float64(e - 1)
	}
	return rounded(newReal().Quo(logReal(realOf(x)), ln2Real()))
}

func realLog10(x float64) float64 {
	if !finitePositive(x) || x == 1 {
		return math.Log10(x)
	}
	return rounded(newReal().Quo(logReal(realOf(x)), ln10Real()))
}

// realPow is C's pow.
func realPow(x, y float64) float64 {
	if math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || y == 0 || x == 1 || x == -1 {
		return math.Pow(x, y)
	}
	negative := x < 0
	if negative && y != math.Trunc(y) {
		return math.NaN()
	}
	e := newReal().Mul(realOf(y), logReal(realOf(math.Abs(x))))
	var r float64
	switch f := rounded(e); {
	case f > 710:
		r = math.Inf(1)
	case f < -746:
		r = 0
	default:
		r = rounded(expReal(e))
	}
	if negative && math.Mod(y, 2) != 0 {
		return -r
	}
	return r
}
