package ir

import (
	"encoding/hex"
	"slices"
	"strings"
)

func attrString(a Attr) string {
	var p Printer
	a.printAttr(&p)
	return string(p.buf)
}

func (a *UnitAttr) String() string          { return "unit" }
func (a *IntegerAttr) String() string       { return attrString(a) }
func (a *FloatAttr) String() string         { return attrString(a) }
func (a *StringAttr) String() string        { return attrString(a) }
func (a *TypeAttr) String() string          { return a.Type.String() }
func (a *SymbolRefAttr) String() string     { return attrString(a) }
func (a *ArrayAttr) String() string         { return attrString(a) }
func (a *DictAttr) String() string          { return attrString(a) }
func (a *DenseAttr) String() string         { return attrString(a) }
func (a *DenseArrayAttr) String() string    { return attrString(a) }
func (a *AffineMapAttr) String() string     { return attrString(a) }
func (a *StridedLayoutAttr) String() string { return attrString(a) }
func (a *DialectAttr) String() string       { return attrString(a) }
func (a *OpaqueAttr) String() string        { return a.Text }
func (a *UnknownLoc) String() string        { return "loc(unknown)" }
func (a *FileLoc) String() string           { return attrString(a) }
func (a *NameLoc) String() string           { return attrString(a) }
func (a *CallSiteLoc) String() string       { return attrString(a) }
func (a *FusedLoc) String() string          { return attrString(a) }

func (a *UnitAttr) printAttr(p *Printer)   { p.Text("unit") }
func (a *StringAttr) printAttr(p *Printer) { p.Quoted(a.Value) }
func (a *TypeAttr) printAttr(p *Printer)   { p.Type(a.Type) }
func (a *OpaqueAttr) printAttr(p *Printer) { p.Text(a.Text) }
func (a *DictAttr) printAttr(p *Printer)   { p.dict(a.Elems) }

func (a *UnknownLoc) printAttr(p *Printer)  { p.loc(a) }
func (a *FileLoc) printAttr(p *Printer)     { p.loc(a) }
func (a *NameLoc) printAttr(p *Printer)     { p.loc(a) }
func (a *CallSiteLoc) printAttr(p *Printer) { p.loc(a) }
func (a *FusedLoc) printAttr(p *Printer)    { p.loc(a) }

func (a *IntegerAttr) printAttr(p *Printer) {
	p.integer(a)
	if a.Type != I1 {
		p.Text(" : ")
		p.Type(a.Type)
	}
}

// integer writes the value alone.
func (p *Printer) integer(a *IntegerAttr) {
	switch t, _ := a.Type.(*IntegerType); {
	case a.Type == I1 && a.Value != 0:
		p.Text("true")
	case a.Type == I1:
		p.Text("false")
	case t != nil && t.Sign == Unsigned:
		p.Textf("%d", uint64(a.Value))
	default:
		p.Int(a.Value)
	}
}

func (a *FloatAttr) printAttr(p *Printer) {
	p.float(a.Bits, a.Type)
	p.Text(" : ")
	p.Type(a.Type)
}

// float writes the value alone, and reports whether it had to be hexadecimal.
func (p *Printer) float(bits uint64, t *FloatType) (isHex bool) {
	if p.collect == nil {
		p.buf, isHex = appendFloat(p.buf, bits, t.Format)
	}
	return isHex
}

func (a *SymbolRefAttr) printAttr(p *Printer) {
	p.Symbol(a.Root)
	if a.Nested != "" {
		for n := range strings.SplitSeq(a.Nested, "::") {
			p.Text("::")
			p.Symbol(n)
		}
	}
}

func (a *ArrayAttr) printAttr(p *Printer) {
	p.Text("[")
	for i, e := range a.Elems {
		p.comma(i)
		p.shortAttr(e)
	}
	p.Text("]")
}

// shortAttr writes an attribute without the type that a bare number has anyway.
func (p *Printer) shortAttr(a Attr) {
	switch a := a.(type) {
	case *IntegerAttr:
		if a.Type == I64 {
			p.Int(a.Value)
			return
		}
	case *FloatAttr:
		if a.Type == F64 {
			if p.float(a.Bits, a.Type) {
				p.Text(" : f64")
			}
			return
		}
	}
	p.Attr(a)
}

func (a *DenseArrayAttr) printAttr(p *Printer) {
	p.Text("array<")
	p.Type(a.Elem)
	if len(a.Values) > 0 {
		p.Text(": ")
	}
	p.arrayElems(a)
	p.Text(">")
}

func (p *Printer) arrayElems(a *DenseArrayAttr) {
	ft, _ := a.Elem.(*FloatType)
	for i, v := range a.Values {
		p.comma(i)
		if ft != nil {
			p.float(uint64(v), ft)
		} else {
			p.integer(&IntegerAttr{v, a.Elem})
		}
	}
}

// printBareArray writes a dense array as a Format shows it, [1, 2].
func printBareArray(p *Printer, a Attr) {
	d, ok := a.(*DenseArrayAttr)
	if !ok {
		p.Attr(a)
		return
	}
	p.Text("[")
	p.arrayElems(d)
	p.Text("]")
}

func printSymbolName(p *Printer, a Attr) {
	if s, ok := a.(*StringAttr); ok {
		p.Symbol(s.Value)
	}
}

func (a *AffineMapAttr) printAttr(p *Printer) {
	if p.collect == nil {
		p.Text("affine_map<")
		p.Text(a.Map.String())
		p.Text(">")
	}
}

func (a *StridedLayoutAttr) printAttr(p *Printer) {
	p.Text("strided<[")
	for i, s := range a.Strides {
		p.comma(i)
		p.dim(s)
	}
	p.Text("]")
	if a.Offset != 0 {
		p.Text(", offset: ")
		p.dim(a.Offset)
	}
	p.Text(">")
}

func (a *DialectAttr) printAttr(p *Printer) {
	p.Text("#")
	p.Text(a.Def.Dialect.Name)
	p.Text(".")
	p.Text(a.Def.Name)
	if a.Def.Print != nil {
		a.Def.Print(p, a)
	}
}

func (a *DenseAttr) printAttr(p *Printer) {
	p.dense(a)
	p.Text(" : ")
	p.Type(a.Type)
}

// hexElements is the number of elements above which MLIR writes a dense attribute as raw bytes.
const hexElements = 100

// dense writes dense<...> without the type.
func (p *Printer) dense(a *DenseAttr) {
	if p.collect != nil {
		return
	}
	p.Text("dense<")
	elem := ElemOf(a.Type)
	n := len(a.Data) / ElemBytes(elem)
	switch {
	case a.Splat:
		p.element(a.Bits(0), elem)
	case n == 0:
	case n > hexElements:
		p.denseHex(a, elem)
	default:
		at := 0
		p.denseList(a, elem, ShapeOf(a.Type), &at)
	}
	p.Text(">")
}

func (p *Printer) element(bits uint64, elem Type) {
	if ft, ok := elem.(*FloatType); ok {
		p.float(bits, ft)
		return
	}
	p.integer(&IntegerAttr{NormInt(int64(bits), elem), elem})
}

func (p *Printer) denseList(a *DenseAttr, elem Type, shape []int64, at *int) {
	if len(shape) == 0 {
		p.element(a.Bits(*at), elem)
		*at++
		return
	}
	p.Text("[")
	for i := range shape[0] {
		p.comma(int(i))
		p.denseList(a, elem, shape[1:], at)
	}
	p.Text("]")
}

func (p *Printer) denseHex(a *DenseAttr, elem Type) {
	data := a.Data
	if elem == I1 {
		data = packBits(data)
	}
	p.Text(`"0x`)
	n := len(p.buf)
	p.buf = hex.AppendEncode(p.buf, data)
	for i := n; i < len(p.buf); i++ {
		if p.buf[i] >= 'a' {
			p.buf[i] -= 'a' - 'A'
		}
	}
	p.Text(`"`)
}

func packBits(bools []byte) []byte {
	out := make([]byte, (len(bools)+7)/8)
	for i, b := range bools {
		out[i/8] |= b & 1 << (i % 8)
	}
	return out
}

// loc writes loc(...).
func (p *Printer) loc(l Loc) {
	p.Text("loc(")
	p.locBody(l)
	p.Text(")")
}

// locPart writes a location inside another, or its alias.
func (p *Printer) locPart(l Loc) {
	if p.collect != nil {
		p.collect.visitNested(p, l)
		return
	}
	if name, ok := p.aliases[l]; ok {
		p.Text(name)
		return
	}
	p.locBody(l)
}

// locBody writes what stands in the parentheses of loc(...).
func (p *Printer) locBody(l Loc) {
	switch l := l.(type) {
	case *UnknownLoc:
		p.Text("unknown")
	case *FileLoc:
		p.fileLoc(l)
	case *NameLoc:
		p.Quoted(l.Name)
		if l.Child != Unknown && l.Child != nil {
			p.Text("(")
			p.locPart(l.Child)
			p.Text(")")
		}
	case *CallSiteLoc:
		p.Text("callsite(")
		p.locPart(l.Callee)
		p.Text(" at ")
		p.locPart(l.Caller)
		p.Text(")")
	case *FusedLoc:
		p.Text("fused")
		if l.Meta != nil {
			p.Text("<")
			p.Attr(l.Meta)
			p.Text(">")
		}
		p.Text("[")
		for i, part := range slices.Clip(l.Locs) {
			p.comma(i)
			p.locPart(part)
		}
		p.Text("]")
	}
}

func (p *Printer) fileLoc(l *FileLoc) {
	p.Quoted(l.File)
	if !l.HasLines {
		return
	}
	p.Textf(":%d:%d", l.Line, l.Col)
	switch {
	case l.HasEnd && l.EndLine == l.Line:
		p.Textf(" to :%d", l.EndCol)
	case l.HasEnd:
		p.Textf(" to %d:%d", l.EndLine, l.EndCol)
	}
}
