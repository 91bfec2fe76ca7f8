// Package num converts between float64 and the small floating point formats of GPUs, bit for bit.
//
// A Format is a row of numbers; encoding rounds to nearest, ties to even, as hardware does. The package
// knows nobody.
package num

import "math"

// Format describes a binary floating point format with a sign bit.
type Format struct {
	Name     string
	Bits     int // all bits, sign included
	Exp, Man int // bits of exponent and mantissa
	Bias     int
	Kind     Kind
}

// Kind says which bit patterns a format gives to infinities and NaNs.
type Kind uint8

const (
	IEEE   Kind = iota // the largest exponent holds infinities and NaNs
	FN                 // no infinities; only all-ones is NaN (either sign)
	FNUZ               // no infinities, no negative zero; 0x80… is the only NaN
	Finite             // neither infinities nor NaNs: what is too large becomes the largest value
)

// The formats of MLIR's that have a sign, by its names. No element type of Triton's has F8E4M3, F8E3M4 or
// F8E4M3B11FNZ.
var (
	F64          = &Format{"f64", 64, 11, 52, 1023, IEEE}
	F32          = &Format{"f32", 32, 8, 23, 127, IEEE}
	TF32         = &Format{"tf32", 19, 8, 10, 127, IEEE}
	F16          = &Format{"f16", 16, 5, 10, 15, IEEE}
	BF16         = &Format{"bf16", 16, 8, 7, 127, IEEE}
	F8E5M2       = &Format{"f8E5M2", 8, 5, 2, 15, IEEE}
	F8E4M3       = &Format{"f8E4M3", 8, 4, 3, 7, IEEE}
	F8E3M4       = &Format{"f8E3M4", 8, 3, 4, 3, IEEE}
	F8E4M3FN     = &Format{"f8E4M3FN", 8, 4, 3, 7, FN}
	F8E4M3FNUZ   = &Format{"f8E4M3FNUZ", 8, 4, 3, 8, FNUZ}
	F8E5M2FNUZ   = &Format{"f8E5M2FNUZ", 8, 5, 2, 16, FNUZ}
	F8E4M3B11FNZ = &Format{"f8E4M3B11FNUZ", 8, 4, 3, 11, FNUZ}

	// F8E4B15 is Triton's own format, whose bits, moved, are those of fp16. MLIR has no name for it.
	F8E4B15 = &Format{"", 8, 4, 3, 15, Finite}
)

// MLIR lists the formats that MLIR's text names.
var MLIR = []*Format{F64, F32, TF32, F16, BF16, F8E5M2, F8E4M3FN, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNZ,
	F8E4M3, F8E3M4}

// InMLIR reports whether MLIR has a type of the format.
func (f *Format) InMLIR() bool { return f.Name != "" }

// Inf and NaN patterns.

func (f *Format) expMask() uint64 { return 1<<f.Exp - 1 }
func (f *Format) manMask() uint64 { return 1<<f.Man - 1 }
func (f *Format) signBit() uint64 { return 1 << (f.Exp + f.Man) }

// NaN is the quiet NaN of the format, or the largest value where there is none.
func (f *Format) NaN() uint64 {
	switch f.Kind {
	case FN:
		return f.signBit() - 1
	case FNUZ:
		return f.signBit()
	case Finite:
		return f.Max()
	}
	return f.expMask()<<f.Man | 1<<(f.Man-1)
}

// Max is the largest finite value.
func (f *Format) Max() uint64 {
	switch f.Kind {
	case FN:
		return f.signBit() - 2
	case FNUZ:
		return f.signBit() - 1
	case Finite:
		return f.signBit() - 2 // 0x7f would be larger; Triton's conversions stop at 1.75
	}
	return f.expMask()<<f.Man - 1
}

// Overflow is what a magnitude too large to represent becomes: infinity, or NaN where there is none.
func (f *Format) Overflow() uint64 {
	if f.Kind == IEEE {
		return f.expMask() << f.Man
	}
	return f.NaN()
}

// Decode is the value of a bit pattern.
func (f *Format) Decode(bits uint64) float64 {
	switch f {
	case F64:
		return math.Float64frombits(bits)
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	bits &= 1<<f.Bits - 1
	sign := bits&f.signBit() != 0
	exp := int(bits >> f.Man & f.expMask())
	man := bits & f.manMask()
	var v float64
	switch {
	case f.Kind == FNUZ && bits == f.signBit(),
		f.Kind == FN && bits&(f.signBit()-1) == f.signBit()-1:
		return math.NaN()
	case f.Kind == IEEE && exp == int(f.expMask()):
		if man != 0 {
			return math.NaN()
		}
		v = math.Inf(1)
	case exp == 0:
		v = math.Ldexp(float64(man), 1-f.Bias-f.Man)
	default:
		v = math.Ldexp(float64(man|1<<f.Man), exp-f.Bias-f.Man)
	}
	if sign {
		return -v
	}
	return v
}

// Encode rounds a value to the format, to nearest with ties to even, or away from zero in formats that are
// Finite, as Triton's conversion to its fp8e4b15 does. NaN keeps no payload.
func (f *Format) Encode(v float64) uint64 {
	switch f {
	case F64:
		return math.Float64bits(v)
	case F32:
		return uint64(math.Float32bits(float32(v)))
	}
	b := math.Float64bits(v)
	var sign uint64
	if b>>63 != 0 {
		sign = f.signBit()
	}
	switch {
	case v != v:
		if f.Kind == FNUZ {
			return f.NaN()
		}
		return f.NaN() | sign
	case math.IsInf(v, 0):
		return f.overflow(sign)
	case v == 0:
		return f.zero(sign)
	}
	exp := int(b>>52&0x7ff) - 1023
	man := b&(1<<52-1) | 1<<52
	if b>>52&0x7ff == 0 { // a float64 subnormal is below half of every smaller format's least value
		return f.zero(sign)
	}
	drop := 52 - f.Man
	biased := exp + f.Bias
	if biased <= 0 { // subnormal: shift further
		drop += 1 - biased
		biased = 0
		if drop > 54 {
			return f.zero(sign)
		}
	}
	r := man >> drop
	rest, half := man&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > half || rest == half && (r&1 != 0 || f.Kind == Finite) {
		r++
	}
	out := r
	if biased > 0 {
		out = uint64(biased-1)<<f.Man + r // the implicit bit carries into the exponent
	}
	if out > f.Max() {
		return f.overflow(sign)
	}
	if out == 0 {
		return f.zero(sign)
	}
	return out | sign
}

func (f *Format) overflow(sign uint64) uint64 {
	if f.Kind == FNUZ {
		return f.NaN()
	}
	return f.Overflow() | sign
}

func (f *Format) zero(sign uint64) uint64 {
	if f.Kind == FNUZ {
		return 0
	}
	return sign
}

// Round is v rounded to the format and back.
func (f *Format) Round(v float64) float64 { return f.Decode(f.Encode(v)) }
