package interp

import "math"

// Functions of NVIDIA's library that Go's has not, in float64.

func fdim(a, b float64) float64 {
	if a <= b {
		return 0
	}
	return a - b
}

func exp10(x float64) float64 {
	if x == math.Trunc(x) && math.Abs(x) < 400 {
		return math.Pow10(int(x))
	}
	return math.Pow(10, x)
}

func lgamma(x float64) float64 { y, _ := math.Lgamma(x); return y }

// norm3 and norm4 are lengths, by scaling with the largest component so that nothing overflows.

func norm3(a, b, c float64) float64 { return norm4(a, b, c, 0) }

func norm4(a, b, c, d float64) float64 {
	m := 0.0
	for _, x := range [4]float64{a, b, c, d} {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
		m = max(m, math.Abs(x)) // NaN stays
	}
	if m == 0 || m != m {
		return m
	}
	_, e := math.Frexp(m)
	s := 0.0
	for _, x := range [4]float64{a, b, c, d} {
		x = math.Ldexp(x, -e)
		s += x * x
	}
	return math.Ldexp(math.Sqrt(s), e)
}

// sinPi and cosPi are exact at multiples of a half.

func sinPi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	r := math.Mod(x, 2)
	if r == math.Trunc(r) {
		return math.Copysign(0, x)
	}
	switch q := math.Round(2 * r); int(q+8) % 4 {
	case 0:
		return math.Sin(math.Pi * (r - q/2))
	case 1:
		return math.Cos(math.Pi * (r - q/2))
	case 2:
		return -math.Sin(math.Pi * (r - q/2))
	default:
		return -math.Cos(math.Pi * (r - q/2))
	}
}

func cosPi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	r := math.Mod(math.Abs(x), 2)
	if r == 0.5 || r == 1.5 {
		return 0
	}
	switch q := math.Round(2 * r); int(q) % 4 {
	case 0:
		return math.Cos(math.Pi * (r - q/2))
	case 1:
		return -math.Sin(math.Pi * (r - q/2))
	case 2:
		return -math.Cos(math.Pi * (r - q/2))
	default:
		return math.Sin(math.Pi * (r - q/2))
	}
}

// expSquare is e to the power of x*x, the square taken in two parts so that its rounding does not show.
func expSquare(x float64) float64 {
	h := x * x
	return math.Exp(h) * (1 + math.FMA(x, x, -h))
}

// erfcx is erfc scaled by e to the power of x*x: from 2 on a continued fraction, which converges fast there.
func erfcx(x float64) float64 {
	if x < 2 {
		return expSquare(x) * math.Erfc(x)
	}
	t := x
	for k := 120; k >= 1; k-- {
		t = x + float64(k)/2/t
	}
	return 1 / (math.Sqrt(math.Pi) * t)
}

func normCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func normCDFInv(x float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*x) }

// besselI0 and besselI1 are modified Bessel functions: the power series, whose terms are all positive, and for large x the
// asymptotic one.

func besselI0(x float64) float64 { return besselI(0, math.Abs(x)) }

func besselI1(x float64) float64 { return math.Copysign(besselI(1, math.Abs(x)), x) }

func besselI(order int, x float64) float64 {
	if x > 40 {
		return besselLarge(order, x)
	}
	term := 1.0
	if order == 1 {
		term = x / 2
	}
	sum := 0.0
	for k := 1; ; k++ {
		sum += term
		term *= x * x / 4 / float64(k*(k+order))
		if !(term > sum*1e-18) {
			return sum
		}
	}
}

func besselLarge(order int, x float64) float64 {
	if math.IsInf(x, 1) {
		return x
	}
	mu := float64(4 * order * order)
	sum, term := 1.0, 1.0
	for k := 1; k < 30; k++ {
		odd := float64(2*k - 1)
		term *= -(mu - odd*odd) / (float64(k) * 8 * x)
		sum += term
	}
	half := math.Exp(x / 2) // squared at the end: e to the x alone may overflow
	return half * (sum / math.Sqrt(2*math.Pi*x)) * half
}
