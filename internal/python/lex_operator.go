package python

// operators1 are the operators of one character; operators2 and operators3 extend them.
var operators1 = [128]kind{
	'(': kLParen, ')': kRParen, '[': kLBrack, ']': kRBrack, '{': kLBrace, '}': kRBrace, ',': kComma,
	':': kColon,
	';': kSemi, '.': kDot, '=': kAssign, '<': kLt, '>': kGt, '~': kTilde, '+': kPlus, '-': kMinus, '*': kStar,
	'@': kAt, '/': kSlash, '%': kPercent, '|': kPipe, '^': kCaret, '&': kAmp,
}

// longer has, for the kind of an operator, the kinds that one more character makes of it.
var longer = func() (t [numKinds][2]struct {
	c byte
	k kind
}) {
	add := func(from kind, c byte, to kind) {
		i := 0
		if t[from][0].c != 0 {
			i = 1
		}
		t[from][i].c, t[from][i].k = c, to
	}
	for k := kPlus; k <= kFloor; k++ {
		add(k, '=', k-kPlus+kPlusAssign)
	}
	add(kAssign, '=', kEq)
	add(kLt, '=', kLtE)
	add(kGt, '=', kGtE)
	add(kColon, '=', kWalrus)
	add(kMinus, '>', kArrow)
	add(kStar, '*', kPower)
	add(kSlash, '/', kFloor)
	add(kLt, '<', kLShift)
	add(kGt, '>', kRShift)
	return t
}()

// operator reads an operator or delimiter.
func (l *lexer) operator(c byte) {
	start := l.off
	l.off++
	if c >= 128 || operators1[c] == kBad {
		l.rareOperator(c, start)
		return
	}
	k := operators1[c]
	field := l.top() // the field of an f-string that this token stands in directly, if any
	if field != nil && field.kind != kFMiddle {
		field = nil
	}
	if field != nil && k == kColon {
		field.spec = true
		l.emit(k, start)
		return
	}
	for step := 0; step < 2; step++ {
		next := l.src[l.off]
		if n := &longer[k][0]; n.c == next && next != 0 {
			k = n.k
		} else if n := &longer[k][1]; n.c == next && next != 0 {
			k = n.k
		} else {
			break
		}
		l.off++
	}
	switch k {
	case kLParen, kLBrack, kLBrace:
		l.emit(k, start)
		l.push(bracket{kind: k, at: int32(start)})
		return
	case kRParen, kRBrack, kRBrace:
		l.closing(k, start)
		return
	case kDot:
		if l.src[l.off] == '.' && l.src[l.off+1] == '.' {
			l.off += 2
			k = kEllipsis
		}
	}
	l.emit(k, start)
}

// rareOperator reads an operator whose first character is no operator by itself.
func (l *lexer) rareOperator(c byte, start int) {
	switch t := l.top(); {
	case c == '!' && l.src[l.off] == '=':
		l.off++
		l.emit(kNotEq, start)
	case c == '!' && t != nil && t.kind == kFMiddle:
		l.emit(kExclam, start)
	case c == '!':
		l.bad(start, codeSyntax, "write 'not' for negation", "unexpected character '!'")
	case c < ' ' || c == 0x7f:
		l.bad(start, codeSyntax, "", "invalid control character U+%04X", c)
	default:
		l.bad(start, codeSyntax, "", "unexpected character '%c'", c)
	}
}

// closing reads the end of a bracket, or of a field in an f-string.
func (l *lexer) closing(k kind, start int) {
	t := l.top()
	if t == nil {
		l.bad(start, codeSyntax, "", "unmatched %v", k)
		return
	}
	want := t.kind + 1
	if t.kind == kFMiddle {
		want = kRBrace
	}
	if k == want {
		l.open = l.open[:len(l.open)-1]
		l.emit(k, start)
		return
	}
	opener := t.at
	l.bad(start, codeSyntax, "", "%v does not match '%c'", k, l.src[opener])
	l.noteAt(int(opener), "opened here")
	for len(l.open) > 0 && l.top().kind != kFMiddle { // take it for the end of whatever it matches
		kind := l.top().kind
		l.open = l.open[:len(l.open)-1]
		if kind+1 == k {
			break
		}
	}
}
