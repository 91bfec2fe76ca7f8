package nereid

import (
	"math"
	"reflect"
	"runtime"
	"runtime/trace"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// cut is the short cut of a generated function: one plan, and all that it takes to see that arguments fit it. A launch begins with little
// of ours in the processor's caches, so what counts is how many lines of memory it reads and how much code it runs through: this is one
// piece in the order in which it is read, and never changes.
type cut struct {
	ready driver.Ready
	dev   *Device

	nConsts, nTensors, nScalars, nWords uint8

	tail    uint64 // of the last of consts, what is not padding
	p       *plan
	keep    any // the constants, whose texts live for as long as somebody compares with their addresses
	scalars [cutScalars]cutScalar
	tensors [cutTensors]cutTensor
	consts  [cutConsts]uint64
	masks   []uint64 // of consts, what is not padding; nil if the last alone has any
}

// What has a short cut: most kernels.
const (
	cutConsts  = 16
	cutTensors = 12
	cutScalars = 20
	cutWords   = 24
	cutNowhere = cutWords - 1 // where words go that the code holds
)

// cutTensor is the class of a tensor, with the place of its word in the bits above.
type cutTensor uint32

const cutTensorClass = 1<<24 - 1

// cutScalar is what a number must be like: four bytes, the lowest those bits of it that must be zero, or not; then of cutDiv16 and the
// like what it is, what of that matters, and the place of its word.
type cutScalar uint32

const (
	cutDiv16 = 1 << iota
	cutOne
	cutWide
)

func newCutScalar(mask, is, matters, at uint8) cutScalar {
	return cutScalar(mask) | cutScalar(is)<<8 | cutScalar(matters)<<16 | cutScalar(at)<<24
}

// differs is what of a number is not as it must be. There is no branch in it.
func (w cutScalar) differs(v int64) uint32 {
	var div, one, wide uint8
	if uint8(v)&uint8(w) == 0 {
		div = 1
	}
	if v == 1 {
		one = 1
	}
	if v != int64(int32(v)) {
		wide = 1
	}
	return (uint32(div|one<<1|wide<<2) ^ uint32(w>>8)) & uint32(w>>16) & 0xff
}

// Kinds of parameters, for Typed.Kinds.
const (
	kindTensor = 't'
	kindInt    = 'i'
	kindFloat  = 'f' // its word is a float32
	kindDouble = 'd'
	kindBool   = 'b'
)

// FloatWord, DoubleWord and BoolWord are numbers for Typed.Again.
func FloatWord(v float64) int64  { return int64(math.Float32bits(float32(v))) }
func DoubleWord(v float64) int64 { return int64(math.Float64bits(v)) }
func BoolWord(v bool) int64      { return int64(boolWord(v)) }

// Again launches the kernel if the arguments look like those of the launch before: done is false otherwise, and nothing has happened. All
// that is not compile-time is given, tensors and numbers apart, each in the order of the parameters.
func (t *Typed[C]) Again(s *Stream, grid *Grid, c *C, tensors []*Tensor, scalars []int64) (done bool, err error) {
	return t.last.launch(s, grid, unsafe.Pointer(c), tensors, scalars)
}

// lastCut is the short cut that was taken last, or would have been.
type lastCut struct{ atomic.Pointer[cut] }

// launch launches if there is a short cut and the arguments fit. It looks at all of them before it decides: a branch for each would be
// guessed wrong.
func (l *lastCut) launch(s *Stream, grid *Grid, consts unsafe.Pointer, tensors []*Tensor, scalars []int64) (done bool, err error) {
	x := l.Load()
	if x == nil || s == nil || x.dev != s.dev || len(tensors) != int(x.nTensors) || len(scalars) != int(x.nScalars) || trace.IsEnabled() {
		return false, nil
	}
	var words [cutWords]uint64
	differ := uint64(0)
	for i, v := range scalars {
		w := x.scalars[i]
		differ |= uint64(w.differs(v))
		words[w>>24] = uint64(v)
	}
	if x.masks == nil {
		differ |= x.differs(consts)
	} else {
		differ |= x.masked(consts)
	}
	for i, t := range tensors {
		w := x.tensors[i]
		class := classNone
		if t != nil {
			if t.dev != x.dev {
				return false, nil // the host's, or another's
			}
			class = t.class()
			words[w>>24] = t.addr
		}
		differ |= uint64(w&cutTensorClass) ^ uint64(class)
	}
	gx, gy, gz := grid[0], grid[1], grid[2]
	if differ != 0 || !grid.common() {
		return false, nil
	}
	err = x.ready.Launch(nvidia.RawStream(s.s), uint32(gx), uint32(max(gy, 1)), uint32(max(gz, 1)), words[:x.nWords])
	runtime.KeepAlive(x)
	return true, err
}

// differs compares constants.
func (x *cut) differs(consts unsafe.Pointer) (differ uint64) {
	n := x.nConsts - 1
	for i := range n {
		differ |= constWord(consts, i) ^ x.consts[i%cutConsts]
	}
	return differ | (constWord(consts, n)^x.consts[n%cutConsts])&x.tail
}

// masked compares constants that have padding between them.
func (x *cut) masked(consts unsafe.Pointer) (differ uint64) {
	for i, mask := range x.masks {
		differ |= (constWord(consts, uint8(i)) ^ x.consts[i]) & mask
	}
	return differ
}

func constWord(consts unsafe.Pointer, i uint8) uint64 {
	return *(*uint64)(unsafe.Add(consts, 8*uintptr(i)))
}

// newCut is the short cut to a plan, for arguments of these classes, or nil.
func (set *constSet) newCut(p *plan, classes []class) *cut {
	kinds, params, raw := set.kinds, set.params, &set.raw
	if !p.ready.Is() || len(kinds) != len(params) || len(kinds) != len(classes) || len(raw.words) == 0 || len(raw.words) > cutConsts || p.words >= cutNowhere {
		return nil
	}
	x := &cut{ready: p.ready, dev: p.dev, p: p, keep: raw.keep, nConsts: uint8(len(raw.words)), masks: raw.masks, tail: raw.tail}
	copy(x.consts[:], raw.words)
	for i, c := range classes {
		at := x.nWords
		if c.folded() {
			at = cutNowhere
		} else {
			x.nWords++
		}
		if !x.add(kinds[i], &params[i], c, at) {
			return nil
		}
	}
	if int(x.nWords) != p.words {
		return nil
	}
	return x
}

// add adds a parameter, unless it is none that short cuts know.
func (x *cut) add(kind byte, p *kernelParam, c class, at uint8) bool {
	if kind == kindTensor {
		if x.nTensors == cutTensors || c&classKind != classPtr && c != classNone || c > cutTensorClass {
			return false
		}
		x.tensors[x.nTensors] = cutTensor(c) | cutTensor(at)<<24
		x.nTensors++
		return true
	}
	if x.nScalars == cutScalars {
		return false
	}
	w := newCutScalar(0, 0, 0, at)
	switch kind {
	case kindInt:
		if p.float {
			return false
		}
		w = p.cutInt(c, at)
	case kindFloat, kindDouble:
		want := Float32
		if kind == kindDouble {
			want = Float64
		}
		if c != classFloat || p.fixed && p.dtype != want || !p.fixed && kind == kindDouble {
			return false
		}
	case kindBool:
		if c != classBool {
			return false
		}
	default:
		return false
	}
	x.scalars[x.nScalars] = w
	x.nScalars++
	return true
}

// cutInt is what makes the class of an integer this one: what whole says of it, turned around.
func (p *kernelParam) cutInt(c class, at uint8) cutScalar {
	mask, is, matters := uint8(0), uint8(0), uint8(cutWide)
	if p.one == uint8(classOne) {
		matters |= cutOne
	}
	if p.aligns != 0 {
		matters |= cutDiv16
		mask = 15
	}
	if c == classOne {
		is |= cutOne
	}
	if c&classKind == classInt64 {
		is |= cutWide
	}
	if c&classDiv16 != 0 {
		is |= cutDiv16
	}
	return newCutScalar(mask, is, matters, at)
}

// rawConsts is the memory of constants: where it is the same, so are they.
type rawConsts struct {
	words []uint64
	masks []uint64 // what is not padding, nil if the last word alone has any
	tail  uint64   // the last word's mask
	keep  any
}

func newRaw[C any](c C) (r rawConsts) {
	n := unsafe.Sizeof(c)
	if n == 0 || n%8 != 0 || unsafe.Alignof(c)%8 != 0 {
		return r
	}
	r.keep = c
	r.words = append(r.words, unsafe.Slice((*uint64)(unsafe.Pointer(&c)), n/8)...)
	r.masks = make([]uint64, len(r.words))
	mark(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.masks))), n), reflect.TypeFor[C]())
	last := len(r.masks) - 1
	r.tail = r.masks[last]
	if !slices.ContainsFunc(r.masks[:last], func(m uint64) bool { return m != math.MaxUint64 }) {
		r.masks = nil
	}
	return r
}

// mark marks the bytes of a type that are part of its value.
func mark(mask []byte, t reflect.Type) {
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			f := t.Field(i)
			mark(mask[f.Offset:], f.Type)
		}
		return
	}
	for i := range t.Size() {
		mask[i] = 0xff
	}
}
