package pyrun

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Python's re by way of Go's regexp, which takes time linear in its text. What that cannot do (look around, back
// references) is refused.

func reModule() map[string]Value {
	vars := map[string]Value{"I": MakeInt(2), "IGNORECASE": MakeInt(2), "M": MakeInt(8), "MULTILINE": MakeInt(8), "S": MakeInt(16), "DOTALL": MakeInt(16),
		"X": MakeInt(64), "VERBOSE": MakeInt(64), "A": MakeInt(256), "ASCII": MakeInt(256), "U": MakeInt(32), "Pattern": &typing{name: "Pattern"}, "Match": &typing{name: "Match"},
		"error": reError}
	viaPattern := func(name, params string) *Builtin {
		n := len(strings.Fields(params))
		return native(name, "pattern "+params+" flags=", func(in *Interp, a []Value) (Value, error) {
			p, err := compileRe(in, a[0], a[n+1])
			if err != nil {
				return nil, err
			}
			return reMethods[name](in, p, a[1:n+1])
		})
	}
	return named(vars,
		native("compile", "pattern flags=", func(in *Interp, a []Value) (Value, error) { return compileRe(in, a[0], a[1]) }),
		viaPattern("match", "string"), viaPattern("fullmatch", "string"), viaPattern("search", "string"), viaPattern("findall", "string"),
		viaPattern("finditer", "string"), viaPattern("split", "string maxsplit="), viaPattern("sub", "repl string count="),
		native("escape", "pattern", func(_ *Interp, a []Value) (Value, error) {
			s, err := text(a[0])
			var b strings.Builder
			for _, r := range s {
				if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", r) {
					b.WriteByte('\\')
				}
				b.WriteRune(r)
			}
			return Str(b.String()), err
		}),
		nothing("purge"))
}

var reError = newBuiltinClass("error", ExceptionClass)

// pattern is a compiled regular expression.
type pattern struct {
	re   *regexp.Regexp
	text string
}

func (*pattern) TypeName() string { return "re.Pattern" }
func (p *pattern) Repr() string   { return "re.compile(" + quote(p.text) + ")" }

const maxPattern = 1 << 12

func compileRe(in *Interp, v, flags Value) (*pattern, error) {
	if p, ok := v.(*pattern); ok {
		return p, nil
	}
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	if len(s) > maxPattern {
		return nil, in.alloc(1 << 50)
	}
	if err := in.work(len(s) * 16); err != nil {
		return nil, err
	}
	prefix := ""
	if flags != nil {
		n, err := in.asIndex(flags)
		if err != nil {
			return nil, err
		}
		for bit, c := range map[int64]string{2: "i", 8: "m", 16: "s"} {
			if n&bit != 0 {
				prefix += c
			}
		}
		if n&64 != 0 {
			s = dropVerbose(s)
		}
	}
	goText := goPattern(s)
	if prefix != "" {
		goText = "(?" + prefix + ")" + goText
	}
	re, rerr := regexp.Compile(goText)
	if rerr != nil {
		if strings.Contains(s, "(?=") || strings.Contains(s, "(?!") || strings.Contains(s, "(?<=") || strings.Contains(s, "(?<!") || strings.Contains(s, "(?P=") {
			return nil, unsupported("look-around in a regular expression")
		}
		return nil, Errorf(reError, "%s", strings.TrimPrefix(rerr.Error(), "error parsing regexp: "))
	}
	return &pattern{re, s}, nil
}

// goPattern replaces what Python and Go write differently.
func goPattern(s string) string {
	s = strings.ReplaceAll(s, `\Z`, `\z`)
	if strings.HasSuffix(s, "$") && !strings.HasSuffix(s, `\$`) {
		s = s[:len(s)-1] + `(?:\n?\z)` // Python's $ also matches before a last line feed
	}
	return s
}

// dropVerbose removes white space and comments of a verbose pattern.
func dropVerbose(s string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
			continue
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case !inClass && strings.IndexByte(" \t\n\r\f\v", c) >= 0:
			continue
		case !inClass && c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

var reMethods map[string]func(in *Interp, p *pattern, a []Value) (Value, error)

func init() {
	reMethods = map[string]func(in *Interp, p *pattern, a []Value) (Value, error){
		"search": func(in *Interp, p *pattern, a []Value) (Value, error) { return p.find(in, a[0], 0) },
		"match":  func(in *Interp, p *pattern, a []Value) (Value, error) { return p.find(in, a[0], 1) },
		"fullmatch": func(in *Interp, p *pattern, a []Value) (Value, error) {
			whole, err := regexp.Compile(`\A(?:` + p.re.String() + `)\z`)
			if err != nil {
				return nil, Errorf(reError, "%v", err)
			}
			return (&pattern{whole, p.text}).find(in, a[0], 1)
		},
		"findall": reFindAll, "finditer": reFindIter, "split": reSplit, "sub": reSub,
	}
}

func (p *pattern) Attr(_ *Interp, name string) (Value, bool, error) {
	if name == "pattern" {
		return Str(p.text), true, nil
	}
	f, ok := reMethods[name]
	if !ok {
		return nil, false, nil
	}
	params := map[string]string{"split": "string maxsplit=", "sub": "repl string count="}[name]
	if params == "" {
		params = "string"
	}
	return native(name, params, func(in *Interp, a []Value) (Value, error) { return f(in, p, a) }), true, nil
}

func (p *pattern) subject(in *Interp, v Value) (string, error) {
	s, err := text(v)
	if err != nil {
		return "", err
	}
	return s, in.work(len(s) * 2)
}

// find is the first match; anchored means that it has to begin at the start.
func (p *pattern) find(in *Interp, v Value, anchored int) (Value, error) {
	s, err := p.subject(in, v)
	if err != nil {
		return nil, err
	}
	re := p.re
	if anchored == 1 {
		if re, err = regexp.Compile(`\A(?:` + p.re.String() + `)`); err != nil {
			return nil, Errorf(reError, "%v", err)
		}
	}
	m := re.FindStringSubmatchIndex(s)
	if m == nil {
		return None, nil
	}
	return &match{p, s, m}, nil
}

// all are the matches, bounded by the length of the text.
func (p *pattern) all(in *Interp, v Value) (string, [][]int, error) {
	s, err := p.subject(in, v)
	if err != nil {
		return "", nil, err
	}
	ms := p.re.FindAllStringSubmatchIndex(s, -1)
	return s, ms, in.alloc(len(ms) * 4 * valueSize)
}

func reFindAll(in *Interp, p *pattern, a []Value) (Value, error) {
	s, ms, err := p.all(in, a[0])
	out := &List{}
	for _, idx := range ms {
		m := &match{p, s, idx}
		switch n := p.re.NumSubexp(); n {
		case 0:
			out.Items = append(out.Items, Str(s[idx[0]:idx[1]]))
		case 1:
			out.Items = append(out.Items, orEmpty(m.group(1)))
		default:
			t := NewTuple()
			for i := 1; i <= n; i++ {
				t.Items = append(t.Items, orEmpty(m.group(i)))
			}
			out.Items = append(out.Items, t)
		}
	}
	return out, err
}

func orEmpty(v Value) Value {
	if v == None {
		return Str("")
	}
	return v
}

func reFindIter(in *Interp, p *pattern, a []Value) (Value, error) {
	s, ms, err := p.all(in, a[0])
	var out []Value
	for _, idx := range ms {
		out = append(out, &match{p, s, idx})
	}
	return newSliceIter("callable_iterator", out), err
}

func reSplit(in *Interp, p *pattern, a []Value) (Value, error) {
	s, ms, err := p.all(in, a[0])
	if err != nil {
		return nil, err
	}
	limit, err := maxSplit(in, a[1])
	if err != nil {
		return nil, err
	}
	out, at := &List{}, 0
	for i, idx := range ms {
		if limit > 0 && i >= limit {
			break
		}
		out.Items = append(out.Items, Str(s[at:idx[0]]))
		m := &match{p, s, idx}
		for g := 1; g <= p.re.NumSubexp(); g++ {
			out.Items = append(out.Items, m.group(g))
		}
		at = idx[1]
	}
	out.Items = append(out.Items, Str(s[at:]))
	return out, nil
}

func reSub(in *Interp, p *pattern, a []Value) (Value, error) {
	s, ms, err := p.all(in, a[1])
	if err != nil {
		return nil, err
	}
	limit, err := maxSplit(in, a[2])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	at := 0
	for i, idx := range ms {
		if limit > 0 && i >= limit {
			break
		}
		b.WriteString(s[at:idx[0]])
		r, err := replacement(in, a[0], &match{p, s, idx})
		if err != nil {
			return nil, err
		}
		if err := in.alloc(len(r)); err != nil {
			return nil, err
		}
		b.WriteString(r)
		at = idx[1]
	}
	b.WriteString(s[at:])
	return Str(b.String()), in.alloc(len(s))
}

// replacement is what a match is replaced by: the result of a function, or a text with \1 and \g<name> filled in.
func replacement(in *Interp, repl Value, m *match) (string, error) {
	t, ok := payload(repl).(Str)
	if !ok {
		v, err := Call(in, repl, []Value{m}, nil)
		if err != nil {
			return "", err
		}
		return text(v)
	}
	var b strings.Builder
	s := string(t)
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			b.WriteString(plainStr(orEmpty(m.group(int(c - '0')))))
		case c == 'g' && strings.HasPrefix(s[i:], "g<") && strings.Contains(s[i:], ">"):
			end := i + strings.IndexByte(s[i:], '>')
			v, err := m.named(in, Str(s[i+2:end]))
			if err != nil {
				return "", err
			}
			b.WriteString(plainStr(orEmpty(v)))
			i = end
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// match is a match object.
type match struct {
	p     *pattern
	s     string
	index []int
}

func (*match) TypeName() string { return "re.Match" }

func (m *match) Repr() string {
	span := plainRepr(m.span(0))
	return "<re.Match object; span=" + span + ", match=" + quote(m.s[m.index[0]:m.index[1]]) + ">"
}

func (m *match) group(i int) Value {
	if i < 0 || 2*i >= len(m.index) || m.index[2*i] < 0 {
		return None
	}
	return Str(m.s[m.index[2*i]:m.index[2*i+1]])
}

func (m *match) span(i int) *Tuple {
	if m.index[2*i] < 0 {
		return NewTuple(MakeInt(-1), MakeInt(-1))
	}
	at := func(k int) Value { return MakeInt(int64(utf8.RuneCountInString(m.s[:k]))) }
	return NewTuple(at(m.index[2*i]), at(m.index[2*i+1]))
}

// number is the group that an int or a name stands for.
func (m *match) number(in *Interp, v Value) (int, error) {
	if s, ok := v.(Str); ok {
		if i := m.p.re.SubexpIndex(string(s)); i >= 0 {
			return i, nil
		}
		if n, err := parseInt(string(s), 10, s); err == nil {
			v = n
		} else {
			return 0, Errorf(IndexError, "no such group")
		}
	}
	n, err := in.asIndex(v)
	if err != nil {
		return 0, err
	}
	if n < 0 || 2*n >= int64(len(m.index)) {
		return 0, Errorf(IndexError, "no such group")
	}
	return int(n), nil
}

func (m *match) named(in *Interp, v Value) (Value, error) {
	i, err := m.number(in, v)
	if err != nil {
		return nil, err
	}
	return m.group(i), nil
}

// Item is m[1].
func (m *match) Item(in *Interp, i Value) (Value, error) { return m.named(in, i) }

func (m *match) Attr(_ *Interp, name string) (Value, bool, error) {
	method := func(params string, fn func(in *Interp, a []Value) (Value, error)) (Value, bool, error) {
		return native(name, params, fn), true, nil
	}
	switch name {
	case "group":
		return method("*groups", func(in *Interp, a []Value) (Value, error) {
			out := NewTuple()
			for _, g := range a[0].(*Tuple).Items {
				v, err := m.named(in, g)
				if err != nil {
					return nil, err
				}
				out.Items = append(out.Items, v)
			}
			switch len(out.Items) {
			case 0:
				return m.group(0), nil
			case 1:
				return out.Items[0], nil
			}
			return out, nil
		})
	case "groups":
		return method("default=", func(_ *Interp, a []Value) (Value, error) {
			out := NewTuple()
			for i := 1; 2*i < len(m.index); i++ {
				v := m.group(i)
				if v == None && a[0] != nil {
					v = a[0]
				}
				out.Items = append(out.Items, v)
			}
			return out, nil
		})
	case "groupdict":
		return method("default=", func(_ *Interp, a []Value) (Value, error) {
			d := NewDict()
			for i, n := range m.p.re.SubexpNames() {
				if n != "" {
					d.SetStr(n, m.group(i))
				}
			}
			return d, nil
		})
	case "start", "end", "span":
		return method("group=", func(in *Interp, a []Value) (Value, error) {
			i, err := m.number(in, orValue(a[0], MakeInt(0)))
			if err != nil {
				return nil, err
			}
			s := m.span(i)
			switch name {
			case "start":
				return s.Items[0], nil
			case "end":
				return s.Items[1], nil
			}
			return s, nil
		})
	case "string":
		return Str(m.s), true, nil
	case "re":
		return m.p, true, nil
	}
	return nil, false, nil
}
