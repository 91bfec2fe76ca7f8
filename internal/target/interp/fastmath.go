package interp

import "math"

// exp2f returns 2 to the power of x, within 0.51 ulp: a polynomial in float64 on [-1/2, 1/2], scaled.
func exp2f(x float32) float32 { return float32(exp2wide(float64(x))) }

// exp32 returns e to the power of x, within 0.51 ulp.
func exp32(x float32) float32 { return float32(exp2wide(float64(x) * math.Log2E)) }

// exp2wide returns 2 to the power of x to about 33 bits, for results in the range of float32 and a little
// beyond.
func exp2wide(x float64) float64 {
	switch {
	case !(x < 129):
		return x * math.Inf(1) // +Inf, or NaN for NaN
	case x < -160:
		return 0
	}
	const shift = 1.5 * (1 << 52) // adding it rounds to a whole number
	k := x + shift
	n := int64(math.Float64bits(k)) << 12 >> 12
	r := x - (k - shift)
	const (
		c1 = 0.693147180559945309
		c2 = 0.240226506959100712
		c3 = 0.0555041086648215800
		c4 = 0.00961812910762847716
		c5 = 0.00133335581464284434
		c6 = 0.000154035303933816099
		c7 = 0.0000152527338040598402
		c8 = 0.00000132154867901443095
	)
	r2 := r * r
	r4 := r2 * r2
	p := (1 + c1*r) + r2*(c2+c3*r) + r4*((c4+c5*r)+r2*(c6+c7*r)+r4*c8)
	return p * math.Float64frombits(uint64(n+1023)<<52)
}
