package ring

import (
	"math"

	"github.com/nereid-lang/nereid/internal/num"
)

// Round converts x to a format.
func Round(f *num.Format, x float64) float64 {
	if !Finite(x) {
		return f.Round(x)
	}
	return In(f, Of(x))
}

// Add returns a + b.
func Add(f *num.Format, a, b float64) float64 {
	if s := a + b; !Finite(a) || !Finite(b) {
		return f.Round(s)
	}
	return In(f, add(Of(a), Of(b)))
}

// Sub returns a - b.
func Sub(f *num.Format, a, b float64) float64 { return Add(f, a, -b) }

// Mul returns a·b. A product with a power of two beyond 2^±13 that is exact keeps its value: such factors
// belong to conversions of narrow formats, which do not round.
func Mul(f *num.Format, a, b float64) float64 {
	if p := a * b; !Finite(a) || !Finite(b) || (scales(a) || scales(b)) && f.Round(p) == p {
		return f.Round(p)
	}
	return In(f, mul(Of(a), Of(b)))
}

// scales reports whether x is a power of two far from 1.
func scales(x float64) bool {
	b := math.Float64bits(x) &^ (1 << 63)
	e := int(b>>52) - 1023
	return b<<12 == 0 && (e >= 14 || e <= -14 && e > -1023)
}

// Div returns a/b, the product with the inverse of b. The inverse of 0 is 0.
func Div(f *num.Format, a, b float64) float64 {
	if !Finite(a) || !Finite(b) {
		return f.Round(a / b)
	}
	return In(f, mul(Of(a), inverse(Of(b))))
}

// Fma returns a·b + c.
func Fma(f *num.Format, a, b, c float64) float64 {
	if !Finite(a) || !Finite(b) || !Finite(c) {
		return f.Round(math.FMA(a, b, c))
	}
	return In(f, add(mul(Of(a), Of(b)), Of(c)))
}

// Dot returns c plus the products of a and b, of one length.
func Dot(f *num.Format, a, b []float64, c float64) float64 {
	sum, special := uint64(Of(c)), c
	for i := range a {
		if !Finite(a[i]) || !Finite(b[i]) {
			special += a[i] * b[i]
			continue
		}
		sum += uint64(mul(Of(a[i]), Of(b[i])))
	}
	if !Finite(special) {
		return f.Round(special)
	}
	return In(f, Elem(sum%mod32))
}

// Multiply adds to acc, m rows of n, the product of a, m rows of k, and b, whose element x, j lies at
// x·rows + j·cols. Results are of format f.
func Multiply(f *num.Format, acc, a, b []float64, m, n, k, rows, cols int) {
	left, special := elems(a)
	right := make([]Elem, n*k)
	for j := range n {
		for x := range k {
			v := b[x*rows+j*cols]
			special = special || !Finite(v)
			right[j*k+x] = Of(v)
		}
	}
	for i := range m {
		for j := range n {
			at := &acc[i*n+j]
			if special || !Finite(*at) {
				*at = dotStrided(f, a[i*k:i*k+k], b[j*cols:], rows, *at)
				continue
			}
			sum := uint64(Of(*at))
			row := right[j*k : j*k+k]
			for x, l := range left[i*k : i*k+k] {
				sum += uint64(l) * uint64(row[x]) // below 2^38, so that 2^26 of them do not overflow
			}
			*at = In(f, Elem(sum%mod32))
		}
	}
}

func elems(x []float64) (out []Elem, special bool) {
	out = make([]Elem, len(x))
	for i, v := range x {
		special = special || !Finite(v)
		out[i] = Of(v)
	}
	return out, special
}

func dotStrided(f *num.Format, a, b []float64, stride int, c float64) float64 {
	row := make([]float64, len(a))
	for i := range row {
		row[i] = b[i*stride]
	}
	return Dot(f, a, row, c)
}
