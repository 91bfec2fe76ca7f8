package python

import (
	"bufio"
	"io"
	"math/big"
	"strconv"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Dump writes a tree as ast.dump(tree, include_attributes=attributes) of CPython 3.12 prints it.
func Dump(w io.Writer, m *Module, attributes bool) error {
	return DumpOptions{Attributes: attributes}.Dump(w, m)
}

// DumpOptions says how a tree is written.
type DumpOptions struct {
	Attributes bool // with lineno, col_offset, end_lineno and end_col_offset
	// Minor is the version 3.Minor of the CPython whose form is wanted; 0 is 12. Before 12 there were no type
	// parameters, and all parts of an f-string other than its expressions had the position of the whole
	// literal.
	Minor int
}

// Dump writes m.
func (o DumpOptions) Dump(w io.Writer, m *Module) error {
	if o.Minor == 0 {
		o.Minor = 12
	}
	d := &dumper{DumpOptions: o, w: bufio.NewWriterSize(w, 1<<16), file: m.File}
	d.show(m)
	return d.w.Flush()
}

// dumper is a fieldVisitor that writes what it sees.
type dumper struct {
	DumpOptions
	w      *bufio.Writer
	file   *diag.File
	num    [20]byte
	comma  bool // something stands before, in this node or list
	hidden bool // the fields are newer than the version asked for

	fstring311
}

func (d *dumper) show(n Node) {
	d.w.WriteString(KindOf(n))
	d.w.WriteByte('(')
	comma, hidden := d.comma, d.hidden
	d.comma, d.hidden = false, false
	outer := d.fstring311
	if d.Minor < 12 {
		d.fstring311.enter(n, d.file)
	}
	n.fields(d)
	d.hidden = false
	if d.Attributes && hasAttributes(n) {
		s := n.Span()
		if d.Minor < 12 {
			s = d.fstring311.place.Span()
		}
		d.place(s.Start, "lineno=", "col_offset=")
		d.place(s.End, "end_lineno=", "end_col_offset=")
	}
	d.w.WriteByte(')')
	d.comma, d.hidden, d.fstring311 = comma, hidden, outer
}

func hasAttributes(n Node) bool {
	switch n.(type) {
	case *Module, *Arguments, *Comprehension, *WithItem, *MatchCase:
		return false
	}
	return true
}

func (d *dumper) place(p diag.Pos, line, col string) {
	l, c := d.file.LineCol(d.file.Offset(p))
	d.separate()
	d.w.WriteString(line)
	d.int(l)
	d.w.WriteString(", ")
	d.w.WriteString(col)
	d.int(c)
}

func (d *dumper) int(n int) { d.w.Write(strconv.AppendInt(d.num[:0], int64(n), 10)) }

func (d *dumper) separate() {
	if d.comma {
		d.w.WriteString(", ")
	}
	d.comma = true
}

func (d *dumper) name(name string) {
	d.separate()
	d.w.WriteString(name)
	d.w.WriteByte('=')
}

func (d *dumper) node(name string, n Node) {
	if n == nil || d.hidden {
		return
	}
	d.name(name)
	d.show(n)
}

func (d *dumper) begin(name string) {
	if !d.hidden {
		d.name(name)
		d.w.WriteByte('[')
		d.comma = false
	}
}

func (d *dumper) item(n Node) {
	if d.hidden {
		return
	}
	d.separate()
	if n == nil {
		d.w.WriteString("None")
		return
	}
	d.show(n)
}

func (d *dumper) end() {
	if !d.hidden {
		d.w.WriteByte(']')
		d.comma = true
	}
}

func (d *dumper) since(minor int) { d.hidden = minor > d.Minor }

func (d *dumper) text(name, s string) {
	if s != "" {
		d.name(name)
		d.w.WriteString(reprString(s))
	}
}

func (d *dumper) value(name string, v any) {
	d.name(name)
	switch v := v.(type) {
	case int:
		d.int(v)
	case Ctx:
		d.w.WriteString(v.String() + "()")
	case interface{ Name() string }:
		d.w.WriteString(v.Name() + "()")
	case []CmpOperator:
		sep := "["
		for _, op := range v {
			d.w.WriteString(sep + op.Name() + "()")
			sep = ", "
		}
		d.w.WriteByte(']')
	case names:
		d.w.WriteByte('[')
		for i, s := range v {
			if i > 0 {
				d.w.WriteString(", ")
			}
			d.w.WriteString(reprString(s))
		}
		d.w.WriteByte(']')
	case constant:
		d.w.WriteString(Repr(v.v))
	}
}

// Repr returns the value of a Constant as Python's repr shows it.
func Repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case *big.Int:
		return v.String()
	case float64:
		return reprFloat(v, ".0")
	case complex128:
		return reprFloat(imag(v), "") + "j"
	case string:
		return reprString(v)
	case Bytes:
		return reprBytes(string(v))
	case Ellipsis:
		return "Ellipsis"
	}
	return "<?>"
}
