package python

import (
	"strings"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Limits that CPython has too; they bound the depth of a tree.
const (
	maxBrackets = 200
	maxIndents  = 100
)

// lexer cuts the text into tokens, one logical line at a time: the parser reads (and rereads) the tokens of a
// line from toks and asks for the next line when it is through. That keeps the tokens few and makes going on
// after an error a matter of asking for the next line.
type lexer struct {
	file *diag.File
	list *diag.List
	src  string // the text and a NUL, so that looking at one more byte is always allowed
	end  int    // the offset of that NUL
	off  int

	toks    []token
	lineAt  int32 // offset of the logical line's first token
	damaged bool  // an error of this logical line has been reported; the parser adds none
	fresh   bool  // the next token is the first of a physical line
	cuts    int   // how often a logical line had to be cut short

	indents []indent
	open    []bracket
}

// indent is the depth of a block: col with tabs to multiples of eight, alt with tabs as one column. Lines
// whose order depends on the width of a tab are an error, as in CPython.
type indent struct{ col, alt int }

// bracket is one that is open: of an expression, of an f-string (kFStart) or of one {field} in it (kFMiddle).
type bracket struct {
	kind        kind
	quote       byte
	triple, raw bool // of an f-string and its fields
	spec        bool // a field whose colon has been seen: what follows is text
	at          int32
}

func (b *bracket) isText() bool { return b.kind == kFStart || b.spec }

// fill reads the next logical line, with the indents or unindents before it. At the end of the text it gives
// the unindents that are left and kEOF, as often as it is asked.
func (l *lexer) fill() {
	l.toks, l.open, l.damaged = l.toks[:0], l.open[:0], false
	if !l.indentation() {
		for ; len(l.indents) > 1; l.indents = l.indents[:len(l.indents)-1] {
			l.emit(kDedent, l.off)
		}
		l.emit(kEOF, l.off)
		return
	}
	l.lineAt = int32(l.off)
	for l.token() {
	}
}

// emit adds the token from start to the present offset.
func (l *lexer) emit(k kind, start int) {
	l.toks = append(l.toks, token{kind: k, start: int32(start), end: int32(l.off)})
}

// top returns the innermost open bracket, or nil.
func (l *lexer) top() *bracket {
	if len(l.open) == 0 {
		return nil
	}
	return &l.open[len(l.open)-1]
}

func (l *lexer) push(b bracket) bool {
	if len(l.open) >= maxBrackets {
		l.errorf(int(b.at), l.off, codeNesting, "", "too many nested brackets (the limit is %d)", maxBrackets)
		l.restOfLine()
		return false
	}
	l.open = append(l.open, b)
	return true
}

// restOfLine gives up on a logical line: the physical line is skipped, and the logical one ends in kBad.
func (l *lexer) restOfLine() {
	for l.off < l.end && !isEOL(l.src[l.off]) {
		l.off++
	}
	l.open = l.open[:0]
	l.emit(kBad, l.off)
}

// bad reports an error and leaves kBad in place of a token.
func (l *lexer) bad(start int, code, hint, format string, args ...any) {
	l.errorf(start, l.off, code, hint, format, args...)
	l.emit(kBad, start)
}

func (l *lexer) errorf(start, end int, code, hint, format string, args ...any) {
	l.damaged = true
	if len(l.list.Diags) >= maxErrors { // a line may hold millions
		return
	}
	l.list.Errorf(diag.Span{Start: l.file.Pos(start), End: l.file.Pos(end)}, code, format, args...)
	l.list.Diags[len(l.list.Diags)-1].Hint = hint
}

func isEOL(c byte) bool { return c == '\n' || c == '\r' }

// newline steps over the end of a line, if there is one.
func (l *lexer) newline() {
	if l.src[l.off] == '\r' {
		l.off++
		if l.src[l.off] == '\n' {
			l.off++
		}
	} else if l.src[l.off] == '\n' {
		l.off++
	}
}

// token reads one token and reports whether the logical line goes on.
func (l *lexer) token() bool {
	if t := l.top(); t != nil && t.isText() {
		l.fstringText()
		return true
	}
	for l.src[l.off] == ' ' || l.src[l.off] == '\t' || l.src[l.off] == '\f' {
		l.off++
	}
	c := l.src[l.off]
	switch {
	case class[c]&cNameStart != 0:
		return l.word(c)
	case class[c]&cDigit != 0 || c == '.' && class[l.src[l.off+1]]&cDigit != 0:
		l.number()
	case c == '"' || c == '\'':
		l.str(l.off)
	case isEOL(c):
		return l.endOfLine()
	case c == '#':
		for l.off < l.end && !isEOL(l.src[l.off]) {
			l.off++
		}
	case c == '\\':
		l.continuation()
	case c == 0 && l.off == l.end:
		return l.endOfText()
	default:
		l.operator(c)
	}
	l.fresh = l.fresh && (isEOL(c) || c == '#')
	return true
}

// endOfLine reads the end of a physical line, and reports whether the logical line goes on: it does where a
// bracket is open.
func (l *lexer) endOfLine() bool {
	if len(l.open) > 0 {
		l.newline()
		l.fresh = true
		return true
	}
	l.emit(kNewline, l.off)
	l.newline()
	return false
}

func (l *lexer) endOfText() bool {
	if len(l.open) > 0 {
		l.unclosed(len(l.toks))
		return false
	}
	l.emit(kNewline, l.off)
	return false
}

// continuation reads a backslash, which must end its line.
func (l *lexer) continuation() {
	start := l.off
	l.off++
	switch {
	case isEOL(l.src[l.off]):
		l.newline()
		if l.off == l.end {
			l.bad(start, codeSyntax, "", "unexpected end of file after a backslash")
		}
	case l.off == l.end:
		l.bad(start, codeSyntax, "", "unexpected end of file after a backslash")
	default:
		l.errorf(start, l.off+1, codeSyntax, "a backslash continues a line only as its last character",
			"unexpected character after a backslash")
		l.restOfLine()
	}
}

// word reads a name, a keyword, or the prefix of a string.
func (l *lexer) word(c byte) bool {
	start := l.off
	if n := l.prefix(c); n > 0 {
		l.off += n
		l.str(start)
		l.fresh = false
		return true
	}
	or := byte(0)
	i := l.off
	for class[l.src[i]]&(cNameStart|cDigit) != 0 {
		or |= l.src[i]
		i++
	}
	l.off = i
	k := kName
	if or < utf8.RuneSelf {
		if n := i - start; class[c]&cKeyword != 0 && n >= 2 && n <= 8 {
			if kw, ok := keywords[l.src[start:i]]; ok {
				k = kw
			}
		}
	} else if !l.checkName(start) {
		return true
	}
	if l.fresh && len(l.open) > 0 && beginsStmt(k) {
		l.off = start
		l.unclosed(len(l.toks))
		return false
	}
	l.fresh = false
	l.emit(k, start)
	l.toks[len(l.toks)-1].odd = or >= utf8.RuneSelf
	return true
}

// checkName looks at a name with letters beyond ASCII.
func (l *lexer) checkName(start int) bool {
	for i, r := range l.src[start:l.off] {
		if i == 0 && isNameStart(r) || i > 0 && isNameContinue(r) {
			continue
		}
		at := start + i
		l.off = at + utf8.RuneLen(r)
		l.bad(at, codeSyntax, charHints[r], "invalid character '%c' (U+%04X)", r, r)
		return false
	}
	return true
}

// charHints says what to write in place of characters that word processors put into programs.
var charHints = map[rune]string{
	'‘': "write a plain '", '’': "write a plain '", '“': "write a plain \"", '”': "write a plain \"",
	'\u00a0': "this is a no-break space; write a plain one",
	'\u200b': "this is a zero-width space; remove it",
	'–':      "write a plain -", '—': "write a plain -", '−': "write a plain -", '×': "write *",
	'÷': "write /",
	'≤': "write <=", '≥': "write >=", '≠': "write !=",
	'，': "write a plain ,", '（': "write a plain (", '）': "write a plain )",
	'：': "write a plain :", '；': "write a plain ;",
	'\ufeff': "a byte order mark may only begin a file",
}

// beginsStmt reports whether a keyword stands only at the beginning of a statement. Inside a bracket, at the
// beginning of a line, it shows that the bracket was never closed.
func beginsStmt(k kind) bool {
	switch k {
	case kAssert, kBreak, kClass, kContinue, kDef, kDel, kGlobal, kImport, kNonlocal, kPass, kRaise,
		kReturn, kTry,
		kWhile, kWith, kExcept, kFinally:
		return true
	}
	return false
}

// unclosed ends a logical line at the token of index n, or before, because a bracket in it has no end. It
// reports the outermost one (of several on a line the innermost); those of later lines will be met again.
func (l *lexer) unclosed(n int) {
	b := l.open[0]
	line, _ := l.file.LineCol(int(b.at))
	for _, inner := range l.open[1:] {
		if i, _ := l.file.LineCol(int(inner.at)); i == line && inner.kind != kFStart {
			b = inner
		}
	}
	what := b.kind.String()
	if b.kind == kFMiddle {
		what = "'{' in an f-string"
	}
	l.errorf(int(b.at), int(b.at)+1, codeSyntax, "", "%s was never closed", what)
	l.open = l.open[:0]
	l.fresh = false
	const maxCuts = 20 // each may read the rest of the text again
	if l.cuts++; l.cuts > maxCuts {
		l.off = l.end
	} else if i := l.cutAt(b.at, n); i < n {
		l.off = int(l.toks[i].start)
		n = i
	}
	for l.off > 0 && l.off < l.end && !isEOL(l.src[l.off-1]) {
		l.off-- // to the beginning of the line, for its indentation
	}
	l.toks = l.toks[:n]
	end := l.toks[n-1].end
	l.toks = append(l.toks, token{kind: kBad, start: end, end: end},
		token{kind: kNewline, start: end, end: end})
}

// cutAt guesses where a logical line with an unclosed bracket was meant to end: before the first line after
// the bracket that is indented no more than the statement is or that follows a colon at the end of a line,
// where the statement has a block.
func (l *lexer) cutAt(opener int32, n int) int {
	col := l.column(l.lineAt)
	block := false
	for i, t := range l.toks[:n] {
		if t.start == l.lineAt {
			block = compound[t.kind] != nil || t.kind == kElif || t.kind == kExcept
		}
		if t.start <= opener || t.kind != kName && !t.kind.isKeyword() && t.kind != kAt {
			continue
		}
		c := l.column(t.start)
		if c >= 0 && (c <= col || block && l.toks[i-1].kind == kColon) {
			return i
		}
	}
	return n
}

// column returns how far a token that is the first of its line stands from the left, and -1 for another
// token.
func (l *lexer) column(at int32) int {
	i := int(at)
	for i > 0 && strings.IndexByte(" \t\f", l.src[i-1]) >= 0 {
		i--
	}
	if i > 0 && !isEOL(l.src[i-1]) {
		return -1
	}
	return int(at) - i
}

// noteAt adds a note to the error reported last.
func (l *lexer) noteAt(at int, msg string) {
	d := &l.list.Diags[len(l.list.Diags)-1]
	d.Notes = append(d.Notes, diag.Note{Span: diag.At(l.file.Pos(at)), Msg: msg})
}
