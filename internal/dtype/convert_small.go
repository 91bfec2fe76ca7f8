package dtype

import (
	"math"
	"sync"
	"unsafe"
)

// The loops below convert between float32 and the shorter formats. They call nothing for an element: a
// table, or integer arithmetic on the bits, does what Encode and Decode do.

// Parts of a float32's bits.
const (
	signBit = 1 << 31
	infBits = 0xff << 23
)

// narrow stores the bits of float32s that round to every shorter format as the float64s do: cut off, and
// made odd where bits were lost.
func narrow(dst []uint32, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		// The usual case, without a branch that depends on lost bits: a normal number in float32.
		const least, over, lost = (1023 - 126) << 52, (1023 + 128) << 52, 1<<29 - 1
		b := math.Float64bits(v)
		a := b &^ (1 << 63)
		if a-least >= over-least {
			dst[i] = bitsOdd(v)
			continue
		}
		dst[i] = uint32(b>>32)&signBit | uint32(a>>29-(1023-127)<<23) | uint32((a&lost+lost)>>29)
	}
}

// bitsOdd does for any float64 what narrow does.
func bitsOdd(v float64) uint32 {
	f := float32(v)
	u := math.Float32bits(f)
	if back := float64(f); back != v {
		if math.Abs(back) > math.Abs(v) {
			u--
		}
		u |= 1
	}
	return u
}

// encodeBits encodes the bits of float32s in a shorter format.
func encodeBits(to Type, dst []byte, src []uint32) {
	switch to {
	case Float16:
		toHalf(as[uint16](dst), src)
	case BFloat16:
		toBF16(as[uint16](dst), src)
	default:
		toFP8(dst, src, &fp8TablesOf(to).encode)
	}
}

// pairs returns two neighbours at a time: the float32s of src, and the 16 bits of each in dst.
func pairs(dst []uint16, src []uint32) ([]uint32, []uint64) {
	n := len(src) / 2
	if n == 0 {
		return nil, nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), n),
		unsafe.Slice((*uint64)(unsafe.Pointer(&src[0])), n)
}

// both has a pattern of 32 bits in both halves of a pair.
const both = 1<<32 | 1

// toBF16 works on pairs: sums of one half never carry into the other, since a pair with a NaN goes another
// way.
func toBF16(dst []uint16, src []uint32) {
	dst = dst[:len(src)]
	out, in := pairs(dst, src)
	out = out[:len(in)]
	for i, v := range in {
		if (v&(both*(signBit-1))+both*(signBit-1-infBits))&(both*signBit) != 0 { // a NaN
			dst[2*i], dst[2*i+1] = toBF16One(uint32(v)), toBF16One(uint32(v>>32))
			continue
		}
		r := v + both*0x7fff + v>>16&both
		out[i] = uint32(r>>16)&0xffff | uint32(r>>32)&0xffff0000
	}
	if n := len(src); n%2 != 0 {
		dst[n-1] = toBF16One(src[n-1])
	}
}

func toBF16One(u uint32) uint16 {
	if u&^signBit > infBits { // a NaN keeps its sign and no payload
		return uint16(u>>16&0x8000 | 0x7fc0)
	}
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}

func fromBF16[F float32 | float64](dst []F, src []uint16) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = F(math.Float32frombits(uint32(v) << 16))
	}
}

// halfStep says how a float32 of one sign and exponent becomes an fp16: its significand is rounded, shifted
// right, and added to base.
type halfStep struct {
	round uint32 // one less than half of the last place
	base  uint16
	shift uint8
}

// halfSteps has the step of each of the upper nine bits.
var halfSteps = sync.OnceValue(func() *[512]halfStep {
	t := new([512]halfStep)
	for i := range t {
		sign, exp := uint16(i>>8)<<15, i&0xff-127
		s := halfStep{base: sign, shift: 25} // so far that nothing is left
		switch {
		case exp > 15:
			s.base |= 0x7c00
		case exp >= -14:
			s.base |= uint16(exp+14) << 10 // the implicit bit adds one
			s.shift = 13
		case exp >= -25:
			s.shift = uint8(-1 - exp)
		}
		s.round = 1<<(s.shift-1) - 1
		t[i] = s
	}
	return t
})

// Bits of float32s: those from halfLeast on and below halfOver are normal numbers in fp16, too, but for the
// last that round to infinity. Their exponents differ by halfBias.
const (
	halfLeast = (127 - 14) << 23
	halfOver  = (127 + 16) << 23
	halfBias  = (127 - 15) << 23
)

// toHalf works on pairs of normal numbers; all others go another way.
func toHalf(dst []uint16, src []uint32) {
	steps := halfSteps()
	dst = dst[:len(src)]
	out, in := pairs(dst, src)
	out = out[:len(in)]
	for i, v := range in {
		a := v & (both * (signBit - 1))
		if (a+both*(signBit-halfLeast))&^(a+both*(signBit-halfOver))&(both*signBit) != both*signBit {
			dst[2*i], dst[2*i+1] = toHalfOne(uint32(v), steps), toHalfOne(uint32(v>>32), steps)
			continue
		}
		r := a - both*halfBias + both*0xfff + a>>13&both
		r = r>>13&(both*0x7fff) | v>>16&(both*0x8000)
		out[i] = uint32(r) | uint32(r>>16)
	}
	if n := len(src); n%2 != 0 {
		dst[n-1] = toHalfOne(src[n-1], steps)
	}
}

func toHalfOne(u uint32, steps *[512]halfStep) uint16 {
	s := &steps[u>>23]
	if u&^signBit > infBits {
		return s.base | 0x7e00
	}
	m := u&0x7fffff | 0x800000
	return s.base + uint16((m+s.round+m>>(s.shift&31)&1)>>(s.shift&31))
}

// halfTables decode an fp16: the bits of the float32 are the sum of an entry for sign and exponent and of
// one for the mantissa.
type halfTables struct {
	exp [64]uint32   // sign and exponent
	man [2048]uint32 // mantissas of subnormal numbers, then of others
}

var halves = sync.OnceValue(func() *halfTables {
	t := new(halfTables)
	for i := range t.exp {
		sign := uint32(i>>5) << 31
		switch e := uint32(i & 31); e {
		case 0:
			t.exp[i] = sign
		case 31:
			t.exp[i] = sign | infBits
		default:
			t.exp[i] = sign | (e+112)<<23
		}
	}
	for i := range 1024 {
		t.man[i] = math.Float32bits(float32(i) * 0x1p-24)
		t.man[1024+i] = uint32(i) << 13
	}
	return t
})

func fromHalf[F float32 | float64](dst []F, src []uint16) {
	t := halves()
	dst = dst[:len(src)]
	for i, h := range src {
		at := uint32(h) & 0x3ff
		if h&0x7c00 != 0 {
			at |= 0x400
		}
		dst[i] = F(math.Float32frombits(t.exp[h>>10] + t.man[at]))
	}
}

// fp8Tables convert an fp8 format. Formats with at most three bits of mantissa round by the upper 13 bits
// of a float32 and by whether any bit below them is set; encode has one byte for each such pattern.
type fp8Tables struct {
	encode [1 << 14]byte
	decode [256]float32
}

var fp8s [len(rows)]struct {
	once   sync.Once
	tables *fp8Tables
}

// fp8TablesOf returns the tables of an fp8 format, made when they are first asked for.
func fp8TablesOf(t Type) *fp8Tables {
	x := &fp8s[t]
	x.once.Do(func() {
		f := t.Row().Format
		x.tables = new(fp8Tables)
		for i := range x.tables.encode {
			x.tables.encode[i] = byte(f.Encode(float64(math.Float32frombits(uint32(i>>1)<<19 | uint32(i&1)))))
		}
		for i := range x.tables.decode {
			x.tables.decode[i] = float32(f.Decode(uint64(i)))
		}
	})
	return x.tables
}

func toFP8(dst []byte, src []uint32, table *[1 << 14]byte) {
	dst = dst[:len(src)]
	for i, u := range src {
		rest := (u&0x7ffff + 0x7ffff) >> 19 // 1 if a bit is set
		dst[i] = table[(u>>19<<1|rest)&(1<<14-1)]
	}
}

func fromFP8[F float32 | float64](dst []F, src []byte, table *[256]float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = F(table[v])
	}
}
