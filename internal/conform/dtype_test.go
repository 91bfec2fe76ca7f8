package conform

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"sync"

	"github.com/nereid-lang/nereid"
)

// kind orders types as promotion does.
type kind int

const (
	boolean kind = iota
	integral
	floating
)

// dtype is an element type. The float formats are described once more here: these tests share no rounding
// with what they test.
type dtype struct {
	name   string // in tl
	sig    string // in signatures
	nd     nereid.DType
	kind   kind
	bits   int
	signed bool

	exp, man, bias int
	finite         bool // no infinities: the largest exponent holds numbers, all ones is NaN
}

var (
	i1  = &dtype{name: "int1", sig: "i1", nd: nereid.Bool, kind: boolean, bits: 1}
	i8  = &dtype{name: "int8", sig: "i8", nd: nereid.Int8, kind: integral, bits: 8, signed: true}
	i16 = &dtype{name: "int16", sig: "i16", nd: nereid.Int16, kind: integral, bits: 16, signed: true}
	i32 = &dtype{name: "int32", sig: "i32", nd: nereid.Int32, kind: integral, bits: 32, signed: true}
	i64 = &dtype{name: "int64", sig: "i64", nd: nereid.Int64, kind: integral, bits: 64, signed: true}
	u8  = &dtype{name: "uint8", sig: "u8", nd: nereid.Uint8, kind: integral, bits: 8}
	u16 = &dtype{name: "uint16", sig: "u16", nd: nereid.Uint16, kind: integral, bits: 16}
	u32 = &dtype{name: "uint32", sig: "u32", nd: nereid.Uint32, kind: integral, bits: 32}
	u64 = &dtype{name: "uint64", sig: "u64", nd: nereid.Uint64, kind: integral, bits: 64}
	f16 = &dtype{name: "float16", sig: "fp16", nd: nereid.Float16, kind: floating, bits: 16, exp: 5,
		man: 10, bias: 15}
	bf16 = &dtype{name: "bfloat16", sig: "bf16", nd: nereid.BFloat16, kind: floating, bits: 16, exp: 8,
		man: 7, bias: 127}
	f32 = &dtype{name: "float32", sig: "fp32", nd: nereid.Float32, kind: floating, bits: 32, exp: 8,
		man: 23, bias: 127}
	f64 = &dtype{name: "float64", sig: "fp64", nd: nereid.Float64, kind: floating, bits: 64, exp: 11,
		man: 52, bias: 1023}
	e4m3 = &dtype{name: "float8e4nv", sig: "fp8e4nv", nd: nereid.Float8E4NV, kind: floating, bits: 8, exp: 4,
		man: 3, bias: 7, finite: true}
	e5m2 = &dtype{name: "float8e5", sig: "fp8e5", nd: nereid.Float8E5, kind: floating, bits: 8, exp: 5,
		man: 2, bias: 15}

	ints     = []*dtype{i8, i16, i32, i64, u8, u16, u32, u64}
	floats   = []*dtype{f16, bf16, f32, f64}
	smalls   = []*dtype{e4m3, e5m2}
	standard = []*dtype{i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64}
	dtypes   = append(append([]*dtype{}, standard...), smalls...)
)

func (d *dtype) String() string { return d.sig }
func (d *dtype) size() int      { return max(d.bits, 8) / 8 }
func (d *dtype) isInt() bool    { return d.kind != floating }
func (d *dtype) isFloat() bool  { return d.kind == floating }
func (d *dtype) isFP8() bool    { return d.isFloat() && d.bits == 8 }
func (d *dtype) mask() uint64   { return ^uint64(0) >> (64 - d.bits) }

// int is the integer behind bits, sign extended.
func (d *dtype) int(bits uint64) int64 {
	if !d.signed {
		return int64(bits & d.mask())
	}
	s := 64 - d.bits
	return int64(bits<<s) >> s
}

// lowest and highest are the bounds of an integer type.
func (d *dtype) lowest() *big.Int {
	if !d.signed {
		return new(big.Int)
	}
	return new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(d.bits-1)))
}

func (d *dtype) highest() *big.Int {
	n := d.bits
	if d.signed {
		n--
	}
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
}

// big is the integer behind bits.
func (d *dtype) big(bits uint64) *big.Int {
	if d.signed {
		return big.NewInt(d.int(bits))
	}
	return new(big.Int).SetUint64(bits & d.mask())
}

// float is the value behind the bits of a float type.
func (d *dtype) float(bits uint64) float64 {
	switch {
	case !d.isFloat(): // of a case that is refused
		return 0
	case d == f64:
		return math.Float64frombits(bits)
	case d == f32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	sign := 1.0
	if bits>>(d.bits-1)&1 != 0 {
		sign = -1
	}
	e := int(bits >> d.man & (1<<d.exp - 1))
	m := bits & (1<<d.man - 1)
	top := e == 1<<d.exp-1
	switch {
	case top && d.finite && m == 1<<d.man-1, top && !d.finite && m != 0:
		return math.NaN()
	case top && !d.finite:
		return math.Inf(int(sign))
	case e == 0:
		return sign * math.Ldexp(float64(m), 1-d.bias-d.man)
	}
	return sign * math.Ldexp(float64(m|1<<d.man), e-d.bias-d.man)
}

func (d *dtype) nan() uint64 {
	if d.finite {
		return 1<<(d.bits-1) - 1
	}
	return (1<<d.exp-1)<<d.man | 1<<(d.man-1)
}

// largest is the largest finite value's bits.
func (d *dtype) largest() uint64 {
	if d.finite {
		return 1<<(d.bits-1) - 2
	}
	return (1<<d.exp-1)<<d.man - 1
}

// magnitudes are the non-negative finite values of a small format in order: the bits of a value are its
// place.
func (d *dtype) magnitudes() []float64 {
	if t, ok := tables.Load(d); ok {
		return t.([]float64)
	}
	out := make([]float64, d.largest()+1)
	for i := range out {
		out[i] = d.float(uint64(i))
	}
	tables.Store(d, out)
	return out
}

var tables sync.Map // *dtype → []float64

// rounding is what becomes of values between two neighbours.
type rounding int

const (
	nearest  rounding = iota // ties to even
	truncate                 // toward zero
	saturate                 // to nearest, and what is too large becomes the largest value
)

// bitsOf is a float's bits, rounded. For the small formats it looks among all values for the neighbours, so
// it cannot share a mistake with code that shifts mantissas.
func (d *dtype) bitsOf(x float64, r rounding) uint64 {
	switch {
	case !d.isFloat(): // of a case that is refused
		return 0
	case d == f64:
		return math.Float64bits(x)
	case d == f32 && (r == nearest || x != x):
		return uint64(math.Float32bits(float32(x)))
	case d == f32:
		y := float32(x)
		if math.Abs(float64(y)) > math.Abs(x) {
			y = math.Nextafter32(y, 0)
		}
		return uint64(math.Float32bits(y))
	case x != x:
		return d.nan()
	}
	var sign uint64
	if math.Signbit(x) {
		sign, x = 1<<(d.bits-1), -x
	}
	return sign | d.place(x, r)
}

// place is the rounded bits of a non-negative value.
func (d *dtype) place(x float64, r rounding) uint64 {
	all := d.magnitudes()
	last := len(all) - 1
	if math.IsInf(x, 0) && !d.finite {
		return uint64(last + 1)
	}
	lo := sort.Search(len(all), func(i int) bool { return all[i] > x }) - 1 // the last that is not greater
	next := 2*all[last] - all[last-1]                                       // what would follow the largest
	if lo < last {
		next = all[lo+1]
	}
	below, above := x-all[lo], next-x
	up := r != truncate && (above < below || above == below && lo&1 == 1)
	switch {
	case !up:
		return uint64(lo)
	case lo < last:
		return uint64(lo + 1)
	case r == saturate:
		return uint64(last)
	case d.finite:
		return d.nan()
	}
	return uint64(last + 1) // infinity
}

// fromBig is an exact number rounded once: first to a float64 by the rule of von Neumann (inexact results
// are odd), which has bits to spare for any second rounding to fewer than 51 bits.
func (d *dtype) fromBig(x *big.Float, r rounding) uint64 {
	f, acc := x.Float64()
	if acc != big.Exact && d != f64 && !math.IsInf(f, 0) && math.Float64bits(f)&1 == 0 {
		if (acc == big.Above) == (f > 0) {
			f = math.Float64frombits(math.Float64bits(f) - 1)
		} else {
			f = math.Float64frombits(math.Float64bits(f) + 1)
		}
	}
	return d.bitsOf(f, r)
}

// text is an element as messages show it.
func (d *dtype) text(bits uint64) string {
	if d.isFloat() {
		return fmt.Sprintf("%v (%#x)", d.float(bits), bits)
	}
	return d.big(bits).String()
}

// ulp is the distance between neighbours at a value.
func (d *dtype) ulp(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return 0
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-1, 1-d.bias)-d.man)
}
