package ir

import "strconv"

func typeString(t Type) string {
	var p Printer
	t.printType(&p)
	return string(p.buf)
}

func (t *IntegerType) String() string  { return typeString(t) }
func (t *FloatType) String() string    { return t.Format.Name }
func (t *IndexType) String() string    { return "index" }
func (t *NoneType) String() string     { return "none" }
func (t *TensorType) String() string   { return typeString(t) }
func (t *MemRefType) String() string   { return typeString(t) }
func (t *VectorType) String() string   { return typeString(t) }
func (t *FunctionType) String() string { return typeString(t) }
func (t *TupleType) String() string    { return typeString(t) }
func (t *ComplexType) String() string  { return typeString(t) }
func (t *DialectType) String() string  { return typeString(t) }
func (t *OpaqueType) String() string   { return t.Text }

var intPrefix = [...]string{Signless: "i", Signed: "si", Unsigned: "ui"}

func (t *IntegerType) printType(p *Printer) {
	p.buf = strconv.AppendInt(append(p.buf, intPrefix[t.Sign]...), int64(t.Width), 10)
}

func (t *FloatType) printType(p *Printer)  { p.Text(t.Format.Name) }
func (t *IndexType) printType(p *Printer)  { p.Text("index") }
func (t *NoneType) printType(p *Printer)   { p.Text("none") }
func (t *OpaqueType) printType(p *Printer) { p.Text(t.Text) }

func (t *TensorType) printType(p *Printer) {
	p.Text("tensor<")
	p.shaped(t.Shape, t.Elem, t.Unranked)
	if t.Encoding != nil {
		p.Text(", ")
		p.Attr(t.Encoding)
	}
	p.Text(">")
}

func (t *MemRefType) printType(p *Printer) {
	p.Text("memref<")
	p.shaped(t.Shape, t.Elem, t.Unranked)
	if t.Layout != nil {
		p.Text(", ")
		p.Attr(t.Layout)
	}
	if t.Space != nil {
		p.Text(", ")
		p.shortAttr(t.Space)
	}
	p.Text(">")
}

// shaped writes 4x?xf32 or *xf32.
func (p *Printer) shaped(shape []int64, elem Type, unranked bool) {
	if unranked {
		p.Text("*x")
	}
	p.Dims(shape)
	p.Type(elem)
}

// Dims writes 4x?x; the element type follows.
func (p *Printer) Dims(shape []int64) {
	for _, d := range shape {
		p.dim(d)
		p.Text("x")
	}
}

func (p *Printer) dim(d int64) {
	if d == Dynamic {
		p.Text("?")
	} else {
		p.Int(d)
	}
}

func (t *VectorType) printType(p *Printer) {
	p.Text("vector<")
	for i, d := range t.Shape {
		scalable := t.Scalable != nil && t.Scalable[i]
		if scalable {
			p.Text("[")
		}
		p.dim(d)
		if scalable {
			p.Text("]")
		}
		p.Text("x")
	}
	p.Type(t.Elem)
	p.Text(">")
}

func (t *FunctionType) printType(p *Printer) { p.FuncType(t.Ins, t.Outs) }

func (t *TupleType) printType(p *Printer) {
	p.Text("tuple<")
	p.Types(t.Elems)
	p.Text(">")
}

func (t *ComplexType) printType(p *Printer) {
	p.Text("complex<")
	p.Type(t.Elem)
	p.Text(">")
}

func (t *DialectType) printType(p *Printer) {
	p.Text("!")
	p.Text(t.Def.Dialect.Name)
	p.Text(".")
	p.Text(t.Def.Name)
	if t.Def.Print != nil {
		t.Def.Print(p, t)
	}
}
