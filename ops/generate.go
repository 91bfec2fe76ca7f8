package ops

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid"
)

// form says for which launches a kernel's text is made. Launches of one form differ in sizes and strides.
//
// A kernel computes a tile of R rows and C columns at a time. Without reductions, columns are the innermost
// dimension and programs are in two dimensions. With reductions, columns are the dimensions that are
// reduced, and a program computes whole rows: in one tile, or, with loop, tile after tile, once for each
// reduction that needs another one's result.
type form struct {
	f       *Fused
	ty      typing
	inputs  []nereid.DType // Invalid: a number
	numbers []*number
	outs    []nereid.DType
	rows    int      // dimensions of rows; 0: the tile has columns alone
	cols    int      // dimensions of columns
	uses    [][]bool // by operand, inputs first: does it walk along each dimension, rows first?
	loop    bool
	wide    bool // offsets need 64 bits
	shifted bool // outputs begin some elements behind their address
	inPlace bool // an output is an input
	parts   bool // a program reduces a part of its rows, and outputs have a column for each part
	leads   bool // the kernel behind this one may begin before its end
	follows bool // the kernel may begin before the end of the one before, for which it waits
}

// writer writes a kernel's text.
type writer struct {
	form
	b      strings.Builder
	indent string
	names  map[*node]string // variables that hold nodes
	depths map[*node]int
	values int
}

// text returns the text of the kernel of a form.
func (fm *form) text() string {
	w := &writer{form: *fm, indent: "    ", names: map[*node]string{}, depths: map[*node]int{}}
	if w.leads {
		w.line("functions.lead()")
	}
	if w.follows {
		w.line("functions.wait(True)")
	}
	w.rowIndices()
	if w.loop {
		w.passes()
	} else {
		w.columns("tl.program_id(1) * C + ")
		for i, root := range w.f.roots {
			w.store(i, root)
		}
	}
	return w.head(w.b.String()) + w.b.String()
}

func (w *writer) line(format string, list ...any) {
	fmt.Fprintf(&w.b, w.indent+format+"\n", list...)
}

// head returns everything up to the body.
func (w *form) head(body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"%s: made by package ops.\"\"\"\n", w.f)
	for _, x := range []struct{ use, line string }{
		{"functions.", "import functions"},
		{"", "import triton\nimport triton.language as tl"},
		{"libdevice.", "from triton.language.extra import libdevice"},
	} {
		if strings.Contains(body, x.use) {
			b.WriteString(x.line + "\n")
		}
	}
	begin := "def " + w.f.kernelName() + "("
	fmt.Fprintf(&b, "\n\n@triton.jit%s\n%s", w.unspecialized(), begin)
	width := len(begin)
	for i, p := range append(w.params(), "R: tl.constexpr", "C: tl.constexpr") {
		if i > 0 {
			b.WriteString(",")
			p = " " + p
		}
		if width += len(p) + 1; width > 110 {
			b.WriteString("\n" + strings.Repeat(" ", len(begin)-1))
			width = len(begin) + len(p)
		}
		b.WriteString(p)
	}
	return b.String() + "):\n"
}

// unspecialized returns the decorator's argument by which numbers have one code for all values.
func (w *form) unspecialized() string {
	var list []string
	for i, dt := range w.inputs {
		if dt == nereid.Invalid && uses(w.f.roots, i) {
			list = append(list, strconv.Quote(inputName(i)))
		}
	}
	if list == nil {
		return ""
	}
	return "(do_not_specialize=[" + strings.Join(list, ", ") + "])"
}

// kernelName returns the name of the kernel in texts, messages and profiles.
func (f *Fused) kernelName() string { return strings.ToLower(f.name) + "_kernel" }

// params returns the parameters up to R and C, in the order in which arguments are given.
func (w *form) params() (list []string) {
	for i := range w.inputs {
		if uses(w.f.roots, i) {
			list = append(list, inputName(i))
		}
	}
	for i := range w.outs {
		list = append(list, outName(i))
	}
	if w.shifted {
		list = append(list, "begin")
	}
	list = append(list, "rows", "cols")
	if w.sized() {
		list = append(list, "size")
	}
	if w.parts {
		list = append(list, "span")
	}
	for d := 1; d < w.rows; d++ {
		list = append(list, fmt.Sprintf("rows%d", d))
	}
	for d := 1; d < w.cols; d++ {
		list = append(list, fmt.Sprintf("cols%d", d))
	}
	for i := range w.uses {
		for d, used := range w.uses[i] {
			if used {
				list = append(list, w.strideName(i, d))
			}
		}
	}
	return list
}

// sized reports whether the formula uses how many elements are reduced.
func (w *form) sized() bool {
	found, seen := false, map[*node]bool{}
	for _, r := range w.f.roots {
		r.walk(seen, func(n *node) { found = found || n.fn == fnSize })
	}
	return found
}

func inputName(i int) string { return fmt.Sprintf("x%d", i) }
func outName(i int) string   { return fmt.Sprintf("out%d", i) }

// operandName returns the parameter of an operand, inputs first.
func (w *form) operandName(i int) string {
	if i < len(w.inputs) {
		return inputName(i)
	}
	return outName(i - len(w.inputs))
}

func (w *form) strideName(i, d int) string {
	if d < w.rows {
		return fmt.Sprintf("%s_row%d", w.operandName(i), d)
	}
	return fmt.Sprintf("%s_col%d", w.operandName(i), d-w.rows)
}

// rowIndices writes the indices of a tile's rows.
func (w *writer) rowIndices() {
	if w.rows == 0 {
		return
	}
	wide := ""
	if w.wide {
		wide = ".to(tl.int64)"
	}
	w.line("row = tl.program_id(0)%s * R + tl.arange(0, R)", wide)
	w.line("row_in = row < rows")
	w.split("row", w.rows)
}

// columns writes the indices of a tile's columns; first is the text of the first.
func (w *writer) columns(first string) {
	if w.rows == 0 {
		first = strings.Replace(first, "program_id(1)", "program_id(0)", 1)
	}
	if w.wide {
		first = strings.Replace(first, ") *", ").to(tl.int64) *", 1)
	}
	w.line("col = %stl.arange(0, C)", first)
	w.line("col_in = col < cols")
	w.split("col", w.cols)
	if w.rows > 0 {
		w.line("inside = row_in[:, None] & col_in[None, :]")
	}
}

// split writes the indices along each of n dimensions of the flat index in the variable what.
func (w *writer) split(what string, n int) {
	if n <= 1 {
		return
	}
	rest := what
	for d := n - 1; d > 0; d-- {
		w.line("%s%d = %s %% %ss%d", what, d, rest, what, d)
		w.line("%s_rest = %s // %ss%d", what, rest, what, d)
		rest = what + "_rest"
	}
	w.line("%s0 = %s", what, rest)
}

// walks reports whether operand i walks along rows, and along columns.
func (w *form) walks(i int) (rows, cols bool) {
	return slices.Contains(w.uses[i][:w.rows], true), slices.Contains(w.uses[i][w.rows:], true)
}

// address returns the text of an operand's addresses, and of the mask that they need.
func (w *writer) address(i int) (text, mask string) {
	rows, cols := w.walks(i)
	text = w.operandName(i)
	if w.shifted && i >= len(w.inputs) {
		text += " + begin"
	}
	if w.parts && i >= len(w.inputs) {
		text += " + tl.program_id(1)"
	}
	if w.rows == 0 {
		switch {
		case cols:
			return text + " + " + w.offsets(i, "col", w.rows, w.rows+w.cols), "col_in"
		case i >= len(w.inputs): // a result of one element
			return text + " + col", "col_in"
		}
		return text, ""
	}
	switch {
	case rows && cols:
		mask = "inside"
	case rows:
		mask = "row_in[:, None]"
	case cols:
		mask = "col_in[None, :]"
	case i >= len(w.inputs): // a result of one element
		return text + " + row[:, None]", "row_in[:, None]"
	}
	if rows {
		text += " + (" + w.offsets(i, "row", 0, w.rows) + ")[:, None]"
	}
	if cols {
		text += " + (" + w.offsets(i, "col", w.rows, w.rows+w.cols) + ")[None, :]"
	}
	return text, mask
}

// offsets returns the sum of index times stride over dimensions from lo to hi.
func (w *writer) offsets(i int, index string, lo, hi int) string {
	var terms []string
	for d := lo; d < hi; d++ {
		if !w.uses[i][d] {
			continue
		}
		name := index
		if hi-lo > 1 {
			name = fmt.Sprintf("%s%d", index, d-lo)
		}
		terms = append(terms, name+" * "+w.strideName(i, d))
	}
	return strings.Join(terms, " + ")
}

// columnwise reports whether a node differs from column to column.
func (w *writer) columnwise(n *node) bool {
	switch {
	case n.fn != nil && n.fn.reduces || n.number != nil:
		return false
	case n.fn == nil:
		if w.inputs[n.input] == nereid.Invalid {
			return false
		}
		_, cols := w.walks(n.input)
		return cols
	}
	return n.fn == fnPosition || slices.ContainsFunc(n.args, w.columnwise)
}

// value writes what computes a node, if nothing has yet, and returns its variable.
func (w *writer) value(n *node) string {
	if name := w.names[n]; name != "" {
		return name
	}
	var text string
	switch {
	case n.number != nil:
		return literal(*n.number)
	case n.fn == nil && w.inputs[n.input] == nereid.Invalid:
		return inputName(n.input)
	case n.fn == nil:
		text = w.load(n)
	case n.fn.reduces:
		text = w.reduced(n)
	default:
		text = w.call(n)
	}
	return w.keep(n, text)
}

// keep writes an assignment to a new variable of a node.
func (w *writer) keep(n *node, text string) string {
	name := fmt.Sprintf("v%d", w.values)
	w.values++
	w.names[n] = name
	w.line("%s = %s", name, text)
	return name
}

// moves reports whether an output is an input as it is: bits that no conversion may change, such as those of
// infinities of 8 bits.
func (w *writer) moves(i int, root *node) bool {
	return root.fn == nil && root.number == nil && w.inputs[root.input] == w.outs[i]
}

// loaded returns the text that loads an input.
func (w *writer) loaded(n *node) string {
	at, mask := w.address(n.input)
	if mask != "" {
		mask = ", mask=" + mask
	}
	return "tl.load(" + at + mask + ")"
}

// load returns the text that loads an input, in the type of computation.
func (w *writer) load(n *node) string {
	text, dt := w.loaded(n), w.inputs[n.input]
	if c := computed(dt); c != dt {
		text += ".to(" + tlNames[c] + ")"
	}
	return text
}

// call returns the text of a function of elements.
func (w *writer) call(n *node) string {
	operand, result, _ := n.types(w.ty.common(n, w.numbers))
	text := n.fn.text
	if n.fn.short != "" && operand.Size() <= 2 {
		text = n.fn.short
	}
	for i, a := range n.args {
		dt := computed(operand)
		if n.fn.rule == whereRule && i == 0 {
			dt = nereid.Bool
		}
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), w.as(a, dt))
	}
	if n.fn == castFunction {
		text = w.converted(text, computed(operand), result)
		if c := computed(result); c != result { // round as the type does
			text += ".to(" + tlNames[c] + ")"
		}
	}
	return text
}

// as returns the text of a node in a type of computation.
func (w *writer) as(n *node, dt nereid.DType) string {
	text := w.value(n)
	if v := n.value(w.numbers); v != nil {
		if n.number != nil {
			return "tl.full([], " + typedLiteral(*v, dt) + ", " + tlNames[dt] + ")"
		}
		return "tl.full([], " + text + ", " + tlNames[dt] + ")"
	}
	return w.converted(text, computed(w.ty[n]), dt)
}

// converted returns the text of a value of one type as another.
func (w *writer) converted(text string, from, to nereid.DType) string {
	switch {
	case from == to:
		return text
	case to == nereid.Bool:
		return "(" + text + " != 0)"
	}
	return text + ".to(" + tlNames[to] + ")"
}

// literal returns a number as Python writes it.
func literal(v number) string {
	switch {
	case !v.float:
		return strconv.FormatInt(v.i, 10)
	case math.IsNaN(v.f):
		return "float(\"nan\")"
	case math.IsInf(v.f, 1):
		return "float(\"inf\")"
	case math.IsInf(v.f, -1):
		return "float(\"-inf\")"
	}
	text := strconv.FormatFloat(v.f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// typedLiteral returns a number as Python writes one of a type.
func typedLiteral(v number, dt nereid.DType) string {
	v.float = dt.IsFloat()
	return literal(v)
}

// store writes an output.
func (w *writer) store(i int, root *node) {
	dt := computed(w.ty[root])
	if v := root.value(w.numbers); v != nil {
		dt = computed(w.outs[i])
	}
	value := ""
	if w.moves(i, root) {
		value = fmt.Sprintf("v%d", w.values)
		w.values++
		w.line("%s = %s", value, w.loaded(root))
	} else {
		value = w.converted(w.as(root, dt), dt, w.outs[i])
	}
	at, mask := w.address(len(w.inputs) + i)
	if mask != "" {
		mask = ", mask=" + mask
	}
	if w.inPlace {
		w.line("tl.debug_barrier()  # the output is an input, which all threads have read now")
	}
	w.line("tl.store(%s, %s%s)", at, value, mask)
}

// function returns the text of a function of one value, x, of a type of computation.
func (f *Fused) function(name string, dt nereid.DType) string {
	w := &writer{form: form{f: f, inputs: []nereid.DType{dt}, numbers: []*number{nil}}, indent: "    ",
		names: map[*node]string{}}
	w.ty, _ = infer(f.roots, w.inputs, w.numbers)
	seen := map[*node]bool{}
	f.roots[0].walk(seen, func(n *node) {
		if n.fn == nil && n.number == nil {
			w.names[n] = "x"
		}
	})
	w.line("return %s", w.as(f.roots[0], computed(w.ty[f.roots[0]])))
	return "def " + name + "(x):\n" + w.b.String()
}
