package python

import "strings"

// prefix returns the length of a string's prefix at the present offset, 0 where no string begins there.
func (l *lexer) prefix(c byte) int {
	c |= 0x20 // lower case
	if c != 'r' && c != 'b' && c != 'f' && c != 'u' {
		return 0
	}
	d := l.src[l.off+1]
	if isQuote(d) {
		return 1
	}
	d |= 0x20
	if (c == 'r' && (d == 'b' || d == 'f') || d == 'r' && (c == 'b' || c == 'f')) && isQuote(l.src[l.off+2]) {
		return 2
	}
	return 0
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// str reads a string whose prefix began at start and whose quotes begin at the present offset. Of an f-string
// it reads the beginning only.
func (l *lexer) str(start int) {
	quote := l.src[l.off]
	triple := l.tripled(quote)
	size := 1
	if triple {
		size = 3
	}
	l.off += size
	prefix := l.src[start : l.off-size]
	if strings.ContainsAny(prefix, "fF") {
		l.emit(kFStart, start)
		raw := strings.ContainsAny(prefix, "rR")
		l.push(bracket{kind: kFStart, quote: quote, triple: triple, raw: raw, at: int32(start)})
		return
	}
	l.body(start, quote, triple)
}

// tripled reports whether the quote at the present offset stands there three times.
func (l *lexer) tripled(quote byte) bool {
	return l.src[l.off] == quote && l.src[l.off+1] == quote && l.src[l.off+2] == quote
}

// body reads a plain string up to its end.
func (l *lexer) body(start int, quote byte, triple bool) {
	odd := false
	for {
		switch c := l.src[l.off]; {
		case c == quote && (!triple || l.tripled(quote)):
			l.off++
			if triple {
				l.off += 2
			}
			l.emit(kString, start)
			l.toks[len(l.toks)-1].odd = odd
			return
		case c == '\\':
			odd = true
			l.escape()
		case isEOL(c):
			if !triple {
				l.unterminated(start, quote)
				return
			}
			odd = odd || c == '\r'
			l.off++
		case l.off == l.end:
			l.unterminated(start, quote)
			return
		default:
			l.off++
		}
	}
}

// escape steps over a backslash and the character after it.
func (l *lexer) escape() {
	l.off++
	if isEOL(l.src[l.off]) {
		l.newline()
	} else if l.off < l.end {
		l.off++
	}
}

func (l *lexer) unterminated(start int, quote byte) {
	at := start
	for !isQuote(l.src[at]) {
		at++
	}
	triple := l.src[at+1] == quote && l.src[at+2] == quote && at+2 < l.off
	for i := len(l.open) - 1; i >= 0; i-- {
		// In a field, a quote like that of the f-string around it most likely ends the f-string.
		if b := l.open[i]; b.kind == kFMiddle && b.quote == quote && b.triple == triple {
			l.errorf(int(b.at), int(b.at)+1, codeSyntax, "", "'{' in an f-string was never closed")
			l.closeFString(i)
			return
		}
	}
	what := "string"
	if triple {
		what = "triple-quoted string"
	}
	l.bad(start, codeLiteral, "", "unterminated %s", what)
	n := &l.list.Diags[len(l.list.Diags)-1].Span
	n.End = n.Start + 1
}

// closeFString gives up on the f-string that the open bracket of index i is part of.
func (l *lexer) closeFString(i int) {
	for i > 0 && l.open[i].kind != kFStart {
		i--
	}
	l.open = l.open[:i]
	l.emit(kBad, l.off)
}

// fstringText reads the text of an f-string, or of a format spec in it, up to and with the token that ends
// it.
func (l *lexer) fstringText() {
	t := l.top()
	start, odd := l.off, false
	flush := func() {
		if l.off > start {
			l.emit(kFMiddle, start)
			l.toks[len(l.toks)-1].odd = odd
		}
	}
	for {
		switch c := l.src[l.off]; {
		case c == '{' && (t.spec || l.src[l.off+1] != '{'):
			flush()
			l.field(t)
			return
		case c == '}' && t.spec:
			flush()
			l.off++
			l.emit(kRBrace, l.off-1)
			l.open = l.open[:len(l.open)-1]
			return
		case (c == '{' || c == '}') && l.src[l.off+1] == c:
			odd = true
			l.off += 2
		case c == '}':
			l.off++
			l.bad(l.off-1, codeSyntax, "write '}}' for a brace in the text", "single '}' in an f-string")
			start, odd = l.off, false
		case c == t.quote && (!t.triple || l.tripled(c)):
			flush()
			l.fstringEnd(t)
			return
		case c == '\\':
			odd = true
			l.fstringEscape(t)
		case isEOL(c) && !t.triple && t.spec:
			flush()
			t.spec = false // what CPython does; only a closing brace can follow
			return
		case isEOL(c) && !t.triple, l.off == l.end:
			l.unterminatedF(t)
			return
		default:
			odd = odd || c == '\r'
			l.off++
		}
	}
}

// maxSpecs is the depth to which CPython lets the format specs of an f-string nest.
const maxSpecs = 2

// field begins a replacement field.
func (l *lexer) field(t *bracket) {
	l.off++
	specs := 0
	for i := len(l.open) - 1; l.open[i].spec; i-- { // at the bottom is the f-string itself
		specs++
	}
	if specs > maxSpecs {
		l.bad(l.off-1, codeNesting, "", "the fields of an f-string are nested too deeply")
	}
	l.emit(kLBrace, l.off-1)
	l.push(bracket{kind: kFMiddle, quote: t.quote, triple: t.triple, raw: t.raw, at: int32(l.off - 1)})
}

// fstringEscape steps over an escape in an f-string. A brace is never escaped; \N{name} has braces of its
// own.
func (l *lexer) fstringEscape(t *bracket) {
	switch next := l.src[l.off+1]; {
	case next == '{' || next == '}':
		l.off++
	case next == 'N' && !t.raw && l.src[l.off+2] == '{':
		l.off += 3
		for l.off < l.end && l.src[l.off] != '}' && l.src[l.off] != t.quote && !isEOL(l.src[l.off]) {
			l.off++
		}
		if l.src[l.off] == '}' {
			l.off++
		}
	default:
		l.escape()
	}
}

func (l *lexer) fstringEnd(t *bracket) {
	start := l.off
	l.off++
	if t.triple {
		l.off += 2
	}
	if t.kind == kFMiddle { // the text was a format spec
		l.errorf(int(t.at), int(t.at)+1, codeSyntax, "", "'{' in an f-string was never closed")
		l.closeFString(len(l.open) - 1)
		return
	}
	l.emit(kFEnd, start)
	l.open = l.open[:len(l.open)-1]
}

func (l *lexer) unterminatedF(t *bracket) {
	if t.kind == kFMiddle {
		l.errorf(int(t.at), int(t.at)+1, codeSyntax, "", "'{' in an f-string was never closed")
	} else {
		l.errorf(int(t.at), int(t.at)+1, codeLiteral, "", "unterminated f-string")
	}
	l.closeFString(len(l.open) - 1)
}
