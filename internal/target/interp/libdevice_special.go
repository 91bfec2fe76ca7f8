package interp

import "math"

// Functions of NVIDIA's library that Go's has not, or not to the last digits, in float64.

// log64 returns the logarithm of x, of subnormals too, which math.Log on amd64 takes for normal numbers.
func log64(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func log10(x float64) float64 { return log64(x) * (1 / math.Ln10) }

// log2 returns the binary logarithm of x, next to 1 without the loss of digits of math.Log2.
func log2(x float64) float64 {
	if 0.7 < x && x < 1.4 {
		return math.Log(x) * math.Log2E
	}
	return math.Log2(x)
}

// pow64 returns x to the power of y. A subnormal x is scaled first: math.Pow takes its logarithm wrongly.
func pow64(x, y float64) float64 {
	if a := math.Abs(x); 0 < a && a < 0x1p-1022 {
		return math.Pow(x*0x1p54, y) * math.Exp2(-54*y)
	}
	return math.Pow(x, y)
}

func nextAfter(x, y float64) float64 {
	if x == y {
		return y
	}
	return math.Nextafter(x, y)
}

func nextAfter32(x, y float32) float32 {
	if x == y {
		return y
	}
	return math.Nextafter32(x, y)
}

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
	return pow64(10, x)
}

func lgamma(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Inf(1)
	}
	if a := math.Abs(x); 0 < a && a < 0x1p-60 {
		return -log64(a)
	}
	y, _ := math.Lgamma(x)
	return y
}

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

// expSquare returns e to the power of x*x, the square taken in two parts so that its rounding does not
// show.
func expSquare(x float64) float64 {
	h := x * x
	return math.Exp(h) * (1 + math.FMA(x, x, -h))
}

// erfcx returns erfc scaled by e to the power of x*x: from 2 on a continued fraction, which converges fast
// there.
func erfcx(x float64) float64 {
	switch {
	case x < -27:
		return math.Inf(1)
	case !(x >= 2):
		return expSquare(x) * math.Erfc(x)
	}
	t := x
	for k := 120; k >= 1; k-- {
		t = x + float64(k)/2/t
	}
	return 1 / t / math.Sqrt(math.Pi)
}

// erfcInv returns the inverse of erfc. Above a half, 1-x is exact; below, Halley's method from an estimate
// for small x.
func erfcInv(x float64) float64 {
	if x < 0 { // 1-x may be 1
		return math.NaN()
	} else if !(x > 0 && x < 0.5) {
		return math.Erfcinv(x)
	}
	y := math.Sqrt(-log64(x * math.Sqrt(math.Pi) * math.Sqrt(-log64(x))))
	for range 6 {
		e := (math.Erfc(y) - x) / (2 / math.Sqrt(math.Pi) * math.Exp(-y*y))
		y += e / (1 + y*e)
	}
	return y
}

// normCDF takes into account what the division by the root of two loses, which for large -x counts.
func normCDF(x float64) float64 {
	const low = -4.833646656726457e-17 // of 1/sqrt(2)
	h := -x * (1 / math.Sqrt2)
	lost := math.FMA(-x, 1/math.Sqrt2, -h) - x*low
	if !isFinite64(lost) || x > 0 {
		return math.Erfc(h) / 2
	}
	return (math.Erfc(h) - 2/math.Sqrt(math.Pi)*math.Exp(-h*h)*lost) / 2
}

func normCDFInv(x float64) float64 { return 0 - math.Sqrt2*erfcInv(2*x) }

// besselI0 and besselI1 are modified Bessel functions: the power series, whose terms are all positive, and
// for large x the asymptotic one.

func besselI0(x float64) float64 { return besselI(0, math.Abs(x)) }

func besselI1(x float64) float64 { return math.Copysign(besselI(1, math.Abs(x)), x) }

func besselI(order int, x float64) float64 {
	switch {
	case x != x || x > 1500:
		return x * math.Inf(1)
	case x > 40:
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
