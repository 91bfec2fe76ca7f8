package cform

import (
	"fmt"
	"strconv"
	"strings"
)

// cell is a member of a table's row, 8 bytes long: an int64, a float64, a string (the address of its bytes,
// with a zero behind them) or a ref.
type cell any

// ref is the address of a table, a function or a blob; "" is a null pointer.
type ref string

// table is an array of structs, or of pointers: data of the generated source.
type table struct {
	name, ctype string
	variable    bool // the program writes it
	zeros       int  // words of one row that is zero, in place of rows
	exported    bool
	rows        [][]cell
}

// blob is code for GPUs, or other bytes.
type blob struct {
	name    string
	data    []byte
	section string // of the library; "" is where constants lie
}

// number returns an int64 cell; true is 1.
func number[T int | int64 | bool](n T) cell {
	switch n := any(n).(type) {
	case int:
		return int64(n)
	case int64:
		return n
	case bool:
		if n {
			return int64(1)
		}
	}
	return int64(0)
}

// c writes the table as C. An array of C has at least one element.
func (t *table) c(b *strings.Builder) {
	if !t.exported {
		b.WriteString("static ")
	}
	if !t.variable {
		b.WriteString("const ")
	}
	fmt.Fprintf(b, "%s %s[%d] = {\n", t.ctype, t.name, max(1, len(t.rows)))
	for _, row := range t.rows {
		var list []string
		for _, x := range row {
			list = append(list, cCell(x))
		}
		text := strings.Join(list, ", ")
		if len(list) > 1 {
			text = "{" + text + "}"
		}
		fmt.Fprintf(b, "\t%s,\n", text)
	}
	if len(t.rows) == 0 {
		b.WriteString("\t{0},\n")
	}
	b.WriteString("};\n")
}

// cCell returns a cell as an initializer.
func cCell(x cell) string {
	switch x := x.(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'x', -1, 64)
	case string:
		return cString([]byte(x))
	case ref:
		if x != "" {
			return string(x)
		}
	}
	return "0"
}

// cString returns bytes as a literal of C. A digit behind an escape of less than three digits would belong to
// it.
func cString(data []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, c := range data {
		digit := i+1 < len(data) && data[i+1] >= '0' && data[i+1] <= '9'
		switch {
		case c == '"' || c == '\\' || c == '?': // ?? may begin a trigraph
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		case digit:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			fmt.Fprintf(&b, "\\%o", c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// c writes the blob as C, some bytes a line; the literal's zero ends it.
func (d *blob) c(b *strings.Builder) {
	const line = 48
	where := ""
	if d.section != "" {
		where = fmt.Sprintf(", section(%q), used", d.section)
	}
	fmt.Fprintf(b, "static const char %s[%d] __attribute__((aligned(16)%s)) =", d.name, len(d.data)+1, where)
	for i := 0; i < len(d.data); i += line {
		b.WriteString("\n\t" + cString(d.data[i:min(i+line, len(d.data))]))
	}
	if len(d.data) == 0 {
		b.WriteString(` ""`)
	}
	b.WriteString(";\n\n")
}
