package ttg

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// MemDescType is `!ttg.memdesc<2x64xf16, #shared, #smem, mutable, 4x64>`.
var MemDescType = Dialect.NewType(ir.TypeDef{
	Name: "memdesc",
	Doc: "A buffer in shared or tensor memory, or a view of one: shape, element type, encoding, memory " +
		"space, whether it may be written, and the shape of the allocation.",
})

// TokenType is `!ttg.async.token`.
var TokenType = Dialect.NewType(ir.TypeDef{
	Name:  "async.token",
	Doc:   "Ties an asynchronous operation to those that wait for it.",
	Print: func(*ir.Printer, *ir.DialectType) {},
})

// Token is `!ttg.async.token`.
var Token ir.Type = TokenType.Get()

func init() {
	MemDescType.Parse, MemDescType.Print = parseMemDesc, printMemDesc
	TokenType.Parse = func(*ir.Parser) (ir.Type, bool) { return Token, true }
}

// MemDesc is a memory descriptor type, taken apart. AllocShape is nil where it equals Shape. The slices of
// one taken from a type must not be changed.
type MemDesc struct {
	Shape      []int64
	Elem       ir.Type
	Encoding   ir.Attr
	Space      ir.Attr
	Mutable    bool
	AllocShape []int64
}

// Type is the interned type.
func (m MemDesc) Type() *ir.DialectType {
	alloc := m.AllocShape
	if slices.Equal(alloc, m.Shape) {
		alloc = nil
	}
	return MemDescType.Get(m.Shape, m.Elem, m.Encoding, m.Space, m.Mutable, alloc)
}

// Alloc is the shape of the allocation that the descriptor is a view of.
func (m MemDesc) Alloc() []int64 {
	if m.AllocShape == nil {
		return m.Shape
	}
	return m.AllocShape
}

// Rank is the number of dimensions.
func (m MemDesc) Rank() int { return len(m.Shape) }

// MemDescOf takes a memory descriptor type apart.
func MemDescOf(t ir.Type) (MemDesc, bool) {
	d, ok := t.(*ir.DialectType)
	if !ok || d.Def != MemDescType {
		return MemDesc{}, false
	}
	p := d.Params
	return MemDesc{ints(p[0]), p[1].(ir.Type), attrOf(p[2]), attrOf(p[3]), p[4].(bool), ints(p[5])}, true
}

func attrOf(p any) ir.Attr { a, _ := p.(ir.Attr); return a }

// IsMemDesc reports whether t is a memory descriptor.
func IsMemDesc(t ir.Type) bool { _, ok := MemDescOf(t); return ok }

// EncodingOf is the encoding of a tensor or memory descriptor, or nil.
func EncodingOf(t ir.Type) ir.Attr {
	if tt, ok := t.(*ir.TensorType); ok {
		return tt.Encoding
	}
	m, _ := MemDescOf(t)
	return m.Encoding
}

// ShapeOf and ElemOf are those of a tensor or memory descriptor.
func ShapeOf(t ir.Type) []int64 {
	if m, ok := MemDescOf(t); ok {
		return m.Shape
	}
	return ir.ShapeOf(t)
}

func ElemOf(t ir.Type) ir.Type {
	if m, ok := MemDescOf(t); ok {
		return m.Elem
	}
	return ir.ElemOf(t)
}

// Constraints of slots.
var (
	AnyMemDesc = ir.Of(MemDescType)
	AnyToken   = ir.Constraint{Desc: "async token", Ok: func(t ir.Type) bool {
		return t == Token
	}, Only: Token}
	TensorOrMemDesc = ir.Either(ir.AnyRankedTensor, AnyMemDesc)
)

func printMemDesc(p *ir.Printer, t *ir.DialectType) {
	m, _ := MemDescOf(t)
	p.Text("<")
	for _, n := range m.Shape {
		p.Textf("%dx", n)
	}
	p.Type(m.Elem)
	for _, a := range []ir.Attr{m.Encoding, m.Space} {
		if a != nil {
			p.Text(", ")
			p.Attr(a)
		}
	}
	if m.Mutable {
		p.Text(", mutable")
	}
	for i, n := range m.AllocShape {
		p.Textf("%s%d", [2]string{", ", "x"}[min(i, 1)], n)
	}
	p.Text(">")
}

func parseMemDesc(p *ir.Parser) (ir.Type, bool) {
	pos := p.Pos()
	var m MemDesc
	var ok bool
	if !p.Literal("<") {
		return nil, false
	}
	if m.Shape, ok = p.Dims(); !ok {
		return nil, false
	}
	if m.Elem, ok = p.Type(); !ok || !p.Literal(",") {
		return nil, false
	}
	if m.Encoding, ok = p.Attr(nil); !ok || !p.Literal(",") {
		return nil, false
	}
	if m.Space, ok = p.Attr(nil); !ok {
		return nil, false
	}
	more := p.Try(",")
	if more && p.Try("mutable") {
		m.Mutable = true
		more = p.Try(",")
	}
	if more {
		if m.AllocShape, ok = p.Shape(); !ok {
			return nil, false
		}
	}
	if msg := m.check(); msg != "" {
		return nil, p.Errorf(pos, "%s", msg)
	}
	return m.Type(), p.Literal(">")
}

// check says what is wrong with a descriptor's parameters.
func (m MemDesc) check() string {
	alloc := m.Alloc()
	switch {
	case len(m.Shape) == 0:
		return "a buffer has one dimension or more, but the shape is empty"
	case slices.ContainsFunc(m.Shape, func(n int64) bool {
		return n <= 0
	}) || powersOfTwo(m.Shape[1:]) != nil:
		return fmt.Sprintf("sizes above 0 are expected, from the second on powers of two, not %v", m.Shape)
	case len(alloc) < len(m.Shape):
		return fmt.Sprintf("the allocation %v has fewer dimensions than its view %v", alloc, m.Shape)
	}
	for i, n := range alloc[len(alloc)-len(m.Shape):] {
		if m.Shape[i] > n {
			return fmt.Sprintf("the view %v is larger than its allocation %v", m.Shape, alloc)
		}
	}
	if !IsShared(m.Encoding) {
		return "" // tensor memory, whose encodings are another dialect's
	}
	if m.Space != SharedMemory {
		return "an encoding of shared memory is given to a buffer in another memory space"
	}
	if n := rankOf(m.Encoding); n != len(m.Shape) && n != len(m.Shape)-1 {
		return fmt.Sprintf("an encoding of %d dimensions does not fit the shape %v", n, m.Shape)
	}
	return ""
}
