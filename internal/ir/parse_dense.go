package ir

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// denseText is what stands between < and > of a dense attribute, read before the type is known.
type denseText struct {
	pos   diag.Pos
	elems []literal
	shape []int64 // shape of the nested lists; nil for one literal
	hex   token   // a string of raw bytes, or none
	list  bool
}

// denseAttr reads dense<...> : type, in any of the forms 1, [[1, 2], [3, 4]] and "0x01000000".
func (p *Parser) denseAttr(implied Type) (Attr, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	d := denseText{pos: p.Pos()}
	switch {
	case p.Peek(">"):
		d.list, d.shape = true, []int64{0}
	case p.tok.kind == tokString:
		d.hex = p.tok
		p.advance()
	case p.Peek("["):
		d.list = true
		if !p.denseList(&d, 0) {
			return nil, false
		}
	default:
		l, ok := p.literal()
		if !ok {
			return nil, false
		}
		d.elems = []literal{l}
	}
	if !p.Literal(">") {
		return nil, false
	}
	t, at := implied, p.Pos()
	if t == nil {
		if !p.Literal(":") {
			return nil, false
		}
		var ok bool
		at = p.Pos()
		if t, ok = p.Type(); !ok {
			return nil, false
		}
	}
	if !p.denseType(t, at) {
		return nil, false
	}
	return p.denseValue(&d, t)
}

// denseList reads [..., ...] at a depth of nesting and checks that lists of one depth have one length.
func (p *Parser) denseList(d *denseText, depth int) bool {
	if !p.enter() {
		return false
	}
	defer p.leave()
	pos, n := p.Pos(), int64(0)
	first := len(d.shape) == depth
	if first {
		d.shape = append(d.shape, -1)
	}
	ok := p.List("[", "]", func() bool {
		n++
		if p.Peek("[") {
			if len(d.elems) > 0 && depth+1 == len(d.shape) {
				return p.Errorf(p.Pos(), "a list beside numbers in a tensor literal")
			}
			return p.denseList(d, depth+1)
		}
		if depth+1 != len(d.shape) {
			return p.Errorf(p.Pos(), "a number beside lists in a tensor literal")
		}
		l, ok := p.literal()
		d.elems = append(d.elems, l)
		return ok
	})
	if !ok {
		return false
	}
	if d.shape[depth] == -1 {
		d.shape[depth] = n
	}
	if d.shape[depth] != n {
		return p.Errorf(pos, "tensor literal is invalid; ranks are not consistent between elements")
	}
	return true
}

func (p *Parser) denseType(t Type, at diag.Pos) bool {
	tt, tensor := t.(*TensorType)
	_, vector := t.(*VectorType)
	if !tensor && !vector || tensor && tt.Unranked {
		return p.Errorf(at, "a dense attribute has a ranked tensor or vector type, not '%s'", t)
	}
	if slices.Contains(ShapeOf(t), Dynamic) {
		return p.Errorf(at, "a dense attribute has a static shape, not '%s'", t)
	}
	if n := BitWidth(ElemOf(t)); n == 0 || n > 64 {
		return p.Errorf(at, "a dense attribute has integer or float elements of at most 64 bits, not '%s'",
			ElemOf(t))
	}
	return true
}

func (p *Parser) denseValue(d *denseText, t Type) (Attr, bool) {
	elem := ElemOf(t)
	if d.hex.kind == tokString {
		return p.denseHex(d, t)
	}
	n, fits := count(ShapeOf(t))
	if d.list && !(len(d.elems) == 0 && n == 0 && fits) && !slices.Equal(d.shape, ShapeOf(t)) {
		return nil, p.Errorf(d.pos, "inferred shape of elements literal (%v) does not match type (%v)",
			d.shape, ShapeOf(t))
	}
	bits := make([]uint64, len(d.elems))
	for i, l := range d.elems {
		b, ok := p.literalBits(l, elem)
		if !ok {
			return nil, false
		}
		bits[i] = maskBits(b, elem)
	}
	if !d.list {
		return Dense(t, true, appendBits(nil, ElemBytes(elem), bits[0])), true
	}
	return DenseOf(t, bits), true
}

// maskBits cuts bits to an element's width: the storage of equal elements is equal.
func maskBits(bits uint64, elem Type) uint64 {
	if w := BitWidth(elem); w < 64 {
		return bits & (1<<w - 1)
	}
	return bits
}

// count returns the product of a shape. ok is false if it overflows or a dimension is dynamic.
func count(shape []int64) (n int64, ok bool) {
	n = 1
	for _, d := range shape {
		if d == 0 {
			return 0, true
		}
	}
	for _, d := range shape {
		if n > (1<<62)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// denseHex reads raw little-endian elements from a string "0x...". Booleans are packed, eight to a byte.
func (p *Parser) denseHex(d *denseText, t Type) (Attr, bool) {
	text := unquote(p.src[d.hex.start:d.hex.end])
	digits, ok := strings.CutPrefix(text, "0x")
	data, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, p.errorSpan(d.hex, "expected a string of hexadecimal digits that starts with 0x")
	}
	n, fits := count(ShapeOf(t))
	elem := ElemOf(t)
	size := int64(ElemBytes(elem))
	want := n * size
	if elem == I1 {
		want = (n + 7) / 8
	}
	switch {
	case !fits || n > 1<<40:
		return nil, p.errorSpan(d.hex, "elements hex data size is invalid for '%s'", t)
	case elem == I1 && len(data) == 1 && n != 1 && (data[0] == 0 || data[0] == 0xff):
		return Dense(t, true, []byte{data[0] & 1}), true
	case elem == I1 && int64(len(data)) == want:
		return Dense(t, false, unpackBits(data, int(n))), true
	case int64(len(data)) == want:
		return DenseOf(t, maskAll(data, elem)), true
	case int64(len(data)) == size:
		return Dense(t, true, appendBits(nil, int(size), maskAll(data, elem)[0])), true
	}
	return nil, p.errorSpan(d.hex, "elements hex data size is invalid for '%s'", t)
}

func maskAll(data []byte, elem Type) []uint64 {
	size := ElemBytes(elem)
	bits := make([]uint64, 0, len(data)/size)
	for ; len(data) > 0; data = data[size:] {
		var b uint64
		for i := range size {
			b |= uint64(data[i]) << (8 * i)
		}
		bits = append(bits, maskBits(b, elem))
	}
	return bits
}

func unpackBits(data []byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = data[i/8] >> (i % 8) & 1
	}
	return out
}
