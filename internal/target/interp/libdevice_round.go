package interp

import (
	"math"
	"math/big"
)

// Arithmetic and conversions with a rounding mode: _rn to nearest, _rz toward zero, _rd down, _ru up.

type direction uint8

const (
	rn direction = iota
	rz
	rd
	ru
)

var directions = map[string]direction{"_rn": rn, "_rz": rz, "_rd": rd, "_ru": ru}

// exact is a real number that can be compared with a float: it gives the sign of the number minus r. It is
// nil for results that are not rounded: of infinities, NaNs and division by zero.
type exact func(r float64) int

// round returns the exact number, of which near is a close float, rounded; next gives the neighbour of a
// float toward another.
func (dir direction) round(near float64, x exact, next func(x, toward float64) float64) float64 {
	if x == nil || dir == rn {
		return near
	}
	down := dir == rd || dir == rz && (near > 0 || near == 0 && x(0) > 0)
	for down && x(near) < 0 {
		near = next(near, math.Inf(-1))
	}
	for !down && x(near) > 0 {
		near = next(near, math.Inf(1))
	}
	for up := next(near, math.Inf(1)); down && !math.IsInf(up, 0) &&
		x(up) >= 0; up = next(near, math.Inf(1)) {
		near = up
	}
	for low := next(near, math.Inf(-1)); !down && !math.IsInf(low, 0) &&
		x(low) <= 0; low = next(near, math.Inf(-1)) {
		near = low
	}
	return near
}

func next64(x, toward float64) float64 { return math.Nextafter(x, toward) }

func next32(x, toward float64) float64 { return float64(math.Nextafter32(float32(x), float32(toward))) }

const bigPrec = 4400 // holds the sum of the largest and the least product of two float64

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func isFinite(xs ...float64) bool {
	for _, x := range xs {
		if !isFinite64(x) {
			return false
		}
	}
	return true
}

// versus compares a big number with r, which may be infinite.
func versus(x *big.Float) exact {
	return func(r float64) int {
		if math.IsInf(r, 0) {
			return -int(math.Copysign(1, r))
		}
		return x.Cmp(bigOf(r))
	}
}

func exactAdd(a, b float64) exact {
	if !isFinite(a, b) {
		return nil
	}
	return versus(new(big.Float).SetPrec(bigPrec).Add(bigOf(a), bigOf(b)))
}

// sum returns a + b as the hardware adds with a rounding mode: a zero that is the sum of opposites is
// negative when rounding down.
func (dir direction) sum(a, b float64) float64 {
	s := a + b
	if s == 0 && dir == rd && (a != 0 || math.Signbit(a) != math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	return s
}

func exactMul(a, b float64) exact {
	if !isFinite(a, b) {
		return nil
	}
	return versus(new(big.Float).SetPrec(bigPrec).Mul(bigOf(a), bigOf(b)))
}

// exactDiv compares a/b with r by a and r*b.
func exactDiv(a, b float64) exact {
	if !isFinite(a, b) || b == 0 {
		return nil
	}
	return func(r float64) int {
		if math.IsInf(r, 0) {
			return -int(math.Copysign(1, r))
		}
		s := bigOf(a).Cmp(new(big.Float).SetPrec(bigPrec).Mul(bigOf(r), bigOf(b)))
		if b < 0 {
			s = -s
		}
		return s
	}
}

func exactSqrt(a float64) exact {
	if !isFinite(a) || a <= 0 {
		return nil
	}
	return func(r float64) int {
		if math.IsInf(r, 0) || r < 0 {
			return -int(math.Copysign(1, r))
		}
		return bigOf(a).Cmp(new(big.Float).SetPrec(bigPrec).Mul(bigOf(r), bigOf(r)))
	}
}

func exactFma(a, b, c float64) exact {
	if !isFinite(a, b, c) {
		return nil
	}
	p := new(big.Float).SetPrec(bigPrec).Mul(bigOf(a), bigOf(b))
	return versus(p.Add(p, bigOf(c)))
}

func addDirected() {
	for suffix, dir := range directions {
		d64 := func(near float64, x exact) float64 { return dir.round(near, x, next64) }
		d32 := func(near float32, x exact) float32 { return float32(dir.round(float64(near), x, next32)) }
		libdevice["dadd"+suffix] = ext2(func(a, b float64) float64 {
			return d64(dir.sum(a, b), exactAdd(a, b))
		})
		libdevice["dsub"+suffix] = ext2(func(a, b float64) float64 {
			return d64(dir.sum(a, -b), exactAdd(a, -b))
		})
		libdevice["dmul"+suffix] = ext2(func(a, b float64) float64 { return d64(a*b, exactMul(a, b)) })
		libdevice["ddiv"+suffix] = ext2(func(a, b float64) float64 { return d64(a/b, exactDiv(a, b)) })
		libdevice["drcp"+suffix] = ext1(func(a float64) float64 { return d64(1/a, exactDiv(1, a)) })
		libdevice["dsqrt"+suffix] = ext1(func(a float64) float64 { return d64(math.Sqrt(a), exactSqrt(a)) })
		libdevice["fma"+suffix] = ext3(func(a, b, c float64) float64 {
			return d64(math.FMA(a, b, c), exactFma(a, b, c))
		})
		libdevice["fadd"+suffix] = ext2(func(a, b float32) float32 {
			return d32(float32(dir.sum(float64(a), float64(b))), exactAdd(float64(a), float64(b)))
		})
		libdevice["fsub"+suffix] = ext2(func(a, b float32) float32 {
			return d32(float32(dir.sum(float64(a), float64(-b))), exactAdd(float64(a), float64(-b)))
		})
		libdevice["fmul"+suffix] = ext2(func(a, b float32) float32 {
			return d32(a*b, exactMul(float64(a), float64(b)))
		})
		libdevice["fdiv"+suffix] = ext2(func(a, b float32) float32 {
			return d32(a/b, exactDiv(float64(a), float64(b)))
		})
		libdevice["frcp"+suffix] = ext1(func(a float32) float32 { return d32(1/a, exactDiv(1, float64(a))) })
		libdevice["fsqrt"+suffix] = ext1(func(a float32) float32 {
			return d32(float32(math.Sqrt(float64(a))), exactSqrt(float64(a)))
		})
		libdevice["fmaf"+suffix] = ext3(func(a, b, c float32) float32 {
			return d32(fma32(a, b, c), exactFma(float64(a), float64(b), float64(c)))
		})
		addDirectedCasts(suffix, dir, d64, d32)
	}
}

func addDirectedCasts(suffix string, dir direction, d64 func(float64, exact) float64,
	d32 func(float32, exact) float32) {
	whole := [...]func(float64) float64{rn: math.RoundToEven, rz: math.Trunc, rd: math.Floor,
		ru: math.Ceil}[dir]
	libdevice["double2float"+suffix] = ext1(func(x float64) float32 {
		if !isFinite(x) {
			return float32(x)
		}
		return d32(float32(x), versus(bigOf(x)))
	})
	for name, k := range map[string]kind{"int": kI32, "uint": kI32, "ll": kI64, "ull": kI64} {
		for from, nan64 := range map[string]bool{"float": k == kI64, "double": true} {
			nan := int64(0)
			if nan64 {
				nan = math.MinInt64
			}
			to := toSigned(k, nan)
			if name[0] == 'u' {
				to = toUnsigned(k, nan)
			}
			libdevice[from+"2"+name+suffix] = toInteger(k, from == "double", func(x float64) int64 {
				return to(whole(x))
			})
		}
	}
	bigInt := func(x int64) exact { return versus(new(big.Float).SetPrec(bigPrec).SetInt64(x)) }
	bigUint := func(x uint64) exact { return versus(new(big.Float).SetPrec(bigPrec).SetUint64(x)) }
	libdevice["int2float"+suffix] = ext1(func(x int32) float32 { return d32(float32(x), bigInt(int64(x))) })
	libdevice["uint2float"+suffix] = ext1(func(x uint32) float32 {
		return d32(float32(x), bigUint(uint64(x)))
	})
	libdevice["ll2float"+suffix] = ext1(func(x int64) float32 { return d32(float32(x), bigInt(x)) })
	libdevice["ull2float"+suffix] = ext1(func(x uint64) float32 { return d32(float32(x), bigUint(x)) })
	libdevice["ll2double"+suffix] = ext1(func(x int64) float64 { return d64(float64(x), bigInt(x)) })
	libdevice["ull2double"+suffix] = ext1(func(x uint64) float64 { return d64(float64(x), bigUint(x)) })
	if dir == rn {
		libdevice["int2double_rn"] = ext1(func(x int32) float64 { return float64(x) })
		libdevice["uint2double_rn"] = ext1(func(x uint32) float64 { return float64(x) })
	}
}

// toInteger makes an extern of a conversion from a float to 32 or 64 bits.
func toInteger(k kind, double bool, f func(float64) int64) extern {
	switch {
	case k == kI32 && double:
		return ext1(func(x float64) int32 { return int32(f(x)) })
	case k == kI32:
		return ext1(func(x float32) int32 { return int32(f(float64(x))) })
	case double:
		return ext1(f)
	}
	return ext1(func(x float32) int64 { return f(float64(x)) })
}
