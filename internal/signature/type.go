package signature

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// Type is the type of an argument: a scalar, or a pointer. The zero value is none.
type Type struct {
	// Pointers has a "*" for each level of a pointer, the outermost first, and "*k" for one that is only
	// read; "" is a scalar.
	Pointers string
	Elem     dtype.Type
}

// Scalar returns the type of a number.
func Scalar(t dtype.Type) Type { return Type{Elem: t} }

// PointerTo returns the type of a pointer to elements; constant says that it is only read.
func PointerTo(t Type, constant bool) Type {
	if constant {
		return Type{"*k" + t.Pointers, t.Elem}
	}
	return Type{"*" + t.Pointers, t.Elem}
}

// IsPointer reports whether the type is that of a pointer.
func (t Type) IsPointer() bool { return t.Pointers != "" }

// IsConst reports whether the type is that of a pointer that is only read.
func (t Type) IsConst() bool { return strings.HasPrefix(t.Pointers, "*k") }

// IsInt reports whether the type is that of an integer, of which Bool is one.
func (t Type) IsInt() bool { return !t.IsPointer() && t.Elem != dtype.Invalid && !t.Elem.IsFloat() }

// Pointee returns what a pointer points to.
func (t Type) Pointee() Type {
	return Type{strings.TrimPrefix(strings.TrimPrefix(t.Pointers, "*"), "k"), t.Elem}
}

// String returns the type as signatures write it: i32, *fp16, *kfp16.
func (t Type) String() string { return t.Pointers + CanonicalName(t.Elem) }

// CanonicalName returns Triton's name of an element type in signatures, or "". It is the name of the table,
// but for Bool, which Triton takes for an unsigned integer.
func CanonicalName(t dtype.Type) string {
	switch t {
	case dtype.Invalid:
		return ""
	case dtype.Bool:
		return "u1"
	}
	return t.String()
}

// ParseScalar returns the scalar type of a name in any spelling; ok is false if there is none.
func ParseScalar(name string) (t dtype.Type, ok bool) {
	if name == "B" { // as Triton's specializations write a bool
		return dtype.Bool, true
	}
	return dtype.Parse(name)
}

// ParseType reads a type as signatures write it: i32, *fp16, *ki8 for a pointer that is only read, **fp32.
func ParseType(text string) (Type, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "*"); ok {
		rest, constant := strings.CutPrefix(rest, "k")
		elem, err := ParseType(rest)
		if err != nil {
			return Type{}, err
		}
		return PointerTo(elem, constant), nil
	}
	if t, ok := ParseScalar(text); ok {
		return Scalar(t), nil
	}
	return Type{}, fmt.Errorf("unknown type %q (a type is i32, fp16, *fp32 or the like)", text)
}
