package nereid

import (
	"math"

	"github.com/nereid-lang/nereid/internal/lang"
)

// class is all that a specialisation depends on in one runtime argument.
type class uint32

const (
	classConst class = iota // compared by value
	classNone
	classInt32
	classInt64
	classUint64
	classOne
	classFloat
	classBool
	classPtr // with the element type in the bits above

	classDiv16 class = 1 << 8
	classElem  class = 1 << 16
)

// kernelParam is a parameter as the short way of a launch sees it.
type kernelParam struct {
	lang.Param
	dtype DType // of an annotation that names a scalar type
	fixed bool  // there is one
}

func newParam(p lang.Param) kernelParam {
	k := kernelParam{Param: p}
	if p.Type != "" {
		dt, err := DTypeOf(p.Type)
		k.dtype, k.fixed = dt, err == nil
	}
	return k
}

// isFloat reports whether the annotation makes a float of any number.
func (p *kernelParam) isFloat() bool { return p.fixed && p.dtype.IsFloat() }

// oneWord is the class of an argument, and its word where it has one.
type oneWord struct {
	class class
	word  uint64
}

func (w *oneWord) int(p *kernelParam, v int64) {
	if p.isFloat() {
		w.class, w.word = classFloat, p.dtype.Encode(float64(v))
		return
	}
	if v == 1 && !p.NoSpecialize && p.Type == "" {
		w.class = classOne
		return
	}
	w.class, w.word = classInt32, uint64(v)
	if v != int64(int32(v)) {
		w.class = classInt64
	}
	if v%16 == 0 && !p.NoSpecialize && !p.NoAlign {
		w.class |= classDiv16
	}
}

func (w *oneWord) float(p *kernelParam, v float64) {
	w.class, w.word = classFloat, uint64(math.Float32bits(float32(v)))
	if p.fixed {
		w.word = p.dtype.Encode(v)
	}
}

func (w *oneWord) bool(v bool) {
	w.class, w.word = classBool, 0
	if v {
		w.word = 1
	}
}

// tensor reports whether a tensor can go the short way. Host memory can where the device reads it as it lies there: see Device.reads.
func (w *oneWord) tensor(t *Tensor) bool {
	if t == nil {
		w.class = classNone
		return true
	}
	if t.dev == nil && t.buf.Size() == 0 {
		return false
	}
	addr := t.buf.Addr() + uint64(t.offset)
	w.class, w.word = classPtr+class(t.DType)*classElem, addr
	if addr%16 == 0 {
		w.class |= classDiv16
	}
	return true
}

// folded reports whether a class has no word: the code holds the value.
func (c class) folded() bool { return c == classConst || c == classOne || c == classNone }
