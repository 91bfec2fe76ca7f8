package args

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// Class is everything about one argument that a specialization depends on. The value of a constant is not
// part of it; it follows the class in two halves, see Look.
type Class uint32

const (
	ClassNone Class = iota
	ClassOne
	ClassConstInt // constants, by their kind
	ClassConstFloat
	ClassConstBool
	ClassConstText
	ClassConstType
	ClassDefault // the kernel's own default
	ClassOther   // any other value: its text is in Look.Texts
	ClassInt32   // from here on the device receives a word
	ClassInt64
	ClassUint64
	ClassFloat
	ClassBool
	ClassPtr   // the element type is in the bits above
	ClassDesc  // a descriptor: see descriptor.go
	ClassTyped // a number of a type that no class above has; the type is in the bits above

	ClassKind  Class = 1<<8 - 1
	ClassDiv16 Class = 1 << 8
	classElem  Class = 1 << 16
)

// Folded reports whether the class has no word because the code holds the value.
func (c Class) Folded() bool { return c&ClassKind < ClassInt32 }

// Elem returns the type of a pointer's elements, or that of ClassTyped.
func (c Class) Elem() dtype.Type { return dtype.Type(c / classElem) }

// numberClass returns the class of numbers of a type, which is not Bool.
func numberClass(t dtype.Type) Class {
	switch t {
	case dtype.Int32:
		return ClassInt32
	case dtype.Int64:
		return ClassInt64
	case dtype.Uint64:
		return ClassUint64
	case dtype.Float32:
		return ClassFloat
	}
	return ClassTyped + Class(t)*classElem
}

// IntRule says how integers are specialized: One is the class of 1, Align is ClassDiv16 if divisibility by 16
// matters.
type IntRule struct{ One, Align Class }

// Class returns the class of an integer. It has no branches: after a call into the driver they would be
// mispredicted.
func (r IntRule) Class(v int64) Class {
	c := ClassInt32
	if v != int64(int32(v)) {
		c = ClassInt64
	}
	if v == 1 {
		c = r.One
	}
	div := r.Align
	if v&15 != 0 {
		div = 0
	}
	return c | div
}

// Facts returns everything of an integer that its class depends on, a number below 8. It has no branches.
func Facts(v int64) uint8 {
	var div, one, wide uint8
	if v&15 == 0 {
		div = 1
	}
	if v == 1 {
		one = 1
	}
	if v != int64(int32(v)) {
		wide = 1
	}
	return div | one<<1 | wide<<2
}

// samples has an integer for each number that Facts returns; 0 for those that it never returns.
var samples = [...]int64{2, 16, 1, 0, 1<<40 + 1, 1 << 40}

// Misfits returns a set of bits: bit i is set if integers whose Facts are i are not of class c.
func Misfits(class func(int64) Class, c Class) (bits uint8) {
	for i, v := range samples {
		if class(v) != c {
			bits |= 1 << i
		}
	}
	return bits
}

// Class returns the class of a tensor.
func (t *Tensor) Class() Class {
	c := ClassPtr + Class(t.Elem)*classElem
	if t.Addr&15 == 0 {
		c |= ClassDiv16
	}
	return c
}

// Look holds the classes and texts of the arguments of a launch: everything that their specialization depends
// on.
type Look struct {
	Classes []Class  // by parameter; a constant's class is followed by its value, low half first
	Texts   []string // strings and texts of ClassOther arguments, in order
}

// Same reports whether two lists of arguments have the same specialization.
func (l *Look) Same(o *Look) bool {
	if !sameClasses(l.Classes, o.Classes) || len(l.Texts) != len(o.Texts) {
		return false
	}
	for i, t := range l.Texts {
		if t != o.Texts[i] {
			return false
		}
	}
	return true
}

// sameClasses compares without a call and without branches on the data.
func sameClasses(a, b []Class) bool {
	if len(a) != len(b) {
		return false
	}
	var differ Class
	for i, c := range a {
		differ |= c ^ b[i]
	}
	return differ == 0
}

// Bytes returns the classes as a string that shares their memory, for hashing.
func Bytes(s []Class) string {
	if len(s) == 0 {
		return ""
	}
	return unsafe.String((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
