package memfuzz

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// writer writes the Python text of a kernel.
type writer struct {
	k      *Kernel
	b      strings.Builder
	indent int
	stride map[string]int // elements between the memory of programs
}

const imports = "import triton\nimport triton.language as tl\n\n\n"

// text returns the kernel's Python, given the elements between the memory of two programs in each tensor.
func (k *Kernel) text(stride map[string]int) string {
	w := &writer{k: k, stride: stride, indent: 1}
	var params []string
	for _, t := range k.Tensors {
		params = append(params, t.Name)
	}
	for _, s := range k.Scalars {
		params = append(params, s.Name)
	}
	fmt.Fprintf(&w.b, "%s@triton.jit\ndef kernel(%s):\n", imports, strings.Join(params, ", "))
	head := w.b.String()
	w.b.Reset()
	w.stmts(k.Body)
	body := w.b.String()
	w.b.Reset()
	w.head(body)
	return head + w.b.String() + body
}

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("    ", w.indent))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// head defines the names that the body refers to: pid, the lane numbers of each shape, and the program's own
// pointers.
func (w *writer) head(body string) {
	k := w.k
	used := map[string]bool{}
	for _, name := range identifier.FindAllString(body, -1) {
		used[name] = true
	}
	if used["rc"] {
		used["r"], used["c"] = true, true
	}
	moved := slices.DeleteFunc(slices.Clone(k.Tensors), func(t Tensor) bool {
		return t.Indexed || t.Perm || !used[t.Name]
	})
	for _, l := range []struct{ name, value string }{
		{"pid", "tl.program_id(0)"},
		{"i", fmt.Sprintf("tl.arange(0, %d)", k.size(Vec))},
		{"r", fmt.Sprintf("tl.arange(0, %d)", k.Rows)},
		{"c", fmt.Sprintf("tl.arange(0, %d)", k.Cols)},
		{"rc", fmt.Sprintf("r[:, None] * %d + c[None, :]", k.Cols)},
	} {
		if used[l.name] || l.name == "pid" && k.Grid > 1 && len(moved) > 0 {
			w.line("%s = %s", l.name, l.value)
		}
	}
	for _, t := range moved {
		if k.Grid > 1 {
			w.line("%s += pid * %d", t.Name, w.stride[t.Name])
		}
	}
}

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// lanes holds the name of the lane numbers of each shape.
var lanes = [nShapes]string{Vec: "i", Mat: "rc", RowVec: "r", ColVec: "c"}

func (w *writer) stmts(list []*Stmt) {
	if len(list) == 0 {
		w.line("pass")
	}
	for _, s := range list {
		writers[s.Kind](w, s)
	}
}

// writers writes each kind of statement.
var writers map[string]func(*writer, *Stmt)

func init() {
	writers = map[string]func(*writer, *Stmt){
		"assign": func(w *writer, s *Stmt) {
			w.line("%s = (%s).to(%s)", s.Name, w.expr(s.Value), types[s.Type].python)
		},
		"load": (*writer).load,
		"store": func(w *writer, s *Stmt) {
			w.line("tl.store(%s, %s%s)", w.pointer(s), w.expr(s.Value), w.mask(s))
		},
		"atomic":  (*writer).atomic,
		"barrier": func(w *writer, s *Stmt) { w.line("tl.debug_barrier()") },
		"pointer": func(w *writer, s *Stmt) { w.line("%s = %s", s.Pointer, w.address(s)) },
		"advance": func(w *writer, s *Stmt) { w.line("%s += %d", s.Pointer, s.K) },
		"for":     (*writer).forLoop,
		"while":   (*writer).while,
		"count":   func(w *writer, s *Stmt) { w.line("%s = %d", s.Name, s.K) },
		"if":      (*writer).branch,
		"return": func(w *writer, s *Stmt) {
			w.line("if %s:", w.expr(s.Value))
			w.line("    return")
		},
	}
}

func (w *writer) load(s *Stmt) {
	other := ""
	if s.Mask != nil {
		other = fmt.Sprintf(", other=%d", s.K)
	}
	w.line("%s = tl.load(%s%s%s)", s.Name, w.pointer(s), w.mask(s), other)
}

func (w *writer) atomic(s *Stmt) {
	old := ""
	if s.Name != "" {
		old = s.Name + " = "
	}
	w.line("%stl.atomic_%s(%s, %s%s)", old, s.Op, w.pointer(s), w.expr(s.Value), w.mask(s))
}

func (w *writer) body(list []*Stmt) {
	w.indent++
	w.stmts(list)
	w.indent--
}

func (w *writer) forLoop(s *Stmt) {
	step := ""
	if s.Step != 1 {
		step = fmt.Sprintf(", %d", s.Step)
	}
	end := ""
	if s.Op == "tl.range" {
		end = ", num_stages=3"
	}
	w.line("for %s in %s(%d, %s%s%s):", s.Name, s.Op, s.K, shiftText(s.Count), step, end)
	w.body(s.Body)
}

func (w *writer) while(s *Stmt) {
	w.line("%s = %s", s.Name, shiftText(s.Count))
	w.line("while %s > 0:", s.Name)
	w.body(s.Body)
	w.line("    %s -= 1", s.Name)
}

func (w *writer) branch(s *Stmt) {
	w.line("if %s:", w.expr(s.Value))
	w.body(s.Body)
	if len(s.Else) > 0 {
		w.line("else:")
		w.body(s.Else)
	}
}

func (w *writer) mask(s *Stmt) string {
	if s.Mask == nil {
		return ""
	}
	return ", mask=" + w.expr(s.Mask)
}

func (w *writer) pointer(s *Stmt) string {
	if s.Pointer != "" {
		return s.Pointer
	}
	return w.address(s)
}

// address is the pointers of an access that has a tensor and an index.
func (w *writer) address(s *Stmt) string {
	at := w.index(s.Index, s.Shape)
	if w.k.tensor(s.Tensor).Indexed && w.k.Grid > 1 {
		at = fmt.Sprintf("(pid * %d + %s)", w.stride[s.Tensor], at)
	}
	return s.Tensor + " + " + at
}

// index is the elements that the lanes of an access go to.
func (w *writer) index(x Index, s Shape) string {
	if s == Scal {
		return "(" + shiftText(x.Shift) + ")"
	}
	l, n := lanes[s], w.k.size(s)
	if x.Long {
		l += ".to(tl.int64)"
	}
	shift := ""
	if t := shiftText(x.Shift); t != "0" {
		shift = " + " + t
	}
	switch x.Kind {
	case "reverse":
		l = fmt.Sprintf("%d - %s", n-1, l)
	case "xor":
		l = fmt.Sprintf("(%s ^ %d)", l, x.K&(n-1))
	case "odd":
		l = fmt.Sprintf("(%s * %d) %% %d", l, 2*x.K+1, n)
	case "rotate":
		return fmt.Sprintf("(%s%s) %% %d", l, shift, n+x.K)
	case "stride":
		l = fmt.Sprintf("%s * %d", l, x.K)
	case "perm":
		l = fmt.Sprintf("tl.load(%s + %s)", x.Perm, l)
	case "transposed":
		l = w.transposed(l, s)
	case "padded":
		l = fmt.Sprintf("r[:, None] * %d + c[None, :]", w.k.Cols+x.K)
	case "half":
		l = l + " // 2"
	case "modulo":
		l = fmt.Sprintf("%s %% %d", l, max(1, n>>x.K))
	case "data":
		l = fmt.Sprintf("(%s & %d).to(tl.int32)", w.expr(x.Var), n-1)
	case "uniform":
		l += " * 0"
	}
	return "(" + l + shift + ")"
}

// transposed is the elements of a matrix in the order of its columns.
func (w *writer) transposed(l string, s Shape) string {
	switch s {
	case Mat:
		return fmt.Sprintf("c[None, :] * %d + r[:, None]", w.k.Rows)
	case Vec:
		return fmt.Sprintf("%s %% %d * %d + %s // %d", l, w.k.Rows, w.k.Cols, l, w.k.Rows)
	}
	return l
}

func shiftText(s Shift) string {
	var parts []string
	for _, t := range s {
		switch {
		case t.Name == "":
			parts = append(parts, fmt.Sprint(t.K))
		case t.K == 1:
			parts = append(parts, t.Name)
		default:
			parts = append(parts, fmt.Sprintf("%s * %d", t.Name, t.K))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}
