package cform

import (
	"fmt"
	"math"
	"strings"
)

// irWriter writes the tables and functions of a form as LLVM IR: what its C source has besides the parts that
// are the same for all forms.
type irWriter struct {
	w       *writer
	arch    string
	b       strings.Builder
	strings map[string]string // bytes → name of their global
}

// ir returns the module for the processors of an architecture.
func (w *writer) ir(arch string) []byte {
	x := &irWriter{w: w, arch: arch, strings: map[string]string{}}
	for _, o := range w.objects {
		if o.arch == arch {
			fmt.Fprintf(&x.b, "declare hidden void @%s()\n", o.symbol)
		}
	}
	for i := range w.blobs {
		d := &w.blobs[i]
		where := ""
		if d.section != "" {
			where = fmt.Sprintf(", section %q", d.section)
			fmt.Fprintf(&x.b, "@llvm.used = appending global [1 x ptr] [ptr @%s], section "+
				"\"llvm.metadata\"\n", d.name)
		}
		fmt.Fprintf(&x.b, "@%s = internal constant [%d x i8] %s%s, align 16\n", d.name, len(d.data)+1,
			irBytes(d.data), where)
	}
	for i := range w.tables {
		x.table(&w.tables[i])
	}
	x.list()
	fmt.Fprintf(&x.b, "declare i32 @%s_launch(ptr, ptr, i32, i32, i32, ptr)\n", w.prefix)
	fmt.Fprintf(&x.b, "declare hidden i32 @%s_launch_group(ptr, ptr, ptr, ptr, ptr)\n", w.prefix)
	for i := range w.calls {
		x.function(&w.calls[i])
	}
	return []byte(x.b.String())
}

// irBytes returns bytes, and a zero behind them, as a constant.
func irBytes(data []byte) string {
	var b strings.Builder
	b.WriteString(`c"`)
	for _, c := range data {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `\00"`
}

// list writes what the header declares of variants, and an empty list of operators where there are none.
func (x *irWriter) list() {
	var refs []string
	for _, v := range x.w.variants {
		refs = append(refs, "ptr @"+v.symbol)
	}
	p, n := x.w.prefix, len(refs)
	fmt.Fprintf(&x.b, "@%s_variants = constant [%d x ptr] [%s]\n@%s_count = constant i32 %d\n", p, n,
		strings.Join(refs, ", "), p, n)
	if !x.w.options.ONNX {
		fmt.Fprintf(&x.b, "@%s_operators = hidden constant [11 x i64] zeroinitializer\n", p)
	}
}

// table writes a table. Strings that it refers to come first.
func (x *irWriter) table(t *table) {
	kind, linkage := "constant", "internal"
	if t.variable {
		kind = "global"
	}
	if t.exported {
		linkage = "hidden"
	}
	if t.zeros > 0 || len(t.rows) == 0 {
		fmt.Fprintf(&x.b, "@%s = %s %s [%d x i64] zeroinitializer\n", t.name, linkage, kind, max(1, t.zeros))
		return
	}
	var rows []string
	row := ""
	for _, cells := range t.rows {
		var types, values []string
		for _, c := range cells {
			typ, value := x.cell(c)
			types, values = append(types, typ), append(values, typ+" "+value)
		}
		row = "{ " + strings.Join(types, ", ") + " }"
		rows = append(rows, row+" { "+strings.Join(values, ", ")+" }")
	}
	fmt.Fprintf(&x.b, "@%s = %s %s [%d x %s] [%s]\n", t.name, linkage, kind, len(rows), row,
		strings.Join(rows, ", "))
}

// cell returns the type and the value of a cell.
func (x *irWriter) cell(c cell) (typ, value string) {
	switch c := c.(type) {
	case int64:
		return "i64", fmt.Sprint(c)
	case float64:
		return "double", fmt.Sprintf("0x%016X", math.Float64bits(c))
	case string:
		return "ptr", "@" + x.text(c)
	case ref:
		if at := x.target(string(c)); at != "" {
			return "ptr", "@" + at
		}
	}
	return "ptr", "null"
}

// target returns the name that a reference stands for. Code for the processors of another architecture is not
// there.
func (x *irWriter) target(name string) string {
	symbol, host := strings.CutPrefix(name, "AT_")
	if !host {
		return name
	}
	for _, o := range x.w.objects {
		if o.symbol == symbol && o.arch == x.arch {
			return symbol
		}
	}
	return ""
}

// text writes a string, once, and returns the name of its global.
func (x *irWriter) text(s string) string {
	name, ok := x.strings[s]
	if !ok {
		name = fmt.Sprintf("text_%d", len(x.strings))
		x.strings[s] = name
		fmt.Fprintf(&x.b, "@%s = private unnamed_addr constant [%d x i8] %s\n", name, len(s)+1,
			irBytes([]byte(s)))
	}
	return name
}

// function writes a function with typed arguments: see function.c.
func (x *irWriter) function(f *function) {
	params, b := []string{"ptr %where"}, &x.b
	if f.grid {
		params = append(params, "i32 %x", "i32 %y", "i32 %z")
	}
	for i := range f.sizes {
		params = append(params, fmt.Sprintf("i64 %%s%d", i))
	}
	for i, a := range f.args {
		typ := fmt.Sprintf("i%d", argBits(a))
		switch {
		case a.Pointer:
			typ = "ptr"
		case isFloat(a):
			typ = map[int]string{32: "float", 64: "double"}[argBits(a)]
		}
		params = append(params, fmt.Sprintf("%s %%a%d", typ, i))
	}
	fmt.Fprintf(b, "define i32 @%s_%s(%s) {\n", x.w.prefix, f.id, strings.Join(params, ", "))
	fmt.Fprintf(b, "  %%words = alloca [%d x i64], align 8\n", max(1, len(f.args)))
	x.words(f)
	if !f.group {
		fmt.Fprintf(b, "  %%r = call i32 @%s_launch(ptr @%s, ptr %%where, i32 %%x, i32 %%y, i32 %%z, ptr "+
			"%%words)\n",
			x.w.prefix, f.symbol)
	} else {
		grid, sizes := x.array(f.grid, "grid", "i32", []string{"%x", "%y", "%z"}), x.sizes(f)
		fmt.Fprintf(b, "  %%r = call i32 @%s_launch_group(ptr @%s, ptr %%where, ptr %s, ptr %%words, "+
			"ptr %s)\n",
			x.w.prefix, f.symbol, grid, sizes)
	}
	b.WriteString("  ret i32 %r\n}\n")
}

// words writes the arguments into the array of words.
func (x *irWriter) words(f *function) {
	for i, a := range f.args {
		value := fmt.Sprintf("%%a%d", i)
		convert := func(how, from, to string) {
			next := fmt.Sprintf("%%%s%d", how, i)
			fmt.Fprintf(&x.b, "  %s = %s %s %s to %s\n", next, how, from, value, to)
			value = next
		}
		bits := fmt.Sprintf("i%d", argBits(a))
		switch {
		case a.Pointer:
			convert("ptrtoint", "ptr", "i64")
		case isFloat(a):
			convert("bitcast", map[string]string{"i32": "float", "i64": "double"}[bits], bits)
		}
		if bits != "i64" {
			convert("zext", bits, "i64")
		}
		fmt.Fprintf(&x.b, "  %%at%d = getelementptr i64, ptr %%words, i64 %d\n  store i64 %s, ptr %%at%d\n",
			i, i, value, i)
	}
}

// sizes writes the sizes into an array.
func (x *irWriter) sizes(f *function) string {
	var values []string
	for i := range f.sizes {
		values = append(values, fmt.Sprintf("%%s%d", i))
	}
	return x.array(len(values) > 0, "sizes", "i64", values)
}

// array writes values into an array and returns its address, or null without them.
func (x *irWriter) array(there bool, name, typ string, values []string) string {
	if !there {
		return "null"
	}
	fmt.Fprintf(&x.b, "  %%%s = alloca [%d x %s], align 8\n", name, len(values), typ)
	for i, v := range values {
		fmt.Fprintf(&x.b, "  %%%s.%d = getelementptr %s, ptr %%%s, i64 %d\n  store %s %s, ptr %%%s.%d\n",
			name, i, typ,
			name, i, typ, v, name, i)
	}
	return "%" + name
}
