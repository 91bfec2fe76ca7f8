package interp

import (
	"math"

	"github.com/nereid-lang/nereid/internal/num"
)

// small is a float format below f32: its values are held as float32, and this rounds them, and reads and
// writes their bits. It gives the results of num.Format, fast, and keeps the payload of a NaN that is only
// passed through.
type small struct {
	f      *num.Format
	drop   uint32  // bits of a float32's mantissa that are lost
	normal uint32  // bits of the least normal value, as a float32
	magic  float32 // adding it to a subnormal rounds that to a multiple of the least value
	max    uint32  // bits of the largest finite value, as a float32
	table  [256]float32
}

var smalls = map[*num.Format]*small{}

func init() {
	for _, f := range num.MLIR {
		if f.Bits >= 32 {
			continue
		}
		s := &small{f: f, drop: uint32(23 - f.Man)}
		s.normal = math.Float32bits(float32(math.Ldexp(1, 1-f.Bias)))
		s.magic = float32(math.Ldexp(1, 1-f.Bias-f.Man+23))
		s.max = math.Float32bits(float32(f.Decode(f.Max())))
		if f.Bits == 8 {
			for i := range s.table {
				s.table[i] = s.decodeSlow(uint32(i))
			}
		}
		smalls[f] = s
	}
}

// smallFor returns the rounding to a format below f32.
func smallFor(f *num.Format) *small { return smalls[f] }

const (
	signBit  = 1 << 31
	inf32    = 0x7f800000
	quietBit = 1 << 22
)

// round returns x rounded to the format, to nearest and ties to even. A value that is too large becomes
// infinity, or NaN where the format has none.
func (s *small) round(x float32) float32 {
	u := math.Float32bits(x)
	sign, u := u&signBit, u&^signBit
	switch {
	case u >= inf32:
		if u == inf32 && s.f.Kind != num.IEEE {
			return math.Float32frombits(sign | inf32 | quietBit)
		}
		return x
	case u < s.normal && s.f.Exp < 8:
		y := math.Float32frombits(u) + s.magic - s.magic
		return s.zero(sign | math.Float32bits(y))
	}
	half := uint32(1)<<(s.drop-1) - 1 + u>>s.drop&1
	if u = (u + half) &^ (1<<s.drop - 1); u > s.max {
		return s.overflow(sign)
	}
	return s.zero(sign | u)
}

func (s *small) overflow(sign uint32) float32 {
	if s.f.Kind == num.IEEE {
		return math.Float32frombits(sign | inf32)
	}
	return math.Float32frombits(sign | inf32 | quietBit)
}

// zero drops the sign of zero where the format has none.
func (s *small) zero(u uint32) float32 {
	if u == signBit && s.f.Kind == num.FNUZ {
		u = 0
	}
	return math.Float32frombits(u)
}

// saturate rounds like round, but a value that is too large becomes the largest finite value, infinity
// included, as the GPU's satfinite does.
func (s *small) saturate(x float32) float32 {
	y := s.round(x)
	if u := math.Float32bits(y) &^ signBit; u > s.max && x == x {
		return math.Float32frombits(s.max | math.Float32bits(x)&signBit)
	}
	return y
}

// toward0 returns x rounded toward zero.
func (s *small) toward0(x float32) float32 {
	u := math.Float32bits(x)
	sign, u := u&signBit, u&^signBit
	switch {
	case u >= inf32:
		return s.round(x)
	case u > s.max:
		u = s.max
	case u < s.normal && s.f.Exp < 8:
		least := float64(s.magic) / (1 << 23)
		y := float32(math.Trunc(float64(math.Float32frombits(u))/least) * least)
		return s.zero(sign | math.Float32bits(y))
	}
	return s.zero(sign | u&^(1<<s.drop-1))
}

// round64 returns a float64 rounded to the format, once.
func (s *small) round64(x float64) float32 {
	if x != x {
		return float32(x)
	}
	return float32(s.f.Round(x))
}

// decode returns the value of bits.
func (s *small) decode(b uint32) float32 {
	switch s.f {
	case num.F16:
		return f16to32(uint16(b))
	case num.BF16:
		return math.Float32frombits(b << 16)
	}
	if s.f.Bits == 8 {
		return s.table[b&0xff]
	}
	return s.decodeSlow(b)
}

func (s *small) decodeSlow(b uint32) float32 {
	v := float32(s.f.Decode(uint64(b)))
	if v == v {
		return v
	}
	sign := b >> (s.f.Bits - 1) << 31
	man := b & (1<<s.f.Man - 1) << s.drop
	if s.f.Kind != num.IEEE {
		man = quietBit
	}
	return math.Float32frombits(sign | inf32 | man)
}

// encode returns the bits of a value that has been rounded to the format.
func (s *small) encode(x float32) uint32 {
	u := math.Float32bits(x)
	sign := u >> 31 << (s.f.Bits - 1)
	u &^= signBit
	switch {
	case u > inf32:
		return s.nan(sign, u)
	case u == inf32:
		return sign | uint32(s.f.Overflow())
	case u < s.normal && s.f.Exp < 8:
		return sign | math.Float32bits(math.Float32frombits(u)+s.magic) - math.Float32bits(s.magic)
	}
	return sign | (u>>s.drop - uint32(127-s.f.Bias)<<s.f.Man)
}

func (s *small) nan(sign, u uint32) uint32 {
	switch s.f.Kind {
	case num.FN:
		return sign | uint32(s.f.NaN())
	case num.FNUZ:
		return uint32(s.f.NaN())
	}
	b := u >> s.drop & (1<<s.f.Man - 1)
	if b == 0 {
		b = 1 << (s.f.Man - 1)
	}
	return sign | uint32(s.f.Overflow()) | b
}

func f16to32(h uint16) float32 {
	const infExp = 0x7c00 << 13
	u := uint32(h&0x7fff) << 13
	exp := u & infExp
	u += (127 - 15) << 23
	switch exp {
	case infExp:
		u += (128 - 16) << 23
	case 0: // subnormal: let the float unit normalise it
		u += 1 << 23
		u = math.Float32bits(math.Float32frombits(u) - math.Float32frombits(113<<23))
	}
	return math.Float32frombits(u | uint32(h&0x8000)<<16)
}

// roundRow rounds a row in place.
func (s *small) roundRow(d []float32) {
	switch s.f {
	case num.BF16:
		for i, x := range d {
			d[i] = roundBF16(x)
		}
	case num.F16:
		for i, x := range d {
			u := math.Float32bits(x)
			if e := u & 0x7fffffff; e >= 0x38800000 && e < 0x477fe000 { // normal, and stays finite
				d[i] = math.Float32frombits((u + 0xfff + u>>13&1) &^ 0x1fff)
			} else {
				d[i] = s.round(x)
			}
		}
	default:
		for i, x := range d {
			d[i] = s.round(x)
		}
	}
}

func roundBF16(x float32) float32 {
	if x != x {
		return x
	}
	u := math.Float32bits(x)
	return math.Float32frombits((u + 0x7fff + u>>16&1) &^ 0xffff)
}

// decodeRow reads rows of bits, encodeRow writes them. The bits of a format take 1 or 2 bytes.

func decodeRow16(s *small, d []float32, bits []uint16) {
	bits = bits[:len(d)]
	if s.f == num.BF16 {
		for i := range d {
			d[i] = math.Float32frombits(uint32(bits[i]) << 16)
		}
		return
	}
	for i := range d {
		d[i] = f16to32(bits[i])
	}
}

func encodeRow16(s *small, bits []uint16, a []float32) {
	if len(a) < len(bits) {
		fill(bits, uint16(s.encode(a[0])))
		return
	}
	a = a[:len(bits)]
	if s.f == num.BF16 {
		for i := range bits {
			u := math.Float32bits(a[i])
			if u&^signBit > inf32 {
				bits[i] = uint16(s.encode(a[i]))
				continue
			}
			bits[i] = uint16(u >> 16)
		}
		return
	}
	for i := range bits {
		u := math.Float32bits(a[i])
		if e := u & 0x7fffffff; e >= 0x38800000 && e < inf32 {
			bits[i] = uint16(u>>16&0x8000 | (u&0x7fffffff-(127-15)<<23)>>13)
			continue
		}
		bits[i] = uint16(s.encode(a[i]))
	}
}

func decodeRow8(s *small, d []float32, bits []uint8) {
	bits = bits[:len(d)]
	for i := range d {
		d[i] = s.table[bits[i]]
	}
}

func encodeRow8(s *small, bits []uint8, a []float32) {
	m := spread(a, len(bits))
	for i := range bits {
		bits[i] = uint8(s.encode(a[i&m]))
	}
}
