package python

import "github.com/nereid-lang/nereid/internal/diag"

// maxDepth bounds the depth of a tree, so that neither this parser nor anyone who walks the tree runs out of
// stack. CPython's own bound is lower for most programs.
const maxDepth = 3000

// maxErrors bounds the work done on a text that is not Python at all.
const maxErrors = 100

// parser reads tokens by recursive descent, one method for a production of the grammar. After an error the
// present token is kBad and stays so: no production takes it, so all of them return, and the statement begins
// anew at the next line (see recover in stmt.go).
type parser struct {
	lexer
	i       int   // index of tok in toks
	tok     token // the present token
	prevEnd int32 // end of the last token taken, indents and ends of lines not counted
	failed  bool  // an error was met in this statement; tok is kBad
	header  bool  // the line given up last ended in a colon: an indented block after it is no surprise
	quiet   bool  // speculating: an error is not reported

	depth  int // nesting depth of productions, bounded against stack overflow
	height int // of the trees read so far at this depth

	alloc
	parts []stringPart // of the strings being read
}

// newParser returns a parser that has read the first line. It fails where the text cannot be decoded.
func newParser(files *diag.FileSet, name string, src []byte) (*parser, error) {
	list := &diag.List{Files: files}
	text, bad := decodeSource(src)
	file := files.AddFile(name, text)
	p := &parser{lexer: lexer{file: file, list: list, src: string(text) + "\x00", end: len(text)}}
	p.indents = append(p.indents, indent{})
	if bad != nil {
		p.lexer.errorf(bad.at, bad.at+bad.size, codeEncoding, bad.hint, "%s", bad.msg)
		return p, list
	}
	p.fill()
	p.tok = p.toks[0]
	p.failed = p.tok.kind == kBad
	return p, nil
}

// err returns the list of errors, sorted, or nil.
func (p *parser) err() error {
	p.list.Sort()
	return p.list.Err()
}

// advance takes the present token.
func (p *parser) advance() {
	if p.failed {
		return
	}
	if k := p.tok.kind; k < kNewline || k > kDedent {
		p.prevEnd = p.tok.end
	}
	p.i++
	if p.i == len(p.toks) {
		p.i = 0
		p.fill()
	}
	p.tok = p.toks[p.i]
	if p.tok.kind == kBad { // the lexer has reported it
		p.stop()
	}
}

// peek returns the kind of the nth token after the present one, as far as the line goes.
func (p *parser) peek(n int) kind {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n].kind
	}
	return kNewline
}

// at reports whether the present token is of a kind; take takes it if so.
func (p *parser) at(k kind) bool { return p.tok.kind == k }

func (p *parser) take(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// expect takes a token of a kind, or fails.
func (p *parser) expect(k kind) bool {
	if p.take(k) {
		return true
	}
	p.fail(p.tok, "", "expected %v, found %s", k, p.describe())
	return false
}

// atWord reports whether the present token is a name that reads word: a soft keyword.
func (p *parser) atWord(word string) bool { return p.tok.kind == kName && p.text(p.tok) == word }

// describe returns the present token as messages name it.
func (p *parser) describe() string {
	switch p.tok.kind {
	case kName, kNumber:
		if text := p.text(p.tok); len(text) <= 40 {
			return "'" + text + "'"
		}
	}
	return p.tok.kind.String()
}

func (p *parser) text(t token) string { return p.src[t.start:t.end] }

func (p *parser) pos(offset int32) diag.Pos { return p.file.Pos(int(offset)) }

// from returns the range from an offset to the end of the last token taken.
func (p *parser) from(start int32) Range { return Range{p.pos(start), p.pos(max(p.prevEnd, start))} }

// fail reports an error at a token and gives up on the statement.
func (p *parser) fail(t token, hint, format string, args ...any) {
	if p.failed {
		return
	}
	p.errorf(t, codeSyntax, hint, format, args...)
	p.stop()
}

// stop makes the present token kBad. What is being read ends there, so that a BadExpr at that place is within
// it.
func (p *parser) stop() {
	p.failed = true
	p.tok.kind = kBad
	p.tok.end = p.tok.start
	p.prevEnd = max(p.prevEnd, p.tok.start)
}

// errorf reports an error from which reading can go on.
func (p *parser) errorf(t token, code, hint, format string, args ...any) {
	if p.failed || p.quiet || p.damaged {
		return
	}
	p.lexer.errorf(int(t.start), int(max(t.end, t.start)), code, hint, format, args...)
	p.damaged = false // that is for errors of the lexer
}

// errorAt reports an error at a node, from which reading can go on.
func (p *parser) errorAt(n Node, code, hint, format string, args ...any) {
	s := n.Span()
	t := token{start: int32(p.file.Offset(s.Start)), end: int32(p.file.Offset(s.End))}
	p.errorf(t, code, hint, format, args...)
}

// enter begins a production that may contain itself; leave ends it.
func (p *parser) enter() (height int) {
	p.depth++
	p.checkDepth(p.depth)
	height, p.height = p.height, 0
	return height
}

func (p *parser) leave(height int) {
	p.depth--
	p.height = max(height, p.height+1)
}

// grow is called for each step by which a loop makes a tree higher, as in a.b.c or 1 + 2 + 3.
func (p *parser) grow() {
	p.height++
	p.checkDepth(p.height)
}

func (p *parser) checkDepth(n int) {
	if n > maxDepth && !p.failed {
		p.errorf(p.tok, codeNesting, "", "the program is nested too deeply here (the limit is %d)", maxDepth)
		p.stop()
	}
}

// recover ends what fail began: the rest of the logical line is skipped, and the present token is its end.
func (p *parser) recover() {
	p.failed = false
	p.i = len(p.toks) - 1
	p.tok = p.toks[p.i]
	if p.i > 0 {
		p.prevEnd = max(p.prevEnd, p.toks[p.i-1].end)
		p.header = p.toks[p.i-1].kind == kColon
	}
}

// name returns the text of a name, in NFKC.
func (p *parser) name(t token) string {
	if t.odd {
		return nfkc(p.text(t))
	}
	return p.text(t)
}

// identifier takes a name and returns it. what names it in messages.
func (p *parser) identifier(what string) string {
	t := p.tok
	if !p.take(kName) {
		hint := ""
		if t.kind.isKeyword() {
			hint = p.text(t) + " is a keyword"
		}
		p.fail(t, hint, "expected %s, found %s", what, p.describe())
		return ""
	}
	return p.name(t)
}
