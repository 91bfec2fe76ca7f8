// Package ring computes with floats as elements of a finite ring, so that sums and products are exact and
// their order does not matter: a compiled kernel and its source must then agree bit for bit.
//
// A finite float is m·2^e, a dyadic rational. Modulo an odd number M it is m·2^e too, since 2 has an
// inverse: this map is a homomorphism, so whatever holds of floats without rounding holds of their residues,
// such as x·1 = x, x/4 = x·0.25, a·b + c = fma(a, b, c), and every constant that a compiler folds exactly.
// In the other direction each residue has one float in each format, which stands for it: results of
// operations are such floats. Their magnitudes are moderate, so that tests of compiled code for overflow or
// for subnormal numbers find none.
//
// The moduli of narrower formats divide those of wider ones: rounding is a homomorphism too. Extension to a
// wider format keeps the value, as on hardware. Negation, absolute values, comparisons, minima, maxima,
// conversions to and from integers and rounding to whole numbers do not round and stay what they are.
// Infinities and NaN are not of the ring: operations on them are those of floats.
//
// Functions such as exp2 and sin are fixed random functions of residues.
package ring

import (
	"math"
	"sync"

	"github.com/nereid-lang/nereid/internal/num"
)

// The moduli of formats of 8, 16 and more bits. 2 is a primitive root of each prime factor, so that different
// powers of two have different residues as far as possible.
const (
	mod8  = 29
	mod16 = mod8 * 37
	mod32 = mod16 * 491

	carmichael = 8820 // of mod32: lcm(28, 36, 490)
)

// Elem is a residue modulo mod32.
type Elem uint32

// modulus returns the modulus of a format.
func modulus(f *num.Format) uint32 {
	switch {
	case f.Bits <= 8:
		return mod8
	case f.Bits == 16:
		return mod16
	}
	return mod32
}

const minExp = -1200 // below the exponent of the last bit of every float64

// powers holds 2^e modulo mod32 for exponents from minExp on.
var powers = func() *[2400]uint32 {
	var t [2400]uint32
	const half = (mod32 + 1) / 2
	t[-minExp] = 1
	for e := 1; e < 1200; e++ {
		t[e-minExp] = t[e-1-minExp] * 2 % mod32
		t[-e-minExp] = uint32(uint64(t[1-e-minExp]) * half % mod32)
	}
	t[0] = uint32(uint64(t[1]) * half % mod32)
	return &t
}()

// Finite reports whether x is an element of the ring.
func Finite(x float64) bool { return x-x == 0 }

// Of returns the residue of a finite float.
func Of(x float64) Elem {
	b := math.Float64bits(x)
	m, e := b&(1<<52-1), int(b>>52&0x7ff)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	r := m % mod32 * uint64(powers[e-1075-minExp]) % mod32
	if b>>63 != 0 && r != 0 {
		r = mod32 - r
	}
	return Elem(r)
}

// In returns the float of a format that stands for a residue.
func In(f *num.Format, r Elem) float64 {
	t := tableOf(f)
	return t[uint32(r)%uint32(len(t))]
}

var tables sync.Map // *num.Format to its []float64 by residue

func tableOf(f *num.Format) []float64 {
	if f.Bits > 16 {
		f = num.F32 // which holds enough values: wider formats use the same
	}
	if t, ok := tables.Load(f); ok {
		return t.([]float64)
	}
	t, _ := tables.LoadOrStore(f, newTable(f))
	return t.([]float64)
}

// table is being filled with the floats of a format.
type table struct {
	f    *num.Format
	vals []float64
	set  []bool
	left int
}

// largest is the largest number that stands for a residue: tests of compiled code for overflow of 2^x begin
// at 126. Whole numbers up to it stand for themselves.
const largest = 100

// add lets v stand for its residue, and -v for the negative one, if nothing does yet.
func (t *table) add(v float64) bool {
	m := uint32(len(t.vals))
	r := uint32(Of(v)) % m
	if v > largest || t.f.Round(v) != v || t.set[r] {
		return false
	}
	t.vals[r], t.vals[(m-r)%m] = v, -v
	t.set[r], t.set[(m-r)%m] = true, true
	t.left -= 2
	return true
}

// newTable chooses the floats of a format: small whole numbers and simple fractions for their own residues,
// then numbers around 1, a share from each binade, then the rest from as few binades as have them.
func newTable(f *num.Format) []float64 {
	m := modulus(f)
	t := &table{f: f, vals: make([]float64, m), set: make([]bool, m), left: int(m) - 1}
	t.set[0] = true
	for cost := range 8 {
		for e := -cost; e <= cost; e++ {
			bits := cost - max(e, -e)
			for n := 1<<bits | 1; n < 2<<bits; n += 2 {
				t.add(math.Ldexp(float64(n), e))
			}
		}
	}
	for n := 1; n <= largest; n++ {
		t.add(float64(n))
	}
	const binades = 6
	share := t.left / 2 / (2 * binades)
	for e := -binades; e < binades; e++ {
		t.binade(e, share)
	}
	for e := binades; t.left > 0; e-- {
		t.binade(e, int(m))
	}
	return t.vals
}

// binade adds up to n numbers from 2^e on, spread over the binade.
func (t *table) binade(e, n int) {
	size := 1 << t.f.Man
	step := 1
	for i, at := 0, 0; i < size && n > 0 && t.left > 0; i++ {
		if t.add(math.Ldexp(float64(size+at), e-t.f.Man)) {
			n--
		}
		if at += max(step, size/max(n, 1)/2*2+1); at >= size {
			at -= size
		}
	}
}

func add(a, b Elem) Elem { return (a + b) % mod32 }
func mul(a, b Elem) Elem { return Elem(uint64(a) * uint64(b) % mod32) }

// inverse returns the inverse of a unit. Of other elements it is the generalised inverse, the r for which
// a·r·a = a and r·a·r = r: Newton's steps leave it as it is, and inverses of products are products of
// inverses.
func inverse(a Elem) Elem { return power(a, carmichael-1) }

func power(a Elem, n int) Elem {
	r := Elem(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = mul(r, a)
		}
		a = mul(a, a)
	}
	return r
}
