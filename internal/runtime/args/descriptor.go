package args

import (
	"math"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Descriptor is a tensor descriptor made by the host. Package core's Descriptor begins with it.
type Descriptor struct {
	Base    *Tensor
	Shape   []int64
	Strides []int64 // in elements
	Block   []int64
	NaN     bool
}

// A descriptor's class has its element type in the place of a pointer's, whether the hardware can describe
// the tensor in the place of a pointer's alignment, and its block in the bits that are left: a number to
// the base 12, one digit for each dimension, which is 1 more than the logarithm of its size.
const (
	maxDescRank  = 5
	descBase     = 12
	descLowBits  = 7
	descLow      = 9
	descElemBits = 5
	descHigh     = 16 + descElemBits
)

// Class returns the class of a descriptor of memory at an address. Where ok is false it has none: it is not
// valid, or its block is not one of powers of two up to 1024.
func (d *Descriptor) Class(addr uint64) (c Class, ok bool) {
	n := len(d.Block)
	if d.Base == nil || n == 0 || n > maxDescRank || n != len(d.Shape) || n != len(d.Strides) ||
		d.Base.Elem >= 1<<descElemBits {
		return 0, false
	}
	code := uint32(0)
	for i, b := range d.Block {
		if b <= 0 || b&(b-1) != 0 || b > 1<<(descBase-2) || d.Shape[i] < 0 {
			return 0, false
		}
		code = code*descBase + uint32(bits.TrailingZeros64(uint64(b))) + 1
	}
	c = ClassDesc | Class(d.Base.Elem)*classElem | Class(code&(1<<descLowBits-1))<<descLow |
		Class(code>>descLowBits)<<descHigh
	if d.mappable(addr) {
		c |= ClassDiv16
	}
	return c, true
}

// mappable reports whether the hardware can describe the tensor at an address: it is aligned to 16 bytes,
// contiguous along the last dimension, and its rows and other strides are multiples of 16 bytes, strides
// above 0 but for dimensions of one element, along which nothing moves. Hardware could load rows that are no
// multiples, but it stores over what lies behind them.
func (d *Descriptor) mappable(addr uint64) bool {
	last := len(d.Strides) - 1
	if addr%16 != 0 || len(d.Shape) != last+1 || last < 0 || last >= maxDescRank || d.Strides[last] != 1 {
		return false
	}
	size := int64(d.Base.Elem.Size())
	if d.NaN && size == 1 && d.Base.Elem.IsFloat() { // copies take them for bytes, which have no NaN
		return false
	}
	if d.Shape[last]*size%16 != 0 {
		return false
	}
	for i, s := range d.Strides {
		if d.Shape[i] < 1 || d.Shape[i] > math.MaxInt32 {
			return false
		}
		if i < last && (s < 0 || s == 0 && d.Shape[i] > 1 || s >= 1<<40/size || s*size%16 != 0) {
			return false
		}
	}
	return true
}

// elem returns the element type of a descriptor's class.
func (c Class) elem() dtype.Type { return dtype.Type(c / classElem & (1<<descElemBits - 1)) }

// block returns the block of a descriptor's class.
func (c Class) block() (out []int64) {
	code := uint32(c>>descLow)&(1<<descLowBits-1) | uint32(c>>descHigh)<<descLowBits
	for ; code > 0; code /= descBase {
		out = append([]int64{1 << (code%descBase - 1)}, out...)
	}
	return out
}

// Words returns the number of words that an argument of the class has on devices that take descriptors in
// words (see device.Traits).
func (c Class) Words() int {
	switch {
	case c.Folded():
		return 0
	case c&ClassKind == ClassDesc:
		return 4*len(c.block()) + 2
	}
	return 1
}

// AppendWords appends the words of a descriptor of memory at an address: its parts, and its shape and strides
// as arguments of their own.
func (d *Descriptor) AppendWords(words []uint64, addr uint64) []uint64 {
	words = append(words, addr)
	words = appendInts(appendInts(words, d.Shape), d.Strides)
	words = append(words, BoolWord(d.NaN))
	return appendInts(appendInts(words, d.Shape), d.Strides)
}

func appendInts(words []uint64, list []int64) []uint64 {
	for _, n := range list {
		words = append(words, uint64(n))
	}
	return words
}

// addDescriptor adds a descriptor.
func (f *Frame) addDescriptor(param string, d *Descriptor, lend Lender) error {
	if lend != nil {
		return f.lendDescriptor(param, d, lend)
	}
	if d == nil || d.Base == nil || !f.sees(d.Base) {
		return errLong
	}
	c, ok := d.Class(d.Base.Addr)
	if !ok {
		return errLong
	}
	f.Classes = append(f.Classes, c)
	f.Words = d.AppendWords(f.Words, d.Base.Addr)
	f.Described = true
	return nil
}

// lendDescriptor adds a descriptor whose memory a Lender lends.
func (f *Frame) lendDescriptor(param string, d *Descriptor, lend Lender) error {
	addr, err := f.describe(param, d, lend)
	if err != nil {
		return err
	}
	if c, ok := d.Class(addr); ok {
		f.Classes = append(f.Classes, c)
		return nil
	}
	f.other(d.spec(addr), false)
	return nil
}

// describe appends the device's words for a descriptor, its shape and its strides, and returns the address.
func (f *Frame) describe(param string, d *Descriptor, lend Lender) (addr uint64, err error) {
	addr, words, err := lend.Describe(param, len(f.Words), d)
	if err != nil {
		return 0, err
	}
	f.Words = append(f.Words, words...)
	f.Words = appendInts(appendInts(f.Words, d.Shape), d.Strides)
	return addr, nil
}

// spec returns the compiler's description of a descriptor of memory at an address.
func (d *Descriptor) spec(addr uint64) signature.Arg {
	return signature.Arg{Desc: &signature.Desc{Elem: d.Base.Elem, Block: d.Block,
		Pointer: !d.mappable(addr)}}
}
