package gemm

import (
	"fmt"
	"strings"
)

// writer writes the body of an LLVM function.
type writer struct {
	lib   *Lib
	lines []string
	temps int
	block string
}

func (l *Lib) writer() *writer { return &writer{lib: l, block: "entry"} }

func (w *writer) do(format string, args ...any) {
	w.lines = append(w.lines, "  "+fmt.Sprintf(format, args...))
}

func (w *writer) val(format string, args ...any) string {
	w.temps++
	name := fmt.Sprintf("%%v%d", w.temps)
	w.lines = append(w.lines, "  "+name+" = "+fmt.Sprintf(format, args...))
	return name
}

func (w *writer) label(kind string) string {
	w.temps++
	return fmt.Sprintf("%s%d", kind, w.temps)
}

func (w *writer) begin(label string) {
	w.lines = append(w.lines, label+":")
	w.block = label
}

// intrinsic calls an LLVM intrinsic on args of the given types.
func (w *writer) intrinsic(ret, name string, types []string, args ...string) string {
	w.lib.declares[name] = fmt.Sprintf("declare %s @%s(%s)", ret, name, strings.Join(types, ", "))
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = strings.TrimPrefix(types[i], "immarg ") + " " + a
	}
	text := fmt.Sprintf("call %s @%s(%s)", ret, name, strings.Join(typed, ", "))
	if ret == "void" {
		w.do("%s", text)
		return ""
	}
	return w.val("%s", text)
}

// define adds the function to the library. It is aligned, so that the speed of its loops does not depend on
// the size of the code before it, by up to 7%.
func (w *writer) define(name, params string) {
	fmt.Fprintf(&w.lib.text, "define internal void @%s(%s) %s align 64 {\nentry:\n%s\n  ret void\n}\n\n",
		name, params, w.lib.target.attrs(), strings.Join(w.lines, "\n"))
}

// loop counts i from 0 to n by step; the body does not run if n is 0. carried holds loop-carried values,
// which body receives and returns.
func (w *writer) loop(n string, step int, types, carried []string,
	body func(i string, vars []string) []string) []string {
	from, head, start, end := w.block, w.label("head"), w.label("body"), w.label("end")
	w.do("br label %%%s", head)
	w.begin(head)
	line := len(w.lines)
	i := w.val("")
	vars := make([]string, len(carried))
	for k := range carried {
		vars[k] = w.val("")
	}
	w.do("br i1 %s, label %%%s, label %%%s", w.val("icmp slt i64 %s, %s", i, n), start, end)
	w.begin(start)
	next := body(i, vars)
	i2 := w.val("add nsw i64 %s, %d", i, step)
	w.lines[line] = fmt.Sprintf("  %s = phi i64 [ 0, %%%s ], [ %s, %%%s ]", i, from, i2, w.block)
	for k := range carried {
		w.lines[line+1+k] = fmt.Sprintf("  %s = phi %s [ %s, %%%s ], [ %s, %%%s ]", vars[k], types[k],
			carried[k], from, next[k], w.block)
	}
	w.do("br label %%%s", head)
	w.begin(end)
	return vars
}

// each writes a loop that carries nothing.
func (w *writer) each(n string, step int, body func(i string)) {
	w.loop(n, step, nil, nil, func(i string, _ []string) []string { body(i); return nil })
}

// branch runs one of two bodies; no may be nil.
func (w *writer) branch(cond string, yes, no func()) {
	a, b, end := w.label("yes"), w.label("no"), w.label("end")
	w.do("br i1 %s, label %%%s, label %%%s", cond, a, b)
	w.begin(a)
	yes()
	w.do("br label %%%s", end)
	w.begin(b)
	if no != nil {
		no()
	}
	w.do("br label %%%s", end)
	w.begin(end)
}

// at returns the address of an element: base + index·size.
func (w *writer) at(elem, base, index string) string {
	return w.val("getelementptr %s, ptr %s, i64 %s", elem, base, index)
}

// limit returns x limited to 0 … n.
func (w *writer) limit(x, n string) string {
	t := []string{"i64", "i64"}
	return w.intrinsic("i64", "llvm.smin.i64", t, w.intrinsic("i64", "llvm.smax.i64", t, x, "0"), n)
}

// mul returns a·b in i64; the functions below are likewise i64 arithmetic.
func (w *writer) mul(a, b string) string      { return w.val("mul i64 %s, %s", a, b) }
func (w *writer) add(a, b string) string      { return w.val("add i64 %s, %s", a, b) }
func (w *writer) addN(a string, n int) string { return w.val("add i64 %s, %d", a, n) }
func (w *writer) sub(a, b string) string      { return w.val("sub i64 %s, %s", a, b) }
func (w *writer) is(pred, a, b string) string { return w.val("icmp %s i64 %s, %s", pred, a, b) }
func (w *writer) and(a, b string) string      { return w.val("and i1 %s, %s", a, b) }
func vec(n int, elem string) string {
	if n == 1 {
		return elem
	}
	return fmt.Sprintf("<%d x %s>", n, elem)
}

// zero returns the zero of a type.
func zero(typ string) string {
	switch {
	case strings.HasPrefix(typ, "<"):
		return "zeroinitializer"
	case typ == "float" || typ == "double":
		return "0.0"
	}
	return "0"
}

// splatOf returns a scalar in every lane.
func (w *writer) splatOf(n int, elem, v string) string {
	if n == 1 {
		return v
	}
	one := w.val("insertelement %s poison, %s %s, i64 0", vec(n, elem), elem, v)
	return w.val("shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", vec(n, elem), one,
		vec(n, elem), n)
}

// counting returns the constant vector 0, 1, 2 …
func counting(n int, elem string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("%s %d", elem, i)
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// shuffle returns lanes of two vectors.
func (w *writer) shuffle(n int, elem, a, b string, lanes []int) string {
	parts := make([]string, len(lanes))
	for i, k := range lanes {
		parts[i] = fmt.Sprintf("i32 %d", k)
	}
	return w.val("shufflevector %s %s, %s %s, <%d x i32> <%s>", vec(n, elem), a, vec(n, elem), b, len(lanes),
		strings.Join(parts, ", "))
}
