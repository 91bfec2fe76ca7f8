package ir

import (
	"fmt"
	"strconv"
)

// Printer is what an op's PrintFn, and a dialect's types and attributes, write to. Each method writes just
// what it says: spaces and punctuation are the caller's, through Text.
//
// A module is printed twice: the first time nothing is written and the aliases are collected, from exactly
// the types and attributes that the text will show.
type Printer struct {
	buf      []byte
	opts     PrintOptions
	indent   int
	names    *valueNames
	aliases  map[any]string // aliases of types, attributes and locations
	collect  *collector     // set while aliases are collected
	broken   map[*Op]bool   // operations that only the generic form can show
	dialects []string       // the one whose prefix is left out, region by region
}

// appendText returns op as text.
func appendText(op *Op, opts PrintOptions) []byte {
	p := &Printer{opts: opts, names: nameValues(op, opts), broken: map[*Op]bool{}}
	p.dialects = []string{p.dialectAround(op)}
	if op.block == nil {
		p.collect = newCollector()
		p.operation(op)
		list := p.collect.finish()
		p.collect = nil
		p.aliases = make(map[any]string, len(list))
		for _, a := range list {
			p.aliases[a.sym] = a.name
		}
		p.writeAliases(list, false)
		p.operation(op)
		p.Text("\n")
		p.writeAliases(list, true)
		return p.buf
	}
	p.operation(op)
	p.Text("\n")
	return p.buf
}

func (p *Printer) dialectAround(op *Op) string {
	if parent := op.Parent(); parent != nil {
		return parent.Def.defaultDialect()
	}
	return Builtin.Name
}

func (p *Printer) writeAliases(list []aliasInfo, deferred bool) {
	for _, a := range list {
		if a.deferred != deferred {
			continue
		}
		p.Text(a.name)
		p.Text(" = ")
		if t, ok := a.sym.(Type); ok {
			t.printType(p)
		} else {
			a.sym.(Attr).printAttr(p)
		}
		p.Text("\n")
	}
}

// Text writes s verbatim.
func (p *Printer) Text(s string) {
	if p.collect == nil {
		p.buf = append(p.buf, s...)
	}
}

// Textf writes formatted text verbatim.
func (p *Printer) Textf(f string, args ...any) {
	if p.collect == nil {
		p.buf = fmt.Appendf(p.buf, f, args...)
	}
}

// Int writes an integer.
func (p *Printer) Int(v int64) {
	if p.collect == nil {
		p.buf = strconv.AppendInt(p.buf, v, 10)
	}
}

// Ints writes [1, 2], as in layouts.
func (p *Printer) Ints(vs []int64) {
	p.Text("[")
	for i, v := range vs {
		p.comma(i)
		p.Int(v)
	}
	p.Text("]")
}

// comma writes ", " before all but the first of a list.
func (p *Printer) comma(i int) {
	if i > 0 {
		p.Text(", ")
	}
}

// Newline ends the line and indents the next as the operation at hand is indented.
func (p *Printer) Newline() {
	if p.collect == nil {
		p.buf = append(p.buf, '\n')
		p.buf = appendSpaces(p.buf, p.indent)
	}
}

func appendSpaces(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// Quoted writes a string literal.
func (p *Printer) Quoted(s string) {
	if p.collect == nil {
		p.buf = appendQuoted(p.buf, s)
	}
}

func appendQuoted(b []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b = append(b, `\\`...)
		case c < ' ' || c >= 0x7f || c == '"':
			b = append(b, '\\', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// Symbol writes @name or @"na me".
func (p *Printer) Symbol(name string) {
	p.Text("@")
	if isBareName(name) {
		p.Text(name)
	} else {
		p.Quoted(name)
	}
}

// Value writes %3, %3#1 or %arg0.
func (p *Printer) Value(v *Value) {
	if p.collect == nil {
		p.buf = append(p.buf, p.names.value(v)...)
	}
}

// Values writes values separated by commas.
func (p *Printer) Values(vs []*Value) {
	for i, v := range vs {
		p.comma(i)
		p.Value(v)
	}
}

// Block writes ^bb1.
func (p *Printer) Block(b *Block) {
	if p.collect != nil {
		return
	}
	n, ok := p.names.blocks[b]
	if !ok {
		p.Text("<<UNKNOWN BLOCK>>")
		return
	}
	p.buf = strconv.AppendInt(append(p.buf, "^bb"...), int64(n), 10)
}

// Type writes a type, or its alias.
func (p *Printer) Type(t Type) {
	switch t.(type) {
	case *IntegerType, *FloatType, *IndexType, *NoneType:
		if p.collect == nil {
			t.printType(p)
		}
		return
	case nil:
		p.Text("<<NULL TYPE>>")
		return
	}
	if p.collect != nil {
		p.collect.visitNested(p, t)
		return
	}
	if name, ok := p.aliases[t]; ok {
		p.Text(name)
		return
	}
	t.printType(p)
}

// Types writes types separated by commas.
func (p *Printer) Types(ts []Type) {
	for i, t := range ts {
		p.comma(i)
		p.Type(t)
	}
}

// FuncType writes (ins) -> outs, outs in parentheses unless exactly one non-function type.
func (p *Printer) FuncType(ins, outs []Type) {
	p.Text("(")
	p.Types(ins)
	p.Text(") -> ")
	parens := len(outs) != 1
	if !parens {
		_, parens = outs[0].(*FunctionType)
	}
	if parens {
		p.Text("(")
	}
	p.Types(outs)
	if parens {
		p.Text(")")
	}
}

// StrippedType writes a dialect's type without "!dialect.name", as it is read where only that kind of type
// fits.
func (p *Printer) StrippedType(t Type) {
	dt, ok := t.(*DialectType)
	if !ok || dt.Def.Print == nil || p.collect != nil {
		p.Type(t)
		return
	}
	if name, ok := p.aliases[t]; ok {
		p.Text(name)
		return
	}
	n := len(p.buf)
	if dt.Def.Print(p, dt); len(p.buf) == n {
		t.printType(p) // nothing but the name
	}
}

// Attr writes an attribute, or its alias; numbers with their type.
func (p *Printer) Attr(a Attr) {
	if a == nil {
		p.Text("<<NULL ATTRIBUTE>>")
		return
	}
	if p.collect != nil {
		p.collect.visitNested(p, a)
		return
	}
	if name, ok := p.aliases[a]; ok {
		p.Text(name)
		return
	}
	a.printAttr(p)
}

// BareAttr writes an integer or float without its type.
func (p *Printer) BareAttr(a Attr) {
	switch a := a.(type) {
	case *IntegerAttr:
		p.integer(a)
	case *FloatAttr:
		p.float(a.Bits, a.Type)
	case *DenseAttr:
		p.dense(a)
	default:
		p.Attr(a)
	}
}

// StrippedAttr writes a dialect's attribute without "#dialect.name", as it is read where only that kind fits.
func (p *Printer) StrippedAttr(a Attr) {
	da, ok := a.(*DialectAttr)
	if !ok || da.Def.Print == nil || p.collect != nil {
		p.Attr(a)
		return
	}
	if name, ok := p.aliases[a]; ok {
		p.Text(name)
		return
	}
	n := len(p.buf)
	if da.Def.Print(p, da); len(p.buf) == n {
		a.printAttr(p)
	}
}

func (p *Printer) namedAttr(a NamedAttr) {
	if isBareName(a.Name) {
		p.Text(a.Name)
	} else {
		p.Quoted(a.Name)
	}
	if a.Attr == Unit {
		return
	}
	p.Text(" = ")
	p.Attr(a.Attr)
}

// AttrDict writes " {…}" with the attributes of op that are not named in elide and do not have their
// default value; nothing when none is left.
func (p *Printer) AttrDict(op *Op, elide ...string) { p.attrDict(op, " {", elide) }

// AttrDictKeyword writes " attributes {…}".
func (p *Printer) AttrDictKeyword(op *Op, elide ...string) { p.attrDict(op, " attributes {", elide) }

func (p *Printer) attrDict(op *Op, open string, elide []string) {
	n := 0
	for _, a := range op.attrs {
		if contains(elide, a.Name) || isDefault(op.Def, a) {
			continue
		}
		if n == 0 {
			p.Text(open)
		}
		p.comma(n)
		p.namedAttr(a)
		n++
	}
	if n > 0 {
		p.Text("}")
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func isDefault(d *OpDef, a NamedAttr) bool {
	s := d.AttrSlot(a.Name)
	return s != nil && s.Default != nil && s.Default == a.Attr
}
