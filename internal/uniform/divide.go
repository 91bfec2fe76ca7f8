package uniform

import "math/bits"

// Kind is the form in which a kernel gets a number.
type Kind uint8

const (
	Plain      Kind = iota // the number itself, in 32 bits
	PlainWide              // the number itself, in 64 bits
	Signed                 // a divisor of signed numbers of 32 bits
	Unsigned               // a divisor of unsigned numbers of 32 bits
	SignedWide             // a divisor of signed numbers of 64 bits
	numKinds
)

// A kernel divides by a number d of a launch with the words
//
//	factor, shift    of |d|
//	size, sign       |d|; 1 or -1
//	addend           of Unsigned alone
//	narrow           of SignedWide alone: 1 if d has 32 bits and a sign, else 0, and
//	its factor, its shift
//
// Quotients of signed numbers are rounded towards zero. With w, the width in bits, they are
//
//	q = ((n * factor >> w) + n >> shift) + (1 if n < 0)
//
// times the sign, and the remainder is n - q*size. The true multiplier is m = 2^w + factor, which is
// floor(2^(w+shift) / |d|) + 1 with 2^shift < |d| <= 2^(shift+1): above the exact one by e/|d|, with
// 0 < e <= |d|. Of |n| <= 2^(w-1) that makes less than a step to the next quotient, since
// |n|*e <= 2^(w+shift), and it makes more than nothing, so that rounding down a negative product always
// gives one less than rounding towards zero. Dividends of 64 bits that are not negative and have no more than
// 31 are divided as narrow ones if d is narrow: on a GPU, a product of 64 bits is four or more.
//
// Unsigned quotients are
//
//	q = (n * factor + addend >> 32) >> shift
//
// Of the two neighbours of 2^(32+shift) / d, with 2^shift <= d, one is a factor of 32 bits that is near
// enough: the upper one with addend 0, or the lower one with the factor as addend, as if n were one larger.
//
// A division by zero has no result on a GPU: the words of 0 give some number.

var kindWidths = [numKinds][]int{
	Plain: {32}, PlainWide: {64}, Signed: {32, 32, 32, 32}, Unsigned: {32, 32, 32, 32, 64},
	SignedWide: {64, 32, 64, 64, 32, 32, 32},
}

// Places of a divisor's words in what Kind.Words returns. Unsigned has Addend, SignedWide the last three.
const (
	Factor = iota
	Shift
	Size
	Sign
	Addend       = 4
	Narrow       = 4
	NarrowFactor = 5
	NarrowShift  = 6
)

// Widths returns the bits of each word of a kind.
func (k Kind) Widths() []int { return kindWidths[k] }

// offsets returns the places in bytes of a kind's words behind at bytes, each aligned to its size, and their
// end.
func (k Kind) offsets(at int) (offsets []int, end int) {
	for _, bits := range kindWidths[k] {
		at = align(at, bits/8)
		offsets = append(offsets, at)
		at += bits / 8
	}
	return offsets, at
}

// end is the end that offsets returns.
func (k Kind) end(at int) int {
	for _, bits := range kindWidths[k] {
		at = align(at, bits/8) + bits/8
	}
	return at
}

// maxParts is the most words of a kind.
const maxParts = 8

// Words returns the words of a number.
func (k Kind) Words(v int64) []uint64 {
	var words [maxParts]uint64
	k.put(&words, v)
	return words[:len(kindWidths[k])]
}

// put writes the words of a number.
func (k Kind) put(words *[maxParts]uint64, v int64) {
	if k < Signed {
		words[0] = uint64(v)
		return
	}
	sign, size := int64(1), uint64(v)
	switch {
	case k == Unsigned:
		size = uint64(uint32(v))
	case v < 0:
		sign, size = -1, -size
	}
	words[Size], words[Sign] = size, uint64(sign)
	switch k {
	case Signed:
		words[Factor], words[Shift] = signedFactor(size)
	case Unsigned:
		words[Factor], words[Addend], words[Shift] = unsignedFactor(size)
	default:
		words[Factor], words[Shift] = wideFactor(size)
		words[Narrow], words[NarrowFactor], words[NarrowShift] = 0, 0, 0
		if v == int64(int32(v)) {
			words[Narrow] = 1
			words[NarrowFactor], words[NarrowShift] = signedFactor(size)
		}
	}
}

// signedFactor returns factor and shift for dividing 32-bit numbers by size, at most 2^31.
func signedFactor(size uint64) (factor, shift uint64) {
	if size == 0 {
		return 0, 0
	}
	shift = uint64(max(1, bits.Len64(size-1)) - 1)
	return 1<<(32+shift)/size + 1, shift
}

// wideFactor returns factor and shift for dividing 64-bit numbers by size, at most 2^63.
func wideFactor(size uint64) (factor, shift uint64) {
	if size <= 1 {
		return size, 0
	}
	shift = uint64(bits.Len64(size-1) - 1)
	factor, _ = bits.Div64(1<<shift, 0, size)
	return factor + 1, shift
}

// unsignedFactor returns factor, addend and shift for dividing unsigned 32-bit numbers by size.
func unsignedFactor(size uint64) (factor, addend, shift uint64) {
	if size == 0 {
		return 0, 0, 0
	}
	shift = uint64(bits.Len64(size) - 1)
	if size == 1<<shift {
		return 1<<32 - 1, 1<<32 - 1, shift
	}
	factor = 1 << (32 + shift) / size
	if above := size - 1<<(32+shift)%size; above <= 1<<shift {
		return factor + 1, 0, shift
	}
	return factor, factor, shift
}
