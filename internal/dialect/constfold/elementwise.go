package constfold

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// Map applies f to the bits of corresponding elements of constants and gives a constant of type t, nil when
// one of them is no constant or f declines. Bits are those of the elements' types, cut to their width. A
// poisoned operand poisons the result.
func Map(t ir.Type, args []ir.Attr, f func(bits []uint64) (uint64, bool)) ir.Attr {
	if p := poisoned(args...); p != nil {
		return p
	}
	shape := shapeOf(args)
	if shape == notConstant {
		return nil
	}
	elem := ir.ElemOf(t)
	bits := make([]uint64, len(args))
	if shape == uniform {
		r, ok := at(args, bits, 0, f)
		if !ok {
			return nil
		}
		return Splat(t, ir.ScalarFromBits(r, elem))
	}
	out := make([]uint64, elements(t))
	for i := range out {
		var ok bool
		if out[i], ok = at(args, bits, i, f); !ok {
			return nil
		}
	}
	return ir.DenseOf(t, out)
}

// poisoned is the poison among operands that are all constants, or nil.
func poisoned(args ...ir.Attr) ir.Attr {
	var p ir.Attr
	for _, a := range args {
		if a == nil {
			return nil
		}
		if IsPoison(a) {
			p = a
		}
	}
	return p
}

const (
	notConstant = iota
	uniform     // scalars, and tensors that are one value throughout
	varied
)

func shapeOf(args []ir.Attr) int {
	shape := uniform
	for _, a := range args {
		switch a := a.(type) {
		case *ir.IntegerAttr, *ir.FloatAttr:
		case *ir.DenseAttr:
			if !a.Splat {
				shape = varied
			}
		default:
			return notConstant
		}
	}
	return shape
}

func elements(t ir.Type) int {
	n := 1
	for _, d := range ir.ShapeOf(t) {
		n *= int(d)
	}
	return n
}

func at(args []ir.Attr, bits []uint64, i int, f func([]uint64) (uint64, bool)) (uint64, bool) {
	for j, a := range args {
		bits[j] = bitsAt(a, i)
	}
	return f(bits)
}

// bitsAt are the bits of element i, cut to the width of the element's type.
func bitsAt(a ir.Attr, i int) uint64 {
	switch a := a.(type) {
	case *ir.IntegerAttr:
		return uint64(a.Value) & mask(ir.BitWidth(a.Type))
	case *ir.FloatAttr:
		return a.Bits
	case *ir.DenseAttr:
		return a.Bits(i) & mask(ir.BitWidth(ir.ElemOf(a.Type)))
	}
	return 0
}

func mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

// SignExtend reads the lowest bits of x as a signed integer of the given width.
func SignExtend(x uint64, width int) int64 { return int64(x<<(64-width)) >> (64 - width) }

// elemOf is the element type of a constant, nil for what has none.
func elemOf(a ir.Attr) ir.Type {
	switch a := a.(type) {
	case *ir.IntegerAttr:
		return a.Type
	case *ir.FloatAttr:
		return a.Type
	case *ir.DenseAttr:
		return ir.ElemOf(a.Type)
	}
	return nil
}

// Ints is what an integer operation sees of its operands: values and width.
type Ints struct {
	X, Y  int64 // sign-extended (i1 too: true is -1)
	UX    uint64
	UY    uint64
	Width int
}

// IntBinary applies f to corresponding elements of two integer constants.
func IntBinary(t ir.Type, a, b ir.Attr, f func(Ints) (int64, bool)) ir.Attr {
	if p := poisoned(a, b); p != nil {
		return p
	}
	w := intWidth(a)
	if w == 0 || b == nil {
		return nil
	}
	return Map(t, []ir.Attr{a, b}, func(x []uint64) (uint64, bool) {
		r, ok := f(Ints{SignExtend(x[0], w), SignExtend(x[1], w), x[0], x[1], w})
		return uint64(r), ok
	})
}

// IntUnary applies f to each element of an integer constant.
func IntUnary(t ir.Type, a ir.Attr, f func(Ints) (int64, bool)) ir.Attr {
	if p := poisoned(a); p != nil {
		return p
	}
	w := intWidth(a)
	if w == 0 {
		return nil
	}
	return Map(t, []ir.Attr{a}, func(x []uint64) (uint64, bool) {
		r, ok := f(Ints{X: SignExtend(x[0], w), UX: x[0], Width: w})
		return uint64(r), ok
	})
}

// intWidth is the width of an integer constant's elements, 0 when it is none, or too wide.
func intWidth(a ir.Attr) int {
	if t := elemOf(a); t != nil && isInt(t) {
		return ir.BitWidth(t)
	}
	return 0
}

// FloatBinary applies f to corresponding elements of two float constants of one format and rounds to the
// format of t. For formats up to f32, sums, differences, products and quotients computed in float64 round
// as if computed at once, since 53 >= 2*24+2 (Figueroa, "When is double rounding innocuous?").
func FloatBinary(t ir.Type, a, b ir.Attr, f func(x, y float64) (float64, bool)) ir.Attr {
	if p := poisoned(a, b); p != nil {
		return p
	}
	from, to := formatOf(a), format(t)
	if b == nil || to == nil || from == nil {
		return nil
	}
	return Map(t, []ir.Attr{a, b}, func(x []uint64) (uint64, bool) {
		r, ok := f(from.Format.Decode(x[0]), from.Format.Decode(x[1]))
		return to.Format.Encode(r), ok
	})
}

// FloatUnary applies f to each element of a float constant and rounds to the format of t.
func FloatUnary(t ir.Type, a ir.Attr, f func(x float64) (float64, bool)) ir.Attr {
	if p := poisoned(a); p != nil {
		return p
	}
	from, to := formatOf(a), format(t)
	if from == nil || to == nil {
		return nil
	}
	return Map(t, []ir.Attr{a}, func(x []uint64) (uint64, bool) {
		r, ok := f(from.Format.Decode(x[0]))
		return to.Format.Encode(r), ok
	})
}

// FloatToInt applies f to each element of a float constant and gives integers of type t.
func FloatToInt(t ir.Type, a ir.Attr, f func(x float64) (int64, bool)) ir.Attr {
	if p := poisoned(a); p != nil {
		return p
	}
	from := formatOf(a)
	if from == nil || !isInt(ir.ElemOf(t)) {
		return nil
	}
	return Map(t, []ir.Attr{a}, func(x []uint64) (uint64, bool) {
		r, ok := f(from.Format.Decode(x[0]))
		return uint64(r), ok
	})
}

// FloatCompare applies a predicate to corresponding elements of two float constants and gives i1s.
func FloatCompare(t ir.Type, a, b ir.Attr, f func(x, y float64) bool) ir.Attr {
	if p := poisoned(a, b); p != nil {
		return p
	}
	from := formatOf(a)
	if from == nil || b == nil {
		return nil
	}
	return Map(t, []ir.Attr{a, b}, func(x []uint64) (uint64, bool) {
		if f(from.Format.Decode(x[0]), from.Format.Decode(x[1])) {
			return 1, true
		}
		return 0, true
	})
}

// Bitcast gives the same bits another element type.
func Bitcast(t ir.Type, a ir.Attr) ir.Attr {
	if p := poisoned(a); p != nil {
		return p
	}
	from, to := elemOf(a), ir.ElemOf(t)
	if from == nil || ir.BitWidth(from) != ir.BitWidth(to) || ir.BitWidth(to) == 0 {
		return nil
	}
	return Map(t, []ir.Attr{a}, func(x []uint64) (uint64, bool) { return x[0], true })
}

// formatOf is the float type of a constant's elements, format that of a type's; nil when they are no floats.
func formatOf(a ir.Attr) *ir.FloatType { t, _ := elemOf(a).(*ir.FloatType); return t }

func format(t ir.Type) *ir.FloatType { ft, _ := ir.ElemOf(t).(*ir.FloatType); return ft }
