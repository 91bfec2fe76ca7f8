package codegen

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
)

// writer collects the text of an LLVM function.
type writer struct {
	text    *strings.Builder
	allocas []string
	temps   int
	dbg     string // metadata behind each instruction: its source line
	decls   map[string]string
	meter   *budget.Meter // counts the bytes written; may be nil
}

func newWriter() *writer { return &writer{text: &strings.Builder{}, decls: map[string]string{}} }

// do writes an instruction without a result.
func (w *writer) do(format string, args ...any) {
	at := w.text.Len()
	w.text.WriteString("  ")
	fmt.Fprintf(w.text, format, args...)
	w.text.WriteString(w.dbg)
	w.text.WriteByte('\n')
	w.meter.Wrote(w.text.Len() - at)
}

// op writes an instruction and returns the name of its result.
func (w *writer) op(format string, args ...any) string {
	name := w.temp()
	at := w.text.Len()
	w.text.WriteString("  " + name + " = ")
	fmt.Fprintf(w.text, format, args...)
	w.text.WriteString(w.dbg)
	w.text.WriteByte('\n')
	w.meter.Wrote(w.text.Len() - at)
	return name
}

func (w *writer) temp() string {
	w.temps++
	return "%v" + strconv.Itoa(w.temps)
}

// label returns a new block name.
func (w *writer) label(kind string) string {
	w.temps++
	return kind + strconv.Itoa(w.temps)
}

// fall ends the current block with a jump to a new one and begins that.
func (w *writer) fall(label string) {
	w.do("br label %%%s", label)
	w.begin(label)
}

func (w *writer) begin(label string) { w.text.WriteString(label + ":\n") }

// slot returns a variable: memory on the stack that LLVM turns into a register.
func (w *writer) slot(typ string) string {
	w.temps++
	name := "%s" + strconv.Itoa(w.temps)
	w.allocas = append(w.allocas, fmt.Sprintf("  %s = alloca %s", name, typ))
	return name
}

// capture returns the text that f writes instead of writing it.
func (w *writer) capture(f func()) string {
	saved := w.text
	w.text = &strings.Builder{}
	f()
	text := w.text.String()
	w.text = saved
	return text
}

// call calls a function, which is declared at the end of the module; args are "type value".
func (w *writer) call(ret, name string, args ...string) string {
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = a[:strings.LastIndexByte(a, ' ')]
		if strings.HasPrefix(a, "<") { // constants of vectors contain spaces
			types[i] = a[:strings.IndexByte(a, '>')+1]
		}
	}
	w.decls[name] = fmt.Sprintf("declare %s @%s(%s)", ret, name, strings.Join(types, ", "))
	if ret == "void" {
		w.do("call void @%s(%s)", name, strings.Join(args, ", "))
		return ""
	}
	return w.op("call %s @%s(%s)", ret, name, strings.Join(args, ", "))
}

func (w *writer) declarations() string {
	list := make([]string, 0, len(w.decls))
	for _, d := range w.decls {
		list = append(list, d)
	}
	sort.Strings(list)
	return strings.Join(list, "\n")
}

// loop writes a loop that counts from, from + step, … below to. body receives the counter.
func (w *writer) loop(from, to string, step int64, body func(i string)) {
	iv := w.slot("i64")
	head, in, out := w.label("head"), w.label("body"), w.label("done")
	w.do("store i64 %s, ptr %s", from, iv)
	w.fall(head)
	i := w.op("load i64, ptr %s", iv)
	w.do("br i1 %s, label %%%s, label %%%s", w.op("icmp slt i64 %s, %s", i, to), in, out)
	w.begin(in)
	body(i)
	w.do("store i64 %s, ptr %s", w.op("add i64 %s, %d", i, step), iv)
	w.do("br label %%%s", head)
	w.begin(out)
}

// when writes then under a condition.
func (w *writer) when(cond string, then func()) {
	yes, done := w.label("then"), w.label("endif")
	w.do("br i1 %s, label %%%s, label %%%s", cond, yes, done)
	w.begin(yes)
	then()
	w.fall(done)
}

// Arithmetic on i64 operands, with constants folded.

func number(s string) (int64, bool) {
	if !isConst(s) {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func (w *writer) add(a, b string) string {
	x, ok1 := number(a)
	y, ok2 := number(b)
	switch {
	case ok1 && ok2:
		return itoa(x + y)
	case ok1 && x == 0:
		return b
	case ok2 && y == 0:
		return a
	}
	return w.op("add i64 %s, %s", a, b)
}

func (w *writer) sub(a, b string) string {
	x, ok1 := number(a)
	y, ok2 := number(b)
	switch {
	case ok1 && ok2:
		return itoa(x - y)
	case ok2 && y == 0:
		return a
	}
	return w.op("sub i64 %s, %s", a, b)
}

func (w *writer) mul(a, b string) string {
	x, ok1 := number(a)
	y, ok2 := number(b)
	switch {
	case ok1 && ok2:
		return itoa(x * y)
	case ok1 && x == 0, ok2 && y == 0:
		return "0"
	case ok1 && x == 1:
		return b
	case ok2 && y == 1:
		return a
	}
	return w.op("mul i64 %s, %s", a, b)
}

// div returns a / k for a that is not negative; rem returns a % k.
func (w *writer) div(a string, k int64) string {
	if x, ok := number(a); ok {
		return itoa(x / k)
	}
	if k == 1 {
		return a
	}
	return w.op("udiv i64 %s, %d", a, k)
}

func (w *writer) rem(a string, k int64) string {
	if x, ok := number(a); ok {
		return itoa(x % k)
	}
	if k == 1 {
		return "0"
	}
	return w.op("urem i64 %s, %d", a, k)
}

func (w *writer) min(a, b string) string {
	x, ok1 := number(a)
	y, ok2 := number(b)
	if ok1 && ok2 {
		return itoa(min(x, y))
	}
	return w.op("select i1 %s, i64 %s, i64 %s", w.op("icmp slt i64 %s, %s", a, b), a, b)
}
