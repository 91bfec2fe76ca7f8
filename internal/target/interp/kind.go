package interp

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// kind says how the elements of a value lie in its register.
type kind uint8

const (
	kNone kind = iota // nothing at all: tokens
	kI1               // a byte, 0 or 1
	kI8
	kI16
	kI32
	kI64 // pointers and index too
	kF32 // every float but f64
	kF64
	kObj // not in a register but among the frame's objects
	numKinds
)

// bytes returns the size of an element in a register.
func (k kind) bytes() int { return [numKinds]int{0, 1, 1, 2, 4, 8, 4, 8, 0}[k] }

func (k kind) isInt() bool   { return k >= kI1 && k <= kI64 }
func (k kind) isFloat() bool { return k == kF32 || k == kF64 }

// layout is the form of a type's values in registers.
type layout struct {
	kind kind
	fmt  *num.Format // format of a float
	n    int         // elements
}

// small reports whether values are rounded after each operation.
func (l layout) small() bool { return l.kind == kF32 && l.fmt != num.F32 }

// memBytes returns the size of an element in memory.
func (l layout) memBytes() int {
	if l.fmt != nil {
		return (l.fmt.Bits + 7) / 8
	}
	return l.kind.bytes()
}

// maxElements bounds a tensor, well above Triton's own limit, so that bad input cannot ask for all memory.
const maxElements = 1 << 26

func layoutOf(t ir.Type) (layout, error) {
	l := layout{n: 1}
	if shaped, ok := t.(*ir.TensorType); ok && !shaped.Unranked {
		for _, d := range shaped.Shape {
			if d < 0 || d > maxElements || int64(l.n)*d > maxElements {
				return l, fmt.Errorf("type %s is not supported: tensors have a static shape of at most %d "+
					"elements", t, maxElements)
			}
			l.n *= int(d)
		}
		t = shaped.Elem
	}
	switch e := t.(type) {
	case *ir.IntegerType:
		if k, ok := intKinds[e.Width]; ok {
			l.kind = k
			return l, nil
		}
	case *ir.IndexType:
		l.kind = kI64
		return l, nil
	case *ir.FloatType:
		l.kind, l.fmt = kF32, e.Format
		if e.Format == num.F64 {
			l.kind = kF64
		}
		return l, nil
	case *ir.NoneType:
		return l, nil
	case *ir.DialectType:
		l.kind = dialectKind(e)
		return l, nil
	}
	return l, fmt.Errorf("type %s is not supported", t)
}

var intKinds = map[int]kind{1: kI1, 8: kI8, 16: kI16, 32: kI32, 64: kI64}

// dialectKind knows pointers, tokens and objects by their type.
func dialectKind(t *ir.DialectType) kind {
	switch {
	case t.Def == tt.PtrType && !tt.IsTensorPtr(t):
		return kI64
	case t.Def.Name == "async.token" || t.Def.Name == "token":
		return kNone
	}
	return kObj
}
