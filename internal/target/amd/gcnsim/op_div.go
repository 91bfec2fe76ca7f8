package gcnsim

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// division are the numbers of v_div_scale, v_div_fmas and v_div_fixup for a format.
type division struct {
	kind  kind
	far   int // exponents of numerator and denominator so far apart are scaled
	scale int
	small int // exponents of numerators below are scaled
	under int // a quotient's exponent below is 0
	bias  int
	tiny  float64 // the smallest normal number
}

var divisions = map[kind]division{
	kFloat: {kFloat, 96, 64, 23, -150, 127, 0x1p-126},
	kDoub:  {kDoub, 768, 128, 53, -1075, 1023, 0x1p-1022},
}

func divisionOf(in *gcn.Inst) division {
	if in.Kind() == "f64" {
		return divisions[kDoub]
	}
	return divisions[kFloat]
}

// exponent returns the biased exponent.
func (d division) exponent(x float64) int {
	if x == 0 {
		return 0
	}
	if math.IsInf(x, 0) || x != x {
		return 2*d.bias + 1
	}
	_, e := math.Frexp(x)
	return max(0, e-1+d.bias)
}

func (d division) denormal(x float64) bool { return x != 0 && math.Abs(x) < d.tiny }

// scaled computes a lane of v_div_scale: a scaled for the division of num by den, and whether v_div_fmas
// scales back. Where both 1/den and num/den are denormal, the manual's text scales den up, which overflows;
// only scaling it down makes the reciprocal normal, and agrees with what v_div_fmas undoes.
func (d division) scaled(a, den, num float64) (float64, bool) {
	up := func(n int) float64 { return math.Ldexp(a, n) }
	inverse, quotient := d.denormal(1/den), d.denormal(num/den)
	switch {
	case num == 0 || den == 0:
		return math.NaN(), false
	case d.exponent(num)-d.exponent(den) >= d.far:
		if a == den {
			return up(d.scale), true
		}
		return a, true
	case d.denormal(den):
		return up(d.scale), false
	case inverse && quotient:
		if a == den {
			return up(-d.scale), true
		}
		return a, true
	case inverse:
		return up(-d.scale), false
	case quotient:
		if a == num {
			return up(d.scale), true
		}
		return a, true
	case d.exponent(num) <= d.small:
		return up(d.scale), false
	}
	return a, false
}

func buildDivScale(p *program, in *gcn.Inst) func(*wave) {
	d := divisionOf(in)
	dst, out := newDestination(in, d.kind), in.Args[1].Code
	src := [3]source{newSource(in, in.Args[2], d.kind), newSource(in, in.Args[3], d.kind),
		newSource(in, in.Args[4], d.kind)}
	return func(w *wave) {
		ok := src[0].load(w, &w.buf[0]) & src[1].load(w, &w.buf[1]) & src[2].load(w, &w.buf[2])
		exec, mask := w.exec(), uint64(0)
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			r, back := toFloat(w.buf[0][i], d.kind), false
			if !p.ring { // whose elements need no scale
				r, back = d.scaled(r, toFloat(w.buf[1][i], d.kind), toFloat(w.buf[2][i], d.kind))
			}
			w.buf[3][i] = fromFloat(r, d.kind)
			mask |= bit(back) << i
		}
		dst.store(w, &w.buf[3], exec, ok)
		w.setMask(out, mask, exec&^ok)
	}
}

func buildDivFMAs(p *program, in *gcn.Inst) func(*wave) {
	d := divisionOf(in)
	dst := newDestination(in, d.kind)
	src := [3]source{newSource(in, in.Args[1], d.kind), newSource(in, in.Args[2], d.kind),
		newSource(in, in.Args[3], d.kind)}
	return func(w *wave) {
		ok := src[0].load(w, &w.buf[0]) & src[1].load(w, &w.buf[1]) & src[2].load(w, &w.buf[2])
		vcc, undef := w.mask(gcn.VCC)
		ok &^= undef
		for i := range lanes {
			if p.ring { // whose elements need no scale
				w.buf[3][i] = p.fma(w.buf[0][i], w.buf[1][i], w.buf[2][i], d.kind)
				continue
			}
			w.buf[3][i] = d.multiplyAdd(w.buf[0][i], w.buf[1][i], w.buf[2][i], vcc>>i&1 != 0)
		}
		dst.store(w, &w.buf[3], w.exec(), ok)
	}
}

// back returns the power of two by which v_div_fmas undoes what v_div_scale did for a quotient.
func (d division) back(q float64) int {
	if d.exponent(q) > d.bias {
		return d.scale
	}
	return -d.scale
}

// multiplyAdd computes a lane of v_div_fmas: a*b+c, scaled back if asked for. It rounds once, behind the
// scaling, as quotients that are denormal need it.
func (d division) multiplyAdd(a, b, c uint64, scaled bool) uint64 {
	by := 0
	if scaled {
		by = d.back(toFloat(c, d.kind))
	}
	if d.kind == kFloat {
		return fromF32(float32(math.Ldexp(fmaOdd(f32(a), f32(b), f32(c)), by)))
	}
	if by == 0 {
		return fma64(a, b, c)
	}
	return math.Float64bits(scaledFMA(f64(a), f64(b), f64(c), by))
}

// scaledFMA returns (a*b+c)*2^by, rounded once.
func scaledFMA(a, b, c float64, by int) float64 {
	r := math.FMA(a, b, c)
	if r == 0 || math.IsInf(r, 0) || r != r {
		return r
	}
	const exact = 4096 // bits that hold any sum of a float64 and a product of two
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(exact).SetFloat64(x) }
	sum := wide(a)
	sum.Add(sum.Mul(sum, wide(b)), wide(c))
	out, _ := sum.SetMantExp(sum, by).Float64()
	return out
}

// fma returns a*b + c.
func (p *program) fma(a, b, c uint64, k kind) uint64 {
	if p.ring {
		return fromFloat(ring.Fma(formatOf[k], toFloat(a, k), toFloat(b, k), toFloat(c, k)), k)
	}
	return fromF32(fma32(f32(a), f32(b), f32(c)))
}

// toHalf converts a float32 to float16.
func (p *program) toHalf(a uint64) uint64 {
	if p.ring {
		return ring.Unit(num.F16.Name, a)
	}
	return fromF16(float64(f32(a)))
}

// fixup computes v_div_fixup: the quotient, or what it is where a division has no ordinary result.
func (d division) fixup(q, den, num float64) float64 {
	sign := 1.0
	if math.Signbit(den) != math.Signbit(num) {
		sign = -1
	}
	switch {
	case num != num:
		return num
	case den != den:
		return den
	case den == 0 && num == 0, math.IsInf(den, 0) && math.IsInf(num, 0):
		return math.NaN()
	case den == 0 || math.IsInf(num, 0):
		return math.Inf(int(sign))
	case math.IsInf(den, 0) || num == 0:
		return math.Copysign(0, sign)
	case d.exponent(num)-d.exponent(den) < d.under:
		return math.Copysign(0, sign)
	case q != q: // of a quotient that overflows
		return math.Inf(int(sign))
	}
	return math.Copysign(q, sign)
}

func fixupOp(k kind) func(a, b, c uint64) uint64 {
	d := divisions[k]
	return func(a, b, c uint64) uint64 {
		return fromFloat(d.fixup(toFloat(a, k), toFloat(b, k), toFloat(c, k)), k)
	}
}

func fixupHalf(a, b, c uint64) uint64 {
	return fromF16(divisions[kFloat].fixup(f16(a), f16(b), f16(c)))
}
