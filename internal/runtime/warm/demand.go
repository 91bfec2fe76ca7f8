package warm

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// demand is what a short cut demands of an argument. Its bytes are read one by one, which is cheaper than to
// take a word apart.
//
// For a number, bit i of look is set if a number with the args.Facts i does not fit; for one of the quick
// ones, look is the index of its ranges. For a tensor, look is its element type and whether its address is a
// multiple of 16, or noTensor.
type demand struct{ look, at uint8 } // at: position of its word

// next returns the demand that follows in an array. An index would be computed for each byte.
func (d *demand) next() *demand { return (*demand)(unsafe.Add(unsafe.Pointer(d), unsafe.Sizeof(*d))) }

const (
	tensorAligned = 6 // bit above the element type
	noTensor      = 1 << 7
)

// anyNumber returns the demand for numbers and bools whose value does not affect the specialization.
func anyNumber(at uint8) demand { return demand{at: at} }

// intDemand returns the demand for integers of class c.
func intDemand(r args.IntRule, c args.Class, at uint8) demand {
	return demand{look: args.Misfits(r.Class, c), at: at}
}

// word returns the place of the word among words; it is one of CutWords, as all who make demands see to.
func (d *demand) word(words *[CutWords]uint64) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(words), 8*uintptr(d.at)))
}

// refuses returns an odd number if v does not fit. It has no branches.
func (d *demand) refuses(v int64) uint32 { return uint32(d.look) >> (args.Facts(v) & 31) }

// ranges are sets of integers that two operations tell: v is in one if (v + add) & mask is 0.
var ranges = [...]struct{ add, mask uint64 }{
	{1 << 31, 0xffffffff<<32 | 15}, // of 32 bits, divisible by 16
	{^uint64(0), ^uint64(0)},       // 1
	{1 << 31, 0xffffffff << 32},    // of 32 bits
	{0, 0},                         // all
}

// quick returns the demand in the quick form, if a range has the numbers that fit.
func (d demand) quick() (demand, bool) {
	for i := range ranges {
		q := demand{look: uint8(i), at: d.at}
		same := true
		for _, v := range []int64{16, 17, 1, 1 << 40, 1<<40 + 1} { // one for each args.Facts
			same = same && (d.refuses(v)&1 == 0) == (q.outside(v) == 0)
		}
		if same {
			return q, true
		}
	}
	return d, false
}

// outside returns 0 if v is in the range of a quick demand. It has no branches.
func (d *demand) outside(v int64) uint64 {
	r := &ranges[d.look%uint8(len(ranges))]
	return (uint64(v) + r.add) & r.mask
}

// quickDemands returns demands for numbers in the quick form, if all have one.
func quickDemands(list []demand) ([]demand, bool) {
	out := make([]demand, len(list))
	for i, d := range list {
		q, ok := d.quick()
		if !ok {
			return list, false
		}
		out[i] = q
	}
	return out, true
}

// tensorDemand returns the demand for tensors of class c, if there is one.
func tensorDemand(c args.Class, at uint8) (d demand, ok bool) {
	if c == args.ClassNone {
		return demand{noTensor, at}, true
	}
	elem := c.Elem()
	d = demand{uint8(elem), at}
	if c&args.ClassDiv16 != 0 {
		d.look |= 1 << tensorAligned
	}
	return d, c&args.ClassKind == args.ClassPtr && elem < 1<<tensorAligned
}

// differs returns the bits in which a tensor, which is not nil, differs from the demand. It has no branches.
func (d *demand) differs(t *args.Tensor) uint32 {
	var aligned uint8
	if t.Addr&15 == 0 {
		aligned = 1
	}
	return (uint32(t.Elem) + uint32(aligned)<<tensorAligned) ^ uint32(d.look)
}
