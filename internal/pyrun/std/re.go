package std

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Python's re by way of Go's regexp, which takes time linear in its text. What that cannot do (look around,
// back references) is refused.

func reModule() map[string]object.Value {
	vars := map[string]object.Value{"I": object.MakeInt(2), "IGNORECASE": object.MakeInt(2),
		"M": object.MakeInt(8), "MULTILINE": object.MakeInt(8), "S": object.MakeInt(16),
		"DOTALL": object.MakeInt(16),
		"X":      object.MakeInt(64), "VERBOSE": object.MakeInt(64), "A": object.MakeInt(256),
		"ASCII": object.MakeInt(256), "U": object.MakeInt(32), "Pattern": &object.Typing{Name: "Pattern"},
		"Match": &object.Typing{Name: "Match"},
		"error": reError}
	viaPattern := func(name, params string) *object.Builtin {
		n := len(strings.Fields(params))
		return object.Native(name, "pattern "+params+" flags=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				p, err := compileRe(in, a[0], a[n+1])
				if err != nil {
					return nil, err
				}
				return reMethods[name](in, p, a[1:n+1])
			})
	}
	return named(vars,
		object.Native("compile", "pattern flags=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				return compileRe(in, a[0], a[1])
			}),
		viaPattern("match", "string"), viaPattern("fullmatch", "string"), viaPattern("search", "string"),
		viaPattern("findall", "string"),
		viaPattern("finditer", "string"), viaPattern("split", "string maxsplit="),
		viaPattern("sub", "repl string count="),
		object.Native("escape", "pattern", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			s, err := object.Text(a[0])
			var b strings.Builder
			for _, r := range s {
				if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", r) {
					b.WriteByte('\\')
				}
				b.WriteRune(r)
			}
			return object.Str(b.String()), err
		}),
		nothing("purge"))
}

var reError = object.NewBuiltinClass("error", object.ExceptionClass)

// pattern is a compiled regular expression.
type pattern struct {
	re   *regexp.Regexp
	text string
	ends bool // the last group of re is what follows the match: the line feed that a last $ looks at
}

func (*pattern) TypeName() string { return "re.Pattern" }
func (p *pattern) Repr() string   { return "re.compile(" + object.Quote(p.text) + ")" }

const maxPattern = 1 << 12

func compileRe(in *object.Interp, v, flags object.Value) (*pattern, error) {
	if p, ok := v.(*pattern); ok {
		return p, nil
	}
	s, err := object.Text(v)
	if err != nil {
		return nil, err
	}
	if len(s) > maxPattern {
		return nil, in.Alloc(1 << 50)
	}
	if err := in.Work(len(s) * 16); err != nil {
		return nil, err
	}
	prefix, text := "", s
	if flags != nil {
		n, err := in.AsIndex(flags)
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
	goText, ends := goPattern(s, strings.Contains(prefix, "m"))
	if prefix != "" {
		goText = "(?" + prefix + ")" + goText
	}
	re, rerr := regexp.Compile(goText)
	if rerr != nil {
		if strings.Contains(s, "(?=") || strings.Contains(s, "(?!") || strings.Contains(s, "(?<=") ||
			strings.Contains(s, "(?<!") || strings.Contains(s, "(?P=") {
			return nil, object.Unsupported("look-around in a regular expression")
		}
		return nil, object.Errorf(reError, "%s", strings.TrimPrefix(rerr.Error(), "error parsing regexp: "))
	}
	return &pattern{re, text, ends}, nil
}

// groups returns the number of the pattern's own groups.
func (p *pattern) groups() int {
	if p.ends {
		return p.re.NumSubexp() - 1
	}
	return p.re.NumSubexp()
}

// own returns a match of Go's as Python sees it.
func (p *pattern) own(idx []int) []int {
	if !p.ends || idx == nil {
		return idx
	}
	n := len(idx) - 2
	if idx[n] >= 0 {
		idx[1] = idx[n]
	}
	return idx[:n]
}

// goPattern returns a pattern with what Python and Go write differently replaced, and whether it got a group
// at its end. Python's $ also matches before a last line feed.
func goPattern(s string, lines bool) (text string, ends bool) {
	s = strings.ReplaceAll(s, `\Z`, `\z`)
	if lines || !strings.HasSuffix(s, "$") || strings.HasSuffix(s, `\$`) {
		return s, false
	}
	return s[:len(s)-1] + `(\n?)\z`, true
}

// dropVerbose removes white space and comments from a verbose pattern.
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

var reMethods map[string]func(in *object.Interp, p *pattern, a []object.Value) (object.Value, error)

func init() {
	reMethods = map[string]func(in *object.Interp, p *pattern, a []object.Value) (object.Value, error){
		"search": func(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
			return p.find(in, a[0], 0)
		},
		"match": func(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
			return p.find(in, a[0], 1)
		},
		"fullmatch": func(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
			whole, err := regexp.Compile(`\A(?:` + p.re.String() + `)\z`)
			if err != nil {
				return nil, object.Errorf(reError, "%v", err)
			}
			m, err := (&pattern{whole, p.text, p.ends}).find(in, a[0], 1)
			if m, ok := m.(*match); ok && m.index[1] < len(m.s) {
				return object.None, err
			}
			return m, err
		},
		"findall": reFindAll, "finditer": reFindIter, "split": reSplit, "sub": reSub,
	}
}

func (p *pattern) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	if name == "pattern" {
		return object.Str(p.text), true, nil
	}
	f, ok := reMethods[name]
	if !ok {
		return nil, false, nil
	}
	params := map[string]string{"split": "string maxsplit=", "sub": "repl string count="}[name]
	if params == "" {
		params = "string"
	}
	return object.Native(name, params, func(in *object.Interp, a []object.Value) (object.Value, error) {
		return f(in, p, a)
	}), true, nil
}

func (p *pattern) subject(in *object.Interp, v object.Value) (string, error) {
	s, err := object.Text(v)
	if err != nil {
		return "", err
	}
	return s, in.Work(len(s) * 2)
}

// find returns the first match; anchored means that it has to begin at the start.
func (p *pattern) find(in *object.Interp, v object.Value, anchored int) (object.Value, error) {
	s, err := p.subject(in, v)
	if err != nil {
		return nil, err
	}
	re := p.re
	if anchored == 1 {
		if re, err = regexp.Compile(`\A(?:` + p.re.String() + `)`); err != nil {
			return nil, object.Errorf(reError, "%v", err)
		}
	}
	m := p.own(re.FindStringSubmatchIndex(s))
	if m == nil {
		return object.None, nil
	}
	return &match{p, s, m}, nil
}

// all returns the matches; the length of the text bounds them.
func (p *pattern) all(in *object.Interp, v object.Value) (string, [][]int, error) {
	s, err := p.subject(in, v)
	if err != nil {
		return "", nil, err
	}
	ms := p.re.FindAllStringSubmatchIndex(s, -1)
	for i := range ms {
		ms[i] = p.own(ms[i])
	}
	return s, ms, in.Alloc(len(ms) * 4 * object.ValueSize)
}

func reFindAll(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
	s, ms, err := p.all(in, a[0])
	out := &object.List{}
	for _, idx := range ms {
		m := &match{p, s, idx}
		switch n := p.groups(); n {
		case 0:
			out.Items = append(out.Items, object.Str(s[idx[0]:idx[1]]))
		case 1:
			out.Items = append(out.Items, orEmpty(m.group(1)))
		default:
			t := object.NewTuple()
			for i := 1; i <= n; i++ {
				t.Items = append(t.Items, orEmpty(m.group(i)))
			}
			out.Items = append(out.Items, t)
		}
	}
	return out, err
}

func orEmpty(v object.Value) object.Value {
	if v == object.None {
		return object.Str("")
	}
	return v
}

func reFindIter(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
	s, ms, err := p.all(in, a[0])
	var out []object.Value
	for _, idx := range ms {
		out = append(out, &match{p, s, idx})
	}
	return object.NewSliceIter("callable_iterator", out), err
}

func reSplit(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
	s, ms, err := p.all(in, a[0])
	if err != nil {
		return nil, err
	}
	limit, err := object.MaxSplit(in, a[1])
	if err != nil {
		return nil, err
	}
	out, at := &object.List{}, 0
	for i, idx := range ms {
		if limit > 0 && i >= limit {
			break
		}
		out.Items = append(out.Items, object.Str(s[at:idx[0]]))
		m := &match{p, s, idx}
		for g := 1; g <= p.groups(); g++ {
			out.Items = append(out.Items, m.group(g))
		}
		at = idx[1]
	}
	out.Items = append(out.Items, object.Str(s[at:]))
	return out, nil
}

func reSub(in *object.Interp, p *pattern, a []object.Value) (object.Value, error) {
	s, ms, err := p.all(in, a[1])
	if err != nil {
		return nil, err
	}
	limit, err := object.MaxSplit(in, a[2])
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
		if err := in.Alloc(len(r)); err != nil {
			return nil, err
		}
		b.WriteString(r)
		at = idx[1]
	}
	b.WriteString(s[at:])
	return object.Str(b.String()), in.Alloc(len(s))
}

// replacement returns the text that replaces a match: the result of a function, or a text with \1 and
// \g<name> filled in.
func replacement(in *object.Interp, repl object.Value, m *match) (string, error) {
	t, ok := object.Payload(repl).(object.Str)
	if !ok {
		v, err := object.Call(in, repl, []object.Value{m}, nil)
		if err != nil {
			return "", err
		}
		return object.Text(v)
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
			b.WriteString(object.PlainStr(orEmpty(m.group(int(c - '0')))))
		case c == 'g' && strings.HasPrefix(s[i:], "g<") && strings.Contains(s[i:], ">"):
			end := i + strings.IndexByte(s[i:], '>')
			v, err := m.named(in, object.Str(s[i+2:end]))
			if err != nil {
				return "", err
			}
			b.WriteString(object.PlainStr(orEmpty(v)))
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
	span := object.PlainRepr(m.span(0))
	return "<re.Match object; span=" + span + ", match=" + object.Quote(m.s[m.index[0]:m.index[1]]) + ">"
}

func (m *match) group(i int) object.Value {
	if i < 0 || 2*i >= len(m.index) || m.index[2*i] < 0 {
		return object.None
	}
	return object.Str(m.s[m.index[2*i]:m.index[2*i+1]])
}

func (m *match) span(i int) *object.Tuple {
	if m.index[2*i] < 0 {
		return object.NewTuple(object.MakeInt(-1), object.MakeInt(-1))
	}
	at := func(k int) object.Value { return object.MakeInt(int64(utf8.RuneCountInString(m.s[:k]))) }
	return object.NewTuple(at(m.index[2*i]), at(m.index[2*i+1]))
}

// number returns the group that an int or a name stands for.
func (m *match) number(in *object.Interp, v object.Value) (int, error) {
	if s, ok := v.(object.Str); ok {
		if i := m.p.re.SubexpIndex(string(s)); i >= 0 {
			return i, nil
		}
		if n, err := object.ParseInt(string(s), 10, s); err == nil {
			v = n
		} else {
			return 0, object.Errorf(object.IndexError, "no such group")
		}
	}
	n, err := in.AsIndex(v)
	if err != nil {
		return 0, err
	}
	if n < 0 || 2*n >= int64(len(m.index)) {
		return 0, object.Errorf(object.IndexError, "no such group")
	}
	return int(n), nil
}

func (m *match) named(in *object.Interp, v object.Value) (object.Value, error) {
	i, err := m.number(in, v)
	if err != nil {
		return nil, err
	}
	return m.group(i), nil
}

// Item returns m[i].
func (m *match) Item(in *object.Interp, i object.Value) (object.Value, error) { return m.named(in, i) }

func (m *match) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	method := func(params string,
		fn func(in *object.Interp, a []object.Value) (object.Value, error)) (object.Value, bool, error) {
		return object.Native(name, params, fn), true, nil
	}
	switch name {
	case "group":
		return method("*groups", func(in *object.Interp, a []object.Value) (object.Value, error) {
			out := object.NewTuple()
			for _, g := range a[0].(*object.Tuple).Items {
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
		return method("default=", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			out := object.NewTuple()
			for i := 1; 2*i < len(m.index); i++ {
				v := m.group(i)
				if v == object.None && a[0] != nil {
					v = a[0]
				}
				out.Items = append(out.Items, v)
			}
			return out, nil
		})
	case "groupdict":
		return method("default=", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			d := object.NewDict()
			for i, n := range m.p.re.SubexpNames() {
				if n == "" {
					continue
				}
				v := m.group(i)
				if v == object.None && a[0] != nil {
					v = a[0]
				}
				d.SetStr(n, v)
			}
			return d, nil
		})
	case "start", "end", "span":
		return method("group=", func(in *object.Interp, a []object.Value) (object.Value, error) {
			i, err := m.number(in, object.OrElse(a[0], object.MakeInt(0)))
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
		return object.Str(m.s), true, nil
	case "re":
		return m.p, true, nil
	}
	return nil, false, nil
}
