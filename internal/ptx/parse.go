package ptx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a module.
func Parse(text []byte) (*Module, error) {
	m := &Module{Text: withoutComments(text), Files: map[string]string{}}
	r := &reader{text: m.Text, line: 1}
	for r.space() {
		if err := r.top(m); err != nil {
			return nil, fmt.Errorf("ptx:%d: %w", r.line, err)
		}
	}
	return m, nil
}

// Fragment reads statements that stand in no function, as those of inline assembly do.
func Fragment(text string) (list []Stmt) {
	r := &reader{text: withoutComments([]byte(text)), line: 1}
	for r.space() {
		if s, ok := r.stmt(); ok {
			list = append(list, s)
		}
	}
	return list
}

// withoutComments returns the text with spaces in place of comments. Lines stay, and so do names of files,
// which may have two slashes.
func withoutComments(text []byte) string {
	b := bytes.Clone(text)
	for at := 0; ; {
		next := bytes.IndexAny(b[at:], `/"`)
		if next < 0 {
			return string(b)
		}
		at += next
		switch rest := b[at:]; {
		case rest[0] == '"':
			at += lengthTo(rest[1:], `"`) + 1
		case bytes.HasPrefix(rest, []byte("//")):
			at += blank(rest[:lengthTo(rest, "\n")])
		case bytes.HasPrefix(rest, []byte("/*")):
			at += blank(rest[:2+lengthTo(rest[2:], "*/")])
		default:
			at++
		}
	}
}

// lengthTo returns the length of b up to the first end and with it, or all of b.
func lengthTo(b []byte, end string) int {
	if i := bytes.Index(b, []byte(end)); i >= 0 {
		return i + len(end)
	}
	return len(b)
}

// blank replaces all but the ends of lines by spaces. It returns the number of bytes.
func blank(b []byte) int {
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
	return len(b)
}

// reader reads a text from at on.
type reader struct {
	text     string
	at, line int
}

// space passes over spaces. It returns false at the end of the text.
func (r *reader) space() bool {
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			return true
		}
	}
	return false
}

// until takes the text up to one of the stop characters, which it leaves.
func (r *reader) until(stops string) string {
	var n int
	if len(stops) == 1 {
		n = strings.IndexByte(r.text[r.at:], stops[0])
	} else {
		n = strings.IndexAny(r.text[r.at:], stops)
	}
	if n < 0 {
		n = len(r.text) - r.at
	}
	return r.take(n)
}

// take takes n bytes.
func (r *reader) take(n int) string {
	s := r.text[r.at : r.at+n]
	r.at += n
	r.line += strings.Count(s, "\n")
	return s
}

// begins reports whether the text goes on with a word that is followed by a space.
func (r *reader) begins(word string) bool {
	rest := r.text[r.at:]
	return strings.HasPrefix(rest, word) && len(rest) > len(word) &&
		(rest[len(word)] == ' ' || rest[len(word)] == '\t')
}

// next returns the next character, 0 at the end.
func (r *reader) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// top reads one part of the module.
func (r *reader) top(m *Module) error {
	start := r.at
	switch {
	case r.begins(".target"):
		r.until("\n")
		m.Target = words(r.text, start+len(".target"), r.at)
		return nil
	case r.begins(".file"):
		m.file(r.until("\n"))
		return nil
	case r.begins(".version"), r.begins(".address_size"), r.begins(".loc"):
		r.until("\n")
		return nil
	case r.begins(".section"):
		r.until("{")
		r.until("}")
		r.take(min(1, len(r.text)-r.at))
		return nil
	}
	line := r.line
	head := r.until("({;=")
	if r.at >= len(r.text) {
		return fmt.Errorf("the module ends in %q", strings.TrimSpace(head))
	}
	parts := strings.Fields(head)
	at := slices.IndexFunc(parts, func(w string) bool { return w == ".entry" || w == ".func" })
	if at >= 0 {
		return r.function(m, parts[at:], line)
	}
	v := Var{Decl: strings.TrimSpace(head), Line: line}
	if r.next() == '=' {
		v.Init = strings.TrimSpace(r.until(";")[1:])
	}
	r.until(";")
	r.take(min(1, len(r.text)-r.at))
	m.Vars = append(m.Vars, v)
	return nil
}

// words returns the words of a part of the text that spaces and commas separate.
func words(text string, start, end int) (list []Word) {
	for start < end {
		n := strings.IndexAny(text[start:end], " \t\r\n,")
		if n < 0 {
			n = end - start
		}
		if n > 0 {
			list = append(list, Word{text[start : start+n], Span{start, start + n}})
		}
		start += n + 1
	}
	return list
}

// file reads `.file 1 "folder/name"`.
func (m *Module) file(text string) {
	number, name := cutSpace(strings.TrimSpace(strings.TrimPrefix(text, ".file")))
	if path, err := strconv.Unquote(name); err == nil {
		m.Files[number] = path
	}
}

// function reads a function, whose head begins with .entry or .func.
func (r *reader) function(m *Module, head []string, line int) error {
	f := &Func{Entry: head[0] == ".entry", Line: line}
	if len(head) > 1 {
		f.Name = head[1]
	} else { // the results come first
		f.Results = r.params()
		r.space()
		f.Name = strings.TrimSpace(r.until("(;{"))
	}
	if r.next() == '(' {
		f.Params = r.params()
	}
	start := r.at
	r.until("{;")
	f.Directives = directives(r.text, start, r.at)
	m.Funcs = append(m.Funcs, f)
	switch r.next() {
	case ';':
		r.at++
		f.Declared = true
		return nil
	case '{':
		r.at++
		f.Start = r.at
		return r.body(f)
	}
	return fmt.Errorf("function %s does not begin", f.Name)
}

// params reads "(.param .u64 a, .param .align 4 .b8 b[8])".
func (r *reader) params() []string {
	r.take(1)
	list := Split(r.until(")"))
	r.take(min(1, len(r.text)-r.at))
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// directives reads what stands between the parameters of a function and its body.
func directives(text string, start, end int) (list []Directive) {
	for _, w := range words(text, start, end) {
		if w.Text[0] == '.' {
			list = append(list, Directive{Name: w.Text, Span: w.Span})
		} else if len(list) > 0 {
			d := &list[len(list)-1]
			d.Args, d.End = append(d.Args, w.Text), w.End
		}
	}
	return list
}

// body reads the statements of a function, whose opening brace is behind us.
func (r *reader) body(f *Func) error {
	f.Body = make([]Stmt, 0, strings.Count(r.text[r.at:], ";"))
	for depth := 1; depth > 0; {
		if !r.space() {
			return fmt.Errorf("function %s does not end", f.Name)
		}
		s, ok := r.stmt()
		switch {
		case !ok:
			continue
		case s.Kind == Open:
			depth++
		case s.Kind == Close:
			depth--
		}
		f.Body = append(f.Body, s)
	}
	return nil
}

// stmt reads a statement. It returns false for an empty one.
func (r *reader) stmt() (s Stmt, ok bool) {
	s.Line, s.Start = r.line, r.at
	switch c := r.text[r.at]; {
	case c == ';':
		r.at++
		return s, false
	case c == '{':
		s.Kind, s.Text = Open, r.take(1)
	case c == '}':
		s.Kind, s.Text = Close, r.take(1)
	case r.begins(".loc"):
		s.Kind, s.Text = Loc, strings.TrimSpace(r.until("\n"))
	case r.label(&s):
	default:
		s.Text = strings.TrimSpace(r.until(";"))
		r.take(min(1, len(r.text)-r.at))
		if s.Text == "" {
			return s, false
		}
		if c == '.' {
			s.Kind = Declaration
			s.Opcode, s.Args = cutSpace(s.Text)
		} else {
			s.instruction()
		}
	}
	s.End = r.at
	return s, true
}

// label reads "name:".
func (r *reader) label(s *Stmt) bool {
	end := r.at
	for end < len(r.text) && isWord(r.text[end]) {
		end++
	}
	if end == r.at || end >= len(r.text) || r.text[end] != ':' || strings.HasPrefix(r.text[end:], "::") {
		return false
	}
	s.Kind, s.Opcode = Label, r.text[r.at:end]
	s.Text = s.Opcode
	r.at = end + 1
	return true
}

// instruction takes the text of an instruction apart: a guard, an opcode and operands.
func (s *Stmt) instruction() {
	rest := s.Text
	if rest[0] == '@' {
		s.Guard, rest = cutSpace(strings.TrimSpace(rest[1:]))
		s.Guard, s.Not = strings.CutPrefix(s.Guard, "!")
	}
	s.Opcode, s.Args = cutSpace(rest)
}

func cutSpace(s string) (head, tail string) {
	i := strings.IndexAny(s, " \t\n\r")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// isWord reports whether names have a character.
func isWord(c byte) bool {
	return c == '_' || c == '%' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' ||
		c >= 'A' && c <= 'Z'
}
