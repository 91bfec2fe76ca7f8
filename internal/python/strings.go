package python

import (
	"strings"
	"unicode/utf8"
)

// stringPart is a piece of a literal: text, or a replacement field.
type stringPart struct {
	Range
	text  string
	kind  string          // of a text, as in Constant
	field *FormattedValue // nil for text
}

// strings reads one or more string literals side by side.
func (p *parser) strings() Expr {
	start := p.tok.start
	if p.tok.kind == kString {
		if k := p.peek(1); k != kString && k != kFStart { // by far the most frequent case
			t := p.tok
			p.advance()
			return p.plainString(t)
		}
	}
	mark := len(p.parts)
	var str, bytes, formatted bool
	for p.tok.kind == kString || p.tok.kind == kFStart {
		t := p.tok
		isBytes := false
		if t.kind == kFStart {
			formatted = true
			p.fstring()
		} else {
			p.advance()
			var text string
			text, isBytes = p.stringValue(t)
			p.parts = append(p.parts,
				stringPart{Range: p.from(t.start), text: text, kind: stringKind(p.src[t.start])})
		}
		bytes = bytes || isBytes
		str = str || !isBytes
		if str && bytes {
			p.errorf(t, codeLiteral, "", "cannot mix bytes and str in one literal")
			str, bytes = true, false
		}
	}
	parts := p.parts[mark:]
	p.parts = p.parts[:mark]
	r := p.from(start)
	if formatted {
		return &JoinedStr{r, p.joined(parts)}
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.text)
	}
	if bytes {
		return p.constant(r, Bytes(b.String()))
	}
	c := p.constant(r, b.String())
	c.Kind = stringKind(p.src[start])
	return c
}

// stringKind returns the kind of a constant whose literal begins with c.
func stringKind(c byte) string {
	if c == 'u' { // CPython looks at the small letter only
		return "u"
	}
	return ""
}

func (p *parser) plainString(t token) Expr {
	text, isBytes := p.stringValue(t)
	if isBytes {
		return p.constant(p.from(t.start), Bytes(text))
	}
	c := p.constant(p.from(t.start), text)
	c.Kind = stringKind(p.src[t.start])
	return c
}

// stringValue returns the value of one plain literal.
func (p *parser) stringValue(t token) (text string, isBytes bool) {
	text = p.text(t)
	at, raw := int(t.start), false
	for !isQuote(text[0]) {
		raw = raw || text[0]|0x20 == 'r'
		isBytes = isBytes || text[0]|0x20 == 'b'
		text, at = text[1:], at+1
	}
	n := 1
	if len(text) >= 6 && text[1] == text[0] && text[2] == text[0] {
		n = 3
	}
	text, at = text[n:len(text)-n], at+n
	if isBytes {
		p.checkBytes(at, text)
	}
	if t.odd {
		text = p.decode(at, text, raw, isBytes)
	}
	return text, isBytes
}

func (p *parser) checkBytes(at int, text string) {
	for i, r := range text {
		if r >= utf8.RuneSelf {
			p.errorf(token{start: int32(at + i), end: int32(at + i + utf8.RuneLen(r))}, codeLiteral,
				"write its bytes as \\x escapes", "a bytes literal holds ASCII characters only")
			return
		}
	}
}

// joined returns the values of a JoinedStr: neighbouring texts become one, empty ones are dropped.
func (p *parser) joined(parts []stringPart) []Expr {
	var values []Expr
	for i := 0; i < len(parts); {
		if f := parts[i].field; f != nil {
			values = append(values, f)
			i++
			continue
		}
		j := i + 1
		for j < len(parts) && parts[j].field == nil {
			j++
		}
		var text string
		if j == i+1 {
			text = parts[i].text
		} else {
			var b strings.Builder
			for _, part := range parts[i:j] {
				b.WriteString(part.text)
			}
			text = b.String()
		}
		if text != "" {
			c := p.constant(Range{parts[i].Start, parts[j-1].End}, text)
			c.Kind = parts[i].kind
			values = append(values, c)
		}
		i = j
	}
	return values
}

// fstring reads an f-string and appends its parts to p.parts.
func (p *parser) fstring() {
	open, mark := p.tok, len(p.parts)
	raw := strings.ContainsAny(p.text(open), "rR")
	p.advance()
	p.fstringParts(raw, false)
	p.expect(kFEnd)
	for _, part := range p.parts[mark:] {
		if part.field != nil {
			part.field.literal = p.from(open.start)
		}
	}
}

// fstringParts reads text and fields up to the end of the f-string, or of the format spec.
func (p *parser) fstringParts(raw, spec bool) {
	for {
		switch p.tok.kind {
		case kFMiddle:
			t := p.tok
			p.advance()
			p.parts = append(p.parts, stringPart{Range: p.from(t.start), text: p.fstringText(t, raw, spec)})
		case kLBrace:
			p.field(raw)
		default:
			return
		}
	}
}

// fstringText returns the value of the text in an f-string. In a format spec a brace is never doubled.
func (p *parser) fstringText(t token, raw, spec bool) string {
	text := p.text(t)
	if !t.odd {
		return text
	}
	if spec || !strings.Contains(text, "{{") && !strings.Contains(text, "}}") {
		return p.decode(int(t.start), text, raw, false)
	}
	var b strings.Builder
	at := int(t.start)
	for text != "" { // piece by piece, so that errors in escapes have their place
		n := textUpToBrace(text, raw)
		b.WriteString(p.decode(at, text[:n], raw, false))
		if n < len(text) {
			b.WriteByte(text[n])
			n += 2
		}
		text, at = text[n:], at+n
	}
	return b.String()
}

// textUpToBrace returns the length of the text before the first doubled brace. The braces of \N{name} are not
// doubled ones.
func textUpToBrace(text string, raw bool) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '{' || text[i] == '}':
			return i
		case text[i] == '\\' && !raw && strings.HasPrefix(text[i:], `\N{`):
			i += max(strings.IndexByte(text[i:], '}'), 2)
		case text[i] == '\\' && i+1 < len(text) && text[i+1] != '{' && text[i+1] != '}':
			i++
		}
	}
	return len(text)
}

// field reads {value=!conversion:spec}.
func (p *parser) field(raw bool) {
	start, index := p.tok.start, p.i
	p.advance()
	f := &FormattedValue{Conversion: -1}
	if k := p.tok.kind; k == kRBrace || k == kColon || k == kExclam || k == kAssign {
		p.fail(p.tok, "", "expected an expression in the field of an f-string")
		return
	}
	f.Value = p.fieldValue()
	debug, text := int32(-1), ""
	if p.tok.kind == kAssign {
		p.advance()
		debug, text = p.tok.start, p.debugText(index)
	}
	if p.tok.kind == kExclam {
		f.Conversion = p.conversion()
	} else if debug >= 0 && p.tok.kind == kRBrace {
		f.Conversion = 'r'
	}
	if p.tok.kind == kColon {
		f.FormatSpec = p.formatSpec(raw)
	}
	if p.tok.kind != kRBrace {
		p.fail(p.tok, "", "expected '}' after the field of an f-string, found %s", p.describe())
		return
	}
	p.advance()
	if debug >= 0 { // {x = } is the text "x = " and the field
		r := Range{p.pos(start + 1), p.pos(debug)}
		p.parts = append(p.parts, stringPart{Range: r, text: text})
	}
	f.Range = p.from(start)
	p.parts = append(p.parts, stringPart{Range: f.Range, field: f})
}

// debugText returns the text of an expression as {x=} shows it, from after the brace, which is the token of
// index i, to the present token. Comments are left out.
func (p *parser) debugText(i int) string {
	text := p.src[p.toks[i].end:p.tok.start]
	if strings.IndexByte(text, '#') < 0 {
		return newlines(text)
	}
	var b strings.Builder
	for ; i < p.i; i++ {
		gap := p.src[p.toks[i].end:p.toks[i+1].start]
		for {
			before, comment, found := strings.Cut(gap, "#")
			b.WriteString(before)
			if !found {
				break
			}
			gap = comment[min(strings.IndexAny(comment+"\n", "\r\n"), len(comment)):]
		}
		if i+1 < p.i {
			b.WriteString(p.text(p.toks[i+1]))
		}
	}
	return newlines(b.String())
}

func (p *parser) fieldValue() Expr {
	if p.tok.kind == kYield {
		return p.yieldExpr()
	}
	if p.tok.kind == kLambda {
		p.fail(p.tok, "put it in parentheses", "a lambda in the field of an f-string")
		return &BadExpr{}
	}
	return p.starExpressions()
}

// conversion reads !r.
func (p *parser) conversion() rune {
	bang := p.tok
	p.advance()
	t := p.tok
	if t.kind != kName || t.start != bang.end {
		p.fail(t, "it is one of !s, !r, !a", "expected a conversion after '!'")
		return -1
	}
	text := p.text(t)
	if text != "s" && text != "r" && text != "a" {
		p.fail(t, "it is one of !s, !r, !a", "unknown conversion %q", text)
		return -1
	}
	p.advance()
	return rune(text[0])
}

// formatSpec reads the format spec after the colon of a field.
func (p *parser) formatSpec(raw bool) *JoinedStr {
	start := p.tok.start
	p.advance()
	mark := len(p.parts)
	height := p.enter()
	p.fstringParts(raw, true)
	p.leave(height)
	parts := p.parts[mark:]
	p.parts = p.parts[:mark]
	return &JoinedStr{p.from(start), p.joined(parts)}
}
