package nereid

import (
	"math"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun"
)

// class is all that a specialisation depends on in one argument. The value of a constant is not in it: it follows, see look.
type class uint32

const (
	classNone class = iota
	classOne
	classConstInt // constants, by their kind
	classConstFloat
	classConstBool
	classConstText
	classConstType
	classDefault // what the kernel says itself
	classOther   // anything else, for the long way
	classInt32   // from here on there is a word for the device
	classInt64
	classUint64
	classFloat
	classBool
	classPtr // with the element type in the bits above

	classKind  class = 1<<8 - 1
	classDiv16 class = 1 << 8
	classElem  class = 1 << 16
)

// folded reports whether a class has no word: the code holds the value.
func (c class) folded() bool { return c&classKind < classInt32 }

// sameClasses compares without a call and with no branch that depends on what is compared.
func sameClasses(a, b []class) bool {
	if len(a) != len(b) {
		return false
	}
	var differ class
	for i, c := range a {
		differ |= c ^ b[i]
	}
	return differ == 0
}

// bytesOf is memory as text, to be hashed.
func bytesOf(s []class) string {
	if len(s) == 0 {
		return ""
	}
	return unsafe.String((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// kernelParam is a parameter as the short way of a launch sees it: no more than it needs, since it looks at all of them.
type kernelParam struct {
	dtype     DType // of an annotation that names a scalar type, where fixed
	constexpr bool
	fixed     bool
	float     bool  // the annotation makes a float of any number
	one       uint8 // the class of 1: it may be folded away
	aligns    uint8 // 1 where it matters whether 16 divides it
}

// itsDefault stands for a default that becomes part of the code.
type itsDefault struct{}

func newParam(p lang.Param) kernelParam {
	k := kernelParam{constexpr: p.Constexpr, one: uint8(classInt32)}
	if !p.NoSpecialize && p.Type == "" {
		k.one = uint8(classOne)
	}
	if !p.NoSpecialize && !p.NoAlign {
		k.aligns = 1
	}
	if p.Type != "" {
		dt, err := DTypeOf(p.Type)
		k.dtype, k.fixed = dt, err == nil
		k.float = k.fixed && dt.IsFloat()
	}
	return k
}

// defaultOf is a parameter's default: a number where the device is handed one.
func defaultOf(p lang.Param) any {
	switch {
	case p.Default == nil:
		return nil
	case p.Constexpr || p.Default == pyrun.None:
		return itsDefault{}
	}
	switch v := goValue(p.Default).(type) {
	case int64, float64, bool:
		return v
	}
	return nil
}

// int is the class and the word of an integer.
func (p *kernelParam) int(v int64) (class, uint64) {
	if p.float {
		return classFloat, p.dtype.Encode(float64(v))
	}
	return p.whole(v), uint64(v)
}

// whole is the class of an integer that stays one. Branches would be guessed wrong here, after what the driver does; these are none.
func (p *kernelParam) whole(v int64) class {
	c := classInt32
	if v != int64(int32(v)) {
		c = classInt64
	}
	if v == 1 {
		c = class(p.one)
	}
	div := class(p.aligns) * classDiv16
	if v&15 != 0 {
		div = 0
	}
	return c | div
}

func (p *kernelParam) floating(v float64) (class, uint64) {
	if p.fixed {
		return classFloat, p.dtype.Encode(v)
	}
	return classFloat, uint64(math.Float32bits(float32(v)))
}

func boolWord(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// tensorClass is the class and the word of a tensor. Host memory goes the short way where the device reads it as it lies there: see
// Device.reads. ok is false for host memory that is empty.
func tensorClass(t *Tensor) (c class, word uint64, ok bool) {
	if t == nil {
		return classNone, 0, true
	}
	return t.class(), t.addr, t.dev != nil || t.buf != nil && t.buf.Size() != 0
}

// class is that of a tensor that is one.
func (t *Tensor) class() class {
	c := classPtr + class(t.DType)*classElem
	if t.addr&15 == 0 {
		c |= classDiv16
	}
	return c
}
