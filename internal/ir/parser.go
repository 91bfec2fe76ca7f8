package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Parser is what an op's ParseFn, and a dialect's types and attributes, read from. A method that fails
// records an error at the token and returns false (or ok = false); the caller passes that on. Try… methods
// fail without an error.
type Parser struct {
	file  *diag.File
	src   string
	diags *diag.List

	tok    token // the one to be read next
	last   int   // the end of the one before
	braces int   // { and } read so far, the difference

	depth    int
	weight   int // types and attributes read, those inside an alias counted at each use
	aliases  map[string]*alias
	scopes   []*scope
	labels   []*labels
	dialects []string // the one that a name without a dialect belongs to, region by region
	implicit []*Op    // terminators that the text left out, whose location is still to come
	names    map[string]string
	types    map[string]seenType // by their words
	textLocs bool
}

const (
	maxDepth  = 400     // of types in types, attributes in attributes, regions in regions
	maxErrors = 20      // then the reader stops
	maxWeight = 1 << 16 // of one alias
)

// Operand is a use that has been read but not resolved: its type may come later in the text.
type Operand struct {
	Name   string
	Number int // the 1 of %3#1
	Pos    diag.Pos
}

// Arg is a block argument being defined: %x : type {attrs} loc(...).
type Arg struct {
	Operand
	Type  Type
	Attrs *DictAttr
	Loc   Loc
}

func newParser(files *diag.FileSet, name string, src []byte) *Parser {
	p := &Parser{file: files.AddFile(name, src), src: string(src), diags: &diag.List{Files: files},
		names: map[string]string{}, types: map[string]seenType{}}
	p.dialects = []string{Builtin.Name}
	p.scopes = []*scope{newScope()}
	p.findAliases()
	p.tok = lex(p.src, 0)
	return p
}

// finish returns all reported errors as one, or nil.
func (p *Parser) finish() error {
	p.diags.Sort()
	return p.diags.Err()
}

// Pos returns the position of the next token.
func (p *Parser) Pos() diag.Pos { return p.file.Pos(p.tok.start) }

// Errorf records an error and returns false.
func (p *Parser) Errorf(pos diag.Pos, f string, args ...any) bool {
	p.report(pos, fmt.Sprintf(f, args...))
	return false
}

func (p *Parser) report(pos diag.Pos, msg string, notes ...diag.Note) {
	span := diag.At(pos)
	if pos == p.Pos() {
		if p.tok.kind == tokError {
			msg = lexError(p.text())
		}
		span.End = p.file.Pos(p.tok.end)
	}
	p.diags.Add(diag.Diagnostic{Span: span, Msg: msg, Notes: notes})
}

// errorSpan records an error about a piece of the source.
func (p *Parser) errorSpan(t token, f string, args ...any) bool {
	p.diags.Errorf(diag.Span{Start: p.file.Pos(t.start), End: p.file.Pos(t.end)}, "", f, args...)
	return false
}

// expected records that the next token should have been something else. When that stands on a later line, the
// place is the end of the line where something is missing.
func (p *Parser) expected(what string) bool {
	if p.tok.kind != tokError && p.last > 0 && strings.IndexByte(p.src[p.last:p.tok.start], '\n') >= 0 {
		found := "the end of the line"
		if p.tok.kind == tokEOF {
			found = "the end of the text"
		}
		return p.errorSpan(token{start: p.last, end: p.last}, "expected %s, found %s", what, found)
	}
	return p.Errorf(p.Pos(), "expected %s, found %s", what, p.found())
}

func (p *Parser) found() string {
	if p.tok.kind == tokEOF {
		return "the end of the text"
	}
	text := p.text()
	if len(text) > 40 {
		text = text[:37] + "..."
	}
	return "'" + text + "'"
}

func (p *Parser) full() bool { return len(p.diags.Diags) >= maxErrors }

// text returns the next token as it is written.
func (p *Parser) text() string { return p.src[p.tok.start:p.tok.end] }

func (p *Parser) advance() {
	if p.tok.kind == tokPunct {
		switch p.src[p.tok.start] {
		case '{':
			p.braces++
		case '}':
			p.braces--
		}
	}
	p.last = p.tok.end
	p.tok = lex(p.src, p.tok.end)
}

// enter guards a recursion: it fails when that is too deep. leave undoes it.
func (p *Parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		return p.Errorf(p.Pos(), "nested too deeply")
	}
	return true
}

func (p *Parser) leave() { p.depth-- }

// keep returns a copy of a name that may outlive the source, one copy for all equal names.
func (p *Parser) keep(s string) string {
	k, ok := p.names[s]
	if !ok {
		k = strings.Clone(s)
		p.names[k] = k
	}
	return k
}

// Peek reports whether the next token is the given keyword or punctuation.
func (p *Parser) Peek(s string) bool {
	return (p.tok.kind == tokPunct || p.tok.kind == tokWord) && p.text() == s
}

// Try takes a keyword or punctuation if it is there.
func (p *Parser) Try(s string) bool {
	if !p.Peek(s) {
		return false
	}
	p.advance()
	return true
}

// Literal demands a keyword or punctuation such as "to", "->", "(", "=".
func (p *Parser) Literal(s string) bool {
	return p.Try(s) || p.expected("'"+s+"'")
}

// Keyword reads a bare identifier.
func (p *Parser) Keyword() (string, bool) {
	if w, ok := p.TryKeyword(); ok {
		return w, true
	}
	return "", p.expected("a keyword")
}

// TryKeyword takes a bare identifier if one is there.
func (p *Parser) TryKeyword() (string, bool) {
	if p.tok.kind != tokWord {
		return "", false
	}
	w := p.keep(p.text())
	p.advance()
	return w, true
}

// String reads a string literal.
func (p *Parser) String() (string, bool) {
	if s, ok := p.TryString(); ok {
		return s, true
	}
	return "", p.expected("a string")
}

// TryString takes a string literal if one is there.
func (p *Parser) TryString() (string, bool) {
	if p.tok.kind != tokString {
		return "", false
	}
	s := unquote(p.text())
	p.advance()
	return s, true
}

// Symbol reads @name.
func (p *Parser) Symbol() (string, bool) {
	if s, ok := p.TrySymbol(); ok {
		return s, true
	}
	return "", p.expected("a symbol")
}

// TrySymbol takes @name if it is there.
func (p *Parser) TrySymbol() (string, bool) {
	if p.tok.kind != tokAt {
		return "", false
	}
	name := p.text()[1:]
	if name[0] == '"' {
		name = unquote(name)
	} else {
		name = p.keep(name)
	}
	p.advance()
	return name, true
}

// Int reads an integer with an optional minus.
func (p *Parser) Int() (int64, bool) {
	start := p.tok
	neg := p.Try("-")
	if p.tok.kind != tokInt {
		return 0, p.expected("an integer")
	}
	v, ok := parseInt(p.text(), neg)
	if !ok {
		return 0, p.errorSpan(token{start: start.start, end: p.tok.end}, "integer out of range")
	}
	p.advance()
	return v, true
}

// parseInt returns the value of an integer literal, negated if neg; up to 64 bits, signed or not.
func parseInt(text string, neg bool) (int64, bool) {
	u, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), intBase(text), 64)
	if err != nil {
		return 0, false
	}
	if neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), true
}

func intBase(text string) int {
	if strings.HasPrefix(text, "0x") {
		return 16
	}
	return 10
}

// List reads open, a comma-separated list of items read by f (maybe none), and close.
func (p *Parser) List(open, close string, f func() bool) bool {
	if !p.Literal(open) {
		return false
	}
	if p.Try(close) {
		return true
	}
	for {
		if !f() {
			return false
		}
		if !p.Try(",") {
			return p.Literal(close)
		}
	}
}

// IntList reads [1, 2] (or [] for none), as in layouts.
func (p *Parser) IntList() ([]int64, bool) {
	vs := []int64{}
	ok := p.List("[", "]", func() bool {
		v, ok := p.Int()
		vs = append(vs, v)
		return ok
	})
	return vs, ok
}

// Dims reads 4x?x; the element type follows. VectorDims also takes [4]x.
func (p *Parser) Dims() ([]int64, bool) {
	dims, _, ok := p.dims(false)
	return dims, ok
}

// VectorDims is like Dims, but a dimension may be scalable: [4]x.
func (p *Parser) VectorDims() ([]int64, []bool, bool) { return p.dims(true) }

func (p *Parser) dims(vector bool) (dims []int64, scalable []bool, ok bool) {
	dims = []int64{}
	for {
		bracket := vector && p.Peek("[")
		if !bracket && p.tok.kind != tokInt && !p.Peek("?") {
			break
		}
		if bracket {
			p.advance()
		}
		d, ok := p.dim()
		if !ok || bracket && !p.Literal("]") || !p.takeX() {
			return nil, nil, false
		}
		dims = append(dims, d)
		if bracket && scalable == nil {
			scalable = make([]bool, len(dims)-1, len(dims))
		}
		if scalable != nil {
			scalable = append(scalable, bracket)
		}
	}
	return dims, scalable, true
}

// Shape reads 4x?x8, which no element type follows.
func (p *Parser) Shape() ([]int64, bool) {
	var shape []int64
	for {
		d, ok := p.dim()
		if !ok {
			return nil, false
		}
		shape = append(shape, d)
		if p.tok.kind != tokWord || p.tok.start != p.last || p.src[p.tok.start] != 'x' {
			return shape, true
		}
		p.takeX()
	}
}

// dim reads one size. 0x4 is a zero followed by x4.
func (p *Parser) dim() (int64, bool) {
	if p.Try("?") {
		return Dynamic, true
	}
	text := p.text()
	if p.tok.kind != tokInt {
		return 0, p.expected("a dimension")
	}
	if strings.HasPrefix(text, "0x") {
		p.last = p.tok.start + 1
		p.tok = lex(p.src, p.last)
		return 0, true
	}
	v, ok := parseInt(text, false)
	if !ok || v < 0 {
		return 0, p.Errorf(p.Pos(), "dimension out of range")
	}
	p.advance()
	return v, true
}

// takeX takes the x that begins the next word, and leaves the rest of the word.
func (p *Parser) takeX() bool {
	if p.tok.kind != tokWord || p.src[p.tok.start] != 'x' {
		return p.expected("'x' in a list of dimensions")
	}
	p.last = p.tok.start + 1
	p.tok = lex(p.src, p.tok.start+1)
	return true
}
