package codegen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// ArgSpec describes an argument of a kernel before it is compiled: by a type, or by a value.
type ArgSpec struct {
	Type  sem.Type     // of a runtime argument; nil for a constant
	Const object.Value // of a constant
	Div16 bool         // the value, or the address, is divisible by 16
	Small bool         // of a pointer: all that the kernel accesses lies within 2 GiB behind it
	Items []ArgSpec    // of a tuple
	Names []string     // of the items of a named tuple; nil for a plain one
	Tuple bool
	Desc  *DescSpec // of a tensor descriptor
}

// DescSpec is a tensor descriptor made by the host.
type DescSpec struct {
	Elem  *sem.DType
	Block []int64

	// Pointer says that the hardware cannot describe the tensor, because of its alignment, strides or sizes:
	// the kernel must use pointers.
	Pointer bool
}

// PointerAttr is the attribute of a function's descriptor argument with DescSpec.Pointer.
const PointerAttr = tt.PointerAttr

// ParseSignature reads a signature as Triton's ahead-of-time tool writes it: one entry for each parameter, a
// type (`*fp16`, `i32`) with `:16` or `:1`, or a constant as a Python literal; for a constexpr parameter also
// a dtype, or a jit function (`@file.py:name`, `@:name`). An error is a *diag.List that shows the place in
// the text.
func ParseSignature(params []world.Param, text string) ([]ArgSpec, error) {
	out, err := parseSignature(params, text)
	if err == nil {
		return out, nil
	}
	files := diag.NewFileSet()
	f := files.AddFile("signature", []byte(strings.NewReplacer("\n", " ", "\r", " ").Replace(text)))
	span := diag.Span{Start: f.Pos(err.at), End: f.Pos(err.end)}
	return nil, &diag.List{Files: files,
		Diags: []diag.Diagnostic{{Code: "signature", Span: span, Msg: err.msg, Hint: err.hint}}}
}

// entry is a part of a signature, with its place in the text.
type entry struct {
	text string
	at   int
}

// sigError is a fault in a part of a signature.
type sigError struct {
	at, end   int
	msg, hint string
}

func (e entry) errorf(format string, args ...any) *sigError {
	return &sigError{at: e.at, end: e.at + len(e.text), msg: fmt.Sprintf(format, args...)}
}

func (e *sigError) withHint(format string, args ...any) *sigError {
	e.hint = fmt.Sprintf(format, args...)
	return e
}

// sub returns the part of an entry from one offset to another, without blanks at its ends.
func (e entry) sub(from, to int) entry {
	t := e.text[from:to]
	trimmed := strings.TrimLeft(t, " \t\r\n")
	return entry{strings.TrimRight(trimmed, " \t\r\n"), e.at + from + len(t) - len(trimmed)}
}

func parseSignature(params []world.Param, text string) ([]ArgSpec, *sigError) {
	entries, err := entry{text, 0}.split()
	if err != nil {
		return nil, err
	}
	if len(entries) != len(params) {
		return nil, wrongCount(params, entries, text)
	}
	out := make([]ArgSpec, len(entries))
	for i, e := range entries {
		if out[i], err = parseEntry(params[i].Constexpr, e); err != nil {
			err.msg = "parameter " + params[i].Name + ": " + err.msg
			return nil, err
		}
	}
	return out, nil
}

// wrongCount points at the first entry too many, or at the end where one is missing.
func wrongCount(params []world.Param, entries []entry, text string) *sigError {
	at := entry{"", len(text)}
	if len(entries) > len(params) {
		at = entries[len(params)]
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return at.errorf("the signature has %s, but the kernel %s", count(len(entries), "entry", "entries"),
		count(len(params), "parameter", "parameters")).
		withHint("one for each of %s", strings.Join(names, ", "))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// split cuts at commas, or at semicolons as libtriton_jit writes them, outside of brackets and quotes.
func (e entry) split() ([]entry, *sigError) {
	var parts []entry
	var quote rune
	var open []int // where the brackets begin
	start, began := 0, 0
	escaped := false
	for i, c := range e.text {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && c == '\\':
			escaped = true
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote, began = c, i
		case strings.ContainsRune("([{<", c):
			open = append(open, i)
		case strings.ContainsRune(")]}>", c):
			if len(open) == 0 {
				return nil, e.sub(i, i+1).errorf("'%c' closes nothing", c)
			}
			open = open[:len(open)-1]
		case (c == ',' || c == ';') && len(open) == 0:
			parts = append(parts, e.sub(start, i))
			start = i + 1
		}
	}
	switch {
	case quote != 0:
		return nil, e.sub(began, len(e.text)).errorf("this string is never closed")
	case len(open) > 0:
		at := open[len(open)-1]
		return nil, e.sub(at, at+1).errorf("'%c' is never closed", e.text[at])
	}
	last := e.sub(start, len(e.text))
	if last.text == "" && len(parts) == 0 {
		return nil, nil
	}
	return append(parts, last), nil
}

func parseEntry(constexpr bool, e entry) (ArgSpec, *sigError) {
	text := e.text
	if constexpr {
		if t := scalarType(text); t != nil {
			return ArgSpec{Const: t}, nil
		}
		if file, name, ok := strings.Cut(strings.TrimPrefix(text, "@"), ":"); ok &&
			strings.HasPrefix(text, "@") {
			return ArgSpec{Const: &FuncRef{File: file, Name: name}}, nil
		}
		return parseConst(e)
	}
	if strings.HasPrefix(text, "tensordesc<") {
		return parseDesc(e)
	}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return parseTuple(e.sub(1, len(text)-1))
	}
	base, spec, has := strings.Cut(text, ":")
	t, err := ParseType(base)
	if err != nil {
		if !has {
			if a, cerr := parseConst(e); cerr == nil {
				return a, nil
			}
		}
		return ArgSpec{}, e.sub(0, len(base)).errorf("%v",
			err).withHint("types are written *fp32, i32, i64, u8, fp16, bf16, fp64, i1 and the like")
	}
	at := e.sub(min(len(base)+1, len(text)), len(text))
	rule, small := strings.CutSuffix(at.text, "S")
	if _, pointer := t.(*sem.PtrType); small && !pointer {
		return ArgSpec{}, at.errorf(":S is for pointers, not %s", sem.TypeText(t))
	}
	switch rule {
	case "":
		return ArgSpec{Type: t, Small: small}, nil
	case "16", "D":
		return ArgSpec{Type: t, Div16: true, Small: small}, nil
	case "1":
		if d, ok := t.(*sem.DType); !ok || !d.IsInt() {
			return ArgSpec{}, at.errorf(":1 is for integers, not %s", sem.TypeText(t))
		}
		return ArgSpec{Const: object.MakeInt(1)}, nil
	}
	return ArgSpec{}, at.errorf("unknown specialisation :%s",
		spec).withHint(":16 says that the value is divisible by 16, :1 that it is 1, " +
		":S that a tensor is smaller than 2 GiB")
}

func parseTuple(e entry) (ArgSpec, *sigError) {
	entries, err := e.split()
	if err != nil {
		return ArgSpec{}, err
	}
	a := ArgSpec{Tuple: true}
	for _, e := range entries {
		if e.text == "" {
			continue
		}
		if name, _, ok := strings.Cut(e.text, "="); ok &&
			isName(strings.TrimSpace(name)) { // of a named tuple
			a.Names = append(a.Names, strings.TrimSpace(name))
			e = e.sub(len(name)+1, len(e.text))
		}
		item, err := parseEntry(false, e)
		if err != nil {
			return ArgSpec{}, err
		}
		a.Items = append(a.Items, item)
	}
	if len(a.Names) > 0 && len(a.Names) != len(a.Items) {
		return ArgSpec{}, e.errorf("either all items of a tuple have names or none")
	}
	return a, nil
}

func isName(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

// pointerSuffix follows a descriptor with DescSpec.Pointer.
const pointerSuffix = ":pointer"

// parseDesc reads tensordesc<fp16[64, 32]>, with or without :pointer behind it.
func parseDesc(e entry) (ArgSpec, *sigError) {
	text, pointer := strings.CutSuffix(e.text, pointerSuffix)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "tensordesc<"), ">")
	elem, dims, ok := strings.Cut(text, "[")
	t := scalarType(strings.TrimSpace(elem))
	dims, _, closed := strings.Cut(dims, "]")
	if !ok || !closed || t == nil {
		return ArgSpec{}, e.errorf("expected a descriptor such as tensordesc<fp16[64, 32]>")
	}
	d := &DescSpec{Elem: t, Pointer: pointer}
	for _, s := range strings.Split(dims, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil || n <= 0 {
			return ArgSpec{},
				e.errorf("the sizes of a descriptor's block are integers above 0, but one is %q",
					strings.TrimSpace(s))
		}
		d.Block = append(d.Block, n)
	}
	return ArgSpec{Desc: d}, nil
}

// words are constants that others write without Python's spelling: C++ has no value of the name None, prints
// booleans in lower case, and floats beyond all numbers as bare words.
var words = map[string]object.Value{
	"nullopt": object.None, "true": object.Bool(true), "false": object.Bool(false),
	"inf": object.Float(math.Inf(1)), "+inf": object.Float(math.Inf(1)), "-inf": object.Float(math.Inf(-1)),
	"nan": object.Float(math.NaN()),
}

// parseConst reads a Python literal, or one of words.
func parseConst(e entry) (ArgSpec, *sigError) {
	if v, ok := words[e.text]; ok {
		return ArgSpec{Const: v}, nil
	}
	files := diag.NewFileSet()
	x, err := python.ParseExpr(files, "signature", []byte(e.text))
	if err != nil || !literal(x) {
		return ArgSpec{}, e.errorf("%q is neither a type nor a Python literal", e.text)
	}
	in := pyrun.New(pyrun.Options{Files: files,
		Limits: object.Limits{MaxSteps: 10000, MaxBytes: 1 << 20}}).Interp
	v, err := pyrun.Eval(in, x, &pyrun.Env{})
	if err != nil {
		return ArgSpec{}, e.errorf("%q has no value: %v", e.text, err)
	}
	return ArgSpec{Const: listsToTuples(v)}, nil
}

// literal reports whether an expression is built of literals alone. `float("inf")` is allowed: Python has no
// literal for it.
func literal(e python.Expr) bool {
	ok := true
	python.Inspect(e, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Name:
			ok = ok && n.ID == "float"
		case *python.Attribute, *python.Lambda, *python.Subscript, *python.ListComp, *python.GeneratorExp,
			*python.SetComp, *python.DictComp:
			ok = false
		}
		return ok
	})
	return ok
}

// listsToTuples returns a constant as kernels see it: with tuples in place of lists.
func listsToTuples(v object.Value) object.Value {
	var items []object.Value
	switch v := v.(type) {
	case *object.List:
		items = v.Items
	case *object.Tuple:
		items = v.Items
	default:
		return v
	}
	out := make([]object.Value, len(items))
	for i, e := range items {
		out[i] = listsToTuples(e)
	}
	return object.NewTuple(out...)
}

// scalarType returns the scalar type of a name in any spelling, or nil.
func scalarType(name string) *sem.DType {
	t, ok := dtype.Parse(name)
	if name == "B" { // as Triton's specializations write a bool
		t, ok = dtype.Bool, true
	}
	if !ok {
		return nil
	}
	return sem.ScalarOf(t)
}

// ParseType reads a type as signatures write it: i32, *fp16, *ki8 for a pointer that is only read, **fp32.
func ParseType(text string) (sem.Type, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "*"); ok {
		rest, isConst := strings.CutPrefix(rest, "k")
		elem, err := ParseType(rest)
		if err != nil {
			return nil, err
		}
		return sem.PtrIn(elem, 1, isConst), nil
	}
	if t := scalarType(text); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("unknown type %q (a type is i32, fp16, *fp32 or the like)", text)
}

// SplitSignature returns the entries of a signature as text, one for each parameter, once they are known to
// make sense.
func SplitSignature(params []world.Param, text string) ([]string, error) {
	if _, err := ParseSignature(params, text); err != nil {
		return nil, err
	}
	entries, _ := entry{text, 0}.split()
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.text
	}
	return out, nil
}

// FuncRef stands for a jit function among compile-time arguments: it is found when the kernel is compiled.
type FuncRef struct {
	File string // "" for the kernel's own file
	Name string
}

func (*FuncRef) TypeName() string { return "JITFunction" }

func (f *FuncRef) Repr() string { return f.File + ":" + f.Name }
