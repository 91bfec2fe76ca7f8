package warm

import (
	"math"
	"reflect"
	"runtime"
	"runtime/trace"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Cut is the short cut of a generated function: a plan and everything needed to check that arguments fit it,
// in the order in which a launch reads it. It never changes.
type Cut struct {
	launcher device.Launcher
	dev      *args.Device

	nTensors, nScalars, nWords uint8

	nConsts uint8
	quick   bool                            // the demands of all scalars are quick
	masked  bool                            // other words of consts than the last have padding
	tail    uint64                          // mask of the last word of consts without padding
	codes   [cutScalars + cutTensors]demand // those of scalars, then those of tensors
	consts  [cutConsts]uint64
	masks   []uint64 // masks of consts without padding; nil if only the last word has any

	plan *Plan    // keeps the code alive
	keep any      // keeps the constants alive, whose strings are compared by address
	_    [40]byte // padded to whole cache lines
}

// Limits of short cuts, which suffice for most kernels.
const (
	cutConsts  = 16
	cutTensors = 12
	cutScalars = 20
	CutWords   = 24           // with one for words that the code holds
	nowhere    = CutWords - 1 // place of words that the code holds
)

// LastCut is the short cut to the plan of the previous launch.
type LastCut struct{ atomic.Pointer[Cut] }

// Launch launches if there is a short cut and the arguments fit. Otherwise done is false and nothing has
// happened. It compares all arguments before it branches: a branch for each would be mispredicted. Elements
// of tensors may be nil.
func (l *LastCut) Launch(s *args.Stream, grid *[3]int, consts unsafe.Pointer, tensors []*args.Tensor,
	scalars []int64) (done bool, err error) {
	x := l.Load()
	if x == nil || s == nil || x.dev != s.Dev || s.Closed.Load() || len(tensors) != int(x.nTensors) ||
		len(scalars) != int(x.nScalars) || trace.IsEnabled() {
		return false, nil
	}
	// before anything looks whether a tensor is open, and before there is much to store
	call := s.Calls.Begin()
	var words [CutWords]uint64
	gx, gy, gz, bad := GPUGrid(grid)
	if bad |= x.fill(&words, tensors, scalars) | x.differs(consts); bad == 0 {
		done, err = true, x.launcher.LaunchWords(s.S, gx, gy, gz, OnStack(&words)[:x.nWords], nil)
	}
	call.End()
	runtime.KeepAlive(&words)
	runtime.KeepAlive(x)
	return done, err
}

// fill writes the words of arguments and returns bits if one does not fit.
func (x *Cut) fill(words *[CutWords]uint64, tensors []*args.Tensor, scalars []int64) uint64 {
	refused, differ, outside := uint32(0), uint32(0), uint64(0)
	d := &x.codes[0]
	if x.quick {
		for _, v := range scalars {
			outside |= d.outside(v)
			*d.word(words) = uint64(v)
			d = d.next()
		}
	} else {
		for _, v := range scalars {
			refused |= d.refuses(v)
			*d.word(words) = uint64(v)
			d = d.next()
		}
	}
	for _, t := range tensors {
		if t == nil {
			differ |= uint32(d.look) ^ noTensor
		} else {
			if t.Dev.Load() != x.dev {
				return 1 // host memory, or another device
			}
			differ |= d.differs(t)
			*d.word(words) = t.Addr
		}
		d = d.next()
	}
	return uint64(refused&1|differ) | outside
}

// differs returns the bits in which the constants differ from the plan's.
func (x *Cut) differs(consts unsafe.Pointer) (differ uint64) {
	if x.masked {
		return x.differsMasked(consts)
	}
	n := uintptr(x.nConsts) - 1
	for i := range n {
		differ |= constWord(consts, i) ^ constWord(unsafe.Pointer(&x.consts), i)
	}
	return differ | (constWord(consts, n)^constWord(unsafe.Pointer(&x.consts), n))&x.tail
}

// differsMasked compares like differs, for constants with padding between them.
func (x *Cut) differsMasked(consts unsafe.Pointer) (differ uint64) {
	for i, mask := range x.masks {
		differ |= (constWord(consts, uintptr(i)) ^ x.consts[i]) & mask
	}
	return differ
}

func constWord(consts unsafe.Pointer, i uintptr) uint64 {
	return *(*uint64)(unsafe.Add(consts, 8*i))
}

// Kinds of parameters in generated code.
const (
	KindTensor = 't'
	KindInt    = 'i'
	KindFloat  = 'f' // its word is a float32
	KindDouble = 'd'
	KindBool   = 'b'
)

// NewCut returns the short cut to a plan for runtime arguments of these classes under these constants, or
// nil.
func NewCut(p *Plan, kinds string, rules []args.Rule, classes []args.Class, raw *Raw) *Cut {
	if p.Launcher == nil || len(kinds) != len(rules) || len(kinds) != len(classes) || len(raw.words) == 0 ||
		len(raw.words) > cutConsts || p.Words >= nowhere {
		return nil
	}
	x := &Cut{launcher: p.Launcher, dev: p.Dev, plan: p, keep: raw.keep, nConsts: uint8(len(raw.words)),
		masks: raw.masks, masked: raw.masks != nil, tail: raw.tail}
	copy(x.consts[:], raw.words)
	var scalars, tensors []demand
	for i, c := range classes {
		at := x.nWords
		if c.Folded() {
			at = nowhere
		} else {
			x.nWords++
		}
		list := &tensors
		d, ok := tensorDemand(c, at)
		if kinds[i] != KindTensor {
			list = &scalars
			d, ok = scalarDemand(kinds[i], &rules[i], c, at)
		}
		if !ok {
			return nil
		}
		*list = append(*list, d)
	}
	if int(x.nWords) != p.Words || len(tensors) > cutTensors || len(scalars) > cutScalars {
		return nil
	}
	scalars, x.quick = quickDemands(scalars)
	x.nTensors, x.nScalars = uint8(len(tensors)), uint8(len(scalars))
	copy(x.codes[copy(x.codes[:], scalars):], tensors)
	return x
}

// scalarDemand returns the demand for a number, if there is one.
func scalarDemand(kind byte, r *args.Rule, c args.Class, at uint8) (d demand, ok bool) {
	switch kind {
	case KindInt:
		return intDemand(r.IntRule, c, at), !r.Float
	case KindFloat, KindDouble:
		return anyNumber(at), c == args.ClassFloat && wordIs(r, kind)
	case KindBool:
		return anyNumber(at), c == args.ClassBool
	}
	return demand{}, false
}

// wordIs reports whether the word of a float is of that kind: a float32 unless the annotation says float64.
func wordIs(r *args.Rule, kind byte) bool {
	if kind == KindDouble {
		return r.Fixed && r.Elem == dtype.Float64
	}
	return !r.Fixed || r.Elem == dtype.Float32
}

// Raw is the memory of a struct of constants: equal memory means equal constants.
type Raw struct {
	words []uint64
	masks []uint64 // bits that are not padding; nil if only the last word has padding
	tail  uint64   // mask of the last word
	keep  any
}

// NewRaw returns the memory of a struct, empty if it cannot be compared by words.
func NewRaw[C any](c C) (r Raw) {
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

// mark sets the mask of the bytes that are part of a type's value.
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
