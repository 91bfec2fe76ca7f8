// Package realmath has elementary functions rounded correctly. A C library is within a hair of that, Go's
// package math is not always, and a constant of a kernel should not depend on which of them computed it.
package realmath

import (
	"math"
	"math/big"
	"sync"
)

// precision is the number of bits of intermediate results.
const precision = 200

// New returns 0 with the precision of this package.
func New() *big.Float { return new(big.Float).SetPrec(precision) }

// Of returns x with the precision of this package.
func Of(x float64) *big.Float { return New().SetFloat64(x) }

var (
	// 2 atanh 1/3
	ln2Real  = sync.OnceValue(func() *big.Float { return atanhSeries(New().Quo(Of(1), Of(3)), 1) })
	ln10Real = sync.OnceValue(func() *big.Float { return logReal(Of(10)) })
)

// atanhSeries is 2 z (1 + z²/3 + z⁴/5 + …), scaled by 2**shift/2.
func atanhSeries(z *big.Float, shift int) *big.Float {
	sum, power := New(), New().Set(z)
	square := New().Mul(z, z)
	for k := int64(1); ; k += 2 {
		term := New().Quo(power, New().SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-precision-4 && sum.Sign() != 0 {
			break
		}
		sum.Add(sum, term)
		power.Mul(power, square)
	}
	return sum.SetMantExp(sum, shift)
}

// logReal is the natural logarithm of a positive number.
func logReal(x *big.Float) *big.Float {
	m := New()
	exp := x.MantExp(m) // x = m 2**exp, m in [1/2, 1)
	if f, _ := m.Float64(); f < math.Sqrt2/2 {
		m.SetMantExp(m, 1)
		exp--
	}
	z := New().Quo(New().Sub(m, Of(1)), New().Add(m, Of(1)))
	r := New()
	if z.Sign() != 0 {
		r = atanhSeries(z, 1)
	}
	if exp != 0 {
		r.Add(r, New().Mul(New().SetInt64(int64(exp)), ln2Real()))
	}
	return r
}

// expReal is e to the power of x, which is not too large.
func expReal(x *big.Float) *big.Float {
	k, _ := New().Quo(x, ln2Real()).Float64()
	n := int(math.RoundToEven(k))
	r := New().Sub(x, New().Mul(New().SetInt64(int64(n)), ln2Real()))
	const halvings = 12
	r.SetMantExp(r, -halvings)
	sum, term := Of(1), Of(1)
	for i := int64(1); i < 64; i++ {
		term.Mul(term, r)
		term.Quo(term, New().SetInt64(i))
		if term.Sign() == 0 || term.MantExp(nil) < -precision-4 {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, n)
}

// Rounded returns the float nearest to x.
func Rounded(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

func finitePositive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

// Exp returns e to the power of x.
func Exp(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 || x > 710 || x < -746 {
		return math.Exp(x)
	}
	return Rounded(expReal(Of(x)))
}

// Exp2 returns 2 to the power of x.
func Exp2(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == math.Trunc(x) || x > 1024 || x < -1075 {
		return math.Exp2(x)
	}
	return Rounded(expReal(New().Mul(Of(x), ln2Real())))
}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if !finitePositive(x) || x == 1 {
		return math.Log(x)
	}
	return Rounded(logReal(Of(x)))
}

// Log2 returns the logarithm of x to base 2.
func Log2(x float64) float64 {
	if !finitePositive(x) {
		return math.Log2(x)
	}
	if m, e := math.Frexp(x); m == 0.5 {
		return float64(e - 1)
	}
	return Rounded(New().Quo(logReal(Of(x)), ln2Real()))
}

// Log10 returns the logarithm of x to base 10.
func Log10(x float64) float64 {
	if !finitePositive(x) || x == 1 {
		return math.Log10(x)
	}
	return Rounded(New().Quo(logReal(Of(x)), ln10Real()))
}

// Pow returns x to the power of y, with the special cases of C's pow.
func Pow(x, y float64) float64 {
	if math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || y == 0 ||
		x == 1 || x == -1 {
		return math.Pow(x, y)
	}
	negative := x < 0
	if negative && y != math.Trunc(y) {
		return math.NaN()
	}
	e := New().Mul(Of(y), logReal(Of(math.Abs(x))))
	var r float64
	switch f := Rounded(e); {
	case f > 710:
		r = math.Inf(1)
	case f < -746:
		r = 0
	default:
		r = Rounded(expReal(e))
	}
	if negative && math.Mod(y, 2) != 0 {
		return -r
	}
	return r
}
