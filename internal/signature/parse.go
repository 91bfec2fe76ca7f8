package signature

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Constants reads the text of a constant; an error says why it is none.
type Constants func(text string) (*Const, error)

// Texts takes constants by their texts, unread: for what is launched, not compiled.
func Texts(text string) (*Const, error) { return Unread(text), nil }

// Parse reads a signature as Triton's ahead-of-time tool writes it: one entry for each parameter, a type
// (`*fp16`, `i32`) with `:16` or `:1`, or a constant as a Python literal; for a constexpr parameter also a
// dtype, or a jit function (`@file.py:name`, `@:name`). An error is a *diag.List that shows the place in the
// text.
func Parse(params []Param, text string, constants Constants) ([]Arg, error) {
	out, err := (&parser{constants}).parse(params, text)
	if err == nil {
		return out, nil
	}
	files := diag.NewFileSet()
	f := files.AddFile("signature", []byte(strings.NewReplacer("\n", " ", "\r", " ").Replace(text)))
	span := diag.Span{Start: f.Pos(err.at), End: f.Pos(err.end)}
	return nil, &diag.List{Files: files,
		Diags: []diag.Diagnostic{{Code: "signature", Span: span, Msg: err.msg, Hint: err.hint}}}
}

// Split returns the entries of a signature as text, one for each parameter, once they are known to make
// sense.
func Split(params []Param, text string, constants Constants) ([]string, error) {
	if _, err := Parse(params, text, constants); err != nil {
		return nil, err
	}
	entries, _ := entry{text, 0}.split()
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.text
	}
	return out, nil
}

// parser reads signatures.
type parser struct{ constants Constants }

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

func (p *parser) parse(params []Param, text string) ([]Arg, *sigError) {
	entries, err := entry{text, 0}.split()
	if err != nil {
		return nil, err
	}
	if len(entries) != len(params) {
		return nil, wrongCount(params, entries, text)
	}
	out := make([]Arg, len(entries))
	for i, e := range entries {
		if out[i], err = p.entry(params[i].Constexpr, e); err != nil {
			err.msg = "parameter " + params[i].Name + ": " + err.msg
			return nil, err
		}
	}
	return out, nil
}

// wrongCount points at the first entry too many, or at the end where one is missing.
func wrongCount(params []Param, entries []entry, text string) *sigError {
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

func (p *parser) entry(constexpr bool, e entry) (Arg, *sigError) {
	text := e.text
	if constexpr {
		if t, ok := ParseScalar(text); ok {
			return Arg{Const: DType(t)}, nil
		}
	}
	if file, name, ok := strings.Cut(strings.TrimPrefix(text, "@"), ":"); ok && strings.HasPrefix(text, "@") {
		return Arg{Const: Func(&FuncRef{File: file, Name: name})}, nil
	}
	if constexpr {
		return p.constant(e)
	}
	if strings.HasPrefix(text, "tensordesc<") {
		return parseDesc(e)
	}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return p.tuple(e.sub(1, len(text)-1))
	}
	base, spec, has := strings.Cut(text, ":")
	t, err := ParseType(base)
	if err != nil {
		if !has {
			if a, cerr := p.constant(e); cerr == nil {
				return a, nil
			}
		}
		return Arg{}, e.sub(0, len(base)).errorf("%v",
			err).withHint("types are written *fp32, i32, i64, u8, fp16, bf16, fp64, i1 and the like")
	}
	at := e.sub(min(len(base)+1, len(text)), len(text))
	rule, small := strings.CutSuffix(at.text, "S")
	if small && !t.IsPointer() {
		return Arg{}, at.errorf(":S is for pointers, not %s", t.Long())
	}
	switch rule {
	case "":
		return Arg{Type: t, Small: small}, nil
	case "16", "D":
		return Arg{Type: t, Div16: true, Small: small}, nil
	case "1":
		if !t.IsInt() {
			return Arg{}, at.errorf(":1 is for integers, not %s", t.Long())
		}
		return Arg{Const: Int(1)}, nil
	}
	return Arg{}, at.errorf("unknown specialisation :%s",
		spec).withHint(":16 says that the value is divisible by 16, :1 that it is 1, " +
		":S that a tensor is smaller than 2 GiB")
}

func (p *parser) tuple(e entry) (Arg, *sigError) {
	entries, err := e.split()
	if err != nil {
		return Arg{}, err
	}
	a := Arg{Tuple: true}
	for _, e := range entries {
		if e.text == "" {
			continue
		}
		if name, _, ok := strings.Cut(e.text, "="); ok &&
			isName(strings.TrimSpace(name)) { // of a named tuple
			a.Names = append(a.Names, strings.TrimSpace(name))
			e = e.sub(len(name)+1, len(e.text))
		}
		item, err := p.entry(false, e)
		if err != nil {
			return Arg{}, err
		}
		a.Items = append(a.Items, item)
	}
	if len(a.Names) > 0 && len(a.Names) != len(a.Items) {
		return Arg{}, e.errorf("either all items of a tuple have names or none")
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

// pointerSuffix follows a descriptor with Desc.Pointer.
const pointerSuffix = ":pointer"

// parseDesc reads tensordesc<fp16[64, 32]>, with or without :pointer behind it.
func parseDesc(e entry) (Arg, *sigError) {
	text, pointer := strings.CutSuffix(e.text, pointerSuffix)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "tensordesc<"), ">")
	elem, dims, ok := strings.Cut(text, "[")
	t, known := ParseScalar(strings.TrimSpace(elem))
	dims, _, closed := strings.Cut(dims, "]")
	if !ok || !closed || !known {
		return Arg{}, e.errorf("expected a descriptor such as tensordesc<fp16[64, 32]>")
	}
	d := &Desc{Elem: t, Pointer: pointer}
	for _, s := range strings.Split(dims, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil || n <= 0 {
			return Arg{},
				e.errorf("the sizes of a descriptor's block are integers above 0, but one is %q",
					strings.TrimSpace(s))
		}
		d.Block = append(d.Block, n)
	}
	return Arg{Desc: d}, nil
}

// constant reads a constant.
func (p *parser) constant(e entry) (Arg, *sigError) {
	c, err := p.constants(e.text)
	if err != nil {
		return Arg{}, e.errorf("%v", err)
	}
	return Arg{Const: c}, nil
}

// Long returns the type as messages write it: int32, pointer<fp16>.
func (t Type) Long() string {
	switch {
	case t.IsConst():
		return "const pointer<" + t.Pointee().Long() + ">"
	case t.IsPointer():
		return "pointer<" + t.Pointee().Long() + ">"
	case t.Elem.IsFloat():
		return t.Elem.String()
	}
	return t.Elem.Row().TL
}
